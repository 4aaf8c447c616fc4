//! What people type into pages who are not the owner of the project. An editor saves every few seconds, and an entry of the
//! audit log for each save would push out the rest of the log, so the host collects them and records one for a stretch.

use super::{Change, OutcomeKind, Plan, Version, audit, is_read_only, rights};
use crate::manifest::Right;
use crate::message;
use crate::{Caller, Context, Error, Result};

/// Collects what is typed.
pub trait Typing: Send + Sync {
    /// The page at `path` was saved.
    fn saved(&self, path: &str, before: &[u8], after: &[u8]);
}

/// Whether the caller may save the page as it types. False if it may only propose.
///
/// # Errors
/// [`Error::Forbidden`], [`Error::ReadOnly`].
pub(super) fn may_save(context: &Context<'_>, before: &Version) -> Result<bool> {
    let right = rights::require(context, &before.path)?;
    let is_kept = context.caller == Caller::Agent && before.bytes.as_deref().is_some_and(is_read_only);
    if is_kept {
        return Err(Error::ReadOnly { path: before.path.clone() });
    }
    Ok(right == Right::Apply)
}

/// Records in the audit log what `author` typed: the page had the text `before`, and has `after` now.
///
/// # Errors
/// [`Error::Io`], [`Error::InvalidParams`] if the texts are equal.
pub fn record(
    context: &Context<'_>,
    author: &str,
    path: &str,
    before: Vec<u8>,
    after: Vec<u8>,
) -> Result<()> {
    if before == after {
        return Err(Error::invalid(message!("{path}: nothing was changed", path)));
    }
    let context = Context { caller: Caller::Agent, agent: Some(author), ..*context };
    let plan = Plan::new("save_page", vec![Change::edit(Version::new(path, before), after)]);
    let _held = context.source.lock()?;
    let id = context.new_short_id();
    audit::begin(&context, &id, &plan)?;
    audit::end(&context, &id, OutcomeKind::Done, None)
}
