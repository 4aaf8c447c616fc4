//! The folder of an exported site. A new site is created in a staging folder and moved over the old one file by file:
//! first the files that pages need, then the pages; then files that only the old site needed are deleted. So pages work
//! during the export and after an interruption. Files that an export did not write are neither changed nor deleted.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use tempfile::TempDir;
use ubp_core::message;
use ubp_core::ports::ContentHash;
use ubp_core::{Error, Result};

use super::installable::WORKER;
use crate::atomic;

/// Record of the files that an export wrote.
pub const RECORD: &str = ".ubp-export.json";

/// Prefix of staging folders.
const STAGING: &str = ".ubp-export-";

/// Content of the record.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Record {
    /// Format version of this file.
    format: u32,
    /// Version of the program that wrote it.
    version: String,
    /// Time of the export, RFC 3339.
    exported_at: String,
    /// Hash of each file, by path in the folder.
    files: BTreeMap<String, String>,
}

const FORMAT: u32 = 1;

/// A site being written.
pub struct SiteFolder {
    target: PathBuf,
    old: BTreeMap<String, String>,
    staging: TempDir,
    new: BTreeMap<String, String>,
    bytes: u64,
}

/// Result of an export.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Written {
    /// Number of files.
    pub files: usize,
    /// Total size in bytes.
    pub bytes: u64,
    /// Number of files that are new or changed.
    pub written: usize,
    /// Number of files of an earlier export that were deleted.
    pub removed: usize,
    /// Files of an earlier export that were modified since and therefore kept.
    pub kept: Vec<String>,
}

fn failed(path: &Path) -> impl Fn(io::Error) -> Error + '_ {
    |error| Error::io(path.display().to_string(), error)
}

impl SiteFolder {
    /// Starts a site in `target`, which is created if missing. With `force` it may have other files.
    ///
    /// # Errors
    /// [`Error::InvalidParams`] if it is not a folder, or has files that are not from an export; [`Error::Io`].
    pub fn begin(target: &Path, force: bool) -> Result<Self> {
        if target.symlink_metadata().is_ok() && !target.is_dir() {
            return Err(Error::invalid(message!("{target} is not a folder", target = target.display())));
        }
        fs::create_dir_all(target).map_err(failed(target))?;
        let record = target.join(RECORD);
        let old = match fs::read(&record) {
            Ok(bytes) => {
                let read: serde_json::Result<Record> = serde_json::from_slice(&bytes);
                let readable = read.ok().filter(|record| record.format <= FORMAT);
                readable.map(|record| record.files).ok_or_else(|| {
                    Error::invalid(message!(
                        "{record} cannot be read: it is damaged or from a newer ubp. Choose another folder",
                        record = record.display()
                    ))
                })?
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                sweep(target);
                let mut entries = fs::read_dir(target).map_err(failed(target))?;
                if entries.next().is_some() && !force {
                    return Err(Error::invalid(message!(
                        "{target} has files that are not from an export; choose a new or empty folder, or keep them with \
                         --force",
                        target = target.display()
                    )));
                }
                BTreeMap::new()
            }
            Err(error) => return Err(failed(&record)(error)),
        };
        sweep(target);
        let staging = tempfile::Builder::new().prefix(STAGING).tempdir_in(target).map_err(failed(target))?;
        Ok(Self { target: target.to_owned(), old, staging, new: BTreeMap::new(), bytes: 0 })
    }

    /// A temporary path for a file whose final name is not known yet.
    pub fn scratch(&self, name: &str) -> PathBuf {
        self.staging.path().join(format!(".{name}"))
    }

