//! The words around a link, so that a reader of a link list sees what it is about.

use std::ops::Range;

/// Characters on either side of a link.
const SIDE: usize = 50;

/// Characters of the link itself.
const MIDDLE: usize = 100;

/// About [`SIDE`] characters of `plain` on either side of `link`, and the link, on one line. Costs the
/// same wherever the link is and however long the text.
pub(super) fn around(plain: &str, link: Range<usize>) -> String {
    let (before, rest) = plain.split_at_checked(link.start).unwrap_or((plain, ""));
    let (inside, after) = rest.split_at_checked(link.len()).unwrap_or((rest, ""));
    let from = before.char_indices().rev().nth(SIDE - 1).map_or(0, |(at, _)| at);
    let mut context = String::with_capacity(2 * SIDE + MIDDLE);
    for part in [&before[from..], first(inside, MIDDLE), first(after, SIDE)] {
        push_on_one_line(&mut context, part);
    }
    context.truncate(context.trim_end().len());
    context
}

/// The first `count` characters of a text.
pub(super) fn first(text: &str, count: usize) -> &str {
    text.char_indices().nth(count).map_or(text, |(at, _)| &text[..at])
}

/// `text` with every run of blanks and control characters as one space.
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
        assert_eq!(context, format!("{} LINK {}", "é".repeat(47), "証".repeat(49)));
    }

    #[test]
    fn short_texts_are_whole() {
        assert_eq!(around("see LINK", 4..8), "see LINK");
        assert_eq!(around("LINK", 0..4), "LINK");
        assert_eq!(around("a\u{0}\r\nLINK\n", 4..8), "a LINK");
        assert_eq!(around("", 0..4), "");
    }
}
