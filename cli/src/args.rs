//! The command line: every command, flag and example in one place, from which help, errors and
//! shell completions are made.

mod choice;
mod diff;
mod export;
mod freshness;
mod links;
mod memory;
mod query;
mod server;
mod viewer;
mod writing;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use ubp_core::freshness::Staleness;
use ubp_core::manifest::FrontMatterMode;
use ubp_core::ops::list_pages::{SortKey, SortOrder};
use ubp_core::search::SearchMode;

use choice::one_of;

pub use diff::{DiffArgs, DiffFormat, FailOn};
pub use export::ExportArgs;
pub use freshness::{RefsArgs, ReviewArgs, StaleArgs};
pub use links::{
    AcceptArgs, DirectionChoice, DismissArgs, GraphArgs, ImpactArgs, SuggestLinksArgs, TraverseArgs,
};
pub use memory::{DocumentArgs, ListMemoriesArgs, MemoryAction, MemoryArgs, RecallArgs, RememberArgs};
pub use query::QueryArgs;
pub use server::{ClientChoice, McpServerArgs};
pub use viewer::ViewerArgs;
pub use writing::{AuditArgs, MvArgs, NewArgs, RmArgs, UndoArgs};

/// Arguments of the whole command.
#[derive(Debug, Parser)]
#[command(
    name = "ubp",
    version,
    about = "Markdown pages with [[links]] as a searchable blueprint, for people and AI agents",
    after_help = "Examples:\n  \
        ubp init                               start a project in this folder\n  \
        ubp init --pages-dir .                 use an existing vault as it is\n  \
        ubp search \"how do sessions expire\"    ask a question\n  \
        ubp get \"Login Feature\"                read a page with its links\n  \
        ubp viewer                             read and write pages in a browser\n  \
        ubp doctor                             find broken links and other problems\n\n\
        `ubp help <command>` shows each command with its own examples.",
    propagate_version = true,
    disable_help_subcommand = false
)]
pub struct Arguments {
    #[command(flatten)]
    pub global: Global,
    #[command(subcommand)]
    pub command: Command,
}

/// Flags of every command.
#[derive(Debug, Clone, Args)]
pub struct Global {
    /// Run as if started in DIR
    #[arg(short = 'C', long = "directory", value_name = "DIR", global = true)]
    pub directory: Option<PathBuf>,
    /// Print the answer as JSON
    #[arg(long, global = true)]
    pub json: bool,
    /// Print results and errors only
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub quiet: bool,
    /// Say more about what is done (or set UBP_LOG=debug)
    #[arg(short, long, global = true)]
    pub verbose: bool,
    /// When to use colours
    #[arg(long, value_name = "WHEN", default_value = "auto", global = true)]
    pub color: ColorChoice,
    /// Answer from the index as it is, without looking at the files first
    #[arg(long, global = true)]
    pub no_refresh: bool,
}

