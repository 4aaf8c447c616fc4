//! Pages that became stale between two states, and pages that became fresh.

use std::collections::{BTreeMap, BTreeSet};

use super::snapshot::Snapshot;
use super::{StalePage, StalenessChanges};
use crate::freshness::{Assessment, StaleReason, StaleRef, Staleness};
use crate::path;

/// `changed` are the files of the project that differ; `pages_dir` is the pages folder relative to the project.
pub(super) fn compare(
    before: &Snapshot,
    after: &Snapshot,
    old_path: impl Fn(&str) -> String,
    changed: &BTreeSet<String>,
    pages_dir: &str,
) -> StalenessChanges {
    let mut changes = StalenessChanges::default();
    let none = Assessment::default();
    for (page, now) in &after.assessments {
        let then = before.assessments.get(&old_path(page)).unwrap_or(&none);
        let was_known = then.stale_refs.iter().any(is_known);
        let file = path::join(pages_dir, page).unwrap_or_default();
        let mut refs = now.stale_refs.clone();
        for stale in &mut refs {
            // The clone is shallow, but both states are available: the file changed and the page did not.
            if !is_known(stale) && changed.contains(&stale.file_path) && !changed.contains(&file) {
                stale.reason = StaleReason::Changed;
            }
        }
        if !was_known && refs.iter().any(is_known) {
            changes.stale.push(StalePage {
                filepath: page.clone(),
                staleness: now.staleness,
                stale_refs: refs.into_iter().filter(is_known).collect(),
            });
        } else if was_known && now.staleness == Staleness::Fresh {
            changes.fresh.push(page.clone());
        }
    }
    changes
}

fn is_known(stale: &StaleRef) -> bool {
    stale.reason != StaleReason::UnknownShallowClone
}

/// New path to old path.
pub(super) fn backwards(renames: &BTreeMap<String, String>) -> BTreeMap<String, String> {
    renames.iter().map(|(old, new)| (new.clone(), old.clone())).collect()
}
