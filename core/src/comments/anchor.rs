//! The text that a comment is about, and where it is in a page: the quoted text, with what is before and after it. A place
//! is found only if nothing else in the page fits as well, so that no comment moves to other text.

use std::ops::Range;

use serde::{Deserialize, Serialize};

/// Characters of context on each side, at first.
const CONTEXT: usize = 32;
/// The same at most. More are needed where the page repeats itself.
const LONGEST_CONTEXT: usize = 512;
/// A quote of this many characters that occurs once needs no context.
const TELLING: usize = 16;
/// Characters of context that tell a short quote from others.
const ENOUGH: usize = 12;
/// Characters that two pages have in common only if they are the same.
const SURE: usize = 40;
/// Characters on each side that a short quote has to have if it occurs several times.
const FRAME: usize = 4;
/// How much more of its context the place must have than any other.
const MARGIN: usize = 8;
/// The similarity of a changed text to the quote, from 0 to 1.
pub(super) const SIMILAR: f64 = 0.45;

/// Quoted text with its surroundings.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Anchor {
    pub quote: String,
    #[serde(default)]
    pub before: String,
    #[serde(default)]
    pub after: String,
    /// Characters before it in the page.
    #[serde(default)]
    pub position: usize,
}

/// Bytes in which two texts begin alike.
pub(super) fn common_start(a: &str, b: &str) -> usize {
    a.char_indices().zip(b.chars()).find(|((_, a), b)| a != b).map_or(a.len().min(b.len()), |((at, _), _)| at)
}

/// Bytes in which two texts end alike.
pub(super) fn common_end(a: &str, b: &str) -> usize {
    a.chars().rev().zip(b.chars().rev()).take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum()
}

/// The last `count` characters.
fn tail(text: &str, count: usize) -> &str {
    let from = text.char_indices().rev().take(count).last().map_or(text.len(), |(at, _)| at);
    &text[from..]
}

/// The first `count` characters.
fn head(text: &str, count: usize) -> &str {
    text.char_indices().nth(count).map_or(text, |(end, _)| &text[..end])
}

/// Where `part` begins in `text`, also within another occurrence of it.
fn occurrences<'t>(text: &'t str, part: &'t str) -> impl Iterator<Item = usize> + 't {
    let mut next = 0;
    std::iter::from_fn(move || {
        let at = next + text.get(next..)?.find(part)?;
        next = at + part.chars().next()?.len_utf8();
        Some(at)
    })
}

impl Anchor {
    /// The anchor of this part of the text, with as much context as tells it from others.
    pub(crate) fn of(text: &str, place: &Range<usize>) -> Self {
        let (start, quote, rest) = (&text[..place.start], &text[place.clone()], &text[place.end..]);
        let mut anchor = Self { quote: quote.to_owned(), position: start.chars().count(), ..Self::default() };
        let mut length = CONTEXT;
        loop {
            tail(start, length).clone_into(&mut anchor.before);
            head(rest, length).clone_into(&mut anchor.after);
            // Without the position: it changes with anything before.
            let lonely = Self { position: usize::MAX, ..anchor.clone() };
            if length >= LONGEST_CONTEXT || lonely.find(text).as_ref() == Some(place) {
                return anchor;
            }
            length *= 2;
        }
    }

    /// Where the text is now, in bytes. `None` if it is gone, or nothing tells it from others.
    pub(crate) fn find(&self, text: &str) -> Option<Range<usize>> {
        if self.quote.is_empty() {
            return None;
        }
        self.unchanged(text).unwrap_or_else(|| self.changed(text))
    }

    /// Whether the text contains so much of the quote and its surroundings that it is the same page under another path.
    pub(super) fn is_surely_in(&self, text: &str) -> bool {
        let count = |text: &str| text.chars().count();
        let Some(place) = self.find_as_is(text) else { return false };
        let same = self.context_at(text, place.start) + count(&self.quote);
        let whole = count(&self.before) + count(&self.after) + count(&self.quote);
        whole >= TELLING && same >= whole.min(SURE)
    }

    /// The same, but only the quote as it is.
    pub(crate) fn find_as_is(&self, text: &str) -> Option<Range<usize>> {
        if self.quote.is_empty() { None } else { self.unchanged(text).flatten() }
    }

    /// The place of the quote as it is. `None` if the text does not contain it, `Some(None)` if nothing tells which one it is.
    fn unchanged(&self, text: &str) -> Option<Option<Range<usize>>> {
        let context = self.before.chars().count() + self.after.chars().count();
        let telling = self.quote.chars().count() >= TELLING;
        let side = |side: &str| side.chars().count().min(FRAME);
        let sides = (side(&self.before), side(&self.after));
        let (mut best, mut second, mut count): (Option<(usize, usize)>, usize, usize) = (None, 0, 0);
        for at in occurrences(text, &self.quote) {
            let (before, after) = (&text[..at], &text[at + self.quote.len()..]);
            let (ends, starts) = (common_end(&self.before, before), common_start(&self.after, after));
            let (ends, starts) = (tail_count(&self.before, ends), self.after[..starts].chars().count());
            let is_framed = ends >= sides.0 && starts >= sides.1;
            // One side alone may be repeated elsewhere.
            let score = if is_framed || telling { ends + starts } else { 0 };
            count += 1;
            match best {
                Some((most, _)) if score <= most => second = second.max(score),
                _ => {
                    second = best.map_or(0, |(most, _)| most);
                    best = Some((score, at));
                }
            }
        }
        let (score, at) = best?;
        let place = |at: usize| Some(at..at + self.quote.len());
        if count == 1 {
            let is_it = telling || self.context_at(text, at) >= context.min(ENOUGH);
            return if is_it { Some(place(at)) } else { None };
        }
        let stands_out = score >= second + MARGIN || (score == context && score > second);
        if stands_out && score >= ENOUGH.min(context).max(context / 2) {
            return Some(place(at));
        }
        // The page repeats itself: only if nothing has moved.
        let there = text.char_indices().nth(self.position).map(|(at, _)| at);
        let is_there = |at: &usize| {
            let (before, rest) = text.split_at(*at);
            rest.starts_with(&self.quote)
                && before.ends_with(&self.before)
                && rest[self.quote.len()..].starts_with(&self.after)
        };
        Some(there.filter(is_there).and_then(place))
    }

