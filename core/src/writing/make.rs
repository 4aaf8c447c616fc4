//! Makes the changes of a plan: each one completely or not at all, and all of them or none.

use std::io;

use super::links::Moves;
use super::{Change, Contents, Plan, Version};
#[cfg(not(target_family = "wasm"))]
use crate::comments;
use crate::freshness::{REVIEW_LOCK, ReviewLock};
use crate::index::derived_id;
use crate::message;
use crate::message::Message;
use crate::ops::favorites;
use crate::ports::{ContentHash, Source};
use crate::progress::Stage;
use crate::suggest::decisions;
use crate::{Context, Error, Result, path, word};

/// The error for a file whose content is needed and was not kept.
pub(super) fn lost(path: &str) -> Error {
    Error::io(
        path,
        io::Error::new(io::ErrorKind::NotFound, word!("its content is no longer stored anywhere")),
    )
}

/// What changes are made with.
pub(super) struct Making<'a> {
    context: &'a Context<'a>,
    source: &'a dyn Source,
    contents: &'a Contents<'a>,
}

impl<'a> Making<'a> {
    pub(super) fn new(context: &'a Context<'a>, contents: &'a Contents<'a>) -> Self {
        Self { context, source: context.source, contents }
    }

    /// Checks that the file is in the planned state.
    pub(super) fn still_as_planned(&self, change: &Change) -> Result<()> {
        let expected = change.before.as_ref().map(|before| before.hash);
        let path = change.before.as_ref().or(change.after.as_ref()).map_or("", |version| &version.path);
        let there = Version::find(self.source, self.context.pages_dir(), path)?.map(|version| version.hash);
        if there != expected {
            return Err(Error::conflict(path, expected, there));
        }
        Ok(())
    }

    /// Makes all changes, or none if one fails.
    pub(super) fn make(&self, plan: &Plan) -> Result<()> {
        let mut recorded = 0;
        let mut result = Ok(());
        for record in &plan.records {
            result = record.apply(self.source);
            if result.is_err() {
                break;
            }
            recorded += 1;
        }
        let Err(error) = result.and_then(|()| self.make_changes(plan)) else { return Ok(()) };
        for record in plan.records.iter().take(recorded).rev() {
            if let Err(back) = record.reversed().apply(self.source) {
                let message = message!(
                    "{error}; {path} could not be undone: {back}",
                    error,
                    path = record.path(),
                    back
                );
                return Err(Error::HalfDone { message, entry: String::new() });
            }
        }
        Err(error)
    }

    /// Makes all changes of pages and moves their reviews along, or nothing if a step fails.
    fn make_changes(&self, plan: &Plan) -> Result<()> {
        let changes = &plan.changes;
        let mut failed = None;
        let mut made = 0;
        for change in changes {
            if plan.in_parts {
                self.context.cancel.check()?;
                self.context.progress.advance(Stage::Files, made, changes.len());
            }
            if let Err(error) = self.perform(change) {
                failed = Some(error);
                break;
            }
            made += 1;
        }
        let mut stuck: Vec<Message> = Vec::new();
        let failed = match failed.map_or_else(|| self.move_unlisted(plan), Err) {
            Err(error) => error,
            Ok(()) => match follow(self.context, changes) {
                Ok(()) => return Ok(()),
                Err(error) => {
                    stuck.extend(self.take_unlisted_back(plan).err().map(|error| error.message()));
                    error
                }
            },
        };
        if matches!(failed, Error::HalfDone { .. }) && made == 0 {
            return Err(failed);
        }
        for change in changes.iter().take(made).rev() {
            if let Err(error) = self.perform(&change.reversed()) {
                stuck.push(message!("{state} ({error})", state = state(change), error));
            }
        }
        #[cfg(not(target_family = "wasm"))]
        plan.unlisted.tidy(self.source);
        if stuck.is_empty() {
            return Err(failed);
        }
        let message = message!(
            "{failed}; earlier changes could not be undone: {stuck}",
            failed,
            stuck = Message::joined(stuck, "; ")
        );
        Err(Error::HalfDone { message, entry: String::new() })
    }

    #[cfg(not(target_family = "wasm"))]
    fn move_unlisted(&self, plan: &Plan) -> Result<()> {
        plan.unlisted.make(self.source)
    }

    #[cfg(not(target_family = "wasm"))]
    fn take_unlisted_back(&self, plan: &Plan) -> Result<()> {
        plan.unlisted.take_back(self.source)
    }

    #[cfg(target_family = "wasm")]
    fn move_unlisted(&self, _: &Plan) -> Result<()> {
        Ok(())
    }

    #[cfg(target_family = "wasm")]
    fn take_unlisted_back(&self, _: &Plan) -> Result<()> {
        Ok(())
    }

