//! `ubp impact`: pages affected by a change of a page, a source file or a folder.

use clap::Args;
use std::path::Path;

use ubp_core::ops::get_impact::{self, Params};

use crate::args::Global;
use crate::output::CommandResult;
use crate::session::Session;
use crate::terminal::{Terminal, answer};

/// `ubp impact`
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:\n  \
    ubp impact \"User Database\"               pages that depend on this page\n  \
    ubp impact src/auth/login.ts             pages that describe this file\n  \
    ubp impact src/auth                      pages that describe files in it\n  \
    ubp impact UserDB --link-type depends_on --type api --depth 5\n\n\
    The score is the strength of the weakest link on the path, halved for each hop after the first: \
    depends_on and source_refs 1.0, implements 0.9, extends 0.8, conflicts_with 0.7, others 0.5.")]
pub struct ImpactArgs {
    /// The changed page (path, id, title or alias), or the path of a source file or folder
    #[arg(value_name = "PAGE|FILE|FOLDER")]
    pub page: String,
    /// Hops to follow, 1 to 5 [default: 3]
    #[arg(long, value_name = "N")]
    pub depth: Option<usize>,
    /// Follow links of this type only (repeatable)
    #[arg(long = "link-type", value_name = "TYPE")]
    pub link_types: Vec<String>,
    /// Print only pages of this type (repeatable)
    #[arg(short = 't', long = "type", value_name = "TYPE")]
    pub doc_types: Vec<String>,
    /// Print at most N pages [default: 100]
    #[arg(short = 'n', long, value_name = "N")]
    pub limit: Option<usize>,
    /// Limit the answer to N tokens, at least 256 [default: no limit]
    #[arg(long, value_name = "N")]
    pub max_tokens: Option<usize>,
}

pub(crate) fn run(
    terminal: &mut Terminal<'_>,
    session: &Session,
    global: &Global,
    args: ImpactArgs,
) -> CommandResult {
    // A page, or an existing file at the typed path. Any other name is resolved from the project's folder, pages first.
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
