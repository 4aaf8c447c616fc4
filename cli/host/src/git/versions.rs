//! The history of one file across renames, for people who look for a text that they had.

use jiff::Timestamp;
use ubp_core::Result;
use ubp_core::ports::{Commit, FileVersion};

use super::revisions::similarity;
use super::{GitHistory, Repository};

/// Arguments of `git log` for the versions of a file, independent of the user's configuration. `--follow` compares a
/// file with the others of a commit only where the file was added.
const VERSIONS: [&str; 9] = [
    "log",
    "-z",
    // Paths never start with a slash, so this marks headers.
    "--format=//%H %ct %an%x1f%s",
    "--name-status",
    "--diff-filter=d",
    "--no-ext-diff",
    "--no-textconv",
    "--no-show-signature",
    "--no-color",
];

impl GitHistory {
    pub(super) fn versions_of(&self, path: &str, limit: usize) -> Result<Vec<FileVersion>> {
        let Some((repository, inner)) = self.repository_of(path)? else { return Ok(Vec::new()) };
        // The repository may be nested in the project.
        let folder = path.strip_suffix(inner).unwrap_or_default();
        let most = format!("--max-count={limit}");
        let place = ["-O/dev/null", &most, "HEAD", "--", inner];
        let followed = repository.read(&[&VERSIONS[..], &["--follow"], &place].concat());
        // Objects that a partial clone lacks are not fetched, but following renames may need them.
        let output = match followed {
            Err(_) if repository.git.is_partial() => repository.read(&[&VERSIONS[..], &place].concat())?,
            followed => followed?,
        };
        Ok(repository.parsed(&output, folder))
    }
}

impl Repository {
    /// Parses the output for [`VERSIONS`]. Ends where the file was outside of the project.
    fn parsed(&self, output: &[u8], folder: &str) -> Vec<FileVersion> {
        let mut versions = Vec::new();
        let mut tokens = output.split(|&byte| byte == 0).peekable();
        while let Some(token) = tokens.next() {
            let Some(header) = token.strip_prefix(b"//") else { continue };
            let Some(status) = tokens.next_if(|token| !token.starts_with(b"//")) else { continue };
            let status = String::from_utf8_lossy(status.trim_ascii_start());
            let moved = similarity(&status);
            if moved.is_some() {
                // The former name.
                tokens.next();
            }
            let path = tokens.next().and_then(|path| std::str::from_utf8(path).ok());
            let Some(path) = path.and_then(|path| path.strip_prefix(&self.prefix)) else { break };
            let header = String::from_utf8_lossy(header);
            versions.extend(self.version(&header, format!("{folder}{path}"), moved));
        }
        versions
    }

    /// Parses `<commit> <seconds> <author>`, a separator and the subject.
    fn version(&self, header: &str, path: String, moved: Option<f64>) -> Option<FileVersion> {
        let mut fields = header.splitn(3, ' ');
        let (id, seconds, words) = (fields.next()?, fields.next()?, fields.next()?);
        let (author, subject) = words.split_once('\u{1f}')?;
        let time = Timestamp::from_second(seconds.parse().ok()?).ok()?;
        let is_boundary = self.boundary.contains(id);
        let commit = Commit { id: id.into(), time };
        let (author, subject) = (author.into(), subject.into());
        Some(FileVersion { commit, author, subject, path, moved, is_boundary })
    }
}

#[cfg(test)]
mod tests;
