//! The project that answers. A client on standard input and output that moves to another worktree of the repository takes the
//! server along: an answer about another branch would look right and be wrong.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rmcp::RoleServer;
use rmcp::service::Peer;
use ubp_core::{Error, Result};
use ubp_host::live::{Live, Notices, Views};
use ubp_host::worktrees::Worktree;
use ubp_host::{Environment, Project};

/// How long a client may take to say which folders it works in.
const PATIENCE: Duration = Duration::from_secs(3);

/// The project that answers.
pub(super) struct Place {
    now: Mutex<Now>,
    /// How to open another worktree; `None` for a server that stays in its project.
    opening: Option<Opening>,
    /// How often the client may have changed its folders.
    changes: Arc<AtomicU64>,
    /// The number of changes after which it was asked last.
    asked: tokio::sync::Mutex<u64>,
}

struct Now {
    views: Arc<Views>,
    /// The folder without a project that the client works in.
    outside: Option<PathBuf>,
}

struct Opening {
    environment: Environment,
    notices: Notices,
}

impl Place {
    /// A place that stays as it is.
    pub(super) fn fixed(views: Arc<Views>) -> Self {
        let now = Mutex::new(Now { views, outside: None });
        Self { now, opening: None, changes: Arc::default(), asked: tokio::sync::Mutex::new(0) }
    }

    /// A place that follows the client.
    pub(super) fn following(views: Arc<Views>, environment: Environment, notices: Notices) -> Self {
        let opening = Some(Opening { environment, notices });
        Self { opening, changes: Arc::new(AtomicU64::new(1)), ..Self::fixed(views) }
    }

    /// Counts the client's messages that its folders changed.
    pub(super) fn changes(&self) -> Arc<AtomicU64> {
        self.changes.clone()
    }

    /// The project that was served last.
    pub(super) fn views(&self) -> Arc<Views> {
        self.now.lock().unwrap_or_else(PoisonError::into_inner).views.clone()
    }

    /// The project of the folder that the client works in.
    ///
    /// # Errors
    /// [`Error::NoProject`] if there is none.
    pub(super) fn answering(&self) -> Result<Arc<Views>> {
        let now = self.now.lock().unwrap_or_else(PoisonError::into_inner);
        match &now.outside {
            None => Ok(now.views.clone()),
            Some(folder) => Err(Error::NoProject { folder: folder.display().to_string() }),
        }
    }

    /// Asks the client which folders it works in, if they may have changed, and moves there. Returns whether another
    /// project answers now.
    pub(super) async fn settle(&self, peer: &Peer<RoleServer>) -> bool {
        let Some(opening) = &self.opening else { return false };
        let changes = self.changes.load(Ordering::Acquire);
        let mut asked = self.asked.lock().await;
        if *asked >= changes {
            return false;
        }
        let has_roots = peer.peer_info().is_some_and(|client| client.capabilities.roots.is_some());
        let current = self.views();
        let root = current.whole().root().to_path_buf();
        // Most repositories have one worktree.
        let worktree = Worktree::of(&root).filter(|worktree| has_roots && !worktree.others().is_empty());
        let Some(worktree) = worktree else {
            *asked = changes;
            return false;
        };
        // A client that does not answer is asked again by its next call.
        let Some(folders) = folders_of(peer).await else { return false };
        *asked = changes;
        let (environment, notices) = (opening.environment.clone(), opening.notices.clone());
        let moved = tokio::task::spawn_blocking(move || {
            let target = target(&worktree, &root, &folders)?;
            let opened = if target == root {
                None
            } else {
                Some(Project::load(&target).and_then(|project| Live::start(project, &environment, notices)))
            };
            Some((target, opened))
        });
        let Ok(Some((target, opened))) = moved.await else { return false };
        let mut now = self.now.lock().unwrap_or_else(PoisonError::into_inner);
        now.outside = None;
        match opened {
            None => false,
            Some(Ok(live)) => {
                let before = std::mem::replace(&mut now.views, Views::of(live));
                drop(now);
                std::thread::spawn(move || before.stop());
                true
            }
            Some(Err(_)) => {
                now.outside = Some(target);
                false
            }
        }
    }
}

/// The folders that the client works in; `None` if it does not say.
#[expect(deprecated, reason = "later revisions of the protocol have no other word for it")]
async fn folders_of(peer: &Peer<RoleServer>) -> Option<Vec<PathBuf>> {
    let listed = tokio::time::timeout(PATIENCE, peer.list_roots()).await.ok()?.ok()?;
    Some(listed.roots.iter().filter_map(|root| crate::lsp::path_of(&root.uri)).collect())
}

/// The folder of the served project, which is in `root` of `worktree`, in the worktree that a client with these folders
/// works in. `None` if it works elsewhere.
fn target(worktree: &Worktree, root: &Path, folders: &[PathBuf]) -> Option<PathBuf> {
    let inside = root.strip_prefix(&worktree.top).ok()?;
    let tops: Vec<PathBuf> = folders
        .iter()
        .filter_map(|folder| Worktree::of(folder))
        .filter(|other| other.common == worktree.common)
        .map(|other| other.top)
        .collect();
    let top = tops.iter().find(|top| **top == worktree.top).or(tops.first())?;
    Some(if inside.as_os_str().is_empty() { top.clone() } else { top.join(inside) })
}
