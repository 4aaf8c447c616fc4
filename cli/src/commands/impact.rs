//! `ubp impact`: who is affected when a page, a source file or a folder of either changes.

use clap::Args;
use std::path::Path;

use ubp_core::ops::get_impact::{self, Params};

use crate::args::Global;
use crate::output::CommandResult;
use crate::session::{Session, Terminal, answer};

/// `ubp impact`
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:\n  \
    ubp impact \"User Database\"               who depends on this page\n  \
    ubp impact src/auth/login.ts             who describes this file\n  \
    ubp impact src/auth                      the same for everything in a folder\n  \
    ubp impact UserDB --link-type depends_on --type api --depth 5\n\n\
    The score is the strength of the weakest link on the way, halved by every hop but the first: \
    depends_on and source_refs 1.0, implements 0.9, extends 0.8, conflicts_with 0.7, others 0.5.")]
pub struct ImpactArgs {
    /// The page that changes (path, id, title or alias), or the path of a source file or folder
    #[arg(value_name = "PAGE|FILE|FOLDER")]
    pub page: String,
    /// Hops that the change may take, 1 to 5 [default: 3]
    #[arg(long, value_name = "N")]
    pub depth: Option<usize>,
    /// Let the change pass links of this type only (repeatable)
    #[arg(long = "link-type", value_name = "TYPE")]
    pub link_types: Vec<String>,
    /// Print only pages of this type (repeatable)
    #[arg(short = 't', long = "type", value_name = "TYPE")]
    pub doc_types: Vec<String>,
    /// Most pages to print [default: 100]
    #[arg(short = 'n', long, value_name = "N")]
    pub limit: Option<usize>,
    /// Keep the whole answer within N tokens, 256 or more [default: no limit]
    #[arg(long, value_name = "N")]
    pub max_tokens: Option<usize>,
}

pub(crate) fn run(
    terminal: &mut Terminal<'_>,
    session: &Session,
    global: &Global,
    args: ImpactArgs,
) -> CommandResult {
    // A page, or what lies where it was typed; a name is looked up from the project's folder, pages first.
    let (page, seen) = (session.page(terminal, &args.page), session.source(Path::new(&args.page)));
    let is_file = page == args.page && seen != args.page && session.project.root.join(&seen).exists();
    let (page, file) = if is_file { (None, Some(seen)) } else { (Some(page), None) };
    let params = Params {
        page,
        file,
        depth: args.depth,
        link_types: args.link_types,
        doc_types: args.doc_types,
        limit: args.limit,
        max_tokens: args.max_tokens,
        ..Params::default()
    };
    let output = session.read(terminal, global, |context| get_impact::run(context, params))?;
    answer(terminal, &output, get_impact::show)
}
