//! A guest, as long as its link stays as it is.

use std::sync::Arc;

use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use ubp_core::manifest::Right;
use ubp_core::proposals::Proposing;
use ubp_core::{Result, path};
use ubp_host::live::{Seen, Views};

use super::links::GuestLink;
use super::right::GuestRight;

/// A guest.
pub(crate) struct Guest {
    pub name: String,
    pub right: GuestRight,
    rules: Vec<(String, Right)>,
    /// Cancelled when the link is over or was changed.
    pub ended: CancellationToken,
    /// For streams of events and pages that it edits together with others.
    pub places: Arc<Semaphore>,
}

/// Limit on what a guest has open at once.
const PLACES: usize = 16;

impl Guest {
    pub(super) fn of(link: &GuestLink) -> Self {
        let right = link.right.to_files();
        let all = ["**".to_owned()];
        let pages = if link.pages.is_empty() { &all[..] } else { &link.pages };
        // Of the rules that match, the last one counts.
        let hidden = ("/**".to_owned(), Right::Hide);
        let rules = [hidden].into_iter().chain(pages.iter().map(|page| (page.clone(), right))).collect();
        Self {
            name: link.name.clone(),
            right: link.right,
            rules,
            ended: CancellationToken::new(),
            places: Arc::new(Semaphore::new(PLACES)),
        }
    }

    /// The project as the guest sees it. May open an index.
    ///
    /// # Errors
    /// As [`Views::seen_by_guest`].
    pub(crate) fn sees(&self, views: &Views) -> Result<Seen> {
        views.seen_by_guest(&self.name, &self.rules)
    }

    /// What a call adds to its changes if they are proposed, as they are where the guest may not make them.
    pub(crate) fn proposing(&self, params: serde_json::Value) -> Proposing {
        Proposing { params, only_where_required: true, ..Proposing::default() }
    }

    /// Whether the guest may change the page at this path while others edit it. `None` if there is no such page for it.
    pub(crate) fn may_write(&self, views: &Views, page: &str) -> Option<bool> {
        let Seen { rights, live } = self.sees(views).ok()?;
        let asked = live.with_at_once(ubp_core::Caller::Agent, &Default::default(), |context| {
            let there = context.source.stat(page)?;
            let file = path::join(context.pages_dir(), page);
            let real = file.map(|file| context.source.real_source(&file)).transpose()?.flatten();
            Ok(there.map(|_| real.map_or(Right::Apply, |real| rights.file(&real)).min(rights.page(page))))
        });
        let right = asked.ok().flatten()?;
        Some(self.right == GuestRight::Write && right == Right::Apply)
    }
}
