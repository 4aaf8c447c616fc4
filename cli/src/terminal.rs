//! The terminal of one run: results, messages and questions, in the reader's language and with paths as seen from the
//! current folder.

use std::io::{ErrorKind, Read};
use std::path::PathBuf;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

use serde::Serialize;
use serde_json::Value;
use ubp_core::Error;
use ubp_core::hint::{Commands, Next, Voice};
use ubp_core::message;
use ubp_core::message::{Language, Message};
use ubp_core::path;
use ubp_core::progress::{Progress, Silent};
use ubp_core::show::Page;
use ubp_host::Project;
use ubp_servers::MessageStyle;

use crate::args::{ColorChoice, Global};
use crate::language;
use crate::output::{CommandResult, Failure, Palette, printable};
use crate::page::TerminalPage;
use crate::places::{below, prefix, real};
use crate::progress::Bars;
use crate::{ExitStatus, Io};

/// How often cancellation is looked at while a person answers.
const LOOK: Duration = Duration::from_millis(100);

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

    /// Shows paths of this project relative to the current folder.
    pub(crate) fn work_in(&mut self, project: &Project) {
        let here = real(&self.io.folder);
        self.pages_prefix = prefix(&here, &project.pages_dir);
        self.project_prefix = prefix(&here, &project.root);
        self.within_pages = below(&project.pages_dir, &here);
        self.within_project = below(&project.root, &here);
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
            match answers.recv_timeout(LOOK) {
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
            Failure::Output(error) => &Error::io("stdout", error.kind().into()),
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

    /// Shows the progress of long work to a person.
    pub(crate) fn progress(&self) -> Box<dyn Progress> {
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

/// Reads a line, trimmed. Reads nothing after it: that is the answer to the next question.
fn read_line(input: &mut dyn Read) -> std::io::Result<String> {
    let (mut line, mut byte) = (Vec::new(), [0]);
    while line.len() < LONGEST_ANSWER && input.read(&mut byte)? == 1 && byte != *b"\n" {
        line.push(byte[0]);
    }
    Ok(String::from_utf8_lossy(&line).trim().to_owned())
}

/// Prints the answer of a command, as JSON or for people.
pub(crate) fn answer<T: Serialize>(
    terminal: &mut Terminal<'_>,
    value: &T,
    show: fn(&T, &mut dyn Page),
) -> CommandResult {
    if terminal.json {
        terminal.print_json(value)?;
    } else {
        let mut page = TerminalPage::new(terminal);
        show(value, &mut page);
        page.finish()?;
    }
    Ok(ExitStatus::Success)
}

/// The same with a function that prints the answer for people.
pub(crate) fn answer_with<T: Serialize>(
    terminal: &mut Terminal<'_>,
    json: bool,
    value: &T,
    text: impl FnOnce(&mut Terminal<'_>, &T) -> Result<(), Failure>,
) -> CommandResult {
    if json {
        terminal.print_json(value)?;
    } else {
        text(terminal, value)?;
    }
    Ok(ExitStatus::Success)
}
