//! The excerpt of a text that best shows why it was found.

mod layout;

use std::ops::Range;

pub(crate) use self::layout::cells;
use self::layout::layout;
use super::fold::{Class, class, extends_previous};
use super::matcher::{Match, find};
use super::query::Query;
use super::visible::blanked;

/// An excerpt of a text on one line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Snippet {
    /// The excerpt without Markdown layout: white space collapsed, without the markers of headings, lists and tables and
    /// without addresses that do not match, ` · ` between items, rows and cells, `…` where it is cut off.
    pub text: String,
    /// Line breaks before the first match in the excerpt (before the excerpt if there is no match).
    pub line_offset: usize,
    /// Byte ranges of `text` that match the query, in order, not overlapping.
    pub highlights: Vec<Range<usize>>,
}

/// Cuts an excerpt of at most `max_chars` characters out of `original` where it best matches `query`:
/// different terms count, longer ones more, repetitions hardly. Without a match, it is the start of the
/// text. Takes linear time.
pub fn snippet(original: &str, query: &Query, max_chars: usize) -> Snippet {
    let Addresses { targets, mut bare } = Addresses::of(original);
    let original = blanked(original, &targets);
    let matches = find(&original, query);
    let marks = merged(&matches.found);
    // A bare address is only shown if it matches.
    bare.retain(|range| {
        let first = marks.partition_point(|mark| mark.end <= range.start);
        marks.get(first).is_none_or(|mark| mark.start >= range.end)
    });
    let original = &*blanked(&original, &bare);
    // Both ends may need an ellipsis.
    let budget = if max_chars > 2 { max_chars - 2 } else { max_chars };
    let core = best(original, &matches.found, matches.kinds, budget);
    let first_text = original.len() - original.trim_start().len();
    let window = match &core {
        Some(core) => widen(original, core.clone(), budget),
        None => first_text..end_of(original, first_text, first_text, budget),
    };
    let line_of = core.map_or(window.start, |core| core.start);
    let line_offset =
        original.get(..line_of).map_or(0, |before| before.bytes().filter(|b| *b == b'\n').count());
    let (text, highlights) = render(original, window, &marks, max_chars > 2);
    Snippet { text, line_offset, highlights }
}

/// The matches in the best window of `budget` characters, from the start of the first to the
/// end of the last one.
fn best(text: &str, found: &[Match], kinds: usize, budget: usize) -> Option<Range<usize>> {
    let mut chars = Vec::with_capacity(found.len());
    let (mut at, mut count) = (0, 0);
    for m in found {
        count += text.get(at..m.source.start).map_or(0, |gap| gap.chars().count());
        at = m.source.start;
        let length = text.get(m.source.clone()).map_or(0, |part| part.chars().count().min(budget + 1));
        chars.push(count..count + length);
    }
    let mut seen = vec![0_u32; kinds];
    let (mut left, mut score) = (0, 0.0);
    let mut top: Option<(f64, usize, usize)> = None;
    for (right, m) in found.iter().enumerate() {
        seen[m.kind] += 1;
        score += if seen[m.kind] == 1 { m.weight } else { 0.02 * m.weight };
        while left < right && chars[right].end.saturating_sub(chars[left].start) > budget {
            let out = &found[left];
            seen[out.kind] -= 1;
            score -= if seen[out.kind] == 0 { out.weight } else { 0.02 * out.weight };
            left += 1;
        }
        if top.as_ref().is_none_or(|(best, ..)| score > *best + 1e-9) {
            top = Some((score, left, right));
        }
    }
    let (_, left, right) = top?;
    let start = found[left].source.start;
    let end = found.get(left..=right)?.iter().map(|m| m.source.end).max()?;
    Some(start..end.min(nth_char(text, start, budget)))
}

/// The byte position `count` characters after `from`.
fn nth_char(text: &str, from: usize, count: usize) -> usize {
    let rest = text.get(from..).unwrap_or_default();
    rest.char_indices().nth(count).map_or(text.len(), |(at, _)| from + at)
}

/// `core` with the text around it, up to `budget` characters, cut between words.
fn widen(text: &str, core: Range<usize>, budget: usize) -> Range<usize> {
    let used = text.get(core.clone()).map_or(0, |part| part.chars().count());
    let spare = budget.saturating_sub(used);
    let after = text.get(core.end..).unwrap_or_default().chars().take(spare).count();
    // Characters not used after the matches are used before them.
    let before = (spare / 3).max(spare - after);
    let start = start_of(text, core.start, before);
    let taken = text.get(start..core.end).map_or(0, |part| part.chars().count());
    start..end_of(text, start, core.end, budget.saturating_sub(taken))
}

/// The earliest word boundary at most `count` characters before `core`; prefers the start of
/// the line of `core` to the middle of an earlier one.
fn start_of(text: &str, core: usize, count: usize) -> usize {
    let before = text.get(..core).unwrap_or_default();
    let mut earliest = core;
    let mut line = None;
    let mut following = text.get(core..).and_then(|rest| rest.chars().next());
    let mut at = core;
    for (n, c) in before.chars().rev().enumerate() {
        if n >= count {
            break;
        }
        if c == '\n' && line.is_none() && before.get(at..).is_some_and(|between| !between.trim().is_empty()) {
            line = Some(at);
        }
        if following.is_none_or(|next| is_cut(c, next)) {
            earliest = at;
        }
        at -= c.len_utf8();
        following = Some(c);
        if at == 0 {
            earliest = 0;
        }
    }
    if earliest == 0 { 0 } else { line.unwrap_or(earliest) }
}

