//! The git history of a project's files, read with a few `git` processes for any number of files. The configuration of
//! a cloned or unpacked project must not make git run a command: see [`command`].

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{self, BufRead, BufReader, Read, Seek};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::{ChildStdout, Stdio};

use jiff::Timestamp;
use ubp_core::ports::{
    ChangedFile, Commit, CommitChanges, CommittedFile, FileVersion, History, Moved, Removal, Removing,
    Revision, SourceChange, Walked,
};
use ubp_core::word;
use ubp_core::{Error, Result, path as paths};

mod changes;
mod command;
mod hooks;
#[cfg(test)]
mod hostile_tests;
mod removals;
mod revisions;
mod snapshots;
pub(crate) mod tags;
#[cfg(test)]
pub(crate) mod tests;
mod versions;

use command::Git;
pub use hooks::Hooks;

/// `git log` with hash, time and paths of every commit, independent of the user's configuration.
const PATHS_OF_COMMITS: [&str; 11] = [
    "log",
    "-z",
    // Paths never start with a slash, so this marks headers.
    "--format=//%H %ct",
    "--name-only",
    "--root",
    "--no-renames",
    "--no-ext-diff",
    "--no-textconv",
    "--no-show-signature",
    "--no-color",
    "-O/dev/null",
];

/// The git history of a project folder, which may be anywhere in a repository.
///
/// Files in submodules, and in other repositories inside the project, are looked up there. Without git, or outside a
/// repository, the history is empty. In a shallow or partial clone, files whose last change may not have been fetched
/// are [`SourceChange::BeyondHistory`]; nothing is fetched.
#[derive(Debug, Clone)]
pub struct GitHistory {
    root: PathBuf,
    /// Nesting depth of this repository.
    depth: usize,
}

/// A repository, relative to the project.
struct Repository {
    git: Git,
    /// The project's path in the repository, empty or with a final `/`.
    prefix: String,
    /// The oldest commits that were fetched.
    boundary: BTreeSet<String>,
}

impl GitHistory {
    /// The history of the project at `root`.
    pub fn new(root: &Path) -> Self {
        Self { root: fs::canonicalize(root).unwrap_or_else(|_| root.to_path_buf()), depth: 0 }
    }

    /// Whether there may be a repository. Saves processes if there is none.
    fn may_be_in_repository(&self) -> bool {
        self.root.ancestors().any(|folder| fs::symlink_metadata(folder.join(".git")).is_ok())
    }

    fn open(&self) -> Result<Option<Repository>> {
        let Some(git) = Git::in_folder(&self.root)? else { return Ok(None) };
        let place =
            git.run(&["rev-parse", "--is-inside-work-tree", "--is-shallow-repository", "--show-prefix"])?;
        if place.is_no_repository() {
            return Ok(None);
        }
        let text = utf8(&self.root, place.success(&git)?)?;
        let mut lines = text.splitn(3, '\n');
        if lines.next() != Some("true") {
            return Ok(None);
        }
        let is_shallow = lines.next() == Some("true");
        let prefix = lines.next().unwrap_or_default();
        let prefix = prefix.strip_suffix('\n').unwrap_or(prefix).to_string();
        let boundary = if is_shallow { self.boundary(&git)? } else { BTreeSet::new() };
        Ok(Some(Repository { git, prefix, boundary }))
    }

    fn boundary(&self, git: &Git) -> Result<BTreeSet<String>> {
        let answer = git.run(&["rev-parse", "--git-path", "shallow"])?;
        let path = utf8(&self.root, answer.success(git)?)?;
        let file = self.root.join(path.strip_suffix('\n').unwrap_or(&path));
        let text = fs::read_to_string(&file).map_err(|error| Error::io(file.to_string_lossy(), error))?;
        Ok(text.lines().map(Into::into).collect())
    }

