//! Finds and replaces a passage of a page.

use std::borrow::Cow;
use std::ops::Range;

use super::body_edit::{in_kind, line_break};
use super::lines;
use crate::text::fold_key;

/// The occurrences of `passage` in `text`, in order, without overlaps. A line break in the passage matches any kind
/// of line break in the text.
pub(crate) fn occurrences(text: &str, passage: &str) -> Vec<Range<usize>> {
    let find = |passage: &str| {
        let found = text.match_indices(passage).filter(|_| !passage.is_empty());
        found.map(|(at, found)| at..at + found.len()).collect::<Vec<_>>()
    };
    let exact = find(passage);
    match spelled(passage, text) {
        Cow::Owned(passage) if exact.is_empty() => find(&passage),
        _ => exact,
    }
}

/// The passage with the line breaks of `text`.
fn spelled<'a>(passage: &'a str, text: &str) -> Cow<'a, str> {
    let differs = passage.contains('\r') || (passage.contains('\n') && line_break(text) != "\n");
    if differs { Cow::Owned(in_kind(passage, text)) } else { Cow::Borrowed(passage) }
}

/// Replaces the text in `places`, which are sorted, by `new` with the line breaks of `text`.
pub(crate) fn with_replaced(text: &str, places: &[Range<usize>], new: &str) -> String {
    let new = in_kind(new, text);
    let mut edited = String::with_capacity(text.len());
    let mut from = 0;
    for place in places {
        edited.push_str(text.get(from..place.start).unwrap_or_default());
        edited.push_str(&new);
        from = place.end;
    }
    edited.push_str(text.get(from..).unwrap_or_default());
    edited
}

/// The first line of `text` that differs from a missing passage: its number, the line, and the line of the passage.
/// `None` if no line of the text matches the first line of the passage.
pub(crate) fn closest(text: &str, passage: &str) -> Option<(usize, String, String)> {
    let mut wanted: Vec<&str> = lines::split(passage).map(|(_, line)| lines::content(line)).collect();
    wanted.drain(..wanted.iter().position(|line| !line.trim().is_empty())?);
    let there: Vec<&str> = lines::split(text).map(|(_, line)| lines::content(line)).collect();
    let key = fold_key(wanted.first()?.trim());
    let at = there.iter().position(|line| fold_key(line).contains(&key))?;
    let (first, last) = (0, wanted.len() - 1);
    // A passage may start and end inside a line.
    let fits = |number: usize, line: &str, wanted: &str| match (number == first, number == last) {
        (true, true) => line.contains(wanted),
        (true, false) => line.ends_with(wanted),
        (false, true) => line.starts_with(wanted),
        (false, false) => line == wanted,
    };
    wanted.iter().enumerate().find_map(|(number, wanted)| {
        let line = there.get(at + number).copied().unwrap_or_default();
        (!fits(number, line, wanted)).then(|| (at + number + 1, line.to_owned(), (*wanted).to_owned()))
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn line_breaks_of_any_kind_match() {
        assert_eq!(occurrences("one\r\ntwo\r\n", "one\ntwo").first(), Some(&(0..8)));
        assert_eq!(occurrences("one\ntwo\n", "one\r\ntwo").first(), Some(&(0..7)));
        assert_eq!(
            occurrences("a\nb\r\na\nb", "a\nb"),
            [0..3, 5..8],
            "mixed line breaks are matched exactly"
        );
        assert_eq!(occurrences("aaaa", "aa"), [0..2, 2..4]);
        assert!(occurrences("text", "").is_empty());
    }

    #[test]
    fn a_replacement_gets_the_line_breaks_of_the_text() {
        let text = "one\r\ntwo\r\none\r\n";
        assert_eq!(with_replaced(text, &occurrences(text, "one"), "1\n1"), "1\r\n1\r\ntwo\r\n1\r\n1\r\n");
        assert_eq!(with_replaced("日本 日本", &occurrences("日本 日本", "日"), ""), "本 本");
    }

    #[test]
    fn the_closest_line_to_a_missing_passage_is_found() {
        let text = "# Title\n\nFirst line.\n  Second line.\nThird.\n";
        let found = |passage: &str| closest(text, passage);
        let line = |number: usize, is: &str, wanted: &str| Some((number, is.to_owned(), wanted.to_owned()));
        assert_eq!(found("First line.\nSecond line."), line(4, "  Second line.", "Second line."));
        assert_eq!(found("first LINE."), line(3, "First line.", "first LINE."));
        assert_eq!(found("Third.\n\nMore"), line(7, "", "More"), "after the last line");
        assert_eq!(found("nothing like it"), None);
        assert_eq!(found(" \n"), None);
    }
}
