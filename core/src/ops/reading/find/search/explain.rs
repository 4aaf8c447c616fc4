//! Why a page has its rank, as parts that add up to its score.

use std::collections::HashMap;

use rusqlite::Connection;
use schemars::JsonSchema;
use serde::Serialize;

use crate::Result;
use crate::graph::{Direction, Walk};
use crate::index::questions::{pages, sections};
use crate::ops::page::PageFields;
use crate::search::{Hit, Lift, NEIGHBOURS, Request, SectionScore, rounded, term_score};

/// Maximum sections explained.
const SECTIONS: usize = 5;

/// How a score was computed. Numbers have four decimals; sums are exact up to rounding.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Explanation {
    /// The sum on one line.
    pub formula: String,
    /// The parts of the score.
    pub parts: ScoreParts,
    /// Share of relevance in the score, 0 to 1; the rest is graph proximity.
    pub alpha: f64,
    /// Relevance before links: meaning, words and further sections.
    pub relevance: f64,
    /// Words of the query that counted.
    pub terms: Vec<String>,
    /// Words of the query that were too common to count.
    pub ignored_terms: Vec<String>,
    /// The best sections, at most five. The first gave `meaning` and `words`.
    pub sections: Vec<SectionEvidence>,
    /// Number of matching sections on the page.
    pub section_count: usize,
    /// The linked result that raised the page's score, if any.
    pub lifted_by: Option<LiftedBy>,
}

/// The parts of a score.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
pub struct ScoreParts {
    /// Meaning of the best section.
    pub meaning: f64,
    /// Words of the best section.
    pub words: f64,
    /// Other matching sections of the page.
    pub further_sections: f64,
    /// The query is its title, alias, path or heading; below 0 if it is that of other pages.
    pub name: f64,
    /// Linked results.
    pub links: f64,
}

/// Evidence of one section.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct SectionEvidence {
    /// Id of the section within its page.
    pub section_id: String,
    /// Its relevance: `meaning` + `words` + `name`.
    pub score: f64,
    /// Contribution of its meaning.
    pub meaning: f64,
    /// Contribution of its words.
    pub words: f64,
    /// Contribution of a heading equal to the query; below 0 if other sections have that heading.
    pub name: f64,
    /// Weight of meaning, 0 to 1; the rest is the weight of words. If the section has no vector, its words count
    /// for its meaning too: the closer the closest section is to the query, the lower this weight.
    pub vector_weight: f64,
    /// Cosine similarity with the query.
    pub vector_similarity: f64,
    /// Match of the words relative to the best match of all.
    pub fulltext: f64,
    /// Contribution of each word and phrase of the query, largest first; the sum is `words`.
    pub terms: Vec<TermShare>,
}

/// Contribution of a word or phrase of the query to a section.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct TermShare {
    /// The term as searched; a trailing `*` means that the last word also matches longer ones.
    pub term: String,
    /// Its share of the section's `words`, in proportion to its BM25.
    pub score: f64,
}

/// A result that raised the score of another.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct LiftedBy {
    /// Path of the result.
    pub filepath: String,
    /// Its own relevance, part of which is passed on.
    pub relevance: f64,
    /// The amount passed on: the page's graph proximity.
    pub passed: f64,
    /// Hops between the two pages.
    pub hops: usize,
    /// Type of the last link on the path.
    pub link_type: String,
    /// The links on the path, from the result to the page.
    pub way: Vec<Step>,
}

/// A link on the path.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Step {
    /// Path of the page at the end of this link.
    pub filepath: String,
    /// The link's type.
    pub link_type: String,
    /// `outlink` if the previous page contains the link, `backlink` if this page does.
    pub direction: &'static str,
}