    /// The folder of the innermost nested repository with `path`.
    fn nested<'a>(&self, path: &'a str, known: &mut BTreeMap<&'a str, bool>) -> Option<&'a str> {
        let mut folder = paths::folder(path);
        let mut outermost = None;
        while !folder.is_empty() {
            let is_repository = *known.entry(folder).or_insert_with(|| {
                let place = self.root.join(folder);
                fs::symlink_metadata(place.join(".git")).is_ok()
                    && fs::canonicalize(&place).is_ok_and(|real| real == place)
            });
            if is_repository {
                outermost = Some(folder);
            }
            folder = paths::folder(folder);
        }
        outermost
    }
}

impl History for GitHistory {
    fn author(&self) -> Option<String> {
        let git = Git::without_filters(&self.root)?;
        let answer = git.run(&["config", "--get", "user.name"]).ok()?;
        let name = String::from_utf8(answer.success(&git).ok()?.to_vec()).ok()?;
        Some(name.trim().to_owned()).filter(|name| !name.is_empty())
    }

    fn head(&self) -> Result<Option<String>> {
        if !self.may_be_in_repository() {
            return Ok(None);
        }
        let Some(git) = Git::without_filters(&self.root) else { return Ok(None) };
        let answer = git.run(&["rev-parse", "--verify", "--quiet", "HEAD^{commit}"])?;
        // Git exits with 1 on a branch without commits.
        if answer.is_missing() || answer.is_no_repository() || answer.code() == Some(1) {
            return Ok(None);
        }
        Ok(Some(utf8(&self.root, answer.success(&git)?)?.trim().to_string()))
    }

    fn last_changes(&self, asked: &[String]) -> Result<BTreeMap<String, SourceChange>> {
        let mut changes = BTreeMap::new();
        let (own, nested) = self.by_repository(asked);
        if !own.is_empty()
            && let Some(repository) = self.open()?
        {
            repository.last_changes(own, &mut changes)?;
        }
        for (inside, folder, inner) in nested {
            let found = inside.last_changes(&inner)?;
            changes.extend(found.into_iter().map(|(path, change)| (format!("{folder}/{path}"), change)));
        }
        Ok(changes)
    }

    fn first_commits(&self, asked: &[String]) -> Result<BTreeMap<String, Timestamp>> {
        let mut times = BTreeMap::new();
        let (own, nested) = self.by_repository(asked);
        if !own.is_empty()
            && let Some(repository) = self.open()?
        {
            times = repository.first_commits(&own)?;
        }
        for (inside, folder, inner) in nested {
            let found = inside.first_commits(&inner)?;
            times.extend(found.into_iter().map(|(path, time)| (format!("{folder}/{path}"), time)));
        }
        Ok(times)
    }

    fn revisions(&self, path: &str, limit: usize) -> Result<Vec<Revision>> {
        self.revisions_of(path, limit)
    }

    fn versions(&self, path: &str, limit: usize) -> Result<Vec<FileVersion>> {
        self.versions_of(path, limit)
    }

    fn read_at(&self, commit: &str, path: &str) -> Result<Option<Vec<u8>>> {
        self.bytes_at(commit, path)
    }

    fn diff_since(&self, commit: &str, path: &str) -> Result<Option<String>> {
        self.diff_from(commit, path)
    }

    fn renamed_to(&self, path: &str) -> Result<Option<Moved>> {
        self.moved_to(path)
    }

    fn changed_since(&self, revision: &str) -> Result<BTreeSet<String>> {
        self.differing_from(revision)
    }

    fn removals(
        &self,
        place: Removing<'_>,
        look: &mut dyn FnMut(&Removal<'_>) -> ControlFlow<()>,
    ) -> Result<Walked> {
        self.removed_in(place, look)
    }

    fn first_parents(&self, limit: usize) -> Result<Vec<CommitChanges>> {
        self.mainline(limit)
    }

    fn changes_by(&self, commit: &str, near: &str) -> Result<Vec<ChangedFile>> {
        self.changed_by(commit, near)
    }

    fn changes_since(&self, commit: &str, near: &str) -> Result<Vec<ChangedFile>> {
        self.changed_since_commit(commit, near)
    }

    fn resolve(&self, revision: &str) -> Result<String> {
        self.commit_called(revision)
    }

    fn merge_base(&self, one: &str, other: &str) -> Result<Option<String>> {
        self.common_ancestor(one, other)
    }

    fn files_at(&self, commit: &str) -> Result<BTreeMap<String, CommittedFile>> {
        self.tree_of(commit)
    }

    fn contents(&self, files: &[(&str, &str)]) -> Result<Vec<Option<Vec<u8>>>> {
        self.contents_of(files)
    }

    fn last_changes_at(&self, commit: &str, paths: &[String]) -> Result<BTreeMap<String, SourceChange>> {
        self.changes_up_to(commit, paths)
    }
}

/// A nested repository, its folder, and paths in it.
type Nested<'a> = (GitHistory, &'a str, Vec<String>);

