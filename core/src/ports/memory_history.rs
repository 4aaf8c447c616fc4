//! A history in memory, for tests, and none, for projects without version control.

use std::collections::{BTreeMap, BTreeSet};
#[cfg(not(target_family = "wasm"))]
use std::ops::ControlFlow;
use std::sync::Mutex;

use jiff::Timestamp;

use super::memory::lock;
use super::{
    ChangedFile, Commit, CommitChanges, CommittedFile, ContentHash, FileVersion, History, Revision,
    SourceChange,
};
#[cfg(not(target_family = "wasm"))]
use super::{Removal, Removing, Walked};
use crate::message;
use crate::{Error, Result};

/// A project without version control.
#[derive(Debug, Default, Clone, Copy)]
pub struct NoHistory;

impl History for NoHistory {
    fn head(&self) -> Result<Option<String>> {
        Ok(None)
    }

    fn last_changes(&self, _paths: &[String]) -> Result<BTreeMap<String, SourceChange>> {
        Ok(BTreeMap::new())
    }
}

/// A history whose commits are added by calls.
#[derive(Debug, Default)]
pub struct MemoryHistory {
    head: Mutex<Option<String>>,
    changes: Mutex<BTreeMap<String, SourceChange>>,
    snapshots: Mutex<BTreeMap<String, Snapshot>>,
    contents: Mutex<BTreeMap<String, Vec<u8>>>,
    /// The commits that were recorded, in order.
    log: Mutex<Vec<Revision>>,
}

/// The state of the files at a commit.
#[derive(Debug, Clone, Default)]
struct Snapshot {
    files: BTreeMap<String, CommittedFile>,
    changes: BTreeMap<String, SourceChange>,
}

impl MemoryHistory {
    /// Records that the commit `id`, which becomes the checked-out one, was the last to change `path`.
    pub fn commit(&self, path: &str, id: &str, time: Timestamp) {
        *lock(&self.head) = Some(id.into());
        self.set(path, SourceChange::Committed(Commit { id: id.into(), time }));
    }

    /// Records a commit on top of the previous one with changes to these files; `None` deletes a file.
    pub fn record(&self, id: &str, time: Timestamp, files: &[(&str, Option<&str>)]) {
        let mut snapshots = lock(&self.snapshots);
        let head = lock(&self.head).clone();
        let mut next = head.and_then(|head| snapshots.get(&head).cloned()).unwrap_or_default();
        for &(path, text) in files {
            let change = SourceChange::Committed(Commit { id: id.into(), time });
            let Some(text) = text else {
                next.files.remove(path);
                next.changes.remove(path);
                lock(&self.changes).remove(path);
                continue;
            };
            let content = ContentHash::of(text.as_bytes()).to_string();
            lock(&self.contents).insert(content.clone(), text.into());
            let file = CommittedFile { id: content, size: text.len() as u64, ignored: None };
            next.files.insert(path.into(), file);
            next.changes.insert(path.into(), change);
            self.commit(path, id, time);
        }
        *lock(&self.head) = Some(id.into());
        snapshots.insert(id.into(), next);
        let subject = format!("Commit {id}");
        lock(&self.log).push(Revision { commit: Commit { id: id.into(), time }, subject });
    }

    /// The lines of a file at a commit.
    #[cfg(not(target_family = "wasm"))]
    fn lines(&self, file: Option<&CommittedFile>) -> Vec<String> {
        let contents = lock(&self.contents);
        let bytes = file.and_then(|file| contents.get(&file.id)).map(Vec::as_slice).unwrap_or_default();
        String::from_utf8_lossy(bytes).lines().map(str::to_owned).collect()
    }

