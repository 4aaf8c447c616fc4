//! Stored verdicts: a published index has neither the code that its pages describe nor its history, so it contains the
//! verdicts from when it was built.

use std::collections::HashMap;

use rusqlite::Connection;

use super::{Assessment, Staleness};
use crate::Result;
use crate::index::questions::sites::{self, Verdict};

/// Stores the verdict on a page.
pub(crate) fn put(db: &Connection, page: i64, assessment: &Assessment) -> Result<()> {
    let staleness = serde_json::to_value(assessment.staleness).unwrap_or_default();
    let staleness = staleness.as_str().unwrap_or_default().to_owned();
    let stale_refs = serde_json::to_value(&assessment.stale_refs).unwrap_or_default().to_string();
    sites::put_verdict(db, &Verdict { page, staleness, stale_refs, reviewed: assessment.reviewed })
}

/// The stored verdicts on `pages`, or on all pages if `None`; `None` for an index without stored verdicts.
pub(super) fn verdicts(db: &Connection, pages: Option<&[i64]>) -> Result<Option<HashMap<i64, Assessment>>> {
    if !sites::has_table(db, "verdicts")? {
        return Ok(None);
    }
    let read = |verdict: Verdict| {
        let staleness: Staleness = serde_json::from_value(verdict.staleness.into()).unwrap_or_default();
        let stale_refs = serde_json::from_str(&verdict.stale_refs).unwrap_or_default();
        (
            verdict.page,
            Assessment { staleness, stale_refs, reviewed: verdict.reviewed, ..Assessment::default() },
        )
    };
    Ok(Some(sites::verdicts(db, pages)?.into_iter().map(read).collect()))
}
