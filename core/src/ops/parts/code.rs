//! Code that comes with a page: what its `ubp-source` blocks show, and on request the signatures and doc comments of the
//! symbols that it names.

use schemars::JsonSchema;
use serde::Serialize;

#[cfg(not(target_family = "wasm"))]
use crate::excerpt::{Excerpt, Excerpts, Extent, is_symbol};
#[cfg(not(target_family = "wasm"))]
use crate::index::questions::sources;
use crate::message;
use crate::message::Message;
#[cfg(not(target_family = "wasm"))]
use crate::page::source_blocks;
use crate::show::{Page, Span, counted};
use crate::text::estimate_tokens;
#[cfg(not(target_family = "wasm"))]
use crate::{Context, Result};

/// Maximum number of excerpts of an answer, of each kind.
#[cfg(not(target_family = "wasm"))]
const MOST: usize = 50;

/// Code of the project.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CodePart {
    /// What the page names: a path relative to the project; `#` and a symbol or lines may follow.
    pub source: String,
    /// Why it is here.
    pub kind: CodeKind,
    /// First and last line in the file, from 1; absent if nothing is shown.
    pub lines: Option<[usize; 2]>,
    /// What follows the fence of a block with this code: the extension of the file.
    pub language: String,
    /// The code; empty if nothing is shown.
    pub text: String,
    /// Why nothing is shown; absent if something is.
    pub problem: Option<Message>,
}

/// Why code is in an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CodeKind {
    /// A `ubp-source` block shows it.
    Block,
    /// The signature and doc comment of a symbol that the page names.
    Signature,
}

/// A part of a page: its first and last line, and its text.
#[cfg(not(target_family = "wasm"))]
pub(crate) type Part<'p> = ([usize; 2], &'p str);

/// The code of a page, and how many excerpts were too many.
#[cfg(not(target_family = "wasm"))]
#[derive(Debug, Default)]
pub(crate) struct PageCode {
    pub parts: Vec<CodePart>,
    pub left_out: usize,
}

#[cfg(not(target_family = "wasm"))]
impl PageCode {
    /// Adds what the blocks of these parts of the page show, in order.
    ///
    /// # Errors
    /// As [`Excerpts::find`].
    pub(crate) fn add_blocks<'p>(
        &mut self,
        excerpts: &Excerpts<'_>,
        parts: impl IntoIterator<Item = Part<'p>>,
    ) -> Result<()> {
        let blocks = parts.into_iter().flat_map(|(_, text)| source_blocks(text));
        for (number, block) in blocks.enumerate() {
            if number >= MOST {
                self.left_out += 1;
                continue;
            }
            match excerpts.find(&block.named, Extent::Whole)? {
                Ok(found) => self.add(CodeKind::Block, &block.named, found),
                Err(told) => self.parts.push(CodePart {
                    source: block.named,
                    kind: CodeKind::Block,
                    lines: None,
                    language: String::new(),
                    text: String::new(),
                    problem: Some(told),
                }),
            }
        }
        Ok(())
    }

    /// Adds the signatures of the symbols that links in these parts of the page name, or without `parts` all symbols that
    /// the page names, also in front matter. Symbols that a block shows are not repeated; those that do not exist are
    /// missing sources, which the answer lists.
    ///
    /// # Errors
    /// [`crate::Error::Database`], and as [`Excerpts::find`].
    pub(crate) fn add_signatures(
        &mut self,
        context: &Context<'_>,
        excerpts: &Excerpts<'_>,
        page: i64,
        parts: Option<&[Part<'_>]>,
    ) -> Result<()> {
        let is_wanted = |line: usize| {
            parts.is_none_or(|parts| parts.iter().any(|([first, last], _)| (*first..=*last).contains(&line)))
        };
        let mut named: Vec<String> = self.parts.iter().map(|part| part.source.clone()).collect();
        let mut count = 0;
        for (line, source) in context.index.read(|db| sources::named_by(db, page))? {
            if !is_wanted(line) || named.contains(&source) || !is_symbol(context, &source)? {
                continue;
            }
            count += 1;
            if count > MOST {
                self.left_out += 1;
            } else if let Ok(found) = excerpts.find(&source, Extent::Signature)? {
                self.add(CodeKind::Signature, &source, found);
            }
            named.push(source);
        }
        Ok(())
    }

    fn add(&mut self, kind: CodeKind, source: &str, found: Vec<Excerpt>) {
        self.parts.extend(found.into_iter().map(|excerpt| CodePart {
            source: source.to_owned(),
            kind,
            lines: Some(excerpt.lines.into()),
            language: excerpt.language(),
            text: excerpt.text,
            problem: None,
        }));
    }
}

/// Leaves out excerpts from the end, only signatures unless `blocks`, until `excess` tokens are saved. Returns whether it
/// left out any.
pub(crate) fn leave_out(code: &mut Vec<CodePart>, left_out: &mut usize, excess: usize, blocks: bool) -> bool {
    let mut saved = 0;
    let before = code.len();
    while saved < excess.max(1)
        && let Some(part) = code.pop_if(|part| blocks || part.kind == CodeKind::Signature)
    {
        saved += estimate_tokens(&part.text) + estimate_tokens(&part.source);
        *left_out += 1;
    }
    code.len() < before
}

/// Shows the code, and how much was left out.
pub(crate) fn show(code: &[CodePart], left_out: usize, page: &mut dyn Page) {
    if !code.is_empty() {
        page.heading(&[Span::strong(&message!("Code"))]);
    }
    for part in code {
        let source = Span::File(&part.source);
        match (&part.problem, part.lines) {
            (Some(told), _) => page.line(&[source, Span::Text(": "), Span::alarm(told)]),
            (None, Some([first, last])) => {
                let lines = message!("lines {first}-{last}", first, last);
                page.line(&[source, Span::Text("  "), Span::faint(&lines)]);
                page.code(&part.language, &part.text);
            }
            (None, None) => page.line(&[source]),
        }
        page.gap();
    }
    if left_out > 0 {
        let excerpts = counted(left_out, "excerpt", "excerpts");
        page.note(&[Span::said(&message!(
            "{excerpts} of code left out; a larger max_tokens, or a single section, shows more",
            excerpts
        ))]);
    }
}
