//! History of single files: commits, contents and renames.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use ubp_core::ports::{Commit, Moved, Revision};
use ubp_core::{Result, path as paths};

use super::{GitHistory, PATHS_OF_COMMITS, Repository, scope, utf8};

impl GitHistory {
    /// The repository of `path`, and the path relative to the project or nested repository.
    pub(super) fn repository_of<'a>(&self, path: &'a str) -> Result<Option<(Repository, &'a str)>> {
        if !paths::is_inside(path) || !paths::is_normal(path) || !self.may_be_in_repository_of(&[path].into())
        {
            return Ok(None);
        }
        let (history, inner) = match self.nested(path, &mut BTreeMap::new()) {
            Some(folder) => {
                let inner = Self { root: self.root.join(folder), depth: self.depth + 1 };
                (inner, path.get(folder.len() + 1..).unwrap_or_default())
            }
            None => (self.clone(), path),
        };
        let repository = history.open()?;
        Ok(repository.filter(|repository| repository.has_commits()).map(|repository| (repository, inner)))
    }

    pub(super) fn revisions_of(&self, path: &str, limit: usize) -> Result<Vec<Revision>> {
        let Some((repository, path)) = self.repository_of(path)? else { return Ok(Vec::new()) };
        let limit = format!("--max-count={limit}");
        let output = repository.read(&[
            "log",
            "-z",
            &limit,
            "--format=%H %ct %s",
            "--no-show-signature",
            "--no-color",
            "HEAD",
            "--",
            path,
        ])?;
        let text = String::from_utf8_lossy(&output).into_owned();
        Ok(text.split('\0').filter_map(|line| repository.revision(line.trim())).collect())
    }

    pub(super) fn bytes_at(&self, commit: &str, path: &str) -> Result<Option<Vec<u8>>> {
        let Some((repository, path)) = self.repository_of(path)? else { return Ok(None) };
        if !is_commit_name(commit) {
            return Ok(None);
        }
        let object = format!("{commit}:{}{path}", repository.prefix);
        let answer = repository.git.run(&["cat-file", "blob", &object])?;
        Ok(answer.success(&repository.git).ok().map(<[u8]>::to_vec))
    }

    pub(super) fn diff_from(&self, commit: &str, path: &str) -> Result<Option<String>> {
        let Some((repository, path)) = self.repository_of(path)? else { return Ok(None) };
        if !is_commit_name(commit) {
            return Ok(None);
        }
        let arguments = [
            "diff",
            "--no-ext-diff",
            "--no-textconv",
            "--no-color",
            "--no-renames",
            "--ignore-submodules=all",
            "-O/dev/null",
            "--relative",
            commit,
            "--",
            path,
        ];
        let answer = repository.git.run(&arguments)?;
        let output = answer.success(&repository.git).ok();
        Ok(output.map(|output| String::from_utf8_lossy(output).into_owned()))
    }

    pub(super) fn moved_to(&self, path: &str) -> Result<Option<Moved>> {
        let Some((repository, inner)) = self.repository_of(path)? else { return Ok(None) };
        let folder = path.strip_suffix(inner).unwrap_or_default();
        let last =
            ["log", "--max-count=1", "--no-show-signature", "--diff-filter=D", "--no-renames", "--format=%H"];
        let removed = repository.read(&[&last[..], &["HEAD", "--", inner]].concat())?;
        let commit = utf8(&self.root, &removed)?.trim().to_owned();
        if !is_commit_name(&commit) {
            return Ok(None);
        }
        let output = repository.read(&[
            "show",
            "-z",
            "--format=",
            "--name-status",
            "-M",
            "--diff-filter=R",
            "--no-ext-diff",
            "--no-textconv",
            "--no-show-signature",
            "-O/dev/null",
            &commit,
        ])?;
        // Each rename is a similarity in percent after an R, the old name and the new name.
        let text = String::from_utf8_lossy(&output).into_owned();
        let fields: Vec<&str> = text.split('\0').collect();
        let old = format!("{}{inner}", repository.prefix);
        let new = fields.chunks_exact(3).find(|rename| rename.get(1) == Some(&old.as_str()));
        Ok(new.and_then(|rename| {
            let path = format!("{folder}{}", rename.get(2)?.strip_prefix(&repository.prefix)?);
            Some(Moved { path, similarity: similarity(rename.first()?)? })
        }))
    }

    pub(super) fn differing_from(&self, revision: &str) -> Result<BTreeSet<String>> {
        let commit = self.commit_called(revision)?;
        let Some(repository) = self.open()? else { return Ok(BTreeSet::new()) };
        let mut changed = repository.read(&[
            "diff",
            "--name-only",
            "-z",
            "--no-ext-diff",
            "--no-textconv",
            "--no-renames",
            "--ignore-submodules=all",
            "-O/dev/null",
            "--relative",
            &commit,
            "--",
            ".",
        ])?;
        changed.extend(repository.read(&["ls-files", "-z", "--others", "--exclude-standard", "--", "."])?);
        let names = changed.split(|&byte| byte == 0).filter_map(|name| std::str::from_utf8(name).ok());
        Ok(names.filter(|name| !name.is_empty()).map(Into::into).collect())
    }
}

