//! `ubp new`, `ubp mv` and `ubp rm`: create, move and delete pages, and update links.

use std::collections::BTreeMap;
use ubp_core::message::Message;
use ubp_core::{message, word};

use clap::Args;
use ubp_core::ops::move_files::{self, Moved};
use ubp_core::ops::{create_page, delete_page, list_templates, rename, rename_page};
use ubp_core::templates::field::{Field, Given};
use ubp_core::{Context, Error};

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
    ubp mv users.md roles.md people/         move several pages\n  \
    ubp mv guides/ handbook/                 move a folder with all that is in it\n  \
    ubp mv users \"User Accounts\"             change the title\n  \
    ubp mv users accounts.md --title \"User Accounts\" --dry-run\n  \
    ubp mv 'guide.md#Setup' Install          rename a heading\n  \
    ubp mv 'guide.md#^steps' ^procedure      rename a block\n  \
    ubp mv '#auth' '#security/auth'          rename a tag, and the tags below it\n  \
    ubp mv users --alias Accounts Members    rename an alias\n\n\
    An argument that ends in .md or contains a / is a path below the pages folder; others are titles.")]
pub struct MvArgs {
    /// Pages (path, id, title or alias), folders, a heading or a tag; then the new path, title or name
    #[arg(value_name = "FROM... TO", required = true)]
    pub names: Vec<String>,
    /// New title, in addition to a new path
    #[arg(long, value_name = "TITLE", conflicts_with = "alias")]
    pub title: Option<String>,
    /// Rename this alias of the page
    #[arg(long, value_name = "ALIAS")]
    pub alias: Option<String>,
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
    let MvArgs { mut names, title, alias, dry_run } = args;
    let to = if names.len() == 1 && title.is_some() { None } else { names.pop() };
    let Some(from) = names.first().cloned() else {
        return Err(refused(message!("expected what to move, and its new path, title or name")));
    };
    if let Some((page, part)) = part_of(session, &from, alias.as_deref()) {
        let Some(new) = to.filter(|_| names.len() == 1 && title.is_none()) else {
            return Err(refused(message!("expected '{from}' and one new name", from)));
        };
        let mut params = rename::Params { new, dry_run, ..rename::Params::default() };
        match part {
            Part::Heading(heading) => params.heading = Some(heading),
            Part::Block(block) => params.block = Some(block),
            Part::Alias(alias) => params.alias = Some(alias),
            Part::Tag(tag) => params.tag = Some(tag),
        }
        params.page = page.map(|page| session.page(terminal, &page));
        let output = session.write(terminal, |context| rename::run(context, params))?;
        return answer(terminal, &output, rename::show);
    }
    // One name without a slash is that of a page, even if a folder has it, too.
    let may_be_folder = |name: &str| name.ends_with('/') || names.len() > 1;
    let folder = |name: &String| {
        let there = session.folder_below_pages(name).filter(|_| may_be_folder(name));
        // A missing folder is not a page.
        let missing =
            || name.ends_with('/').then(|| session.place_of_page(name).trim_end_matches('/').to_owned());
        there.or_else(missing)
    };
    let folders: Vec<Option<String>> = names.iter().map(folder).collect();
    if names.len() > 1 || folders.iter().any(Option::is_some) {
        let Some(to) = to.filter(|_| title.is_none()) else {
            return Err(refused(message!("expected the folder to which to move these")));
        };
        let moves = several(terminal, session, &names, &folders, &to)?;
        let params = move_files::Params { moves, dry_run };
        let output = session.write(terminal, |context| move_files::run(context, params))?;
        return answer(terminal, &output, move_files::show);
    }
    let is_path = |to: &str| to.contains('/') || ubp_core::path::is_page(to);
    let (path, title) = match to {
        Some(to) if is_path(&to) => (Some(session.place_of_page(&to)), title),
        to => (None, title.or(to)),
    };
    let page = session.page(terminal, &from);
    let params = rename_page::Params { page, path, title, expected_hash: None, dry_run };
    let output = session.write(terminal, |context| rename_page::run(context, params))?;
    answer(terminal, &output, rename_page::show)
}

fn refused(message: Message) -> Failure {
    Error::invalid(message).into()
}

/// What is renamed on a page, or on all of them.
enum Part {
    Heading(String),
    Block(String),
    Alias(String),
    Tag(String),
}

/// The page and what is renamed on it, if it is not the page itself. A page may have `#` in its name.
fn part_of(session: &Session, from: &str, alias: Option<&str>) -> Option<(Option<String>, Part)> {
    if let Some(alias) = alias {
        return Some((Some(from.to_owned()), Part::Alias(alias.to_owned())));
    }
    if session.is_page(from) {
        return None;
    }
    let (page, part) = from.split_once('#')?;
    if page.is_empty() {
        return Some((None, Part::Tag(part.to_owned())));
    }
    let part = match part.strip_prefix('^') {
        Some(block) => Part::Block(block.to_owned()),
        None => Part::Heading(part.to_owned()),
    };
    Some((Some(page.to_owned()), part))
}

/// The moves of several pages and folders to a folder, or of one folder to another path.
fn several(
    terminal: &mut Terminal<'_>,
    session: &Session,
    names: &[String],
    folders: &[Option<String>],
    to: &str,
) -> Result<Vec<Moved>, Failure> {
    let into = session.folder_below_pages(to);
    let is_into = into.is_some() || names.len() > 1;
    if names.len() > 1 && into.is_none() && !to.ends_with('/') {
        let to = to.to_owned();
        return Err(refused(message!(
            "several pages move to a folder, and '{to}' is not one; end it with a /",
            to
        )));
    }
    let target = into.unwrap_or_else(|| session.place_of_page(to));
    let target = target.trim_end_matches('/');
    let mut moves = Vec::new();
    for (name, folder) in names.iter().zip(folders) {
        let from = match folder {
            Some(folder) => folder.clone(),
            None => {
                let page = session.page(terminal, name);
                session.write(terminal, |context| rename_page::path_of(context, &page))?
            }
        };
        let to = match is_into {
            true => format!("{target}/{}", ubp_core::path::file_name(&from)),
            false => target.to_owned(),
        };
        moves.push(Moved { from, to: to.trim_start_matches('/').to_owned() });
    }
    Ok(moves)
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