    /// Makes one change completely or not at all.
    fn perform(&self, change: &Change) -> Result<()> {
        let source = self.source;
        match (&change.before, &change.after) {
            (None, Some(after)) => {
                if let Some(trash) = &change.trash {
                    match source.restore(trash, &after.path, after.hash) {
                        // The file in the trash was deleted or changed; the log has the text.
                        Err(Error::Io { source: error, .. }) if error.kind() == io::ErrorKind::NotFound => {}
                        Err(Error::Conflict { path, .. }) if path == *trash => {}
                        other => return other,
                    }
                }
                if path::is_page(&after.path) {
                    return source.write(&after.path, after.bytes()?, None);
                }
                match &after.bytes {
                    Some(bytes) => source.create_attachment(&after.path, bytes),
                    None => {
                        let bytes = (self.contents)(&after.path)?;
                        let (found, expected) = (ContentHash::of(&bytes), Some(after.hash));
                        if found != after.hash {
                            return Err(Error::conflict(&after.path, expected, Some(found)));
                        }
                        source.create_attachment(&after.path, &bytes)
                    }
                }
            }
            (Some(before), None) => {
                let trash = change.trash.as_deref().unwrap_or(&before.path);
                source.discard(&before.path, trash, before.hash)
            }
            #[cfg(not(target_family = "wasm"))]
            (Some(before), Some(after)) if before.path == after.path && !path::is_page(&after.path) => {
                source.replace_attachment(&after.path, after.bytes()?, before.hash)
            }
            (Some(before), Some(after)) if before.path == after.path => {
                source.write(&after.path, after.bytes()?, Some(before.hash))
            }
            (Some(before), Some(after)) => {
                source.rename(&before.path, &after.path, before.hash)?;
                if before.hash == after.hash {
                    return Ok(());
                }
                let written =
                    after.bytes().and_then(|bytes| source.write(&after.path, bytes, Some(before.hash)));
                written.map_err(|error| match source.rename(&after.path, &before.path, before.hash) {
                    Ok(()) => error,
                    Err(back) => Error::HalfDone {
                        message: message!(
                            "{error}; {path} is now {path_2} ({back})",
                            error,
                            path = before.path,
                            path_2 = after.path,
                            back
                        ),
                        entry: String::new(),
                    },
                })
            }
            (None, None) => Ok(()),
        }
    }
}

/// Describes what a change did to its file.
fn state(change: &Change) -> Message {
    match (&change.before, &change.after) {
        (None, Some(after)) => message!("{path} was created", path = after.path),
        (Some(before), Some(after)) if before.path != after.path => {
            message!("{path} is now {new}", path = before.path, new = after.path)
        }
        (Some(before), Some(_)) => message!("{path} was rewritten", path = before.path),
        (Some(before), None) => message!(
            "{path} is at .ubp/trash/{place}",
            path = before.path,
            place = change.trash.as_deref().unwrap_or_default()
        ),
        (None, None) => Message::verbatim(""),
    }
}

/// Moves reviews, decisions and favourites along with renamed pages, and reviews of files that moved.
fn follow(context: &Context<'_>, changes: &[Change]) -> Result<()> {
    let moves: Vec<(&str, &str)> = changes.iter().filter_map(Change::moved).collect();
    let file = |page: &str| path::join(context.pages_dir(), page).unwrap_or_default();
    let files = Moves::of(moves.iter().map(|(from, to)| (file(from), file(to))));
    follow_moves(context, &moves, &files)
}

/// The same for pages with these old and new paths, relative to the pages folder, and these files and folders.
///
/// # Errors
/// [`Error::Io`], [`Error::Conflict`].
pub(super) fn follow_moves(context: &Context<'_>, pages: &[(&str, &str)], files: &Moves) -> Result<()> {
    if files.is_empty() {
        return Ok(());
    }
    let source = context.source;
    // An unreadable list of favourites must not prevent a rename.
    let _ = favorites::follow(source, pages);
    #[cfg(not(target_family = "wasm"))]
    let _ = comments::follow(source, pages);
    let before = source.read_state(REVIEW_LOCK)?;
    let mut lock = ReviewLock::load(source, |_| true)?;
    let mut followed = false;
    for (from, to) in pages {
        followed |= lock.rename(from, to);
    }
    followed |= lock.rename_sources(|source| {
        let (file, name) = source.split_once('#').unwrap_or((source, ""));
        let of_symbol = || files.moved(file).filter(|_| !name.is_empty());
        files.moved(source).or_else(|| of_symbol().map(|file| format!("{file}#{name}")))
    });
    if followed {
        lock.save(source)?;
    }
    let decided = pages
        .iter()
        .filter(|(from, _)| path::is_page(from))
        .try_for_each(|(from, to)| decisions::follow(source, &derived_id(from), &derived_id(to), to));
    if decided.is_err() && followed {
        let now = source.read_state(REVIEW_LOCK)?;
        let now = now.as_deref().map(ContentHash::of);
        source.write_state(REVIEW_LOCK, before.as_deref().unwrap_or_default(), now)?;
    }
    decided
}
