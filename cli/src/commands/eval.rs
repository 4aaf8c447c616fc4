//! `ubp eval`: measure search on questions with known answers.

use std::path::Path;

use ubp_core::Error;
use ubp_core::ops::evaluate::{self, Params};
use ubp_core::search::SearchMode;

use crate::ExitStatus;
use crate::args::{EvalArgs, Global};
use crate::output::{CommandResult, Failure};
use crate::session::{Session, Terminal, answer, without_project};

mod set;

use set::Set;

pub(crate) fn run(
    terminal: &mut Terminal<'_>,
    folder: &Path,
    global: &Global,
    args: &EvalArgs,
) -> CommandResult {
    let set = Set::read(&folder.join(&args.set), &args.set.to_string_lossy())?;
    let own_documents = set.documents.is_some();
    if !own_documents && !set.links.is_empty() {
        terminal.warn("links.tsv is passed over: it is for the documents of a corpus.jsonl");
    }
    let params = Params {
        queries: set.queries,
        judgements: set.judgements,
        documents: set.documents,
        links: if own_documents { set.links } else { Vec::new() },
        compare: args.compare,
        mode: args.mode,
        alphas: args.alpha.clone(),
        depths: args.depth.clone(),
        examples: args.queries,
    };
    let by_meaning = args.compare || args.mode != Some(SearchMode::Fulltext);
    let evaluated = match Session::open(terminal, folder) {
        Err(Failure::Engine(Error::NoProject { .. })) if own_documents => {
            without_project(terminal, |context| evaluate::run(context, params))
        }
        Err(failure) => return Err(failure),
        Ok(session) if own_documents => session.write(terminal, |context| evaluate::run(context, params)),
        Ok(session) if by_meaning => {
            session.read_with_vectors(terminal, global, |context| evaluate::run(context, params))
        }
        Ok(session) => session.read(terminal, global, |context| evaluate::run(context, params)),
    };
    match evaluated {
        Err(Failure::Engine(Error::Cancelled)) => {
            terminal.note("interrupted; nothing was measured");
            Ok(ExitStatus::Interrupted)
        }
        evaluated => answer(terminal, &evaluated?, evaluate::show),
    }
}
