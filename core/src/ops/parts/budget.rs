//! Keeps answers within `max_tokens`. Whole parts are omitted first, the least relevant ones; text is cut only when
//! a single part remains. For programs the limit applies to the fields as JSON; for readers of text, such as
//! agents, it applies to the text.

use crate::message::Message;
use schemars::JsonSchema;
use serde::Serialize;

use crate::message;
#[cfg(not(target_family = "wasm"))]
use crate::sessions::Limit;
use crate::show::{Page, Span, counted};
use crate::{Context, Error, Result, text};

/// The smallest `max_tokens` allowed.
pub(crate) const LEAST: usize = 256;

/// How much larger than the text the fields may be: some clients show a model the fields instead.
const FIELDS_PER_WORD: usize = 2;

/// Parts omitted to fit `max_tokens`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Omitted {
    /// Pages, or other items of the answer's list.
    pub pages: usize,
    /// Sections of included pages.
    pub sections: usize,
    /// Whether included text was cut.
    pub text_cut: bool,
}

impl Omitted {
    /// Shows what was omitted, if anything, and `rest`: how to get it.
    pub(crate) fn show(&self, things: fn(usize) -> Message, rest: Message, page: &mut dyn Page) {
        let mut parts = Vec::new();
        if self.pages > 0 {
            parts.push(things(self.pages));
        }
        if self.sections > 0 {
            parts.push(counted(self.sections, "section", "sections"));
        }
        if self.text_cut {
            parts.push(message!("the end of a text"));
        }
        if !parts.is_empty() {
            page.note(&[Span::said(&message!(
                "left out to fit max_tokens: {parts}; {rest}",
                parts = Message::joined(parts, ", "),
                rest
            ))]);
        }
    }
}

/// How to get what was omitted, if only a larger limit helps.
pub(crate) fn more_room() -> Message {
    message!("a larger max_tokens shows more")
}

/// By how much an answer is too large.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Excess {
    needed: usize,
    most: usize,
}

impl Excess {
    /// Tokens to remove.
    pub(crate) fn tokens(self) -> usize {
        self.needed - self.most
    }

    /// Tokens allowed.
    pub(crate) fn most(self) -> usize {
        self.most
    }

    /// How many of `count` parts make up the excess, at least one, if all parts have the same size.
    pub(crate) fn share(self, count: usize) -> usize {
        (count * self.tokens() / self.needed).max(1).min(count)
    }

    /// Removes the share of the excess from the end of a list. Returns how many items it removed.
    pub(crate) fn shorten<T>(self, list: &mut Vec<T>) -> usize {
        let dropped = self.share(list.len());
        list.truncate(list.len() - dropped);
        dropped
    }
}

/// Tokens of an answer as sent, including the line break at its end.
pub(crate) fn tokens<T: Serialize>(answer: &T) -> Result<usize> {
    let mut json = serde_json::to_string(answer).map_err(|error| Error::Internal(error.to_string()))?;
    json.push('\n');
    Ok(text::estimate_tokens(&json))
}

/// Calls `shrink` until the answer fits. `shrink` returns whether it removed anything.
pub(crate) fn fit<T: Serialize>(
    context: &Context<'_>,
    answer: &mut T,
    max_tokens: Option<usize>,
    show: fn(&T, &mut dyn Page),
    mut shrink: impl FnMut(&mut T, Excess) -> bool,
) -> Result<()> {
    let Some(most) = max_tokens else { return Ok(()) };
    if most < LEAST {
        return Err(Error::invalid(message!(
            "max_tokens is {most}; it must be at least {least}",
            most,
            least = LEAST
        )));
    }
    #[cfg(not(target_family = "wasm"))]
    let mut witness = context.witness;
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
        #[cfg(not(target_family = "wasm"))]
        if let Some(witness) = witness.take() {
            witness.note(answer, Limit::MaxTokens);
        }
        if !shrink(answer, excess) {
            return Err(Error::invalid(message!(
                "even the shortest answer needs {needed} tokens",
                needed = excess.needed
            )));
        }
    }
}

/// Cuts at least `excess` tokens off the end of `text`, at a word boundary if possible, and marks the cut. Returns
/// whether anything was cut.
pub(crate) fn cut(text: &mut String, excess: usize) -> bool {
    if text.is_empty() {
        return false;
    }
    // A character is at least a quarter of a token; JSON escapes only add to that.
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

/// `given` if it is within `least..=most`; `default` if it is `None`.
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
        Some(value) if most == usize::MAX => Err(Error::invalid(message!(
            "{name} is {value}; it must be at least {least}",
            name,
            value,
            least
        ))),
        Some(value) => Err(Error::invalid(message!(
            "{name} is {value}; it must be from {least} to {most}",
            name,
            value,
            least,
            most
        ))),
    }
}
