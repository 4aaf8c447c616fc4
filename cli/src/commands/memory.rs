//! `ubp memory`: remembering and recalling, for people and scripts; agents have the same over MCP.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use ubp_core::Error;
use ubp_core::memory::is_own;
use ubp_core::ops::{document_memories, forget, list_memories, recall, reindex_memories, remember};
use ubp_host::{SystemClock, atomic, user_data};

use crate::args::{
    DocumentArgs, Global, ListMemoriesArgs, MemoryAction, MemoryArgs, RecallArgs, RememberArgs,
};
use crate::output::{CommandResult, Failure, printable};
use crate::session::{Session, Terminal, answer};

/// Most bytes that are read from standard input: more than a memory takes, so that it says so.
const LONGEST: u64 = 4 << 20;

/// The folder whose project has the memories.
pub(super) fn folder(terminal: &Terminal<'_>, folder: PathBuf, user: bool) -> Result<PathBuf, Failure> {
    if !user {
        return Ok(folder);
    }
    Ok(user_data::memory_project(&terminal.io.environment, &SystemClock::default())?)
}

pub(crate) fn run(
    terminal: &mut Terminal<'_>,
    session: &Session,
    folder: &Path,
    global: &Global,
    args: MemoryArgs,
) -> CommandResult {
    match args.action {
        MemoryAction::Remember(args) => remember(terminal, session, args),
        MemoryAction::Recall(args) => recall(terminal, session, global, args),
        MemoryAction::List(args) => list(terminal, session, global, args),
        MemoryAction::Forget(args) => {
            let params = forget::Params {
                memory: terminal.below_pages(&args.memory),
                memory_type: args.memory_type,
                dry_run: args.dry_run,
            };
            let output = session.write(terminal, |context| forget::run(context, params))?;
            answer(terminal, &output, forget::show)
        }
        MemoryAction::Document(args) => document(terminal, session, folder, global, args),
        MemoryAction::Reindex(args) => {
            let params = reindex_memories::Params { dry_run: args.dry_run };
            let output = session.write(terminal, |context| reindex_memories::run(context, params))?;
            answer(terminal, &output, reindex_memories::show)
        }
    }
}

fn remember(terminal: &mut Terminal<'_>, session: &Session, args: RememberArgs) -> CommandResult {
    let content = match args.content.filter(|content| content != "-") {
        Some(content) => content,
        None => {
            let mut bytes = Vec::new();
            let input = std::mem::replace(&mut terminal.io.input, Box::new(std::io::empty()));
            let read = input.take(LONGEST).read_to_end(&mut bytes);
            read.map_err(|error| Error::io("standard input", error))?;
            String::from_utf8(bytes).map_err(|_| Error::invalid("standard input is not UTF-8"))?
        }
    };
    let params = remember::Params {
        memory_type: args.memory_type,
        topic: args.topic,
        content,
        tags: (!args.tags.is_empty()).then_some(args.tags),
        examples: (!args.examples.is_empty()).then_some(args.examples),
        source: args.source,
        force: args.force,
    };
    let output = session.write(terminal, |context| remember::run(context, params))?;
    answer(terminal, &output, remember::show)
}

fn recall(
    terminal: &mut Terminal<'_>,
    session: &Session,
    global: &Global,
    args: RecallArgs,
) -> CommandResult {
    let params = recall::Params {
        query: args.query.join(" "),
        memory_type: args.narrowed.memory_type,
        tags: args.narrowed.tags,
        limit: args.limit,
        max_tokens: args.max_tokens,
    };
    let output = session.read(terminal, global, |context| recall::run(context, params))?;
    answer(terminal, &output, recall::show)
}

fn list(
    terminal: &mut Terminal<'_>,
    session: &Session,
    global: &Global,
    args: ListMemoriesArgs,
) -> CommandResult {
    let params = list_memories::Params {
        memory_type: args.narrowed.memory_type,
        tags: args.narrowed.tags,
        limit: args.limit,
    };
    let output = session.read(terminal, global, |context| list_memories::run(context, params))?;
    answer(terminal, &output, list_memories::show)
}

fn document(
    terminal: &mut Terminal<'_>,
    session: &Session,
    folder: &Path,
    global: &Global,
    args: DocumentArgs,
) -> CommandResult {
    let params = document_memories::Params { memory_type: args.memory_type };
    let output = session.read(terminal, global, |context| document_memories::run(context, params))?;
    let place = folder.join(&args.output);
    let files: Vec<(PathBuf, &document_memories::Document)> =
        output.documents.iter().map(|document| (place.join(&document.file_name), document)).collect();
    // All are looked at before one is written.
    for (file, _) in files.iter().filter(|_| !args.force) {
        let shown = args.output.join(file.file_name().unwrap_or_default());
        let shown = shown.to_string_lossy();
        match fs::read(file) {
            Ok(bytes) if std::str::from_utf8(&bytes).is_ok_and(is_own) => {}
            Ok(_) => {
                return Err(Error::invalid(format!(
                    "{shown} was not written by `ubp memory document`, or somebody changed it since; nothing was \
                     written. --force replaces it, --output chooses another folder"
                ))
                .into());
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(error) => return Err(Error::io(shown, error).into()),
        }
    }
    fs::create_dir_all(&place).map_err(|error| Error::io(args.output.to_string_lossy(), error))?;
    for (file, document) in &files {
        let shown = args.output.join(&document.file_name);
        atomic::write(file, document.text.as_bytes(), &shown.to_string_lossy())?;
    }
    let done = answer(terminal, &output, document_memories::show)?;
    if !terminal.json {
        terminal.note(format!("written to {}", printable(&args.output.to_string_lossy())));
        let real = fs::canonicalize(&place).unwrap_or_else(|_| place.clone());
        if real.starts_with(&session.project.pages_dir) {
            let advice = "this folder lies among the pages, so its files are found like pages; a line in .ubpignore \
                          leaves them out";
            terminal.note(advice);
        }
    }
    Ok(done)
}
