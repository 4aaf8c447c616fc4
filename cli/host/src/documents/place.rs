//! Paths of the documents, their index and the `.ubp` folder.

use std::fs::{self, File};
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

use ubp_core::manifest::{EmbeddingModel, FrontMatterMode, Manifest};
use ubp_core::message;
use ubp_core::ports::Clock;
use ubp_core::{Error, Result};

use super::config::Config;
use super::{Level, Log};
use crate::Environment;
use crate::{SystemClock, UBP_DIR};

/// Absolute paths.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    /// The folder of the documents.
    pub documents: PathBuf,
    /// The index.
    pub database: PathBuf,
    /// The folder with `.ubp`: that of the index if it contains the documents, otherwise that of the documents.
    pub root: PathBuf,
}

impl Place {
    /// The paths in `config`, which was read from the file at `path`.
    ///
    /// # Errors
    /// [`Error::Io`] if the folder of the index does not exist.
    pub(super) fn of(config: &Config, path: &Path, environment: &Environment) -> Result<Self> {
        let base = path.parent().unwrap_or(Path::new("."));
        let documents = real(&expand(&config.documents_dir, base, environment));
        let database = expand(&config.db_path, base, environment);
        let wrong = |what: &str| {
            Error::invalid(message!("db_path {database}: {what}", database = database.display(), what))
        };
        let (Some(folder), Some(name)) = (database.parent(), database.file_name()) else {
            return Err(wrong("invalid file name"));
        };
        let folder = fs::canonicalize(folder).map_err(|error| Error::io(folder.to_string_lossy(), error))?;
        let database = folder.join(name);
        let root = if documents.starts_with(&folder) { folder } else { documents.clone() };
        Ok(Self { documents, database, root })
    }

    /// Creates the folder of the documents if it is missing, but not its parent: then the path is a mistake.
    ///
    /// # Errors
    /// [`Error::InvalidParams`], [`Error::Io`].
    pub(super) fn make_documents(&self, log: &Log<'_>) -> Result<()> {
        let shown = self.documents.display();
        match fs::metadata(&self.documents) {
            Ok(metadata) if metadata.is_dir() => return Ok(()),
            Ok(_) => return Err(Error::invalid(message!("documents_dir {shown} is not a folder", shown))),
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(Error::io(shown.to_string(), error)),
        }
        match fs::create_dir(&self.documents) {
            Ok(()) => {
                log(Level::Warn, &format!("documents_dir {shown} did not exist: created an empty folder"));
                Ok(())
            }
            // Another process may just have created it.
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(()),
            Err(error) if error.kind() == ErrorKind::NotFound => {
                Err(Error::invalid(message!("documents_dir {shown}: no such folder", shown)))
            }
            Err(error) => Err(Error::io(shown.to_string(), error)),
        }
    }

    /// Refuses a file at the path of the index that is not one: it would be moved aside.
    ///
    /// # Errors
    /// [`Error::InvalidParams`], [`Error::Io`].
    pub(super) fn refuse_foreign_index(&self) -> Result<()> {
        let shown = self.database.display();
        let failed = |error| Error::io(self.database.to_string_lossy(), error);
        let mut head = Vec::new();
        match fs::symlink_metadata(&self.database) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(failed(error)),
            Ok(metadata) if !metadata.is_file() => {
                return Err(Error::invalid(message!(
                    "db_path {shown} is not a regular file; choose another path",
                    shown
                )));
            }
            Ok(_) => {
                let file = File::open(&self.database).map_err(failed)?;
                file.take(100).read_to_end(&mut head).map_err(failed)?;
            }
        }
        if head.is_empty() || ubp_core::index::is_index(&head) {
            return Ok(());
        }
        Err(Error::invalid(message!(
            "db_path {shown} is another program's file: move it, or choose another path; the index is built from the \
             documents anew",
            shown
        )))
    }

    /// Creates the folder with `.ubp` if needed, and returns it.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub(super) fn make_root(&self) -> Result<PathBuf> {
        let own = self.root.join(UBP_DIR);
        fs::create_dir_all(&own).map_err(|error| Error::io(own.to_string_lossy(), error))?;
        Ok(self.root.clone())
    }

    /// A manifest for these documents.
    ///
    /// # Errors
    /// [`Error::InvalidParams`] if the folder has a name that a pages folder cannot have.
    pub(super) fn manifest(&self, config: &Config, model: Option<EmbeddingModel>) -> Result<Manifest> {
        let inside = self.documents.strip_prefix(&self.root).unwrap_or(Path::new(""));
        let parts: Vec<String> =
            inside.components().map(|part| part.as_os_str().to_string_lossy().into_owned()).collect();
        let pages_dir = if parts.is_empty() { ".".to_owned() } else { parts.join("/") };
        let now = SystemClock::default().now();
        let mut manifest = Manifest::default_for(&pages_dir, FrontMatterMode::Preserved, now)?;
        config.put_into(&mut manifest);
        if let Some(model) = model {
            manifest.embedding_model = model;
        }
        Ok(manifest)
    }
}