/// When to use colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ColorChoice {
    /// On a terminal, unless NO_COLOR is set
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// The commands.
#[derive(Debug, Clone, Subcommand)]
pub enum Command {
    /// Start a project in the current folder
    Init(InitArgs),
    /// Bring the index up to date, vectors included
    Add(AddArgs),
    /// Make the index anew from the files
    #[command(alias = "reindex")]
    Rebuild,
    /// Make a new page
    New(NewArgs),
    /// Give a page another path or title; links follow
    Mv(MvArgs),
    /// Move pages to the trash
    Rm(RmArgs),
    /// Find pages by meaning, words and links
    Search(SearchArgs),
    /// Read a page with its links and freshness
    Get(GetArgs),
    /// Read a page together with the pages around it
    Context(ContextArgs),
    /// List pages
    List(ListArgs),
    /// Ask pages by SQL: front matter, text and meaning
    Query(QueryArgs),
    /// Remember things for agents and people, and recall them
    Memory(MemoryArgs),
    /// Show which pages link to which
    Graph(GraphArgs),
    /// Follow links from a page, and see the way to each page
    Traverse(TraverseArgs),
    /// List the pages that a change of a page, source file or folder affects
    Impact(ImpactArgs),
    /// Say what a change did to the graph: links, cycles, freshness, impact
    Diff(DiffArgs),
    /// Write the pages as a site that needs no server
    Export(ExportArgs),
    /// Show counts, freshness and the state of the index
    Status,
    /// List pages whose code changed since they were reviewed
    Stale(StaleArgs),
    /// Record that pages were read and are true of their code
    Review(ReviewArgs),
    /// Find the pages that describe a file
    Refs(RefsArgs),
    /// Find broken links and other problems
    Doctor(DoctorArgs),
    /// Measure search on questions with known answers
    Eval(EvalArgs),
    /// Suggest links that are missing
    SuggestLinks(SuggestLinksArgs),
    /// Make a suggested link
    Accept(AcceptArgs),
    /// Remember that a suggested link is not wanted
    Dismiss(DismissArgs),
    /// Read, write and search the pages in a browser
    Viewer(ViewerArgs),
    /// Serve AI agents over the Model Context Protocol
    #[command(alias = "serve")]
    McpServer(McpServerArgs),
    /// List what was changed through ubp
    Audit(AuditArgs),
    /// Take a change back
    Undo(UndoArgs),
    /// Show, install and choose the embedding model
    Model(ModelArgs),
    /// Print completions for a shell
    Completions(CompletionsArgs),
}

/// `ubp init`
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:\n  \
    ubp init                        pages live in pages/\n  \
    ubp init --pages-dir docs       pages live in docs/\n  \
    ubp init --pages-dir .          the whole folder is the vault\n\n\
    On an empty pages folder UBP completes front matter (id, title, times) when you add pages;\n\
    over existing pages it never writes to a file unless you edit that page through it.")]
pub struct InitArgs {
    /// Folder of the pages, relative to the project
    #[arg(long, value_name = "DIR")]
    pub pages_dir: Option<String>,
    /// Who completes front matter; chosen by whether there are pages already
    #[arg(long, value_name = "MODE", value_parser = one_of::<FrontMatterMode>(choice::FRONT_MATTER))]
    pub frontmatter: Option<FrontMatterMode>,
}

/// `ubp add`
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:\n  \
    ubp add                         every page\n  \
    ubp add pages/login.md          this page (and whatever else changed)\n  \
    ubp add --create-missing        also create pages that links ask for")]
pub struct AddArgs {
    /// Page files; every page when none is named
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Create an empty page for every link on these pages that leads nowhere
    #[arg(long)]
    pub create_missing: bool,
}

/// `ubp search`
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:\n  \
    ubp search \"how do sessions expire\"\n  \
    ubp search --fulltext src/auth/login.ts\n  \
    ubp search '\"refresh token\"' --type api --tag security\n  \
    ubp search 認証 --field status=approved --explain\n  \
    ubp search login -l | xargs $EDITOR\n\n\
    The score is alpha * relevance + (1 - alpha) * graph proximity. Relevance blends meaning\n\
    (vectors) and words; graph proximity is what linked results pass on to each other.")]
