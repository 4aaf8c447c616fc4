//! Finds the project of a folder, and starts new projects.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use ubp_core::manifest::{MANIFEST_PATH, Manifest};
use ubp_core::ports::Source;
use ubp_core::word;
use ubp_core::{Error, Result};

use super::disk::DiskSource;
use super::view::{VIEWS, View};
use super::write_lock::keep_out_of_git;

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
const OWN_FILES: [&str; 31] = [
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
    "comments.jsonl",
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
    VIEWS,
    "tokens.json",
    "sessions",
    "coediting",
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
    /// The folder of its index, and of the files with which processes share it, absolute.
    pub index_dir: PathBuf,
    source: DiskSource,
    view: Option<View>,
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
            index_dir: root.join(UBP_DIR),
            manifest_path,
            manifest,
            root,
            source,
            view: None,
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
            index_dir: root.join(UBP_DIR),
            manifest,
            root,
            source,
            view: None,
            has_manifest: false,
        })
    }

    /// The project with its current settings.
    ///
    /// # Errors
    /// As [`Project::load`].
    pub fn reload(&self) -> Result<Self> {
        if !self.has_manifest {
            return Ok(self.clone());
        }
        let loaded = Self::load(&self.root)?;
        match &self.view {
            None => Ok(loaded),
            Some(view) if view.is_for(loaded.manifest.pages_folder()) => loaded.seen_in(view.clone()),
            // Its rules are about paths in another folder.
            Some(_) => Ok(self.clone()),
        }
    }

    /// The project without the files that the view hides. It has an index of its own, which is created when first
    /// opened.
    ///
    /// # Errors
    /// [`Error::Io`] if a file of the index is a symbolic link.
    pub fn seen_in(self, view: View) -> Result<Self> {
        let folder = view.folder();
        let shown = folder.to_string_lossy().replace('\\', "/");
        let index_dir = self.root.join(&folder);
        keep_out_of_git(&self.root.join(UBP_DIR), &format!("{VIEWS}/"));
        refuse_links_in(&self.root, &shown)?;
        // On a disk that cannot be written to, the index is kept in memory.
        let _ = fs::create_dir_all(&index_dir);
        let real = self.pages_dir.strip_prefix(&self.root).unwrap_or(Path::new("")).to_string_lossy();
        let view = view.with_pages_in(&if cfg!(windows) { real.replace('\\', "/") } else { real.into() });
        Ok(Self { database: index_dir.join(DATABASE), index_dir, view: Some(view), ..self })
    }

    /// What it hides, if it hides files.
    pub fn view(&self) -> Option<&View> {
        self.view.as_ref()
    }

    /// Its files on disk, including those that are hidden.
    pub fn source(&self) -> DiskSource {
        self.source.clone()
    }

    /// Its files.
    pub fn visible_source(&self) -> Box<dyn Source> {
        match &self.view {
            None => Box::new(self.source()),
            Some(view) => Box::new(view.source(self.source(), self.manifest.pages_folder())),
        }
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
    refuse_links_in(root, UBP_DIR)
}

/// The same for the files in another folder.
fn refuse_links_in(root: &Path, folder: &str) -> Result<()> {
    let own = OWN_FILES.iter().map(|name| format!("{folder}/{name}"));
    for path in std::iter::once(folder.to_string()).chain(own) {
        match fs::symlink_metadata(root.join(&path)) {
            Ok(metadata) if metadata.is_symlink() => {
                let words = word!("a symbolic link; UBP's files must be regular files");
                return Err(Error::io(path, io::Error::new(io::ErrorKind::InvalidInput, words)));
            }
            _ => {}
        }
    }
    Ok(())
}
