//! `ubp hook`: before an agent edits a file it gets the pages that describe it, and after the edit it hears which of
//! them may be out of date.
//!
//! **Invariants**
//! - An answer never stops an edit: errors exit with status 1, because clients take 2 as a refusal
//!   (`tests/tests/agent_hooks.rs`).
//! - An agent gets no page that the rights hide from its client (`tests/tests/agent_hooks.rs`).
//! - A page reaches an agent once in its session (`tests/tests/agent_hooks.rs`).
//! - What an agent hears is recorded as it heard it, after it is printed (`tests/tests/agent_hooks.rs`).

mod briefing;
mod event;
mod given;
mod record;

use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::Args;
use serde_json::{Value, json};
use ubp_core::{Error, message};
use ubp_host::{GitHistory, Project};

use crate::ExitStatus;
use crate::agents::hooks::HookClient;
use crate::agents::{Consent, Launch};
use crate::args::Global;
use crate::output::{CommandResult, Failure};
use crate::session::Session;
use crate::terminal::Terminal;
use event::{Event, Moment};
use given::Given;
use record::Heard;

/// `ubp hook`
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:\n  \
    ubp hook claude-code                 print the settings\n  \
    ubp hook claude-code --install       write them, after showing the change\n  \
    ubp hook cursor --install --user     for all projects, in your home folder\n  \
    ubp hook codex --remove\n\n\
    Before the agent edits a file, it gets the pages that describe the file, each page once in a \
    session. After the edit, it hears which of them may be out of date. Nothing is ever stopped. \
    Codex asks you once to trust new hooks: type /hooks in it. Cursor takes text only after a tool, \
    so the pages come when it reads the file.")]
pub struct HookArgs {
    /// The client
    #[arg(value_name = "CLIENT")]
    pub client: HookClient,
    /// Write the settings
    #[arg(long, conflicts_with_all = ["remove", "answer"])]
    pub install: bool,
    /// Remove the hooks from the settings
    #[arg(long, conflicts_with = "answer")]
    pub remove: bool,
    /// The settings in your home folder, for all projects, instead of those in the repository
    #[arg(long, conflicts_with = "answer")]
    pub user: bool,
    /// Limit what the agent gets before an edit to N tokens, at least 256 [default: 1500]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(256..))]
    pub max_tokens: Option<u32>,
    /// Answer an event of the client on standard input, as the settings do
    #[arg(long)]
    pub answer: bool,
    #[command(flatten)]
    pub consent: Consent,
}

/// Default limit on the text before an edit, in tokens.
const MAX_TOKENS: usize = 1_500;

/// Limit on the bytes of an event.
const LONGEST_EVENT: u64 = 64 << 20;

pub(crate) fn run(
    terminal: &mut Terminal<'_>,
    folder: &Path,
    global: &Global,
    args: &HookArgs,
) -> CommandResult {
    if args.answer {
        return Ok(match answer(terminal, folder, global, args) {
            Ok(()) => ExitStatus::Success,
            Err(failure) => {
                terminal.fail(&failure);
                ExitStatus::Finding
            }
        });
    }
    let max_tokens = args.max_tokens.map(|tokens| tokens as usize);
    let launch = Launch::of(terminal.io);
    if !args.install && !args.remove {
        let text = args.client.within("", Some(&launch), max_tokens).map_err(Error::invalid)?;
        terminal.put(text.trim_end())?;
        let file = args.client.place(args.user).described();
        let flag = args.client.flag();
        terminal.note(message!("add this to {file}, or let `ubp hook {flag} --install` do it", file, flag));
        return Ok(ExitStatus::Success);
    }
    let place = if args.user { folder.to_path_buf() } else { workplace(&Project::find(folder)?)? };
    let launch = args.install.then_some(&launch);
    let plan = args.client.plan(&place, &terminal.io.environment, args.user, launch, max_tokens)?;
    if args.consent.settle(terminal, &plan)? && args.install {
        let name = args.client.name();
        terminal.note(match args.client {
            HookClient::Codex => message!("start {name}, and type /hooks to trust the new hooks", name),
            _ => message!("{name} runs the hooks from its next start on", name),
        });
    }
    Ok(ExitStatus::Success)
}

