//! Opens a project's engine, for commands and servers. Handles an index that is damaged or not writable, and a missing
//! model.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use ubp_core::message;
use ubp_core::message::Message;

use ubp_core::index::{self, Index, SetAside};
use ubp_core::ports::Embedder;
use ubp_core::progress::{Cancel, Silent};
use ubp_core::{Caller, Engine};
use ubp_core::{Error, Result};

use crate::file_lock::FileLock;
use crate::{CodeSymbols, Environment, GitHistory, MappedCache, Project, SystemClock};
use crate::{first_index, models, shared_vectors};

/// An engine, and problems while opening it.
pub struct Opening {
    /// The engine.
    pub engine: Engine,
    /// Whether the index is in memory, because the file is not writable.
    pub in_memory: bool,
    /// Whether the reason is a full disk.
    pub is_disk_full: bool,
    /// An unusable index that was moved aside.
    pub aside: Option<SetAside>,
    /// Why the model is missing.
    pub no_model: Option<Error>,
    /// Why vectors are not shared with other projects, if they cannot be.
    pub no_sharing: Option<Message>,
    /// The other machine that gets pages and queries to compute vectors, if there is one.
    pub sends_to: Option<String>,
}

impl Opening {
    /// The warning for an index in memory; `user` is "command" or "server".
    pub fn in_memory_words(&self, user: Message) -> Option<Message> {
        let why = match self.is_disk_full {
            true => message!("the disk is full"),
            false => message!("the project cannot be written to"),
        };
        self.in_memory
            .then(|| message!("{why}: its index is kept in memory, only for this {user}", why, user))
    }

    /// The warning for an unusable index.
    pub fn aside_words(&self) -> Option<Message> {
        let aside = self.aside.as_ref()?;
        Some(message!(
            "the index could not be used ({reason}); it was moved to {path} and is being rebuilt",
            reason = aside.reason,
            path = aside.path.display()
        ))
    }

    /// The warning that texts leave this machine.
    pub fn sending_words(&self) -> Option<Message> {
        let to = self.sends_to.as_ref()?;
        Some(message!(
            "pages and queries are sent to {to}, which computes vectors (embedding_model in the manifest)",
            to
        ))
    }

    /// The warning for a missing model.
    pub fn no_model_words(&self) -> Option<Message> {
        let error = self.no_model.as_ref()?;
        Some(message!("{error}; searching by words alone", error))
    }
}

/// The lock for creating and removing the files of an index. Without it, two processes that both find no index would
/// delete each other's new files as remains of an old one. `None` if folders cannot be locked.
fn turn(database: &Path) -> Option<FileLock> {
    const LONGEST: Duration = Duration::from_secs(15);
    FileLock::take_folder(database.parent()?, LONGEST).ok().flatten()
}

/// Removes companion files of a deleted database. Processes with the old database open still share them, but the new
/// one must not.
fn forget_companions(database: &Path) {
    if !fs::symlink_metadata(database).is_err_and(|error| error.kind() == io::ErrorKind::NotFound) {
        return;
    }
    for companion in ["-wal", "-shm"] {
        let mut name = database.as_os_str().to_owned();
        name.push(companion);
        // Usually there are none. If one cannot be removed, opening fails and reports it.
        let _ = fs::remove_file(name);
    }
}

/// A copy of the index at `database` in memory; empty if it cannot be read.
fn in_memory(database: &Path) -> Result<Index> {
    let mut log = database.as_os_str().to_owned();
    log.push("-wal");
    // The latest changes would be only in the write-ahead log.
    if fs::metadata(log).is_ok_and(|log| log.len() > 0) {
        return Index::in_memory();
    }
    let copy = fs::File::open(database).ok().and_then(|file| {
        let length = usize::try_from(file.metadata().ok()?.len()).ok()?;
        Index::copy_in_memory(file, length).ok()
    });
    copy.map_or_else(Index::in_memory, Ok)
}

/// Moves the index at `database` aside.
///
/// # Errors
/// As [`index::set_aside`].
pub fn set_aside(database: &Path) -> Result<PathBuf> {
    let _turn = turn(database);
    index::set_aside(database)
}

/// The same, if `is_it` is still true under the lock.
///
/// # Errors
/// As [`index::set_aside`].
pub fn set_aside_if(database: &Path, is_it: impl FnOnce() -> bool) -> Result<Option<PathBuf>> {
    let _turn = turn(database);
    if is_it() { index::set_aside(database).map(Some) } else { Ok(None) }
}

/// Finds the model of a project.
pub type FindModel = dyn Fn(&Project, &Environment) -> Result<Option<Arc<dyn Embedder>>> + Send + Sync;

/// Opens index, files, history and model of `project`.
///
/// # Errors
/// [`Error::Database`] if no index can be opened, not even in memory.
pub fn open(project: &Project, environment: &Environment, find_model: &FindModel) -> Result<Opening> {
    let _turn = turn(&project.database);
    forget_companions(&project.database);
    first_index::from_another_worktree(project, |index| {
        let engine = engine(project, index, None);
        engine.context(Caller::Person, true, &Silent, &Cancel::default()).refresh(false)?;
        engine.index.checkpoint()
    });
    let opened = Index::open(&project.database);
    let is_disk_full = opened.as_ref().is_err_and(Error::is_full_disk);
    let (index, aside, in_memory) = match opened {
        Err(error) if is_disk_full || error.is_unwritable_index() => {
            (in_memory(&project.database)?, None, true)
        }
        opened => {
            let (index, aside) = opened?;
            (index.sharing_through(Box::new(MappedCache::beside(&project.database))), aside, false)
        }
    };
    let (embedder, no_model) = match find_model(project, environment) {
        Ok(embedder) => (embedder, None),
        Err(error) => (None, Some(error)),
    };
    let origin = models::origin(project);
    let shared = embedder.map(|embedder| shared_vectors::sharing(embedder, &origin, environment));
    let (embedder, no_sharing) = shared.map_or((None, None), |(embedder, problem)| (Some(embedder), problem));
    let server = project.manifest.embedding_model.endpoint.as_ref().filter(|_| embedder.is_some());
    let sends_to = server.filter(|server| server.is_remote()).map(|server| server.origin().to_owned());
    let engine = engine(project, index, embedder);
    Ok(Opening { engine, in_memory, is_disk_full, aside, no_model, no_sharing, sends_to })
}

fn engine(project: &Project, index: Index, embedder: Option<Arc<dyn Embedder>>) -> Engine {
    let history = GitHistory::new(&project.root);
    Engine {
        index,
        source: project.visible_source(),
        history: match project.view() {
            None => Box::new(history),
            Some(view) => Box::new(view.history(history)),
        },
        symbols: Box::new(CodeSymbols),
        clock: Box::new(SystemClock::default()),
        embedder,
        manifest: project.manifest.clone(),
    }
}