impl Repository {
    /// Times of the first commits of paths relative to the project. Renames are not followed.
    pub(super) fn first_commits(&self, wanted: &BTreeSet<&str>) -> Result<BTreeMap<String, Timestamp>> {
        let mut times = BTreeMap::new();
        if !self.has_commits() {
            return Ok(times);
        }
        let arguments = [&PATHS_OF_COMMITS[..], &["--diff-filter=A", "HEAD", "--"], &scope(wanted)].concat();
        let output = self.read(&arguments)?;
        let mut time = None;
        for token in output.split(|&byte| byte == 0) {
            if let Some(header) = token.strip_prefix(b"//") {
                let header = String::from_utf8_lossy(header);
                time = self.revision(header.trim()).map(|revision| revision.commit.time);
                continue;
            }
            let path = token.strip_prefix(b"\n").unwrap_or(token);
            let path = std::str::from_utf8(path).ok().and_then(|path| path.strip_prefix(&self.prefix));
            let Some(path) = path.filter(|path| wanted.contains(path)) else { continue };
            // The oldest commit comes last. At the boundary of a shallow clone, the first commit is unknown.
            times.remove(path);
            times.extend(time.map(|time| (path.to_owned(), time)));
        }
        Ok(times)
    }

    pub(super) fn has_commits(&self) -> bool {
        let head = self.git.run(&["rev-parse", "--verify", "--quiet", "HEAD^{commit}"]);
        head.is_ok_and(|answer| answer.code() == Some(0))
    }

    pub(super) fn read(&self, arguments: &[&str]) -> Result<Vec<u8>> {
        Ok(self.git.run(arguments)?.success(&self.git)?.to_vec())
    }

    /// Parses `<commit> <seconds> <subject>`; `None` for a commit at the boundary of a shallow clone.
    fn revision(&self, line: &str) -> Option<Revision> {
        let mut fields = line.splitn(3, ' ');
        let (id, seconds) = (fields.next()?, fields.next()?);
        let time = Timestamp::from_second(seconds.parse().ok()?).ok()?;
        let known = !self.boundary.contains(id);
        let commit = Commit { id: id.into(), time };
        known.then(|| Revision { commit, subject: fields.next().unwrap_or_default().into() })
    }
}

pub(super) fn is_commit_name(name: &str) -> bool {
    name.len() >= 40 && name.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// The similarity in the status of a rename: `R095` is 0.95. `None` for other states.
pub(super) fn similarity(status: &str) -> Option<f64> {
    let percent: u8 = status.strip_prefix('R')?.parse().ok()?;
    Some(f64::from(percent) / 100.0)
}

#[cfg(test)]
mod tests;
