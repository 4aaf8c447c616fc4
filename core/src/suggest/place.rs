//! Where to add a link: words in the running text of a page that refer to the other page, and that brackets
//! turn into a link without other effects.

use std::ops::Range;

use rusqlite::Connection;

use super::words::{ByNumber, kind, words};
use crate::index::questions::pages::{self, PageRow};
use crate::index::questions::{fulltext, links, names};
use crate::page::{Lines, LinkTypes, Prose, parse, prose};
use crate::text::{self, Class};
use crate::{Result, path};

/// Maximum number of characters of the line on either side. Words are not split.
const CONTEXT: usize = 60;
/// Longer words are split all the same.
const LONGEST_WORD: usize = 30;

/// Words that can be turned into a link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// Line, from 1.
    pub line: usize,
    /// The words, verbatim.
    pub text: String,
    /// The line around them, cut at word boundaries and marked with `…` if it is long.
    pub context: String,
    /// Their bytes in the decoded text of the page.
    pub range: Range<usize>,
    /// Whether they are in a table, where a pipe has to be escaped.
    pub table: bool,
}

/// Phrases that refer to a page: first its names, longest first, then the text of links to it.
#[derive(Debug, Clone, Default)]
pub struct Names(Vec<Vec<u64>>);

impl Names {
    /// The phrases that refer to the page with this number.
    ///
    /// # Errors
    /// [`crate::Error::Database`].
    pub fn of(db: &Connection, page: i64) -> Result<Self> {
        let mut names = Self::own(db, page)?;
        names.extend(links::texts_to(db, page)?);
        Ok(names)
    }

    /// The title, file name and aliases of the page, without the text of links.
    ///
    /// # Errors
    /// [`crate::Error::Database`].
    pub fn own(db: &Connection, page: i64) -> Result<Self> {
        let mut names = Self::default();
        names.extend(own_names(db, page)?);
        names.0.sort_by_key(|name| std::cmp::Reverse(name.len()));
        Ok(names)
    }

    /// Adds names of more than one character.
    fn extend(&mut self, names: impl IntoIterator<Item = String>) {
        for name in names {
            let called: Vec<u64> = words(&name).map(|word| word.number()).collect();
            let characters: usize = words(&name).map(|word| word.text.chars().count()).sum();
            if characters > 1 && !self.0.contains(&called) {
                self.0.push(called);
            }
        }
    }
}

fn own_names(db: &Connection, page: i64) -> Result<Vec<String>> {
    let PageRow { title, path: file, .. } = pages::row(db, page)?;
    let mut own = vec![title, path::page_name(&file).to_owned()];
    own.extend(names::aliases(db, page)?);
    Ok(own)
}

/// Numbers of the pages whose headings or text may contain a name of this one. Some of them do not contain one.
///
/// # Errors
/// [`crate::Error::Database`].
pub fn may_be_named_by(db: &Connection, page: i64) -> Result<Vec<i64>> {
    let phrases = own_names(db, page)?.into_iter().map(|name| text::phrase_terms(&name));
    let phrases: Vec<String> =
        phrases.filter(|terms| !terms.is_empty()).map(|terms| format!("\"{terms}\"")).collect();
    if phrases.is_empty() {
        return Ok(Vec::new());
    }
    fulltext::pages(db, &format!("({})", phrases.join(" OR ")))
}

/// The running text of a page, prepared for finding names.
#[derive(Debug)]
pub struct RunningText {
    text: String,
    lines: Lines,
    stretches: Vec<Prose>,
    /// The number of each word, its stretch, and its bytes in the text of the page.
    words: Vec<(u64, usize, Range<usize>)>,
    /// The indexes in `words` of each word.
    at: ByNumber<Vec<usize>>,
}

