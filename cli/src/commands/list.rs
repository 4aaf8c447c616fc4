//! `ubp list`: list pages.

use crate::args::choice::{self, one_of};
use clap::{Args, ValueEnum};
use console::truncate_str;
use ubp_core::freshness::Staleness;
use ubp_core::message;
use ubp_core::message::Message;
use ubp_core::ops::PageFields;
use ubp_core::ops::list_pages::{self, ListedPage, Output, Params, SortKey, SortOrder};

use crate::ExitStatus;
use crate::args::Global;
use crate::output::CommandResult;
use crate::page::TerminalPage;
use crate::session::Session;
use crate::terminal::{Terminal, answer};

/// `ubp list`
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:\n  \
    ubp list --sort updated_at --order desc --limit 10\n  \
    ubp list --type api --tag security\n  \
    ubp list --staleness stale --format paths\n  \
    ubp list --format table")]
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
    /// Sort key [default: title]
    #[arg(long, value_name = "KEY", value_parser = one_of::<SortKey>(choice::SORT))]
    pub sort: Option<SortKey>,
    /// Sort order [default: asc]
    #[arg(long, value_name = "ORDER", value_parser = one_of::<SortOrder>(choice::ORDER))]
    pub order: Option<SortOrder>,
    /// Print at most N pages [default: all]
    #[arg(short = 'n', long, value_name = "N")]
    pub limit: Option<usize>,
    /// Output format [default: text]
    #[arg(long, value_name = "FORMAT")]
    pub format: Option<Format>,
}

/// How the pages are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// One line per page
    Text,
    /// A table
    Table,
    /// Paths only
    Paths,
    /// For programs
    Json,
}

pub(crate) fn run(
    terminal: &mut Terminal<'_>,
    session: &Session,
    global: &Global,
    args: ListArgs,
) -> CommandResult {
    let params = Params {
        doc_type: args.doc_type,
        tags: args.tags,
        folder: args.folder.map(|folder| session.folder(&folder)),
        staleness: args.staleness,
        sort: args.sort,
        order: args.order,
        limit: args.limit,
        ..Params::default()
    };
    let output = session.read(terminal, global, |context| list_pages::run(context, params))?;
    terminal.json |= args.format == Some(Format::Json);
    match args.format {
        Some(Format::Paths) if !terminal.json => {
            for listed in &output.pages {
                terminal.put(terminal.path(&listed.page.filepath))?;
            }
            Ok(ExitStatus::Success)
        }
        Some(Format::Table) if !terminal.json => table(terminal, &output),
        _ => answer(terminal, &output, list_pages::show),
    }
}

/// Width of the title column. Paths are never cut: they are typed into the next command.
const TITLE: usize = 40;

fn table(terminal: &mut Terminal<'_>, output: &Output) -> CommandResult {
    let row = |listed: &ListedPage| {
        let PageFields { filepath, title, doc_type, updated_at, staleness, .. } = &listed.page;
        let day = updated_at.get(..10).unwrap_or(updated_at);
        let (out, back) = (listed.link_count.to_string(), listed.backlink_count.to_string());
        let title = truncate_str(title, TITLE, "…").into_owned();
        vec![
            title,
            doc_type.clone(),
            day.into(),
            out,
            back,
            terminal.told(&freshness(*staleness)),
            terminal.path(filepath),
        ]
    };
    let rows: Vec<Vec<String>> = output.pages.iter().map(row).collect();
    let mut page = TerminalPage::new(terminal);
    page.columns(
        &[
            message!("title"),
            message!("type"),
            message!("updated"),
            message!("out"),
            message!("in"),
            message!("freshness"),
            message!("path"),
        ],
        &rows,
        usize::MAX,
    );
    list_pages::show_count(output, &mut page);
    page.finish()?;
    Ok(ExitStatus::Success)
}

fn freshness(staleness: Staleness) -> Message {
    match staleness {
        Staleness::Fresh => message!("fresh"),
        Staleness::PossiblyStale => message!("possibly stale"),
        Staleness::Stale => message!("stale"),
        Staleness::Untracked => message!("untracked"),
    }
}
