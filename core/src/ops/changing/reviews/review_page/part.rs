//! The review of some sections of a page: only what their links name.

use std::collections::{BTreeMap, BTreeSet};

use crate::freshness::{self, Binding, Content, ReviewLock, StaleRef};
use crate::index::questions::sections::{self, SectionRow};
use crate::message;
use crate::ops::source_diff::Described;
use crate::{Context, Error, Result};

/// Some sections of a page.
pub struct Part<'a> {
    pub described: Described<'a>,
    /// The ids of the named sections; those below them belong to the part too.
    pub ids: &'a BTreeSet<String>,
}

impl Part<'_> {
    /// Names for the sections, and for these others, on their page.
    pub fn names(&self, context: &Context<'_>, others: &Others) -> Result<Vec<String>> {
        let outline = context.index.read(|db| sections::outline(db, self.described.number))?;
        let ids = self.ids.iter().chain(others.ids()).cloned().collect();
        Ok(freshness::section_names(&outline, &ids))
    }

    /// The changed sources that concern only sections of the page, and one of the part.
    pub fn stale(&self, context: &Context<'_>, stale_refs: Vec<StaleRef>) -> Result<Vec<StaleRef>> {
        let mut kept = Vec::new();
        for stale in stale_refs {
            if self.sections_of(context, &stale.file_path)?.is_some() {
                kept.push(stale);
            }
        }
        Ok(kept)
    }

    /// The contents that a review of the part records, and the other sections that those which are new concern too.
    pub fn contents(
        &self,
        context: &Context<'_>,
        contents: BTreeMap<String, Content>,
        lock: &ReviewLock,
    ) -> Result<(BTreeMap<String, Content>, Others)> {
        let path = &self.described.page.path;
        let mut kept = BTreeMap::new();
        let mut others = Others::default();
        for (source, content) in contents {
            let Some(sections) = self.sections_of(context, &source)? else { continue };
            if !sections.is_empty() && !lock.has(path, &source, &content) {
                others.0.insert(source.clone(), sections);
            }
            kept.insert(source, content);
        }
        Ok((kept, others))
    }

    /// The sections outside of the part that the source concerns; `None` if it does not concern the part, or concerns the
    /// whole page.
    fn sections_of(&self, context: &Context<'_>, source: &str) -> Result<Option<Vec<SectionRow>>> {
        let Described { number, page, sources } = self.described;
        let binding = context.index.read(|db| freshness::binding(db, number, page, sources, source))?;
        let Binding::Sections(sections) = binding else { return Ok(None) };
        let (within, others): (Vec<_>, Vec<_>) =
            sections.into_iter().partition(|section| self.contains(&section.section_id));
        Ok((!within.is_empty()).then_some(others))
    }

    fn contains(&self, section: &str) -> bool {
        self.ids.iter().any(|id| {
            section.strip_prefix(id.as_str()).is_some_and(|below| below.is_empty() || below.starts_with('/'))
        })
    }
}

/// Sections that changed sources of a part concern, but that do not belong to it, by source.
#[derive(Default)]
pub struct Others(BTreeMap<String, Vec<SectionRow>>);

impl Others {
    fn ids(&self) -> impl Iterator<Item = &String> {
        self.0.values().flatten().map(|section| &section.section_id)
    }

    /// # Errors
    /// [`Error::InvalidParams`] if there are any: what they say was not read.
    pub fn refuse(&self, path: &str) -> Result<()> {
        let Some((source, sections)) = self.0.first_key_value() else { return Ok(()) };
        let headings: Vec<&str> =
            sections.iter().map(|section| section.heading_path.last().map_or("", String::as_str)).collect();
        let other = headings.join(", ");
        Err(Error::invalid_with_hint(
            message!("{source} is described in another section of {path} too: {other}", source, path, other),
            message!("review these sections in one call, or the page"),
        ))
    }
}
