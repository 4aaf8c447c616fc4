//! Arguments of the commands that make, move and delete pages, and of those that take it back.

use clap::Args;

/// `ubp new`
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:\n  \
    ubp new \"Login Feature\"\n  \
    ubp new \"Login API\" --folder api --type api --tag security\n  \
    ubp new \"Sessions\" --source src/auth/session.rs --dry-run\n\n\
    The file is named after the title. Nothing is ever written over: a name that is taken gets a number.")]
pub struct NewArgs {
    /// Its title
    #[arg(value_name = "TITLE")]
    pub title: String,
    /// Folder to put it in, below the pages folder
    #[arg(long, value_name = "DIR", conflicts_with = "path")]
    pub folder: Option<String>,
    /// Path of the file, below the pages folder
    #[arg(long, value_name = "FILE")]
    pub path: Option<String>,
    /// Its type, such as spec, api or guide
    #[arg(short = 't', long = "type", value_name = "TYPE")]
    pub doc_type: Option<String>,
    /// A tag (repeatable)
    #[arg(long = "tag", value_name = "TAG")]
    pub tags: Vec<String>,
    /// A file, folder or glob of the project that it describes (repeatable)
    #[arg(long = "source", value_name = "PATH")]
    pub sources: Vec<String>,
    /// Show what would be written, and write nothing
    #[arg(long)]
    pub dry_run: bool,
}

/// `ubp mv`
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:\n  \
    ubp mv users.md people/accounts.md       another path; links follow\n  \
    ubp mv users people/                     another folder\n  \
    ubp mv users \"User Accounts\"             another title\n  \
    ubp mv users accounts.md --title \"User Accounts\" --dry-run\n\n\
    What ends in .md or has a / is a path below the pages folder, anything else a title.")]
pub struct MvArgs {
    /// The page: path, id, title or alias
    #[arg(value_name = "PAGE")]
    pub page: String,
    /// Its new path or title
    #[arg(value_name = "PATH|TITLE", required_unless_present = "title")]
    pub to: Option<String>,
    /// Its new title, beside a new path
    #[arg(long, value_name = "TITLE")]
    pub title: Option<String>,
    /// Show what would change, and change nothing
    #[arg(long)]
    pub dry_run: bool,
}

/// `ubp rm`
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:\n  \
    ubp rm drafts/old.md\n  \
    ubp rm old.md older.md --unlink          links to them become plain text\n  \
    ubp rm old.md --dry-run                  which links would lead nowhere?\n\n\
    Pages go to .ubp/trash/; `ubp undo` brings them back.")]
pub struct RmArgs {
    /// The pages: paths, ids, titles or aliases
    #[arg(value_name = "PAGE", required = true)]
    pub pages: Vec<String>,
    /// Turn the links to them into the text that they show
    #[arg(long)]
    pub unlink: bool,
    /// Show what would change, and change nothing
    #[arg(long)]
    pub dry_run: bool,
}

/// `ubp audit`
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:\n  \
    ubp audit                                the latest changes\n  \
    ubp audit --page login.md -n 5\n  \
    ubp audit 3f9a01c2d4e5                   one of them with its diff")]
pub struct AuditArgs {
    /// Only this change
    #[arg(value_name = "ENTRY")]
    pub entry: Option<String>,
    /// Only changes of this page: path (also a former one), id, title or alias
    #[arg(long, value_name = "PAGE")]
    pub page: Option<String>,
    /// Most changes to print (1 to 1000, default 20)
    #[arg(short = 'n', long, value_name = "N")]
    pub limit: Option<usize>,
}

/// `ubp undo`
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:\n  \
    ubp audit                                which change?\n  \
    ubp undo 3f9a01c2d4e5 --dry-run\n  \
    ubp undo 3f9a01c2d4e5\n\n\
    It takes back all that belongs together, as long as the files are as the change left them.")]
pub struct UndoArgs {
    /// The change, as `ubp audit` names it
    #[arg(value_name = "ENTRY")]
    pub entry: String,
    /// Show what would change, and change nothing
    #[arg(long)]
    pub dry_run: bool,
}
