//! An open project, as the commands of one run use it.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

use ubp_core::Error;
use ubp_core::index::{EmbedReport, Index, RefreshReport, section_count};
use ubp_core::manifest::AuthorRights;
use ubp_core::manifest::{FrontMatterMode, Manifest};
use ubp_core::message;
use ubp_core::ports::{Clock, MemorySource, NoHistory, NoSymbols};
use ubp_core::word;
use ubp_core::{Caller, Context, Engine};
use ubp_host::opening::{self, Opening};
use ubp_host::view::View;
use ubp_host::{CodeSymbols, EmbeddingLock, GitHistory, Project, SystemClock, UBP_DIR, live, models};

use crate::args::Global;
use crate::output::Failure;
use crate::places::real;
use crate::terminal::Terminal;

/// Milliseconds that a semantic search spends on missing vectors before it answers.
const EMBED_MILLIS: u64 = 300;

/// How long a read-only command waits for another process that writes the index.
const PATIENCE: Duration = Duration::from_millis(100);

/// Vectors to compute before a command answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Vectors {
    /// None: the answer does not depend on vectors.
    None,
    /// As many as fit in [`EMBED_MILLIS`].
    Few,
    /// All.
    All,
}

/// An open project.
pub(crate) struct Session {
    pub project: Project,
    pub engine: Engine,
    /// Folders that typed paths are relative to: the one given by `-C`, then the current one.
    pub here: Vec<PathBuf>,
    /// Whether the index is in memory, and so starts empty.
    in_memory: bool,
}

impl Session {
    /// Opens the project around `folder`.
    pub(crate) fn open(terminal: &mut Terminal<'_>, folder: &Path) -> Result<Self, Failure> {
        Self::open_project(terminal, folder, Project::find(folder)?)
    }

    /// Opens the project around `folder` as an agent sees it.
    pub(crate) fn open_as(terminal: &mut Terminal<'_>, folder: &Path, author: &str) -> Result<Self, Failure> {
        let project = Project::find(folder)?;
        let view = View::of(&AuthorRights::of(&project.manifest, Some(author), &[])?);
        let project = view.map_or_else(|| Ok(project.clone()), |view| project.clone().seen_in(view))?;
        Self::open_project(terminal, folder, project)
    }

    fn open_project(terminal: &mut Terminal<'_>, folder: &Path, project: Project) -> Result<Self, Failure> {
        terminal.work_in(&project);
        let opening = opening::open(&project, &terminal.io.environment, &models::load)?;
        let remarks = [
            opening.in_memory_words(message!("command")),
            opening.aside_words(),
            opening.no_model_words(),
            opening.no_sharing.clone(),
            opening.sending_words(),
        ];
        for words in remarks.into_iter().flatten() {
            terminal.warn(words);
        }
        if let Some(hint) = opening.no_model.as_ref().and_then(Error::hint) {
            terminal.note(message!("hint: {terminal}", terminal = hint.told(terminal)));
        }
        let Opening { engine, in_memory, .. } = opening;
        let here = [folder, terminal.io.folder.as_path()].map(real);
        Ok(Self { project, engine, here: here.into(), in_memory })
    }

