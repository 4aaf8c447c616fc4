//! Words of a query that the project does not have, replaced by the words that were probably meant.

use std::collections::HashMap;
use std::ops::ControlFlow;

use rusqlite::Connection;

use crate::index::questions::{fulltext, names, sections};
use crate::text::{Query, TermClass, fold_key};
use crate::{Result, path};

/// Shorter words have too many neighbours: `king` is no mistake for `kind`.
const SHORTEST: usize = 5;
/// From this length, two mistakes are corrected instead of one.
const LONG: usize = 9;
/// Maximum number of stems whose words are looked up, and of texts in which they are.
const STEMS: usize = 24;
const TEXTS: usize = 30;

/// The words of a project, or of several together.
pub trait Vocabulary {
    /// Whether a text or the name of a page matches an FTS5 expression.
    ///
    /// # Errors
    /// [`crate::Error::Database`], [`crate::Error::SharedIndex`].
    fn has(&self, expression: &str) -> Result<bool>;

    /// Calls `take` with each stem that begins with a character, and the number of texts in which it is.
    ///
    /// # Errors
    /// As [`Vocabulary::has`].
    fn each_stem(&self, initial: char, take: &mut dyn FnMut(String, i64)) -> Result<()>;

    /// Calls `read` with what is written in at most `most` texts with a stem, and what their pages are called, until it
    /// breaks off.
    ///
    /// # Errors
    /// As [`Vocabulary::has`].
    fn each_text(
        &self,
        stem: &str,
        most: usize,
        read: &mut dyn FnMut(&[&str]) -> ControlFlow<()>,
    ) -> Result<()>;
}

impl Vocabulary for Connection {
    fn has(&self, expression: &str) -> Result<bool> {
        Ok(fulltext::has(self, expression)? || names::has(self, expression)?)
    }

    fn each_stem(&self, initial: char, take: &mut dyn FnMut(String, i64)) -> Result<()> {
        fulltext::each_term(self, &initial.to_string(), &following(initial), take)
    }

    fn each_text(
        &self,
        stem: &str,
        most: usize,
        read: &mut dyn FnMut(&[&str]) -> ControlFlow<()>,
    ) -> Result<()> {
        for row in fulltext::rows_with(self, stem, most)? {
            let (section, page) = fulltext::place(self, row)?;
            let (title, aliases, file) = names::of_page(self, page)?;
            let Some(section) = sections::row(self, section)? else { continue };
            let texts = [title.as_str(), path::page_name(&file), section.text.as_str()];
            let more = aliases.iter().chain(&section.heading_path).map(String::as_str);
            if read(&texts.into_iter().chain(more).collect::<Vec<_>>()).is_break() {
                break;
            }
        }
        Ok(())
    }
}

/// The query with words that none of the indexes has replaced by known words that differ in one letter, or in two if they are long: added,
/// missing, wrong, or in the place of the letter beside it. The first letter has to be right. `None` if there is
/// nothing to replace, the query has a quoted phrase, or another of its long words is unknown too: then it may be in
/// another language, or about something else.
///
/// # Errors
/// [`crate::Error::Database`], [`crate::Error::SharedIndex`].
pub fn correct(indexes: &[&dyn Vocabulary], query: &Query) -> Result<Option<String>> {
    if !query.phrases().is_empty() {
        return Ok(None);
    }
    let mut meant: HashMap<&str, String> = HashMap::new();
    for (term, alternative) in query.active_terms().zip(query.active_alternatives()) {
        let (word, expression) = (term.text(), alternative.expression());
        let is_long = term.class() == TermClass::Word && word.chars().count() >= SHORTEST;
        if !is_long || is_known(indexes, &expression)? {
            continue;
        }
        match alike_in_most(indexes, word)? {
            Some(right) => meant.insert(word, right),
            None => return Ok(None),
        };
    }
    if meant.is_empty() {
        return Ok(None);
    }
    let parts = query.text().split_inclusive(|c: char| !c.is_alphanumeric()).map(|part| {
        let word = part.trim_end_matches(|c: char| !c.is_alphanumeric());
        let right = meant.get(fold_key(word).as_str()).map_or(word, String::as_str);
        format!("{right}{}", &part[word.len()..])
    });
    Ok(Some(parts.collect()))
}

