//! What a change of the code means for what pages say.

use super::{BrokenClaim, PageChanges};
use crate::claims::{self, Change};
use crate::freshness::Ends;
use crate::ops::doctor;
use crate::ops::touched::{TouchedPage, touched_pages};
use crate::{Context, Result};

pub(super) struct Consequences {
    pub(super) touched: Vec<TouchedPage>,
    pub(super) silent: Vec<String>,
    /// `None` if they were not looked for, because that would read too much.
    pub(super) broken_claims: Option<Vec<BrokenClaim>>,
}

impl Consequences {
    /// `context` shows the newer end, and `whole` has the complete history. `commits` are the full hashes of both ends,
    /// without the newer one for the working folder; `pages` are the changed pages.
    pub(super) fn of(
        context: &Context<'_>,
        whole: &Context<'_>,
        ends: &Ends<'_>,
        (from, to): (&str, Option<&str>),
        pages: &PageChanges,
    ) -> Result<Self> {
        let (touched, silent) = touched_pages(context, whole, ends)?;
        let old_path =
            |page: &super::ChangedPage| Some((page.filepath.clone(), page.previous_filepath.clone()?));
        let moved_pages = pages.renamed.iter().filter_map(old_path).collect();
        let change = Change { context, whole, ends, from, to, moved_pages: &moved_pages };
        let broken = claims::broken_by(&change)?;
        let broken_claims = broken.map(|broken| {
            broken
                .into_iter()
                .map(|missing| BrokenClaim {
                    filepath: missing.page.clone(),
                    line: missing.line,
                    code: missing.kind.code().into(),
                    claim: doctor::BrokenClaim::of(missing),
                })
                .collect()
        });
        Ok(Self { touched, silent, broken_claims })
    }
}
