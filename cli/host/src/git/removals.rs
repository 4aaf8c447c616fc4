//! What the history took away, read from one `git log` of patches without context.

use std::io::{self, BufRead, BufReader, Read, Seek};
use std::ops::ControlFlow;
use std::process::Stdio;

use jiff::Timestamp;
use ubp_core::Result;
use ubp_core::ports::{Commit, Removal, Removing, Revision, Walked};

use super::{GitHistory, Repository};

/// Arguments for patches that do not depend on the user's configuration.
const PATCHES: [&str; 13] = [
    "--patch",
    "--unified=0",
    "--inter-hunk-context=0",
    "--diff-filter=MD",
    "--no-renames",
    "--no-ext-diff",
    "--no-textconv",
    "--no-color",
    "--src-prefix=a/",
    "--dst-prefix=b/",
    "-O/dev/null",
    "--relative",
    "--ignore-submodules=all",
];

/// Settings of git for them. Files above the threshold count as binary, so that lines have a limit.
const SETTINGS: [&str; 6] =
    ["-c", "core.quotePath=false", "-c", "core.bigFileThreshold=1m", "-c", "diff.algorithm=myers"];

type Look<'a> = &'a mut dyn FnMut(&Removal<'_>) -> ControlFlow<()>;

impl GitHistory {
    pub(super) fn removed_in(&self, place: Removing<'_>, look: Look<'_>) -> Result<Walked> {
        if !self.may_be_in_repository() {
            return Ok(Walked::default());
        }
        let Some(repository) = self.open()? else { return Ok(Walked::default()) };
        if self.head_of(&repository)?.is_none() {
            return Ok(Walked::default());
        }
        let difference = |ends: &[&str], look: Look<'_>| {
            let arguments = [&SETTINGS[..], &["diff"], &PATCHES, ends, &["--", "."]];
            repository.patches(&arguments.concat(), usize::MAX, look)
        };
        let (commits, most_commits) = match place {
            Removing::History(most_commits) => {
                if difference(&["HEAD"], look)?.is_broken {
                    return Ok(Walked::default());
                }
                ("HEAD".to_owned(), most_commits)
            }
            Removing::Between(from, to) => {
                let ends: Vec<&str> = [from].into_iter().chain(to).collect();
                let read = difference(&ends, look)?;
                return Ok(Walked { commits: 0, is_complete: !read.is_broken });
            }
            Removing::Commits(from, to) => (format!("{from}..{}", to.unwrap_or("HEAD")), usize::MAX),
        };
        let log = ["log", "--format=//%H %ct %s", "--no-show-signature"];
        let committed = [&SETTINGS[..], &log, &PATCHES, &[&commits, "--", "."]];
        let read = repository.patches(&committed.concat(), most_commits, look)?;
        let is_complete = !read.is_broken && !repository.git.is_partial() && repository.boundary.is_empty();
        Ok(Walked { commits: read.commits, is_complete })
    }

    fn head_of(&self, repository: &Repository) -> Result<Option<()>> {
        let head = repository.git.run(&["rev-parse", "--verify", "--quiet", "HEAD^{commit}"])?;
        Ok((head.code() == Some(0)).then_some(()))
    }
}

/// How a run of git was read.
struct PatchesRead {
    commits: usize,
    /// Whether there was more.
    is_broken: bool,
}

impl Repository {
    /// Runs git and calls `look` for what its patches remove.
    fn patches(&self, arguments: &[&str], most_commits: usize, look: Look<'_>) -> Result<PatchesRead> {
        let failed = |error| self.git.failure(error);
        let mut errors = tempfile::tempfile().map_err(failed)?;
        let mut process = self.git.command(arguments);
        process.stdout(Stdio::piped()).stderr(errors.try_clone().map_err(failed)?);
        let mut child = process.spawn().map_err(failed)?;
        let read = match child.stdout.take() {
            Some(output) => Patches::new(BufReader::with_capacity(1 << 16, output)).read(most_commits, look),
            None => Ok(PatchesRead { commits: 0, is_broken: false }),
        };
        if !matches!(read, Ok(PatchesRead { is_broken: false, .. })) {
            // The process may already have ended.
            let _ = child.kill();
        }
        let status = child.wait().map_err(failed)?;
        let read = read.map_err(failed)?;
        // A partial clone lacks objects, which are not fetched.
        if read.is_broken || status.success() || self.git.is_partial() {
            return Ok(read);
        }
        let mut message = String::new();
        let _ = errors.rewind().and_then(|()| errors.read_to_string(&mut message));
        Err(failed(io::Error::other(message.trim().to_string())))
    }
}