    /// Runs a read-only command on an up-to-date index (unless `--no-refresh`), without computing vectors.
    pub(crate) fn read<T>(
        &self,
        terminal: &mut Terminal<'_>,
        global: &Global,
        operation: impl FnOnce(&Context<'_>) -> ubp_core::Result<T>,
    ) -> Result<T, Failure> {
        self.read_with(Vectors::None, terminal, global, operation)
    }

    /// The same for semantic commands: computes some of the missing vectors first.
    pub(crate) fn read_meaning<T>(
        &self,
        terminal: &mut Terminal<'_>,
        global: &Global,
        operation: impl FnOnce(&Context<'_>) -> ubp_core::Result<T>,
    ) -> Result<T, Failure> {
        self.read_with(Vectors::Few, terminal, global, operation)
    }

    /// The same, after computing all vectors.
    pub(crate) fn read_with_vectors<T>(
        &self,
        terminal: &mut Terminal<'_>,
        global: &Global,
        operation: impl FnOnce(&Context<'_>) -> ubp_core::Result<T>,
    ) -> Result<T, Failure> {
        let _alone = if self.in_memory { None } else { self.embed_alone(terminal)? };
        self.read_with(Vectors::All, terminal, global, operation)
    }

    fn read_with<T>(
        &self,
        vectors: Vectors,
        terminal: &mut Terminal<'_>,
        global: &Global,
        operation: impl FnOnce(&Context<'_>) -> ubp_core::Result<T>,
    ) -> Result<T, Failure> {
        let progress = terminal.progress();
        let cancel = terminal.io.cancel.clone();
        let refresh = !global.no_refresh || self.in_memory;
        let mut context = self.engine.context(Caller::Person, refresh, &*progress, &cancel);
        if refresh && let Err(failure) = self.refresh(terminal, &context, vectors) {
            let Failure::Engine(error) = &failure else { return Err(failure) };
            if error.is_full_disk() {
                terminal.warn(message!("the disk is full: the index lacks recent changes"));
            } else if !error.is_busy_index() {
                return Err(failure);
            }
            context.refreshed = false;
        }
        Ok(context.in_one_state(operation)?)
    }

    /// Updates the index.
    fn refresh(
        &self,
        terminal: &mut Terminal<'_>,
        context: &Context<'_>,
        vectors: Vectors,
    ) -> Result<(), Failure> {
        // With an index to answer from, do not wait for a process that rebuilds it.
        if vectors != Vectors::All && self.engine.index.read(section_count)? > 0 {
            self.engine.index.wait_for_writers(PATIENCE)?;
        }
        let report = context.refresh(false)?;
        warn_unreadable(terminal, &report);
        if !report.is_empty() {
            terminal.detail(message!(
                "index: {added} added, {changed} changed, {removed} removed, {renamed} renamed",
                added = report.added.len(),
                changed = report.changed.len(),
                removed = report.removed.len(),
                renamed = report.renamed.len()
            ));
        }
        let made = match vectors {
            Vectors::None => return Ok(()),
            // Another process is already computing all vectors.
            Vectors::Few if live::is_served(&self.project) || self.project.is_embedding() => return Ok(()),
            Vectors::Few => context.embed(Some(EMBED_MILLIS)),
            Vectors::All => context.embed(None),
        };
        let made = match made {
            // The process that holds the index also computes vectors.
            Err(error) if error.is_busy_index() => EmbedReport::default(),
            // The command says what it answers from.
            Err(error @ Error::ModelUnavailable { .. }) if vectors == Vectors::Few => {
                terminal.warn(error.message());
                EmbedReport::default()
            }
            made => made?,
        };
        if made.embedded > 0 {
            terminal.detail(message!(
                "vectors: {embedded} computed, {pending} sections remaining",
                embedded = made.embedded,
                pending = made.pending
            ));
        }
        Ok(())
    }

    /// Runs a command that computes all vectors, in one process at a time. A project that cannot be written to is
    /// refused first, because the vectors would be lost.
    pub(crate) fn write_vectors<T>(
        &self,
        terminal: &mut Terminal<'_>,
        operation: impl FnOnce(&Context<'_>) -> ubp_core::Result<T>,
    ) -> Result<T, Failure> {
        if self.in_memory {
            let reason = word!("the project cannot be written to, so the index and vectors cannot be saved");
            let error = std::io::Error::new(ErrorKind::PermissionDenied, reason);
            return Err(Error::io(terminal.project_path(UBP_DIR), error).into());
        }
        let _alone = self.embed_alone(terminal)?;
        self.write(terminal, operation)
    }

    /// Waits until no other process is computing all vectors of this project.
    fn embed_alone(&self, terminal: &mut Terminal<'_>) -> Result<Option<EmbeddingLock>, Failure> {
        let mut is_told = false;
        loop {
            terminal.io.cancel.check()?;
            match self.project.lock_embedding(PATIENCE) {
                Ok(Some(lock)) => return Ok(Some(lock)),
                Ok(None) if is_told => {}
                Ok(None) => {
                    terminal.note(message!(
                        "another ubp is computing the vectors of this project; waiting for it"
                    ));
                    is_told = true;
                }
                // The file system has no locks.
                Err(_) => return Ok(None),
            }
        }
    }

    /// Runs a command that updates the index itself, or does not use it.
    pub(crate) fn write<T>(
        &self,
        terminal: &mut Terminal<'_>,
        operation: impl FnOnce(&Context<'_>) -> ubp_core::Result<T>,
    ) -> Result<T, Failure> {
        let progress = terminal.progress();
        let cancel = terminal.io.cancel.clone();
        let context = self.engine.context(Caller::Person, true, &*progress, &cancel);
        Ok(operation(&context)?)
    }
}

/// Runs an operation on its own documents outside a project, with the built-in model and default settings.
pub(crate) fn without_project<T>(
    terminal: &mut Terminal<'_>,
    operation: impl FnOnce(&Context<'_>) -> ubp_core::Result<T>,
) -> Result<T, Failure> {
    let clock = SystemClock::default();
    let engine = Engine {
        index: Index::in_memory()?,
        source: Box::new(MemorySource::default()),
        history: Box::new(NoHistory),
        symbols: Box::new(NoSymbols),
        manifest: Manifest::default_for(".", FrontMatterMode::Preserved, clock.now())?,
        clock: Box::new(clock),
        embedder: models::load_bundled()?,
    };
    let progress = terminal.progress();
    let cancel = terminal.io.cancel.clone();
    let context = engine.context(Caller::Person, true, &*progress, &cancel);
    Ok(operation(&context)?)
}

/// Runs an operation that reads nothing but the history of a repository, with the settings of the project in it, if it is one.
/// Nothing in the repository changes, not even an index.
pub(crate) fn replaying<T>(
    terminal: &mut Terminal<'_>,
    repository: &Path,
    operation: impl FnOnce(&Context<'_>) -> ubp_core::Result<T>,
) -> Result<T, Failure> {
    let clock = SystemClock::default();
    let (root, manifest) = match Project::find(repository) {
        Ok(project) => (project.root, project.manifest),
        Err(Error::NoProject { .. }) => {
            (real(repository), Manifest::default_for(".", FrontMatterMode::Preserved, clock.now())?)
        }
        Err(error) => return Err(error.into()),
    };
    let engine = Engine {
        index: Index::in_memory()?,
        source: Box::new(MemorySource::default()),
        history: Box::new(GitHistory::new(&root)),
        symbols: Box::new(CodeSymbols),
        manifest,
        clock: Box::new(clock),
        embedder: None,
    };
    let progress = terminal.progress();
    let cancel = terminal.io.cancel.clone();
    let context = engine.context(Caller::Person, true, &*progress, &cancel);
    Ok(operation(&context)?)
}

fn warn_unreadable(terminal: &mut Terminal<'_>, report: &RefreshReport) {
    for entry in report.unreadable.iter().take(5) {
        terminal.warn(message!("{path}: {reason}; ignored", path = entry.path, reason = entry.reason));
    }
    if report.unreadable.len() > 5 {
        terminal.warn(message!(
            "and {unreadable} more unreadable files; `ubp doctor` lists them",
            unreadable = report.unreadable.len() - 5
        ));
    }
}
