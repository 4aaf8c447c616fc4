//! State files in `.ubp`, some of them in folders of their own.

use std::path::{Path, PathBuf};
use std::{fs, io};

use ubp_core::path as paths;
use ubp_core::{Error, Result};

use super::DiskSource;
use crate::UBP_DIR;

impl DiskSource {
    /// The names of the state files in a folder of `.ubp`, sorted.
    pub(super) fn listed(&self, folder: &str, is_one: fn(&str) -> bool) -> Result<Vec<String>> {
        let shown = format!(".ubp/{folder}");
        let own = self.root.join(UBP_DIR);
        let is_link = |path: &Path| fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_symlink());
        if is_link(&own) || is_link(&own.join(folder)) {
            return Err(Error::OutsideProject { path: shown, folder: "project".into() });
        }
        let entries = match fs::read_dir(own.join(folder)) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(Error::io(shown, error)),
        };
        let mut names = Vec::new();
        for entry in entries {
            let name = entry.map_err(|error| Error::io(shown.clone(), error))?.file_name();
            let name = format!("{folder}/{}", name.to_string_lossy());
            if is_one(&name) {
                names.push(name);
            }
        }
        names.sort_unstable();
        Ok(names)
    }

    /// Deletes the file of a session, if there is one.
    pub(super) fn delete_session(&self, name: &str) -> Result<()> {
        paths::require_session_file(name)?;
        match fs::remove_file(self.state_file(name)?) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(Error::io(format!(".ubp/{name}"), error))
            }
            _ => Ok(()),
        }
    }

    /// Adds a state file to `.ubp/.gitignore`, which an older version may have written without it.
    pub(super) fn keep_note_out_of_git(&self, file: &Path, name: &str) {
        if !file.exists() {
            crate::write_lock::keep_out_of_git(&self.root.join(".ubp"), name);
        }
    }

    /// Moves a large log file aside.
    pub(super) fn rotate(&self, file: &Path) -> Result<()> {
        let (_, largest, aside) = paths::ROTATED;
        if !fs::metadata(file).is_ok_and(|metadata| metadata.len() >= largest) {
            return Ok(());
        }
        crate::write_lock::keep_out_of_git(&self.root.join(".ubp"), aside);
        let failed = |error| Error::io(format!(".ubp/{aside}"), error);
        fs::rename(file, self.state_file(aside)?).map_err(failed)
    }

    /// The path of a state file in `.ubp`; refused if it is a symbolic link.
    pub(super) fn state_file(&self, name: &str) -> Result<PathBuf> {
        paths::require_state_file(name)?;
        let folder = self.root.join(".ubp");
        let file = folder.join(name);
        let is_link = |path: &Path| fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_symlink());
        // Proposals and sessions have folders of their own.
        let inner = file.parent().is_some_and(is_link);
        if is_link(&folder) || is_link(&file) || inner {
            return Err(Error::OutsideProject { path: format!(".ubp/{name}"), folder: "project".into() });
        }
        Ok(file)
    }
}
