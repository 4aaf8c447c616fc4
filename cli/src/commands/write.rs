//! `ubp new`, `ubp mv` and `ubp rm`: create, move and delete pages, and update links.

use std::collections::BTreeMap;
use ubp_core::message::Message;
use ubp_core::word;

use clap::Args;
use ubp_core::Context;
use ubp_core::ops::{create_page, delete_page, list_templates, rename_page};
use ubp_core::templates::field::{Field, Given};

use crate::ExitStatus;
use crate::output::{CommandResult, Failure, printable};
use crate::session::Session;
use crate::terminal::{Terminal, answer};

/// `ubp new`
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:\n  \
    ubp new \"Login Feature\"\n  \
    ubp new \"Login API\" --folder api --type api --tag security\n  \
    ubp new \"Sessions\" --source src/auth/session.rs --dry-run\n  \
    ubp new \"Store sessions in PostgreSQL\" --template adr --field deciders=Ann,Bob\n  \
    ubp new --templates                      list the templates\n\n\
    The file is named after the title. No file is overwritten. The name of another page is refused,\n\
    because links to that page could then lead to the new one.\n\n\
    Without --template, the only template for the type or folder is used, if there is one. Fields that\n\
    a template requires are asked for on a terminal.")]
pub struct NewArgs {
    /// Title of the page
    #[arg(value_name = "TITLE", required_unless_present = "templates")]
    pub title: Option<String>,
    /// Create it from this template, by name or page type; `none` for no template
    #[arg(long, value_name = "NAME")]
    pub template: Option<String>,
    /// A value for a field of the template (repeatable)
    #[arg(long = "field", value_name = "NAME=VALUE", value_parser = field)]
    pub fields: Vec<(String, String)>,
    /// List the templates and their fields
    #[arg(long, conflicts_with_all = ["title", "template", "fields", "folder", "path", "doc_type", "tags", "sources"])]
    pub templates: bool,
    /// Folder, below the pages folder
    #[arg(long, value_name = "DIR", conflicts_with = "path")]
    pub folder: Option<String>,
    /// Path of the file, below the pages folder
    #[arg(long, value_name = "FILE")]
    pub path: Option<String>,
    /// Type, such as spec, api or guide
    #[arg(short = 't', long = "type", value_name = "TYPE")]
    pub doc_type: Option<String>,
    /// A tag (repeatable)
    #[arg(long = "tag", value_name = "TAG")]
    pub tags: Vec<String>,
    /// A file, folder or glob that the page describes (repeatable)
    #[arg(long = "source", value_name = "PATH")]
    pub sources: Vec<String>,
    /// Create the page even if another one has its name; links to that one may then lead to it
    #[arg(long)]
    pub allow_same_name: bool,
    /// Show what would be written without writing it
    #[arg(long)]
    pub dry_run: bool,
}

/// `ubp mv`
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:\n  \
    ubp mv users.md people/accounts.md       move the file and update links\n  \
    ubp mv users people/                     move it to another folder\n  \
    ubp mv users \"User Accounts\"             change the title\n  \
    ubp mv users accounts.md --title \"User Accounts\" --dry-run\n\n\
    An argument that ends in .md or contains a / is a path below the pages folder; others are titles.")]
pub struct MvArgs {
    /// The page: path, id, title or alias
    #[arg(value_name = "PAGE")]
    pub page: String,
    /// New path or title
    #[arg(value_name = "PATH|TITLE", required_unless_present = "title")]
    pub to: Option<String>,
    /// New title, in addition to a new path
    #[arg(long, value_name = "TITLE")]
    pub title: Option<String>,
    /// Show what would change without changing it
    #[arg(long)]
    pub dry_run: bool,
}

/// `ubp rm`
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:\n  \
    ubp rm drafts/old.md\n  \
    ubp rm old.md older.md --unlink          links to them become plain text\n  \
    ubp rm old.md --dry-run                  show the links that would break\n\n\
    Pages are moved to .ubp/trash/; `ubp undo` restores them.")]
pub struct RmArgs {
    /// Pages: paths, ids, titles or aliases
    #[arg(value_name = "PAGE", required = true)]
    pub pages: Vec<String>,
    /// Replace links to them with the text of the links
    #[arg(long)]
    pub unlink: bool,
    /// Show what would change without changing it
    #[arg(long)]
    pub dry_run: bool,
}

/// `NAME=VALUE`.
fn field(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or(word!("expected NAME=VALUE"))?;
    Ok((name.trim().to_owned(), value.to_owned()))
}

/// The values of each field; one that is repeated is a list.
fn given(fields: Vec<(String, String)>) -> BTreeMap<String, Given> {
    let mut given = BTreeMap::new();
    for (name, value) in fields {
        let before = given.remove(&name);
        let value = match before {
            None => Given::Text(value),
            Some(Given::List(items)) => Given::List([items, vec![value]].concat()),
            Some(Given::Text(first)) => Given::List(vec![first, value]),
            Some(other) => other,
        };
        given.insert(name, value);
    }
    given
}

/// Asks for fields that a template requires, until each has a value or the input ends.
fn ask(
    terminal: &mut Terminal<'_>,
    missing: &[Field],
    params: &mut create_page::Params,
) -> Result<(), Failure> {
    for field in missing {
        let about = match (field.values.is_empty(), &field.description) {
            (false, _) => format!(" ({})", field.values.join(", ")),
            (true, Some(description)) => format!(" ({})", printable(description)),
            (true, None) => String::new(),
        };
        let answer = terminal.ask(Message::verbatim(format!("{}{about}:", printable(&field.name))))?;
        if answer.is_empty() {
            break;
        }
        params.fields.insert(field.name.clone(), Given::Text(answer));
    }
    Ok(())
}

pub(crate) fn new(terminal: &mut Terminal<'_>, session: &Session, args: NewArgs) -> CommandResult {
    let Some(title) = args.title.filter(|_| !args.templates) else {
        let list = |context: &Context<'_>| list_templates::run(context, list_templates::Params::default());
        let output = session.write(terminal, list)?;
        return answer(terminal, &output, list_templates::show);
    };
    let mut params = create_page::Params {
        title,
        template: args.template,
        fields: given(args.fields),
        path: args.path.map(|path| session.place_of_page(&path)),
        folder: args.folder.map(|folder| session.folder(&folder)),
        content: String::new(),
        doc_type: args.doc_type,
        tags: args.tags,
        source_refs: args.sources,
        allow_same_name: args.allow_same_name,
        dry_run: args.dry_run,
    };
    if terminal.can_ask() {
        let missing = session.write(terminal, |context| create_page::missing_fields(context, &params))?;
        ask(terminal, &missing, &mut params)?;
    }
    let output = session.write(terminal, |context| create_page::run(context, params))?;
    answer(terminal, &output, create_page::show)
}

pub(crate) fn mv(terminal: &mut Terminal<'_>, session: &Session, args: MvArgs) -> CommandResult {
    let is_path = |to: &str| to.contains('/') || ubp_core::path::is_page(to);
    let (path, title) = match args.to {
        Some(to) if is_path(&to) => (Some(session.place_of_page(&to)), args.title),
        to => (None, args.title.or(to)),
    };
    let params = rename_page::Params {
        page: session.page(terminal, &args.page),
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
            page: session.page(terminal, &page),
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
