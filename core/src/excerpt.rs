//! The code that pages name: a file, a symbol or lines of it, as they are now. Pages show it in their `ubp-source` blocks,
//! and agents get it with the page.
//!
//! **Invariants**
//! - Nothing is shown of a file that [`SourceText`] does not read (`tests/tests/source_blocks.rs`).

use std::cell::Cell;
use std::ops::Range;

use crate::freshness::{Anchor, Moves};
use crate::message;
use crate::message::{Message, counted};
use crate::ports::{Symbol, SymbolPart, Target};
use crate::source_text::{Problem, SourceText};
use crate::text::estimate_tokens;
use crate::{Context, Error, Result, path};

/// Maximum number of lines of an excerpt. Nobody reads more in the middle of a page.
const MOST_LINES: usize = 400;

/// Maximum size of an excerpt in tokens; a single line may be long.
const MOST_TOKENS: usize = 16_000;

/// Maximum number of lookups for where something went, for one page: each of them walks through history.
const MOST_SEARCHES: usize = 5;

/// A part of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Excerpt {
    /// Path of the file, relative to the project.
    pub file: String,
    /// First and last line, from 1.
    pub lines: (usize, usize),
    /// Its text without the indentation that all lines have, and without a line break at its end.
    pub text: String,
}

impl Excerpt {
    /// What follows the fence of a block with its code: the extension of the file, if that is a plain word.
    pub(crate) fn language(&self) -> String {
        language(&self.file)
    }
}

/// What follows the fence of a block with code of this file.
pub(crate) fn language(file: &str) -> String {
    let name = path::file_name(file);
    let extension = name.rsplit_once('.').map_or(name, |(_, extension)| extension).to_ascii_lowercase();
    let is_word = !extension.is_empty() && extension.bytes().all(|byte| byte.is_ascii_alphanumeric());
    if is_word { extension } else { String::new() }
}

/// How much of a symbol is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Extent {
    /// All of it, with the comment above it.
    Whole,
    /// What comes before its body, with the comment above it.
    Signature,
}

/// Reads the code that one page names.
pub(crate) struct Excerpts<'a> {
    context: &'a Context<'a>,
    /// Whether to tell names that the page does not name: where something went, or what is similar.
    suggests: bool,
    searches: Cell<usize>,
}

impl<'a> Excerpts<'a> {
    /// For a page of this project.
    pub(crate) fn new(context: &'a Context<'a>) -> Self {
        Self { context, suggests: true, searches: Cell::new(0) }
    }

    /// Tells only names that the page names itself.
    pub(crate) fn without_suggestions(self) -> Self {
        Self { suggests: false, ..self }
    }

