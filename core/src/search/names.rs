//! What pages are called. A query that is a page's title, alias, path or heading is meant to find that page, even if the
//! words occur more often, or fit the meaning better, elsewhere. A query that is a part of a name, or contains one,
//! probably is.

use std::collections::{HashMap, HashSet};

use rusqlite::Connection;

use super::Match;
use super::rarity::Rarity;
use crate::index::questions::{names, sections, sources};
use crate::{Result, path, text};

/// If the query is the name of a page, that page has at least this relevance, and all others at most. With both
/// constants, hit@1 of 534 titles of four vaults is 0.99 (0.82 without), of 600 headings 0.98 (0.83).
const PAGE: f64 = 0.9;
/// The same for pages whose name contains the query, if that is one word: `sync` means the page about sync rather than
/// sections called so.
const ABOUT: f64 = 0.85;
/// The same for sections with that heading.
const HEADING: f64 = 0.8;
/// How much relevance a name adds that fits the query perfectly, as a share of the distance to 1. More finds more pages
/// by a part of their name, and lowers nDCG@10 of cisi, whose titles share many words with questions.
const FIT: f64 = 0.2;
/// From this fit, a name alone is a reason to show a page. It is that of names with nothing but half of the query.
const ALIKE: f64 = 0.25;
/// Maximum number of pages whose names are compared with the query.
const COMPARED: usize = 50;
/// Of several projects, each compares so many times its share of them, and at least so many pages.
const SHARES: usize = 4;
const FEWEST: usize = 10;

/// Pages and sections whose name is the query, or is like it.
#[derive(Debug, Default)]
pub(super) struct Named {
    pages: HashSet<i64>,
    /// Pages whose name contains the query, if that is one word.
    about: HashSet<i64>,
    sections: HashSet<i64>,
    /// How well the names of other pages fit the query, 0 to 1.
    fits: HashMap<i64, f64>,
}

impl Named {
    /// Pages with that title, alias, file name or path, or that describe the file at that path, and sections in `words`
    /// with that heading.
    ///
    /// # Errors
    /// [`crate::Error::Database`].
    pub fn of(db: &Connection, query: &text::Query, words: &[Match]) -> Result<Self> {
        let mut named = Self::by_pages(db, query)?;
        for found in words {
            let path = sections::heading_path(db, found.section)?;
            named.add_section(query, found.section, path.last().map_or("", String::as_str));
        }
        Ok(named)
    }

    /// The same without sections.
    ///
    /// # Errors
    /// [`crate::Error::Database`].
    pub fn by_pages(db: &Connection, query: &text::Query) -> Result<Self> {
        match query.key().is_empty() {
            true => Ok(Self::default()),
            false => Ok(Self { pages: bearers(db, query)?, ..Self::default() }),
        }
    }

    /// Adds a section if its heading is the query.
    pub fn add_section(&mut self, query: &text::Query, section: i64, heading: &str) {
        let key = query.key();
        if !key.is_empty() && text::fold_key(heading) == key {
            self.sections.insert(section);
        }
    }

    /// The same for pages and sections with other numbers.
    #[cfg(not(target_family = "wasm"))]
    pub fn renumbered(self, number: impl Fn(i64) -> i64) -> Self {
        let all = |named: HashSet<i64>| named.into_iter().map(&number).collect();
        Self {
            pages: all(self.pages),
            about: all(self.about),
            sections: all(self.sections),
            fits: self.fits.into_iter().map(|(page, fit)| (number(page), fit)).collect(),
        }
    }

    /// What is called like the query in any of several projects.
    #[cfg(not(target_family = "wasm"))]
    pub fn union(each: impl Iterator<Item = Self>) -> Self {
        each.fold(Self::default(), |mut all, named| {
            all.pages.extend(named.pages);
            all.about.extend(named.about);
            all.sections.extend(named.sections);
            all.fits.extend(named.fits);
            all
        })
    }

    /// Whether pages with a similar name count, because none has that name.
    pub fn may_be_similar(&self, query: &text::Query) -> bool {
        self.pages.is_empty() && query.phrases().is_empty() && !query.key().is_empty()
    }

