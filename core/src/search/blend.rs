//! Adding up meaning and words, section by section, and letting the best section speak for its page.

use std::collections::{BTreeMap, HashMap};

use super::{Hit, Match, SearchMode};
use crate::index::{Close, VectorMatrix};

/// Share of the vector side in relevance.
const VECTOR_SHARE: f64 = 0.5;
/// What further sections add to the best one's relevance, as a share of what is missing to 1.
const FURTHER_SECTIONS: f64 = 0.05;

/// A section that was found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SectionScore {
    /// Number of the section in the index.
    pub section: i64,
    /// Relevance, 0 to 1.
    pub score: f64,
    /// Cosine similarity, 0 to 1.
    pub vector_similarity: f64,
    /// BM25 relative to the best match, 0 to 1.
    pub fulltext: f64,
}

/// The pages found by either side, by number.
pub(super) fn blend(
    words: &[Match],
    close: &[Close],
    matrix: &VectorMatrix,
    query: Option<&[f32]>,
    mode: SearchMode,
) -> BTreeMap<i64, Hit> {
    let best_words = words.iter().map(|m| m.bm25).fold(f64::MIN_POSITIVE, f64::max);
    let best_close = close.iter().map(|c| f64::from(c.similarity)).fold(f64::MIN_POSITIVE, f64::max);
    let share = match (mode, close.is_empty()) {
        (SearchMode::Vector, _) => 1.0,
        (SearchMode::Hybrid, false) => VECTOR_SHARE,
        _ => 0.0,
    };
    // Section to (page, cosine, words).
    let mut sections: BTreeMap<i64, (i64, Option<f64>, f64)> = BTreeMap::new();
    for found in close {
        sections.insert(found.section, (found.page, Some(f64::from(found.similarity)), 0.0));
    }
    for found in words {
        let entry = sections.entry(found.section).or_insert_with(|| {
            let similarity = query.and_then(|query| matrix.similarity(found.section, query));
            (found.page, similarity.map(f64::from), 0.0)
        });
        entry.2 = found.bm25 / best_words;
    }
    let mut by_page: HashMap<i64, Vec<SectionScore>> = HashMap::new();
    for (section, (page, similarity, words)) in sections {
        let score = match similarity {
            // Cosines of a model crowd into a band of their own: relative to the best they spread out.
            Some(similarity) => share * (similarity / best_close).clamp(0.0, 1.0) + (1.0 - share) * words,
            // A text without a vector (not embedded yet, or in a script that the model cannot read) is
            // judged by its words: a missing vote is not a vote against.
            None => words,
        };
        by_page.entry(page).or_default().push(SectionScore {
            section,
            score,
            vector_similarity: similarity.unwrap_or(0.0).clamp(0.0, 1.0),
            fulltext: words,
        });
    }
    by_page.into_iter().map(|(page, sections)| (page, page_hit(page, sections))).collect()
}

fn page_hit(page: i64, mut sections: Vec<SectionScore>) -> Hit {
    sections.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.section.cmp(&b.section)));
    let best = sections[0];
    let further: f64 = sections[1..].iter().map(|section| section.score * FURTHER_SECTIONS).sum();
    let relevance = best.score + (1.0 - best.score) * further.min(FURTHER_SECTIONS * 2.0);
    Hit {
        relevance,
        vector_similarity: best.vector_similarity,
        fulltext: best.fulltext,
        graph_proximity: relevance,
        sections,
        ..Hit::by_links_alone(page)
    }
}
