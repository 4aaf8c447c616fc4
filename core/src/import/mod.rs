//! Turns the notes of another program into pages: an export of Notion, a graph of Logseq, or a copy of an Obsidian
//! vault. Conversion works on texts only; the host lists and reads the files of the export.
//!
//! **Invariants**
//! - Any export can be converted, whatever its files contain (`tests/properties.rs`).
//! - A link that led to a page or file of the export leads to the same page or file afterwards, or a notice names its
//!   file and line (`tests/properties.rs`, `tests/whole.rs`).
//! - Every file of an export becomes a page or an attachment, or a notice names it (`tests/properties.rs`).
//! - No existing file is overwritten, and a second import changes nothing (`tests/writing.rs`).

mod answer;
mod compare;
mod detect;
mod draft;
mod front_matter;
mod logseq;
mod notion;
mod obsidian;
pub(crate) mod places;
mod settle;
#[cfg(test)]
mod tests;
mod tree;
mod write;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::message;
use crate::message::Message;
use crate::{Context, Error, Result};

pub use answer::{Counts, Output, Placed, State, show};
pub use detect::detect;
pub use write::{Options, Prepared};

/// A program that notes come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// An export of Notion in the format "Markdown & CSV".
    Notion,
    /// The folder of a Logseq graph of Markdown files.
    Logseq,
    /// A vault of Obsidian.
    Obsidian,
}

impl Kind {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Notion, Self::Logseq, Self::Obsidian];

    /// Its name in lower case.
    pub fn name(self) -> &'static str {
        match self {
            Self::Notion => "notion",
            Self::Logseq => "logseq",
            Self::Obsidian => "obsidian",
        }
    }

    /// What its notes come as, for use in a sentence.
    pub fn described(self) -> Message {
        match self {
            Self::Notion => message!("a Notion export"),
            Self::Logseq => message!("a Logseq graph"),
            Self::Obsidian => message!("an Obsidian vault"),
        }
    }
}

/// A file of an export.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExportFile {
    /// Path in the export, `/`-separated.
    pub path: String,
    /// Size in bytes.
    pub size: u64,
}

/// Reads a file of an export, by its path.
pub type ReadFile<'a> = dyn Fn(&str) -> Result<Vec<u8>> + 'a;

/// The files to import.
pub struct Export<'a> {
    /// Every file, each path once.
    pub files: Vec<ExportFile>,
    /// Reads one of them.
    pub read: &'a ReadFile<'a>,
    /// What the host could not list.
    pub notices: Vec<Notice>,
}

/// Why something was not carried over unchanged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum NoticeKind {
    /// It is not in the imported pages.
    LeftOut,
    /// It is in the pages as text that UBP does not interpret.
    KeptAsText,
    /// A link that has no destination in the export either.
    Broken,
    /// A link that could not be kept.
    LostLink,
    /// A file that exists with other content, or that cannot be written. It was not changed.
    NotWritten,
}

/// Something that was not carried over unchanged.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
pub struct Notice {
    /// Why.
    pub kind: NoticeKind,
    /// Path in the export.
    pub file: String,
    /// Line in that file, from 1, if it is about one.
    pub line: Option<usize>,
    /// What it is, and what became of it.
    pub message: Message,
}

impl Notice {
    /// A notice about a whole file.
    pub fn file(kind: NoticeKind, file: impl Into<String>, message: Message) -> Self {
        Self { kind, file: file.into(), line: None, message }
    }
}

/// Converts an export, and compares the result with the project. Writes nothing.
///
/// # Errors
/// [`Error::InvalidParams`] if the export has no kind, or the project cannot take it; [`Error::Io`] for a file that
/// cannot be read; [`Error::Cancelled`], [`Error::Database`].
pub fn prepare<'a>(context: &Context<'_>, export: Export<'a>, options: &Options) -> Result<Prepared<'a>> {
    if context.link_types().is_label_first() {
        return Err(Error::invalid(message!(
            "this project reads links label first (`\"order\": \"label_first\"` in .ubp/manifest.json), and \
             imported links have their target first; import into another project"
        )));
    }
    Prepared::new(context, export, options)
}
