//! Long texts in pieces that fit a model's window. A vector says little about a text that the model
//! saw only the beginning of, so a long section becomes several pieces, cut where a reader would
//! pause, each with the headings above it and a little of what came before.

mod cuts;

use std::ops::Range;

use crate::Result;
use crate::ports::Embedder;
use cuts::{Cut, Pause, cuts};

/// Tokens kept free for those that models put around a text.
const SPECIAL: usize = 4;
/// At most this share of the window goes to the headings, and of a piece to what it repeats.
const HEADINGS: usize = 4;
const OVERLAP: usize = 7;
/// Between the headings of the path, and between them and the text.
const BETWEEN: &str = " > ";
const BELOW: &str = "\n\n";

/// Byte ranges of the pieces of `text` that are embedded one by one, each together with the headings
/// above it, outermost first. In order, on character boundaries, none empty, every byte of `text` in
/// at least one; neighbours overlap by about a sentence. No pieces for an empty text, one when the
/// text fits.
///
/// # Errors
/// [`crate::Error::Model`] when the tokenizer cannot be loaded.
pub fn chunks(embedder: &dyn Embedder, heading_path: &[String], text: &str) -> Result<Vec<Range<usize>>> {
    if text.is_empty() {
        return Ok(Vec::new());
    }
    let starts: Vec<usize> = embedder.token_ranges(text)?.into_iter().map(|range| range.start).collect();
    let headings = embedder.token_ranges(&headings(embedder, heading_path)?)?.len();
    let budget = embedder.model().window.saturating_sub(SPECIAL + headings).max(1);
    if starts.len() <= budget {
        return Ok(std::iter::once(0..text.len()).collect());
    }
    let splitter = Splitter { text, starts, cuts: cuts(text), budget };
    Ok(splitter.pieces())
}

/// What the model reads for a piece of a section: the headings above it, outermost first, and then
/// the piece. Headings that would take more than a quarter of the window are left out from the
/// outermost on.
///
/// # Errors
/// [`crate::Error::Model`] when the tokenizer cannot be loaded.
pub fn passage(embedder: &dyn Embedder, heading_path: &[String], piece: &str) -> Result<String> {
    let mut passage = headings(embedder, heading_path)?;
    let piece = piece.trim();
    if !passage.is_empty() && !piece.is_empty() {
        passage.push_str(BELOW);
    }
    passage.push_str(piece);
    Ok(passage)
}

/// The innermost headings that fit their share of the window, on one line.
fn headings(embedder: &dyn Embedder, heading_path: &[String]) -> Result<String> {
    let share = (embedder.model().window / HEADINGS).max(1);
    let mut line = String::new();
    for heading in
        heading_path.iter().rev().map(|heading| heading.trim()).filter(|heading| !heading.is_empty())
    {
        let longer = if line.is_empty() { heading.to_owned() } else { format!("{heading}{BETWEEN}{line}") };
        let tokens = embedder.token_ranges(&longer)?;
        match tokens.get(share).map(|first_too_many| first_too_many.start) {
            None => line = longer,
            Some(end) if line.is_empty() => {
                return Ok(longer.get(..end).unwrap_or_default().trim_end().to_owned());
            }
            Some(_) => break,
        }
    }
    Ok(line)
}

struct Splitter<'a> {
    text: &'a str,
    /// Where each token starts; never decreasing.
    starts: Vec<usize>,
    /// Where the text may be cut, in order.
    cuts: Vec<Cut>,
    /// Most tokens of a piece.
    budget: usize,
}

impl Splitter<'_> {
    fn pieces(&self) -> Vec<Range<usize>> {
        let mut pieces = Vec::new();
        let (mut start, mut covered) = (0, 0);
        while covered < self.text.len() {
            let end = self.end(start, covered);
            pieces.push(start..end);
            covered = end;
            start = self.overlap(start, end);
        }
        pieces
    }

    /// How many tokens begin before byte `at`.
    fn tokens_before(&self, at: usize) -> usize {
        self.starts.partition_point(|&start| start < at)
    }

    /// Where a piece that starts at `start` ends: at the strongest pause that leaves it well filled,
    /// and behind `covered` in any case.
    fn end(&self, start: usize, covered: usize) -> usize {
        let first = self.tokens_before(start);
        let Some(&limit) = self.starts.get(first + self.budget) else {
            return self.text.len();
        };
        let reachable = self.cuts_within(covered, limit);
        for pause in [Pause::Paragraph, Pause::Line, Pause::Sentence, Pause::Word] {
            let filled = self.starts.get(first + pause.least_fill(self.budget)).copied().unwrap_or(limit);
            let best = reachable.iter().rev().find(|cut| cut.pause <= pause && cut.at >= filled);
            if let Some(cut) = best {
                return cut.at;
            }
        }
        self.between_characters(limit, covered)
    }

    /// The boundary at or before `limit` if it lies behind `covered`, else the next one behind it.
    fn between_characters(&self, limit: usize, covered: usize) -> usize {
        let mut at = limit.min(self.text.len());
        while at > covered && !self.text.is_char_boundary(at) {
            at -= 1;
        }
        if at > covered {
            return at;
        }
        at = covered + 1;
        while at < self.text.len() && !self.text.is_char_boundary(at) {
            at += 1;
        }
        at.min(self.text.len())
    }

    /// Where the next piece starts: a sentence before `end` if that is short enough, else some words.
    fn overlap(&self, start: usize, end: usize) -> usize {
        let last = self.tokens_before(end);
        let most = self.budget / OVERLAP;
        let Some(&earliest) = self.starts.get(last.saturating_sub(most)) else {
            return end;
        };
        if most == 0 || earliest <= start {
            return end;
        }
        let reachable = self.cuts_within(earliest.saturating_sub(1), end.saturating_sub(1));
        let sentence = reachable.iter().find(|cut| cut.pause <= Pause::Sentence);
        sentence.or_else(|| reachable.first()).map_or(end, |cut| cut.at)
    }

    /// The cuts behind `after`, up to `last`.
    fn cuts_within(&self, after: usize, last: usize) -> &[Cut] {
        let from = self.cuts.partition_point(|cut| cut.at <= after);
        let to = self.cuts.partition_point(|cut| cut.at <= last);
        self.cuts.get(from..to).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests;
