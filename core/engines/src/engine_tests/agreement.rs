//! All engines find the same results: the ten nearest paragraphs of this repository's documentation for twenty queries; in long
//! runs for fifty, with all paragraphs and both bundled models.

use ubp_core::embed::{MemoryFiles, ModelFiles};
use ubp_core::ports::TextKind;

use super::{bert, different, is_soak, xlmr};
use crate::{Engine, open};

const PAGES: &[&str] = &[
    include_str!("../../../../docs/faq.md"),
    include_str!("../../../../docs/freshness.md"),
    include_str!("../../../../docs/getting-started.md"),
    include_str!("../../../../docs/commands.md"),
    include_str!("../../../../docs/configuration.md"),
];
/// The pages, the longest paragraph in bytes and the number of queries outside of long runs.
const FEW_PAGES: usize = 3;
const SHORT: usize = 300;
const QUERIES: usize = 20;
const MANY_QUERIES: usize = 50;
const NEAREST: usize = 10;

/// The paragraphs of the pages, and a query for each of the first ones: its last words.
fn paragraphs() -> (Vec<&'static str>, Vec<String>) {
    let (pages, longest, count) =
        if is_soak() { (PAGES.len(), 1500, MANY_QUERIES) } else { (FEW_PAGES, SHORT, QUERIES) };
    let paragraphs: Vec<&str> = PAGES[..pages]
        .iter()
        .flat_map(|page| page.split("\n\n"))
        .map(str::trim)
        .filter(|paragraph| (80..longest).contains(&paragraph.len()) && !paragraph.starts_with("```"))
        .collect();
    let last_words = |paragraph: &&str| {
        let words: Vec<&str> = paragraph.split_whitespace().collect();
        words[words.len().saturating_sub(9)..].join(" ")
    };
    let queries = paragraphs.iter().map(last_words).take(count).collect();
    (paragraphs, queries)
}

/// Similarity of every query to every paragraph.
fn scores(engine: Engine, files: Box<dyn ModelFiles>) -> Vec<Vec<f32>> {
    let embedder = open(engine, files).unwrap();
    let (paragraphs, queries) = paragraphs();
    let paragraphs = embedder.embed(TextKind::Passage, &paragraphs).unwrap();
    let queries: Vec<&str> = queries.iter().map(String::as_str).collect();
    let queries = embedder.embed(TextKind::Query, &queries).unwrap();
    queries
        .iter()
        .map(|query| paragraphs.iter().map(|vector| super::cosine(query, vector)).collect())
        .collect()
}

fn nearest(scores: &[f32]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..scores.len()).collect();
    order.sort_by(|&a, &b| scores[b].total_cmp(&scores[a]).then(a.cmp(&b)));
    order.truncate(NEAREST);
    order
}

/// How far `order` is from the order of these scores: the largest difference between a result and a better one that is
/// behind it or missing.
fn disorder(scores: &[f32], order: &[usize]) -> f32 {
    let mut rest = nearest(scores);
    rest.retain(|index| !order.contains(index));
    let mut best_behind = rest.iter().map(|&index| scores[index]).fold(f32::MIN, f32::max);
    let mut worst = 0.0_f32;
    for &index in order.iter().rev() {
        worst = worst.max(best_behind - scores[index]);
        best_behind = best_behind.max(scores[index]);
    }
    worst
}

/// Number of queries whose ten nearest paragraphs differ between engines by more than `tolerance`.
fn disagreements(files: fn() -> Box<dyn ModelFiles>, tolerance: f32) -> usize {
    let all: Vec<_> = different().map(|engine| scores(engine, files())).collect();
    let queries = all[0].len();
    assert!(queries >= QUERIES);
    let differs = |query: usize| {
        all.iter()
            .any(|mine| all.iter().any(|theirs| disorder(&theirs[query], &nearest(&mine[query])) > tolerance))
    };
    (0..queries).filter(|&query| differs(query)).count()
}

#[test]
fn a_float_model_gives_the_same_results_on_every_engine() {
    assert_eq!(disagreements(|| Box::new(MemoryFiles::new(bert())), 1e-3), 0);
    assert_eq!(disagreements(|| Box::new(MemoryFiles::new(xlmr())), 1e-3), 0);
}

#[cfg(feature = "bundled-model")]
#[test]
fn the_bundled_models_give_the_same_results_on_every_engine() {
    assert_eq!(disagreements(|| Box::new(crate::BundledFiles), 1e-3), 0);
    // It has twice as many layers. Its vectors are compared with those of ONNX Runtime on every engine in all runs.
    if is_soak() {
        assert_eq!(disagreements(|| Box::new(crate::MultilingualFiles), 1e-3), 0);
    }
}

#[test]
fn disorder_is_measured() {
    let scores = [0.9, 0.5, 0.4];
    assert_eq!(disorder(&scores, &[0, 1, 2]), 0.0);
    assert!((disorder(&scores, &[0, 2, 1]) - 0.1).abs() < 1e-6);
    assert!((disorder(&scores, &[1, 2]) - 0.5).abs() < 1e-6);
}
