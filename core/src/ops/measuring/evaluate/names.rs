//! Questions whose answer is known without anybody's judgement: what pages and sections are called, by their authors and
//! by the authors of links to them.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use rusqlite::Connection;
use schemars::JsonSchema;
use serde::Serialize;

use super::Query;
use crate::Result;
use crate::index::questions::{links, names, pages, sections};
use crate::text::{self, TermClass, fold_key};

/// Maximum number of questions of each kind; of more, every n-th is asked.
const MOST: usize = 500;
/// Longer texts of links are sentences rather than names.
const LONGEST_LINK_TEXT: usize = 8;

/// Where a question comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum NameKind {
    /// The title of a page.
    Title,
    /// An alias of a page.
    Alias,
    /// A heading of several words that one page has.
    Heading,
    /// The text of links that all lead to one page, if it is not the page's name.
    LinkText,
    /// A word that one page alone has in its title, aliases or file name.
    Word,
}

impl NameKind {
    /// Its name in ids of questions.
    fn id(self) -> &'static str {
        match self {
            Self::Title => "title",
            Self::Alias => "alias",
            Self::Heading => "heading",
            Self::LinkText => "link text",
            Self::Word => "word",
        }
    }
}

/// Questions with the pages that answer them.
#[derive(Debug, Default)]
pub(super) struct Names {
    pub queries: Vec<Query>,
    /// The kind of each query.
    pub kinds: Vec<NameKind>,
    /// The grade of each page that answers a query, by the query's id.
    pub grades: HashMap<String, HashMap<i64, i64>>,
}

/// Pages by folded text, with the text as first written.
type Called = BTreeMap<String, (String, BTreeSet<i64>)>;

impl Names {
    /// The questions that the names of all pages give.
    ///
    /// # Errors
    /// [`crate::Error::Database`].
    pub fn of(db: &Connection) -> Result<Self> {
        let mut titles = Called::new();
        let mut aliases = Called::new();
        let mut every = Called::new();
        let mut texts: Vec<(i64, String)> = Vec::new();
        pages::each_title(db, |page, path, title| {
            call(&mut titles, title, page);
            texts.push((page, title.to_owned()));
            texts.push((page, crate::path::page_name(path).to_owned()));
        })?;
        names::each_alias(db, |page, alias| {
            call(&mut aliases, alias, page);
            texts.push((page, alias.to_owned()));
        })?;
        texts.iter().for_each(|(page, name)| call(&mut every, name, *page));
        // A name of another kind is a right answer too.
        for called in [&mut titles, &mut aliases] {
            for (key, (_, pages)) in called.iter_mut() {
                pages.extend(every.get(key).into_iter().flat_map(|(_, pages)| pages));
            }
        }
        let mut headings = Called::new();
        sections::each_heading(db, |page, heading| call(&mut headings, &heading, page))?;
        let mut link_texts = Called::new();
        links::each_between(db, |_, page, text, _| {
            text.into_iter().for_each(|text| call(&mut link_texts, text, page));
        })?;
        let of_one = |key: &String, pages: &BTreeSet<i64>| pages.len() == 1 && !every.contains_key(key);
        link_texts.retain(|key, (text, pages)| {
            let words = ordinary(text).len();
            of_one(key, pages) && !headings.contains_key(key) && (1..=LONGEST_LINK_TEXT).contains(&words)
        });
        headings.retain(|key, (text, pages)| of_one(key, pages) && ordinary(text).len() > 1);
        let mut words = Called::new();
        for (page, name) in &texts {
            ordinary(name).iter().for_each(|word| call(&mut words, word, *page));
        }
        let shared = shared_stems(&words);
        words
            .retain(|key, (_, pages)| key.chars().count() > 2 && of_one(key, pages) && !shared.contains(key));
        let mut questions = Self::default();
        for (kind, called) in [
            (NameKind::Title, titles),
            (NameKind::Alias, aliases),
            (NameKind::Heading, headings),
            (NameKind::LinkText, link_texts),
            (NameKind::Word, words),
        ] {
            questions.add(kind, called);
        }
        Ok(questions)
    }

    fn add(&mut self, kind: NameKind, called: Called) {
        let step = called.len().div_ceil(MOST).max(1);
        for (number, (_, (text, pages))) in called.into_iter().step_by(step).enumerate() {
            let id = format!("{} {}", kind.id(), number + 1);
            self.grades.insert(id.clone(), pages.into_iter().map(|page| (page, 1)).collect());
            self.queries.push(Query { id, text });
            self.kinds.push(kind);
        }
    }
}

/// The words that are forms of another word, such as `limit` and `limits`.
fn shared_stems(words: &Called) -> HashSet<String> {
    let words: Vec<&String> = words.keys().collect();
    let mut shared = HashSet::new();
    for (at, word) in words.iter().enumerate() {
        // Forms begin alike, so they are near each other in the alphabet.
        let beginning = word.get(..3);
        for other in
            words[at + 1..].iter().take_while(|other| beginning.is_some() && other.get(..3) == beginning)
        {
            if text::same_stem(word, other) {
                shared.extend([(*word).clone(), (*other).clone()]);
            }
        }
    }
    shared
}

fn call(called: &mut Called, name: &str, page: i64) {
    let key = fold_key(name);
    if !key.is_empty() {
        called.entry(key).or_insert_with(|| (name.to_owned(), BTreeSet::new())).1.insert(page);
    }
}

/// The words that carry a name's meaning.
fn ordinary(name: &str) -> Vec<String> {
    let query = text::Query::parse(name);
    let words = query.terms().iter().filter(|term| matches!(term.class(), TermClass::Word | TermClass::Pair));
    words.map(|term| term.text().to_owned()).collect()
}
