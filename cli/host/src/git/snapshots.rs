//! Snapshots of commits: resolving revisions, listing files, and reading contents of many files at once.

use std::collections::BTreeMap;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{ChildStdout, Stdio};

use ubp_core::message;
use ubp_core::message::Message;
use ubp_core::ports::{CommittedFile, SourceChange};
use ubp_core::word;
use ubp_core::{Error, Result, path as paths};

use super::super::ignore_rules::{CommittedRules, RULE_FILES};
use super::revisions::is_commit_name;
use super::{GitHistory, Repository, utf8};

/// Limit on the nesting of submodules.
const DEEPEST: usize = 4;
/// Limit on symbolic links followed from one file.
const MOST_LINKS: usize = 8;

/// One line of a tree.
struct Entry {
    mode: String,
    id: String,
    size: u64,
    /// Path relative to the repository.
    path: String,
}

impl GitHistory {
    pub(super) fn commit_called(&self, revision: &str) -> Result<String> {
        let unknown = |why: &'static str| {
            Error::invalid(message!(
                "unknown revision '{revision}': {why}",
                revision,
                why = Message::word(why)
            ))
        };
        if revision.contains('\0') {
            return Err(unknown(word!("it contains an invalid character")));
        }
        let repository = match self.may_be_in_repository() {
            true => self.open()?,
            false => None,
        };
        let repository =
            repository.ok_or_else(|| unknown(word!("the project is not under version control")))?;
        let commit = format!("{revision}^{{commit}}");
        let answer =
            repository.git.run(&["rev-parse", "--verify", "--quiet", "--end-of-options", &commit])?;
        let reason = if repository.boundary.is_empty() {
            word!("git cannot find it")
        } else {
            word!("it is not in this shallow clone; run `git fetch --unshallow` or `git fetch --depth=N`")
        };
        let found = answer.success(&repository.git).map_err(|_| unknown(reason))?;
        let commit = utf8(&self.root, found)?.trim().to_owned();
        if is_commit_name(&commit) { Ok(commit) } else { Err(unknown(word!("git cannot find it"))) }
    }

    pub(super) fn common_ancestor(&self, one: &str, other: &str) -> Result<Option<String>> {
        let Some(repository) = self.open_for(one)?.filter(|_| is_commit_name(other)) else {
            return Ok(None);
        };
        let answer = repository.git.run(&["merge-base", one, other])?;
        let base = answer.success(&repository.git).map(<[u8]>::to_vec).unwrap_or_default();
        let base = String::from_utf8_lossy(&base).trim().to_owned();
        Ok(is_commit_name(&base).then_some(base))
    }

    pub(super) fn tree_of(&self, commit: &str) -> Result<BTreeMap<String, CommittedFile>> {
        let Some(repository) = self.open_for(commit)? else { return Ok(BTreeMap::new()) };
        let entries = repository.tree(commit)?;
        let mut rules = CommittedRules::default();
        let rule_files: Vec<&Entry> = entries
            .iter()
            .filter(|entry| entry.is_file() && RULE_FILES.contains(&paths::file_name(&entry.path)))
            .collect();
        let ids: Vec<&str> = rule_files.iter().map(|entry| entry.id.as_str()).collect();
        for (entry, bytes) in rule_files.iter().zip(repository.blobs(&ids)?) {
            rules.add(&entry.path, &bytes.unwrap_or_default());
        }
        let links = repository.links(&entries)?;
        let by_path: BTreeMap<&str, &Entry> =
            entries.iter().map(|entry| (entry.path.as_str(), entry)).collect();
        let mut files = BTreeMap::new();
        for entry in &entries {
            let Some(path) = entry.path.strip_prefix(&repository.prefix) else { continue };
            let file = match entry.mode.as_str() {
                "160000" => {
                    files.extend(self.submodule(path, &entry.id)?);
                    continue;
                }
                "120000" => follow(&by_path, &links, entry, &repository.prefix),
                _ => Some(entry),
            };
            let Some(file) = file.filter(|_| paths::is_inside(path)) else { continue };
            let ignored = rules.ignored(&entry.path).and_then(|place| {
                // Ignore rules for folders above the project do not apply.
                place.strip_prefix(&repository.prefix).map(str::to_owned)
            });
            files.insert(path.to_owned(), CommittedFile { id: file.id.clone(), size: file.size, ignored });
        }
        Ok(files)
    }

    /// The files of a submodule, if it is checked out and has the commit.
    fn submodule(&self, path: &str, commit: &str) -> Result<BTreeMap<String, CommittedFile>> {
        let inner = Self { root: self.root.join(path), depth: self.depth + 1 };
        if !paths::is_inside(path) || inner.depth > DEEPEST || self.nested_in(path).as_deref() != Some(path) {
            return Ok(BTreeMap::new());
        }
        let files = inner.tree_of(commit)?;
        let named = files.into_iter().map(|(name, mut file)| {
            file.ignored = file.ignored.map(|place| format!("{path}/{place}"));
            (format!("{path}/{name}"), file)
        });
        Ok(named.collect())
    }

    /// The innermost nested repository for files in the folder `path`.
    fn nested_in(&self, path: &str) -> Option<String> {
        let inside = format!("{path}/x");
        self.nested(&inside, &mut BTreeMap::new()).map(str::to_owned)
    }

    pub(super) fn contents_of(&self, files: &[(&str, &str)]) -> Result<Vec<Option<Vec<u8>>>> {
        let mut contents: Vec<Option<Vec<u8>>> = vec![None; files.len()];
        let mut by_repository: BTreeMap<Option<&str>, Vec<(usize, &str, &str)>> = BTreeMap::new();
        let mut known = BTreeMap::new();
        for (at, (path, id)) in files.iter().enumerate() {
            let usable = paths::is_inside(path) && paths::is_normal(path) && is_commit_name(id);
            if usable && (self.may_be_in_repository() || self.nested(path, &mut known).is_some()) {
                let folder = self.nested(path, &mut known);
                by_repository.entry(folder).or_default().push((at, path, id));
            }
        }
        for (folder, wanted) in by_repository {
            let read = match folder {
                None => match self.open()? {
                    Some(repository) => {
                        let ids: Vec<&str> = wanted.iter().map(|(_, _, id)| *id).collect();
                        repository.blobs(&ids)?
                    }
                    None => continue,
                },
                Some(folder) => {
                    let inner = Self { root: self.root.join(folder), depth: self.depth + 1 };
                    let inside: Vec<(&str, &str)> = wanted
                        .iter()
                        .map(|(_, path, id)| (path.get(folder.len() + 1..).unwrap_or_default(), *id))
                        .collect();
                    if inner.depth > DEEPEST { continue } else { inner.contents_of(&inside)? }
                }
            };
            for ((at, _, _), bytes) in wanted.into_iter().zip(read) {
                if let Some(slot) = contents.get_mut(at) {
                    *slot = bytes;
                }
            }
        }
        Ok(contents)
    }

    pub(super) fn changes_up_to(
        &self,
        commit: &str,
        asked: &[String],
    ) -> Result<BTreeMap<String, SourceChange>> {
        let mut changes = BTreeMap::new();
        let Some(repository) = self.open_for(commit)? else { return Ok(changes) };
        let entries = repository.tree(commit)?;
        let project: BTreeMap<&str, &Entry> = entries
            .iter()
            .filter_map(|entry| Some((entry.path.strip_prefix(&repository.prefix)?, entry)))
            .collect();
        let submodules: Vec<(&str, &str)> = project
            .iter()
            .filter(|(_, entry)| entry.mode == "160000")
            .map(|(path, entry)| (*path, entry.id.as_str()))
            .collect();
        let mut left = std::collections::BTreeSet::new();
        for path in asked.iter().filter(|path| paths::is_inside(path) && paths::is_normal(path)) {
            if project.get(path.as_str()).is_some_and(|entry| entry.mode != "160000") {
                left.insert(path.as_str());
            }
        }
        for (folder, id) in submodules {
            let below = |path: &String| Some(path.strip_prefix(folder)?.strip_prefix('/')?.to_owned());
            let inside: Vec<String> = asked.iter().filter_map(below).collect();
            if inside.is_empty() || self.depth >= DEEPEST || self.nested_in(folder).as_deref() != Some(folder)
            {
                continue;
            }
            let inner = Self { root: self.root.join(folder), depth: self.depth + 1 };
            let found = inner.changes_up_to(id, &inside)?;
            changes.extend(found.into_iter().map(|(path, change)| (format!("{folder}/{path}"), change)));
        }
        if !left.is_empty() {
            let scope = super::scope(&left);
            repository.committed(commit, &scope, &mut left, &mut changes)?;
            changes.extend(left.into_iter().map(|path| (path.to_owned(), SourceChange::BeyondHistory)));
        }
        Ok(changes)
    }

    /// The repository, if it has `commit`.
    fn open_for(&self, commit: &str) -> Result<Option<Repository>> {
        if !is_commit_name(commit) || !self.may_be_in_repository() {
            return Ok(None);
        }
        let Some(repository) = self.open()? else { return Ok(None) };
        let is_there = repository.git.run(&["cat-file", "-e", &format!("{commit}^{{commit}}")])?;
        Ok((is_there.code() == Some(0)).then_some(repository))
    }
}

