//! Compares two states. Paths in the older state are mapped to the new paths of moved pages, so moving a page
//! changes nothing else.

use std::collections::{BTreeMap, BTreeSet};

use super::renames::{Renames, renames};
use super::snapshot::{CycleState, Destination, LinkState, PageState, Snapshot};
use super::{
    AffectedPage, BrokenLink, BrokenReason, ChangedLink, ChangedPage, ChangedSection, Cycle, CycleChanges,
    LinkChanges, MendedLink, OrphanChanges, PageChanges, SectionChange, StalenessChanges, impact, staleness,
};
#[cfg(not(target_family = "wasm"))]
use crate::freshness::StaleReason;
#[cfg(not(target_family = "wasm"))]
use crate::ops::touched::TouchedPage;
use crate::renames::of_pages;
use crate::search::rounded;
use crate::{Context, Result};

/// All differences.
pub(super) struct Comparison {
    pub(super) pages: PageChanges,
    pub(super) links: LinkChanges,
    pub(super) broken_links: Vec<BrokenLink>,
    pub(super) mended_links: Vec<MendedLink>,
    pub(super) cycles: CycleChanges,
    pub(super) staleness: StalenessChanges,
    pub(super) orphans: OrphanChanges,
    pub(super) changed_sources: Vec<String>,
    pub(super) impact: Vec<AffectedPage>,
    pub(super) total_affected: usize,
}

/// The two states, and the mapping between their paths.
struct Pair<'a> {
    before: &'a Snapshot,
    after: &'a Snapshot,
    /// Old path to new path, for moved pages.
    moved: BTreeMap<String, String>,
    /// By old path, the similarity of moved pages that are not certainly the same.
    similar: BTreeMap<String, f64>,
    /// New path to old path.
    origin: BTreeMap<String, String>,
}

impl Comparison {
    /// `context` shows the newer state; `changed` are the files of the project that differ.
    pub(super) fn of(
        context: &Context<'_>,
        before: &Snapshot,
        after: &Snapshot,
        changed: &BTreeSet<String>,
        depth: usize,
        limit: usize,
    ) -> Result<Self> {
        let Renames { moved, similar } = renames(before, after);
        let origin = staleness::backwards(&moved);
        let pair = Pair { before, after, moved, similar, origin };
        let pages = pair.pages();
        let number = |page: &ChangedPage| after.pages.get(&page.filepath).map(|state| state.number);
        let edited = pages.renamed.iter().filter(|page| !page.fields.is_empty() || !page.sections.is_empty());
        let touched: Vec<i64> = pages.changed.iter().chain(edited).filter_map(number).collect();
        let written: BTreeSet<i64> =
            pages.added.iter().filter_map(number).chain(touched.iter().copied()).collect();
        let found = impact::find(context, touched, &written, changed, depth, limit)?;
        let (broken_links, mended_links) = pair.broken();
        let old_path = |page: &str| pair.old_path(page).to_owned();
        Ok(Self {
            links: pair.links(),
            broken_links,
            mended_links,
            cycles: pair.cycles(),
            staleness: staleness::compare(before, after, old_path, changed, context.pages_dir()),
            orphans: pair.orphans(),
            pages,
            changed_sources: found.changed_sources,
            impact: found.affected,
            total_affected: found.total,
        })
    }
}

#[cfg(not(target_family = "wasm"))]
impl Comparison {
    /// The same without pages that are stale only because the file of a symbol changed elsewhere, or its comments did. Pages
    /// without a review are judged by the times of files, but here both states of the symbol are known.
    pub(super) fn without_untouched(mut self, touched: &[TouchedPage]) -> Self {
        self.staleness.stale.retain_mut(|page| {
            let sources = touched.iter().find(|touched| touched.page.filepath == page.filepath);
            let is_touched =
                |path: &str| sources.is_some_and(|page| page.sources.iter().any(|one| one.source == path));
            page.stale_refs.retain(|stale| {
                let is_symbol = stale.reason == StaleReason::Changed && stale.file_path.contains('#');
                !is_symbol || is_touched(&stale.file_path)
            });
            !page.stale_refs.is_empty()
        });
        self
    }
}