    /// Adds the file at a [`SiteFolder::scratch`] path to the site.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn adopt(&mut self, scratch: &Path, path: &str, bytes: &[u8]) -> Result<()> {
        let place = self.place(path)?;
        fs::rename(scratch, &place).map_err(failed(&place))?;
        self.note(path, bytes);
        Ok(())
    }

    /// Adds a file of the site.
    ///
    /// # Errors
    /// [`Error::Io`], and [`Error::InvalidParams`] for a duplicate path.
    pub fn add(&mut self, path: &str, bytes: &[u8]) -> Result<()> {
        if self.new.contains_key(path) {
            return Err(Error::invalid(message!("duplicate file {path} in the site", path)));
        }
        let place = self.place(path)?;
        fs::write(&place, bytes).map_err(failed(&place))?;
        self.note(path, bytes);
        Ok(())
    }

    fn place(&self, path: &str) -> Result<PathBuf> {
        if !ubp_core::path::is_inside(path) {
            return Err(Error::OutsideProject { path: path.into(), folder: "site".into() });
        }
        let place = self.staging.path().join(path);
        if let Some(folder) = place.parent() {
            fs::create_dir_all(folder).map_err(failed(folder))?;
        }
        Ok(place)
    }

    fn note(&mut self, path: &str, bytes: &[u8]) {
        self.bytes += bytes.len() as u64;
        self.new.insert(path.to_owned(), ContentHash::of(bytes).to_string());
    }

    /// A version that changes with any file added so far.
    pub fn version(&self) -> String {
        let files: String = self.new.iter().map(|(path, hash)| format!("{path}\0{hash}\n")).collect();
        ubp_core::embed::short_hash(files.as_bytes())
    }

    /// Replaces the old site with the new one.
    ///
    /// # Errors
    /// [`Error::InvalidParams`] if a file that an export did not write is in the way; then nothing has changed.
    /// [`Error::Io`].
    pub fn finish(self, exported_at: String) -> Result<Written> {
        let record = |files: BTreeMap<String, String>| -> Result<()> {
            let record = Record {
                format: FORMAT,
                version: env!("CARGO_PKG_VERSION").into(),
                exported_at: exported_at.clone(),
                files,
            };
            let text =
                serde_json::to_string_pretty(&record).map_err(|error| Error::Internal(error.to_string()))?;
            atomic::write(&self.target.join(RECORD), (text + "\n").as_bytes(), RECORD)
        };
        for path in self.new.keys() {
            self.require_free(path)?;
        }
        // Record the files of both sites first, so that an interrupted export can be resumed.
        let mut both = self.old.clone();
        both.extend(self.new.clone());
        record(both)?;
        let mut order: Vec<&String> = self.new.keys().collect();
        // Browsers fetch the new pages once they have a new service worker.
        order.sort_by_key(|path| {
            (path.as_str() == WORKER, path.ends_with(".html"), path.as_str() == "index.html", path.as_str())
        });
        let mut written = Written { files: self.new.len(), bytes: self.bytes, ..Written::default() };
        for path in order {
            let place = self.target.join(path);
            if self.holds(path, self.new.get(path)) {
                continue;
            }
            if let Some(folder) = place.parent() {
                fs::create_dir_all(folder).map_err(failed(folder))?;
            }
            fs::rename(self.staging.path().join(path), &place).map_err(failed(&place))?;
            written.written += 1;
        }
        for (path, hash) in self.old.iter().filter(|(path, _)| !self.new.contains_key(*path)) {
            let place = self.target.join(path);
            if self.holds(path, Some(hash)) {
                fs::remove_file(&place).map_err(failed(&place))?;
                written.removed += 1;
                self.remove_empty_folders(path);
            } else if place.symlink_metadata().is_ok() {
                written.kept.push(path.clone());
            }
        }
        record(self.new.clone())?;
        Ok(written)
    }

    /// Whether the folder has this file with this hash.
    fn holds(&self, path: &str, hash: Option<&String>) -> bool {
        let place = self.target.join(path);
        let is_file = place.symlink_metadata().is_ok_and(|metadata| metadata.is_file());
        is_file && fs::read(&place).is_ok_and(|bytes| Some(&ContentHash::of(&bytes).to_string()) == hash)
    }

    /// Refuses a path with a file that an export did not write, or through a symbolic link.
    fn require_free(&self, path: &str) -> Result<()> {
        let refuse = |what: &str| {
            Err(Error::invalid(message!(
                "{what} is in the way in {target}: it is not from an export; move it, or choose another folder",
                what,
                target = self.target.display()
            )))
        };
        for (at, _) in path.match_indices('/') {
            let folder = path.get(..at).unwrap_or_default();
            match self.target.join(folder).symlink_metadata() {
                Ok(metadata) if !metadata.is_dir() => return refuse(folder),
                _ => {}
            }
        }
        match self.target.join(path).symlink_metadata() {
            Ok(metadata) if !metadata.is_file() => refuse(path),
            Ok(_) if !self.old.contains_key(path) && !self.holds(path, self.new.get(path)) => refuse(path),
            _ => Ok(()),
        }
    }

    fn remove_empty_folders(&self, path: &str) {
        for (at, _) in path.rmatch_indices('/') {
            // Removing fails for folders that are not empty.
            if fs::remove_dir(self.target.join(path.get(..at).unwrap_or_default())).is_err() {
                break;
            }
        }
    }
}

