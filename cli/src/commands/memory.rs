//! `ubp memory`: remembering and recalling, for people and scripts; agents have the same over MCP.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use ubp_core::Error;
use ubp_core::memory::{MemoryType, Skipped, is_own};
use ubp_core::ops::{document_memories, forget, list_memories, recall, reindex_memories, remember};
use ubp_host::{SystemClock, atomic, user_data};

use super::write::{hint_undo, print_diff};
use crate::args::{
    DocumentArgs, Global, ListMemoriesArgs, MemoryAction, MemoryArgs, RecallArgs, ReindexArgs, RememberArgs,
    TypeChoice,
};
use crate::output::{CommandResult, Failure, counted, printable};
use crate::session::{Session, Terminal, answer_with};

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
                memory_type: args.memory_type.map(memory_type),
                dry_run: args.dry_run,
            };
            let output = session.write(terminal, |context| forget::run(context, params))?;
            let json = terminal.json;
            answer_with(terminal, json, &output, forgotten)
        }
        MemoryAction::Document(args) => document(terminal, session, folder, global, args),
        MemoryAction::Reindex(args) => reindex(terminal, session, &args),
    }
}

fn memory_type(choice: TypeChoice) -> MemoryType {
    match choice {
        TypeChoice::Tech => MemoryType::Tech,
        TypeChoice::ProjectTech => MemoryType::ProjectTech,
        TypeChoice::Domain => MemoryType::Domain,
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
        memory_type: memory_type(args.memory_type),
        topic: args.topic,
        content,
        tags: (!args.tags.is_empty()).then_some(args.tags),
        examples: (!args.examples.is_empty()).then_some(args.examples),
        source: args.source,
        force: args.force,
    };
    let output = session.write(terminal, |context| remember::run(context, params))?;
    let json = terminal.json;
    answer_with(terminal, json, &output, |terminal, output| {
        let path = terminal.path(&output.filepath);
        let path = terminal.out.path(path);
        match output.action {
            remember::Action::Created => terminal.line(format!("Remembered {path}"))?,
            remember::Action::Updated => {
                terminal.line(format!("Updated {path}"))?;
                hint_undo(terminal, output.audit_id.as_deref());
            }
        }
        for similar in &output.similar {
            let path = terminal.path(&similar.filepath);
            terminal.note(format!("{path} is like it: {}", printable(&similar.topic)));
        }
        Ok(())
    })
}

fn recall(
    terminal: &mut Terminal<'_>,
    session: &Session,
    global: &Global,
    args: RecallArgs,
) -> CommandResult {
    let params = recall::Params {
        query: args.query.join(" "),
        memory_type: args.narrowed.memory_type.map(memory_type),
        tags: args.narrowed.tags,
        limit: args.limit,
        max_tokens: args.max_tokens,
    };
    let output = session.read(terminal, global, |context| recall::run(context, params))?;
    let json = terminal.json;
    answer_with(terminal, json, &output, |terminal, output| {
        for memory in &output.memories {
            let fields = &memory.fields;
            let path = terminal.path(&fields.filepath);
            let (paint, topic) = (terminal.out, printable(&fields.topic));
            let score =
                if output.search_type.is_some() { format!("  {:.3}", memory.score) } else { String::new() };
            terminal.line(format!("{}: {}{}", paint.path(path), paint.strong(topic), paint.faint(score)))?;
            let tags =
                fields.tags.iter().map(|tag| format!("#{}", printable(tag))).collect::<Vec<_>>().join(" ");
            if !tags.is_empty() {
                terminal.line(format!("  {}", paint.faint(tags)))?;
            }
            for line in
                printable(&memory.content).lines().chain(memory.examples.iter().flat_map(|e| e.lines()))
            {
                terminal.line(format!("  {}", printable(line)).trim_end())?;
            }
            terminal.line("")?;
        }
        say_how_many(terminal, output.memories.len(), output.total_count, &output.skipped);
        Ok(())
    })
}

fn list(
    terminal: &mut Terminal<'_>,
    session: &Session,
    global: &Global,
    args: ListMemoriesArgs,
) -> CommandResult {
    let params = list_memories::Params {
        memory_type: args.narrowed.memory_type.map(memory_type),
        tags: args.narrowed.tags,
        limit: args.limit,
    };
    let output = session.read(terminal, global, |context| list_memories::run(context, params))?;
    let json = terminal.json;
    answer_with(terminal, json, &output, |terminal, output| {
        for memory in &output.memories {
            let path = terminal.path(&memory.filepath);
            let (paint, topic) = (terminal.out, printable(&memory.topic));
            let references = references(memory.reference_count);
            let counts = format!("{references}, confidence {:.2}", memory.confidence);
            terminal.line(format!("{}: {topic}  {}", paint.path(path), paint.faint(counts)))?;
        }
        say_how_many(terminal, output.memories.len(), output.total_count, &output.skipped);
        Ok(())
    })
}