    /// Characters of the context that are around a place.
    fn context_at(&self, text: &str, at: usize) -> usize {
        let (before, after) = (&text[..at], &text[at + self.quote.len()..]);
        tail_count(&self.before, common_end(&self.before, before))
            + self.after[..common_start(&self.after, after)].chars().count()
    }

    /// The place of a text that was edited: between what was before and after it, or between its own first and last words.
    fn changed(&self, text: &str) -> Option<Range<usize>> {
        let once = |part: &str| {
            let mut found = occurrences(text, part);
            found.next().filter(|_| found.next().is_none())
        };
        let long = |part: &str| part.chars().count() >= ENOUGH;
        let (before, after) = (tail(&self.before, CONTEXT), head(&self.after, CONTEXT));
        let (first, last) = (head(&self.quote, ENOUGH), tail(&self.quote, ENOUGH));
        let starts = [
            long(before).then(|| once(before).map(|at| at + before.len())).flatten(),
            long(first).then(|| once(first)).flatten(),
        ];
        let ends = [
            long(after).then(|| once(after)).flatten(),
            long(last).then(|| once(last).map(|at| at + last.len())).flatten(),
        ];
        let most = 2 * self.quote.len() + 256;
        let mut best: Option<(f64, Range<usize>)> = None;
        for start in starts.into_iter().flatten() {
            for end in ends.into_iter().flatten().filter(|&end| start < end && end - start <= most) {
                let similarity = strsim::normalized_levenshtein(&self.quote, &text[start..end]);
                if similarity >= SIMILAR && best.as_ref().is_none_or(|(most, _)| similarity > *most) {
                    best = Some((similarity, start..end));
                }
            }
        }
        best.map(|(_, place)| place)
    }
}

/// Characters in the last `bytes` of `text`.
fn tail_count(text: &str, bytes: usize) -> usize {
    text[text.len() - bytes..].chars().count()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn found(anchor: &Anchor, text: &str) -> Option<String> {
        anchor.find(text).map(|place| text[place].to_owned())
    }

    fn anchor(text: &str, quote: &str) -> Anchor {
        let at = text.find(quote).unwrap();
        Anchor::of(text, &(at..at + quote.len()))
    }

    const TEXT: &str =
        "# Limits\n\nA request may have 10 pages. The limit protects the server.\n\nThe end of the limit.\n";

    #[test]
    fn a_quote_is_found_where_it_moved_to() {
        let anchor = anchor(TEXT, "10 pages");
        assert_eq!(anchor.find(TEXT), TEXT.find("10 pages").map(|at| at..at + 8));
        let moved = format!("{}\n\nNew words about 10 pages of a book.\n\n{}", "More first.", TEXT);
        assert_eq!(anchor.find(&moved), moved.find("10 pages. The").map(|at| at..at + 8));
    }

    #[test]
    fn a_short_quote_without_its_surroundings_is_lost() {
        let anchor = anchor(TEXT, "limit");
        assert_eq!(found(&anchor, "Other words with a limit in another page.\n"), None);
        assert_eq!(found(&anchor, "The end of the limit.\n"), None);
    }

    #[test]
    fn a_quote_that_was_edited_is_found_between_its_surroundings() {
        let anchor = anchor(TEXT, "The limit protects the server.");
        let text = TEXT.replace("protects the server", "protects this small server");
        assert_eq!(found(&anchor, &text).unwrap(), "The limit protects this small server.");
        assert_eq!(found(&anchor, &TEXT.replace(" The limit protects the server.", "")), None);
    }

    #[test]
    fn one_of_equal_lines_is_found_or_lost_but_never_another_one() {
        let text = "- [ ] ask the team\n".repeat(80);
        let at = text.match_indices("ask").nth(40).unwrap().0;
        let anchor = Anchor::of(&text, &(at..at + 3));
        assert_eq!(anchor.find(&text), Some(at..at + 3));
        assert_eq!(anchor.find(&format!("- [ ] first\n{text}")), None);
    }

    #[test]
    fn places_are_at_the_bounds_of_characters() {
        let text = "日本語の文章です。とても短い文章。\u{1f600} 終わり。";
        let anchor = anchor(text, "短い文章");
        assert_eq!(found(&anchor, &format!("前書き。{text}")).unwrap(), "短い文章");
    }
}
