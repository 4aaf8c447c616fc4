//! What a reader of a page sees: its text without comments and HTML tags.

use std::borrow::Cow;
use std::ops::Range;

use super::Fence;

/// Longer tags are text.
const LONGEST_TAG: usize = 2_000;

/// Names of HTML elements whose tags are hidden. Other names in angle brackets, such as `Vec<String>`, are text.
const ELEMENTS: [&str; 62] = [
    "a",
    "abbr",
    "article",
    "aside",
    "audio",
    "b",
    "blockquote",
    "br",
    "button",
    "center",
    "code",
    "col",
    "colgroup",
    "dd",
    "del",
    "details",
    "div",
    "dl",
    "dt",
    "em",
    "figcaption",
    "figure",
    "font",
    "footer",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "header",
    "hr",
    "i",
    "iframe",
    "img",
    "input",
    "ins",
    "kbd",
    "li",
    "main",
    "mark",
    "nav",
    "ol",
    "p",
    "picture",
    "pre",
    "s",
    "section",
    "small",
    "source",
    "span",
    "strong",
    "sub",
    "summary",
    "sup",
    "table",
    "tbody",
    "td",
    "th",
    "tr",
    "ul",
    "video",
];

/// `text` with spaces for HTML comments, Obsidian comments (`%%`) and HTML tags, except in code. Its length and
/// its line breaks stay. Takes linear time.
pub fn visible(text: &str) -> Cow<'_, str> {
    if !text.contains("%%") && !text.contains('<') {
        return Cow::Borrowed(text);
    }
    blanked(text, &hidden(text))
}

/// `text` with spaces for `ranges`, which are in order; line breaks stay.
pub(super) fn blanked<'t>(text: &'t str, ranges: &[Range<usize>]) -> Cow<'t, str> {
    if ranges.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    for range in ranges {
        out.push_str(text.get(out.len()..range.start).unwrap_or_default());
        for c in text.get(range.clone()).unwrap_or_default().chars() {
            match c {
                '\n' | '\r' => out.push(c),
                _ => out.extend(std::iter::repeat_n(' ', c.len_utf8())),
            }
        }
    }
    out.push_str(text.get(out.len()..).unwrap_or_default());
    Cow::Owned(out)
}

fn hidden(text: &str) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    // Without these ends, looking for each again would take quadratic time.
    let (mut comments_end, mut percents_end) = (true, true);
    let mut spans = Spans::default();
    let mut at = 0;
    while let Some(next) = text.get(at..).and_then(|rest| rest.find(['`', '~', '\\', '<', '%'])) {
        at += next;
        let rest = &text[at..];
        at += match rest.as_bytes() {
            [b'\\', ..] => 1 + rest[1..].chars().next().map_or(0, char::len_utf8),
            [b'`' | b'~', ..] => match block_of_code(text, at) {
                Some(length) => length,
                None => spans.length(rest),
            },
            [b'<', b'!', b'-', b'-', ..] if comments_end => match rest.find("-->") {
                Some(end) => hide(&mut found, at, end + 3),
                None => {
                    comments_end = false;
                    1
                }
            },
            [b'%', b'%', ..] if percents_end => match rest[2..].find("%%") {
                Some(end) => hide(&mut found, at, end + 4),
                None => {
                    percents_end = false;
                    2
                }
            },
            [b'<', ..] => tag(rest).map_or(1, |length| hide(&mut found, at, length)),
            _ => 1,
        };
    }
    found
}

fn hide(found: &mut Vec<Range<usize>>, at: usize, length: usize) -> usize {
    found.push(at..at + length);
    length
}

