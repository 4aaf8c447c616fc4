//! Keeping the promise of `max_tokens`. Whole parts go first, the least relevant ones, and only when a single
//! one is left its text is cut. A program that asks is promised a size of the fields as JSON; a reader who is
//! shown words, as an agent is, a size of those.

use schemars::JsonSchema;
use serde::Serialize;

use crate::show::{Page, Span, counted};
use crate::{Context, Error, Result, text};

/// Fewest tokens that an answer can be asked to fit in.
pub(crate) const LEAST: usize = 256;

/// How much larger than the words the fields beside them may be: some clients show a model these instead.
const FIELDS_PER_WORD: usize = 2;

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
    /// Tells what was left out, if anything was, and `rest`: how to get it.
    pub(crate) fn show(&self, things: [&str; 2], rest: &str, page: &mut dyn Page) {
        let mut parts = Vec::new();
        if self.pages > 0 {
            parts.push(counted(self.pages, things[0], things[1]));
        }
        if self.sections > 0 {
            parts.push(counted(self.sections, "section", "sections"));
        }
        if self.text_cut {
            parts.push("the end of a text".into());
        }
        if !parts.is_empty() {
            page.note(&[Span::Text(&format!("left out to fit max_tokens: {}; {rest}", parts.join(", ")))]);
        }
    }
}

/// How to get what was left out where nothing but more room helps.
pub(crate) const MORE_ROOM: &str = "a larger max_tokens shows more";

/// By how much an answer is too large.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Excess {
    needed: usize,
    most: usize,
}

impl Excess {
    /// Tokens that have to go.
    pub(crate) fn tokens(self) -> usize {
        self.needed - self.most
    }

    /// Tokens that there is room for.
    pub(crate) fn most(self) -> usize {
        self.most
    }

    /// How many of `count` parts, one at least, make up the excess if all parts are of one size.
    pub(crate) fn share(self, count: usize) -> usize {
        (count * self.tokens() / self.needed).max(1).min(count)
    }

    /// Takes its share of parts off the end of a list. Returns how many.
    pub(crate) fn shorten<T>(self, list: &mut Vec<T>) -> usize {
        let dropped = self.share(list.len());
        list.truncate(list.len() - dropped);
        dropped
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
    context: &Context<'_>,
    answer: &mut T,
    max_tokens: Option<usize>,
    show: fn(&T, &mut dyn Page),
    mut shrink: impl FnMut(&mut T, Excess) -> bool,
) -> Result<()> {
    let Some(most) = max_tokens else { return Ok(()) };
    if most < LEAST {
        return Err(Error::invalid(format!("max_tokens is {most}; the least is {LEAST}")));
    }
    loop {
        let words = context.reader.map_or(0, |reader| reader.tokens(&|page| show(answer, page)));
        let excess = match words > most {
            true => Excess { needed: words, most },
            false => {
                let most = if context.reader.is_some() { most * FIELDS_PER_WORD } else { most };
                Excess { needed: tokens(answer)?, most }
            }
        };
        if excess.needed <= excess.most {
            return Ok(());
        }
        if !shrink(answer, excess) {
            return Err(Error::invalid(format!("even the shortest answer needs {} tokens", excess.needed)));
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
