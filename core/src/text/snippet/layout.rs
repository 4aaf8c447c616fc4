//! Markdown layout to leave out of an excerpt on one line.

use std::ops::Range;

use crate::text::Fence;

/// A range of bytes to leave out.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Layout {
    pub range: Range<usize>,
    /// Whether an item of a list or a row of a table ends here and the next one starts. Then the range has at least
    /// three characters, including line breaks.
    pub parts: bool,
}

/// The layout in `window` of `text`: markers of headings, quotes, callouts, lists and tables, rules, and
/// code fences, except those that overlap with `marks`. In order, not overlapping. Takes linear time.
pub(super) fn layout(text: &str, window: &Range<usize>, marks: &[Range<usize>]) -> Vec<Layout> {
    let is_marked = |range: Range<usize>| {
        let first = marks.partition_point(|mark| mark.end <= range.start);
        marks.get(first).is_some_and(|mark| mark.start < range.end)
    };
    let mut found = Vec::new();
    let mut fence: Option<Fence<'_>> = None;
    // Whether the last line was part of an item or a row; whether the last row ended with a pipe.
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
            gone(start..if is_marked(start..end) { end - info } else { end }, false);
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
            let inner = start + length..start + closing.len() - usize::from(edged);
            for bar in bars(text, inner) {
                // A separator takes three characters, as many as a bar between spaces.
                gone(bar.clone(), bar.len() == 3);
            }
            if edged {
                gone(start + closing.len() - 1..start + closing.len(), false);
            }
            listed = true;
        } else {
            let (length, item) = signs(line);
            let kind = if line[..length].contains('>') { kind_of_callout(&line[length..]) } else { 0 };
            let shown =
                start + length + if is_marked(start + length..start + length + kind) { 0 } else { kind };
            gone(start..shown, item && listed);
            let goes_on = length == 0 && !(after_blank && line.starts_with(|c: char| !c.is_whitespace()));
            listed = item || (goes_on && listed);
        }
        after_blank = false;
    }
    found
}

/// Whether a line is only a separator: a thematic break, a setext underline, the delimiter row of a table.
fn is_rule(line: &str) -> bool {
    let drawn = |marks: &[u8]| line.bytes().all(|byte| byte == b' ' || marks.contains(&byte));
    let is_break = ["-", "*", "_", "="].iter().any(|mark| line.starts_with(mark) && drawn(mark.as_bytes()));
    (is_break && line.len() >= 3) || (line.starts_with('|') && line.contains('-') && drawn(b"|-:"))
}

/// Length of the pipe at the start of a table row.
fn edge(line: &str) -> Option<usize> {
    let row = line.trim_start().strip_prefix('|')?;
    Some(line.len() - row.trim_start_matches([' ', '\t']).len())
}

/// A row of a table, or a part of it, without its bars: ` · ` between the cells.
pub(crate) fn cells(row: &str) -> String {
    let bars = bars(row, 0..row.len());
    let ends = bars.iter().map(|bar| bar.start).chain([row.len()]);
    let starts = [0].into_iter().chain(bars.iter().map(|bar| bar.end));
    let cells = starts.zip(ends).filter_map(|(start, end)| row.get(start..end));
    let cells = cells.map(str::trim).filter(|cell| !cell.is_empty());
    cells.collect::<Vec<_>>().join(" · ")
}

/// The bars between the cells of a row, except in code, each with a space on either side if there is one.
fn bars(text: &str, row: Range<usize>) -> Vec<Range<usize>> {
    let cells = text.get(row.clone()).unwrap_or_default();
    let mut in_code = false;
    let found = cells.char_indices().filter(|&(at, c)| {
        in_code ^= c == '`';
        c == '|' && !in_code && !cells[..at].ends_with('\\')
    });
    found
        .map(|(at, _)| {
            let spaced = cells[..at].ends_with(' ') && cells[at + 1..].starts_with(' ');
            let at = row.start + at;
            if spaced { at - 1..at + 2 } else { at..at + 1 }
        })
        .collect()
}

/// Length of the markers at the start of a line, and whether they start a list item.
fn signs(line: &str) -> (usize, bool) {
    let (mut length, mut item) = (0, false);
    while let Some(rest) = line.get(length..)
        && let (next @ 1.., is_item) = sign(rest)
    {
        length += next;
        item |= is_item;
    }
    let rest = &line[length..];
    let boxed = item && ["[ ] ", "[x] ", "[X] "].iter().any(|mark| rest.starts_with(mark));
    (if boxed { length + 4 } else { length }, item)
}

/// Length of `[!kind]` at the start of a text, with the sign for folding and the spaces after it; otherwise 0.
fn kind_of_callout(text: &str) -> usize {
    /// Longer ones are text.
    const LONGEST: usize = 40;
    let Some(end) = text.strip_prefix("[!").and_then(|rest| rest.find(']')).filter(|end| *end < LONGEST)
    else {
        return 0;
    };
    let title = text[end + 3..].trim_start_matches(['+', '-']);
    text.len() - title.trim_start_matches([' ', '\t']).len()
}

/// Length of the heading, list or quote marker at the start of a text, and whether it starts a list item.
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