/// Reads the output of git.
struct Patches<R> {
    input: R,
    line: Vec<u8>,
    revision: Option<Revision>,
    /// The file of the current patch; `None` if its name is not plain.
    path: Option<String>,
    deletes_file: bool,
    removed: Vec<String>,
    added: Vec<String>,
}

impl<R: BufRead> Patches<R> {
    fn new(input: R) -> Self {
        Self {
            input,
            line: Vec::new(),
            revision: None,
            path: None,
            deletes_file: false,
            removed: Vec::new(),
            added: Vec::new(),
        }
    }

    /// Reads the next line without its line break; whether there is one.
    fn next(&mut self) -> io::Result<bool> {
        self.line.clear();
        let length = self.input.read_until(b'\n', &mut self.line)?;
        if self.line.ends_with(b"\n") {
            self.line.pop();
        }
        Ok(length > 0)
    }

    fn read(mut self, most_commits: usize, look: Look<'_>) -> io::Result<PatchesRead> {
        let mut commits = 0;
        while self.next()? {
            if let Some(header) = self.line.strip_prefix(b"//") {
                if commits == most_commits {
                    return Ok(PatchesRead { commits, is_broken: true });
                }
                commits += 1;
                self.revision = revision(&String::from_utf8_lossy(header));
            } else if let Some(names) = self.line.strip_prefix(b"diff --git ") {
                self.path = path(names);
                self.deletes_file = false;
            } else if self.line.starts_with(b"deleted file mode ") {
                self.deletes_file = true;
                if self.tell(look).is_break() {
                    return Ok(PatchesRead { commits, is_broken: true });
                }
            } else if let Some((old, new)) = hunk(&self.line) {
                self.lines(old, new)?;
                if !self.removed.is_empty() && self.tell(look).is_break() {
                    return Ok(PatchesRead { commits, is_broken: true });
                }
            }
        }
        Ok(PatchesRead { commits, is_broken: false })
    }

    /// Reads the lines of a hunk, which removes `old` lines and adds `new`.
    fn lines(&mut self, mut old: usize, mut new: usize) -> io::Result<()> {
        while (old > 0 || new > 0) && self.next()? {
            let Some((sign, text)) = self.line.split_first() else { break };
            let text = || String::from_utf8_lossy(text.strip_suffix(b"\r").unwrap_or(text)).into_owned();
            match sign {
                b'-' => {
                    self.removed.push(text());
                    old = old.saturating_sub(1);
                }
                b'+' => {
                    self.added.push(text());
                    new = new.saturating_sub(1);
                }
                // "\ No newline at end of file"
                _ => {}
            }
        }
        Ok(())
    }

    fn tell(&mut self, look: &mut dyn FnMut(&Removal<'_>) -> ControlFlow<()>) -> ControlFlow<()> {
        let (removed, added) = (std::mem::take(&mut self.removed), std::mem::take(&mut self.added));
        let Some(path) = &self.path else { return ControlFlow::Continue(()) };
        look(&Removal {
            revision: self.revision.as_ref(),
            path,
            deletes_file: self.deletes_file,
            removed: &removed,
            added: &added,
        })
    }
}

/// Parses `<commit> <seconds> <subject>`.
fn revision(header: &str) -> Option<Revision> {
    let mut fields = header.splitn(3, ' ');
    let (id, seconds) = (fields.next()?, fields.next()?);
    let time = Timestamp::from_second(seconds.parse().ok()?).ok()?;
    let commit = Commit { id: id.into(), time };
    Some(Revision { commit, subject: fields.next().unwrap_or_default().into() })
}

/// Parses `a/<path> b/<path>`, in which both paths are the same. Git quotes names with control characters and quotes.
fn path(names: &[u8]) -> Option<String> {
    let names = std::str::from_utf8(names).ok()?;
    let path = names.get(2..names.len().checked_sub(1)? / 2)?;
    (names.starts_with("a/") && names.get(names.len() / 2..)? == format!(" b/{path}"))
        .then(|| path.to_owned())
}

/// Parses `@@ -<line>,<old> +<line>,<new> @@`: how many lines it removes and adds.
fn hunk(line: &[u8]) -> Option<(usize, usize)> {
    let ranges = line.strip_prefix(b"@@ -")?.split(|&byte| byte == b'@').next()?;
    let mut fields = std::str::from_utf8(ranges).ok()?.split(' ');
    let count = |field: &str| match field.split_once(',') {
        Some((_, count)) => count.parse().ok(),
        None => Some(1),
    };
    let old = count(fields.next()?)?;
    let new = count(fields.next()?.strip_prefix('+')?)?;
    Some((old, new))
}

#[cfg(test)]
mod tests;
