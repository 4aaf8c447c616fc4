//! A project as an agent with limited rights sees it. Hidden files are missing from its ports, so from its index, which
//! is a database of its own: no answer has to be filtered, and none can be forgotten.
//!
//! **Invariants**
//! - Every answer is that of a project which never had the hidden files (`tests/tests/hidden.rs`: random vaults and
//!   rights, every operation).
//! - A hidden file cannot be reached by another spelling or through a symbolic link (`view/tests.rs`).
//! - Changes keep the records of hidden pages (`view/records.rs`).

use std::path::PathBuf;
use std::sync::Arc;

use sha2::{Digest, Sha256};
use ubp_core::manifest::AuthorRights;
use ubp_core::ports::Source;

use crate::project::UBP_DIR;

mod history;
mod records;
mod source;
#[cfg(test)]
mod tests;
mod unused;

pub use history::VisibleHistory;
pub use source::VisibleSource;
pub(crate) use unused::forget_unused;

/// Name of the folder of views in `.ubp`.
pub const VIEWS: &str = "views";

/// What hides files.
#[derive(Debug, Clone)]
pub struct View {
    rights: Arc<AuthorRights>,
}

impl View {
    /// What an author sees; `None` if it sees everything.
    pub fn of(rights: &AuthorRights) -> Option<Self> {
        rights.hides().then(|| Self { rights: Arc::new(rights.clone()) })
    }

    /// The name of its folder. Authors who see the same share it.
    pub fn name(&self) -> String {
        let hash = Sha256::digest(self.rights.key());
        hash.iter().take(8).map(|byte| format!("{byte:02x}")).collect()
    }

    /// Its folder in the project.
    pub(crate) fn folder(&self) -> PathBuf {
        [UBP_DIR, VIEWS, &self.name()].iter().collect()
    }

    /// The files of a project with this pages folder, without the hidden ones.
    pub fn source<S: Source>(&self, source: S, pages_dir: &str) -> VisibleSource<S> {
        VisibleSource::new(source, self.rights.clone(), pages_dir)
    }

    /// The history without the hidden files.
    pub fn history<H>(&self, history: H) -> VisibleHistory<H> {
        VisibleHistory::new(history, self.rights.clone())
    }

    /// The same for pages that are really in this folder of the project.
    pub(crate) fn with_pages_in(self, folder: &str) -> Self {
        Self { rights: Arc::new(Arc::unwrap_or_clone(self.rights).with_pages_in(folder)) }
    }

    /// Whether its paths are relative to this pages folder.
    pub(crate) fn is_for(&self, pages_dir: &str) -> bool {
        self.rights.pages_dir() == pages_dir
    }
}
