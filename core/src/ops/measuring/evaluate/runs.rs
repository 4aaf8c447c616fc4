//! Runs every query with every setting.

use std::collections::{BTreeMap, HashMap};

use super::measures::{DEPTH, Latency, Measures};
use super::{NameKind, NameScore, Query, Run, Setting};
use crate::Context;
use crate::Result;
use crate::ops::search::{Prepared, SearchType};
use crate::progress::Stage;
use crate::search::{Filter, SearchMode, rank};

/// The results of one setting, in the order of the queries.
#[derive(Debug, Default)]
pub(super) struct Measured {
    pub queries: Vec<Measures>,
    pub micros: Vec<u64>,
    pub fallbacks: usize,
    pub unanswered: usize,
}

impl Measured {
    pub fn report(&self, setting: Setting) -> Run {
        Run {
            setting,
            measures: Measures::mean(&self.queries),
            latency_ms: Latency::of(self.micros.clone()),
            fallbacks: self.fallbacks,
            unanswered: self.unanswered,
        }
    }

    /// The measures for each kind of name; `kinds` are those of the queries, in order, or nothing.
    pub fn by_name(&self, kinds: &[NameKind]) -> Vec<NameScore> {
        let mut scores: BTreeMap<NameKind, Vec<Measures>> = BTreeMap::new();
        for (kind, measures) in kinds.iter().zip(&self.queries) {
            scores.entry(*kind).or_default().push(*measures);
        }
        let score = |(kind, of): (NameKind, Vec<Measures>)| NameScore {
            kind,
            query_count: of.len(),
            measures: Measures::mean(&of),
        };
        scores.into_iter().map(score).collect()
    }
}

/// Runs every query with every setting; `grades` are the grades of its pages.
pub(super) fn run(
    context: &Context<'_>,
    queries: &[&Query],
    grades: &HashMap<String, HashMap<i64, i64>>,
    settings: &[Setting],
) -> Result<Vec<Measured>> {
    let by_meaning = settings.iter().any(|setting| setting.mode != SearchMode::Fulltext);
    if let Some(first) = queries.first() {
        // Loading the model and the vectors must not count as query time.
        ask(context, first, by_meaning, settings)?;
    }
    let mut runs: Vec<Measured> = settings.iter().map(|_| Measured::default()).collect();
    for (done, query) in queries.iter().enumerate() {
        context.cancel.check()?;
        context.progress.advance(Stage::Queries, done, queries.len());
        let Some(grades) = grades.get(&query.id) else { continue };
        let judged: Vec<i64> = grades.values().copied().collect();
        let answers = ask(context, query, by_meaning, settings)?;
        for (run, answer) in runs.iter_mut().zip(answers) {
            let ranked: Vec<i64> =
                answer.pages.iter().map(|page| grades.get(page).copied().unwrap_or(0)).collect();
            run.queries.push(Measures::of(&ranked, &judged));
            run.micros.push(answer.micros);
            run.unanswered += usize::from(answer.pages.is_empty());
            run.fallbacks += usize::from(answer.search_type == SearchType::FulltextFallback);
        }
    }
    context.progress.advance(Stage::Queries, queries.len(), queries.len());
    Ok(runs)
}

struct Answer {
    /// Page numbers, best first.
    pages: Vec<i64>,
    micros: u64,
    search_type: SearchType,
}

/// Runs a query with every setting. The query is embedded once; that time is added to every setting that uses the
/// vector.
fn ask(context: &Context<'_>, query: &Query, by_meaning: bool, settings: &[Setting]) -> Result<Vec<Answer>> {
    let now = || context.clock.monotonic_micros();
    let begun = now();
    let mut prepared = Prepared::by_words(context, &query.text)?;
    let parsed = now();
    if by_meaning {
        prepared = prepared.with_meaning(context)?;
    }
    let embedded = now();
    let filter = Filter::default();
    let mut answers = Vec::with_capacity(settings.len());
    for setting in settings {
        let started = now();
        // If links do not count, the request ignores these values.
        let (alpha, depth) = (setting.alpha.unwrap_or(1.0), setting.depth.unwrap_or(0));
        let request = prepared.request(setting.mode, alpha, depth, &[], &filter);
        let hits = context.index.read(|db| rank(db, &request))?;
        let ranking = now().saturating_sub(started);
        let before = if setting.mode == SearchMode::Fulltext { parsed } else { embedded };
        answers.push(Answer {
            pages: hits.iter().take(DEPTH).map(|hit| hit.page).collect(),
            micros: before.saturating_sub(begun) + ranking,
            search_type: prepared.search_type(setting.mode),
        });
    }
    Ok(answers)
}
