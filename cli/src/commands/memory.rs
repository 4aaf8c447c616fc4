//! `ubp memory`: memories for people and scripts; agents use the same operations over MCP.

use crate::args::choice::{self, one_of};
use clap::{Args, Subcommand};
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use ubp_core::memory::MemoryType;
use ubp_core::message;

use ubp_core::Error;
use ubp_core::memory::is_own;
use ubp_core::ops::{
    document_memories, forget, list_memories, recall, reindex_memories, remember, review_memories,
};
use ubp_host::{SystemClock, atomic, user_data};

use crate::args::Global;
use crate::output::{CommandResult, Failure, printable};
use crate::session::Session;
use crate::terminal::{Terminal, answer};

/// `ubp memory`
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:\n  \
    ubp memory remember --type tech \"Rust async\" \"Use tokio.\" --tag rust\n  \
    ubp memory recall \"how do we run futures\"\n  \
    ubp memory list --type domain\n  \
    ubp memory review                        contradictory, expired, unused, old\n  \
    ubp memory document                      write ./memory-docs/*.md\n  \
    ubp memory reindex --dry-run             show memories that say the same\n  \
    ubp memory recall --user \"editor\"       search your own memories\n\n\
    A memory is a page, memory/TYPE/TOPIC.md in the pages folder; agents remember and recall with `ubp \
    mcp-server --tools memory --write`.")]
pub struct MemoryArgs {
    /// Use your own memories, in your data folder, instead of the project's
    #[arg(long, global = true)]
    pub user: bool,
    #[command(subcommand)]
    pub action: MemoryAction,
}

/// The subcommand.
#[derive(Debug, Clone, Subcommand)]
pub enum MemoryAction {
    /// Save a memory; one with the same topic is updated
    Remember(RememberArgs),
    /// Find memories by words and meaning
    Recall(RecallArgs),
    /// List memories
    List(ListMemoriesArgs),
    /// List memories to look at: contradictory, expired, never recalled, old
    Review(ReviewMemoriesArgs),
    /// Move a memory to the trash
    Forget(ForgetArgs),
    /// Write memories as Markdown documents, one for each type
    Document(DocumentArgs),
    /// Merge memories that say the same; --verbose shows which and why
    Reindex(ReindexArgs),
}

/// `ubp memory remember`
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:\n  \
    ubp memory remember --type tech \"Rust async\" \"Use tokio.\" --tag rust\n  \
    ubp memory remember --type project-tech \"Error handling\" < errors.md\n  \
    ubp memory remember --type tech Port \"It is 9090.\" --supersedes \"Old port\"\n\n\
    Text that looks like a secret is refused. `ubp undo` restores the previous text of a memory from \
    the audit log.")]
pub struct RememberArgs {
    /// Kind of knowledge
    #[arg(short = 't', long = "type", value_name = "TYPE", value_parser = one_of::<MemoryType>(choice::MEMORY_TYPE))]
    pub memory_type: MemoryType,
    /// Topic, on one line
    #[arg(value_name = "TOPIC")]
    pub topic: String,
    /// Text to remember, in Markdown; standard input if absent or -
    #[arg(value_name = "CONTENT", allow_hyphen_values = true)]
    pub content: Option<String>,
    /// A tag (repeatable) [default: keep its tags]
    #[arg(long = "tag", value_name = "TAG")]
    pub tags: Vec<String>,
    /// An example, such as a piece of code (repeatable) [default: keep its examples]
    #[arg(long = "example", value_name = "TEXT", allow_hyphen_values = true)]
    pub examples: Vec<String>,
    /// Where the knowledge comes from
    #[arg(long, value_name = "TEXT")]
    pub source: Option<String>,
    /// A memory that it replaces: topic, id or path (repeatable)
    #[arg(long, value_name = "MEMORY")]
    pub supersedes: Vec<String>,
    /// A memory that contradicts it although both may be true (repeatable)
    #[arg(long, value_name = "MEMORY")]
    pub conflicts_with: Vec<String>,
    /// Last day or time at which it is true, such as 2026-01-31; "" removes it
    #[arg(long, value_name = "TIME")]
    pub valid_until: Option<String>,
    /// Save it even if something looks like a secret
    #[arg(long)]
    pub force: bool,
}

/// Filters on memories.
#[derive(Debug, Clone, Args)]
pub struct NarrowedArgs {
    /// Only memories of this type
    #[arg(short = 't', long = "type", value_name = "TYPE", value_parser = one_of::<MemoryType>(choice::MEMORY_TYPE))]
    pub memory_type: Option<MemoryType>,
    /// Only memories with this tag (repeatable: all of them)
    #[arg(long = "tag", value_name = "TAG")]
    pub tags: Vec<String>,
}

/// `ubp memory recall`
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:\n  \
    ubp memory recall \"how do we handle errors\" --type project-tech\n  \
    ubp memory recall --tag rust             all memories with this tag\n  \
    ubp memory recall tokio --json")]
pub struct RecallArgs {
    /// Words or a question [default: all memories]
    #[arg(value_name = "QUERY")]
    pub query: Vec<String>,
    #[command(flatten)]
    pub narrowed: NarrowedArgs,
    /// Print at most N memories [default: 10]
    #[arg(short = 'n', long, value_name = "N")]
    pub limit: Option<usize>,
    /// Limit the answer to N tokens, at least 256 [default: no limit]
    #[arg(long, value_name = "N")]
    pub max_tokens: Option<usize>,
}