impl GitHistory {
    /// The valid paths, split into those of this repository and of nested ones.
    fn by_repository<'a>(&self, asked: &'a [String]) -> (BTreeSet<&'a str>, Vec<Nested<'a>>) {
        let usable = |path: &&String| paths::is_inside(path) && paths::is_normal(path);
        let asked: BTreeSet<&str> = asked.iter().filter(usable).map(String::as_str).collect();
        let mut own = BTreeSet::new();
        let mut nested: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        if asked.is_empty() || !self.may_be_in_repository_of(&asked) {
            return (own, Vec::new());
        }
        let mut known = BTreeMap::new();
        for path in asked {
            match self.nested(path, &mut known) {
                Some(folder) => {
                    let inner = path.get(folder.len() + 1..).unwrap_or_default();
                    nested.entry(folder).or_default().push(inner.into());
                }
                None => {
                    own.insert(path);
                }
            }
        }
        let inside = |folder: &str| Self { root: self.root.join(folder), depth: self.depth + 1 };
        (own, nested.into_iter().map(|(folder, inner)| (inside(folder), folder, inner)).collect())
    }

    fn may_be_in_repository_of(&self, paths: &BTreeSet<&str>) -> bool {
        let mut known = BTreeMap::new();
        self.may_be_in_repository() || paths.iter().any(|path| self.nested(path, &mut known).is_some())
    }
}

impl Repository {
    /// Finds the last changes of the paths `wanted`, relative to the project.
    fn last_changes(
        &self,
        wanted: BTreeSet<&str>,
        changes: &mut BTreeMap<String, SourceChange>,
    ) -> Result<()> {
        let scope = scope(&wanted);
        for path in self.uncommitted(&scope)? {
            if let Some(&path) = path.strip_prefix(&self.prefix).and_then(|path| wanted.get(path)) {
                changes.insert(path.into(), SourceChange::Uncommitted);
            }
        }
        let mut left = self.tracked(&scope, &wanted)?;
        left.retain(|path| !changes.contains_key(*path));
        if !left.is_empty() {
            self.committed("HEAD", &scope, &mut left, changes)?;
        }
        // They are tracked, but their last change is not in the fetched history.
        changes.extend(left.into_iter().map(|path| (path.into(), SourceChange::BeyondHistory)));
        Ok(())
    }

    /// Paths, relative to the repository, that are new or differ from the last commit. Without ignored files: generated
    /// files have no history.
    fn uncommitted(&self, scope: &[&str]) -> Result<Vec<String>> {
        let mut arguments = vec![
            "status",
            "--porcelain=v1",
            "-z",
            "--untracked-files=all",
            // Git would run inside submodules with their configuration, so they are queried separately.
            "--ignore-submodules=all",
            "--no-renames",
            "--",
        ];
        arguments.extend(scope);
        let answer = self.git.run(&arguments)?;
        let output = answer.success(&self.git)?;
        let entries = output.split(|&byte| byte == 0).filter_map(|entry| entry.get(3..));
        Ok(entries.filter_map(|path| std::str::from_utf8(path).ok()).map(Into::into).collect())
    }

