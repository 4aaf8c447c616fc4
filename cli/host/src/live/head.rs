//! Git history for long-running processes. It caches the checked-out commit until one of the files that determine it
//! changes, because starting git for every answer would take longer than the answer.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use ubp_core::Result;
use ubp_core::ports::{FileVersion, History, Revision, SourceChange};

use super::stamp::Stamp;
use crate::GitHistory;

/// Limit on the bytes of a reference or `.git` file.
const LONGEST: u64 = 4096;

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

fn first_line(path: &Path) -> Option<String> {
    let metadata = fs::metadata(path).ok()?;
    if !metadata.is_file() || metadata.len() > LONGEST {
        return None;
    }
    let text = fs::read_to_string(path).ok()?;
    text.lines().next().map(|line| line.trim_end().to_owned())
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

    fn last_changes(&self, paths: &[String]) -> Result<BTreeMap<String, SourceChange>> {
        self.git.last_changes(paths)
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

    fn renamed_to(&self, path: &str) -> Result<Option<String>> {
        self.git.renamed_to(path)
    }

    fn changed_since(&self, revision: &str) -> Result<BTreeSet<String>> {
        self.git.changed_since(revision)
    }
}
