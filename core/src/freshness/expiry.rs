//! Pages that say themselves from when on they are stale: by `stale_after` of the Open Knowledge Format.

use std::collections::HashMap;

use jiff::Timestamp;

use super::{Assessment, StaleReason, Staleness};
use crate::index::questions::sources;
use crate::{Context, Result, path};

/// Adds the pages whose time has come, also those without sources.
pub(super) fn add(
    context: &Context<'_>,
    pages: Option<&[i64]>,
    assessments: &mut HashMap<i64, Assessment>,
) -> Result<()> {
    let now = context.clock.now().as_second();
    for (page, page_path, time) in context.index.read(|db| sources::expired(db, pages, now))? {
        let file = path::join(context.pages_dir(), &page_path).unwrap_or(page_path);
        let assessment =
            assessments.entry(page).or_insert_with(|| Assessment { reviewed: true, ..Assessment::default() });
        let time = Timestamp::from_second(time).ok();
        assessment.add(&file, time, StaleReason::Expired, Staleness::Stale);
        assessment.stale_refs.sort_by(|a, b| a.file_path.cmp(&b.file_path));
    }
    Ok(())
}
