//! Replays the history of a project: of each commit that changes code, only the code is shown, and the sections that the
//! author changed with it are the right answer. How many of them would references to symbols have reported, and how many
//! others?

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Context;
use crate::message;
use crate::ops::Facts;
use crate::ports::CommitChanges;
use crate::progress::Stage;
use crate::{Error, Result};

mod bindings;
mod contents;
mod proposals;
mod score;
mod show;
mod step;

use bindings::Bindings;
use contents::Contents;
use score::Score;
pub use show::show;
use step::{Step, steps};

/// Facts about this operation.
pub const FACTS: Facts = Facts::reading(
    "Replay the history of the project, and measure which pages would have been reported as stale, and which rightly.",
);

/// Maximum number of commits, unless the parameters say otherwise.
const COMMITS: usize = 2_000;

/// Commits whose files are read together.
const TOGETHER: usize = 32;

/// Which commits.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// Replay only the newest commits, this many (default: 2000).
    pub commits: Option<usize>,
}

/// The measurements.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Output {
    /// Commits that were read.
    pub commit_count: usize,
    /// Hash of the first of them.
    pub first_commit: String,
    /// Hash of the last of them.
    pub last_commit: String,
    /// What was measured: references to whole files as the pages have them, references to symbols as the pages have them, and
    /// references to symbols that were proposed.
    pub replays: Vec<Replay>,
}

/// Where references come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum References {
    /// The pages name whole files, folders or globs.
    WrittenFiles,
    /// The pages name symbols.
    WrittenSymbols,
    /// Symbols that sections name in code spans, and that have one definition, in the middle of the history.
    ProposedSymbols,
}

/// A part of the history with one kind of references.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Replay {
    /// Where the references come from.
    pub references: References,
    /// Hash of the commit after which it begins.
    pub after_commit: String,
    /// Changes of code: commits that change code, each with the commits directly after it that change pages only.
    pub change_count: usize,
    /// Those of them in which no page changed.
    pub code_only_count: usize,
    /// Those in which no file of code has other tokens.
    pub equal_tokens_count: usize,
    /// Sections that the authors changed, in all changes of code together.
    pub edited_count: usize,
    /// Sections, or pages whose front matter has references, with references at the end.
    pub bound_count: usize,
    /// References to symbols whose symbol was gone after a change.
    pub gone_count: usize,
    /// Those of them that were followed to the new name.
    pub followed_count: usize,
    /// What each rule reports.
    pub rules: Vec<RuleFigures>,
}

/// When a section is reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Rule {
    /// A file that it names changed, or the file of a symbol.
    File,
    /// A symbol that it names changed or is gone.
    Symbol,
    /// The contract of a symbol that it names changed, or it is gone.
    Contract,
}

/// What a rule reports.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct RuleFigures {
    /// The rule.
    pub rule: Rule,
    /// Sections reported in changes of code and pages.
    pub reported_count: usize,
    /// Those of them that the author changed.
    pub right_count: usize,
    /// Share of right ones among the reported; null if none was reported.
    pub precision: Option<f64>,
    /// Sections with references that the author changed.
    pub bound_edited_count: usize,
    /// Share of them that was reported; null if there are none.
    pub recall: Option<f64>,
    /// Sections that the author changed, and of which a symbol changed or is gone.
    pub symbol_edited_count: usize,
    /// Share of them that was reported; null if there are none.
    pub symbol_recall: Option<f64>,
    /// Sections reported in changes of code only.
    pub alarm_count: usize,
    /// Mean number of them in a change of code only; null if there is none.
    pub alarms_per_code_only_change: Option<f64>,
    /// Sections reported in changes that leave all tokens equal.
    pub equal_tokens_alarm_count: usize,
}

/// Measures the history.
///
/// # Errors
/// [`Error::InvalidParams`] if the history has fewer than two commits; [`Error::Io`] when version control fails;
/// [`Error::Cancelled`].
pub fn run(context: &Context<'_>, params: Params) -> Result<Output> {
    let commits = context.history.first_parents(params.commits.unwrap_or(COMMITS))?;
    let (Some(first), Some(last)) = (commits.first(), commits.last().filter(|_| commits.len() > 1)) else {
        return Err(Error::invalid(message!(
            "there is no history to replay: the project needs at least two commits"
        )));
    };
    let mut contents = Contents::of(context);
    let steps = steps(context, &commits);
    // The state after the first half of the steps has both pages and code to propose references from.
    let middle = steps.get(steps.len() / 2).map_or(commits.len(), |step| step.first);
    let mut written_files = Score::new(References::WrittenFiles, &first.commit.id);
    let mut written_symbols = Score::new(References::WrittenSymbols, &first.commit.id);
    let before = middle.checked_sub(1).and_then(|place| commits.get(place)).unwrap_or(first);
    let mut proposed = Score::new(References::ProposedSymbols, &before.commit.id);
    let mut bound = Bindings::default();
    let mut files = start(context, first)?;
    let mut next = 1;
    for (done, part) in steps.chunks(TOGETHER).enumerate() {
        let until = part.last().map_or(next, |step| step.end);
        contents.read(&files, commits.get(next..until).unwrap_or_default())?;
        for (place, step) in part.iter().enumerate() {
            context.cancel.check()?;
            context.progress.advance(Stage::History, done * TOGETHER + place, steps.len());
            advance(&mut files, commits.get(next..step.first).unwrap_or_default());
            next = step.end;
            if step.first == middle {
                bound = proposals::propose(context, &mut contents, &files)?;
            }
            let shown =
                Step::of(context, &contents, &files, commits.get(step.first..step.end).unwrap_or_default());
            let written = Bindings::written(context, &contents, &files);
            written_files.add(&shown, &written.to_files());
            written_symbols.add(&shown, &written.to_symbols());
            if step.first >= middle {
                proposed.add(&shown, &bound);
                bound.follow(&shown);
            }
            advance(&mut files, commits.get(step.first..step.end).unwrap_or_default());
        }
    }
    context.progress.advance(Stage::History, steps.len(), steps.len());
    advance(&mut files, commits.get(next..).unwrap_or_default());
    contents.read(&files, &[])?;
    let written = Bindings::written(context, &contents, &files);
    Ok(Output {
        commit_count: commits.len(),
        first_commit: first.commit.id.clone(),
        last_commit: last.commit.id.clone(),
        replays: vec![
            written_files.finish(written.to_files().len()),
            written_symbols.finish(written.to_symbols().len()),
            proposed.finish(bound.len()),
        ],
    })
}

/// The hashes of the contents of all files, by path.
type Files = BTreeMap<String, String>;

/// The files at the first commit.
fn start(context: &Context<'_>, first: &CommitChanges) -> Result<Files> {
    let files = context.history.files_at(&first.commit.id)?;
    Ok(files.into_iter().map(|(path, file)| (path, file.id)).collect())
}

/// Applies what these commits changed.
fn advance(files: &mut Files, commits: &[CommitChanges]) {
    for file in commits.iter().flat_map(|commit| &commit.files) {
        match &file.after {
            Some(id) => files.insert(file.path.clone(), id.clone()),
            None => files.remove(&file.path),
        };
    }
}
