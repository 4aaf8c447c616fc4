//! Where tokens may begin, for a model whose tokenizer is on another machine.

use std::ops::Range;

/// Letters and digits of a token. Vocabularies have longer words, but texts must not exceed the window.
const LONGEST: usize = 4;

/// Byte ranges of tokens, rather too many than too few: at most four ASCII letters or digits, or one other character.
/// Spaces belong to none.
pub(super) fn token_ranges(text: &str) -> Vec<Range<usize>> {
    let mut ranges: Vec<Range<usize>> = Vec::new();
    let mut open = false;
    for (at, c) in text.char_indices() {
        let end = at + c.len_utf8();
        if c.is_whitespace() {
            open = false;
            continue;
        }
        let joins = c.is_ascii_alphanumeric();
        match ranges.last_mut() {
            Some(last) if open && joins && end - last.start <= LONGEST => last.end = end,
            _ => ranges.push(at..end),
        }
        open = joins;
    }
    ranges
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_short_ordered_and_without_spaces() {
        let text = "Sessions expire\tafter 12h – 認証。";
        let tokens: Vec<&str> = token_ranges(text).into_iter().map(|range| &text[range]).collect();
        assert_eq!(tokens, ["Sess", "ions", "expi", "re", "afte", "r", "12h", "–", "認", "証", "。"]);
        assert!(token_ranges(" \n").is_empty());
    }
}
