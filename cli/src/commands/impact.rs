//! `ubp impact`: who is affected when a page, a source file or a folder of either changes.

use std::path::Path;

use ubp_core::ops::get_impact::{self, Params};

use crate::args::{Global, ImpactArgs};
use crate::output::CommandResult;
use crate::session::{Session, Terminal, answer};

pub(crate) fn run(
    terminal: &mut Terminal<'_>,
    session: &Session,
    folder: &Path,
    global: &Global,
    args: ImpactArgs,
) -> CommandResult {
    // What is there under the current folder is meant as it would be by any other command; the project's
    // own folder is where names are looked up, pages first.
    let seen = super::refs::source_path(session, folder, Path::new(&args.page));
    let is_elsewhere = seen != args.page && folder.join(&args.page).exists();
    let (page, file) = if is_elsewhere { (None, Some(seen)) } else { (Some(args.page), None) };
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
