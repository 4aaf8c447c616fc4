//! The words around a link, which tell the reader of a link list what it is about.

use std::ops::Range;

/// Characters on either side of a link.
const SIDE: usize = 50;

/// Characters of the link itself.
const MIDDLE: usize = 100;

/// At most this many of them are dropped to avoid cutting a word.
const PART_OF_WORD: usize = 20;

/// Marks text that was cut off.
const ELLIPSIS: char = '…';

/// The link and about [`SIDE`] characters of `plain` on either side, on one line. The cost
/// does not depend on the length of the text.
pub(super) fn around(plain: &str, link: Range<usize>) -> String {
    let (before, rest) = plain.split_at_checked(link.start).unwrap_or((plain, ""));
    let (inside, after) = rest.split_at_checked(link.len()).unwrap_or((rest, ""));
    let (before, goes_before) = last_words(before);
    let (after, goes_on) = first_words(after);
    let mut context = String::with_capacity(2 * SIDE + MIDDLE);
    for part in [before, first(inside, MIDDLE), after] {
        push_on_one_line(&mut context, part);
    }
    context.truncate(context.trim_end().len());
    if goes_before {
        context.insert(0, ELLIPSIS);
    }
    if goes_on {
        context.push(ELLIPSIS);
    }
    context
}

/// The end of a text, starting with a whole word if possible, and whether there is more before it.
fn last_words(text: &str) -> (&str, bool) {
    let Some((from, _)) = text.char_indices().rev().nth(SIDE - 1) else { return (text, false) };
    let (more, end) = text.split_at(from);
    let is_cut = more.ends_with(char::is_alphanumeric) && end.starts_with(char::is_alphanumeric);
    let begin = end.char_indices().take(PART_OF_WORD).find(|(_, character)| character.is_whitespace());
    let end = begin.filter(|_| is_cut).map_or(end, |(at, _)| &end[at..]);
    (end.trim_start(), !more.trim().is_empty())
}

/// The start of a text, ending with a whole word if possible, and whether there is more after it.
fn first_words(text: &str) -> (&str, bool) {
    let Some((to, _)) = text.char_indices().nth(SIDE) else { return (text, false) };
    let (beginning, more) = text.split_at(to);
    let is_cut = beginning.ends_with(char::is_alphanumeric) && more.starts_with(char::is_alphanumeric);
    let end =
        beginning.char_indices().rev().take(PART_OF_WORD).find(|(_, character)| character.is_whitespace());
    let beginning = end.filter(|_| is_cut).map_or(beginning, |(at, _)| &beginning[..at]);
    (beginning.trim_end(), !more.trim().is_empty())
}

/// The first `count` characters of a text.
pub(super) fn first(text: &str, count: usize) -> &str {
    text.char_indices().nth(count).map_or(text, |(at, _)| &text[..at])
}

/// `text` with every run of white space and control characters replaced by one space.
pub(super) fn on_one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    push_on_one_line(&mut line, text);
    line.truncate(line.trim_end().len());
    line
}

fn push_on_one_line(line: &mut String, text: &str) {
    for character in text.chars() {
        if !character.is_whitespace() && !character.is_control() {
            line.push(character);
        } else if !line.is_empty() && !line.ends_with(' ') {
            line.push(' ');
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fifty_characters_on_either_side() {
        let plain = format!("{}\n\t LINK {}", "é".repeat(80), "証".repeat(80));
        let start = plain.find("LINK").unwrap_or(0);
        let context = around(&plain, start..start + 4);
        assert_eq!(context, format!("…{} LINK {}…", "é".repeat(47), "証".repeat(49)));
    }

    #[test]
    fn words_stay_whole() {
        let plain = "Zero one two three four five six seven eight nine ten, see LINK: zero one two three four five six seven eight nine ten";
        let start = plain.find("LINK").unwrap_or(0);
        assert_eq!(
            around(plain, start..start + 4),
            "…two three four five six seven eight nine ten, see LINK: zero one two three four five six seven eight…"
        );
    }

    #[test]
    fn short_texts_are_not_cut() {
        assert_eq!(around("see LINK", 4..8), "see LINK");
        assert_eq!(around("LINK", 0..4), "LINK");
        assert_eq!(around("a\u{0}\r\nLINK\n", 4..8), "a LINK");
        assert_eq!(around("", 0..4), "");
    }
}
