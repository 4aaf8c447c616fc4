//! An open project, as the commands of one run use it.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

use ubp_core::Error;
use ubp_core::index::{EmbedReport, Index, RefreshReport, section_count};
use ubp_core::manifest::AuthorRights;
use ubp_core::manifest::{FrontMatterMode, Manifest};
use ubp_core::message;
use ubp_core::ports::{Clock, MemorySource, NoHistory};
use ubp_core::{Caller, Context, Engine};
use ubp_host::opening::{self, Opening};
use ubp_host::view::View;
use ubp_host::{EmbeddingLock, Project, SystemClock, UBP_DIR, live, models};

use crate::args::Global;
use crate::output::Failure;
use crate::places::real;
use crate::terminal::Terminal;

/// Milliseconds that a semantic search spends on missing vectors before it answers.
const EMBED_MILLIS: u64 = 300;

/// How long a read-only command waits for another process that writes the index.
const PATIENCE: Duration = Duration::from_millis(100);

/// Limit on the bytes of an answer to a question.
const LONGEST_ANSWER: usize = 4096;

/// Prints results and messages.
pub(crate) struct Terminal<'a> {
    pub io: &'a mut Io,
    pub json: bool,
    pub quiet: bool,
    pub verbose: bool,
    pub out: Palette,
    pub err: Palette,
    /// The language of messages.
    pub language: Language,
    /// The pages folder relative to the current one, with a final `/`; empty if they are the same.
    pages_prefix: String,
    /// The same for the project's folder.
    project_prefix: String,
    /// The current folder relative to the pages folder, if it is inside.
    within_pages: Option<String>,
    /// The same for the project's folder.
    within_project: Option<String>,
}

impl<'a> Terminal<'a> {
    pub(crate) fn new(io: &'a mut Io, global: &Global) -> Self {
        let colored = |terminal: bool, io: &Io| match global.color {
            ColorChoice::Always => true,
            ColorChoice::Never => false,
            ColorChoice::Auto => terminal && io.environment.get("NO_COLOR").is_none_or(str::is_empty),
        };
        let log = io.environment.get("UBP_LOG").unwrap_or_default();
        let verbose = global.verbose || matches!(log, "debug" | "trace" | "info");
        let (out, err) = (colored(io.out_is_terminal, io), colored(io.err_is_terminal, io));
        Self {
            json: global.json,
            quiet: global.quiet,
            verbose,
            out: Palette::new(out),
            err: Palette::new(err),
            language: language::of(&io.environment),
            pages_prefix: String::new(),
            project_prefix: String::new(),
            within_pages: None,
            within_project: None,
            io,
        }
    }

    /// Prints a line of the result, as it is.
    pub(crate) fn put(&mut self, text: impl AsRef<str>) -> Result<(), Failure> {
        writeln!(self.io.out, "{}", text.as_ref())?;
        Ok(())
    }

    /// Prints a message as a line of the result.
    pub(crate) fn line(&mut self, message: Message) -> Result<(), Failure> {
        let text = self.told(&message);
        self.put(text)
    }

    /// A message in the reader's language.
    pub(crate) fn told(&self, message: &Message) -> String {
        message.told(self)
    }

    /// Prints the result as one JSON document: indented on a terminal, otherwise on one line, so that limits on the
    /// size apply to what programs read.
    pub(crate) fn print_json(&mut self, value: &impl Serialize) -> Result<(), Failure> {
        let spread = self.io.out_is_terminal;
        let text = if spread { serde_json::to_string_pretty(value) } else { serde_json::to_string(value) };
        let text = text.map_err(|error| Error::Internal(error.to_string()))?;
        self.put(text)
    }

    /// Prints a note.
    pub(crate) fn note(&mut self, message: Message) {
        if !self.quiet {
            let text = self.told(&message);
            // Flush results first: on a terminal, both streams share the screen.
            let _ = self.io.out.flush();
            // A closed error stream must not fail the command.
            let _ = writeln!(self.io.err, "{text}");
        }
    }

    /// Prints a warning.
    pub(crate) fn warn(&mut self, message: Message) {
        let label = self.err.warning(self.told(&message!("warning:")));
        self.note(Message::verbatim(format!("{label} {}", printable(&self.told(&message)))));
    }

    /// Whether a person can be asked.
    pub(crate) fn can_ask(&self) -> bool {
        self.io.in_is_terminal && self.io.err_is_terminal && !self.quiet && !self.json
    }

    /// Asks a question. The answer is a trimmed line, empty at the end of input.
    pub(crate) fn ask(&mut self, question: Message) -> Result<String, Failure> {
        self.io.out.flush()?;
        let question = self.told(&question);
        write!(self.io.err, "{question} ")?;
        self.io.err.flush()?;
        // Read on a separate thread, which is abandoned if the user presses Ctrl-C instead of answering.
        let mut input = std::mem::replace(&mut self.io.input, Box::new(std::io::empty()));
        let (sender, answers) = mpsc::channel();
        std::thread::spawn(move || {
            let line = read_line(&mut *input);
            let _ = sender.send((line, input));
        });
        loop {
            match answers.recv_timeout(PATIENCE) {
                Ok((line, input)) => {
                    self.io.input = input;
                    return Ok(line?);
                }
                Err(RecvTimeoutError::Timeout) => self.io.cancel.check()?,
                Err(RecvTimeoutError::Disconnected) => return Ok(String::new()),
            }
        }
    }