fn forgotten(terminal: &mut Terminal<'_>, output: &forget::Output) -> Result<(), Failure> {
    print_diff(terminal, &output.diff, output.dry_run)?;
    let path = terminal.path(&output.memory.filepath);
    if let Some(trash) = &output.trash {
        let path = terminal.out.path(path);
        terminal.line(format!("Forgot {path}; it lies in .ubp/trash/{}", printable(trash)))?;
    }
    for link in &output.links {
        let place = format!("{}:{}", terminal.path(&link.filepath), link.line);
        terminal.warn(format!("{place}: the link to '{}' loses its page", printable(&link.target)));
    }
    hint_undo(terminal, output.audit_id.as_deref());
    Ok(())
}

fn document(
    terminal: &mut Terminal<'_>,
    session: &Session,
    folder: &Path,
    global: &Global,
    args: DocumentArgs,
) -> CommandResult {
    let params = document_memories::Params { memory_type: args.memory_type.map(memory_type) };
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
    let json = terminal.json;
    answer_with(terminal, json, &output, |terminal, output| {
        for document in &output.documents {
            let shown = args.output.join(&document.file_name);
            let path = terminal.out.path(printable(&shown.to_string_lossy()));
            terminal.line(format!("{path}: {}", counted(document.memory_count, "memory", "memories")))?;
        }
        warn_skipped(terminal, &output.skipped);
        let real = fs::canonicalize(&place).unwrap_or_else(|_| place.clone());
        if real.starts_with(&session.project.pages_dir) {
            let advice = "this folder lies among the pages, so its files are found like pages; a line in .ubpignore \
                          leaves them out";
            terminal.note(advice);
        }
        Ok(())
    })
}

fn reindex(terminal: &mut Terminal<'_>, session: &Session, args: &ReindexArgs) -> CommandResult {
    let params = reindex_memories::Params { dry_run: args.dry_run };
    let output = session.write(terminal, |context| reindex_memories::run(context, params))?;
    let (json, verbose) = (terminal.json, terminal.verbose);
    answer_with(terminal, json, &output, |terminal, output| {
        print_diff(terminal, &output.diff, output.dry_run)?;
        for merge in &output.merged {
            let path = terminal.path(&merge.kept.filepath);
            let path = terminal.out.path(path);
            let replaces = counted(merge.replaced.len(), "memory", "memories");
            terminal.line(format!("{path} replaces {replaces}"))?;
            for replaced in merge.replaced.iter().filter(|_| verbose) {
                let similarity = replaced.similarity.unwrap_or_default();
                let (path, topic) = (terminal.path(&replaced.filepath), printable(&replaced.topic));
                terminal.line(format!("  {similarity:.4}  {path}: {topic}"))?;
            }
            if verbose {
                let kept = &merge.kept;
                let references = references(kept.reference_count);
                terminal.line(format!("  {references}, confidence {:.4}", kept.confidence))?;
            }
        }
        if verbose {
            for file in output.changed.iter().filter(|file| file.trash.is_some()) {
                let trash = printable(file.trash.as_deref().unwrap_or_default());
                let path = terminal.path(&file.filepath);
                terminal.line(format!("  {path} lies in .ubp/trash/{trash}"))?;
            }
        }
        warn_skipped(terminal, &output.skipped);
        let looked = counted(output.memory_count, "memory", "memories");
        match &output.without_vectors {
            Some(reason) => terminal.warn(format!(
                "only memories of equal text were put together: {}",
                printable(reason)
            )),
            None if output.uncompared_count > 0 => terminal.warn(format!(
                "{} in a script that the model does not know: only equal texts were put together (see `ubp model`)",
                counted(output.uncompared_count, "memory is", "memories are")
            )),
            None => {}
        }
        if output.merged.is_empty() {
            terminal.note(format!("{looked}; none say the same"));
        } else {
            terminal.note(looked);
        }
        hint_undo(terminal, output.audit_id.as_deref());
        Ok(())
    })
}

/// Ends a list: the pages that were passed over, and how many memories there are beside those that are shown.
fn say_how_many(terminal: &mut Terminal<'_>, shown: usize, total: usize, skipped: &[Skipped]) {
    warn_skipped(terminal, skipped);
    let more = if shown < total { format!(" of {total}; -n shows more") } else { String::new() };
    terminal.note(format!("{}{more}", counted(shown, "memory", "memories")));
}

/// Names the pages that were passed over.
fn warn_skipped(terminal: &mut Terminal<'_>, skipped: &[Skipped]) {
    for page in skipped {
        let path = terminal.path(&page.filepath);
        terminal.warn(format!("{path}:{}: {}; passed over", page.line, printable(&page.reason)));
    }
}

fn references(count: u64) -> String {
    counted(usize::try_from(count).unwrap_or(usize::MAX), "reference", "references")
}