/// Length of the block of code whose fence is at `at`; `None` if there is none.
fn block_of_code(text: &str, at: usize) -> Option<usize> {
    let (before, rest) = text.split_at_checked(at)?;
    let line_start = before.rfind('\n').map_or(0, |end| end + 1);
    let is_first = before[line_start..].chars().all(|c| c.is_whitespace() || matches!(c, '>' | '-' | '*'));
    let fence = Fence::opening(rest.lines().next().filter(|_| is_first)?)?;
    let mut length = 0;
    for (number, line) in rest.split_inclusive('\n').enumerate() {
        length += line.len();
        if number > 0 && fence.is_closed_by(line.trim_start_matches([' ', '\t', '>'])) {
            break;
        }
    }
    Some(length)
}

/// Spans of code.
#[derive(Default)]
struct Spans {
    /// Lengths of runs of backticks that are known to have no end in the rest of the text.
    endless: Vec<usize>,
}

impl Spans {
    /// Length of the span at the start of `rest`, or of its backticks if it has no end.
    fn length(&mut self, rest: &str) -> usize {
        let ticks = rest.bytes().take_while(|byte| *byte == b'`').count();
        if ticks == 0 || self.endless.contains(&ticks) {
            return ticks.max(1);
        }
        let mut at = ticks;
        while let Some(next) = rest.get(at..).and_then(|rest| rest.find('`')) {
            at += next;
            let closing = rest.bytes().skip(at).take_while(|byte| *byte == b'`').count();
            at += closing;
            if closing == ticks {
                return at;
            }
        }
        self.endless.push(ticks);
        ticks
    }
}

/// Length of the HTML tag at the start of `rest`.
fn tag(rest: &str) -> Option<usize> {
    let name = rest.get(1..)?.trim_start_matches('/');
    let length = name.bytes().take_while(u8::is_ascii_alphanumeric).count();
    let name = name.get(..length)?.to_ascii_lowercase();
    ELEMENTS.binary_search(&name.as_str()).ok()?;
    let end = rest.bytes().take(LONGEST_TAG).position(|byte| byte == b'>')?;
    let inside = rest.get(length + 1..end)?;
    (!inside.contains('<') && !inside.contains("\n\n")).then_some(end + 1)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use proptest::prelude::*;

    use super::*;

    fn seen(text: &str) -> String {
        visible(text).split_whitespace().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn comments_and_tags_are_hidden() {
        assert_eq!(seen("a <!-- one\ntwo --> b %% c %% d"), "a b d");
        assert_eq!(seen("%%\nmany\nlines\n%%\nafter"), "after");
        assert_eq!(seen("<div class=\"x\">in</div> <BR/> H<sub>2</sub>O"), "in H 2 O");
        assert_eq!(seen("認証<!-- 秘密 -->設計"), "認証 設計");
    }

    #[test]
    fn other_angle_brackets_and_percent_signs_are_text() {
        for text in [
            "Vec<String> and a < b > c",
            "100 %% of them",
            "<!-- open",
            "<https://example.com>",
            "5 <a 6",
            "\\<b> and \\%% x %%",
        ] {
            assert_eq!(visible(text), text);
        }
    }

    #[test]
    fn code_is_shown_as_it_is() {
        for text in [
            "`<b>` and ``a ` <!-- x -->``",
            "```html\n<div>\n<!-- a -->\n```",
            "> ~~~\n> %% a %%\n> ~~~",
            "- ```\n  <p>\n  ```\n",
        ] {
            assert_eq!(visible(text), text);
        }
        assert_eq!(seen("```\n<b>\n```\n<b>after</b>"), "``` <b> ``` after");
    }

    #[test]
    fn the_names_are_sorted() {
        assert!(ELEMENTS.is_sorted());
    }

    proptest! {
        #[test]
        fn length_and_line_breaks_stay(text in "([<>!%`~ab \\n\\r認/\\\\-]|<!--|-->|<b>|%%|```\n){0,60}") {
            let shown = visible(&text);
            prop_assert_eq!(shown.len(), text.len());
            prop_assert_eq!(shown.matches('\n').count(), text.matches('\n').count());
            for (at, c) in shown.char_indices() {
                prop_assert!(c == ' ' || text.get(at..).unwrap().starts_with(c));
            }
        }
    }
}
