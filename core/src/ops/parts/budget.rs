//! Keeping the promise of `max_tokens`: the whole serialised answer fits. Whole parts go first, the
//! least relevant ones, and only when a single one is left its text is cut.

use schemars::JsonSchema;
use serde::Serialize;

use crate::show::{Page, Span, counted};
use crate::{Error, Result, text};

/// Fewest tokens that an answer can be asked to fit in.
pub(crate) const LEAST: usize = 256;

/// What was left out to fit `max_tokens`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Omitted {
    /// Pages, or whatever else the answer lists.
    pub pages: usize,
    /// Sections of pages that are there.
    pub sections: usize,
    /// Whether text that is there was cut.
    pub text_cut: bool,
}

impl Omitted {
    /// Tells what was left out, if anything was.
    pub(crate) fn show(&self, page: &mut dyn Page) {
        let mut parts = Vec::new();
        if self.pages > 0 {
            parts.push(counted(self.pages, "entry", "entries"));
        }
        if self.sections > 0 {
            parts.push(counted(self.sections, "section", "sections"));
        }
        if self.text_cut {
            parts.push("the end of a text".into());
        }
        if !parts.is_empty() {
            page.note(&[Span::Text(&format!("left out to fit max_tokens: {}", parts.join(", ")))]);
        }
    }
}

/// Tokens of an answer as it is sent, with the line break that ends it on a stream.
pub(crate) fn tokens<T: Serialize>(answer: &T) -> Result<usize> {
    let mut json = serde_json::to_string(answer).map_err(|error| Error::Internal(error.to_string()))?;
    json.push('\n');
    Ok(text::estimate_tokens(&json))
}

/// Calls `shrink` until the answer fits; `shrink` says whether there was anything left to take away.
pub(crate) fn fit<T: Serialize>(
    answer: &mut T,
    max_tokens: Option<usize>,
    mut shrink: impl FnMut(&mut T, usize) -> bool,
) -> Result<()> {
    let Some(most) = max_tokens else { return Ok(()) };
    if most < LEAST {
        return Err(Error::invalid(format!("max_tokens is {most}; the least is {LEAST}")));
    }
    loop {
        let needed = tokens(answer)?;
        if needed <= most {
            return Ok(());
        }
        if !shrink(answer, needed - most) {
            return Err(Error::invalid(format!("even the shortest answer needs {needed} tokens")));
        }
    }
}

/// Cuts at least `excess` tokens off the end of `text`, at a word where there is one, and marks the
/// cut. Returns whether anything could be cut.
pub(crate) fn cut(text: &mut String, excess: usize) -> bool {
    if text.is_empty() {
        return false;
    }
    // A character is a quarter of a token at least; escapes in JSON only make more of it.
    let keep = text::estimate_tokens(text).saturating_sub(excess + 2);
    let mut kept = 0;
    let mut quarters = 0;
    for (at, c) in text.char_indices() {
        quarters += if c.is_ascii() { 1 } else { 4 };
        if quarters > keep * 4 {
            break;
        }
        kept = at + c.len_utf8();
    }
    let word_end = text[..kept].trim_end().rfind(char::is_whitespace).filter(|&end| end * 2 > kept);
    text.truncate(word_end.unwrap_or(kept));
    let emptied = text.trim_end().is_empty();
    if emptied {
        text.clear();
    } else {
        text.push('…');
    }
    true
}

/// `given` within `least..=most`, or `default` when nothing was given.
pub(crate) fn ranged(
    name: &str,
    given: Option<usize>,
    default: usize,
    least: usize,
    most: usize,
) -> Result<usize> {
    match given {
        None => Ok(default.clamp(least, most)),
        Some(value) if (least..=most).contains(&value) => Ok(value),
        Some(value) if most == usize::MAX => {
            Err(Error::invalid(format!("{name} is {value}; it must be at least {least}")))
        }
        Some(value) => Err(Error::invalid(format!("{name} is {value}; it must be from {least} to {most}"))),
    }
}
