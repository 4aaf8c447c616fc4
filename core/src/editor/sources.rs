//! The sources that make an open page stale, and the sections that they concern.

use super::OpenPage;
use crate::freshness::{self, Binding, Sources, StaleRef, Staleness};
use crate::index::questions::pages;
use crate::{Context, Result};

/// A source that makes a section stale, or the whole page.
#[derive(Debug, Clone, PartialEq)]
pub struct SectionSource {
    /// Id of the section, as of the last index; `None` for the whole page.
    pub section: Option<String>,
    /// Heading of the section; empty for the text before the first heading and for the whole page.
    pub heading: String,
    /// The source, and why.
    pub stale: StaleRef,
}

/// The sources that make the page stale, as of its file: what was typed since does not count before it is saved. A source that
/// concerns several sections is listed for each.
///
/// # Errors
/// [`crate::Error::Database`], [`crate::Error::Io`].
pub fn changed_sources(context: &Context<'_>, open: &OpenPage) -> Result<Vec<SectionSource>> {
    let Some(number) = open.number else { return Ok(Vec::new()) };
    let mut assessments = freshness::assess(context, Some(&[number]))?;
    freshness::name_renames(context, assessments.values_mut())?;
    let Some(assessment) = assessments.remove(&number).filter(|assessment| !assessment.stale_refs.is_empty())
    else {
        return Ok(Vec::new());
    };
    let declared = context.index.read(|db| freshness::declared(db, Some(&[number])))?;
    let sources = Sources::expand(context, &declared)?;
    let mut found = Vec::new();
    for stale in assessment.stale_refs {
        let binding = match declared.get(&number) {
            Some(page) => {
                context.index.read(|db| freshness::binding(db, number, page, &sources, &stale.file_path))?
            }
            None => Binding::Page,
        };
        match binding {
            Binding::Page => found.push(SectionSource { section: None, heading: String::new(), stale }),
            Binding::Sections(sections) => found.extend(sections.into_iter().map(|section| SectionSource {
                section: Some(section.section_id),
                heading: section.heading_path.last().cloned().unwrap_or_default(),
                stale: stale.clone(),
            })),
        }
    }
    Ok(found)
}

/// Whether the page at `path` is not up to date with its sources.
///
/// # Errors
/// [`crate::Error::Database`], [`crate::Error::Io`].
pub fn is_stale(context: &Context<'_>, path: &str) -> Result<bool> {
    let Some(number) = context.index.read(|db| pages::at(db, path))? else { return Ok(false) };
    let assessments = freshness::assess(context, Some(&[number]))?;
    Ok(assessments.get(&number).is_some_and(|assessment| assessment.staleness > Staleness::Fresh))
}