    /// Prints a note with `--verbose`.
    pub(crate) fn detail(&mut self, message: Message) {
        if self.verbose {
            let line = self.err.faint(printable(&self.told(&message)));
            let _ = writeln!(self.io.err, "{line}");
        }
    }

    /// Reports why the command ended early.
    pub(crate) fn fail(&mut self, failure: &Failure) -> ExitStatus {
        let error = match failure {
            Failure::Output(error) if error.kind() == ErrorKind::BrokenPipe => {
                return ExitStatus::Success;
            }
            Failure::Output(error) => &Error::io("standard output", error.kind().into()),
            Failure::Engine(Error::Cancelled) => {
                self.note(message!(
                    "interrupted; finished work is kept, and the next run continues from there"
                ));
                return ExitStatus::Interrupted;
            }
            Failure::Engine(error) => error,
        };
        let hint = error.hint();
        if self.json {
            // Programs get English.
            let hint = hint.as_ref().map(|hint| hint.told(&InEnglish(self)));
            let value = serde_json::json!({
                "error": { "code": error.code(), "message": error.to_string(), "hint": hint }
            });
            let _ = writeln!(self.io.out, "{value:#}");
        }
        let label = self.err.error(self.told(&message!("error:")));
        let told = printable(&self.told(&error.message()));
        let _ = writeln!(self.io.err, "{label} {told}");
        if let Some(hint) = hint {
            let label = self.err.good(self.told(&message!("hint:")));
            let told = printable(&self.told(&hint));
            let _ = writeln!(self.io.err, "{label} {told}");
        }
        let _ = self.io.flush();
        ExitStatus::Error
    }

    /// A page's path relative to the current folder. Files in `.ubp`, which the audit log lists beside pages, are
    /// relative to the project.
    pub(crate) fn path(&self, filepath: &str) -> String {
        if filepath.starts_with(".ubp/") {
            return self.project_path(filepath);
        }
        printable(&self.opened_by(filepath))
    }

    /// The same for programs, with control characters.
    pub(crate) fn opened_by(&self, filepath: &str) -> String {
        match &self.within_pages {
            Some(folder) => path::relative(folder, filepath),
            None => format!("{}{filepath}", self.pages_prefix),
        }
    }

    /// A name of a page to type in the current folder; a path becomes relative to it.
    fn named_here(&self, page: &str) -> String {
        if path::is_page(page) { self.path(page) } else { page.to_owned() }
    }

    /// A path of the project, relative to the current folder.
    pub(crate) fn project_path(&self, path: &str) -> String {
        let seen = match &self.within_project {
            Some(folder) if !path.is_empty() && !path.ends_with('/') => path::relative(folder, path),
            _ => format!("{}{path}", self.project_prefix),
        };
        printable(if seen.is_empty() { "." } else { &seen })
    }

    /// The folder that the command works in.
    pub(crate) fn folder(&self, global: &Global) -> PathBuf {
        match &global.directory {
            Some(directory) => self.io.folder.join(directory),
            None => self.io.folder.clone(),
        }
    }

    /// The style of messages of a server.
    pub(crate) fn message_style(&self) -> MessageStyle {
        let warning = self.err.warning(self.told(&message!("warning:")));
        let hint = self.err.good(self.told(&message!("hint:")));
        MessageStyle { quiet: self.quiet, warning, hint, language: self.language }
    }

    /// A call as a command, with paths of pages relative to the current folder.
    fn ask_for(&self, next: &Next) -> String {
        let mut next = next.clone();
        for name in ["page", "pages", "source", "target", "memories"] {
            match next.params.get_mut(name) {
                Some(Value::String(page)) => *page = self.named_here(page),
                Some(Value::Array(pages)) => pages.iter_mut().for_each(|page| {
                    if let Value::String(page) = page {
                        *page = self.named_here(page);
                    }
                }),
                _ => {}
            }
        }
        Commands.ask(&next)
    }

    fn progress(&self) -> Box<dyn Progress> {
        if self.io.err_is_terminal && !self.quiet {
            Box::new(Bars::new(self.language))
        } else {
            Box::new(Silent)
        }
    }
}

impl Voice for Terminal<'_> {
    /// The command, with paths of pages relative to the current folder.
    fn ask(&self, next: &Next) -> String {
        self.ask_for(next)
    }

    fn run(&self, command: &str) -> String {
        Commands.run(command)
    }

    fn language(&self) -> Language {
        self.language
    }
}

/// The terminal's commands in English.
struct InEnglish<'t, 'io>(&'t Terminal<'io>);

impl Voice for InEnglish<'_, '_> {
    fn ask(&self, next: &Next) -> String {
        self.0.ask_for(next)
    }

    fn run(&self, command: &str) -> String {
        Commands.run(command)
    }
}

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
            let reason = "the project cannot be written to, so the index and vectors cannot be saved";
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
        manifest: Manifest::default_for(".", FrontMatterMode::Preserved, clock.now())?,
        clock: Box::new(clock),
        embedder: models::load_bundled()?,
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