pub struct SearchArgs {
    /// Words, a question, or "an exact phrase"
    #[arg(value_name = "QUERY", required = true, num_args = 1..)]
    pub query: Vec<String>,
    /// Search by words alone
    #[arg(long, conflicts_with = "mode")]
    pub fulltext: bool,
    /// Which evidence ranks
    #[arg(long, value_name = "MODE", value_parser = one_of::<SearchMode>(choice::MODE))]
    pub mode: Option<SearchMode>,
    /// Most pages to print (1 to 20)
    #[arg(short = 'n', long, value_name = "N")]
    pub limit: Option<usize>,
    /// Weight of relevance against links (0.0 to 1.0)
    #[arg(long, value_name = "N")]
    pub alpha: Option<f64>,
    /// Hops over which links lend relevance (1 to 3)
    #[arg(long, value_name = "N")]
    pub depth: Option<usize>,
    /// Follow links of this type only (repeatable)
    #[arg(long = "link-type", value_name = "TYPE")]
    pub link_types: Vec<String>,
    /// Only pages of this type (repeatable)
    #[arg(short = 't', long = "type", value_name = "TYPE")]
    pub doc_types: Vec<String>,
    /// Only pages with this tag (repeatable: all of them)
    #[arg(long = "tag", value_name = "TAG")]
    pub tags: Vec<String>,
    /// Only pages in this folder of the pages folder
    #[arg(long, value_name = "DIR")]
    pub folder: Option<String>,
    /// Only pages whose front matter has this value (repeatable)
    #[arg(long = "field", value_name = "KEY=VALUE", value_parser = key_value)]
    pub fields: Vec<(String, String)>,
    /// Print whole sections instead of snippets
    #[arg(long)]
    pub content: bool,
    /// Also print the pages linked with each result
    #[arg(long)]
    pub include_linked: bool,
    /// Print what led to each score
    #[arg(long)]
    pub explain: bool,
    /// Print paths only
    #[arg(short = 'l', long = "paths")]
    pub paths: bool,
    /// Keep the whole answer within N tokens (256 or more)
    #[arg(long, value_name = "N")]
    pub max_tokens: Option<usize>,
    /// Output format
    #[arg(long, value_name = "FORMAT")]
    pub format: Option<Format>,
}

/// How an answer is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people
    Text,
    /// For programs
    Json,
}

fn key_value(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((key, value)) if !key.is_empty() => Ok((key.into(), value.into())),
        _ => Err("expected KEY=VALUE, such as status=approved".into()),
    }
}

/// `ubp get`
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:\n  \
    ubp get login-feature.md\n  \
    ubp get \"Login Feature\" --section login-feature/flow\n  \
    ubp get 0198c1d2-... --json")]
pub struct GetArgs {
    /// The page: path, id, title or alias
    #[arg(value_name = "PAGE")]
    pub page: String,
    /// Only this section and those below it
    #[arg(long, value_name = "ID")]
    pub section: Option<String>,
    /// Keep the whole answer within N tokens (256 or more)
    #[arg(long, value_name = "N")]
    pub max_tokens: Option<usize>,
}

/// `ubp context`
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:\n  \
    ubp context \"Login Feature\"\n  \
    ubp context login-feature.md --depth 1 --max-tokens 4000 --json")]
pub struct ContextArgs {
    /// The page in the middle: path, id, title or alias
    #[arg(value_name = "PAGE")]
    pub page: String,
    /// Hops around it (1 to 3)
    #[arg(long, value_name = "N")]
    pub depth: Option<usize>,
    /// Follow links of this type only (repeatable)
    #[arg(long = "link-type", value_name = "TYPE")]
    pub link_types: Vec<String>,
    /// Keep the answer within N characters of JSON
    #[arg(long, value_name = "N")]
    pub max_size: Option<usize>,
    /// Keep the answer within N tokens (256 or more)
    #[arg(long, value_name = "N")]
    pub max_tokens: Option<usize>,
}

/// `ubp list`
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:\n  \
    ubp list --sort updated_at --order desc --limit 10\n  \
    ubp list --type api --tag security\n  \
    ubp list --staleness stale")]
