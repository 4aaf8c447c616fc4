//! `ubp eval`: measure search on questions with known answers.

use crate::args::choice::{self, one_of};
use clap::Args;
use serde::Serialize;
use std::path::Path;
use std::path::PathBuf;

use ubp_core::Error;
use ubp_core::message;
use ubp_core::ops::evaluate::{self, Params};
use ubp_core::ops::evaluate_staleness;
use ubp_core::ops::evaluate_suggestions;
use ubp_core::search::SearchMode;
use ubp_core::show::Page;

use crate::ExitStatus;
use crate::args::Global;
use crate::output::{CommandResult, Failure};
use crate::session::{Session, replaying, without_project};
use crate::terminal::{Terminal, answer};

mod set;

use set::Set;

/// `ubp eval`
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:\n  \
    ubp eval questions                           use the settings of the project\n  \
    ubp eval --names                             are pages found by their names?\n  \
    ubp eval --suggestions removed.jsonl         are suggested links right?\n  \
    ubp eval questions --compare                 every mode, and several alphas\n  \
    ubp eval questions --compare --alpha 0.6,0.8 --depth 1,2\n  \
    ubp eval questions --mode fulltext --json\n  \
    ubp eval --staleness                         are stale pages reported rightly?\n  \
    ubp eval --staleness ~/code/app --commits 500\n\n\
    SET is a folder with queries.jsonl ({\"id\": …, \"text\": …} on each line) and qrels.tsv (query id, \
    page, grade, separated by tabs; a grade above 0 means relevant). With corpus.jsonl in it ({\"id\": …, \
    \"title\": …, \"text\": …}) these texts are searched instead of your pages, linked by links.tsv.")]
pub struct EvalArgs {
    /// Folder with queries.jsonl and qrels.tsv
    #[arg(value_name = "SET", required_unless_present_any = ["names", "suggestions", "staleness"])]
    pub set: Option<PathBuf>,
    /// Ask for titles, aliases, headings, texts of links, and words that only one page has in its name
    #[arg(long, conflicts_with = "set")]
    pub names: bool,
    /// Measure suggested links: a file with {"page": …, "gold": […]} on each line, links removed from the page
    #[arg(long, value_name = "FILE", conflicts_with_all = ["set", "names", "compare", "mode", "alpha", "depth", "queries"])]
    pub suggestions: Option<PathBuf>,
    /// With --suggestions: only lines whose "split" is NAME
    #[arg(long, value_name = "NAME", requires = "suggestions")]
    pub split: Option<String>,
    /// Replay the history of the repository REPO [default: of this project], and measure which pages would have been reported as stale
    #[arg(long, value_name = "REPO", num_args = 0..=1, default_missing_value = ".",
          conflicts_with_all = ["set", "names", "suggestions", "compare", "mode", "alpha", "depth", "queries"])]
    pub staleness: Option<PathBuf>,
    /// With --staleness: only the newest N commits [default: 2000]
    #[arg(long, value_name = "N", requires = "staleness")]
    pub commits: Option<usize>,
    /// Measure every mode and several settings, and compare them
    #[arg(long)]
    pub compare: bool,
    /// How to rank [default: hybrid]
    #[arg(long, value_name = "MODE", conflicts_with = "compare", value_parser = one_of::<SearchMode>(choice::MODE))]
    pub mode: Option<SearchMode>,
    /// Weight of relevance against links, 0.0 to 1.0; several to compare [default: 0.7, or search.alpha of the project]
    #[arg(long, value_name = "N,…", value_delimiter = ',', allow_negative_numbers = true)]
    pub alpha: Vec<f64>,
    /// Hops over which links add relevance, 1 to 3; several to compare [default: 2, or search.depth of the project]
    #[arg(long, value_name = "N,…", value_delimiter = ',')]
    pub depth: Vec<usize>,
    /// List at most N queries of each kind [default: 5]
    #[arg(long, value_name = "N")]
    pub queries: Option<usize>,
}

pub(crate) fn run(
    terminal: &mut Terminal<'_>,
    folder: &Path,
    global: &Global,
    args: &EvalArgs,
) -> CommandResult {
    if let Some(file) = &args.suggestions {
        let tasks = set::tasks(&folder.join(file), &file.to_string_lossy(), args.split.as_deref())?;
        let params = evaluate_suggestions::Params { tasks };
        let session = Session::open(terminal, folder)?;
        let output = session
            .read_with_vectors(terminal, global, |context| evaluate_suggestions::run(context, params))?;
        return answer(terminal, &output, evaluate_suggestions::show);
    }
    if let Some(repository) = &args.staleness {
        let params = evaluate_staleness::Params { commits: args.commits };
        let replayed =
            replaying(terminal, &folder.join(repository), |context| evaluate_staleness::run(context, params));
        return measured(terminal, replayed, evaluate_staleness::show);
    }
    let set = match &args.set {
        Some(set) => Set::read(&folder.join(set), &set.to_string_lossy())?,
        None => Set::default(),
    };
    let own_documents = set.documents.is_some();
    if !own_documents && !set.links.is_empty() {
        terminal.warn(message!("links.tsv ignored: it is for the documents of a corpus.jsonl"));
    }
    let params = Params {
        queries: set.queries,
        judgements: set.judgements,
        names: args.names,
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
    measured(terminal, evaluated, evaluate::show)
}

/// Shows the measurements, unless they were interrupted.
fn measured<T: Serialize>(
    terminal: &mut Terminal<'_>,
    output: Result<T, Failure>,
    show: fn(&T, &mut dyn Page),
) -> CommandResult {
    match output {
        Err(Failure::Engine(Error::Cancelled)) => {
            terminal.note(message!("interrupted; nothing was measured"));
            Ok(ExitStatus::Interrupted)
        }
        output => answer(terminal, &output?, show),
    }
}