    /// What differs between two states of the files, each file as one removal.
    #[cfg(not(target_family = "wasm"))]
    fn removed_between(
        &self,
        before: &Snapshot,
        after: &Snapshot,
        revision: Option<&Revision>,
        look: &mut dyn FnMut(&Removal<'_>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        for (path, file) in &before.files {
            let (old, new) = (self.lines(Some(file)), self.lines(after.files.get(path)));
            let only_in = |these: &[String], others: &[String]| -> Vec<String> {
                these.iter().filter(|line| !others.contains(line)).cloned().collect()
            };
            let (removed, added) = (only_in(&old, &new), only_in(&new, &old));
            let deletes_file = !after.files.contains_key(path);
            if deletes_file {
                look(&Removal { revision, path, deletes_file, removed: &[], added: &[] })?;
            }
            if !removed.is_empty() {
                look(&Removal { revision, path, deletes_file, removed: &removed, added: &added })?;
            }
        }
        ControlFlow::Continue(())
    }

    /// Sets the last change of `path`.
    pub fn set(&self, path: &str, change: SourceChange) {
        lock(&self.changes).insert(path.into(), change);
    }
}

impl History for MemoryHistory {
    fn head(&self) -> Result<Option<String>> {
        Ok(lock(&self.head).clone())
    }

    fn last_changes(&self, paths: &[String]) -> Result<BTreeMap<String, SourceChange>> {
        Ok(among(&lock(&self.changes), paths))
    }

    fn versions(&self, path: &str, limit: usize) -> Result<Vec<FileVersion>> {
        let snapshots = lock(&self.snapshots);
        let mut versions: Vec<FileVersion> = snapshots
            .iter()
            .filter_map(|(id, snapshot)| match snapshot.changes.get(path)? {
                SourceChange::Committed(commit) if commit.id == *id => Some(FileVersion {
                    commit: commit.clone(),
                    author: "Author".into(),
                    subject: format!("Commit {id}"),
                    path: path.into(),
                    moved: None,
                    is_boundary: false,
                }),
                _ => None,
            })
            .collect();
        versions.sort_by_key(|version| std::cmp::Reverse(version.commit.time));
        versions.truncate(limit);
        Ok(versions)
    }

    fn read_at(&self, commit: &str, path: &str) -> Result<Option<Vec<u8>>> {
        let snapshots = lock(&self.snapshots);
        let file = snapshots.get(commit).and_then(|snapshot| snapshot.files.get(path));
        Ok(file.and_then(|file| lock(&self.contents).get(&file.id).cloned()))
    }

    fn resolve(&self, revision: &str) -> Result<String> {
        let head = lock(&self.head).clone().filter(|_| revision == "HEAD");
        let known = head.or_else(|| lock(&self.snapshots).contains_key(revision).then(|| revision.into()));
        known.ok_or_else(|| Error::invalid(message!("unknown revision '{revision}'", revision)))
    }

    fn changed_since(&self, revision: &str) -> Result<BTreeSet<String>> {
        let commit = self.resolve(revision)?;
        let (then, now) = (self.files_at(&commit)?, self.files_at(&self.resolve("HEAD")?)?);
        let edited = lock(&self.changes);
        let edited = edited.iter().filter(|(_, change)| **change == SourceChange::Uncommitted);
        let differing = then.keys().chain(now.keys()).filter(|path| then.get(*path) != now.get(*path));
        Ok(differing.chain(edited.map(|(path, _)| path)).cloned().collect())
    }

    fn first_parents(&self, limit: usize) -> Result<Vec<CommitChanges>> {
        let order: Vec<Commit> = lock(&self.log).iter().map(|revision| revision.commit.clone()).collect();
        let first = order.len().saturating_sub(limit);
        let mut parent = first.checked_sub(1).and_then(|at| order.get(at)).map(|commit| commit.id.clone());
        let mut commits = Vec::new();
        for commit in order.into_iter().skip(first) {
            let before = parent.map_or_else(|| Ok(BTreeMap::new()), |parent| self.files_at(&parent))?;
            parent = Some(commit.id.clone());
            commits.push(CommitChanges { files: differing(&before, &self.files_at(&commit.id)?), commit });
        }
        Ok(commits)
    }

    fn changes_by(&self, commit: &str, _near: &str) -> Result<Vec<ChangedFile>> {
        let all = self.first_parents(usize::MAX)?;
        let found = all.into_iter().skip(1).find(|changes| changes.commit.id == commit);
        Ok(found.map(|changes| changes.files).unwrap_or_default())
    }

