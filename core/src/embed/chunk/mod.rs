//! Splits long texts into pieces that fit a model's window. The vector of a long text covers only the
//! beginning that the model has read. So a long section becomes several pieces, cut where a reader would
//! pause, each with the headings above it and a little of the text before.

use std::ops::Range;

use crate::Result;
use crate::page::split::{Measure, Sizes, split};
use crate::ports::Embedder;

/// Tokens reserved for the special tokens that models put around a text.
const SPECIAL: usize = 4;
/// The headings take at most a fourth of the window, the overlap at most a seventh of a piece.
const HEADINGS: usize = 4;
const OVERLAP: usize = 7;
/// Separators: between headings, and between the headings and the text.
const BETWEEN: &str = " > ";
const BELOW: &str = "\n\n";

/// Byte ranges of the pieces of `text` that are embedded one by one, each with the headings above it, outermost
/// first. No piece has more than `most` characters, if given. The ranges are in order, on character boundaries and
/// not empty, and cover every byte of `text`. Pieces cut only for the model overlap by about a sentence. An empty
/// text has no pieces; a text that fits has one.
///
/// # Errors
/// [`crate::Error::Model`] if the tokenizer cannot be loaded.
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

/// Byte ranges of the pieces of `text`, of at most `most` characters each: adjacent, in order, on character
/// boundaries, not empty, together the whole text. One piece if `most` is `None`.
pub fn pieces(text: &str, most: Option<usize>) -> Vec<Range<usize>> {
    match most {
        // A text never has more characters than bytes.
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

/// Where each token or character of a text starts, in ascending order.
struct Starts(Vec<usize>);

impl Measure for Starts {
    fn before(&self, at: usize) -> usize {
        self.0.partition_point(|&start| start < at)
    }

    fn start(&self, unit: usize) -> Option<usize> {
        self.0.get(unit).copied()
    }
}

/// The model's input for a piece of a section: the headings above it, outermost first, and then
/// the piece. If the headings take more than a quarter of the window, the outermost are left out
/// first.
///
/// # Errors
/// [`crate::Error::Model`] if the tokenizer cannot be loaded.
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
