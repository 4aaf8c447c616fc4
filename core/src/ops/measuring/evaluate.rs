//! Measures the quality of search on questions with known answers, to tune a project or to judge a change of the
//! ranking.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::Context;
use crate::index::questions::pages;
use crate::message;
use crate::ops::Facts;
use crate::ops::budget;
use crate::search::SearchMode;
use crate::{Error, Result};

mod compare;
mod documents;
mod judgements;
mod measures;
mod names;
mod report;
mod runs;
mod show;
mod significance;
#[cfg(test)]
mod tests;

pub use measures::{Latency, Measures};
pub use names::NameKind;
pub use report::{
    Comparison, NameScore, Output, QueryDifference, QueryScore, Run, Setting, Unresolved, UnresolvedJudgement,
};
pub use show::show;

use documents::Library;
use names::Names;

/// Facts about this operation.
pub const FACTS: Facts =
    Facts::reading("Measure the quality of search on questions with known answers; compare settings.")
        .command("eval");

/// Default alphas of a comparison.
const ALPHAS: [f64; 5] = [0.3, 0.5, 0.7, 0.9, 1.0];

/// What to measure, with which settings.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// The questions; none with `names`.
    #[serde(default)]
    pub queries: Vec<Query>,
    /// The pages that answer them; none with `names`.
    #[serde(default)]
    pub judgements: Vec<Judgement>,
    /// Ask for the names of the project instead: titles, aliases, headings, texts of links, and words that only one
    /// page has in its name. The right answer is the page that is called so.
    #[serde(default)]
    pub names: bool,
    /// Texts to search instead of the project's pages.
    pub documents: Option<Vec<Document>>,
    /// Links between these texts.
    #[serde(default)]
    pub links: Vec<DocumentLink>,
    /// Compare all modes, and hybrid search with several alphas and depths.
    #[serde(default)]
    pub compare: bool,
    /// What to rank by: hybrid (default), vector or fulltext. Not with `compare`.
    pub mode: Option<SearchMode>,
    /// Weights of relevance against links, 0 to 1; more than one only with `compare`.
    #[serde(default)]
    pub alphas: Vec<f64>,
    /// Hops over which linked pages raise each other's relevance, 1 to 3; more than one only with `compare`.
    #[serde(default)]
    pub depths: Vec<usize>,
    /// Maximum number of queries listed of each kind: the weakest, the largest wins and losses. 0 to 100 (default:
    /// 5).
    #[schemars(range(min = 0, max = 100))]
    pub examples: Option<usize>,
}

/// A question.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Query {
    /// Its id in judgements.
    pub id: String,
    /// Words, a question, or "an exact phrase" in quotes.
    pub text: String,
}

/// How well a page answers a query.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Judgement {
    /// Id of the query.
    pub query: String,
    /// The page: path, id, title or alias; the id of a document if there are documents.
    pub page: String,
    /// Above 0: relevant; a higher grade is more relevant. Otherwise not relevant.
    pub grade: i64,
}

/// A text to search.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Document {
    /// Its id in judgements and links.
    pub id: String,
    /// Its title.
    pub title: Option<String>,
    /// Its text, as Markdown.
    pub text: String,
}

/// A link between documents.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DocumentLink {
    /// Id of the document that links.
    pub from: String,
    /// Id of the document that it links to.
    pub to: String,
    /// The link's type (default: `references`).
    pub link_type: Option<String>,
}

/// The settings to run.
struct Plan {
    /// The setting that others are compared with; one of `modes`.
    baseline: Setting,
    modes: Vec<Setting>,
    settings: Vec<Setting>,
}

impl Plan {
    fn new(context: &Context<'_>, params: &Params) -> Result<Self> {
        let defaults = &context.manifest.search;
        if let Some(alpha) = params.alphas.iter().find(|alpha| !(0.0..=1.0).contains(*alpha)) {
            return Err(Error::invalid(message!("alpha is {alpha}; it must be from 0 to 1", alpha)));
        }
        if let Some(&depth) = params.depths.iter().find(|depth| !(1..=3).contains(*depth)) {
            return Err(Error::invalid(message!("depth is {depth}; it must be from 1 to 3", depth)));
        }
        if params.compare {
            return Self::comparison(params, defaults.alpha, defaults.depth);
        }
        if params.alphas.len() > 1 || params.depths.len() > 1 {
            return Err(Error::invalid(message!("several alphas or depths need `compare`")));
        }
        let alpha = params.alphas.first().copied().unwrap_or(defaults.alpha);
        let depth = params.depths.first().copied().unwrap_or(defaults.depth);
        let baseline = setting(params.mode.unwrap_or_default(), alpha, depth);
        Ok(Self { baseline, modes: vec![baseline], settings: Vec::new() })
    }

    fn comparison(params: &Params, alpha: f64, depth: usize) -> Result<Self> {
        if params.mode.is_some() {
            return Err(Error::invalid(message!(
                "`compare` measures every mode; pass `compare` or `mode`, not both"
            )));
        }
        let modes = [SearchMode::Fulltext, SearchMode::Vector, SearchMode::Hybrid];
        let alphas = match (params.alphas.is_empty(), params.depths.is_empty()) {
            (true, true) => ALPHAS.to_vec(),
            (true, false) => vec![alpha],
            (false, _) => params.alphas.clone(),
        };
        let depths = if params.depths.is_empty() { vec![depth] } else { params.depths.clone() };
        let mut settings: Vec<Setting> = Vec::new();
        for &depth in &depths {
            for &alpha in &alphas {
                let setting = setting(SearchMode::Hybrid, alpha, depth);
                if !settings.contains(&setting) {
                    settings.push(setting);
                }
            }
        }
        Ok(Self {
            baseline: setting(SearchMode::Hybrid, alpha, depth),
            modes: modes.map(|mode| setting(mode, alpha, depth)).to_vec(),
            settings,
        })
    }

