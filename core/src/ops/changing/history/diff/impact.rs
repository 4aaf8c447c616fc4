//! The unchanged pages that a change affects.

use std::collections::BTreeSet;

use super::AffectedPage;
use crate::Context;
use crate::Result;
use crate::index::questions::pages::{self, PageRow};
use crate::ops::get_impact::spread::{Changes, Spread, naming};

/// The pages and files that a change reaches.
pub(super) struct Impact {
    pub(super) changed_sources: Vec<String>,
    pub(super) affected: Vec<AffectedPage>,
    pub(super) total: usize,
}

/// `pages` and `files` changed. `written` are all pages that this change wrote, so they do not count as affected.
pub(super) fn find(
    context: &Context<'_>,
    pages: Vec<i64>,
    written: &BTreeSet<i64>,
    files: &BTreeSet<String>,
    depth: usize,
    limit: usize,
) -> Result<Impact> {
    let (naming, named) = context.index.read(|db| naming(db, files))?;
    let graph = context.index.graph()?;
    let changes = Changes { pages, naming };
    let spread = Spread::of(&graph, &changes, depth, &[]);
    let mut affected = context.index.read(|db| {
        let found = spread.found.iter().filter(|found| !written.contains(&found.page));
        let page = |found| -> Result<AffectedPage> {
            let found: &crate::ops::get_impact::spread::Found = found;
            let PageRow { path: filepath, title, doc_type, .. } = pages::row(db, found.page)?;
            let path = spread.way(db, found)?;
            Ok(AffectedPage { filepath, title, doc_type, score: found.score, distance: found.distance, path })
        };
        found.map(page).collect::<Result<Vec<_>>>()
    })?;
    affected.sort_by(|a, b| {
        b.score.total_cmp(&a.score).then_with(|| (a.distance, &a.filepath).cmp(&(b.distance, &b.filepath)))
    });
    let total = affected.len();
    affected.truncate(limit);
    Ok(Impact { changed_sources: named.into_iter().collect(), affected, total })
}