pub(super) fn explain(
    db: &Connection,
    hit: &Hit,
    request: &Request<'_>,
    fields: &HashMap<i64, PageFields>,
) -> Result<Explanation> {
    let best = hit.sections.first();
    let meaning = best.map_or(0.0, |section| section.vector_part);
    let words = best.map_or(0.0, words_of);
    let name = hit.name_part + best.map_or(0.0, |section| section.name_part);
    let parts = ScoreParts {
        meaning: rounded(meaning),
        words: rounded(words),
        further_sections: rounded(hit.relevance - hit.name_part - best.map_or(0.0, |section| section.score)),
        name: rounded(name),
        links: rounded(hit.score - hit.relevance),
    };
    let sections = hit.sections.iter().take(SECTIONS);
    let mut counted: Vec<String> = request.query.phrases().iter().map(|p| quoted(p.tokens())).collect();
    counted.extend(request.query.active_terms().map(|term| term.text().to_owned()));
    let ignored = request.query.terms().iter().map(|term| term.text().to_owned());
    Ok(Explanation {
        formula: format!(
            "{:.4} = meaning {:.4} + words {:.4} + further sections {:.4} + name {:.4} + links {:.4}",
            hit.score, parts.meaning, parts.words, parts.further_sections, parts.name, parts.links
        ),
        parts,
        alpha: request.alpha,
        relevance: rounded(hit.relevance),
        ignored_terms: ignored.filter(|term| !counted.contains(term)).collect(),
        terms: counted,
        sections: sections.map(|section| evidence(db, section, request)).collect::<Result<_>>()?,
        section_count: hit.sections.len(),
        lifted_by: match &hit.lift {
            Some(lift) => Some(lifted_by(db, hit, lift, request, fields)?),
            None => None,
        },
    })
}

fn evidence(db: &Connection, section: &SectionScore, request: &Request<'_>) -> Result<SectionEvidence> {
    let words = words_of(section);
    Ok(SectionEvidence {
        section_id: sections::id(db, section.section)?,
        score: rounded(section.score),
        meaning: rounded(section.vector_part),
        words: rounded(words),
        name: rounded(section.name_part),
        vector_weight: rounded(section.vector_weight),
        vector_similarity: rounded(section.vector_similarity),
        fulltext: rounded(section.fulltext),
        terms: match section.passage {
            Some(passage) => shares(db, request, passage, words)?,
            None => Vec::new(),
        },
    })
}

fn words_of(section: &SectionScore) -> f64 {
    section.score - section.vector_part - section.name_part
}

/// The contribution of each term to `words`, from its own BM25 in the passage.
fn shares(db: &Connection, request: &Request<'_>, passage: i64, words: f64) -> Result<Vec<TermShare>> {
    let query = request.query;
    let mut found: Vec<(String, f64)> = Vec::new();
    for phrase in query.phrases() {
        found.push((quoted(phrase.tokens()), term_score(db, passage, &phrase.expression())?));
    }
    for (term, alternative) in query.active_terms().zip(query.active_alternatives()) {
        let expression = alternative.expression();
        let mark = if expression == term.expression() { "" } else { "*" };
        found.push((format!("{}{mark}", term.text()), term_score(db, passage, &expression)?));
    }
    for pair in query.neighbours() {
        found.push((pair.to_owned(), NEIGHBOURS * term_score(db, passage, pair)?));
    }
    if found.iter().all(|(_, score)| *score <= 0.0) {
        // The phrase does not occur here: its words were searched one by one.
        for term in query.quoted_terms() {
            found.push((term.text().to_owned(), term_score(db, passage, &term.expression())?));
        }
    }
    found.retain(|(_, score)| *score > 0.0);
    found.sort_by(|a, b| b.1.total_cmp(&a.1));
    let sum: f64 = found.iter().map(|(_, score)| score).sum();
    Ok(found
        .into_iter()
        .map(|(term, score)| TermShare { term, score: rounded(words * score / sum) })
        .collect())
}

fn quoted(tokens: &[String]) -> String {
    format!("\"{}\"", tokens.join(" "))
}

fn lifted_by(
    db: &Connection,
    hit: &Hit,
    lift: &Lift,
    request: &Request<'_>,
    fields: &HashMap<i64, PageFields>,
) -> Result<LiftedBy> {
    let walk = Walk { depth: lift.hops, direction: Direction::Both, types: request.link_types };
    let reached: HashMap<i64, _> =
        request.graph.walk(lift.from, walk).into_iter().map(|reached| (reached.page, reached)).collect();
    let mut way = Vec::new();
    let mut page = hit.page;
    while let Some(step) = reached.get(&page) {
        way.push(Step {
            filepath: pages::path(db, page)?,
            link_type: step.link_type.to_owned(),
            direction: if step.outgoing { "outlink" } else { "backlink" },
        });
        page = step.via;
        if page == lift.from {
            break;
        }
    }
    way.reverse();
    Ok(LiftedBy {
        filepath: fields.get(&lift.from).map(|page| page.filepath.clone()).unwrap_or_default(),
        relevance: rounded(hit.lent),
        passed: rounded(lift.passed),
        hops: lift.hops,
        link_type: lift.link_type.clone(),
        way,
    })
}
