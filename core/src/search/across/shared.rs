//! The same ranking when the texts and vectors of all projects are in another database: it finds the sections, and knows
//! how rare words are; names, links and the formula are those of the engine.

use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;

use super::numbers::{self, member_of, number};
use super::{Found, Member, closest_of_models};
use crate::index::published::PublishedSection;
use crate::index::{Close, Closest, PageMeans};
use crate::ops::search::Fallback;
use crate::search::texts::Texts;
use crate::search::{
    CANDIDATES, ENOUGH, Evidence as Gathered, Match, Named, Rarity, Request, SearchMode, Vocabulary,
};
use crate::search::{add_distances, combine, rounded};
use crate::{Result, text};

/// A database with the texts and vectors of several projects. One value stands for one state of it.
pub trait SharedTexts {
    /// The sections that words and meaning find, in all projects together.
    ///
    /// # Errors
    /// [`crate::Error::SharedIndex`], and those of a model.
    fn find(&self, sought: &Sought<'_>) -> Result<Evidence>;

    /// The sections of pages of a project, in order.
    ///
    /// # Errors
    /// [`crate::Error::SharedIndex`].
    fn sections(&self, project: &str, pages: &[i64]) -> Result<HashMap<i64, Vec<PublishedSection>>>;

    /// The stems in texts of these projects that begin with a character, each with the number of rows that have it.
    ///
    /// # Errors
    /// [`crate::Error::SharedIndex`].
    fn stems(&self, projects: &[&str], initial: char) -> Result<Vec<(String, i64)>>;

    /// At most `most` texts of these projects with a stem: of each, the title of its page, its headings and what is
    /// written.
    ///
    /// # Errors
    /// [`crate::Error::SharedIndex`].
    fn texts_with(&self, projects: &[&str], stem: &str, most: usize) -> Result<Vec<Vec<String>>>;
}

/// What is sought.
pub struct Sought<'a> {
    /// The query.
    pub query: &'a text::Query,
    /// Whether words, meaning or both.
    pub mode: SearchMode,
    /// Names of the projects, sorted, each with the numbers of the pages that may be found; all if `None`.
    pub projects: Vec<(&'a str, Option<HashSet<i64>>)>,
    /// Maximum number of sections by words, and by meaning.
    pub limit: usize,
    /// If fewer sections than this have the query's phrases, others with some of its words follow.
    pub enough: usize,
}

/// A section with words of the query.
#[derive(Debug, Clone)]
pub struct WordMatch {
    /// Position of its project among those sought in.
    pub project: usize,
    /// Page, section and passage, as [`crate::index::received`] numbers them; BM25 over the texts of all projects.
    pub found: Match,
    /// Its heading; empty before the first one.
    pub heading: String,
    /// Which of [`text::Query::active_alternatives`] the passage has.
    pub has: Vec<bool>,
}

/// What a database finds.
#[derive(Debug, Default)]
pub struct Evidence {
    /// Number of rows of the full text in all projects.
    pub rows: usize,
    /// In how many of them the words of the query and its function words are, by FTS5 expression.
    pub rows_with: HashMap<String, usize>,
    /// By words, best first.
    pub words: Vec<WordMatch>,
    /// By meaning, what the vectors of each model say.
    pub models: Vec<ModelEvidence>,
    /// Why there is nothing by meaning.
    pub fallback: Option<Fallback>,
}

/// What the vectors of one model say.
#[derive(Debug, Default)]
pub struct ModelEvidence {
    /// Sections by meaning, best first, then those found by words: the position of the project, and the section.
    pub close: Vec<(usize, Close)>,
    /// As [`Closest::background`], [`Closest::contrast`] and [`Closest::compared`].
    pub background: f32,
    /// See there.
    pub contrast: f32,
    /// See there.
    pub compared: usize,
    /// Mean similarity of the vectors of each page that has several, by project and page.
    pub pages: HashMap<(usize, i64), f64>,
}

impl ModelEvidence {
    fn closest(&self) -> Closest {
        let mut pages = PageMeans::default();
        for (&(at, page), mean) in &self.pages {
            pages.add_mean(number(at, page), *mean);
        }
        let close = |(at, one): &(usize, Close)| Close {
            section: number(*at, one.section),
            page: number(*at, one.page),
            ..*one
        };
        Closest {
            sections: self.close.iter().map(close).collect(),
            background: self.background,
            contrast: self.contrast,
            deviation: 0.0,
            compared: self.compared,
            pages,
        }
    }
}

/// The words of several projects: those of a query are counted in `evidence`, and `is_in_name` tells whether a page's name
/// matches an expression.
pub(crate) struct SharedVocabulary<'a> {
    pub texts: &'a dyn SharedTexts,
    pub projects: &'a [&'a str],
    pub evidence: &'a Evidence,
    pub is_in_name: &'a dyn Fn(&str) -> Result<bool>,
}

