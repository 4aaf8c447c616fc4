//! Text as readers see it, to find what was selected in a rendered page in its Markdown: only letters and digits count, and
//! what is not shown is left out, such as the targets of links.

use std::ops::Range;

use super::Anchor;
use crate::page::body_start;

/// Letters on each side of a quote, for programs that mark it in a rendered page.
const CONTEXT: usize = 48;

/// The letters and digits of a text, with their places in it.
pub(crate) struct Letters {
    letters: String,
    /// The byte in the source for each byte of `letters`, and the end.
    places: Vec<usize>,
}

/// A quote as it is in the letters of a rendered page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Shown {
    pub quote: String,
    pub before: String,
    pub after: String,
}

fn is_letter(character: char) -> bool {
    character.is_alphanumeric()
}

impl Letters {
    /// Of words without markup.
    fn of_words(words: &str) -> String {
        words.chars().filter(|&character| is_letter(character)).collect()
    }

    /// Of a page.
    pub(crate) fn of_page(text: &str) -> Self {
        let mut letters = Self { letters: String::new(), places: Vec::new() };
        let mut at = body_start(text).min(text.len());
        while let Some(character) = text.get(at..).and_then(|rest| rest.chars().next()) {
            let rest = &text[at..];
            // Only within a line: a bracket may stand alone.
            let line = rest.split('\n').next().unwrap_or(rest);
            let hidden = if rest.starts_with("[[") {
                let link = line.split("]]").next().unwrap_or(line);
                link.find('|').map(|end| end + 1)
            } else if rest.starts_with("](") {
                line.find(')').map(|end| end + 1)
            } else if rest.starts_with("<!--") {
                rest.find("-->").map(|end| end + 3)
            } else if let Some(tag) = rest.strip_prefix('<') {
                let is_tag = tag.starts_with(|next: char| next.is_ascii_alphabetic() || next == '/');
                line.find('>').filter(|_| is_tag).map(|end| end + 1)
            } else {
                None
            };
            if let Some(hidden) = hidden {
                at += hidden;
                continue;
            }
            if is_letter(character) {
                letters.letters.push(character);
                letters.places.extend((0..character.len_utf8()).map(|byte| at + byte));
            }
            at += character.len_utf8();
        }
        letters
    }

    /// Where words are that a reader selected, in bytes of the page. `quote`, `before` and `after` are as the page shows them.
    pub(crate) fn find(&self, quote: &str, before: &str, after: &str) -> Option<Range<usize>> {
        let (quote, before, after) = (Self::of_words(quote), Self::of_words(before), Self::of_words(after));
        let place = Anchor { quote, before, after, position: usize::MAX }.find_as_is(&self.letters)?;
        let last = *self.places.get(place.end.checked_sub(1)?)?;
        Some(*self.places.get(place.start)?..last + 1)
    }

    /// How a rendered page shows this part.
    pub(crate) fn shown(&self, place: &Range<usize>) -> Shown {
        let start = self.places.partition_point(|&at| at < place.start);
        let end = self.places.partition_point(|&at| at < place.end).max(start);
        let before: Vec<char> = self.letters[..start].chars().rev().take(CONTEXT).collect();
        Shown {
            quote: self.letters[start..end].to_owned(),
            before: before.into_iter().rev().collect(),
            after: self.letters[end..].chars().take(CONTEXT).collect(),
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn words_of_a_rendered_page_are_found_in_its_markdown() {
        let text = "---\ntitle: In bold\n---\n# A\n\nText **in bold** and a [link](https://a.example/in-bold), then [[page|another one]].\n\n* in bold again\n";
        let letters = Letters::of_page(text);
        for (quote, before, expected) in [
            ("in bold", "Text ", "in bold"),
            (
                "Text in bold and a link, then",
                "",
                "Text **in bold** and a [link](https://a.example/in-bold), then",
            ),
            ("link, then another one", "and a ", "link](https://a.example/in-bold), then [[page|another one"),
            ("again", "bold ", "again"),
        ] {
            let place = letters.find(quote, before, "").unwrap();
            assert_eq!(&text[place.clone()], expected);
            assert_eq!(letters.shown(&place).quote, Letters::of_words(quote));
        }
        assert_eq!(letters.find("nowhere", "", ""), None);
    }
}
