//! How an answer is shown to a reader. An operation names the parts of its answer, in order; a [`Page`] decides how
//! they look: colored lines for a person at a terminal, Markdown for an agent. All text in spans is untrusted: a page
//! of the project may contain anything, and must neither control a terminal nor end its own quotation.

use crate::freshness::{StaleReason, StaleRef, Staleness};
use crate::hint::Voice;
use crate::message;
use crate::message::{Message, Style};
use crate::ports::abbreviated;

pub use crate::message::counted;

#[cfg(not(target_family = "wasm"))]
mod markdown;

#[cfg(not(target_family = "wasm"))]
pub use markdown::{MAX_TOKENS, MarkdownPage, MarkdownReader, Tools};

/// A part of a line.
#[derive(Debug, Clone, Copy)]
pub enum Span<'a> {
    /// Plain text.
    Text(&'a str),
    /// A page, by its path relative to the pages folder.
    Path(&'a str),
    /// A line of a page, from 1.
    Place(&'a str, usize),
    /// A file or folder of the project, relative to it.
    File(&'a str),
    /// A name that can be used in a later question: an id, a hash, the words of a link.
    Code(&'a str),
    /// Emphasized text.
    Strong(&'a str),
    /// De-emphasized text.
    Faint(&'a str),
    /// The title of a page, as its author wrote it.
    Title(&'a str),
    /// Words of a page: a heading, the text around a link.
    Words(&'a str),
    /// A page's type or tag, as its author wrote it.
    Label(&'a str),
    /// What needs attention.
    Alarm(&'a str),
    /// How far a page can be trusted, unless it is fresh; begins with a space.
    Trust(Staleness),
    /// A message to the reader.
    Said(Style, &'a Message),
    /// A message that quotes pages.
    Quoted(&'a Message),
}

impl<'a> Span<'a> {
    /// A message.
    pub fn said(message: &'a Message) -> Self {
        Self::Said(Style::Plain, message)
    }

    /// A de-emphasized message.
    pub fn faint(message: &'a Message) -> Self {
        Self::Said(Style::Faint, message)
    }

    /// An emphasized message.
    pub fn strong(message: &'a Message) -> Self {
        Self::Said(Style::Strong, message)
    }

    /// A message about what needs attention.
    pub fn alarm(message: &'a Message) -> Self {
        Self::Said(Style::Alarm, message)
    }
}

/// Where an answer is shown.
pub trait Page {
    /// A heading for what follows.
    fn heading(&mut self, line: &[Span<'_>]);

    /// A line.
    fn line(&mut self, line: &[Span<'_>]);

    /// Lines of a name and a value. Names are padded to `width` columns, or wider if one of them is.
    fn rows(&mut self, rows: &[(Message, Message)], width: usize) {
        for (name, value) in rows {
            let name = name.told(self.voice());
            self.line(&[Span::Strong(&format!("{name:<width$}")), Span::said(value)]);
        }
    }

    /// An item of a list.
    fn item(&mut self, line: &[Span<'_>]);

    /// A node of a tree, `depth` levels below its root. Its children follow it.
    fn branch(&mut self, depth: usize, line: &[Span<'_>]);

    /// Details of the line or item before.
    fn detail(&mut self, line: &[Span<'_>]);

    /// Text of a page, verbatim.
    fn text(&mut self, text: &str);

    /// An excerpt of a page, verbatim. `highlights` are ranges of UTF-16 offsets.
    fn quote(&mut self, text: &str, highlights: &[[usize; 2]]);

    /// Code of the project, verbatim. `language` is what follows the fence of a block with it.
    fn code(&mut self, _language: &str, text: &str) {
        self.text(text);
    }

    /// A unified diff.
    fn diff(&mut self, diff: &str);

    /// A table. Each row has one cell for each column.
    fn table(&mut self, columns: &[Message], rows: &[Vec<String>]);

    /// Blank space between two parts.
    fn gap(&mut self);

    /// Facts about the whole answer: counts, what was left out.
    fn note(&mut self, line: &[Span<'_>]);

    /// A warning.
    fn warn(&mut self, line: &[Span<'_>]);

    /// What to do next.
    fn hint(&mut self, line: &[Span<'_>]);

    /// What only programs need for a later call: a hash to edit by, the id of a section.
    fn handle(&mut self, name: &str, value: &str);

    /// The content hash to pass with the next edit, abbreviated; nothing if it is empty.
    fn content_hash(&mut self, hash: &str) {
        self.handle("content_hash", abbreviated(hash));
    }

    /// Details for readers who asked for them.
    fn aside(&mut self, line: &[Span<'_>]);

    /// A message in a column of `width`.
    fn padded(&self, message: &Message, width: usize) -> String {
        format!("{:<width$}", message.told(self.voice()))
    }

    /// How this reader calls operations: by a command, or by a tool.
    fn voice(&self) -> &dyn Voice;
}

/// A reader of the text of an answer.
pub trait Reader: Sync {
    /// Number of tokens of the text that `tell` writes.
    fn tokens(&self, tell: &dyn Fn(&mut dyn Page)) -> usize;
}

/// A time in RFC 3339 without fractions of a second.
pub fn to_the_second(time: &str) -> String {
    match time.split_once('.') {
        Some((second, rest)) => format!("{second}{}", rest.trim_start_matches(|c: char| c.is_ascii_digit())),
        None => time.to_owned(),
    }
}

/// The page that an answer is about, as a heading.
pub fn title_spans<'a>(path: &'a str, title: &'a str, staleness: Staleness) -> [Span<'a>; 4] {
    [Span::Title(title), Span::Text("  "), Span::Path(path), Span::Trust(staleness)]
}

/// The state of a stale source, as the end of a sentence that begins with its path.
pub fn what_is_wrong(stale: &StaleRef) -> Message {
    let day = stale.last_modified.as_deref().and_then(|time| time.get(..10)).unwrap_or_default();
    match stale.reason {
        // A shallow clone may contain the change without its date.
        StaleReason::Changed if day.is_empty() => message!("changed"),
        StaleReason::Changed => message!("changed on {day}", day),
        // Browsers show the words of the viewer for these.
        #[cfg(target_family = "wasm")]
        StaleReason::BodyChanged | StaleReason::ContractChanged => message!("changed"),
        #[cfg(not(target_family = "wasm"))]
        StaleReason::BodyChanged if day.is_empty() => message!("changed, but not its contract"),
        #[cfg(not(target_family = "wasm"))]
        StaleReason::BodyChanged => message!("changed on {day}, but not its contract", day),
        #[cfg(not(target_family = "wasm"))]
        StaleReason::ContractChanged if day.is_empty() => message!("has another contract"),
        #[cfg(not(target_family = "wasm"))]
        StaleReason::ContractChanged => message!("has another contract since {day}", day),
        StaleReason::Missing => match (&stale.renamed_to, stale.confidence) {
            #[cfg(not(target_family = "wasm"))]
            (Some(new), Some(share)) => {
                let confidence = format!("{share:.2}");
                message!(
                    "is missing; it was probably moved to {new} (confidence {confidence})",
                    new,
                    confidence
                )
            }
            (Some(new), _) => message!("is missing; it was moved to {new}", new),
            (None, _) => message!("is missing"),
        },
        StaleReason::PageEditedAfterSource => {
            message!("changed on {day}; the page was edited later, but not reviewed", day)
        }
        StaleReason::Suspect => message!("is stale itself"),
        #[cfg(not(target_family = "wasm"))]
        StaleReason::Expired => message!("says itself that it is stale since {day} (stale_after)", day),
        #[cfg(target_family = "wasm")]
        StaleReason::Expired => message!("changed"),
        StaleReason::UnknownShallowClone => message!("may have changed: the clone is too shallow to tell"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_shown_to_the_second() {
        assert_eq!(to_the_second("2026-11-23T03:11:32.882879056Z"), "2026-11-23T03:11:32Z");
        assert_eq!(to_the_second("2026-11-23T03:11:32.5+09:00"), "2026-11-23T03:11:32+09:00");
        assert_eq!(to_the_second("2026-11-23T03:11:32Z"), "2026-11-23T03:11:32Z");
    }
}
