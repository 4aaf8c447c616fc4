//! How tokens are written in PostgreSQL. Its parser divides texts in its own way: `1e5` is a number, and whether `公開` is
//! a word depends on the locale of the server. So tokens consist of the letters `a` to `z` and digits, start with a
//! letter, and are one word each to any parser.
//!
//! A token begins with the same characters as another if, and only if, that is so as written.

use std::collections::HashMap;

use ubp_core::Result;
use ubp_core::index::Stemmer;
use ubp_core::index::published::{PublishedPage, PublishedSection};

/// How often a title and headings are in the indexed text: the weights of the columns.
pub(crate) const WEIGHTS: [usize; 3] = [4, 2, 1];

/// Length of a character that is not one of the letters `a` to `y`, as written.
pub(crate) const CHARACTER: usize = 5;

/// Between the columns. It is not part of any token, and no phrase matches across it.
const SEPARATOR: &str = "|";

/// Appends a token as PostgreSQL has it: `z` and four digits of base 36 stand for every character but `a` to `y` and,
/// after the first character, digits.
pub(crate) fn write(token: &str, out: &mut String) {
    for (at, c) in token.chars().enumerate() {
        match c {
            'a'..='y' => out.push(c),
            '0'..='9' if at > 0 => out.push(c),
            _ => {
                out.push('z');
                for power in [36 * 36 * 36, 36 * 36, 36, 1] {
                    out.extend(char::from_digit(u32::from(c) / power % 36, 36));
                }
            }
        }
    }
}

/// A token as PostgreSQL has it.
pub(crate) fn written(token: &str) -> String {
    let mut out = String::with_capacity(token.len() + 8);
    write(token, &mut out);
    out
}

/// The token that PostgreSQL has as `written`; `None` if there is none.
pub(crate) fn read(written: &str) -> Option<String> {
    let mut token = String::with_capacity(written.len());
    let mut rest = written;
    while let Some(c) = rest.chars().next() {
        let length = if c == 'z' { 5 } else { c.len_utf8() };
        let (character, after) = rest.split_at_checked(length)?;
        token.push(match character.strip_prefix('z') {
            Some(digits) => char::from_u32(u32::from_str_radix(digits, 36).ok()?)?,
            None => c,
        });
        rest = after;
    }
    Some(token)
}

/// The tokens of a row of the full text, in three columns.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Columns<'t>(pub [Vec<&'t str>; 3]);

impl<'t> Columns<'t> {
    /// From the text of a row.
    pub fn read(row: &'t str) -> Self {
        let mut parts = row.split(SEPARATOR);
        let mut column = |copies: usize| {
            let tokens =
                parts.next().unwrap_or_default().split(' ').filter(|token| !token.is_empty()).collect();
            (1..copies).for_each(|_| {
                parts.next();
            });
            tokens
        };
        Self(WEIGHTS.map(&mut column))
    }
}

/// The tokens of a row, and where each of them is.
#[derive(Debug, Default)]
pub(crate) struct Places<'t>([Column<'t>; 3]);

/// A column of a row.
#[derive(Debug, Default)]
pub(crate) struct Column<'t> {
    pub tokens: Vec<&'t str>,
    places: HashMap<&'t str, Vec<usize>>,
}

impl<'t> Places<'t> {
    /// From the text of a row.
    pub fn read(row: &'t str) -> Self {
        Self(Columns::read(row).0.map(|tokens| {
            let mut places: HashMap<&str, Vec<usize>> = HashMap::new();
            for (place, token) in tokens.iter().enumerate() {
                places.entry(token).or_default().push(place);
            }
            Column { tokens, places }
        }))
    }

    /// Title, headings, text.
    pub fn columns(&self) -> impl Iterator<Item = &Column<'t>> {
        self.0.iter()
    }
}

impl Column<'_> {
    /// Positions of a token, ascending.
    pub fn places(&self, token: &str) -> &[usize] {
        self.places.get(token).map_or(&[], Vec::as_slice)
    }
}

/// A row of the full text as it is stored.
#[derive(Debug, Clone)]
pub(crate) struct Row {
    /// Number of tokens in all columns.
    pub length: usize,
    pub tokens: String,
}

/// The rows of all sections of `pages`, in order.
///
/// # Errors
/// [`ubp_core::Error::Database`].
pub(crate) fn rows(stemmer: &mut Stemmer, pages: &[PublishedPage]) -> Result<Vec<Row>> {
    let mut texts: Vec<&str> = Vec::new();
    for page in pages {
        texts.push(&page.title_terms);
        for section in &page.sections {
            texts.push(&section.heading_terms);
            texts.extend(section.passages.iter().map(|passage| passage.terms.as_str()));
        }
    }
    let mut tokens = stemmer.tokens(&texts)?.into_iter();
    let mut rows = Vec::new();
    for page in pages {
        let title = tokens.next().unwrap_or_default();
        for PublishedSection { passages, .. } in &page.sections {
            let headings = tokens.next().unwrap_or_default();
            for _ in passages {
                let text = tokens.next().unwrap_or_default();
                rows.push(row([&title, &headings, &text]));
            }
        }
    }
    Ok(rows)
}

fn row(columns: [&Vec<String>; 3]) -> Row {
    let mut row = Row { length: columns.iter().map(|column| column.len()).sum(), tokens: String::new() };
    let out = &mut row.tokens;
    for (place, (column, copies)) in columns.into_iter().zip(WEIGHTS).enumerate() {
        for copy in 0..copies {
            if place + copy > 0 {
                out.push_str(SEPARATOR);
            }
            // Spaces at both ends, so that a phrase is found as a part of the text.
            out.push(' ');
            for token in column {
                write(token, out);
                out.push(' ');
            }
        }
    }
    row
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_written_with_letters_and_digits() {
        for (token, as_written) in [("snake", "snake"), ("a1", "a1"), ("1e5", "z001de5"), ("z", "z003e")] {
            assert_eq!(written(token), as_written);
            assert_eq!(read(as_written).as_deref(), Some(token));
        }
        assert_eq!(written("公開").len(), 10);
        assert!(written("公開鍵").starts_with(&written("公開")));
        assert!(!written("z").starts_with(&written("y")));
        assert_eq!(written("\u{10ffff}").len(), 5);
        assert_eq!((read("z12"), read("züüüü"), read("az----")), (None, None, None));
    }

    #[test]
    fn columns_are_read_back() {
        let columns = [vec!["title".to_owned()], vec![], vec!["some".to_owned(), "公開".to_owned()]];
        let row = row([&columns[0], &columns[1], &columns[2]]);
        assert_eq!(row.length, 3);
        let key = written("公開");
        assert_eq!(Columns::read(&row.tokens).0, [vec!["title"], vec![], vec!["some", key.as_str()]]);
    }
}
