//! A generated vault on disk with its index, and an engine over it as a server holds one.

use std::error::Error;
use std::path::Path;
use std::sync::Arc;

use tempfile::TempDir;
use ubp_core::index::Index;
use ubp_core::ports::Embedder;
use ubp_core::progress::{Cancel, Silent};
use ubp_core::{Caller, Context, Engine};
use ubp_host::{CodeSymbols, GitHistory, InitOptions, Project, SystemClock, init};
use ubp_testing::HashEmbedder;

use crate::generator::Vault;

/// A project on disk.
pub struct Fixture {
    folder: TempDir,
    /// The vault that generated its pages.
    pub vault: Vault,
    engine: Engine,
    cancel: Cancel,
}

impl Fixture {
    /// Writes the pages of `vault` and opens the project with an empty index.
    ///
    /// # Errors
    /// If the disk or the database fails.
    pub fn new(vault: Vault) -> Result<Self, Box<dyn Error>> {
        let folder = tempfile::Builder::new().prefix("ubp-bench-").tempdir()?;
        vault.write_to(folder.path())?;
        let options = InitOptions { pages_dir: Some(".".into()), ..InitOptions::default() };
        init(folder.path(), &options, &SystemClock::default())?;
        let engine = engine(folder.path(), Some(Arc::new(HashEmbedder::full_size())))?;
        Ok(Self { folder, vault, engine, cancel: Cancel::default() })
    }

    /// Like [`Fixture::new`], with text, links and vectors in the index.
    ///
    /// # Errors
    /// As [`Fixture::new`].
    pub fn indexed(vault: Vault) -> Result<Self, Box<dyn Error>> {
        let fixture = Self::new(vault)?;
        fixture.context().refresh(false)?;
        fixture.context().embed(None)?;
        Ok(fixture)
    }

    /// The context in which operations run.
    pub fn context(&self) -> Context<'_> {
        self.engine.context(Caller::Person, true, &Silent, &self.cancel)
    }

    /// The project's folder.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Overwrites a page with text that it never had.
    ///
    /// # Errors
    /// If the page cannot be written.
    pub fn change_a_page(&self, number: usize) -> std::io::Result<()> {
        let path = self.folder.path().join("area-00/page-00000.md");
        std::fs::write(path, format!("# Changed {number}\n\nsession {number} [[page-00001]]\n"))
    }
}

/// The engine over the project in `folder`, opened as another process opens it.
///
/// # Errors
/// If there is no project or its index cannot be opened.
pub fn engine(folder: &Path, embedder: Option<Arc<dyn Embedder>>) -> Result<Engine, Box<dyn Error>> {
    let project = Project::load(folder)?;
    Ok(Engine {
        index: Index::open(&project.database)?.0,
        source: Box::new(project.source()),
        history: Box::new(GitHistory::new(&project.root)),
        symbols: Box::new(CodeSymbols),
        clock: Box::new(SystemClock::default()),
        embedder,
        manifest: project.manifest,
    })
}