    /// All settings, without duplicates.
    fn all(&self) -> Vec<Setting> {
        let mut all = self.modes.clone();
        all.extend(self.settings.iter().filter(|setting| !self.modes.contains(setting)));
        all
    }
}

fn setting(mode: SearchMode, alpha: f64, depth: usize) -> Setting {
    let links = mode != SearchMode::Fulltext;
    Setting { mode, alpha: links.then_some(alpha), depth: links.then_some(depth) }
}

/// Runs every query with every setting, and scores the results against the judgements.
///
/// # Errors
/// [`Error::InvalidParams`] for values out of range, duplicate ids, and a set without measurable queries;
/// [`Error::Model`], [`Error::Database`], [`Error::Cancelled`].
pub fn run(context: &Context<'_>, params: Params) -> Result<Output> {
    let plan = Plan::new(context, &params)?;
    let examples = budget::ranged("examples", params.examples, 5, 0, 100)?;
    if params.names
        && !(params.queries.is_empty() && params.judgements.is_empty() && params.documents.is_none())
    {
        return Err(Error::invalid(message!(
            "`names` makes its own queries from the pages; pass no queries, judgements or documents"
        )));
    }
    let Some(documents) = &params.documents else {
        if !params.links.is_empty() {
            return Err(Error::invalid(message!("links are for documents; pages have their own")));
        }
        return measure(context, None, &params, &plan, examples);
    };
    let library = Library::new(documents, &params.links, context.manifest)?;
    let inside = library.context(context);
    inside.refresh(false)?;
    if plan.modes.iter().any(|setting| setting.mode != SearchMode::Fulltext) {
        inside.embed(None)?;
    }
    measure(&inside, Some(&library), &params, &plan, examples)
}

fn measure(
    context: &Context<'_>,
    library: Option<&Library>,
    params: &Params,
    plan: &Plan,
    examples: usize,
) -> Result<Output> {
    let names = if params.names { context.index.read(Names::of)? } else { Names::default() };
    let asked = if params.names { &names.queries } else { &params.queries };
    let mut judged = judgements::resolve(context, library, asked, &params.judgements)?;
    judged.grades.extend(names.grades);
    let queries: Vec<&Query> = asked.iter().filter(|query| judged.grades.contains_key(&query.id)).collect();
    if queries.is_empty() {
        return Err(nothing_to_measure(params, &judged));
    }
    let all = plan.all();
    let runs = runs::run(context, &queries, &judged.grades, &all)?;
    let of =
        |setting: &Setting| all.iter().zip(&runs).find(|(other, _)| *other == setting).map(|(_, run)| run);
    let baseline = of(&plan.baseline).ok_or_else(|| Error::Internal("the baseline was not run".into()))?;
    let mut comparisons = Vec::new();
    for (setting, run) in all.iter().zip(&runs).filter(|(setting, _)| **setting != plan.baseline) {
        let compared = compare::compare(*setting, &queries, baseline, run, examples, context.cancel)?;
        comparisons.push(compared);
    }
    Ok(Output {
        query_count: queries.len(),
        skipped_query_count: asked.len() - queries.len(),
        page_count: context.index.read(pages::count)?,
        link_count: context.index.graph()?.edge_count(),
        unresolved_link_count: library.map_or(0, |library| library.unresolved_links),
        unresolved_judgements: judged.unresolved,
        unknown_query_judgement_count: judged.unknown_queries,
        baseline: plan.baseline,
        modes: plan
            .modes
            .iter()
            .filter_map(|setting| Some((mode_name(setting.mode).to_owned(), of(setting)?.report(*setting))))
            .collect(),
        settings: plan.settings.iter().filter_map(|setting| Some(of(setting)?.report(*setting))).collect(),
        comparisons,
        names: baseline.by_name(&names.kinds),
        weakest: compare::weakest(&queries, baseline, examples),
        index: context.index_state()?,
    })
}

/// The name of a mode in answers.
fn mode_name(mode: SearchMode) -> &'static str {
    match mode {
        SearchMode::Hybrid => "hybrid",
        SearchMode::Vector => "vector",
        SearchMode::Fulltext => "fulltext",
    }
}

fn nothing_to_measure(params: &Params, judged: &judgements::Judged) -> Error {
    let queries = params.queries.len();
    let missing: Vec<&str> = judged.unresolved.examples.iter().map(|j| j.page.as_str()).take(3).collect();
    Error::invalid(match (queries, missing.is_empty()) {
        (0, _) if params.names => message!("there are no pages to ask for"),
        (0, _) => message!("there are no queries"),
        (_, false) => message!(
            "none of the queries has a relevant page; judgements whose page is unknown or ambiguous: {count}, such as {missing}",
            count = judged.unresolved.count,
            missing = missing.join(", ")
        ),
        (_, true) => message!("none of the queries has a relevant judgement"),
    })
}
