//! Measures suggested links against links that were removed from pages: are as many right as their confidence says?

use std::collections::HashSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Context;
use crate::message;
use crate::message::Message;
use crate::ops::Facts;
use crate::ops::page::{IndexState, PageName};
use crate::search::rounded;
use crate::show::{Page, Span, counted};
use crate::suggest::Suggester;
use crate::{Error, Result};

/// Facts about this operation.
pub const FACTS: Facts = Facts::reading(
    "Measure suggested links against removed links: recall, and how often suggestions of each confidence are right.",
);

/// Suggestions of each page that are measured.
const BEST: usize = 10;

/// Number of bins between 0 and 1.
const BINS: usize = 10;

/// The removed links.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// Pages with the links that were removed from them.
    pub tasks: Vec<Task>,
}

/// A page whose links were removed.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Task {
    /// The page: path, id, title or alias.
    pub page: String,
    /// The pages that it linked to.
    pub gold: Vec<String>,
}

/// The measurements.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Output {
    /// Measured tasks.
    pub task_count: usize,
    /// Tasks skipped because their page, or all of their links, lead to missing pages.
    pub skipped_task_count: usize,
    /// Mean share of the removed links among the first five suggestions.
    pub recall_at_5: f64,
    /// The same for the first ten.
    pub recall_at_10: f64,
    /// The ten best suggestions of each page, by their confidence; bins without suggestions are left out.
    pub bins: Vec<Bin>,
    /// Mean difference between confidence and share of right suggestions, weighted by the suggestions of each bin.
    pub expected_calibration_error: f64,
    /// The same for suggestions with a confidence of 0.5 or more, which people look at.
    pub upper_calibration_error: f64,
    /// The project's threshold for suggestions.
    pub threshold: f64,
    /// Suggestions with at least that confidence.
    pub shown_count: usize,
    /// Those of them that are among the removed links.
    pub shown_right_count: usize,
    /// Whether the index is up to date.
    pub index: IndexState,
}

/// Suggestions of about the same confidence.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Bin {
    /// Lowest confidence in it.
    pub from: f64,
    /// Confidence at which the next bin begins.
    pub to: f64,
    /// Number of suggestions.
    pub count: usize,
    /// Those among the removed links.
    pub right_count: usize,
    /// Their mean confidence.
    pub confidence: f64,
    /// Share of right ones.
    pub share: f64,
}

/// Measures the suggestions.
///
/// # Errors
/// [`Error::InvalidParams`] if no task can be measured; [`Error::Database`], [`Error::Cancelled`].
pub fn run(context: &Context<'_>, params: Params) -> Result<Output> {
    let threshold = context.manifest.suggest.threshold;
    let task_count = params.tasks.len();
    let measured = context.index.read(|db| {
        let number = |name: &str| PageName { page: Some(name), ..PageName::default() }.require(db).ok();
        let suggester = Suggester::load(db, context.progress, context.cancel)?;
        let mut measured = Vec::new();
        for task in &params.tasks {
            context.cancel.check()?;
            let Some(page) = number(&task.page) else { continue };
            let gold: HashSet<i64> = task.gold.iter().filter_map(|name| number(name)).collect();
            if gold.is_empty() {
                continue;
            }
            let best = suggester.for_page(page).into_iter().take(BEST);
            let found: Vec<(f64, bool)> = best.map(|one| (one.score, gold.contains(&one.target))).collect();
            measured.push((gold.len(), found));
        }
        Ok(measured)
    })?;
    if measured.is_empty() {
        return Err(Error::invalid(message!("no task has a page and a removed link of this project")));
    }
    let recall = |most: usize| {
        let shares = measured.iter().map(|(gold, found)| {
            found.iter().take(most).filter(|(_, right)| *right).count() as f64 / *gold as f64
        });
        rounded(shares.sum::<f64>() / measured.len() as f64)
    };
    let all: Vec<(f64, bool)> = measured.iter().flat_map(|(_, found)| found.iter().copied()).collect();
    let bins: Vec<Bin> = (0..BINS).filter_map(|at| Bin::of(at, &all)).collect();
    let shown = all.iter().filter(|(confidence, _)| *confidence >= threshold);
    Ok(Output {
        task_count: measured.len(),
        skipped_task_count: task_count - measured.len(),
        recall_at_5: recall(5),
        recall_at_10: recall(BEST),
        expected_calibration_error: error(&bins, 0.0),
        upper_calibration_error: error(&bins, 0.5),
        bins,
        threshold,
        shown_count: shown.clone().count(),
        shown_right_count: shown.filter(|(_, right)| *right).count(),
        index: context.index_state()?,
    })
}

impl Bin {
    fn of(at: usize, all: &[(f64, bool)]) -> Option<Self> {
        let edge = |at: usize| at as f64 / BINS as f64;
        let is_last = at + 1 == BINS;
        let inside: Vec<_> = all
            .iter()
            .filter(|(confidence, _)| *confidence >= edge(at) && (is_last || *confidence < edge(at + 1)))
            .collect();
        let count = inside.len();
        let right_count = inside.iter().filter(|(_, right)| *right).count();
        (count > 0).then(|| Self {
            from: edge(at),
            to: edge(at + 1),
            count,
            right_count,
            confidence: rounded(inside.iter().map(|(confidence, _)| confidence).sum::<f64>() / count as f64),
            share: rounded(right_count as f64 / count as f64),
        })
    }
}

/// The expected calibration error of the bins from `least` on.
fn error(bins: &[Bin], least: f64) -> f64 {
    let counted = bins.iter().filter(|bin| bin.from >= least);
    let total: usize = counted.clone().map(|bin| bin.count).sum();
    let sum: f64 = counted.map(|bin| (bin.confidence - bin.share).abs() * bin.count as f64).sum();
    rounded(sum / total.max(1) as f64)
}

/// Shows the reliability table.
pub fn show(output: &Output, page: &mut dyn Page) {
    let tasks = counted(output.task_count, "page with removed links", "pages with removed links");
    page.line(&[Span::said(&tasks)]);
    page.gap();
    let rows: Vec<Vec<String>> = output
        .bins
        .iter()
        .rev()
        .map(|bin| {
            vec![
                format!("{:.1} to {:.1}", bin.from, bin.to),
                bin.count.to_string(),
                format!("{:.2}", bin.confidence),
                format!("{:.2}", bin.share),
            ]
        })
        .collect();
    page.table(
        &[message!("confidence"), message!("suggestions"), message!("mean"), message!("correct")],
        &rows,
    );
    page.gap();
    page.rows(
        &[
            (message!("recall@5"), shown(output.recall_at_5)),
            (message!("recall@10"), shown(output.recall_at_10)),
            (message!("calibration error"), shown(output.expected_calibration_error)),
            (message!("calibration error from 0.5 on"), shown(output.upper_calibration_error)),
            (
                message!("correct at {threshold} or more", threshold = output.threshold),
                message!("{right} of {count}", right = output.shown_right_count, count = output.shown_count),
            ),
        ],
        30,
    );
    if output.skipped_task_count > 0 {
        let skipped = counted(output.skipped_task_count, "task", "tasks");
        page.warn(&[Span::said(&message!("{skipped} skipped: the page or its links are missing", skipped))]);
    }
    page.note(&[Span::said(&message!(
        "suggestions of links that were not removed count as wrong, although some are good"
    ))]);
    output.index.show_with_vectors(page);
}

fn shown(figure: f64) -> Message {
    Message::verbatim(format!("{figure:.3}"))
}