fn is_known(indexes: &[&dyn Vocabulary], expression: &str) -> Result<bool> {
    for index in indexes {
        if index.has(expression)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The word that most indexes have for `word`; of several, the first.
fn alike_in_most(indexes: &[&dyn Vocabulary], word: &str) -> Result<Option<String>> {
    let mut found: Vec<(String, usize)> = Vec::new();
    for index in indexes {
        if let Some(word) = alike(*index, word)? {
            match found.iter_mut().find(|(known, _)| *known == word) {
                Some((_, count)) => *count += 1,
                None => found.push((word, 1)),
            }
        }
    }
    let most = found.iter().map(|(_, count)| *count).max().unwrap_or_default();
    Ok(found.into_iter().find(|(_, count)| *count == most).map(|(word, _)| word))
}

/// The word of the project that is most like `word`; of equally similar ones, the most frequent.
fn alike(index: &dyn Vocabulary, word: &str) -> Result<Option<String>> {
    let length = word.chars().count();
    let Some(initial) = word.chars().next() else { return Ok(None) };
    if !word.chars().all(char::is_alphabetic) {
        return Ok(None);
    }
    let mistakes = if length < LONG { 1 } else { 2 };
    let mut candidates: Vec<(usize, usize, i64, String)> = Vec::new();
    index.each_stem(initial, &mut |stem, texts| {
        let of_stem = stem.chars().count();
        if !stem.chars().all(char::is_alphabetic) || of_stem < 3 {
            return;
        }
        let written = stem.strip_suffix('i').map(|stem| format!("{stem}y")).unwrap_or_else(|| stem.clone());
        // The ending is not in the index, and may be where the mistake is.
        let beginnings = of_stem.saturating_sub(mistakes)..=of_stem + mistakes;
        let beginnings = beginnings.filter_map(|end| beginning(word, end));
        let distance = beginnings.filter_map(|beginning| distance(beginning, &written, mistakes)).min();
        candidates.extend(distance.map(|distance| (distance, length.abs_diff(of_stem), -texts, stem)));
    })?;
    candidates.sort_unstable();
    let mut best: Option<(usize, i64, String)> = None;
    for (_, _, texts, stem) in candidates.into_iter().take(STEMS) {
        let Some((distance, meant)) = closest_word(index, &stem, word, mistakes)? else { continue };
        let found = (distance, texts, meant);
        best = Some(best.map_or(found.clone(), |best| best.min(found)));
    }
    Ok(best.map(|(_, _, word)| word))
}

/// The word closest to `word`, with the same initial, in texts that contain `stem`, and its distance.
fn closest_word(
    index: &dyn Vocabulary,
    stem: &str,
    word: &str,
    most: usize,
) -> Result<Option<(usize, String)>> {
    let mut best: Option<(usize, String)> = None;
    index.each_text(stem, TEXTS, &mut |texts| {
        for found in texts.iter().flat_map(|text| text.split(|c: char| !c.is_alphanumeric())) {
            // Words of any other length are too far, which is cheap to see.
            if found.len().abs_diff(word.len()) > 4 * most {
                continue;
            }
            let key = fold_key(found);
            let Some(distance) = distance(word, &key, most) else { continue };
            if key.chars().next() == word.chars().next() {
                let found = (distance, found.to_lowercase());
                best = Some(best.take().map_or(found.clone(), |best| best.min(found)));
            }
        }
        match &best {
            Some((0..=1, _)) => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        }
    })?;
    Ok(best)
}

/// The first `length` characters of a word that has so many.
fn beginning(word: &str, length: usize) -> Option<&str> {
    let mut ends = word.char_indices().map(|(at, _)| at).chain([word.len()]);
    ends.nth(length).and_then(|end| word.get(..end))
}

/// The number of mistakes between two words, if at most `most`.
fn distance(a: &str, b: &str, most: usize) -> Option<usize> {
    let is_possible = a.chars().count().abs_diff(b.chars().count()) <= most;
    is_possible.then(|| strsim::osa_distance(a, b)).filter(|distance| *distance <= most)
}

/// The first string after all that begin with `initial`.
fn following(initial: char) -> String {
    let next = u32::from(initial) + 1;
    char::from_u32(next).unwrap_or(char::MAX).to_string()
}
