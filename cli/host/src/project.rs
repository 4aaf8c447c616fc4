//! Finds the project of a folder, and starts new projects.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use ubp_core::manifest::{MANIFEST_PATH, Manifest};
use ubp_core::{Error, Result};

use super::disk::DiskSource;

mod folders;
mod init;
mod templates;
#[cfg(test)]
mod tests;

pub use folders::{PagesFolder, pages_folders};
pub use init::{InitOptions, InitSummary, init};
pub use templates::{AddedTemplates, add_templates};

/// UBP's own folder in a project.
pub const UBP_DIR: &str = ".ubp";

/// Name of the index database in the `.ubp` folder.
pub const DATABASE: &str = "metadata.db";

/// Files that UBP writes in [`UBP_DIR`]. Symbolic links in their place are refused: UBP would write elsewhere.
const OWN_FILES: [&str; 26] = [
    "manifest.json",
    DATABASE,
    "metadata.db-wal",
    "metadata.db-shm",
    "metadata.db-journal",
    "refs.lock",
    "decisions.jsonl",
    "audit.jsonl",
    "audit.1.jsonl",
    "favorites.json",
    "gaps.json",
    "memory.jsonl",
    "serve.lock",
    "serve.state",
    "write.lock",
    "serve.ask",
    "vectors.lock",
    "mcp-server.lock",
    "mcp-server.json",
    "mcp-server.stop",
    "mcp-server.log",
    "mcp-server.log.1",
    "mcp-server.token",
    "mcp-server.writes",
    "trash",
    "proposals",
];

/// A project on disk.
#[derive(Debug, Clone)]
pub struct Project {
    /// Its folder, absolute.
    pub root: PathBuf,
    /// Its settings.
    pub manifest: Manifest,
    /// The file of its settings, absolute.
    pub manifest_path: PathBuf,
    /// The folder of its pages, absolute.
    pub pages_dir: PathBuf,
    /// Its index, absolute; created when first opened.
    pub database: PathBuf,
    source: DiskSource,
    /// Whether its settings are from its manifest.
    has_manifest: bool,
}

impl Project {
    /// The project of `start`: the closest folder, upwards, with a manifest.
    ///
    /// # Errors
    /// [`Error::NoProject`] if there is none; otherwise as [`Project::load`].
    pub fn find(start: &Path) -> Result<Self> {
        let shown = start.to_string_lossy();
        let start = fs::canonicalize(start).map_err(|error| Error::io(shown.clone(), error))?;
        match start.ancestors().find(|folder| is_project(folder)) {
            Some(root) => Self::load(root),
            None => Err(Error::NoProject { folder: shown.into() }),
        }
    }

    /// The project in `root`.
    ///
    /// # Errors
    /// [`Error::Manifest`] for an invalid manifest, [`Error::OutsideProject`] if the pages folder or a file of UBP is a
    /// symbolic link out of the project, [`Error::Io`].
    pub fn load(root: &Path) -> Result<Self> {
        let shown = root.to_string_lossy();
        let root = fs::canonicalize(root).map_err(|error| Error::io(shown, error))?;
        refuse_links(&root)?;
        let manifest_path = root.join(MANIFEST_PATH);
        let text = fs::read_to_string(&manifest_path).map_err(|error| Error::io(MANIFEST_PATH, error))?;
        let manifest = Manifest::parse(&text, MANIFEST_PATH)?;
        let source = DiskSource::new(&root, &manifest.pages_dir)?;
        let source = source.with_templates_in(manifest.templates_among_pages());
        let source = source.committing_proposals(manifest.proposals.commit);
        Ok(Self {
            pages_dir: source.pages_dir().to_path_buf(),
            database: root.join(UBP_DIR).join(DATABASE),
            manifest_path,
            manifest,
            root,
            source,
            has_manifest: true,
        })
    }

    /// A project with the given settings and index, independent of any manifest. Only files that the work needs are
    /// created in `root`.
    ///
    /// # Errors
    /// [`Error::OutsideProject`] and [`Error::Io`] as [`Project::load`].
    pub fn with_settings(root: &Path, manifest: Manifest, database: PathBuf) -> Result<Self> {
        let shown = root.to_string_lossy();
        let root = fs::canonicalize(root).map_err(|error| Error::io(shown, error))?;
        refuse_links(&root)?;
        init::own_folder(&root)?;
        let source = DiskSource::new(&root, &manifest.pages_dir)?.keeping_to_pages();
        Ok(Self {
            pages_dir: source.pages_dir().to_path_buf(),
            manifest_path: root.join(MANIFEST_PATH),
            database,
            manifest,
            root,
            source,
            has_manifest: false,
        })
    }

    /// The project with its current settings.
    ///
    /// # Errors
    /// As [`Project::load`].
    pub fn reload(&self) -> Result<Self> {
        if self.has_manifest { Self::load(&self.root) } else { Ok(self.clone()) }
    }

    /// Its files.
    pub fn source(&self) -> DiskSource {
        self.source.clone()
    }

    /// Writes the changed manifest.
    ///
    /// # Errors
    /// [`Error::Io`] if it cannot be written; the old one is then unchanged.
    pub fn save_manifest(&self) -> Result<()> {
        super::atomic::write(&self.manifest_path, self.manifest.to_json().as_bytes(), MANIFEST_PATH)
    }
}

fn is_project(folder: &Path) -> bool {
    // Also true for an unreadable manifest, which must be reported, not skipped.
    fs::symlink_metadata(folder.join(MANIFEST_PATH)).is_ok()
}

/// Refuses symbolic links in `.ubp`, with which a clone could make UBP write outside the project.
fn refuse_links(root: &Path) -> Result<()> {
    let own = OWN_FILES.iter().map(|name| format!("{UBP_DIR}/{name}"));
    for path in std::iter::once(UBP_DIR.to_string()).chain(own) {
        match fs::symlink_metadata(root.join(&path)) {
            Ok(metadata) if metadata.is_symlink() => {
                let words = "a symbolic link; UBP's files must be regular files";
                return Err(Error::io(path, io::Error::new(io::ErrorKind::InvalidInput, words)));
            }
            _ => {}
        }
    }
    Ok(())
}
