//! The text of a page that several windows edit, and the order of their changes. A window sends changes for the version that
//! it knows; they are moved over those that came before. The file takes part as one more author: what changed on disk is a
//! change of the text that the file had, moved over what people have typed since.

use std::collections::VecDeque;

use super::changes::{Changes, Mismatch, Units};
use super::difference::between;

/// The author of changes on disk.
pub(super) const DISK: &str = "disk";

/// Limit on the length of a text, in UTF-16 units.
pub(super) const LONGEST: usize = 4 * 1024 * 1024;
/// Limit on the changes that windows can catch up on.
const MOST_UPDATES: usize = 4_000;

/// A change with its author, as it was made to the version before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Update {
    pub client: String,
    pub changes: Changes,
}

/// Why changes are refused. Nothing of them was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Refused {
    /// They are for a version that does not exist, or is too old.
    Version,
    /// They do not fit to the text of their version.
    Invalid,
    /// The text would be too long.
    TooLong,
}

impl From<Mismatch> for Refused {
    fn from(_: Mismatch) -> Self {
        Self::Invalid
    }
}

/// The text and its recent changes.
#[derive(Debug, Clone)]
pub(super) struct Authority {
    text: Units,
    version: u64,
    /// The changes that led to `version`.
    updates: VecDeque<Update>,
    /// The text of the file.
    file: String,
    /// From the text of the file to `text`.
    pending: Changes,
    /// A text that is being written, and what changed since.
    writing: Option<(String, Changes)>,
}

impl Authority {
    /// The text of the file, as `version`.
    pub(super) fn new(file: String, version: u64) -> Self {
        let text: Units = file.encode_utf16().collect();
        let pending = Changes::none(text.len());
        Self { text, version, updates: VecDeque::new(), file, pending, writing: None }
    }

    pub(super) fn version(&self) -> u64 {
        self.version
    }

    pub(super) fn text(&self) -> String {
        String::from_utf16_lossy(&self.text)
    }

    pub(super) fn file(&self) -> &str {
        &self.file
    }

    pub(super) fn pending(&self) -> &Changes {
        &self.pending
    }

    /// Whether the file has the text.
    pub(super) fn is_saved(&self) -> bool {
        self.pending.is_empty()
    }

    /// The changes after a version; `None` if they are not known.
    pub(super) fn since(&self, version: u64) -> Option<impl Iterator<Item = &Update>> {
        let behind = usize::try_from(self.version.checked_sub(version)?).ok()?;
        let first = self.updates.len().checked_sub(behind)?;
        Some(self.updates.iter().skip(first))
    }

    /// Takes changes of a window, made one after the other to the text of `version`. Returns those that are new, as they are
    /// made to the current text. Changes that were taken before are left out, so sending again is harmless.
    pub(super) fn push(
        &mut self,
        version: u64,
        client: &str,
        changes: Vec<Changes>,
    ) -> Result<Vec<Update>, Refused> {
        let over: Vec<&Update> = self.since(version).ok_or(Refused::Version)?.collect();
        let mut sent: VecDeque<Changes> = changes.into();
        // One after the other, as windows do it: over all of them as one change, the result could differ.
        for update in over {
            if update.client == client && !sent.is_empty() {
                sent.pop_front();
                continue;
            }
            let mut theirs = update.changes.clone();
            for ours in &mut sent {
                let moved = ours.map(&theirs, false)?;
                theirs = theirs.map(ours, true)?;
                *ours = moved;
            }
        }
        let (mut text, mut made) = (self.text.clone(), Vec::new());
        for changes in sent {
            if changes.new_len() > LONGEST {
                return Err(Refused::TooLong);
            }
            text = changes.apply(&text)?;
            made.push(Update { client: client.to_owned(), changes });
        }
        for update in &made {
            self.take(update.clone())?;
        }
        Ok(made)
    }

    /// Makes a change to the current text.
    pub(super) fn take(&mut self, update: Update) -> Result<(), Mismatch> {
        let (text, pending) = (update.changes.apply(&self.text)?, self.pending.then(&update.changes)?);
        if let Some((_, since)) = &mut self.writing {
            *since = since.then(&update.changes)?;
        }
        (self.text, self.pending) = (text, pending);
        self.version += 1;
        self.updates.push_back(update);
        if self.updates.len() > MOST_UPDATES {
            self.updates.pop_front();
        }
        Ok(())
    }

    /// The text to write to the file. [`Self::written`] or [`Self::not_written`] follows.
    pub(super) fn write(&mut self) -> (u64, String) {
        let text = self.text();
        self.writing = Some((text.clone(), Changes::none(self.text.len())));
        (self.version, text)
    }

    /// The file has the text that was to be written.
    pub(super) fn written(&mut self) {
        if let Some((text, since)) = self.writing.take() {
            (self.file, self.pending) = (text, since);
        }
    }

    /// The file does not have it.
    pub(super) fn not_written(&mut self) {
        self.writing = None;
    }

    /// The file has this text. It may be the one that was being written, with a small addition by the engine. Returns the
    /// change of the text, if there is one.
    pub(super) fn found(&mut self, file: String) -> Result<Option<Update>, Mismatch> {
        if let Some((text, _)) = &self.writing
            && (*text == file || between(text, &file).cost() < between(&self.file, &file).cost())
        {
            self.written();
        }
        self.writing = None;
        self.changed_on_disk(file)
    }

    /// The file has another text. Returns the change of the text, if there is one.
    fn changed_on_disk(&mut self, file: String) -> Result<Option<Update>, Mismatch> {
        if file == self.file {
            return Ok(None);
        }
        let change = between(&self.file, &file);
        let (moved, pending) = (change.map(&self.pending, true)?, self.pending.map(&change, false)?);
        let update = Update { client: DISK.to_owned(), changes: moved };
        self.take(update.clone())?;
        (self.file, self.pending) = (file, pending);
        Ok(Some(update))
    }

    /// The recent changes, for the journal.
    pub(super) fn recent(&self, most: usize) -> impl Iterator<Item = &Update> {
        self.updates.iter().skip(self.updates.len().saturating_sub(most))
    }

    /// A text as it was, from the journal: the file, what was not in it yet, and the changes before.
    pub(super) fn restored(
        file: String,
        version: u64,
        pending: Changes,
        updates: Vec<Update>,
    ) -> Result<Self, Mismatch> {
        let mut made = Self::new(file, version);
        made.text = pending.apply(&made.text)?;
        (made.pending, made.updates) = (pending, updates.into());
        Ok(made)
    }
}

#[cfg(test)]
#[path = "authority/tests.rs"]
mod tests;