/// `ubp memory list`
#[derive(Debug, Clone, Args)]
pub struct ListMemoriesArgs {
    #[command(flatten)]
    pub narrowed: NarrowedArgs,
    /// Print at most N memories [default: all]
    #[arg(short = 'n', long, value_name = "N")]
    pub limit: Option<usize>,
}

/// `ubp memory review`
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:\n  \
    ubp memory review\n  \
    ubp memory review --days 90 --type tech\n\n\
    Contradictions are found by words: two sentences that differ by a number, a negation or one word. \
    Recalls are counted on this machine only.")]
pub struct ReviewMemoriesArgs {
    /// Only memories of this type
    #[arg(short = 't', long = "type", value_name = "TYPE", value_parser = one_of::<MemoryType>(choice::MEMORY_TYPE))]
    pub memory_type: Option<MemoryType>,
    /// A memory is old if it has not changed for N days [default: 180]
    #[arg(long, value_name = "N")]
    pub days: Option<u32>,
    /// Print at most N memories of each kind [default: 20]
    #[arg(short = 'n', long, value_name = "N")]
    pub limit: Option<usize>,
}

/// `ubp memory forget`
#[derive(Debug, Clone, Args)]
pub struct ForgetArgs {
    /// The memory: id, topic or path
    #[arg(value_name = "MEMORY")]
    pub memory: String,
    /// Its type, if memories of several types have this topic
    #[arg(short = 't', long = "type", value_name = "TYPE", value_parser = one_of::<MemoryType>(choice::MEMORY_TYPE))]
    pub memory_type: Option<MemoryType>,
    /// Show what would happen without doing it
    #[arg(long)]
    pub dry_run: bool,
}

/// `ubp memory document`
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:\n  \
    ubp memory document                      three documents in ./memory-docs\n  \
    ubp memory document --type tech\n  \
    ubp memory document --output ./docs/\n\n\
    Files that were edited, or not written by this command, are overwritten only with --force.")]
pub struct DocumentArgs {
    /// Write only the document of this type
    #[arg(short = 't', long = "type", value_name = "TYPE", value_parser = one_of::<MemoryType>(choice::MEMORY_TYPE))]
    pub memory_type: Option<MemoryType>,
    /// Folder to write to
    #[arg(short, long, value_name = "DIR", default_value = "memory-docs")]
    pub output: PathBuf,
    /// Overwrite existing files of the same name
    #[arg(long)]
    pub force: bool,
}

/// `ubp memory reindex`
#[derive(Debug, Clone, Args)]
pub struct ReindexArgs {
    /// Merge these memories, by topic, id or path [default: all that say the same]
    #[arg(value_name = "MEMORY", num_args = 2..)]
    pub memories: Vec<String>,
    /// Show what would change without changing it
    #[arg(long)]
    pub dry_run: bool,
}

/// Limit on the bytes read from standard input. It is above the limit of a memory, whose error says more.
const LONGEST: u64 = 4 << 20;

/// The folder of the project with the memories.
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
        MemoryAction::Review(args) => {
            let params =
                review_memories::Params { memory_type: args.memory_type, days: args.days, limit: args.limit };
            let output = session.read(terminal, global, |context| review_memories::run(context, params))?;
            answer(terminal, &output, review_memories::show)
        }
        MemoryAction::Forget(args) => {
            let params = forget::Params {
                memory: session.page(terminal, &args.memory),
                memory_type: args.memory_type,
                dry_run: args.dry_run,
            };
            let output = session.write(terminal, |context| forget::run(context, params))?;
            answer(terminal, &output, forget::show)
        }
        MemoryAction::Document(args) => document(terminal, session, folder, global, args),
        MemoryAction::Reindex(args) => {
            let memories = args.memories.iter().map(|memory| session.page(terminal, memory)).collect();
            let params = reindex_memories::Params { memories, dry_run: args.dry_run };
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
            read.map_err(|error| Error::io("stdin", error))?;
            String::from_utf8(bytes).map_err(|_| Error::invalid(message!("standard input is not UTF-8")))?
        }
    };
    let params = remember::Params {
        memory_type: args.memory_type,
        topic: args.topic,
        content,
        tags: (!args.tags.is_empty()).then_some(args.tags),
        examples: (!args.examples.is_empty()).then_some(args.examples),
        source: args.source,
        supersedes: args.supersedes.iter().map(|memory| session.page(terminal, memory)).collect(),
        conflicts_with: args.conflicts_with.iter().map(|memory| session.page(terminal, memory)).collect(),
        valid_until: args.valid_until,
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
    let output = session.read_meaning(terminal, global, |context| recall::run(context, params))?;
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
    // Check all files before writing any.
    for (file, _) in files.iter().filter(|_| !args.force) {
        let shown = args.output.join(file.file_name().unwrap_or_default());
        let shown = shown.to_string_lossy();
        match fs::read(file) {
            Ok(bytes) if std::str::from_utf8(&bytes).is_ok_and(is_own) => {}
            Ok(_) => {
                return Err(Error::invalid(message!("{shown} was not written by `ubp memory document`, or was edited since; nothing was written. \
                    --force overwrites it, --output chooses another folder", shown))
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
        terminal.note(message!("written to {output}", output = printable(&args.output.to_string_lossy())));
        let real = fs::canonicalize(&place).unwrap_or_else(|_| place.clone());
        if real.starts_with(&session.project.pages_dir) {
            let advice = message!(
                "this folder is in the pages folder, so its files become pages; a line in .ubpignore \
                          leaves them out"
            );
            terminal.note(advice);
        }
    }
    Ok(done)
}