    /// What `named` leads to: a path relative to the project, which `#` and a symbol or lines may follow. Several parts
    /// if the symbol has several. Otherwise why nothing is shown.
    ///
    /// # Errors
    /// [`Error::Io`] when a file or version control cannot be read, [`Error::Cancelled`].
    pub(crate) fn find(
        &self,
        named: &str,
        extent: Extent,
    ) -> Result<std::result::Result<Vec<Excerpt>, Message>> {
        let named = path::source_entry(named);
        let found = match SourceText::read(self.context, named) {
            Ok(found) => found,
            Err(Error::OutsideProject { .. }) => {
                return Ok(Err(message!("'{named}' is not inside the project", named)));
            }
            Err(error) => return Err(error),
        };
        let name = named.get(found.file.len() + 1..).map(str::trim).filter(|name| !name.is_empty());
        let text = match &found.text {
            Ok(text) => text.as_str(),
            Err(problem) => {
                let told = found.told(*problem);
                let new = match problem {
                    Problem::Missing => self.new_place(named, &found.file, name)?,
                    _ => None,
                };
                return Ok(Err(match new {
                    Some(new) => message!("{told} It is probably {new} now.", told, new),
                    None => told,
                }));
            }
        };
        let file = found.file.as_str();
        let ranges = match name {
            None => std::iter::once(0..text.len()).collect(),
            Some(name) => match lines_named(name) {
                Some(lines) => match lines_range(text, lines) {
                    Some(range) => vec![range],
                    None => {
                        let all = counted(text.lines().count(), "line", "lines");
                        return Ok(Err(message!(
                            "{file} has no line {line}; it has {all}.",
                            file,
                            line = lines.0,
                            all
                        )));
                    }
                },
                None => match self.symbol(named, file, name, text)? {
                    Ok(symbol) => symbol.parts.iter().map(|part| range_of(part, extent)).collect(),
                    Err(told) => return Ok(Err(told)),
                },
            },
        };
        let excerpts: Vec<Excerpt> = ranges.into_iter().map(|range| excerpt(file, text, range)).collect();
        let lines: usize = excerpts.iter().map(|one| one.lines.1 - one.lines.0 + 1).sum();
        let tokens: usize = excerpts.iter().map(|one| estimate_tokens(&one.text)).sum();
        if lines > MOST_LINES || tokens > MOST_TOKENS {
            return Ok(Err(message!(
                "{named} is too large to show: it has {lines}. At most {most} lines are shown; name a symbol or lines, \
                 such as {example}.",
                named,
                lines = counted(lines, "line", "lines"),
                most = MOST_LINES,
                example = format!("{file}#L1-L20")
            )));
        }
        Ok(Ok(excerpts))
    }

    /// The symbol with this name, or why it is not clear.
    fn symbol(
        &self,
        named: &str,
        file: &str,
        name: &str,
        text: &str,
    ) -> Result<std::result::Result<Symbol, Message>> {
        let target = self.context.symbols.find(file, text.as_bytes(), &[name]).into_iter().next();
        Ok(Err(match target {
            Some(Target::Symbol(symbol)) => return Ok(Ok(symbol)),
            Some(Target::Several(symbols)) if self.suggests => {
                let mut names: Vec<String> = symbols.into_iter().map(|symbol| symbol.name).collect();
                names.dedup();
                let names = names.join(", ");
                message!("'{name}' in {file} may be any of {names}: write a longer name.", name, file, names)
            }
            Some(Target::Several(_)) => {
                message!("{file} defines several symbols '{name}': write a longer name.", file, name)
            }
            Some(Target::Nothing(similar)) => {
                let told = message!("{file} does not define '{name}'.", file, name);
                match (self.new_place(named, file, Some(name))?, similar.first().filter(|_| self.suggests)) {
                    (Some(new), _) => message!("{told} It is probably {new} now.", told, new),
                    (None, Some(similar)) => {
                        let similar = format!("{file}#{similar}");
                        message!("{told} Did you mean {similar}?", told, similar)
                    }
                    (None, None) => told,
                }
            }
            Some(Target::File(whole)) => {
                let reason = whole.reason;
                message!("the symbols of {file} cannot be told: {reason}", file, reason)
            }
            None => message!("{file} does not define '{name}'.", file, name),
        }))
    }

    /// Where a symbol or file went, as a page would name it.
    fn new_place(&self, named: &str, file: &str, name: Option<&str>) -> Result<Option<String>> {
        if !self.suggests || self.searches.get() >= MOST_SEARCHES {
            return Ok(None);
        }
        self.searches.set(self.searches.get() + 1);
        let is_symbol = name.is_some_and(|name| lines_named(name).is_none());
        if is_symbol && let Some(new) = Moves::of(self.context).moved_to(named, None)? {
            return Ok(Some(new.anchor));
        }
        if self.context.source.stat_source(file)?.is_some() {
            return Ok(None);
        }
        let Some(moved) = self.context.history.renamed_to(file)? else { return Ok(None) };
        if self.context.source.stat_source(&moved.path)?.is_none() {
            return Ok(None);
        }
        Ok(Some(match name {
            Some(name) => format!("{}#{name}", moved.path),
            None => moved.path,
        }))
    }
}

