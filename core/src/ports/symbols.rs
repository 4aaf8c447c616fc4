//! Definitions in source files.

use std::ops::Range;

use crate::message;
use crate::message::Message;

/// Finds what anchors such as `src/auth/login.ts#Session.refresh` lead to. A text is read as far as possible, within a
/// limit of time: whatever it contains, no method fails.
pub trait Symbols: Send + Sync {
    /// Whether it knows what files of this name define.
    fn knows(&self, path: &str) -> bool;

    /// What each of `names` leads to in the file with this path and content, in the same order.
    fn find(&self, path: &str, bytes: &[u8], names: &[&str]) -> Vec<Target>;

    /// All symbols of the file; empty if they cannot be told.
    fn all(&self, path: &str, bytes: &[u8]) -> Vec<Symbol>;

    /// Hash of what the file says without comments and layout; `None` if that cannot be told.
    fn tokens(&self, path: &str, bytes: &[u8]) -> Option<String>;
}

/// What an anchor leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// A symbol.
    Symbol(Symbol),
    /// Symbols that share the end of their names.
    Several(Vec<Symbol>),
    /// Nothing. These names of the file are similar, the most similar first.
    Nothing(Vec<String>),
    /// It cannot be told: the anchor stands for the whole file.
    File(WholeFile),
}

/// A file without known symbols.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WholeFile {
    /// Why they are not known.
    pub reason: Message,
    /// Hash of its words, which layout does not change; `None` if it is not text, or too large.
    pub words: Option<String>,
}

/// A definition, or several with the same name, such as overloads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Symbol {
    /// Its name after the names of what contains it, such as `Session.refresh`.
    pub name: String,
    /// Its hashes.
    pub hashes: SymbolHashes,
    /// Hash of its body without comments and layout; `None` if it has none, or one so short that others are equal by
    /// chance.
    pub body: Option<String>,
    /// Where it is defined, in the order of the file. Never empty.
    pub parts: Vec<SymbolPart>,
}

/// Where a symbol, or one of its overloads, is defined. Ranges are bytes of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SymbolPart {
    /// What it is, in English and lower case: `function`, `class`, `key`.
    pub kind: &'static str,
    /// First and last line, from 1.
    pub lines: (usize, usize),
    /// All of it, with attributes and keywords such as `export`, without the comment above it.
    pub range: Range<usize>,
    /// What comes before the body; all of it if there is none.
    pub signature: Range<usize>,
    /// The comment directly above it, or the string at the beginning of its body that documents it.
    pub doc: Option<Range<usize>>,
}

/// Hashes of a symbol without comments and layout, as hexadecimal digits. The names in its path are left out, so that
/// they stay the same if it is renamed or moved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SymbolHashes {
    /// All of it.
    pub tokens: String,
    /// Its contract: names and types of parameters, default values, attributes; for types also their members.
    pub signature: String,
}

/// Stands for the hash of a symbol that cannot be told from its file.
const UNKNOWN: &str = "-";

impl SymbolHashes {
    /// Of a symbol that cannot be told from its file.
    pub fn unknown() -> Self {
        Self { tokens: UNKNOWN.into(), signature: UNKNOWN.into() }
    }

    /// Whether they say something about a symbol.
    pub fn are_known(&self) -> bool {
        self.tokens != UNKNOWN
    }

    /// Reads hashes as they are written; `None` if they are not 32 hexadecimal digits each.
    pub fn parse(tokens: &str, signature: &str) -> Option<Self> {
        let is_hash = |text: &str| text.len() == 32 && text.bytes().all(|digit| digit.is_ascii_hexdigit());
        let is_valid = |text: &str| text == UNKNOWN || is_hash(text);
        let hashes = Self { tokens: tokens.into(), signature: signature.into() };
        (is_valid(tokens) && is_valid(signature)).then_some(hashes)
    }
}

/// Symbols of a host that knows none: every anchor stands for its file.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoSymbols;

impl Symbols for NoSymbols {
    fn knows(&self, _path: &str) -> bool {
        false
    }

    fn find(&self, _path: &str, _bytes: &[u8], names: &[&str]) -> Vec<Target> {
        let file = WholeFile { reason: message!("symbols are not known here"), words: None };
        names.iter().map(|_| Target::File(file.clone())).collect()
    }

    fn all(&self, _path: &str, _bytes: &[u8]) -> Vec<Symbol> {
        Vec::new()
    }

    fn tokens(&self, _path: &str, _bytes: &[u8]) -> Option<String> {
        None
    }
}