    /// Adds pages with a similar name: compares the query with the names that have words of it. `projects` is the number
    /// of projects that are searched.
    ///
    /// # Errors
    /// [`crate::Error::Database`].
    pub fn compare(
        &mut self,
        db: &Connection,
        query: &text::Query,
        rarity: &Rarity,
        projects: usize,
    ) -> Result<()> {
        let most = (SHARES * COMPARED).div_ceil(projects.max(1)).clamp(FEWEST, COMPARED);
        let Some(expression) = query.match_expression() else { return Ok(()) };
        let mut overlap = text::Overlap::new(query);
        for page in names::pages_like(db, &expression, most)? {
            let (title, aliases, file) = names::of_page(db, page)?;
            let mut best: f64 = 0.0;
            for name in aliases.iter().map(String::as_str).chain([title.as_str(), path::page_name(&file)]) {
                let (of_query, of_name) = shares(&mut overlap, rarity, name);
                if of_query >= WHOLE && of_name >= WHOLE {
                    self.pages.insert(page);
                } else if of_query >= WHOLE && query.is_one_word() {
                    self.about.insert(page);
                }
                best = best.max(fit(of_query, of_name));
            }
            let (of_query, of_name) = shares(&mut overlap, rarity, path::without_page_extension(&file));
            self.fits.insert(page, best.max(fit(of_query, of_name)));
        }
        Ok(())
    }

    /// Whether a page is called like the query, or a section, or a page's name contains it and it is one word.
    pub fn has_the_query(&self) -> bool {
        !(self.pages.is_empty() && self.about.is_empty() && self.sections.is_empty())
    }

    /// Pages that are found for their names, whatever their text is.
    pub fn pages(&self) -> impl Iterator<Item = i64> {
        let alike = self.fits.iter().filter(|(_, fit)| **fit >= ALIKE).map(|(page, _)| page);
        self.pages.iter().chain(alike).copied()
    }

    /// What a page of this relevance gains for its name, or loses because another page's name fits better.
    pub fn page_part(&self, page: i64, relevance: f64) -> f64 {
        let fit = FIT * self.fits.get(&page).copied().unwrap_or(0.0) * (1.0 - relevance);
        let about = part(&self.about, page, relevance + fit, ABOUT);
        fit + about + part(&self.pages, page, relevance + fit + about, PAGE)
    }

    /// What a section of this score gains for its heading, or loses because another section has it.
    pub fn section_part(&self, section: i64, score: f64) -> f64 {
        part(&self.sections, section, score, HEADING)
    }
}

/// A share that is complete, apart from rounding.
const WHOLE: f64 = 0.999;

/// Pages with the query as their name, or, if there are none and it is a path, as one of their sources.
fn bearers(db: &Connection, query: &text::Query) -> Result<HashSet<i64>> {
    let mut pages = names::bearers(db, query.key(), query.name())?;
    let file = query.name().trim_start_matches("./");
    let is_path = file.contains(['/', '.']) && !file.contains(char::is_whitespace);
    if pages.is_empty() && is_path {
        pages = sources::pages_naming(db, file)?;
        if pages.is_empty() {
            pages = sources::pages_naming_folder_of(db, file)?;
        }
    }
    Ok(pages.into_iter().collect())
}

/// The share of the query that is in `name`, and the share of `name` that is in the query.
fn shares(overlap: &mut text::Overlap, rarity: &Rarity, name: &str) -> (f64, f64) {
    let (terms, of_name) = overlap.with(name);
    (rarity.share(terms.into_iter()), of_name)
}

/// How well a name fits the query. What the query says counts more than what else the name says.
fn fit(of_query: f64, of_name: f64) -> f64 {
    of_query * of_query * (1.0 + of_name) / 2.0
}

/// Scales scores of items in `named` into the range above `border`, all others into the range below it. The order
/// within each group stays.
fn part(named: &HashSet<i64>, one: i64, score: f64, border: f64) -> f64 {
    match (named.is_empty(), named.contains(&one)) {
        (true, _) => 0.0,
        (false, true) => border + (1.0 - border) * score - score,
        (false, false) => border * score - score,
    }
}