impl RunningText {
    /// Prepares the decoded `text` of a page.
    pub fn of(text: &str, types: &LinkTypes) -> Self {
        let start = parse(text, types).front_matter.range.end;
        let stretches = prose(text, start);
        let mut spoken = Vec::new();
        let mut at: ByNumber<Vec<usize>> = ByNumber::default();
        for (stretch, Prose { range, .. }) in stretches.iter().enumerate() {
            for word in words(text.get(range.clone()).unwrap_or_default()) {
                let number = word.number();
                at.entry(number).or_default().push(spoken.len());
                spoken.push((number, stretch, range.start + word.range.start..range.start + word.range.end));
            }
        }
        Self { text: text.to_owned(), lines: Lines::new(text), stretches, words: spoken, at }
    }

    /// Every place that matches `names`, best first: outside of headings first, then by name, then in the order
    /// of the text.
    pub fn places(&self, names: &Names) -> Vec<Place> {
        let mut found: Vec<(usize, bool, Place)> = Vec::new();
        for (order, name) in names.0.iter().enumerate() {
            for &at in name.first().and_then(|first| self.at.get(first)).into_iter().flatten() {
                let Some(words) = self.words.get(at..at + name.len()) else { continue };
                let [(_, stretch, first), ..] = words else { continue };
                let is_here =
                    words.iter().zip(name).all(|(word, wanted)| word.0 == *wanted && word.1 == *stretch);
                let range = first.start..words.last().map_or(first.end, |(.., last)| last.end);
                if is_here && can_be_linked(&self.text, &range) {
                    let Prose { heading, table, .. } = self.stretches[*stretch];
                    let place = Place {
                        line: self.lines.line_of(range.start),
                        text: self.text.get(range.clone()).unwrap_or_default().to_owned(),
                        context: context(&self.text, &range),
                        table,
                        range,
                    };
                    found.push((order, heading, place));
                }
            }
        }
        found.sort_by_key(|(name, heading, place)| (*heading, *name, place.range.start));
        found.into_iter().map(|(_, _, place)| place).collect()
    }
}

/// Whether brackets around these bytes neither split a longer word nor have another meaning.
fn can_be_linked(text: &str, range: &Range<usize>) -> bool {
    let (Some(before), Some(words), Some(after)) =
        (text.get(..range.start), text.get(range.clone()), text.get(range.end..))
    else {
        return false;
    };
    let (previous, next) = (before.chars().next_back(), after.chars().next());
    let (first, last) = (words.chars().next(), words.chars().next_back());
    let in_katakana =
        |a: Option<char>, b: Option<char>| a.is_some_and(is_katakana) && b.is_some_and(is_katakana);
    let goes_on = matches!(next, Some('.' | ':' | '\'' | '’'))
        && after.chars().nth(1).is_some_and(char::is_alphanumeric);
    !words.contains(['[', ']', '|', '#', '^', '\n', '\r'])
        && !matches!(previous, Some('#' | '^' | '@' | '/' | '\\' | '-' | '_' | '[' | '.' | '!' | '{' | '<'))
        && !matches!(next, Some('/' | '\\' | '-' | '_' | ']' | '@' | '}' | '>'))
        && !goes_on
        && !in_katakana(previous, first)
        && !in_katakana(last, next)
}

fn is_katakana(c: char) -> bool {
    matches!(c, '\u{30a1}'..='\u{30fa}' | '\u{30fc}'..='\u{30ff}')
}

/// The text around the words on the same line, cut at word boundaries; of a row of a table, without its bars.
pub(crate) fn context(text: &str, range: &Range<usize>) -> String {
    let line_start = text[..range.start].rfind(['\n', '\r']).map_or(0, |end| end + 1);
    let line_end = text[range.end..].find(['\n', '\r']).map_or(text.len(), |length| range.end + length);
    let start = text[line_start..range.start].char_indices().rev().nth(CONTEXT - 1);
    let end = text[range.end..line_end].char_indices().nth(CONTEXT);
    let start = start.map_or(line_start, |(at, _)| {
        let from = line_start + at;
        let mut ahead = text[from..range.start].char_indices().map(|(at, _)| from + at).take(LONGEST_WORD);
        ahead.find(|at| !cuts_a_word(text, *at)).unwrap_or(from)
    });
    let end = end.map_or(line_end, |(at, _)| {
        let to = range.end + at;
        let mut back = text[range.end..to].char_indices().rev().map(|(at, _)| range.end + at);
        let mut back = std::iter::once(to).chain(back.by_ref()).take(LONGEST_WORD);
        back.find(|at| !cuts_a_word(text, *at)).unwrap_or(to)
    });
    let (before, after) = (&text[line_start..start], &text[end..line_end]);
    let is_more = |rest: &str| if rest.trim().is_empty() { "" } else { "…" };
    let shown = text[start..end].trim();
    let is_row = text[line_start..line_end].trim_start().starts_with('|');
    let shown = if is_row { text::cells(shown) } else { shown.to_owned() };
    format!("{}{shown}{}", is_more(before), is_more(after))
}

