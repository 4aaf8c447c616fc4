//! What the commits of a history in memory removed.

use std::ops::ControlFlow;

use super::memory::{MemoryHistory, Snapshot, lock};
use super::{CommittedFile, Removal, Revision, Walked};

impl MemoryHistory {
    pub(super) fn removed_by_commits(
        &self,
        most_commits: usize,
        look: &mut dyn FnMut(&Removal<'_>) -> ControlFlow<()>,
    ) -> Walked {
        let (log, snapshots) = (lock(&self.log), lock(&self.snapshots));
        let mut commits = 0;
        for pair in log.windows(2).rev() {
            let [before, after] = pair else { continue };
            let (Some(old), Some(new)) = (snapshots.get(&before.commit.id), snapshots.get(&after.commit.id))
            else {
                continue;
            };
            if commits == most_commits {
                return Walked { commits, is_complete: false };
            }
            let mut is_counted = false;
            let flow = self.removed_between(old, new, after, &mut |removal| {
                is_counted = true;
                look(removal)
            });
            commits += usize::from(is_counted);
            if flow.is_break() {
                return Walked { commits, is_complete: false };
            }
        }
        Walked { commits, is_complete: !log.is_empty() }
    }

    /// The lines of a file at a commit.
    fn lines(&self, file: Option<&CommittedFile>) -> Vec<String> {
        let contents = lock(&self.contents);
        let bytes = file.and_then(|file| contents.get(&file.id)).map(Vec::as_slice).unwrap_or_default();
        String::from_utf8_lossy(bytes).lines().map(str::to_owned).collect()
    }

    /// What differs between two states of the files, each file as one removal.
    fn removed_between(
        &self,
        before: &Snapshot,
        after: &Snapshot,
        revision: &Revision,
        look: &mut dyn FnMut(&Removal<'_>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        for (path, file) in &before.files {
            let (old, new) = (self.lines(Some(file)), self.lines(after.files.get(path)));
            let only_in = |these: &[String], others: &[String]| -> Vec<String> {
                these.iter().filter(|line| !others.contains(line)).cloned().collect()
            };
            let (removed, added) = (only_in(&old, &new), only_in(&new, &old));
            let deletes_file = !after.files.contains_key(path);
            let revision = Some(revision);
            if deletes_file {
                look(&Removal { revision, path, deletes_file, removed: &[], added: &[] })?;
            }
            if !removed.is_empty() {
                look(&Removal { revision, path, deletes_file, removed: &removed, added: &added })?;
            }
        }
        ControlFlow::Continue(())
    }
}
