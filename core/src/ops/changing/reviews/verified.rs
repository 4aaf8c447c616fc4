//! Writes `verified` into the front matter of reviewed pages, as the Open Knowledge Format has it, if the manifest asks for
//! it.

use super::review_page::ReviewedPage;
use crate::freshness::StaleReason;
use crate::message;
use crate::writing::{Change, Version};
use crate::{Caller, Context, Error, Result, okf, page};

/// The changes of front matter. Pages of which only sections were reviewed get none. With `all`, only pages whose review changed or that are stale by their own word get one.
/// Pages that are not stale by their own word afterwards are no longer reported as such.
///
/// # Errors
/// [`Error::Io`] if a page cannot be read.
pub(super) fn changes(
    context: &Context<'_>,
    reviewed: &mut [ReviewedPage],
    all: bool,
) -> Result<Vec<Change>> {
    let mut changes = Vec::new();
    let is_asked = context.manifest.okf.verified;
    if !is_asked && reviewed.iter().all(|page| page.missing.is_empty()) {
        return Ok(changes);
    }
    let now = context.clock.now();
    let at = now.strftime("%Y-%m-%dT%H:%M:%SZ").to_string();
    let by = match context.caller {
        Caller::Agent => okf::actor(Some(context.agent.unwrap_or("agent")), None),
        Caller::Person => okf::actor(None, context.history.author().as_deref()),
    };
    for reviewed in reviewed {
        let is_expired = reviewed.missing.iter().any(|stale| stale.reason == StaleReason::Expired);
        let is_due = is_asked && reviewed.sections.is_empty() && (!all || reviewed.changed || is_expired);
        if !is_due && !is_expired {
            continue;
        }
        let before = Version::read(context.source, &reviewed.filepath)?;
        let Some(text) = before.text() else {
            reviewed.not_verified = is_due.then(|| message!("it is not UTF-8 text"));
            continue;
        };
        let edited = match is_due.then(|| page::put_event(&reviewed.filepath, text, "verified", &by, &at)) {
            Some(Ok(edited)) => Some(edited),
            Some(Err(Error::FrontMatter { message, .. })) => {
                reviewed.not_verified = Some(message);
                None
            }
            Some(Err(error)) => return Err(error),
            None => None,
        };
        let fields = page::front_matter(edited.as_deref().unwrap_or(text)).fields;
        if okf::expiry(&fields).is_none_or(|time| time > now) {
            reviewed.missing.retain(|stale| stale.reason != StaleReason::Expired);
        }
        if let Some(edited) = edited {
            reviewed.verified = true;
            changes.push(Change::edit(before, edited.into_bytes()));
        }
    }
    Ok(changes)
}
