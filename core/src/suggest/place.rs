//! Where to add a link: words in the running text of a page that refer to the other page, and that brackets
//! turn into a link without other effects.

use std::collections::HashMap;
use std::ops::Range;

use rusqlite::Connection;

use super::words::{Word, words};
use crate::index::questions::pages::{self, PageRow};
use crate::index::questions::{links, names};
use crate::page::{Lines, LinkTypes, parse, prose};
use crate::{Result, path};

/// Characters of the line that are shown on either side.
const CONTEXT: usize = 60;

/// Words that can be turned into a link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// Line, from 1.
    pub line: usize,
    /// The words, verbatim.
    pub text: String,
    /// The line around them.
    pub context: String,
    /// Their bytes in the decoded text of the page.
    pub range: Range<usize>,
    /// Whether they are in a table, where a pipe has to be escaped.
    pub table: bool,
}

/// Phrases that refer to a page: first its names, longest first, then the text of links to it.
#[derive(Debug, Clone, Default)]
pub struct Names(Vec<Vec<String>>);

impl Names {
    /// The phrases that refer to the page with this number.
    ///
    /// # Errors
    /// [`crate::Error::Database`].
    pub fn of(db: &Connection, page: i64) -> Result<Self> {
        let PageRow { title, path: file, .. } = pages::row(db, page)?;
        let mut own = vec![keys(&title), keys(path::page_name(&file))];
        own.extend(names::aliases(db, page)?.iter().map(|alias| keys(alias)));
        own.sort_by_key(|name| std::cmp::Reverse(name.len()));
        own.extend(links::texts_to(db, page)?.iter().map(|text| keys(text)));
        own.retain(|name| name.iter().map(|word| word.chars().count()).sum::<usize>() > 1);
        Ok(Self(own))
    }
}

fn keys(name: &str) -> Vec<String> {
    words(name).map(|word| word.key.into_owned()).collect()
}

/// Every place in the decoded `text` of a page that matches `names`, best first: outside of
/// headings first, then by name, then in the order of the text.
pub fn places(text: &str, names: &Names, types: &LinkTypes) -> Vec<Place> {
    let by_first: HashMap<&str, Vec<usize>> =
        names.0.iter().enumerate().fold(HashMap::new(), |mut by, (at, name)| {
            if let Some(first) = name.first() {
                by.entry(first.as_str()).or_insert_with(Vec::new).push(at);
            }
            by
        });
    if by_first.is_empty() {
        return Vec::new();
    }
    let start = parse(text, types).front_matter.range.end;
    let mut found: Vec<(usize, bool, Place)> = Vec::new();
    let lines = Lines::new(text);
    for stretch in prose(text, start) {
        let part = text.get(stretch.range.clone()).unwrap_or_default();
        let spoken: Vec<Word<'_>> = words(part).collect();
        for (at, word) in spoken.iter().enumerate() {
            for &name in by_first.get(&*word.key).into_iter().flatten() {
                let wanted = &names.0[name];
                let Some(found_words) = spoken.get(at..at + wanted.len()) else { continue };
                if found_words.iter().zip(wanted).all(|(found, wanted)| found.key == *wanted) {
                    let end = found_words.last().map_or(word.range.end, |last| last.range.end);
                    let range = stretch.range.start + word.range.start..stretch.range.start + end;
                    if can_be_linked(text, &range) {
                        let place = Place {
                            line: lines.line_of(range.start),
                            text: text.get(range.clone()).unwrap_or_default().to_owned(),
                            context: context(text, &range),
                            table: stretch.table,
                            range,
                        };
                        found.push((name, stretch.heading, place));
                    }
                }
            }
        }
    }
    found.sort_by_key(|(name, heading, place)| (*heading, *name, place.range.start));
    found.into_iter().map(|(_, _, place)| place).collect()
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

/// The characters around the words on the same line.
fn context(text: &str, range: &Range<usize>) -> String {
    let on_line = |c: &char| !matches!(c, '\n' | '\r');
    let side = |text: Option<&str>| text.unwrap_or_default().to_owned();
    let (before, words, after) =
        (text.get(..range.start), side(text.get(range.clone())), text.get(range.end..));
    let left: Vec<char> =
        before.unwrap_or_default().chars().rev().take(CONTEXT).take_while(on_line).collect();
    let right: String = after.unwrap_or_default().chars().take(CONTEXT).take_while(on_line).collect();
    format!("{}{words}{right}", left.into_iter().rev().collect::<String>()).trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str, names: &[&str]) -> Vec<(usize, String)> {
        let names = Names(names.iter().map(|name| keys(name)).collect());
        places(text, &names, &LinkTypes::default())
            .into_iter()
            .map(|place| (place.line, place.text))
            .collect()
    }

    #[test]
    fn names_are_found_where_a_link_can_stand() {
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

    #[test]
    fn the_context_is_the_line_around_it() {
        let names = Names(vec![keys("tokens")]);
        let text = format!("one\n{}about tokens here\nthree", "é".repeat(100));
        let place = &places(&text, &names, &LinkTypes::default())[0];
        assert_eq!(place.context, format!("{}about tokens here", "é".repeat(54)));
        assert_eq!(&text[place.range.clone()], "tokens");
    }
}