/// `text` as a path relative to `base`; `~/` is the user's home folder.
fn expand(text: &str, base: &Path, environment: &Environment) -> PathBuf {
    let home = || environment.get("HOME").or_else(|| environment.get("USERPROFILE"));
    let own = text.strip_prefix("~/").or_else(|| text.strip_prefix("~\\"));
    match (own, home()) {
        (Some(rest), Some(home)) => Path::new(home).join(rest),
        _ => base.join(text),
    }
}

/// The path with symbolic links and `..` resolved, as far as it exists.
fn real(path: &Path) -> PathBuf {
    let mut missing = Vec::new();
    let mut there = path;
    loop {
        if let Ok(real) = fs::canonicalize(there) {
            return missing.into_iter().rev().fold(real, |path, name| path.join(name));
        }
        match (there.parent(), there.file_name()) {
            (Some(parent), Some(name)) => {
                missing.push(name);
                there = if parent.as_os_str().is_empty() { Path::new(".") } else { parent };
            }
            _ => return path.to_path_buf(),
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// Without a drive, a path is not absolute on Windows.
    const HOME: &str = if cfg!(windows) { r"\\?\C:\no such folder" } else { "/home/someone" };

    fn place(documents: &str, database: &str, base: &Path) -> Result<Place> {
        let config =
            Config { documents_dir: documents.into(), db_path: database.into(), ..Config::default() };
        Place::of(&config, &base.join("config.json"), &Environment::with([("HOME", HOME)]))
    }

    #[test]
    fn the_ubp_folder_is_beside_the_index_if_that_contains_the_documents() {
        let folder = tempfile::tempdir().unwrap();
        let base = fs::canonicalize(folder.path()).unwrap();
        fs::create_dir_all(base.join("data/notes")).unwrap();
        fs::create_dir(base.join("index")).unwrap();
        let near = place("./documents", "./vectors.db", &base).unwrap();
        assert_eq!(near.root, base);
        assert_eq!((near.documents, near.database), (base.join("documents"), base.join("vectors.db")));
        let inside = place("data/../data/notes", "data/v.db", &base).unwrap();
        assert_eq!((inside.root, inside.documents), (base.join("data"), base.join("data/notes")));
        let apart = place("data/notes", "index/v.db", &base).unwrap();
        assert_eq!(apart.root, base.join("data/notes"));
        let home = place("~/notes", "./v.db", &base).unwrap();
        assert_eq!(home.documents, Path::new(HOME).join("notes"));
        assert!(place("data", "no/such/v.db", &base).is_err());
    }

    #[test]
    fn a_sibling_with_a_longer_name_is_not_inside() {
        let folder = tempfile::tempdir().unwrap();
        let base = fs::canonicalize(folder.path()).unwrap();
        for name in ["data", "data-evil"] {
            fs::create_dir(base.join(name)).unwrap();
        }
        let place = place("data-evil", "data/v.db", &base).unwrap();
        assert_eq!(place.root, base.join("data-evil"));
    }

    #[test]
    fn another_programs_file_is_refused_as_the_index() {
        let folder = tempfile::tempdir().unwrap();
        let base = folder.path();
        let place = place("documents", "v.db", base).unwrap();
        place.refuse_foreign_index().unwrap();
        fs::write(&place.database, "").unwrap();
        place.refuse_foreign_index().unwrap();
        fs::write(&place.database, "my own notes about databases").unwrap();
        let error = place.refuse_foreign_index().unwrap_err().to_string();
        assert!(error.contains("another program's"), "{error}");
        assert_eq!(fs::read_to_string(&place.database).unwrap(), "my own notes about databases");
    }

    #[test]
    fn a_missing_documents_folder_is_created_but_its_parents_are_not() {
        let folder = tempfile::tempdir().unwrap();
        let base = folder.path();
        place("documents", "v.db", base).unwrap().make_documents(&|_, _| {}).unwrap();
        assert!(base.join("documents").is_dir());
        let error = place("no/such", "v.db", base).unwrap().make_documents(&|_, _| {}).unwrap_err();
        assert!(error.to_string().contains("no such folder"), "{error}");
        assert!(!base.join("no").exists());
        fs::write(base.join("file"), "").unwrap();
        assert!(place("file", "v.db", base).unwrap().make_documents(&|_, _| {}).is_err());
    }
}