impl<'a> Pair<'a> {
    fn old_path<'p>(&'p self, page: &'p str) -> &'p str {
        self.origin.get(page).map_or(page, String::as_str)
    }

    fn new_path<'p>(&'p self, page: &'p str) -> &'p str {
        self.moved.get(page).map_or(page, String::as_str)
    }

    fn pages(&self) -> PageChanges {
        let mut changes = PageChanges::default();
        for (path, page) in &self.after.pages {
            let old = self.old_path(path);
            let Some(then) = self.before.pages.get(old) else {
                changes.added.push(changed_page(path, page));
                continue;
            };
            let (fields, sections) = if then.hash == page.hash {
                Default::default()
            } else {
                (fields(then, page), sections(then, page))
            };
            let is_same = fields.is_empty() && sections.is_empty();
            let found = ChangedPage { fields, sections, ..changed_page(path, page) };
            if old != path {
                let similarity = self.similar.get(old).copied();
                changes.renamed.push(ChangedPage {
                    previous_filepath: Some(old.to_owned()),
                    similarity: similarity.map(rounded),
                    confidence: similarity.map(of_pages),
                    ..found
                });
            } else if !is_same {
                changes.changed.push(found);
            }
        }
        let gone = self
            .before
            .pages
            .iter()
            .filter(|(path, _)| !self.moved.contains_key(*path) && !self.after.pages.contains_key(*path));
        changes.removed = gone.map(|(path, page)| changed_page(path, page)).collect();
        changes
    }

    fn links(&self) -> LinkChanges {
        let edge = |link: &LinkState, path: &dyn Fn(&str) -> String| {
            let (to, source_path) = match &link.leads_to {
                Destination::Page(page) => (Some(path(page)), None),
                Destination::File(file) => (None, Some(file.clone())),
                Destination::Nowhere | Destination::Attachment => return None,
            };
            let from = path(&link.from);
            (to.as_ref() != Some(&from)).then(|| ChangedLink {
                from,
                link_type: link.link_type.clone(),
                to,
                source_path,
            })
        };
        let new_path = |page: &str| self.new_path(page).to_owned();
        let then: BTreeSet<ChangedLink> =
            self.before.links.iter().filter_map(|link| edge(link, &new_path)).collect();
        let now: BTreeSet<ChangedLink> =
            self.after.links.iter().filter_map(|link| edge(link, &str::to_owned)).collect();
        let added: Vec<ChangedLink> = now.difference(&then).cloned().collect();
        let removed: Vec<ChangedLink> = then.difference(&now).cloned().collect();
        let by_type = |links: &[ChangedLink]| {
            let mut counts = BTreeMap::new();
            for link in links {
                *counts.entry(link.link_type.clone()).or_insert(0) += 1;
            }
            counts
        };
        LinkChanges { added_by_type: by_type(&added), removed_by_type: by_type(&removed), added, removed }
    }

    fn broken(&self) -> (Vec<BrokenLink>, Vec<MendedLink>) {
        // Key: the page's new path and the link's target.
        let mut then: BTreeMap<(&str, &str), &'a LinkState> = BTreeMap::new();
        for link in &self.before.links {
            then.entry((self.new_path(&link.from), &link.target)).or_insert(link);
        }
        let mut now: BTreeMap<(&str, &str), &'a LinkState> = BTreeMap::new();
        for link in &self.after.links {
            now.entry((&link.from, &link.target)).or_insert(link);
        }
        let mut broken = Vec::new();
        for (key, link) in &now {
            let before = then.get(key);
            if !link.is_broken() || before.is_some_and(|before| before.is_broken()) {
                continue;
            }
            let (reason, led_to, moved_to) = match (&link.leads_to, before.map(|before| &before.leads_to)) {
                (Destination::Page(page), _) => (BrokenReason::HeadingMissing, Some(page.clone()), None),
                (_, Some(Destination::Page(page))) => {
                    let moved_to = self.moved.get(page).cloned();
                    let reason = match (&moved_to, self.after.pages.contains_key(page)) {
                        (Some(_), _) => BrokenReason::TargetMoved,
                        (None, true) => BrokenReason::NameChanged,
                        (None, false) => BrokenReason::TargetRemoved,
                    };
                    (reason, Some(page.clone()), moved_to)
                }
                (_, Some(Destination::File(file))) => (BrokenReason::TargetRemoved, Some(file.clone()), None),
                (_, Some(_)) => (BrokenReason::TargetRemoved, None, None),
                (_, None) => (BrokenReason::NewLink, None, None),
            };
            broken.push(BrokenLink {
                filepath: link.from.clone(),
                line: link.line,
                target: link.target.clone(),
                reason,
                led_to,
                moved_to,
            });
        }
        broken.sort_by(|a, b| (&a.filepath, a.line, &a.target).cmp(&(&b.filepath, b.line, &b.target)));
        let mut mended = Vec::new();
        for (&(page, target), before) in &then {
            let after = now.get(&(page, target));
            let is_broken_still = after.is_some_and(|after| after.is_broken());
            if !before.is_broken() || is_broken_still || !self.after.pages.contains_key(page) {
                continue;
            }
            let leads_to = match after.map(|link| &link.leads_to) {
                Some(Destination::Page(path) | Destination::File(path)) => Some(path.clone()),
                Some(Destination::Attachment | Destination::Nowhere) | None => None,
            };
            mended.push(MendedLink { filepath: page.into(), target: target.into(), leads_to });
        }
        (broken, mended)
    }

