//! Everything that refers to a page, a heading or block of it, a tag, or a file.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use super::findings::entries;
use super::places::{place_in, source_place};
use super::{OpenPage, Place, Places};
use crate::drafts::Drafts;
use crate::graph::resolve::name_keys;
use crate::index::questions::{links, names, pages, sources};
use crate::page::LinkKind;
use crate::text::fold_key;
use crate::{Context, Error, Result, path};

/// What is referred to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Referred<'a> {
    /// A page, by its path; links to its headings and blocks count.
    Page(&'a str),
    /// A heading or `^block` of a page.
    Anchor {
        /// Path of the page.
        path: &'a str,
        /// The heading, or `^` and the name of the block.
        anchor: &'a str,
    },
    /// A file of the project, or a symbol in it; if none is given, references to symbols count.
    File {
        /// Its path relative to the project.
        path: &'a str,
        /// The symbol.
        symbol: Option<&'a str>,
    },
}

/// A link or entry that refers to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reference {
    /// Path of its page.
    pub path: String,
    /// Text of its page.
    pub text: Arc<str>,
    /// Its bytes.
    pub range: Range<usize>,
    /// Its line, from 1.
    pub line: usize,
    /// Type of the link.
    pub link_type: String,
    /// The words around it, on one line.
    pub context: String,
}

/// Everything that refers to it, by page and in the order of the text. Unsaved texts count as they are on the screen.
///
/// # Errors
/// [`Error::Database`], [`Error::Io`], [`Error::Cancelled`].
pub fn references(context: &Context<'_>, drafts: &Drafts, to: Referred<'_>) -> Result<Vec<Reference>> {
    let mut found = Vec::new();
    let (pages, keys) = candidates(context, drafts, to)?;
    let wanted_line = match to {
        Referred::Anchor { path, anchor } => {
            let target = OpenPage::of(context, drafts, path)?;
            let Some(line) = place_in(&target.page, anchor) else { return Ok(found) };
            line
        }
        _ => 0,
    };
    for path in pages {
        context.cancel.check()?;
        let open = match OpenPage::of(context, drafts, &path) {
            Ok(open) => open,
            // Deleted since the index was read.
            Err(Error::Io { .. } | Error::PageNotFound { .. }) => continue,
            Err(error) => return Err(error),
        };
        let mut places = Places::of(context, drafts, &open);
        for link in &open.page.links {
            if let Some(keys) = &keys
                && link.kind != LinkKind::Markdown
                && !link.target.starts_with('#')
                && !name_keys(&link.target).iter().any(|key| keys.contains(key))
            {
                continue;
            }
            let is_it = match (places.lead(link)?, to) {
                (Place::Page(place), Referred::Page(wanted)) => place.path == wanted,
                (Place::Page(place), Referred::Anchor { path, .. }) => {
                    place.path == path && place.anchor.is_some() && place.line == Some(wanted_line)
                }
                (Place::File { path, symbol, .. }, Referred::File { path: wanted, symbol: only }) => {
                    *path == wanted && only.is_none_or(|only| symbol.as_deref() == Some(only))
                }
                _ => false,
            };
            if is_it {
                found.push(Reference {
                    path: open.path.clone(),
                    text: open.text.clone(),
                    range: link.range.clone(),
                    line: link.line,
                    link_type: link.link_type.clone(),
                    context: link.context.clone(),
                });
            }
        }
        if let Referred::File { path: wanted, symbol: only } = to {
            for (range, named) in entries(&open) {
                let is_it = match source_place(context, &named)? {
                    Place::File { path, symbol, .. } => {
                        path == wanted && only.is_none_or(|only| symbol.as_deref() == Some(only))
                    }
                    _ => false,
                };
                if is_it {
                    found.push(entry(&open, range, named));
                }
            }
        }
    }
    found.sort_by(|a, b| (&a.path, a.range.start).cmp(&(&b.path, b.range.start)));
    Ok(found)
}

fn entry(open: &OpenPage, range: Range<usize>, named: String) -> Reference {
    let before = open.text.get(..range.start).unwrap_or_default();
    Reference {
        path: open.path.clone(),
        text: open.text.clone(),
        line: crate::page::line_breaks(before) + 1,
        range,
        link_type: "source_refs".into(),
        context: named,
    }
}

/// The pages that may refer to it: those that did when the index was read, and all with unsaved text. For a page also its names.
type Possible = (BTreeSet<String>, Option<BTreeSet<String>>);

fn candidates(context: &Context<'_>, drafts: &Drafts, to: Referred<'_>) -> Result<Possible> {
    let open = drafts.iter().map(|(path, _)| path.to_owned());
    let mut found: BTreeSet<String> = open.collect();
    let mut keys = None;
    match to {
        Referred::Page(target) | Referred::Anchor { path: target, .. } => {
            found.insert(target.to_owned());
            let mut own = BTreeSet::from([
                fold_key(path::page_name(target)),
                fold_key(path::without_page_extension(target)),
            ]);
            context.index.read(|db| {
                let Some(number) = pages::at(db, target)? else { return Ok(()) };
                found.extend(links::to_page(db, number)?.into_iter().filter_map(|link| link.path));
                own.extend(pages::path_and_title(db, number)?.map(|(_, title)| fold_key(&title)));
                own.extend(names::aliases(db, number)?.iter().map(|alias| fold_key(alias)));
                Ok(())
            })?;
            keys = Some(own);
        }
        Referred::File { path: file, .. } => context.index.read(|db| {
            for number in sources::pages_naming(db, file)? {
                found.insert(pages::path(db, number)?);
            }
            Ok(())
        })?,
    }
    Ok((found, keys))
}
