//! `ubp list`: the pages.

use crate::args::choice::{self, one_of};
use clap::Args;
use ubp_core::freshness::Staleness;
use ubp_core::ops::list_pages::SortKey;
use ubp_core::ops::list_pages::SortOrder;
use ubp_core::ops::list_pages::{self, Params};

use crate::args::Global;
use crate::output::CommandResult;
use crate::session::{Session, Terminal, answer};

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
    answer(terminal, &output, list_pages::show)
}
