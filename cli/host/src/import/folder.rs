//! Lists the files of a folder to import.

use std::fs;
use std::path::Path;

use ubp_core::import::{Notice, NoticeKind};
use ubp_core::message;
use ubp_core::message::Fill;
use ubp_core::progress::Cancel;
use ubp_core::{Error, Result};

use super::{Notes, Place};

/// Deeper folders are left out.
const DEEPEST: usize = 64;

/// Adds the files of `folder` to `notes`.
///
/// # Errors
/// [`Error::Io`] if the folder itself cannot be listed; [`Error::Cancelled`].
pub(super) fn list(folder: &Path, notes: &mut Notes, cancel: &Cancel) -> Result<()> {
    let mut open = vec![(folder.to_path_buf(), String::new(), 0)];
    while let Some((folder, prefix, depth)) = open.pop() {
        cancel.check()?;
        let entries = match fs::read_dir(&folder) {
            Ok(entries) => entries,
            Err(error) if depth == 0 => return Err(Error::io(folder.to_string_lossy(), error)),
            Err(error) => {
                leave(notes, prefix.trim_end_matches('/'), error);
                continue;
            }
        };
        for entry in entries.flatten() {
            let name = entry.file_name();
            let Some(name) = name.to_str() else {
                let path = format!("{prefix}{}", name.to_string_lossy());
                leave(notes, &path, message!("the name is not UTF-8"));
                continue;
            };
            let path = format!("{prefix}{name}");
            match entry.metadata() {
                Ok(_) if matches!(name, ".git" | ".ubp" | "node_modules") => {}
                Ok(metadata) if metadata.is_symlink() => leave(notes, &path, message!("a symbolic link")),
                Ok(metadata) if metadata.is_dir() && depth >= DEEPEST => {
                    leave(notes, &path, message!("too deep"));
                }
                Ok(metadata) if metadata.is_dir() => open.push((entry.path(), format!("{path}/"), depth + 1)),
                Ok(metadata) if metadata.is_file() => {
                    notes.add(path, metadata.len(), Place::Disk(entry.path()))?;
                }
                Ok(_) => leave(notes, &path, message!("not a regular file")),
                Err(error) => leave(notes, &path, error),
            }
        }
    }
    Ok(())
}

fn leave(notes: &mut Notes, path: &str, reason: impl Fill) {
    notes.notices.push(Notice::file(NoticeKind::LeftOut, path, message!("{reason}", reason)));
}
