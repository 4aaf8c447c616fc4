//! `ubp review`: record that pages match their code.

use clap::Args;
use ubp_core::freshness::Staleness;
use ubp_core::message;
use ubp_core::ops::list_pages;
use ubp_core::ops::review_page::{self, Params};

use crate::ExitStatus;
use crate::args::Global;
use crate::output::CommandResult;
use crate::session::Session;
use crate::terminal::{Terminal, answer};

/// `ubp review`
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:\n  \
    ubp review login.md                     record a page that is fresh\n  \
    ubp review --still-accurate login.md    its code changed; it is still accurate\n  \
    ubp review 'login.md#Session tokens'    one section, and those below it\n  \
    ubp review pages/api                    the fresh pages in this folder\n  \
    ubp review --all                        every page whose code did not change\n\n\
    The record is .ubp/refs.lock: commit it together with the pages.")]
pub struct ReviewArgs {
    /// Pages: paths, ids, titles or aliases; sections: PAGE#HEADING; folders: the pages in them that have sources
    #[arg(value_name = "PAGE|FOLDER", required_unless_present = "all")]
    pub pages: Vec<String>,
    /// Every page that has sources
    #[arg(long, conflicts_with = "pages")]
    pub all: bool,
    /// Also record pages whose code changed, because you read them again and they are accurate
    #[arg(long)]
    pub still_accurate: bool,
}

pub(crate) fn run(
    terminal: &mut Terminal<'_>,
    session: &Session,
    global: &Global,
    args: ReviewArgs,
) -> CommandResult {
    let none = message!("no page in this folder has sources, so there is nothing to review");
    let pages = session.pages(terminal, &args.pages, none, |terminal, folder| {
        let params = list_pages::Params { folder: Some(folder.into()), ..Default::default() };
        let listed = session.read(terminal, global, |context| list_pages::run(context, params))?;
        let tracked = listed.pages.into_iter().filter(|one| one.page.staleness != Staleness::Untracked);
        Ok(tracked.map(|one| one.page.filepath).collect())
    })?;
    let params = Params { pages, all: args.all, still_accurate: args.still_accurate, ..Params::default() };
    let output = session.read(terminal, global, |context| review_page::run(context, params))?;
    answer(terminal, &output, review_page::show)?;
    Ok(if output.refused.is_empty() { ExitStatus::Success } else { ExitStatus::Finding })
}
