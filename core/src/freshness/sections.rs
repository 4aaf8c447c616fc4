//! Which sections of a page describe a source. A link binds its section to what it names; an entry in front matter binds
//! the whole page.

use std::collections::BTreeSet;

use rusqlite::Connection;

use super::{DeclaredPage, Sources};
use crate::Result;
use crate::index::questions::sections::SectionRow;
use crate::index::questions::sources as questions;
use crate::text::heading_key;

/// What a source concerns.
#[derive(Debug)]
pub enum Binding {
    /// The whole page.
    Page,
    /// The sections with a link to it, in order.
    Sections(Vec<SectionRow>),
}

/// What the file or symbol `changed`, which one of the page's sources covers, concerns.
///
/// # Errors
/// [`crate::Error::Database`].
pub fn binding(
    db: &Connection,
    number: i64,
    page: &DeclaredPage,
    sources: &Sources,
    changed: &str,
) -> Result<Binding> {
    let mut sections: Vec<SectionRow> = Vec::new();
    let covering = |source: &&String| *source == changed || sources.covers(source, changed);
    // A symbol is covered by entries that name its file only if they stand for the file.
    let is_symbol = page.sources.contains(changed);
    for source in page.sources.iter().filter(covering).filter(|source| !is_symbol || *source == changed) {
        let linking = questions::linking_sections(db, number, source)?;
        if linking.is_empty() || questions::is_in_front_matter(db, number, source)? {
            return Ok(Binding::Page);
        }
        sections.extend(linking);
    }
    sections.sort_by_key(|section| section.lines);
    sections.dedup_by(|a, b| a.section_id == b.section_id);
    Ok(if sections.is_empty() { Binding::Page } else { Binding::Sections(sections) })
}

/// Names for sections on their page: their headings, or the id of a section whose heading is not the only one with its
/// words.
pub fn section_names(outline: &[SectionRow], ids: &BTreeSet<String>) -> Vec<String> {
    let key = |section: &SectionRow| section.heading_path.last().map(|heading| heading_key(heading));
    let is_only =
        |section: &SectionRow| outline.iter().filter(|other| key(other) == key(section)).count() == 1;
    let named = outline.iter().filter(|section| ids.contains(&section.section_id));
    named
        .map(|section| match section.heading_path.last() {
            Some(heading) if is_only(section) => heading.clone(),
            _ => section.section_id.clone(),
        })
        .collect()
}
