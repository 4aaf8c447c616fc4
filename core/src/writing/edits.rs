//! Keeps the age of a page when UBP writes it. A page without a review is fresh as long as no source is newer. A write
//! that is not a person's edit makes the file newer although nobody read the page, so `.ubp/refs.lock` records the time
//! of the last edit together with the hash of the new content.

use super::{Change, Version};
use crate::freshness::{self, LastEdit, REVIEW_LOCK, ReviewLock};
use crate::ports::{ContentHash, Source, SourceChange};
use crate::{Context, Result, path};

/// The entries in `refs.lock` made before a write.
#[derive(Default)]
pub(crate) struct NotedEdits {
    /// `refs.lock` before and after; `None` if it did not change.
    lock: Option<(Option<Vec<u8>>, Vec<u8>)>,
}

impl NotedEdits {
    /// Restores `refs.lock` after a failed write, unless another process changed it. If that fails, the lock has an
    /// entry for content that does not exist, which matches nothing.
    pub(crate) fn take_back(&self, source: &dyn Source) {
        if let Some((before, after)) = &self.lock {
            let before = before.as_deref().unwrap_or_default();
            let _ = source.write_state(REVIEW_LOCK, before, Some(ContentHash::of(after)));
        }
    }
}

/// Sets [`Change::edited`] of pages that are about to be written, and records it in `refs.lock` unless the change is an
/// edit by a person.
///
/// # Errors
/// [`crate::Error::Io`] and [`crate::Error::Conflict`] if `refs.lock` cannot be written; nothing is changed.
pub(super) fn note(
    context: &Context<'_>,
    changes: &mut [Change],
    by_hand: bool,
    undoes: bool,
) -> Result<NotedEdits> {
    // An undo has the time from the audit log.
    if !undoes {
        let paths: Vec<&str> =
            changes.iter().filter_map(|change| Some(change.before.as_ref()?.path.as_str())).collect();
        // A failing git must not block writes.
        let known = freshness::last_edits(context, &paths).unwrap_or_default();
        for change in changes.iter_mut() {
            change.edited = change.before.as_ref().and_then(|before| known.get(&before.path)).copied();
        }
    }
    if by_hand {
        return Ok(NotedEdits::default());
    }
    let noted = changes
        .iter()
        .filter_map(|change| Some((change.before.as_ref(), change.after.as_ref()?, change.edited?)));
    record(context, noted, undoes)
}

/// Records when pages were last edited: each page before and after the write, and the time of the edit.
pub(crate) fn record<'a>(
    context: &Context<'_>,
    written: impl Iterator<Item = (Option<&'a Version>, &'a Version, LastEdit)>,
    undoes: bool,
) -> Result<NotedEdits> {
    let mut written = written.peekable();
    if written.peek().is_none() {
        return Ok(NotedEdits::default());
    }
    let _held = context.source.lock()?;
    let bytes = context.source.read_state(REVIEW_LOCK)?;
    let mut lock =
        bytes.as_deref().map_or_else(ReviewLock::default, |bytes| ReviewLock::parse(bytes, |_| true));
    let mut changed = false;
    for (before, after, edit) in written {
        let moved_from = before.filter(|before| before.path != after.path);
        changed |= moved_from.is_some_and(|before| lock.forget_edits(&before.path));
        if undoes && is_committed(context, after, edit)? {
            changed |= lock.forget_edits(&after.path);
        } else {
            let before = before.filter(|_| moved_from.is_none()).map(|before| before.hash);
            lock.note_edit(&after.path, edit, after.hash, before);
            changed = true;
        }
    }
    if !changed {
        return Ok(NotedEdits::default());
    }
    let text = lock.to_text().into_bytes();
    context.source.write_state(REVIEW_LOCK, &text, bytes.as_deref().map(ContentHash::of))?;
    Ok(NotedEdits { lock: Some((bytes, text)) })
}

/// Whether the new content equals the last commit of the page, made at the time of the edit. Then git knows its age.
fn is_committed(context: &Context<'_>, page: &Version, edit: LastEdit) -> Result<bool> {
    let LastEdit::At(time) = edit else { return Ok(false) };
    let file = path::join(context.pages_dir(), &page.path).unwrap_or_default();
    let Some(head) = context.history.head()? else { return Ok(false) };
    let changes = context.history.last_changes_at(&head, std::slice::from_ref(&file))?;
    if !matches!(changes.get(&file), Some(SourceChange::Committed(commit)) if commit.time == time) {
        return Ok(false);
    }
    let committed = context.history.read_at(&head, &file)?;
    Ok(committed.is_some_and(|bytes| ContentHash::of(&bytes) == page.hash))
}
