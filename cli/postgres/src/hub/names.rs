//! What is known of a project without its texts: an index in memory, see [`ubp_core::index::received`].

use std::collections::HashMap;

use ubp_core::Result;
use ubp_core::freshness::Assessment;
use ubp_core::index::Index;
use ubp_core::index::published::{PublishedLink, PublishedPage};
use ubp_core::index::received::{Received, begin, forget_sections, pages_with_sections, receive};

use crate::reading::{Project, Snapshot, States};

/// A project.
pub(super) struct Names {
    pub project: Project,
    pub index: Index,
    /// Where the links of each page led, as a hash.
    states: States,
}

impl Names {
    /// Reads a project.
    pub async fn read(snapshot: &Snapshot<'_>, project: Project) -> Result<Self> {
        let index = Index::in_memory()?;
        index.write(|db| begin(db))?;
        let mut names = Self { project: project.clone(), index, states: States::new() };
        names.follow(snapshot, project).await?;
        Ok(names)
    }

    /// Reads what a push has changed. If that fails, nothing changes.
    pub async fn follow(&mut self, snapshot: &Snapshot<'_>, project: Project) -> Result<()> {
        let before = &self.states;
        let states = snapshot.states(&project).await?;
        let gone: Vec<i64> = before.keys().filter(|page| !states.contains_key(page)).copied().collect();
        let new: Vec<i64> = states.keys().filter(|page| !before.contains_key(page)).copied().collect();
        let is_relinked =
            |(page, links): &(&i64, &Vec<u8>)| before.get(page).is_some_and(|before| before != *links);
        let relinked: Vec<i64> = states.iter().filter(is_relinked).map(|(page, _)| *page).collect();
        let pages = snapshot.published(&project, &new).await?;
        let links = snapshot.links_of(&project, &[new.as_slice(), relinked.as_slice()].concat()).await?;
        let received = Received {
            gone,
            new: with_links(pages, &links),
            relinked: relinked
                .into_iter()
                .map(|page| (page, links.get(&page).cloned().unwrap_or_default()))
                .collect(),
            verdicts: Some(verdicts(snapshot, &project).await?),
        };
        self.index.write(|db| receive(db, &received))?;
        (self.project, self.states) = (project, states);
        Ok(())
    }

    /// Drops all sections.
    pub fn forget_sections(&self) {
        // What stays takes memory, nothing else.
        let _ = self
            .index
            .write(|db| pages_with_sections(db)?.into_iter().try_for_each(|page| forget_sections(db, page)));
    }
}

fn with_links(
    pages: Vec<(i64, PublishedPage)>,
    links: &HashMap<i64, Vec<PublishedLink>>,
) -> Vec<(i64, PublishedPage)> {
    let with = |(number, page): (i64, PublishedPage)| {
        (number, PublishedPage { links: links.get(&number).cloned().unwrap_or_default(), ..page })
    };
    pages.into_iter().map(with).collect()
}

async fn verdicts(snapshot: &Snapshot<'_>, project: &Project) -> Result<Vec<(i64, Assessment)>> {
    let verdict = |(page, told): (i64, serde_json::Value)| {
        let staleness = serde_json::from_value(told.get("staleness")?.clone()).ok()?;
        let stale_refs = told.get("stale_refs").cloned().unwrap_or_default();
        let stale_refs = serde_json::from_value(stale_refs).unwrap_or_default();
        Some((page, Assessment { staleness, stale_refs, ..Assessment::default() }))
    };
    Ok(snapshot.verdicts(project).await?.into_iter().filter_map(verdict).collect())
}
