//! What commits changed, with the hashes of contents, so that many commits can be read without checking them out.

use std::collections::BTreeMap;

use jiff::Timestamp;
use ubp_core::Result;
use ubp_core::ports::{ChangedFile, Commit, CommitChanges};

use super::revisions::is_commit_name;
use super::{GitHistory, Repository};

/// Lists each file with the hashes of its contents, independent of the user's configuration.
const RAW: [&str; 11] = [
    "--raw",
    "-z",
    "--no-abbrev",
    "--no-renames",
    "--no-ext-diff",
    "--no-textconv",
    "--no-color",
    "--ignore-submodules=all",
    "--relative",
    "-O/dev/null",
    "-r",
];

impl GitHistory {
    pub(super) fn mainline(&self, limit: usize) -> Result<Vec<CommitChanges>> {
        if !self.may_be_in_repository() {
            return Ok(Vec::new());
        }
        let Some(repository) = self.open()?.filter(Repository::has_commits) else { return Ok(Vec::new()) };
        let limit = format!("--max-count={limit}");
        let log = [
            "log",
            "--first-parent",
            "--diff-merges=first-parent",
            "--root",
            "--reverse",
            "--no-show-signature",
            // Paths never start with a slash, and statuses with a colon.
            "--format=//%H %ct",
            &limit,
        ];
        let output = repository.read(&[&log[..], &RAW[..], &["HEAD", "--", "."]].concat())?;
        Ok(commits(&output))
    }

    pub(super) fn changed_by(&self, commit: &str, near: &str) -> Result<Vec<ChangedFile>> {
        let Some((repository, inner)) = self.repository_of(near)?.filter(|_| is_commit_name(commit)) else {
            return Ok(Vec::new());
        };
        let folder = near.strip_suffix(inner).unwrap_or_default();
        let parent = format!("{commit}^1");
        let answer =
            repository.git.run(&[&["diff-tree"], &RAW[..], &[&parent, commit, "--", "."]].concat())?;
        // The parent of the first commit, or of one at the boundary of a shallow clone, does not exist.
        Ok(answer.success(&repository.git).map(|output| changed(output, folder)).unwrap_or_default())
    }

    pub(super) fn changed_since_commit(&self, commit: &str, near: &str) -> Result<Vec<ChangedFile>> {
        let Some((repository, inner)) = self.repository_of(near)?.filter(|_| is_commit_name(commit)) else {
            return Ok(Vec::new());
        };
        let folder = near.strip_suffix(inner).unwrap_or_default();
        let answer = repository.git.run(&[&["diff"], &RAW[..10], &[commit, "--", "."]].concat())?;
        let Ok(output) = answer.success(&repository.git) else { return Ok(Vec::new()) };
        let mut files = changed(output, folder);
        let new = repository.read(&["ls-files", "-z", "--others", "--exclude-standard", "--", "."])?;
        let new = new.split(|&byte| byte == 0).filter_map(|name| std::str::from_utf8(name).ok());
        let untracked =
            |name: &str| ChangedFile { path: format!("{folder}{name}"), before: None, after: None };
        files.extend(new.filter(|name| !name.is_empty()).map(untracked));
        files.sort();
        Ok(files)
    }
}

/// Parses a log of headers `//<commit> <seconds>` and changes.
fn commits(output: &[u8]) -> Vec<CommitChanges> {
    let mut commits: Vec<CommitChanges> = Vec::new();
    let mut tokens = output.split(|&byte| byte == 0);
    while let Some(token) = tokens.next() {
        // Git separates a header from what follows by a line feed.
        let text = token.strip_prefix(b"\n").unwrap_or(token);
        if let Some(header) = text.strip_prefix(b"//") {
            commits.extend(commit(header).map(|commit| CommitChanges { commit, files: Vec::new() }));
        } else if let (Some(facts), Some(path)) =
            (text.strip_prefix(b":"), text.first().and_then(|_| tokens.next()))
            && let (Some(last), Some(file)) = (commits.last_mut(), change(facts, path, ""))
        {
            last.files.push(file);
        }
    }
    for commit in &mut commits {
        commit.files.sort();
    }
    commits
}

fn commit(header: &[u8]) -> Option<Commit> {
    let (id, seconds) = std::str::from_utf8(header).ok()?.split_once(' ')?;
    let time = Timestamp::from_second(seconds.trim().parse().ok()?).ok()?;
    is_commit_name(id).then(|| Commit { id: id.into(), time })
}

/// Parses the changes of one comparison; paths are relative to `folder` of the project.
fn changed(output: &[u8], folder: &str) -> Vec<ChangedFile> {
    let mut files = BTreeMap::new();
    let mut tokens = output.split(|&byte| byte == 0);
    while let Some(facts) = tokens.next() {
        let (Some(facts), Some(path)) = (facts.strip_prefix(b":"), tokens.next()) else { continue };
        if let Some(file) = change(facts, path, folder) {
            files.insert(file.path.clone(), file);
        }
    }
    files.into_values().collect()
}

/// Parses `<mode> <mode> <hash> <hash> <status>`; `None` if neither side is a file.
fn change(facts: &[u8], path: &[u8], folder: &str) -> Option<ChangedFile> {
    let mut fields = std::str::from_utf8(facts).ok()?.split(' ');
    let modes = [fields.next()?, fields.next()?];
    let ids = [fields.next()?, fields.next()?];
    let side = |at: usize| {
        let id = *ids.get(at)?;
        let is_committed = modes.get(at)?.starts_with("100") && !id.bytes().all(|byte| byte == b'0');
        is_committed.then(|| id.to_owned())
    };
    if !modes.iter().any(|mode| mode.starts_with("100")) {
        return None;
    }
    let path = format!("{folder}{}", std::str::from_utf8(path).ok()?);
    Some(ChangedFile { path, before: side(0), after: side(1) })
}