/// Whether a source is a symbol of a file that exists.
///
/// # Errors
/// As [`crate::ports::Source::stat_source`].
pub(crate) fn is_symbol(context: &Context<'_>, named: &str) -> Result<bool> {
    let anchor = Anchor::of(context.source, named)?;
    Ok(anchor.is_some_and(|anchor| lines_named(anchor.name).is_none()))
}

/// The part of a file that a symbol's definition, or what comes before its body, takes, with what documents it.
fn range_of(part: &SymbolPart, extent: Extent) -> Range<usize> {
    let own = match extent {
        Extent::Whole => &part.range,
        Extent::Signature => &part.signature,
    };
    let start = part.doc.as_ref().map_or(part.range.start, |doc| doc.start.min(part.range.start));
    let end = part.doc.as_ref().map_or(own.end, |doc| doc.end.max(own.end));
    start..end.max(start)
}

/// The lines that are named like `L10`, `L10-L20`, `10-20` or `L10C1-L20C5`.
fn lines_named(name: &str) -> Option<(usize, usize)> {
    let line = |text: &str| -> Option<usize> {
        let text = text.strip_prefix('L').unwrap_or(text);
        let (line, column) = text.split_once('C').map_or((text, None), |(line, column)| (line, Some(column)));
        let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        (is_number(line) && column.is_none_or(is_number)).then(|| line.parse().ok()).flatten()
    };
    match name.split_once('-') {
        Some((first, last)) => {
            let (first, last) = (line(first)?, line(last)?);
            Some((first.min(last), first.max(last)))
        }
        None => line(name).map(|line| (line, line)),
    }
}

/// The bytes of these lines, as far as they exist; `None` if the first one does not.
fn lines_range(text: &str, (first, last): (usize, usize)) -> Option<Range<usize>> {
    let mut starts = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1));
    let start = starts.nth(first.checked_sub(1)?).filter(|&start| start < text.len())?;
    let end = starts.nth(last - first).map_or(text.len(), |next| next - 1);
    Some(start..end.max(start))
}

/// Whole lines, if only white space is before the range on its first line.
fn excerpt(file: &str, text: &str, range: Range<usize>) -> Excerpt {
    let before = text.get(..range.start).unwrap_or_default();
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    let is_whole = before.get(line_start..).is_some_and(|indent| indent.trim().is_empty());
    let start = if is_whole { line_start } else { range.start };
    let own = text.get(start..range.end).unwrap_or_default().trim_end();
    let own = if start == 0 { own.trim_start_matches('\u{feff}') } else { own };
    let first = before.matches('\n').count() + 1;
    let last = first + own.matches('\n').count();
    Excerpt { file: file.to_owned(), lines: (first, last), text: without_indent(own, is_whole) }
}

/// The text without the white space that all lines begin with.
fn without_indent(text: &str, with_first: bool) -> String {
    let indent_of = |line: &&str| line.len() - line.trim_start_matches([' ', '\t']).len();
    let lines = || text.lines().filter(|line| !line.trim().is_empty());
    let mut common: Option<&str> = None;
    for line in lines().skip(usize::from(!with_first)) {
        let indent = line.get(..indent_of(&line)).unwrap_or_default();
        let shared = common.map_or(indent.len(), |known| {
            known.bytes().zip(indent.bytes()).take_while(|(one, other)| one == other).count()
        });
        common = indent.get(..shared);
    }
    let common = common.unwrap_or_default();
    let lines = text.lines().map(|line| line.strip_prefix(common).unwrap_or_else(|| line.trim_start()));
    let mut own: Vec<&str> = lines.collect();
    if let (false, Some(first), Some(line)) = (with_first, own.first_mut(), text.lines().next()) {
        *first = line;
    }
    own.join("\n")
}

#[cfg(test)]
mod tests;