/// The folder in which clients are started: the repository's, or the project's if it is in none.
fn workplace(project: &Project) -> Result<PathBuf, Failure> {
    let hooks = GitHistory::new(&project.root).hooks()?;
    let depth = hooks.map_or(0, |hooks| hooks.prefix.split('/').filter(|part| !part.is_empty()).count());
    Ok(project.root.ancestors().nth(depth).unwrap_or(&project.root).to_path_buf())
}

/// Answers an event. Prints nothing that a client would not understand.
fn answer(
    terminal: &mut Terminal<'_>,
    folder: &Path,
    global: &Global,
    args: &HookArgs,
) -> Result<(), Failure> {
    let mut text = String::new();
    let input = std::mem::replace(&mut terminal.io.input, Box::new(std::io::empty()));
    input.take(LONGEST_EVENT).read_to_string(&mut text).map_err(|error| Error::io("stdin", error))?;
    let value: Value = serde_json::from_str(&text).map_err(|error| {
        Error::invalid(message!("the event on standard input is not JSON: {error}", error))
    })?;
    let Some(event) = Event::of(&value, folder) else { return print(terminal, args, &value, "") };
    let agent = args.client.flag();
    let most = args.max_tokens.map_or(MAX_TOKENS, |n| n as usize);
    let heard = tell(terminal, global, agent, &event, most)?;
    let told = heard.iter().map(|heard| heard.text.as_str()).collect::<Vec<_>>().join("\n\n");
    print(terminal, args, &value, &told)?;
    terminal.io.flush()?;
    heard.into_iter().for_each(|heard| heard.keep(agent, &event));
    Ok(())
}

/// Prints the answer in the form that the client reads.
fn print(terminal: &mut Terminal<'_>, args: &HookArgs, event: &Value, told: &str) -> Result<(), Failure> {
    match args.client {
        HookClient::Cursor if told.is_empty() => terminal.put("{}"),
        _ if told.is_empty() => Ok(()),
        HookClient::Cursor => terminal.put(json!({ "additional_context": told }).to_string()),
        HookClient::ClaudeCode | HookClient::Codex => {
            let name = &event["hook_event_name"];
            let output = json!({ "hookEventName": name, "additionalContext": told });
            terminal.put(json!({ "hookSpecificOutput": output }).to_string())
        }
    }
}

/// What the agent is told about the files of an event, by project.
fn tell(
    terminal: &mut Terminal<'_>,
    global: &Global,
    agent: &str,
    event: &Event,
    max_tokens: usize,
) -> Result<Vec<Heard>, Failure> {
    let mut told = Vec::new();
    for (root, files) in by_project(&event.files) {
        let begun = Instant::now();
        let session = Session::open_as(terminal, &root, agent)?;
        let given = Given::of(&terminal.io.environment, &root, &event.session);
        let files: Vec<String> = files.iter().map(|file| session.source(file)).collect();
        let briefings = session.read(terminal, global, |context| match event.moment {
            Moment::Before => briefing::before(context, &files, &given, max_tokens),
            Moment::After => briefing::after(context, &files, &given),
        })?;
        let shown = |filepath: &str| terminal.path(filepath);
        let text = match event.moment {
            Moment::Before => briefing::tell_before(&briefings, &shown),
            Moment::After => briefing::tell_after(&briefings, &shown),
        };
        if !text.is_empty() {
            told.push(Heard::new(&session, event, &files, &briefings, text, begun));
        }
    }
    Ok(told)
}

/// The files by the project that they are in. Other files are nobody's.
fn by_project(files: &[PathBuf]) -> Vec<(PathBuf, Vec<&PathBuf>)> {
    let mut projects: Vec<(PathBuf, Vec<&PathBuf>)> = Vec::new();
    for file in files {
        let Some(folder) = file.ancestors().skip(1).find(|folder| folder.is_dir()) else { continue };
        let Ok(project) = Project::find(folder) else { continue };
        match projects.iter_mut().find(|(root, _)| *root == project.root) {
            Some((_, files)) => files.push(file),
            None => projects.push((project.root, vec![file])),
        }
    }
    projects
}
