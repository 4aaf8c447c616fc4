//! `ubp add`: index pages and compute their vectors.

use clap::Args;
use ubp_core::message;

use ubp_core::ops::add::{self, Params};

use crate::output::CommandResult;
use crate::session::Session;
use crate::terminal::{Terminal, answer};

/// `ubp add`
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:\n  \
    ubp add                         every page\n  \
    ubp add pages/login.md          this page, and any others that changed\n  \
    ubp add pages/api               the pages in this folder\n  \
    ubp add --create-missing        also create pages for broken links")]
pub struct AddArgs {
    /// Pages, or folders of pages [default: all pages]
    #[arg(value_name = "PAGE|FOLDER")]
    pub pages: Vec<String>,
    /// Create an empty page for each broken link on these pages
    #[arg(long)]
    pub create_missing: bool,
}

pub(crate) fn run(terminal: &mut Terminal<'_>, session: &Session, args: AddArgs) -> CommandResult {
    args.pages.iter().try_for_each(|page| session.require_inside(page))?;
    let pages = session.pages(
        terminal,
        &args.pages,
        message!("there are no pages in this folder"),
        |_, folder| {
            let is_inside = |path: &String| {
                folder.is_empty() || path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
            };
            let listed = session.engine.source.list()?.pages.into_iter().map(|file| file.path);
            Ok(listed.filter(is_inside).collect())
        },
    )?;
    let params = Params { pages, create_missing: args.create_missing };
    let output = session.write_vectors(terminal, |context| add::run(context, params))?;
    answer(terminal, &output, add::show)
}