impl Entry {
    fn is_file(&self) -> bool {
        self.mode.starts_with("100")
    }
}

/// The target of a symbolic link, if it is a file of the same commit inside the project.
fn follow<'a>(
    entries: &BTreeMap<&str, &'a Entry>,
    links: &BTreeMap<&str, String>,
    link: &Entry,
    prefix: &str,
) -> Option<&'a Entry> {
    let mut path = link.path.clone();
    for _ in 0..MOST_LINKS {
        let target = links.get(path.as_str())?;
        if target.starts_with('/') {
            return None;
        }
        path = paths::join(paths::folder(&path), target)?;
        let entry = entries.get(path.as_str())?;
        let inside = entry.path.strip_prefix(prefix)?;
        if entry.is_file() {
            return (!paths::is_private(inside)).then_some(entry);
        }
    }
    None
}

impl Repository {
    /// Every file, link and submodule of a commit.
    fn tree(&self, commit: &str) -> Result<Vec<Entry>> {
        let output = self.read(&["ls-tree", "-r", "-z", "-l", "--full-tree", commit])?;
        let entries = output.split(|&byte| byte == 0).filter_map(|line| {
            let (facts, path) = std::str::from_utf8(line).ok()?.split_once('\t')?;
            let mut facts = facts.split_ascii_whitespace();
            let (mode, _, id) = (facts.next()?, facts.next()?, facts.next()?);
            let size = facts.next()?.parse().unwrap_or(0);
            is_commit_name(id).then(|| Entry { mode: mode.into(), id: id.into(), size, path: path.into() })
        });
        Ok(entries.collect())
    }