    fn cycles(&self) -> CycleChanges {
        let then: Vec<CycleState> = self
            .before
            .cycles
            .iter()
            .map(|cycle| CycleState {
                members: cycle.members.iter().map(|page| self.new_path(page).to_owned()).collect(),
                way: cycle.way.iter().map(|page| self.new_path(page).to_owned()).collect(),
            })
            .collect();
        let outside = |cycles: &[CycleState], others: &[CycleState]| -> Vec<Cycle> {
            let lies_in =
                |cycle: &CycleState| others.iter().any(|other| cycle.members.is_subset(&other.members));
            let new = cycles.iter().filter(|cycle| !lies_in(cycle));
            new.map(|cycle| Cycle { page_count: cycle.members.len(), way: cycle.way.clone() }).collect()
        };
        CycleChanges {
            added: outside(&self.after.cycles, &then),
            removed: outside(&then, &self.after.cycles),
        }
    }

    fn orphans(&self) -> OrphanChanges {
        let then: BTreeSet<String> =
            self.before.orphans.iter().map(|page| self.new_path(page).to_owned()).collect();
        OrphanChanges {
            added: self.after.orphans.difference(&then).cloned().collect(),
            removed: then.difference(&self.after.orphans).cloned().collect(),
        }
    }
}

fn changed_page(path: &str, page: &PageState) -> ChangedPage {
    ChangedPage {
        filepath: path.into(),
        previous_filepath: None,
        similarity: None,
        confidence: None,
        title: page.title.clone(),
        doc_type: page.doc_type.clone(),
        fields: Vec::new(),
        sections: Vec::new(),
    }
}

fn fields(then: &PageState, now: &PageState) -> Vec<String> {
    let keys: BTreeSet<&String> = then.fields.keys().chain(now.fields.keys()).collect();
    keys.into_iter().filter(|key| then.fields.get(*key) != now.fields.get(*key)).cloned().collect()
}

fn sections(then: &PageState, now: &PageState) -> Vec<ChangedSection> {
    let by_id = |page: &'_ PageState| -> BTreeMap<String, crate::ports::ContentHash> {
        page.sections.iter().map(|section| (section.id.clone(), section.text)).collect()
    };
    let (old, new) = (by_id(then), by_id(now));
    let mut changed = Vec::new();
    for section in &now.sections {
        let change = match old.get(&section.id) {
            None => SectionChange::Added,
            Some(text) if *text != section.text => SectionChange::Changed,
            Some(_) => continue,
        };
        changed.push(told(section, change));
    }
    let gone = then.sections.iter().filter(|section| !new.contains_key(&section.id));
    changed.extend(gone.map(|section| told(section, SectionChange::Removed)));
    changed
}

fn told(section: &super::snapshot::SectionState, change: SectionChange) -> ChangedSection {
    ChangedSection { section_id: section.id.clone(), heading_path: section.heading_path.clone(), change }
}
