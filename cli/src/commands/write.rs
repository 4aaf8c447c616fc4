//! `ubp new`, `ubp mv` and `ubp rm`: pages made, moved and deleted, with their links.

use clap::Args;
use ubp_core::ops::{create_page, delete_page, rename_page};

use crate::ExitStatus;
use crate::output::CommandResult;
use crate::session::{Session, Terminal, answer};

/// `ubp new`
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:\n  \
    ubp new \"Login Feature\"\n  \
    ubp new \"Login API\" --folder api --type api --tag security\n  \
    ubp new \"Sessions\" --source src/auth/session.rs --dry-run\n\n\
    The file is named after the title. Nothing is ever written over. A name that another page has is refused,\n\
    because links to that page could lead to the new one.")]
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
    /// Create the page even if its name is taken; links to other pages may then lead to it
    #[arg(long)]
    pub allow_same_name: bool,
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

pub(crate) fn new(terminal: &mut Terminal<'_>, session: &Session, args: NewArgs) -> CommandResult {
    let params = create_page::Params {
        title: args.title,
        path: args.path.map(|path| terminal.below_pages(&path)),
        folder: args.folder.map(|folder| terminal.below_pages(&folder)),
        content: String::new(),
        doc_type: args.doc_type,
        tags: args.tags,
        source_refs: args.sources,
        allow_same_name: args.allow_same_name,
        dry_run: args.dry_run,
    };
    let output = session.write(terminal, |context| create_page::run(context, params))?;
    answer(terminal, &output, create_page::show)
}

pub(crate) fn mv(terminal: &mut Terminal<'_>, session: &Session, args: MvArgs) -> CommandResult {
    let is_path = |to: &str| to.contains('/') || ubp_core::path::is_page(to);
    let (path, title) = match args.to {
        Some(to) if is_path(&to) => (Some(terminal.below_pages(&to)), args.title),
        to => (None, args.title.or(to)),
    };
    let params = rename_page::Params {
        page: terminal.below_pages(&args.page),
        path,
        title,
        expected_hash: None,
        dry_run: args.dry_run,
    };
    let output = session.write(terminal, |context| rename_page::run(context, params))?;
    answer(terminal, &output, rename_page::show)
}

pub(crate) fn rm(terminal: &mut Terminal<'_>, session: &Session, args: RmArgs) -> CommandResult {
    for page in args.pages {
        let params = delete_page::Params {
            page: terminal.below_pages(&page),
            unlink: args.unlink,
            confirm: true,
            expected_hash: None,
            dry_run: args.dry_run,
        };
        let output = session.write(terminal, |context| delete_page::run(context, params))?;
        answer(terminal, &output, delete_page::show)?;
    }
    Ok(ExitStatus::Success)
}
