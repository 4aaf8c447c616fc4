//! Opening a project's engine: what one command and a server that runs for days do alike when the
//! index is damaged, cannot be written, or the model is missing.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use ubp_core::Engine;
use ubp_core::index::{self, Index, SetAside};
use ubp_core::ports::Embedder;
use ubp_core::{Error, Result};

use crate::file_lock::FileLock;
use crate::{Environment, GitHistory, MappedCache, Project, SystemClock};

/// An engine, and what was remarkable about opening it.
pub struct Opening {
    /// The engine.
    pub engine: Engine,
    /// Whether the index lives in memory, because it cannot be written where it should be.
    pub in_memory: bool,
    /// Whether that is because the disk is full.
    pub is_disk_full: bool,
    /// The index that could not be used.
    pub aside: Option<SetAside>,
    /// Why there is no model, where there should be one.
    pub no_model: Option<Error>,
}

impl Opening {
    /// That the index is in memory, and for whom: this `user`.
    pub fn in_memory_words(&self, user: &str) -> Option<String> {
        let why = if self.is_disk_full { "the disk is full" } else { "the project cannot be written to" };
        self.in_memory.then(|| format!("{why}: its index is kept in memory, for this {user} alone"))
    }

    /// That the former index could not be used.
    pub fn aside_words(&self) -> Option<String> {
        let aside = self.aside.as_ref()?;
        Some(format!(
            "the index could not be used ({}); it was moved to {} and is being rebuilt",
            aside.reason,
            aside.path.display()
        ))
    }

    /// That there is no model.
    pub fn no_model_words(&self) -> Option<String> {
        Some(format!("{}; searching by words alone", self.no_model.as_ref()?))
    }
}

/// Makes and removes the files of an index while nobody else does: two processes that both find it
/// gone would take each other's new files for remains of the old ones. Held until it is dropped.
/// Where folders cannot be locked, there is nothing to hold.
fn turn(database: &Path) -> Option<FileLock> {
    const LONGEST: Duration = Duration::from_secs(15);
    FileLock::take_folder(database.parent()?, LONGEST).ok().flatten()
}

/// Removes what belongs to a database that is gone. Processes that still have the old one open share
/// these files with each other, and must not with the new one.
fn forget_companions(database: &Path) {
    if !fs::symlink_metadata(database).is_err_and(|error| error.kind() == io::ErrorKind::NotFound) {
        return;
    }
    for companion in ["-wal", "-shm"] {
        let mut name = database.as_os_str().to_owned();
        name.push(companion);
        // Mostly there are none. What cannot be removed makes opening fail, which is reported.
        let _ = fs::remove_file(name);
    }
}

/// The index at `database` as it lies there, in memory; an empty one where it cannot be had so.
fn in_memory(database: &Path) -> Result<Index> {
    let mut log = database.as_os_str().to_owned();
    log.push("-wal");
    // What was written last would be in the log alone.
    if fs::metadata(log).is_ok_and(|log| log.len() > 0) {
        return Index::in_memory();
    }
    let copy = fs::File::open(database).ok().and_then(|file| {
        let length = usize::try_from(file.metadata().ok()?.len()).ok()?;
        Index::copy_in_memory(file, length).ok()
    });
    copy.map_or_else(Index::in_memory, Ok)
}

/// Puts the index at `database` aside.
///
/// # Errors
/// As [`index::set_aside`].
pub fn set_aside(database: &Path) -> Result<PathBuf> {
    let _turn = turn(database);
    index::set_aside(database)
}

/// The same, if `is_it` still says so once nobody else can put it aside.
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
/// [`Error::Database`] when there can be no index, not even in memory.
pub fn open(project: &Project, environment: &Environment, find_model: &FindModel) -> Result<Opening> {
    let _turn = turn(&project.database);
    forget_companions(&project.database);
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
    let engine = Engine {
        index,
        source: Box::new(project.source()),
        history: Box::new(GitHistory::new(&project.root)),
        clock: Box::new(SystemClock::default()),
        embedder,
        manifest: project.manifest.clone(),
    };
    Ok(Opening { engine, in_memory, is_disk_full, aside, no_model })
}