pub struct ListArgs {
    /// Only pages of this type
    #[arg(short = 't', long = "type", value_name = "TYPE")]
    pub doc_type: Option<String>,
    /// Only pages with this tag (repeatable: all of them)
    #[arg(long = "tag", value_name = "TAG")]
    pub tags: Vec<String>,
    /// Only pages in this folder of the pages folder
    #[arg(long, value_name = "DIR")]
    pub folder: Option<String>,
    /// Only pages with this freshness
    #[arg(long, value_name = "STATE", value_parser = one_of::<Staleness>(choice::STALENESS))]
    pub staleness: Option<Staleness>,
    /// Sort key
    #[arg(long, value_name = "KEY", value_parser = one_of::<SortKey>(choice::SORT))]
    pub sort: Option<SortKey>,
    /// Sort order
    #[arg(long, value_name = "ORDER", value_parser = one_of::<SortOrder>(choice::ORDER))]
    pub order: Option<SortOrder>,
    /// Most pages to print
    #[arg(short = 'n', long, value_name = "N")]
    pub limit: Option<usize>,
}

/// `ubp doctor`
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:\n  \
    ubp doctor\n  \
    ubp doctor --exit-code          fail when there are errors or warnings\n  \
    ubp doctor --all --json")]
pub struct DoctorArgs {
    /// End with status 1 when there are errors or warnings
    #[arg(long)]
    pub exit_code: bool,
    /// Print every finding, not only the first few of each kind
    #[arg(long)]
    pub all: bool,
}

/// `ubp eval`
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:\n  \
    ubp eval questions                           search as the project has it\n  \
    ubp eval questions --compare                 every mode, and hybrid search with several alphas\n  \
    ubp eval questions --compare --alpha 0.6,0.8 --depth 1,2\n  \
    ubp eval questions --mode fulltext --json\n\n\
    SET is a folder with queries.jsonl ({\"id\": …, \"text\": …} on each line) and qrels.tsv (query id,\n\
    page, grade, separated by tabs; a grade above 0 means relevant). With corpus.jsonl in it ({\"id\": …,\n\
    \"title\": …, \"text\": …}) these texts are searched in place of your pages, linked by links.tsv.")]
pub struct EvalArgs {
    /// Folder with queries.jsonl and qrels.tsv
    #[arg(value_name = "SET")]
    pub set: PathBuf,
    /// Measure every mode and several settings side by side, and how they differ
    #[arg(long)]
    pub compare: bool,
    /// Which evidence ranks
    #[arg(long, value_name = "MODE", conflicts_with = "compare", value_parser = one_of::<SearchMode>(choice::MODE))]
    pub mode: Option<SearchMode>,
    /// Weight of relevance against links (0.0 to 1.0); several to compare
    #[arg(long, value_name = "N,…", value_delimiter = ',')]
    pub alpha: Vec<f64>,
    /// Hops over which links lend relevance (1 to 3); several to compare
    #[arg(long, value_name = "N,…", value_delimiter = ',')]
    pub depth: Vec<usize>,
    /// Most queries to list of each kind (default 5)
    #[arg(long, value_name = "N")]
    pub queries: Option<usize>,
}

/// `ubp model`
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:\n  \
    ubp model                                    what is used, installed and known\n  \
    ubp model use multilingual-e5-small          download, check and choose it\n  \
    ubp model use ./my-encoder                   a folder with model.onnx, tokenizer.json, model.json\n  \
    ubp model use all-MiniLM-L6-v2               back to the one inside the program")]
pub struct ModelArgs {
    #[command(subcommand)]
    pub action: Option<ModelAction>,
}

/// What to do with models.
#[derive(Debug, Clone, Subcommand)]
pub enum ModelAction {
    /// Show the model in use, those installed and those known by name
    List,
    /// Use another model: a known name, or a folder
    Use {
        /// A known name, or a folder with model.onnx, tokenizer.json and model.json
        #[arg(value_name = "NAME|FOLDER")]
        model: String,
    },
}

/// `ubp completions`
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:\n  \
    ubp completions bash > ~/.local/share/bash-completion/completions/ubp\n  \
    ubp completions fish > ~/.config/fish/completions/ubp.fish")]
pub struct CompletionsArgs {
    /// The shell
    pub shell: clap_complete::Shell,
}
