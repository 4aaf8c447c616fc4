//! The files of proposals, in a folder of their own that git ignores unless the project commits it.

use std::fs;

use ubp_core::path as paths;
use ubp_core::ports::{ContentHash, Source};
use ubp_core::{Error, Result};

use super::{DiskSource, found_at};
use crate::write_lock::{keep_out_of_git, show_to_git};

/// The line of `.ubp/.gitignore`, without the leading slash.
const IGNORED: &str = "proposals/";

impl DiskSource {
    /// The same, but with `commit`, git sees proposals.
    #[must_use]
    pub fn committing_proposals(self, commit: bool) -> Self {
        Self { in_git: commit, ..self }
    }

    /// Creates the folder, and lets git ignore it or not.
    pub(super) fn prepare_proposals(&self) -> Result<()> {
        let folder = self.root.join(".ubp");
        if self.in_git {
            show_to_git(&folder, IGNORED);
        } else {
            keep_out_of_git(&folder, IGNORED);
        }
        let place = format!(".ubp/{}", paths::PROPOSALS);
        fs::create_dir_all(folder.join(paths::PROPOSALS)).map_err(|error| Error::io(place, error))
    }

    /// Deletes a file that has the hash `expected`.
    pub(super) fn delete_proposal(&self, name: &str, expected: ContentHash) -> Result<()> {
        paths::require_proposal_file(name)?;
        let _held = self.lock()?;
        let (file, shown) = (self.state_file(name)?, format!(".ubp/{name}"));
        match found_at(&file, &shown)? {
            found if found == Some(expected) => {
                fs::remove_file(&file).map_err(|error| Error::io(shown, error))
            }
            found => Err(Error::conflict(&shown, Some(expected), found)),
        }
    }
}