/// Whether a cut at `at` would split a word.
fn cuts_a_word(text: &str, at: usize) -> bool {
    let (Some(before), Some(after)) = (text[..at].chars().next_back(), text[at..].chars().next()) else {
        return false;
    };
    match (kind(before), kind(after)) {
        (_, Class::Skip) | (Class::Word, Class::Word) => true,
        (Class::Unspaced, Class::Unspaced) => is_katakana(before) && is_katakana(after),
        (Class::Skip, after) => after == Class::Word,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str, names: &[&str]) -> Vec<(usize, String)> {
        let places = RunningText::of(text, &LinkTypes::default()).places(&called(names));
        places.into_iter().map(|place| (place.line, place.text)).collect()
    }

    fn called(names: &[&str]) -> Names {
        let mut called = Names::default();
        called.extend(names.iter().map(|&name| name.to_owned()));
        called
    }

    #[test]
    fn names_are_found_where_a_link_is_possible() {
        let text =
            "---\ntitle: login\n---\n# Login\r\nuse `login`, [[login]], re-login and Login.\rlogin.md\n";
        assert_eq!(found(text, &["login"]), [(5, "Login".into()), (4, "Login".into())]);
        assert_eq!(found("a Login-Feature, login feature", &["login feature"])[0].1, "Login-Feature");
        assert_eq!(
            found("login\nfeature login] feature #login", &["login feature", "login"]),
            [(1, "login".into())]
        );
        assert!(found("", &["x y"]).is_empty());
        assert!(found("anything", &["—"]).is_empty());
    }

    #[test]
    fn katakana_words_are_not_split() {
        assert_eq!(found("プレビューとビューを", &["ビュー"]), [(1, "ビュー".into())]);
        assert!(found("プレビュー", &["ビュー"]).is_empty());
        assert_eq!(found("認証設計を読む", &["設計"]), [(1, "設計".into())]);
    }

    fn around(text: &str, name: &str) -> String {
        RunningText::of(text, &LinkTypes::default()).places(&called(&[name]))[0].context.clone()
    }

    #[test]
    fn the_context_is_the_line_around_the_words() {
        let text = "one\n  about tokens here \r\nthree";
        assert_eq!(around(text, "tokens"), "about tokens here");
        let place = &RunningText::of(text, &LinkTypes::default()).places(&called(&["tokens"]))[0];
        assert_eq!(&text[place.range.clone()], "tokens");
        let table = "| option | meaning |\n|---|---|\n| --file | the tokens |\n";
        assert_eq!(around(table, "tokens"), "--file · the tokens");
    }

    #[test]
    fn a_long_context_is_cut_at_word_boundaries() {
        let long = "Authentication needs ".repeat(5);
        let text = format!("{long}tokens {long}");
        let cut = "…needs Authentication needs Authentication needs tokens Authentication needs Authentication needs Authentication…";
        assert_eq!(around(&text, "tokens"), cut);
        // A word that is too long is split; the text after it fits and is kept.
        let text = format!("{} tokens of {}", "é".repeat(100), "e".repeat(56));
        assert_eq!(around(&text, "tokens"), format!("…{} tokens of {}", "é".repeat(59), "e".repeat(56)));
        let text = format!("{}このトークンを{}", "認証プレビュー".repeat(20), "確認".repeat(40));
        let found = around(&text, "トークン");
        let (before, after) = ("認証プレビュー".repeat(8), "確認".repeat(29));
        assert_eq!(found, format!("…{before}このトークンを{after}確…"));
    }
}