/// The last word boundary at most `count` characters after `from`, and not before `from`. It is in the middle
/// of a word only if the excerpt, which starts at `start`, would be empty otherwise.
fn end_of(text: &str, start: usize, from: usize, count: usize) -> usize {
    let rest = text.get(from..).unwrap_or_default();
    let (mut last, mut whole) = (from, from);
    let mut before = text.get(..from).and_then(|head| head.chars().next_back());
    for (taken, (at, c)) in rest.char_indices().enumerate() {
        if before.is_none_or(|b| is_cut(b, c)) {
            last = from + at;
        }
        if !extends_previous(c) {
            whole = from + at;
        }
        if taken == count {
            return if last > start { last } else { whole };
        }
        before = Some(c);
    }
    text.len()
}

/// Whether a text may be cut between these two characters.
fn is_cut(before: char, after: char) -> bool {
    !extends_previous(after)
        && before != '\u{200d}'
        && (class(before) != Class::Word || class(after) != Class::Word)
        && !matches!(class(after), Class::Skip)
}

/// The ranges of the matches in order, adjacent ones merged.
fn merged(found: &[Match]) -> Vec<Range<usize>> {
    let mut out: Vec<Range<usize>> = Vec::new();
    for m in found {
        match out.last_mut() {
            Some(last) if m.source.start <= last.end => last.end = last.end.max(m.source.end),
            _ => out.push(m.source.clone()),
        }
    }
    out
}

/// Web addresses in the text, each with its markup.
struct Addresses {
    /// Addresses of links, with their parentheses, and of images, with all their markup.
    targets: Vec<Range<usize>>,
    /// Other addresses, with angle brackets around them.
    bare: Vec<Range<usize>>,
}

impl Addresses {
    fn of(text: &str) -> Self {
        let (mut targets, mut bare): (Vec<Range<usize>>, Vec<Range<usize>>) = (Vec::new(), Vec::new());
        let mut from = 0;
        for (at, _) in text.match_indices("://") {
            let Some(before) = text.get(from..at) else { continue };
            let start = from + before.trim_end_matches(|c: char| c.is_ascii_alphabetic()).len();
            let ends = |c: char| c.is_whitespace() || "<>()[]`\"|".contains(c);
            let end = text.get(at..).and_then(|rest| rest.find(ends)).map_or(text.len(), |end| at + end);
            if start == at {
                continue;
            }
            let before = text.get(from..start).unwrap_or_default();
            let after = text.get(end..).unwrap_or_default();
            if before.ends_with("](") && after.starts_with(')') {
                let label = before.strip_suffix("](").and_then(|before| before.rfind('['));
                let image = label.filter(|label| before[..*label].ends_with('!'));
                targets.push(image.map_or(start - 1, |label| from + label - 1)..end + 1);
                from = end + 1;
            } else {
                let is_bracketed = before.ends_with('<') && after.starts_with('>');
                bare.push(start - usize::from(is_bracketed)..end + usize::from(is_bracketed));
                from = end;
            }
        }
        Self { targets, bare }
    }
}

fn render(
    text: &str,
    window: Range<usize>,
    marks: &[Range<usize>],
    ellipses: bool,
) -> (String, Vec<Range<usize>>) {
    let piece = text.get(window.clone()).unwrap_or_default();
    let layout = layout(text, &window, marks);
    let mut layout = layout.iter().peekable();
    let mut out = String::with_capacity(piece.len() + 6);
    if ellipses && text.get(..window.start).is_some_and(|before| !before.trim().is_empty()) {
        out.push('…');
    }
    let mut highlights = Vec::new();
    let from = marks.partition_point(|mark| mark.end <= window.start);
    let mut marks = marks.iter().skip(from).peekable();
    let mut opened = None;
    let (mut gap, mut parts, mut any) = (false, false, false);
    for (at, c) in piece.char_indices() {
        let at = window.start + at;
        while layout.peek().is_some_and(|layout| layout.range.end <= at) {
            layout.next();
        }
        let left_out = layout.peek().filter(|layout| layout.range.start <= at);
        if left_out.is_some() || c.is_whitespace() || c.is_control() {
            gap = any;
            parts = any && (parts || left_out.is_some_and(|layout| layout.parts));
            continue;
        }
        while marks.peek().is_some_and(|mark| mark.end <= at) {
            marks.next();
            if let Some(start) = opened.take() {
                highlights.push(start..out.len());
            }
        }
        if std::mem::take(&mut gap) {
            out.push_str(if std::mem::take(&mut parts) { " · " } else { " " });
        }
        any = true;
        if opened.is_none() && marks.peek().is_some_and(|mark| mark.start <= at) {
            opened = Some(out.len());
        }
        out.push(c);
    }
    if let Some(start) = opened {
        highlights.push(start..out.len());
    }
    if ellipses && text.get(window.end..).is_some_and(|after| !after.trim().is_empty()) {
        out.push('…');
    }
    (out, highlights)
}

#[cfg(test)]
mod tests;