    /// The paths in `wanted` that are tracked.
    fn tracked<'a>(&self, scope: &[&str], wanted: &BTreeSet<&'a str>) -> Result<BTreeSet<&'a str>> {
        let mut arguments = vec!["ls-files", "-z", "--"];
        arguments.extend(scope);
        let answer = self.git.run(&arguments)?;
        let output = answer.success(&self.git)?;
        let names = output.split(|&byte| byte == 0).filter_map(|path| std::str::from_utf8(path).ok());
        Ok(names.filter_map(|path| wanted.get(path).copied()).collect())
    }

    /// Reads the history up to `commit`, newest commits first. Moves paths from `left` to `changes`, and stops when
    /// `left` is empty.
    fn committed(
        &self,
        commit: &str,
        scope: &[&str],
        left: &mut BTreeSet<&str>,
        changes: &mut BTreeMap<String, SourceChange>,
    ) -> Result<()> {
        // `-c`: a merge counts only for files that differ from all its parents.
        let arguments = [&PATHS_OF_COMMITS[..], &["-c", commit, "--"], scope].concat();
        let mut errors = tempfile::tempfile().map_err(|error| self.git.failure(error))?;
        let stderr = errors.try_clone().map_err(|error| self.git.failure(error))?;
        let mut process = self.git.command(&arguments);
        process.stdout(Stdio::piped()).stderr(stderr);
        let mut child = process.spawn().map_err(|error| self.git.failure(error))?;
        let read = child.stdout.take().map_or(Ok(()), |output| self.read_log(output, left, changes));
        if left.is_empty() || read.is_err() {
            // The process may already have ended.
            let _ = child.kill();
        }
        let status = child.wait().map_err(|error| self.git.failure(error))?;
        read.map_err(|error| self.git.failure(error))?;
        if left.is_empty() || status.success() || self.git.is_partial() {
            return Ok(());
        }
        let mut message = String::new();
        let _ = errors.rewind().and_then(|()| errors.read_to_string(&mut message));
        Err(self.git.failure(io::Error::other(message.trim().to_string())))
    }

    fn read_log(
        &self,
        output: ChildStdout,
        left: &mut BTreeSet<&str>,
        changes: &mut BTreeMap<String, SourceChange>,
    ) -> io::Result<()> {
        let mut output = BufReader::new(output);
        let mut token = Vec::new();
        let mut change = None;
        let mut follows_header = false;
        while !left.is_empty() {
            token.clear();
            if output.read_until(0, &mut token)? == 0 {
                break;
            }
            let text = token.strip_suffix(&[0]).unwrap_or(&token);
            if let Some(header) = text.strip_prefix(b"//") {
                change = self.change(header);
                follows_header = true;
                continue;
            }
            // Git ends a header with a line feed, which precedes the first path.
            let path = if follows_header { text.strip_prefix(b"\n").unwrap_or(text) } else { text };
            follows_header = false;
            let path = std::str::from_utf8(path).ok().and_then(|path| path.strip_prefix(&self.prefix));
            if let (Some(path), Some(change)) = (path.and_then(|path| left.take(path)), &change) {
                changes.insert(path.into(), change.clone());
            }
        }
        Ok(())
    }

    /// Parses `<commit> <seconds>`, the change of the paths that follow.
    fn change(&self, header: &[u8]) -> Option<SourceChange> {
        let (id, seconds) = std::str::from_utf8(header).ok()?.split_once(' ')?;
        if self.boundary.contains(id) {
            return Some(SourceChange::BeyondHistory);
        }
        let time = Timestamp::from_second(seconds.parse().ok()?).ok()?;
        Some(SourceChange::Committed(Commit { id: id.into(), time }))
    }
}

/// Path arguments for git: a few paths are passed themselves, which lets git skip most of history and index; for more,
/// the whole project.
fn scope<'a>(wanted: &BTreeSet<&'a str>) -> Vec<&'a str> {
    const MOST_PATHS: usize = 8;
    const MOST_BYTES: usize = 8 * 1024;
    let bytes: usize = wanted.iter().map(|path| path.len() + 1).sum();
    if wanted.len() <= MOST_PATHS && bytes <= MOST_BYTES {
        wanted.iter().copied().collect()
    } else {
        vec!["."]
    }
}

fn utf8(folder: &Path, bytes: &[u8]) -> Result<String> {
    String::from_utf8(bytes.to_vec()).map_err(|_| {
        let words = word!("git returned a path that is not valid Unicode");
        Error::io(folder.to_string_lossy(), io::Error::new(io::ErrorKind::InvalidData, words))
    })
}