impl Vocabulary for SharedVocabulary<'_> {
    fn has(&self, expression: &str) -> Result<bool> {
        let is_in_text = self.evidence.rows_with.get(expression).is_some_and(|rows| *rows > 0);
        Ok(is_in_text || (self.is_in_name)(expression)?)
    }

    fn each_stem(&self, initial: char, take: &mut dyn FnMut(String, i64)) -> Result<()> {
        self.texts.stems(self.projects, initial)?.into_iter().for_each(|(stem, rows)| take(stem, rows));
        Ok(())
    }

    fn each_text(
        &self,
        stem: &str,
        most: usize,
        read: &mut dyn FnMut(&[&str]) -> ControlFlow<()>,
    ) -> Result<()> {
        for texts in self.texts.texts_with(self.projects, stem, most)? {
            if read(&texts.iter().map(String::as_str).collect::<Vec<_>>()).is_break() {
                break;
            }
        }
        Ok(())
    }
}

struct Counted<'a>(&'a Evidence);

impl Texts for Counted<'_> {
    fn rows(&self) -> Result<usize> {
        Ok(self.0.rows)
    }

    fn rows_with(&self, expression: &str) -> Result<usize> {
        Ok(self.0.rows_with.get(expression).copied().unwrap_or(0))
    }
}

/// The pages found, as [`super::rank_across`] returns them. The members have names and links, but no texts; `evidence` is
/// what [`SharedTexts::find`] returned for [`sought`].
///
/// # Errors
/// [`crate::Error::Database`].
pub(crate) fn rank_shared(
    members: &[Member<'_>],
    allowed: &[Option<HashSet<i64>>],
    whole: &Request<'_>,
    evidence: &Evidence,
) -> Result<Vec<Found>> {
    let texts = Counted(evidence);
    let rarity = Rarity::of(whole.query, &texts)?;
    let keep = |page: i64| {
        let own = allowed.get(member_of(page)).and_then(Option::as_ref);
        own.is_none_or(|pages| pages.contains(&numbers::within(page)))
    };
    let words: Vec<Match> =
        evidence.words.iter().map(|one| numbers::of_match(one.project, one.found)).collect();
    let mut present = vec![HashSet::new(); whole.query.active_alternatives().len()];
    for (one, found) in evidence.words.iter().zip(&words) {
        for (rows, _) in present.iter_mut().zip(&one.has).filter(|(_, has)| **has) {
            rows.insert(found.passage);
        }
    }
    let mut named: Vec<Named> = Vec::with_capacity(members.len());
    for (at, member) in members.iter().enumerate() {
        if whole.mode == SearchMode::Vector {
            named.push(Named::default());
            continue;
        }
        let mut own = Named::by_pages(member.db, whole.query)?;
        for one in evidence.words.iter().filter(|one| one.project == at) {
            own.add_section(whole.query, one.found.section, &one.heading);
        }
        named.push(own);
    }
    if whole.mode != SearchMode::Vector && named.iter().all(|named| named.may_be_similar(whole.query)) {
        for (member, named) in members.iter().zip(&mut named) {
            named.compare(member.db, whole.query, &rarity, members.len())?;
        }
    }
    let named = named.into_iter().enumerate().map(|(at, named)| named.renumbered(|own| number(at, own)));
    let closest = closest_of_models(evidence.models.iter().map(ModelEvidence::closest).collect(), &words);
    let gathered = Gathered { present, closest, named: Named::union(named), words };
    let mut hits = combine(whole, &texts, &rarity, &gathered, keep)?;
    let place = |page: i64| whole.graph.place(page);
    hits.sort_by(|a, b| {
        rounded(b.score).total_cmp(&rounded(a.score)).then_with(|| place(a.page).cmp(&place(b.page)))
    });
    add_distances(&mut hits, whole);
    Ok(hits.into_iter().map(|hit| (member_of(hit.page), numbers::own(hit))).collect())
}

/// What to seek for a query in projects with these names and allowed pages.
pub(crate) fn sought<'a>(
    query: &'a text::Query,
    mode: SearchMode,
    projects: Vec<(&'a str, Option<HashSet<i64>>)>,
) -> Sought<'a> {
    let enough = if mode == SearchMode::Hybrid { ENOUGH } else { 1 };
    Sought { query, mode, projects, limit: CANDIDATES, enough }
}
