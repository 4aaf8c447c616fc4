//! What pages say that can be checked without a model: paths, links, commands, flags, variables and names from the code.
//! A code span is often just a word, so a claim counts as missing only if the project had the thing when the line was
//! written, a commit took it away since, and nothing else in the project has it. All other claims that do not
//! resolve are uncheckable.
//!
//! **Invariants**
//! - What is not in the history is never missing (`tests/tests/claims.rs`, with real git repositories).
//! - Pages about the past and the future are exempt (`exempt.rs`).
//! - The files are read once, and the history is walked once, for any number of claims.

mod ages;
mod change;
mod commands;
mod exempt;
mod extract;
mod judge;
mod past;
mod project;
mod spans;
mod survey;
#[cfg(test)]
mod tests;
mod words;

pub(crate) use change::{Change, broken_by};
pub use survey::survey;

use crate::ports::Revision;

/// What a page claims that there is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// A file or folder.
    Path,
    /// What a link leads to.
    Link,
    /// A symbol of a file.
    Symbol,
    /// A command, or what it names, such as a script.
    Command,
    /// A flag of a command.
    Flag,
    /// An environment variable, or a constant that is written like one.
    Variable,
    /// Another name from the code.
    Name,
}

impl Kind {
    /// The code of its findings.
    pub fn code(self) -> &'static str {
        match self {
            Self::Path => "claimed_path",
            Self::Link => "claimed_link",
            Self::Symbol => "claimed_symbol",
            Self::Command => "claimed_command",
            Self::Flag => "claimed_flag",
            Self::Variable => "claimed_variable",
            Self::Name => "claimed_name",
        }
    }
}

/// A claim that was true and is not any more.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Missing {
    /// The page, relative to the pages folder.
    pub page: String,
    /// The line, from 1.
    pub line: usize,
    /// What it claims.
    pub kind: Kind,
    /// The claim as written.
    pub text: String,
    /// The commit that took it away; `None` if that is not committed.
    pub revision: Option<Revision>,
    /// What it is now, if known.
    pub now: Option<String>,
}

/// How many claims were judged how.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// There is such a thing.
    pub resolves: usize,
    /// There was one when the line was written.
    pub missing: usize,
    /// There are several.
    pub ambiguous: usize,
    /// It cannot be told.
    pub uncheckable: usize,
}
