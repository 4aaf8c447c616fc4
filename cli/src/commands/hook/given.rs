//! What an agent was told in its session: an empty file for each page, in the user's data folder. Several hooks of a
//! session can run at the same time, and only one of them creates a file.

use std::fs::{self, File};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use sha2::{Digest, Sha256};
use ubp_host::user_data;

use crate::Environment;

/// How long a session is remembered after its first page.
const KEPT: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// What is remembered about a page.
#[derive(Debug, Clone, Copy)]
pub(super) enum About {
    /// Its text was given.
    Text,
    /// It was called out of date.
    Stale,
}

/// What a session was told.
pub(super) struct Given {
    /// `None` if nothing can be remembered.
    folder: Option<PathBuf>,
}

impl Given {
    /// What `session` was told in the project at `root`.
    pub(super) fn of(environment: &Environment, root: &Path, session: &str) -> Self {
        let folder = user_data::folder(environment)
            .map(|data| data.join("hooks").join(name(&format!("{}\n{session}", root.to_string_lossy()))));
        Self { folder }
    }

    /// Notes that the session is told about `page`; returns whether it was not told before.
    pub(super) fn note(&self, about: About, page: &str) -> bool {
        let Some(folder) = &self.folder else { return true };
        if !folder.is_dir() {
            forget_old(folder);
        }
        // If nothing can be remembered, telling twice is better than never.
        if fs::create_dir_all(folder).is_err() {
            return true;
        }
        match File::create_new(file(folder, about, page)) {
            Ok(_) => true,
            Err(error) => error.kind() != ErrorKind::AlreadyExists,
        }
    }

    /// Forgets that the session was told about `page`.
    pub(super) fn forget(&self, about: About, page: &str) {
        if let Some(folder) = &self.folder {
            let _ = fs::remove_file(file(folder, about, page));
        }
    }
}

fn file(folder: &Path, about: About, page: &str) -> PathBuf {
    let kind = match about {
        About::Text => "text",
        About::Stale => "stale",
    };
    folder.join(format!("{kind}-{}", name(page)))
}

/// Removes old sessions beside `folder`.
fn forget_old(folder: &Path) {
    let Some(sessions) = folder.parent().and_then(|all| fs::read_dir(all).ok()) else { return };
    let now = SystemTime::now();
    for session in sessions.flatten() {
        let began = session.metadata().and_then(|data| data.modified());
        if began.is_ok_and(|began| now.duration_since(began).is_ok_and(|age| age > KEPT)) {
            let _ = fs::remove_dir_all(session.path());
        }
    }
}

fn name(text: &str) -> String {
    Sha256::digest(text)[..12].iter().map(|byte| format!("{byte:02x}")).collect()
}
