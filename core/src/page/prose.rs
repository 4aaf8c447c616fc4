//! Finds the running text of a page: everything except code, links, addresses, mathematics and markup. Words
//! in it could be turned into a link.

use std::ops::Range;

use pulldown_cmark::{Event, Parser, Tag, TagEnd};

use super::body;

/// A stretch of text without anything in between.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prose {
    /// Its bytes.
    pub range: Range<usize>,
    /// Stretches with the same number are continuous: only line breaks and emphasis separate
    /// them.
    pub block: usize,
    /// Whether it belongs to a heading.
    pub heading: bool,
    /// Whether it belongs to a table, where a pipe has to be escaped.
    pub table: bool,
}

/// The running text of `text` from byte `start`, in order.
pub fn prose(text: &str, start: usize) -> Vec<Prose> {
    let mut found: Vec<Prose> = Vec::new();
    let (mut block, mut hidden, mut heading, mut table) = (0, 0_usize, false, false);
    for (event, range) in Parser::new_ext(text.get(start..).unwrap_or(""), body::options()).into_offset_iter()
    {
        match event {
            Event::Text(_) if hidden == 0 => {
                let range = start + range.start..start + range.end;
                match found.last_mut().filter(|last| last.block == block && last.range.end == range.start) {
                    Some(last) => last.range.end = range.end,
                    None => found.push(Prose { range, block, heading, table }),
                }
                continue;
            }
            Event::SoftBreak
            | Event::Start(Tag::Emphasis | Tag::Strong | Tag::Strikethrough)
            | Event::End(TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough) => continue,
            Event::Start(Tag::Link { .. } | Tag::Image { .. } | Tag::CodeBlock(_)) => hidden += 1,
            Event::End(TagEnd::Link | TagEnd::Image | TagEnd::CodeBlock) => hidden = hidden.saturating_sub(1),
            Event::Start(Tag::Heading { .. }) => heading = true,
            Event::End(TagEnd::Heading(_)) => heading = false,
            Event::Start(Tag::Table(_)) => table = true,
            Event::End(TagEnd::Table) => table = false,
            _ => {}
        }
        block += 1;
    }
    without_addresses(text, found)
}

/// Removes web addresses that are written without markup.
fn without_addresses(text: &str, found: Vec<Prose>) -> Vec<Prose> {
    let mut kept = Vec::with_capacity(found.len());
    for mut stretch in found {
        while let Some(at) = text.get(stretch.range.clone()).and_then(|part| part.find("://")) {
            let part = text.get(stretch.range.clone()).unwrap_or_default();
            let (before, after) = part.split_at(at);
            let scheme = before.trim_end_matches(|c: char| c.is_ascii_alphanumeric()).len();
            let length = after.find(char::is_whitespace).unwrap_or(after.len());
            let next = stretch.range.start + at + length;
            if scheme > 0 {
                let range = stretch.range.start..stretch.range.start + scheme;
                kept.push(Prose { range, ..stretch.clone() });
            }
            stretch.range.start = next;
        }
        if !stretch.range.is_empty() {
            kept.push(stretch);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> Vec<&str> {
        prose(text, 0).into_iter().filter_map(|stretch| text.get(stretch.range)).collect()
    }

    #[test]
    fn code_links_and_addresses_are_left_out() {
        let text =
            "# Head\n\nsee `code` and [[Page|words]], *an* [x](y.md) at https://a.b/c?d e\n\n```\nin\n```\n";
        assert_eq!(shown(text), ["Head", "see ", " and ", ", ", "an", " ", " at ", " e"]);
        assert_eq!(shown("$x$ <b>t</b> ![[E]] ![alt](i.png) <https://x.y>"), [" ", "t", " ", " ", " "]);
    }

    #[test]
    fn tables_and_headings_are_marked_and_blocks_are_separate() {
        let found = prose("## H\n\n| a | b |\n|---|---|\n| c | d |\n\np\nq **r**\n", 0);
        let facts: Vec<_> = found.iter().map(|stretch| (stretch.heading, stretch.table)).collect();
        assert_eq!(facts[0], (true, false));
        assert!(facts[1..5].iter().all(|fact| *fact == (false, true)));
        assert_eq!(found[5].block, found[7].block);
        assert!(found.windows(2).take(5).all(|pair| pair[0].block != pair[1].block));
    }

    #[test]
    fn ranges_are_ordered_and_on_character_boundaries() {
        for text in
            ["", "://", "a://", "é://é é://", "[[[[", "|", "\u{feff}# x\r\n\\# y &amp; z", "```", "[a][b]\n"]
        {
            let found = prose(text, 0);
            assert!(found.iter().all(|stretch| text.get(stretch.range.clone()).is_some()), "{text}");
            assert!(found.windows(2).all(|pair| pair[0].range.end <= pair[1].range.start), "{text}");
        }
    }
}
