//! Version control without the files that an author must not see.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::sync::Arc;

use jiff::Timestamp;
use ubp_core::Result;
use ubp_core::manifest::{AuthorRights, Right};
use ubp_core::ports::{
    ChangedFile, CommitChanges, CommittedFile, FileVersion, History, Moved, Removal, Removing, Revision,
    SourceChange, Walked,
};

/// A history in which hidden files never existed. Messages of commits are shown as they are.
pub struct VisibleHistory<H> {
    inner: H,
    rights: Arc<AuthorRights>,
}

impl<H> VisibleHistory<H> {
    pub(super) fn new(inner: H, rights: Arc<AuthorRights>) -> Self {
        Self { inner, rights }
    }

    fn shows(&self, path: &str) -> bool {
        self.rights.file(path) > Right::Hide
    }

    fn visible(&self, paths: &[String]) -> Vec<String> {
        paths.iter().filter(|path| self.shows(path)).cloned().collect()
    }
}

impl<H: History> History for VisibleHistory<H> {
    fn author(&self) -> Option<String> {
        self.inner.author()
    }

    fn head(&self) -> Result<Option<String>> {
        self.inner.head()
    }

    fn last_changes(&self, paths: &[String]) -> Result<BTreeMap<String, SourceChange>> {
        self.inner.last_changes(&self.visible(paths))
    }

    fn first_commits(&self, paths: &[String]) -> Result<BTreeMap<String, Timestamp>> {
        self.inner.first_commits(&self.visible(paths))
    }

    fn revisions(&self, path: &str, limit: usize) -> Result<Vec<Revision>> {
        if self.shows(path) { self.inner.revisions(path, limit) } else { Ok(Vec::new()) }
    }

    fn versions(&self, path: &str, limit: usize) -> Result<Vec<FileVersion>> {
        if !self.shows(path) {
            return Ok(Vec::new());
        }
        // A page that was hidden before it moved begins with its move.
        let versions = self.inner.versions(path, limit)?.into_iter();
        Ok(versions.take_while(|version| self.shows(&version.path)).collect())
    }

    fn read_at(&self, commit: &str, path: &str) -> Result<Option<Vec<u8>>> {
        if self.shows(path) { self.inner.read_at(commit, path) } else { Ok(None) }
    }

    fn diff_since(&self, commit: &str, path: &str) -> Result<Option<String>> {
        if self.shows(path) { self.inner.diff_since(commit, path) } else { Ok(None) }
    }

    fn renamed_to(&self, path: &str) -> Result<Option<Moved>> {
        if !self.shows(path) {
            return Ok(None);
        }
        Ok(self.inner.renamed_to(path)?.filter(|to| self.shows(&to.path)))
    }

    fn changed_since(&self, revision: &str) -> Result<BTreeSet<String>> {
        let changed = self.inner.changed_since(revision)?;
        Ok(changed.into_iter().filter(|path| self.shows(path)).collect())
    }

    fn removals(
        &self,
        place: Removing<'_>,
        look: &mut dyn FnMut(&Removal<'_>) -> ControlFlow<()>,
    ) -> Result<Walked> {
        self.inner.removals(place, &mut |removal| match self.shows(removal.path) {
            true => look(removal),
            false => ControlFlow::Continue(()),
        })
    }

    fn first_parents(&self, limit: usize) -> Result<Vec<CommitChanges>> {
        let mut commits = self.inner.first_parents(limit)?;
        for commit in &mut commits {
            commit.files.retain(|file| self.shows(&file.path));
        }
        Ok(commits)
    }

    fn changes_by(&self, commit: &str, near: &str) -> Result<Vec<ChangedFile>> {
        let mut files = self.inner.changes_by(commit, near)?;
        files.retain(|file| self.shows(&file.path));
        Ok(files)
    }

    fn changes_since(&self, commit: &str, near: &str) -> Result<Vec<ChangedFile>> {
        let mut files = self.inner.changes_since(commit, near)?;
        files.retain(|file| self.shows(&file.path));
        Ok(files)
    }

    fn resolve(&self, revision: &str) -> Result<String> {
        self.inner.resolve(revision)
    }

    fn merge_base(&self, one: &str, other: &str) -> Result<Option<String>> {
        self.inner.merge_base(one, other)
    }

    fn files_at(&self, commit: &str) -> Result<BTreeMap<String, CommittedFile>> {
        let files = self.inner.files_at(commit)?;
        Ok(files.into_iter().filter(|(path, _)| self.shows(path)).collect())
    }

    fn contents(&self, files: &[(&str, &str)]) -> Result<Vec<Option<Vec<u8>>>> {
        let contents = self.inner.contents(files)?;
        let shown = files.iter().map(|(path, _)| self.shows(path));
        Ok(contents.into_iter().zip(shown).map(|(bytes, shown)| bytes.filter(|_| shown)).collect())
    }

    fn last_changes_at(&self, commit: &str, paths: &[String]) -> Result<BTreeMap<String, SourceChange>> {
        self.inner.last_changes_at(commit, &self.visible(paths))
    }
}
