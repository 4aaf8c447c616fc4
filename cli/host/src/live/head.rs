//! Git history for long-running processes. It caches the checked-out commit until one of the files that determine it
//! changes, because starting git for every answer would take longer than the answer.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use jiff::Timestamp;
use ubp_core::Result;
use ubp_core::ports::{
    ChangedFile, CommitChanges, CommittedFile, FileVersion, History, Moved, Removal, Removing, Revision,
    SourceChange, Walked,
};

use super::stamp::Stamp;
use crate::GitHistory;
use crate::worktrees::first_line;

/// A history that caches the checked-out commit.
#[derive(Debug)]
pub(super) struct FollowedHistory {
    git: GitHistory,
    root: PathBuf,
    head: Mutex<Option<(Vec<Stamp>, Option<String>)>>,
}

impl FollowedHistory {
    pub(super) fn new(git: GitHistory, root: &Path) -> Self {
        Self { git, root: root.to_path_buf(), head: Mutex::new(None) }
    }

    /// Stamps of the files that determine the checked-out commit.
    fn stamps(&self) -> Vec<Stamp> {
        let mut stamps = Vec::new();
        for folder in self.root.ancestors() {
            let entry = folder.join(".git");
            let Ok(metadata) = fs::symlink_metadata(&entry) else { continue };
            stamps.push(Stamp::of(&entry.join("HEAD")));
            // In a linked worktree, `.git` is a file with the path of the repository.
            let git_dir = if metadata.is_file() {
                stamps.push(Stamp::of(&entry));
                let Some(path) =
                    first_line(&entry).and_then(|line| Some(line.strip_prefix("gitdir: ")?.to_owned()))
                else {
                    break;
                };
                folder.join(path)
            } else {
                entry
            };
            let common = first_line(&git_dir.join("commondir")).map(|path| git_dir.join(path));
            let common = common.unwrap_or_else(|| git_dir.clone());
            stamps.push(Stamp::of(&git_dir.join("HEAD")));
            if let Some(head) = first_line(&git_dir.join("HEAD"))
                && let Some(name) = head.strip_prefix("ref: ").filter(|name| ubp_core::path::is_inside(name))
            {
                stamps.push(Stamp::of(&common.join(name)));
                stamps.push(Stamp::of(&git_dir.join(name)));
            }
            stamps.push(Stamp::of(&common.join("packed-refs")));
            stamps.push(Stamp::of(&common.join("reftable/tables.list")));
            stamps.push(Stamp::of(&git_dir.join("reftable/tables.list")));
            break;
        }
        stamps
    }
}

impl History for FollowedHistory {
    fn head(&self) -> Result<Option<String>> {
        let stamps = self.stamps();
        let mut known = self.head.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((before, head)) = &*known
            && *before == stamps
        {
            return Ok(head.clone());
        }
        let head = self.git.head()?;
        // The stamps are older than git's answer, so a change in between invalidates the cache.
        *known = Some((stamps, head.clone()));
        Ok(head)
    }

    fn author(&self) -> Option<String> {
        self.git.author()
    }

    fn last_changes(&self, paths: &[String]) -> Result<BTreeMap<String, SourceChange>> {
        self.git.last_changes(paths)
    }

    fn first_commits(&self, paths: &[String]) -> Result<BTreeMap<String, Timestamp>> {
        self.git.first_commits(paths)
    }

    fn revisions(&self, path: &str, limit: usize) -> Result<Vec<Revision>> {
        self.git.revisions(path, limit)
    }

    fn versions(&self, path: &str, limit: usize) -> Result<Vec<FileVersion>> {
        self.git.versions(path, limit)
    }

    fn read_at(&self, commit: &str, path: &str) -> Result<Option<Vec<u8>>> {
        self.git.read_at(commit, path)
    }

    fn diff_since(&self, commit: &str, path: &str) -> Result<Option<String>> {
        self.git.diff_since(commit, path)
    }

    fn renamed_to(&self, path: &str) -> Result<Option<Moved>> {
        self.git.renamed_to(path)
    }

    fn changed_since(&self, revision: &str) -> Result<BTreeSet<String>> {
        self.git.changed_since(revision)
    }

    fn removals(
        &self,
        place: Removing<'_>,
        look: &mut dyn FnMut(&Removal<'_>) -> ControlFlow<()>,
    ) -> Result<Walked> {
        self.git.removals(place, look)
    }

    fn first_parents(&self, limit: usize) -> Result<Vec<CommitChanges>> {
        self.git.first_parents(limit)
    }

    fn changes_by(&self, commit: &str, near: &str) -> Result<Vec<ChangedFile>> {
        self.git.changes_by(commit, near)
    }

    fn changes_since(&self, commit: &str, near: &str) -> Result<Vec<ChangedFile>> {
        self.git.changes_since(commit, near)
    }

    fn resolve(&self, revision: &str) -> Result<String> {
        self.git.resolve(revision)
    }

    fn merge_base(&self, one: &str, other: &str) -> Result<Option<String>> {
        self.git.merge_base(one, other)
    }

    fn files_at(&self, commit: &str) -> Result<BTreeMap<String, CommittedFile>> {
        self.git.files_at(commit)
    }

    fn contents(&self, files: &[(&str, &str)]) -> Result<Vec<Option<Vec<u8>>>> {
        self.git.contents(files)
    }

    fn last_changes_at(&self, commit: &str, paths: &[String]) -> Result<BTreeMap<String, SourceChange>> {
        self.git.last_changes_at(commit, paths)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use ubp_testing::conformance::{self, Repository};

    use super::*;
    use crate::git::tests::Scratch;

    struct Followed {
        repository: Scratch,
        history: FollowedHistory,
    }

    impl Followed {
        fn new() -> Self {
            let repository = Scratch::new("");
            let root = repository.path("");
            Self { history: FollowedHistory::new(GitHistory::new(&root), &root), repository }
        }
    }

    impl Repository for Followed {
        fn history(&self) -> &dyn History {
            &self.history
        }

        fn commit(&mut self, files: &[(&str, &str)], time: Timestamp) {
            self.repository.commit(files, time);
        }

        fn edit(&mut self, path: &str, text: &str) {
            self.repository.edit(path, text);
        }
    }

    #[test]
    fn a_history_with_a_cached_commit_conforms() {
        conformance::history(&mut Followed::new());
    }

    #[test]
    fn it_answers_as_git_does() {
        let mut followed = Followed::new();
        followed.repository.git(&["config", "user.name", "Ada"]);
        let first = Timestamp::from_second(1_700_000_000).unwrap();
        followed.commit(&[("a.md", "1")], first);
        followed.commit(&[("a.md", "2")], Timestamp::from_second(1_700_000_060).unwrap());
        let (history, path) = (&followed.history, "a.md".to_owned());
        let paths = std::slice::from_ref(&path);
        let head = history.head().unwrap().unwrap();
        assert_eq!(history.author().unwrap(), "Ada");
        assert_eq!(history.first_commits(paths).unwrap()[&path], first);
        assert_eq!(history.resolve("HEAD").unwrap(), head);
        let before = history.resolve("HEAD~1").unwrap();
        assert_eq!(history.merge_base(&head, &before).unwrap(), Some(before));
        let file = history.files_at(&head).unwrap().remove(&path).unwrap();
        assert_eq!(history.contents(&[(&path, &file.id)]).unwrap(), [Some(b"2".to_vec())]);
        assert!(history.last_changes_at(&head, paths).unwrap().contains_key(&path));
    }
}
