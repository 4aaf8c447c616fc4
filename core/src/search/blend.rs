//! Combines the scores of vectors and words for each section. The best section determines the score of its page.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::names::Named;
use super::{Hit, Match, SearchMode};
use crate::index::Closest;

/// Weight of the vector in relevance. Over six collections (adi, med, cranfield, cisi, hotpotqa,
/// scifact) nDCG@10 of the blend is flat from 0.6 to 0.7 and falls on either side.
const VECTOR_SHARE: f64 = 0.65;
/// How much of that weight is taken away if the whole query is identifiers, which models know little about.
/// On 564 of them from four vaults, hit@1 is 0.95 (0.88 without, 0.96 by words alone).
const IDENTIFIERS: f64 = 0.9;
/// Weight of the whole page in the similarity of a section. A short section says little about its subject, and some are
/// close to every query. Over Obsidian's help in English and Japanese, nDCG@10 of 24 questions in other words than the
/// page's is 0.53 without and 0.56 with (Japanese), 0.58 and 0.60 (English), 0.36 and 0.41 (from English to Japanese); of
/// 300 sentences of other sections than the first in the other language, 0.65 and 0.67, 0.81 and 0.82. It is highest from
/// 0.25 to 0.35.
const PAGE: f64 = 0.25;
/// What further sections add to the best one's relevance if words alone decide, as a share of the distance to 1. If
/// vectors take part, nearly all sections of a long page are somewhat close, so it would rank by length: nDCG@10 of the
/// questions above falls by 0.03 to 0.07.
const FURTHER_SECTIONS: f64 = 0.05;

/// A section found by the search.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct SectionScore {
    /// Number of the section in the index.
    pub section: i64,
    /// Relevance, 0 to 1.
    pub score: f64,
    /// Cosine similarity, 0 to 1.
    pub vector_similarity: f64,
    /// How well its words fit the query, 0 to 1.
    pub fulltext: f64,
    /// Contribution of the vector to `score`; the rest comes from the words.
    pub vector_part: f64,
    /// Weight of the vector in `score`, 0 to 1; 0 without a vector.
    pub vector_weight: f64,
    /// What `score` gains because the heading is the query, or loses because another section's heading is.
    pub name_part: f64,
    /// Row of its best matching passage in the full text, if words match.
    pub passage: Option<i64>,
}

/// The pages that vectors or words found, by number. `closest` contains the similarity of every section in
/// `words` that has a vector.
///
/// `scores` are those of `words`, in the same order. If no text is close to the query, the words decide, and the other way
/// round. The cosine of unrelated texts differs between models, collections and queries, so similarity is measured from
/// that background:
///
/// ```text
/// closeness = 0.75 * cosine + 0.25 * mean cosine of the page
/// vector    = (closeness - background) / (1 - background)
/// relevance = w * vector + (1 - w) * fulltext
/// ```
pub(super) fn blend(
    words: &[Match],
    scores: &[f64],
    closest: &Closest,
    named: &Named,
    identifiers: f64,
    mode: SearchMode,
) -> BTreeMap<i64, Hit> {
    let (share, background) = match mode {
        SearchMode::Vector => (1.0, 0.0),
        SearchMode::Hybrid if !closest.sections.is_empty() => {
            let share = VECTOR_SHARE * (1.0 - IDENTIFIERS * identifiers);
            (share, f64::from(closest.background).clamp(0.0, 0.99))
        }
        _ => (0.0, 0.0),
    };
    let means = closest.pages.of(&closest.sections.iter().map(|one| one.page).collect::<HashSet<i64>>());
    let above = |page: i64, cosine: f64| {
        let mean = means.get(&page).copied().unwrap_or(cosine);
        let closeness = (1.0 - PAGE) * cosine + PAGE * mean;
        ((closeness - background) / (1.0 - background)).clamp(0.0, 1.0)
    };
    let best_close =
        closest.sections.iter().map(|one| above(one.page, f64::from(one.similarity))).fold(0.0, f64::max);
    let further = if share > 0.0 { 0.0 } else { FURTHER_SECTIONS };
    // Section to (page, cosine, word score).
    let mut sections: BTreeMap<i64, (i64, Option<f64>, f64)> = BTreeMap::new();
    for found in &closest.sections {
        sections.insert(found.section, (found.page, Some(f64::from(found.similarity)), 0.0));
    }
    let passages: HashMap<i64, i64> = words.iter().map(|m| (m.section, m.passage)).collect();
    for (found, score) in words.iter().zip(scores) {
        sections.entry(found.section).or_insert((found.page, None, 0.0)).2 = *score;
    }
    let mut by_page: HashMap<i64, Vec<SectionScore>> = HashMap::new();
    for (section, (page, similarity, words)) in sections {
        let (vector_part, vector_weight) = match similarity {
            Some(cosine) => (share * above(page, cosine), share),
            // A text without a vector (not embedded yet, or in a script that the model does not support) is
            // ranked by its words alone, as if its vector agreed with them.
            None => (0.0, share * (1.0 - best_close)),
        };
        let evidence = vector_part + (1.0 - vector_weight) * words;
        let name_part = named.section_part(section, evidence);
        let score = evidence + name_part;
        by_page.entry(page).or_default().push(SectionScore {
            section,
            score,
            vector_similarity: similarity.unwrap_or(0.0).clamp(0.0, 1.0),
            fulltext: words,
            vector_part,
            vector_weight,
            name_part,
            passage: passages.get(&section).copied(),
        });
    }
    let mut pages: BTreeMap<i64, Hit> =
        by_page.into_iter().map(|(page, sections)| (page, page_hit(page, sections, further))).collect();
    for page in named.pages() {
        pages.entry(page).or_insert_with(|| Hit::by_links_alone(page));
    }
    for (page, hit) in &mut pages {
        hit.name_part = named.page_part(*page, hit.relevance);
        hit.relevance += hit.name_part;
        hit.graph_proximity = hit.relevance;
    }
    pages
}

fn page_hit(page: i64, mut sections: Vec<SectionScore>, share: f64) -> Hit {
    sections.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.section.cmp(&b.section)));
    let best = sections[0];
    let further: f64 = sections[1..].iter().map(|section| section.score * share).sum();
    let relevance = best.score + (1.0 - best.score) * further.min(share * 2.0);
    Hit {
        relevance,
        vector_similarity: best.vector_similarity,
        fulltext: best.fulltext,
        graph_proximity: relevance,
        sections,
        ..Hit::by_links_alone(page)
    }
}
