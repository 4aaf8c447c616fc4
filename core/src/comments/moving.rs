//! Where a part of a text is after a change of the text.

use std::ops::Range;

use super::anchor::{SIMILAR, common_end, common_start};
use crate::text::{MOST_BYTES, parts};

/// A part of this many bytes that stays as it is shows that the rest was deleted, not replaced.
const REMAINS: usize = 12;

/// A part of the old text, and what it is in the new one.
struct Piece {
    old: Range<usize>,
    new: Range<usize>,
    stays: bool,
}

/// The part of `after` that `place` in `before` has become, in bytes. Text added at its edges is not part of it. `None` if it
/// was deleted or replaced.
pub(crate) fn moved(before: &str, after: &str, place: &Range<usize>) -> Option<Range<usize>> {
    let start = common_start(before, after);
    if place.end <= start {
        return Some(place.clone());
    }
    // Where one of two equal words went, it may be the other one.
    let from_end = |at: usize| after.len().checked_sub(before.len() - at);
    if place.start >= before.len() - common_end(before, after) {
        return Some(from_end(place.start)?..from_end(place.end)?);
    }
    let end = common_end(&before[start..], &after[start..]);
    let (old_end, new_end) = (before.len() - end, after.len() - end);
    let mut pieces = vec![Piece { old: 0..start, new: 0..start, stays: true }];
    let (mut old, mut new) = (start, start);
    parts(&before[start..old_end], &after[start..new_end], |gone, put, stays| {
        pieces.push(Piece { old: old..old + gone.len(), new: new..new + put.len(), stays });
        (old, new) = (old + gone.len(), new + put.len());
    });
    pieces.push(Piece { old: old_end..before.len(), new: new_end..after.len(), stays: true });
    let (mut found, mut longest): (Option<Range<usize>>, usize) = (None, 0);
    for Piece { old, new, stays } in pieces {
        let part = old.start.max(place.start)..old.end.min(place.end);
        if part.is_empty() {
            continue;
        }
        let new = if stays {
            longest = longest.max(part.len());
            new.start + (part.start - old.start)..new.start + (part.end - old.start)
        } else if part == old && !new.is_empty() {
            new
        } else {
            continue;
        };
        found = Some(found.map_or(new.clone(), |found| found.start..new.end));
    }
    let found = found.filter(|_| longest > 0)?;
    let (was, is) = (&before[place.clone()], &after[found.clone()]);
    // Of two comparisons that are as short, the one that leaves the text as it is.
    if let Some(whole) = overlapping(after, was, &found) {
        return Some(whole);
    }
    let is_same = longest >= REMAINS.min(place.len())
        || (was.len() + is.len() <= MOST_BYTES && strsim::normalized_levenshtein(was, is) >= SIMILAR);
    is_same.then_some(found)
}

/// The first occurrence of `part` in `text` that has something in common with `place`.
fn overlapping(text: &str, part: &str, place: &Range<usize>) -> Option<Range<usize>> {
    let from = text.floor_char_boundary((place.start + 1).saturating_sub(part.len()));
    let until = text.ceil_char_boundary((place.end + part.len()).min(text.len()));
    let at = from + text.get(from..until)?.find(part)?;
    (at < place.end && at + part.len() > place.start).then(|| at..at + part.len())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn now(before: &str, part: &str, after: &str) -> Option<String> {
        let at = before.find(part).unwrap();
        moved(before, after, &(at..at + part.len())).map(|place| after[place].to_owned())
    }

    #[test]
    fn a_part_moves_with_what_is_typed_around_it_and_grows_with_what_is_typed_in_it() {
        for (before, part, after, expected) in [
            ("one two three", "two", "one, one two three", Some("two")),
            ("one two three", "two", "one two! three", Some("two")),
            ("one two three", "two", "one _two three", Some("two")),
            ("one two three four", "two three", "one two and three four", Some("two and three")),
            ("one two three", "two", "one tvo three", Some("tvo")),
            ("one two three", "two", "one three", None),
            ("a li limit of", "limit", "a limit of", Some("limit")),
            ("first limit; limit end", "limit end", "first limit end", Some("limit end")),
            ("a limit mit of", "limit", "a limit of", Some("limit")),
            ("one two three", "two", "one 2 three", None),
            ("a\nb\nwords here\nc\n", "words here", "b\na\na\nnew words here\nd\n", Some("words here")),
            ("日本語の文章", "文章", "日本の長い文章だ", Some("文章")),
            ("same", "same", "same", Some("same")),
        ] {
            assert_eq!(now(before, part, after).as_deref(), expected, "{before:?} {after:?}");
        }
    }
}
