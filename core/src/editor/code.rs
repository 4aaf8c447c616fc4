//! Files that are not pages: the symbols in them that pages describe.

use std::collections::BTreeMap;

use crate::freshness::{self, Anchor, Binding, Sources, StaleReason};
use crate::index::questions::{pages, sources};
use crate::ports::Target;
use crate::source_text::SourceText;
use crate::{Context, Result};

/// A file or symbol that pages describe.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DescribedSymbol {
    /// Its name; `None` for the whole file.
    pub symbol: Option<String>,
    /// First and last line, from 1; `None` for the whole file, or if the file does not have it.
    pub lines: Option<(usize, usize)>,
    /// The sections that describe it, by page and in the order of the text.
    pub sections: Vec<Describing>,
}

/// A section, or a page, that describes a file or symbol.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Describing {
    /// Path of the page.
    pub path: String,
    /// Title of the page.
    pub title: String,
    /// Heading of the section; `None` for the whole page.
    pub heading: Option<String>,
    /// Its line, from 1.
    pub line: usize,
    /// Why this makes it stale; `None` if it does not.
    pub reason: Option<StaleReason>,
}

/// What pages describe of the file at `path`, relative to the project: first the file, then its symbols in the order of their
/// lines. `text` is the text of the file on the screen; `None` for what is on disk.
///
/// # Errors
/// [`crate::Error::Database`], [`crate::Error::Io`], [`crate::Error::OutsideProject`].
pub fn described(context: &Context<'_>, path: &str, text: Option<&str>) -> Result<Vec<DescribedSymbol>> {
    let numbers = context.index.read(|db| {
        let mut all = sources::pages_naming(db, path)?;
        all.extend(sources::pages_naming_folder_of(db, path)?);
        Ok(all)
    })?;
    if numbers.is_empty() {
        return Ok(Vec::new());
    }
    let declared = context.index.read(|db| freshness::declared(db, Some(&numbers)))?;
    let all = Sources::expand(context, &declared)?;
    let assessments = freshness::assess(context, Some(&numbers))?;
    let mut found: BTreeMap<Option<String>, Vec<Describing>> = BTreeMap::new();
    for (&number, page) in &declared {
        for source in &page.sources {
            let symbol = match Anchor::of(context.source, source)? {
                Some(anchor) if anchor.file == path => Some(anchor.name.to_owned()),
                Some(_) => continue,
                None if source == path || all.covers(source, path) => None,
                None => continue,
            };
            let stale = assessments.get(&number).map(|of| of.stale_refs.as_slice()).unwrap_or_default();
            let changed = if symbol.is_some() { source.as_str() } else { path };
            let reason = stale.iter().find(|stale| stale.file_path == changed).map(|stale| stale.reason);
            let sections = found.entry(symbol).or_default();
            context.index.read(|db| {
                let title = pages::path_and_title(db, number)?.map(|(_, title)| title).unwrap_or_default();
                let describing = |heading, line| Describing {
                    path: page.path.clone(),
                    title: title.clone(),
                    heading,
                    line,
                    reason,
                };
                match freshness::binding(db, number, page, &all, changed)? {
                    Binding::Page => sections.push(describing(None, 1)),
                    Binding::Sections(bound) => sections.extend(
                        bound
                            .into_iter()
                            .map(|section| describing(section.heading_path.last().cloned(), section.lines.0)),
                    ),
                }
                Ok(())
            })?;
        }
    }
    let names: Vec<&str> = found.keys().flatten().map(String::as_str).collect();
    let lines = lines_of_all(context, path, text, &names)?;
    let mut described: Vec<DescribedSymbol> = found
        .into_iter()
        .map(|(symbol, mut sections)| {
            sections.sort_by(|a, b| (&a.path, a.line).cmp(&(&b.path, b.line)));
            sections.dedup();
            let lines = symbol.as_ref().and_then(|symbol| lines.get(symbol).copied());
            DescribedSymbol { symbol, lines, sections }
        })
        .collect();
    described.sort_by_key(|symbol| symbol.lines);
    Ok(described)
}

/// First and last line of a symbol of a file on disk.
pub(super) fn lines_of(context: &Context<'_>, path: &str, symbol: &str) -> Option<(usize, usize)> {
    lines_of_all(context, path, None, &[symbol]).ok()?.remove(symbol)
}

fn lines_of_all(
    context: &Context<'_>,
    path: &str,
    text: Option<&str>,
    names: &[&str],
) -> Result<BTreeMap<String, (usize, usize)>> {
    if names.is_empty() {
        return Ok(BTreeMap::new());
    }
    let read;
    let text = match text {
        Some(text) => text,
        None => {
            let Ok(found) = SourceText::read(context, path)?.text else { return Ok(BTreeMap::new()) };
            read = found;
            &read
        }
    };
    let targets = context.symbols.find(path, text.as_bytes(), names);
    let lines = |target: Target| match target {
        Target::Symbol(symbol) => symbol.parts.first().map(|part| part.lines),
        Target::Several(symbols) => symbols.first()?.parts.first().map(|part| part.lines),
        // The symbols of this file are not known: the anchor stands for all of it.
        Target::File(_) => Some((1, 1)),
        Target::Nothing(_) => None,
    };
    Ok(names
        .iter()
        .zip(targets)
        .filter_map(|(name, target)| Some(((*name).to_owned(), lines(target)?)))
        .collect())
}
