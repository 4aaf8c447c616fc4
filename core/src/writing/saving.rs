//! Saves a page while somebody types.

#[cfg(not(target_family = "wasm"))]
use super::typing;
use super::{Change, Plan, Version, carry_out};
#[cfg(not(target_family = "wasm"))]
use crate::comments;
use crate::{Caller, Context, Result};

/// Writes a page that a person edits. The editor saves several times a minute and has its own undo, so this is not
/// recorded in the audit log and does not wait for the index. Changes by agents go through [`carry_out`]. Returns the id of the
/// proposal if the change was only proposed.
///
/// # Errors
/// As [`carry_out`].
pub(crate) fn save(context: &Context<'_>, before: Version, after: Vec<u8>) -> Result<Option<String>> {
    #[cfg(not(target_family = "wasm"))]
    if let Some(typing) = context.typing
        && typing::may_save(context, &before)?
    {
        if let Some(old) = before.bytes.as_ref().filter(|old| **old != after) {
            write_over(context, &before, &after)?;
            typing.saved(&before.path, old, &after);
        }
        return Ok(None);
    }
    if context.caller == Caller::Agent {
        let plan = Plan::new("save_page", vec![Change::edit(before, after)]);
        return carry_out(context, plan, false).map(|written| written.proposal);
    }
    if before.bytes.as_ref() != Some(&after) {
        write_over(context, &before, &after)?;
    }
    Ok(None)
}

/// Writes a page while somebody types, and keeps its comments at their text.
fn write_over(context: &Context<'_>, before: &Version, after: &[u8]) -> Result<()> {
    #[cfg(not(target_family = "wasm"))]
    let _held = context.source.lock()?;
    context.source.write(&before.path, after, Some(before.hash))?;
    #[cfg(not(target_family = "wasm"))]
    if let Some(bytes) = &before.bytes {
        // The page is written, whatever happens to the places of comments.
        let _ = comments::keep(context, &before.path, bytes, after);
    }
    Ok(())
}
