//! Watches files through the system. Events are only hints that something may have changed; the index is compared with
//! the files themselves. Folders without pages, such as `.git` and `node_modules`, are not watched if the system can
//! watch single folders.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use notify::event::{AccessKind, AccessMode, EventKind, ModifyKind};
use notify::{Event, RecommendedWatcher, RecursiveMode, Watcher};

use ubp_core::message;
use ubp_core::message::Message;
use ubp_core::path::{is_base, is_page};

use super::pulse::Hint;
use super::{Changed, Shared};
use crate::{Project, is_rule_file, is_visible};

/// Whether the system watches a whole tree as cheaply as one folder.
const WHOLE_TREES: bool = cfg!(any(windows, target_os = "macos"));

/// The watched folders.
pub(super) struct Watch {
    shared: Arc<Shared>,
    watcher: Option<RecommendedWatcher>,
    folders: Arc<Mutex<Folders>>,
    /// The pages folder; paths of events are relative to it.
    pages_dir: PathBuf,
    /// Whether a failure to watch was reported.
    failing: bool,
}

#[derive(Debug, Default)]
struct Folders {
    followed: BTreeSet<PathBuf>,
    /// Folders that were removed or renamed, and must be watched again.
    lost: BTreeSet<PathBuf>,
}

impl Watch {
    pub(super) fn new(shared: Arc<Shared>) -> Self {
        Self { shared, watcher: None, folders: Arc::default(), pages_dir: PathBuf::new(), failing: false }
    }

    fn folders(&self) -> MutexGuard<'_, Folders> {
        self.folders.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Stops watching.
    pub(super) fn close(&mut self) {
        self.watcher = None;
        *self.folders() = Folders::default();
    }

    /// Watches the folders of `project` that can have pages, and no others. Returns how many are new.
    ///
    /// # Errors
    /// Why watching failed; `None` if that was reported before.
    pub(super) fn follow(&mut self, project: &Project) -> Result<usize, Option<Message>> {
        match self.try_follow(project) {
            Ok(new) => {
                self.failing = false;
                Ok(new)
            }
            Err(error) => {
                self.close();
                let said = std::mem::replace(&mut self.failing, true);
                Err((!said).then(|| reason(&error)))
            }
        }
    }

    fn try_follow(&mut self, project: &Project) -> notify::Result<usize> {
        let wanted = self.wanted(project);
        if self.watcher.is_none() || self.pages_dir != project.pages_dir {
            self.pages_dir.clone_from(&project.pages_dir);
            *self.folders() = Folders::default();
            self.watcher = Some(self.watcher(project)?);
        }
        // Do not hold the lock while calling the watcher, whose callback needs it.
        let (mut followed, lost) = {
            let mut folders = self.folders();
            (folders.followed.clone(), std::mem::take(&mut folders.lost))
        };
        let Some(watcher) = &mut self.watcher else { return Ok(0) };
        let is_lost = |folder: &Path| lost.iter().any(|lost| folder.starts_with(lost));
        // First, because a renamed folder is still watched under its old name.
        followed.retain(|folder| {
            let stays = wanted.contains(folder) && !is_lost(folder);
            if !stays {
                // The system stops watching deleted folders by itself.
                let _ = watcher.unwatch(folder);
            }
            stays
        });
        let mut new = 0;
        let mut outcome = Ok(());
        for folder in wanted {
            if followed.contains(&folder) {
                continue;
            }
            let whole = WHOLE_TREES && folder == project.pages_dir;
            let mode = if whole { RecursiveMode::Recursive } else { RecursiveMode::NonRecursive };
            match watcher.watch(&folder, mode) {
                Ok(()) => {
                    new += 1;
                    followed.insert(folder);
                }
                // The folder was removed or is unreadable, so it has no pages.
                Err(error) if !folder.is_dir() || is_denied(&error) => {}
                Err(error) => {
                    outcome = Err(error);
                    break;
                }
            }
        }
        self.folders().followed = followed;
        outcome.map(|()| new)
    }

    fn wanted(&self, project: &Project) -> BTreeSet<PathBuf> {
        let mut folders: BTreeSet<PathBuf> = project.source().folders().into_iter().collect();
        if WHOLE_TREES {
            folders.retain(|folder| *folder == project.pages_dir || !folder.starts_with(&project.pages_dir));
        }
        folders
    }

