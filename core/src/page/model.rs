//! The parts of a parsed page.

use std::ops::Range;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::message::Message;

/// A parsed page. Byte ranges refer to the decoded text; lines count from 1.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Page {
    /// The YAML block at the top, empty if there is none.
    pub front_matter: FrontMatter,
    /// Title from front matter, else the level-1 heading at the top; `None` if the file name is the title.
    pub title: Option<String>,
    /// Other names of the page, from front matter.
    pub aliases: Vec<String>,
    /// Tags from front matter and text, without `#`, each once, in order of appearance.
    pub tags: Vec<String>,
    /// The text after front matter, split at headings, in order, without overlaps.
    pub sections: Vec<Section>,
    /// Every link, in order of appearance; those of front matter first.
    pub links: Vec<Link>,
    /// Paragraphs that carry a `^name`.
    pub blocks: Vec<Block>,
    /// Parts that could not be parsed.
    pub diagnostics: Vec<Diagnostic>,
}

/// A front-matter value. Scalars are kept as text, verbatim. In JSON it is a string, an array or an
/// object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// A scalar, verbatim but without its quotes; empty for null.
    Text(String),
    /// A sequence.
    List(Vec<Value>),
    /// A mapping, in file order.
    Map(Vec<(String, Value)>),
}

/// The YAML block at the top of a page.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FrontMatter {
    /// Keys and values in file order.
    pub fields: Vec<(String, Value)>,
    /// Bytes of the whole block, including both fences and the last line break; empty if there is none.
    pub range: Range<usize>,
}

impl FrontMatter {
    /// The value of a top-level key.
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.fields.iter().find(|(name, _)| name == key).map(|(_, value)| value)
    }
}

/// The text under one heading, up to the next heading of any level.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section {
    /// Slugs of this heading and those above it, joined with `/`; duplicates get `-2` and so on.
    /// `_` for the text before the first heading.
    pub id: String,
    /// The heading's text without markup; empty before the first heading.
    pub heading: String,
    /// Headings from the outermost to this one.
    pub heading_path: Vec<String>,
    /// 1 to 6; 0 before the first heading.
    pub level: u8,
    /// Bytes of the section, including its heading line.
    pub range: Range<usize>,
    /// First and last line, both inclusive.
    pub lines: (usize, usize),
}

/// How a link is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LinkKind {
    /// `[[target]]`
    Wiki,
    /// `![[target]]`
    Embed,
    /// `[text](target.md)`
    Markdown,
    /// `key: "[[target]]"` in front matter.
    FrontMatter,
}

/// A link as written. Its destination depends on the other pages, see `graph`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// How it is written.
    pub kind: LinkKind,
    /// Everything before the first pipe, trimmed and NFC, including a heading; for Markdown links the
    /// decoded destination. Never empty.
    pub target: String,
    /// One of the project's link types.
    pub link_type: String,
    /// Display text, if the link has one.
    pub text: Option<String>,
    /// Bytes of the whole link, including brackets and `!`.
    pub range: Range<usize>,
    /// Line on which it starts.
    pub line: usize,
    /// About 50 characters of plain text on either side, on one line.
    pub context: String,
}

/// A paragraph with a name that links can refer to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Block {
    /// The name after `^`.
    pub name: String,
    /// Line of the marker.
    pub line: usize,
}

/// A problem in a page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Diagnostic {
    /// Line, from 1.
    pub line: usize,
    /// Stable name of the problem, such as `front_matter_syntax`.
    pub code: String,
    /// What is wrong, in a sentence.
    pub message: Message,
}

impl Diagnostic {
    /// The code of a page that is too large to be read completely.
    pub const IN_PART: &'static str = "page_in_part";

    /// `message` is a text of [`reported!`](crate::reported!), because the index stores it.
    pub(crate) fn new(line: usize, code: &str, message: impl Into<String>) -> Self {
        Self { line, code: code.into(), message: Message::reported(message) }
    }

    /// The diagnostic of a page in which something is ignored from `line` on.
    pub(crate) fn in_part(line: usize, message: String) -> Self {
        Self::new(line, Self::IN_PART, message)
    }
}