/// Deletes staging folders of exports that were killed.
fn sweep(target: &Path) {
    let Ok(entries) = fs::read_dir(target) else { return };
    for entry in entries.flatten() {
        let ours = entry.file_name().to_str().is_some_and(|name| name.starts_with(STAGING) && name != RECORD);
        if ours && entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            // If that fails, the next export tries again.
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn export(target: &Path, files: &[(&str, &str)]) -> Result<Written> {
        let mut folder = SiteFolder::begin(target, false)?;
        for (path, text) in files {
            folder.add(path, text.as_bytes())?;
        }
        folder.finish("2026-01-01T00:00:00Z".into())
    }

    fn names(target: &Path) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(target)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort_unstable();
        names
    }

    #[test]
    fn a_new_site_replaces_the_previous_one() {
        let target = tempfile::tempdir().unwrap();
        let target = target.path().join("new/site");
        export(&target, &[("index.html", "1"), ("a/b.html", "1"), ("data/x.1.db", "1")]).unwrap();
        fs::write(target.join("CNAME"), "mine").unwrap();
        let written = export(&target, &[("index.html", "2"), ("c.html", "1"), ("data/x.2.db", "2")]).unwrap();
        assert_eq!((written.files, written.written, written.removed), (3, 3, 2));
        assert_eq!(names(&target), [RECORD, "CNAME", "c.html", "data", "index.html"]);
        assert_eq!(names(&target.join("data")), ["x.2.db"]);
        let again = export(&target, &[("index.html", "2"), ("c.html", "1"), ("data/x.2.db", "2")]).unwrap();
        assert_eq!((again.written, again.removed), (0, 0));
    }

    #[test]
    fn files_that_an_export_did_not_write_are_kept() {
        let target = tempfile::tempdir().unwrap();
        fs::write(target.path().join("mine.txt"), "x").unwrap();
        assert_eq!(export(target.path(), &[("a.html", "1")]).unwrap_err().code(), "invalid_params");
        assert_eq!(names(target.path()), ["mine.txt"]);
        fs::write(target.path().join("a.html"), "mine").unwrap();
        let mut folder = SiteFolder::begin(target.path(), true).unwrap();
        folder.add("a.html", b"1").unwrap();
        folder.add("b.html", b"1").unwrap();
        assert!(folder.finish(String::new()).unwrap_err().to_string().contains("a.html is in the way"));
        assert_eq!(names(target.path()), ["a.html", "mine.txt"]);
        assert_eq!(fs::read_to_string(target.path().join("a.html")).unwrap(), "mine");
    }

    #[test]
    fn a_modified_file_of_an_earlier_export_is_kept() {
        let target = tempfile::tempdir().unwrap();
        export(target.path(), &[("a.html", "1"), ("b.html", "1")]).unwrap();
        fs::write(target.path().join("b.html"), "mine").unwrap();
        let written = export(target.path(), &[("a.html", "1")]).unwrap();
        assert_eq!(written.kept, ["b.html"]);
        assert_eq!(names(target.path()), [RECORD, "a.html", "b.html"]);
    }

    #[test]
    fn an_unfinished_export_changes_nothing() {
        let target = tempfile::tempdir().unwrap();
        export(target.path(), &[("a.html", "1")]).unwrap();
        let before = names(target.path());
        let mut folder = SiteFolder::begin(target.path(), false).unwrap();
        folder.add("a.html", b"2").unwrap();
        drop(folder);
        assert_eq!(names(target.path()), before);
        // The next export deletes the staging folder of a killed one.
        fs::create_dir(target.path().join(".ubp-export-killed")).unwrap();
        export(target.path(), &[("a.html", "1")]).unwrap();
        assert_eq!(names(target.path()), before);
    }

    #[cfg(unix)]
    #[test]
    fn symbolic_links_in_the_site_folder_are_refused() {
        let (target, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        export(target.path(), &[("a.html", "1")]).unwrap();
        std::os::unix::fs::symlink(elsewhere.path(), target.path().join("data")).unwrap();
        assert!(export(target.path(), &[("data/x.db", "1")]).is_err());
        assert_eq!(names(elsewhere.path()), [""; 0]);
        assert!(export(target.path(), &[("../x.html", "1")]).is_err());
    }
}