    /// The target of each symbolic link, as stored.
    fn links<'a>(&self, entries: &'a [Entry]) -> Result<BTreeMap<&'a str, String>> {
        let links: Vec<&Entry> = entries.iter().filter(|entry| entry.mode == "120000").collect();
        let ids: Vec<&str> = links.iter().map(|entry| entry.id.as_str()).collect();
        let targets = links.iter().zip(self.blobs(&ids)?);
        let readable =
            targets.filter_map(|(entry, bytes)| Some((entry.path.as_str(), String::from_utf8(bytes?).ok()?)));
        Ok(readable.collect())
    }

    /// Contents of objects, read by one process; `None` for missing ones.
    fn blobs(&self, ids: &[&str]) -> Result<Vec<Option<Vec<u8>>>> {
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let failed = |error| self.git.failure(error);
        let mut process = self.git.command(&["cat-file", "--batch"]);
        process.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = process.spawn().map_err(failed)?;
        let (input, output) = (child.stdin.take(), child.stdout.take());
        let contents = std::thread::scope(|scope| {
            // Write on another thread: git answers while reading, so writing everything first would deadlock.
            scope.spawn(move || {
                let Some(mut input) = input else { return };
                for id in ids {
                    if writeln!(input, "{id}").is_err() {
                        break;
                    }
                }
            });
            output.map_or_else(|| Ok(Vec::new()), |output| read_blobs(output, ids.len()))
        });
        if contents.is_err() {
            // The process may already have ended.
            let _ = child.kill();
        }
        child.wait().map_err(failed)?;
        contents.map_err(failed)
    }
}

fn read_blobs(output: ChildStdout, count: usize) -> io::Result<Vec<Option<Vec<u8>>>> {
    let mut output = BufReader::new(output);
    let mut contents = Vec::with_capacity(count);
    let mut header = String::new();
    for _ in 0..count {
        header.clear();
        if output.read_line(&mut header)? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        // `<id> <type> <size>`, or `<id> missing`.
        let mut fields = header.split_ascii_whitespace().skip(1);
        let kind = fields.next().unwrap_or_default();
        let Some(size) = fields.next().and_then(|size| size.parse::<u64>().ok()) else {
            contents.push(None);
            continue;
        };
        let mut bytes = Vec::new();
        (&mut output).take(size).read_to_end(&mut bytes)?;
        if bytes.len() as u64 != size {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        output.read_exact(&mut [0])?;
        contents.push((kind == "blob").then_some(bytes));
    }
    Ok(contents)
}

#[cfg(test)]
mod tests;
