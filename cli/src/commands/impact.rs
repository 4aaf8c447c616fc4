//! `ubp impact`: who is affected when a page, a source file or a folder of either changes.

use std::path::Path;

use ubp_core::graph::impact::SOURCE_REFS;
use ubp_core::ops::get_impact::{self, Params};
use ubp_core::ops::{Step, StepDirection};

use crate::args::{Global, ImpactArgs};
use crate::output::{CommandResult, printable};
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

/// The beginning of a way: a page, or a file that one names.
pub(super) fn place(terminal: &Terminal<'_>, from: &str, first: &Step) -> String {
    let is_file = first.link_type == SOURCE_REFS || !ubp_core::path::is_page(from);
    if is_file { terminal.project_path(from) } else { terminal.path(from) }
}

pub(super) fn told(terminal: &Terminal<'_>, step: &Step) -> String {
    let arrow = if step.direction == StepDirection::Outgoing { "->" } else { "<-" };
    format!("{arrow} {} ({})", terminal.path(&step.to), printable(&step.link_type))
}
