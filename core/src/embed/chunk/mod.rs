//! Long texts in pieces that fit a model's window. A vector says little about a text that the model
//! saw only the beginning of, so a long section becomes several pieces, cut where a reader would
//! pause, each with the headings above it and a little of what came before.

use std::ops::Range;

use crate::Result;
use crate::page::split::{Measure, Sizes, split};
use crate::ports::Embedder;

/// Tokens kept free for those that models put around a text.
const SPECIAL: usize = 4;
/// At most this share of the window goes to the headings, and of a piece to what it repeats.
const HEADINGS: usize = 4;
const OVERLAP: usize = 7;
/// Between the headings of the path, and between them and the text.
const BETWEEN: &str = " > ";
const BELOW: &str = "\n\n";

/// Byte ranges of the pieces of `text` that are embedded one by one, each together with the headings
/// above it, outermost first, and none of more than `most` characters where that is given. In order, on
/// character boundaries, none empty, every byte of `text` in at least one; neighbours that only the model
/// keeps apart overlap by about a sentence. No pieces for an empty text, one when the text fits.
///
/// # Errors
/// [`crate::Error::Model`] when the tokenizer cannot be loaded.
pub fn chunks(
    embedder: &dyn Embedder,
    heading_path: &[String],
    text: &str,
    most: Option<usize>,
) -> Result<Vec<Range<usize>>> {
    let mut chunks = Vec::new();
    for piece in pieces(text, most) {
        let windows = windows(embedder, heading_path, text.get(piece.clone()).unwrap_or_default())?;
        chunks.extend(windows.into_iter().map(|window| piece.start + window.start..piece.start + window.end));
    }
    Ok(chunks)
}

/// Byte ranges of the pieces of at most `most` characters of `text`, next to each other, in order, on character
/// boundaries, none empty, together the whole text; one where nothing is given.
pub fn pieces(text: &str, most: Option<usize>) -> Vec<Range<usize>> {
    match most {
        // A byte is at least as much as a character.
        Some(most) if text.len() > most => {
            let starts = text.char_indices().map(|(at, _)| at).collect();
            split(text, &Starts(starts), Sizes { piece: most.max(1), whole: most.max(1), overlap: 0 })
        }
        _ if text.is_empty() => Vec::new(),
        _ => std::iter::once(0..text.len()).collect(),
    }
}

/// The pieces that fit the model's window.
fn windows(embedder: &dyn Embedder, heading_path: &[String], text: &str) -> Result<Vec<Range<usize>>> {
    if text.is_empty() {
        return Ok(Vec::new());
    }
    let starts: Vec<usize> = embedder.token_ranges(text)?.into_iter().map(|range| range.start).collect();
    let headings = embedder.token_ranges(&headings(embedder, heading_path)?)?.len();
    let budget = embedder.model().window.saturating_sub(SPECIAL + headings).max(1);
    if starts.len() <= budget {
        return Ok(std::iter::once(0..text.len()).collect());
    }
    let sizes = Sizes { piece: budget, whole: budget, overlap: budget / OVERLAP };
    Ok(split(text, &Starts(starts), sizes))
}

/// Where each token or character of a text starts; never decreasing.
struct Starts(Vec<usize>);

impl Measure for Starts {
    fn before(&self, at: usize) -> usize {
        self.0.partition_point(|&start| start < at)
    }

    fn start(&self, unit: usize) -> Option<usize> {
        self.0.get(unit).copied()
    }
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

#[cfg(test)]
mod tests;