    fn watcher(&self, project: &Project) -> notify::Result<RecommendedWatcher> {
        let shared = Arc::downgrade(&self.shared);
        let (folders, pages_dir) = (self.folders.clone(), project.pages_dir.clone());
        notify::recommended_watcher(move |event: notify::Result<Event>| {
            let Some(shared) = shared.upgrade() else { return };
            match event {
                Ok(event) => {
                    if concerns_bases(&event, &pages_dir) {
                        shared.broadcast(Changed::Bases);
                    }
                    let mut folders = folders.lock().unwrap_or_else(PoisonError::into_inner);
                    if let Some(meaning) = meaning(&event, &pages_dir, &folders.followed) {
                        if meaning == Meaning::Folders {
                            folders.lost.extend(event.paths);
                            drop(folders);
                            shared.pulse.notice(Hint::Folders);
                        } else {
                            drop(folders);
                            hints(&event, &pages_dir).for_each(|hint| shared.pulse.notice(hint));
                        }
                    }
                }
                // Events were lost.
                Err(_) => shared.pulse.notice(Hint::Folders),
            }
        })
    }
}

fn is_denied(error: &notify::Error) -> bool {
    matches!(&error.kind, notify::ErrorKind::Io(error) if error.kind() == std::io::ErrorKind::PermissionDenied)
}

fn reason(error: &notify::Error) -> Message {
    match &error.kind {
        notify::ErrorKind::MaxFilesWatch => {
            message!("the system's limit is reached; on Linux, a higher fs.inotify.max_user_watches helps")
        }
        notify::ErrorKind::Io(error) if error.raw_os_error() == Some(TOO_MANY_INSTANCES) => {
            message!("the system's limit is reached; on Linux, a higher fs.inotify.max_user_instances helps")
        }
        _ => Message::reported(error.to_string()),
    }
}

/// `EMFILE`: too many inotify instances on Linux.
const TOO_MANY_INSTANCES: i32 = 24;

/// Meaning of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Meaning {
    /// Content of pages may have changed.
    Pages,
    /// The set of folders with pages may have changed.
    Folders,
}

/// The meaning of an event; `None` if it cannot affect pages.
fn meaning(event: &Event, pages_dir: &Path, followed: &BTreeSet<PathBuf>) -> Option<Meaning> {
    if event.need_rescan() {
        return Some(Meaning::Folders);
    }
    let content_only = match event.kind {
        EventKind::Access(AccessKind::Close(AccessMode::Write)) | EventKind::Modify(ModifyKind::Data(_)) => {
            true
        }
        // A refresh itself reads pages.
        EventKind::Access(_) => return None,
        _ => false,
    };
    let of_path = |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if is_rule_file(name) {
            return Some(Meaning::Folders);
        }
        if !is_shown(path, pages_dir) {
            return None;
        }
        if !content_only && (followed.contains(path) || path.is_dir()) {
            return Some(Meaning::Folders);
        }
        // Links may point to other files, for which only existence matters.
        (is_page(name) || !content_only).then_some(Meaning::Pages)
    };
    event.paths.iter().filter_map(of_path).max()
}

/// Whether a base may have changed. It is read whenever a page with it is shown.
fn concerns_bases(event: &Event, pages_dir: &Path) -> bool {
    let is_access = matches!(event.kind, EventKind::Access(_));
    let is_written = !is_access || event.kind == EventKind::Access(AccessKind::Close(AccessMode::Write));
    let is_base = |path: &PathBuf| path.to_str().is_some_and(is_base) && is_shown(path, pages_dir);
    is_written && event.paths.iter().any(is_base)
}

/// The pages that may have changed in an event.
fn hints(event: &Event, pages_dir: &Path) -> impl Iterator<Item = Hint> {
    // Atomic replacement of a page involves a hidden temporary file.
    event.paths.iter().filter(|path| is_shown(path, pages_dir)).map(|path| hint(path, pages_dir))
}

fn hint(path: &Path, pages_dir: &Path) -> Hint {
    let below = path.strip_prefix(pages_dir).ok();
    let parts = below.map(|below| below.components().map(|part| part.as_os_str().to_str()));
    let path = parts.and_then(|parts| parts.collect::<Option<Vec<_>>>()).map(|parts| parts.join("/"));
    // The target of a symbolic link may be several pages; other files matter for links to them.
    path.filter(|path| is_page(path)).map_or(Hint::Pages, Hint::Page)
}

/// Whether no part of `path` is hidden.
fn is_shown(path: &Path, pages_dir: &Path) -> bool {
    let visible = |part: &std::ffi::OsStr| part.to_str().is_some_and(is_visible);
    match path.strip_prefix(pages_dir) {
        Ok(below) => below.components().all(|part| visible(part.as_os_str())),
        // Outside the pages folder: the target of a symbolic link.
        Err(_) => path.file_name().is_some_and(visible),
    }
}

#[cfg(test)]
mod tests;
