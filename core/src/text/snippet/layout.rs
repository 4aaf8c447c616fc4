//! What in Markdown is layout, and says nothing in a piece that is shown on one line.

use std::ops::Range;

use crate::text::Fence;

/// Bytes to leave out.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Layout {
    pub range: Range<usize>,
    /// Whether one item of a list or row of a table ends here and the next begins. Then at least three
    /// characters go, line breaks included.
    pub parts: bool,
}

/// The layout in `window` of `text`: signs of headings, quotes, lists and tables, rules, and the fences of
/// code, but for those with something in `marks`. In order, apart from each other. Linear in the text.
pub(super) fn layout(text: &str, window: &Range<usize>, marks: &[Range<usize>]) -> Vec<Layout> {
    let mut found = Vec::new();
    let mut fence: Option<Fence<'_>> = None;
    // Whether the last line began an item or a row, or went on in one; whether the last row ended with its edge.
    let (mut listed, mut edged) = (false, false);
    let mut after_blank = false;
    let mut end = 0;
    for line in text.split_inclusive('\n') {
        let start = end;
        end += line.len();
        if start >= window.end {
            break;
        }
        let mut gone = |range: Range<usize>, parts| {
            if range.end > window.start && !range.is_empty() {
                found.push(Layout { range, parts });
            }
        };
        let bare = line.trim();
        if let Some(open) = &fence {
            if open.is_closed_by(bare) {
                gone(start..end, false);
                fence = None;
            }
            continue;
        }
        fence = Fence::opening(bare);
        if let Some(opened) = &fence {
            let info = opened.info.len() + (line.len() - line.trim_end().len());
            let first = marks.partition_point(|mark| mark.end <= start);
            let marked = marks.get(first).is_some_and(|mark| mark.start < end);
            gone(start..if marked { end - info } else { end }, false);
            listed = false;
        } else if bare.is_empty() {
            after_blank = true;
            continue;
        } else if is_rule(bare) {
            gone(start..end, false);
        } else if let Some(length) = edge(line) {
            gone(start..start + length, listed && (length > 1 || edged));
            let closing = line.trim_end();
            edged = closing.len() > length && closing.ends_with('|') && !closing.ends_with("\\|");
            if edged {
                gone(start + closing.len() - 1..start + closing.len(), false);
            }
            listed = true;
        } else {
            let (length, item) = signs(line);
            gone(start..start + length, item && listed);
            let goes_on = length == 0 && !(after_blank && line.starts_with(|c: char| !c.is_whitespace()));
            listed = item || (goes_on && listed);
        }
        after_blank = false;
    }
    found
}

/// Whether a line only separates: thematic breaks, underlines of headings, the line below the head of a table.
fn is_rule(line: &str) -> bool {
    let drawn = |marks: &[u8]| line.bytes().all(|byte| byte == b' ' || marks.contains(&byte));
    let is_break = ["-", "*", "_", "="].iter().any(|mark| line.starts_with(mark) && drawn(mark.as_bytes()));
    (is_break && line.len() >= 3) || (line.starts_with('|') && line.contains('-') && drawn(b"|-:"))
}

/// Length of the edge that a row of a table begins with.
fn edge(line: &str) -> Option<usize> {
    let row = line.trim_start().strip_prefix('|')?;
    Some(line.len() - row.trim_start_matches([' ', '\t']).len())
}

/// Length of the signs that a line begins with, and whether they begin an item of a list.
fn signs(line: &str) -> (usize, bool) {
    let (mut length, mut item) = (0, false);
    while let Some(rest) = line.get(length..)
        && let (next @ 1.., is_item) = sign(rest)
    {
        length += next;
        item |= is_item;
    }
    let boxed = ["[ ] ", "[x] ", "[X] "].iter().any(|mark| line[length..].starts_with(mark));
    (if item && boxed { length + 4 } else { length }, item)
}

/// Length of the heading, list or quote sign that a text begins with, and whether it is that of an item.
fn sign(text: &str) -> (usize, bool) {
    let rest = text.trim_start_matches([' ', '\t']);
    let indent = text.len() - rest.len();
    let hashes = rest.bytes().take_while(|b| *b == b'#').count();
    let digits = rest.bytes().take(9).take_while(u8::is_ascii_digit).count();
    let (length, item) = match rest.as_bytes() {
        [b'#', ..] if hashes <= 6 => (hashes, false),
        [b'>', ..] => (1, false),
        [b'-' | b'*' | b'+', ..] => (1, true),
        [b'0'..=b'9', ..] if matches!(rest.as_bytes().get(digits), Some(b'.' | b')')) => (digits + 1, true),
        _ => return (0, false),
    };
    let spaced = rest.as_bytes().get(length).is_some_and(|b| matches!(b, b' ' | b'\t'));
    if spaced { (indent + length + 1, item) } else { (0, false) }
}
