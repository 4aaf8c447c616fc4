//! Arguments of `ubp memory`.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use ubp_core::memory::MemoryType;

use super::choice::{self, one_of};

/// `ubp memory`
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:\n  \
    ubp memory remember --type tech \"Rust async\" \"Use tokio.\" --tag rust\n  \
    ubp memory recall \"how do we run futures\"\n  \
    ubp memory list --type domain\n  \
    ubp memory document                      write ./memory-docs/tech.md and two more\n  \
    ubp memory reindex --dry-run             show which memories say the same\n  \
    ubp memory recall --user \"editor\"       among your own, whatever the project\n\n\
    A memory is a page, memory/TYPE/TOPIC.md in the pages folder; agents remember and recall with\n\
    `ubp mcp-server --tools memory --write`.")]
pub struct MemoryArgs {
    /// Your own memories, in your data folder, in place of the project's
    #[arg(long, global = true)]
    pub user: bool,
    #[command(subcommand)]
    pub action: MemoryAction,
}

/// What to do with memories.
#[derive(Debug, Clone, Subcommand)]
pub enum MemoryAction {
    /// Keep a memory; one about the same topic is updated
    Remember(RememberArgs),
    /// Find memories by words and meaning
    Recall(RecallArgs),
    /// List memories
    List(ListMemoriesArgs),
    /// Move a memory to the trash
    Forget(ForgetArgs),
    /// Write memories as Markdown documents, one for each type
    Document(DocumentArgs),
    /// Make one of memories that say the same; --verbose tells which and why
    Reindex(ReindexArgs),
}

/// `ubp memory remember`
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:\n  \
    ubp memory remember --type tech \"Rust async\" \"Use tokio.\" --tag rust --example 'tokio::spawn(f)'\n  \
    ubp memory remember --type project-tech \"Error handling\" < errors.md\n\n\
    What looks like a secret is refused. The former text of a memory is in the audit log: `ubp undo` brings it back.")]
pub struct RememberArgs {
    /// What it is about
    #[arg(short = 't', long = "type", value_name = "TYPE", value_parser = one_of::<MemoryType>(choice::MEMORY_TYPE))]
    pub memory_type: MemoryType,
    /// Its topic, on one line
    #[arg(value_name = "TOPIC")]
    pub topic: String,
    /// What to remember, in Markdown; read from standard input when absent or -
    #[arg(value_name = "CONTENT", allow_hyphen_values = true)]
    pub content: Option<String>,
    /// A tag (repeatable); those that it has when absent
    #[arg(long = "tag", value_name = "TAG")]
    pub tags: Vec<String>,
    /// An example, such as a piece of code (repeatable); those that it has when absent
    #[arg(long = "example", value_name = "TEXT", allow_hyphen_values = true)]
    pub examples: Vec<String>,
    /// Where this comes from
    #[arg(long, value_name = "TEXT")]
    pub source: Option<String>,
    /// Keep it although something looks like a secret
    #[arg(long)]
    pub force: bool,
}

/// Which memories are asked about.
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
    ubp memory recall --tag rust             what there is with this tag\n  \
    ubp memory recall tokio --json")]
pub struct RecallArgs {
    /// Words or a question; everything when absent
    #[arg(value_name = "QUERY")]
    pub query: Vec<String>,
    #[command(flatten)]
    pub narrowed: NarrowedArgs,
    /// Most memories to print (default 10)
    #[arg(short = 'n', long, value_name = "N")]
    pub limit: Option<usize>,
    /// Keep the whole answer within N tokens (256 or more)
    #[arg(long, value_name = "N")]
    pub max_tokens: Option<usize>,
}

/// `ubp memory list`
#[derive(Debug, Clone, Args)]
pub struct ListMemoriesArgs {
    #[command(flatten)]
    pub narrowed: NarrowedArgs,
    /// Most memories to print
    #[arg(short = 'n', long, value_name = "N")]
    pub limit: Option<usize>,
}

/// `ubp memory forget`
#[derive(Debug, Clone, Args)]
pub struct ForgetArgs {
    /// The memory: id, topic or path
    #[arg(value_name = "MEMORY")]
    pub memory: String,
    /// Its type, where memories of several types have this topic
    #[arg(short = 't', long = "type", value_name = "TYPE", value_parser = one_of::<MemoryType>(choice::MEMORY_TYPE))]
    pub memory_type: Option<MemoryType>,
    /// Show what would happen, and change nothing
    #[arg(long)]
    pub dry_run: bool,
}

/// `ubp memory document`
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:\n  \
    ubp memory document                      tech.md, project-tech.md and domain.md in ./memory-docs\n  \
    ubp memory document --type tech\n  \
    ubp memory document --output ./docs/\n\n\
    A file that somebody else wrote, or changed, is never written over unless --force is given.")]
pub struct DocumentArgs {
    /// Only the document of this type
    #[arg(short = 't', long = "type", value_name = "TYPE", value_parser = one_of::<MemoryType>(choice::MEMORY_TYPE))]
    pub memory_type: Option<MemoryType>,
    /// Folder to write to
    #[arg(short, long, value_name = "DIR", default_value = "memory-docs")]
    pub output: PathBuf,
    /// Replace files of that name, whoever wrote them
    #[arg(long)]
    pub force: bool,
}

/// `ubp memory reindex`
#[derive(Debug, Clone, Args)]
pub struct ReindexArgs {
    /// Show what would change, and change nothing
    #[arg(long)]
    pub dry_run: bool,
}