    fn changes_since(&self, commit: &str, _near: &str) -> Result<Vec<ChangedFile>> {
        let (before, mut after) = (self.files_at(commit)?, self.files_at(&self.resolve("HEAD")?)?);
        let changes = lock(&self.changes);
        let is_edited = |path: &String| changes.get(path) == Some(&SourceChange::Uncommitted);
        after.retain(|path, _| !is_edited(path));
        let mut files = differing(&before, &after);
        let new = changes.keys().filter(|path| is_edited(path) && !before.contains_key(*path));
        files.extend(new.map(|path| ChangedFile { path: path.clone(), before: None, after: None }));
        files.sort();
        Ok(files)
    }

    fn files_at(&self, commit: &str) -> Result<BTreeMap<String, CommittedFile>> {
        Ok(lock(&self.snapshots).get(commit).map(|snapshot| snapshot.files.clone()).unwrap_or_default())
    }

    #[cfg(not(target_family = "wasm"))]
    fn removals(
        &self,
        place: Removing<'_>,
        look: &mut dyn FnMut(&Removal<'_>) -> ControlFlow<()>,
    ) -> Result<Walked> {
        let head = self.head()?;
        let (log, snapshots) = (lock(&self.log), lock(&self.snapshots));
        let at = |commit: &str| log.iter().position(|revision| revision.commit.id == commit);
        let end = |to: Option<&str>| to.or(head.as_deref()).and_then(at).map_or(log.len(), |at| at + 1);
        let (part, most_commits) = match place {
            Removing::History(most_commits) => (0..log.len(), most_commits),
            Removing::Commits(from, to) => (at(from).unwrap_or(0)..end(to), usize::MAX),
            Removing::Between(from, to) => {
                let newer = to.or(head.as_deref()).and_then(|to| snapshots.get(to));
                let flow = match (snapshots.get(from), newer) {
                    (Some(old), Some(new)) => self.removed_between(old, new, None, look),
                    _ => ControlFlow::Continue(()),
                };
                return Ok(Walked { commits: 0, is_complete: flow.is_continue() });
            }
        };
        let mut commits = 0;
        for pair in log.get(part).unwrap_or_default().windows(2).rev() {
            let [before, after] = pair else { continue };
            let (Some(old), Some(new)) = (snapshots.get(&before.commit.id), snapshots.get(&after.commit.id))
            else {
                continue;
            };
            if commits == most_commits {
                return Ok(Walked { commits, is_complete: false });
            }
            let mut is_counted = false;
            let flow = self.removed_between(old, new, Some(after), &mut |removal| {
                is_counted = true;
                look(removal)
            });
            commits += usize::from(is_counted);
            if flow.is_break() {
                return Ok(Walked { commits, is_complete: false });
            }
        }
        Ok(Walked { commits, is_complete: !log.is_empty() })
    }

    fn contents(&self, files: &[(&str, &str)]) -> Result<Vec<Option<Vec<u8>>>> {
        let contents = lock(&self.contents);
        Ok(files.iter().map(|(_, id)| contents.get(*id).cloned()).collect())
    }

    fn last_changes_at(&self, commit: &str, paths: &[String]) -> Result<BTreeMap<String, SourceChange>> {
        let snapshots = lock(&self.snapshots);
        Ok(snapshots.get(commit).map(|snapshot| among(&snapshot.changes, paths)).unwrap_or_default())
    }
}

/// The files that differ between two states, sorted by path.
fn differing(
    before: &BTreeMap<String, CommittedFile>,
    after: &BTreeMap<String, CommittedFile>,
) -> Vec<ChangedFile> {
    let paths: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    let change = |path: &String| {
        let [before, after] = [before, after].map(|files| files.get(path).map(|file| file.id.clone()));
        ChangedFile { path: path.clone(), before, after }
    };
    paths.into_iter().map(change).filter(|file| file.before != file.after).collect()
}

fn among(changes: &BTreeMap<String, SourceChange>, paths: &[String]) -> BTreeMap<String, SourceChange> {
    let known = |path: &String| Some((path.clone(), changes.get(path)?.clone()));
    paths.iter().filter_map(known).collect()
}
