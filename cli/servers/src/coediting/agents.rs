//! Agents take part as authors: what they write, and their proposals that are accepted, come from the disk like every other
//! change of a file, but the audit log says whose they are.

use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

use serde_json::{Value, json};
use ubp_core::Caller;
use ubp_core::ops::find;
use ubp_core::progress::Cancel;
use ubp_core::writing::audit::FILE;
use ubp_host::UBP_DIR;
use ubp_host::live::Live;

/// Number of the page's latest changes that are looked at.
const RECENT: usize = 3;

/// Finds out who wrote a page.
#[derive(Debug, Default)]
pub(super) struct Agents {
    /// The log as it was last read.
    seen: Mutex<Option<(SystemTime, u64)>>,
    /// Hash of the last file whose author was told.
    told: Mutex<String>,
}

impl Agents {
    /// Whether the log has changed since the last call. People who type do not change it.
    pub(super) fn have_news(&self, live: &Live) -> bool {
        let file = std::fs::metadata(live.root().join(UBP_DIR).join(FILE)).ok();
        let now = file.and_then(|file| Some((file.modified().ok()?, file.len())));
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::replace(&mut *seen, now) != now
    }

    /// The agent that wrote the file of a page with this hash, once. `None` if a person or another program did.
    pub(super) fn author(&self, live: &Live, page: &str, hash: &str) -> Option<String> {
        let params = json!({ "page": page, "limit": RECENT });
        let answer = live.call_at_once(Caller::Person, find("audit")?, params, &Cancel::default()).ok()?;
        let is_it = |entry: &&Value| entry["content_hash"] == hash && entry["filepath"] == page;
        let entry = answer["entries"].as_array()?.iter().find(is_it)?;
        let agent = entry["agent"].as_str()?;
        // The version of its program says nothing to people.
        let name = agent.rsplit_once(' ').map_or(agent, |(name, _)| name);
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        (std::mem::replace(&mut *told, hash.to_owned()) != hash).then(|| name.to_owned())
    }
}
