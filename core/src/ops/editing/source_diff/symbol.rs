//! What happened to one symbol since it was reviewed. Changes elsewhere in its file do not count.

use crate::freshness::{Anchor, Content, StaleRef};
use crate::ports::{ContentHash, Revision, Symbol, SymbolPart, Target};
use crate::writing::hunks_within;
use crate::{Context, Result};

/// What the symbol was when its page was last true.
pub struct Basis<'a> {
    /// The reviewed contents; empty without a review.
    pub contents: &'a [Content],
    /// Without a review, the revision of the file that was the newest when the page was written.
    pub by_page: Option<usize>,
}

/// The history of a symbol.
pub struct SymbolHistory<'a> {
    /// The revisions that changed it, newest first.
    pub revisions: Vec<&'a Revision>,
    /// Unified diff of its definition; `None` if its text then is not known.
    pub diff: Option<String>,
}

/// A file in which the symbol was looked up.
struct Version {
    symbol: Option<Symbol>,
    bytes: Vec<u8>,
}

/// The history of the symbol since `basis`, among the `revisions` of its file, newest first. `None` if it cannot be told
/// from its file.
///
/// # Errors
/// [`crate::Error::Io`] when version control fails, [`crate::Error::Cancelled`].
pub fn history<'a>(
    context: &Context<'_>,
    anchor: Anchor<'_>,
    revisions: &'a [Revision],
    basis: &Basis<'_>,
    stale: &StaleRef,
) -> Result<Option<SymbolHistory<'a>>> {
    let mut versions: Vec<Version> = Vec::new();
    let mut base = None;
    for (at, revision) in revisions.iter().enumerate() {
        context.cancel.check()?;
        let bytes = context.history.read_at(&revision.commit.id, anchor.file)?.unwrap_or_default();
        let Some(version) = Version::read(context, anchor, bytes) else { return Ok(None) };
        let is_base = version.is_reviewed(basis.contents) || basis.by_page == Some(at);
        versions.push(version);
        if is_base {
            base = Some(at);
            break;
        }
    }
    let Some(base) = base else {
        return Ok(Some(SymbolHistory { revisions: revisions.iter().take(1).collect(), diff: None }));
    };
    let pairs = versions.iter().zip(versions.iter().skip(1));
    let changed = revisions
        .iter()
        .zip(pairs)
        .filter(|(_, (later, earlier))| later.tokens() != earlier.tokens())
        .map(|(revision, _)| revision)
        .collect();
    let Some(before) = versions.get(base) else { return Ok(None) };
    let now = context.source.read_source(anchor.file).unwrap_or_default();
    let Some(mut after) = Version::read(context, anchor, now) else { return Ok(None) };
    let mut file = anchor.file;
    let successor = stale.renamed_to.as_deref().and_then(Anchor::of_deleted);
    if let (None, Some(successor)) = (&after.symbol, successor) {
        let bytes = context.source.read_source(successor.file).unwrap_or_default();
        if let Some(found) = Version::read(context, successor, bytes) {
            (file, after) = (successor.file, found);
        }
    }
    let ((old, old_line), (new, new_line)) = (before.definition(), after.definition());
    let hunks = hunks_within(&old, &new, (old_line, new_line));
    let diff = match hunks.is_empty() {
        true => hunks,
        false => format!("--- a/{}\n+++ b/{file}\n{hunks}", anchor.file),
    };
    Ok(Some(SymbolHistory { revisions: changed, diff: Some(diff) }))
}

impl Version {
    /// `None` if it cannot be told what the anchor leads to.
    fn read(context: &Context<'_>, anchor: Anchor<'_>, bytes: Vec<u8>) -> Option<Self> {
        let found = context.symbols.find(anchor.file, &bytes, &[anchor.name]).pop()?;
        match found {
            Target::Symbol(symbol) => Some(Self { symbol: Some(symbol), bytes }),
            Target::Nothing(_) => Some(Self { symbol: None, bytes }),
            Target::Several(_) | Target::File(_) => None,
        }
    }

    fn tokens(&self) -> Option<&str> {
        self.symbol.as_ref().map(|symbol| symbol.hashes.tokens.as_str())
    }

    fn is_reviewed(&self, contents: &[Content]) -> bool {
        let hash = ContentHash::of(&self.bytes);
        contents.iter().any(|content| {
            let known = content.symbol.as_ref().filter(|symbol| symbol.are_known());
            content.file == hash || known.is_some_and(|known| self.tokens() == Some(&known.tokens))
        })
    }

    /// The lines of the definition with the comment above it, and the number of lines before them. Between overloads, this
    /// includes what stands between them.
    fn definition(&self) -> (String, usize) {
        let parts = self.symbol.iter().flat_map(|symbol| &symbol.parts);
        let start = |part: &SymbolPart| {
            part.doc.as_ref().map_or(part.range.start, |doc| doc.start.min(part.range.start))
        };
        let Some(first) = parts.clone().map(start).min() else { return (String::new(), 0) };
        let last = parts.map(|part| part.range.end).max().unwrap_or(first);
        let is_break = |byte: &u8| *byte == b'\n';
        let before = self.bytes.get(..first).unwrap_or_default();
        let line_start = before.iter().rposition(is_break).map_or(0, |at| at + 1);
        let rest = self.bytes.get(last..).unwrap_or_default();
        // A definition may include the line break after it.
        let ends_line = last > 0 && self.bytes.get(last - 1) == Some(&b'\n');
        let end = match ends_line {
            true => last,
            false => rest.iter().position(is_break).map_or(self.bytes.len(), |at| last + at + 1),
        };
        let text = String::from_utf8_lossy(self.bytes.get(line_start..end).unwrap_or_default());
        (text.into_owned(), before.iter().filter(|byte| is_break(byte)).count())
    }
}
