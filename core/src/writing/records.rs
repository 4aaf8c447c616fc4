//! Changes of reviews and decisions. Both are line-based files in `.ubp/`, so a change is a set of removed and added
//! lines. It can be undone as long as the added lines exist, whatever else was recorded later.

use crate::path::RECORD_FILES;
use crate::ports::{ContentHash, Source};
use crate::{Error, Result, reported, word};

/// Prefix of these files in the audit log, which distinguishes them from pages.
const FOLDER: &str = ".ubp/";

/// Removed and added lines, without line breaks.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct RecordChange {
    /// One of [`crate::path::STATE_FILES`].
    pub file: String,
    pub removed: Vec<String>,
    pub added: Vec<String>,
    /// The complete new file, and the hash of the old one; `None` if the lines are sufficient.
    whole: Option<Whole>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Whole {
    before: Option<ContentHash>,
    after: Vec<u8>,
}

/// Whether a change is in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Standing {
    /// The change is not in the file.
    Before,
    /// The change is in the file.
    After,
    /// Neither: some of the lines have changed.
    Other,
}

impl RecordChange {
    /// Adds a line at the end of the file.
    pub(crate) fn append(file: &str, line: String) -> Self {
        Self { file: file.to_owned(), added: vec![line], ..Self::default() }
    }

    /// Replaces the content `before` (`None` if the file does not exist) by `after`.
    #[cfg(not(target_family = "wasm"))]
    pub(crate) fn replace(file: &str, before: Option<&[u8]>, after: Vec<u8>) -> Self {
        let mut removed = lines(before.unwrap_or_default());
        let mut added = Vec::new();
        for line in lines(&after) {
            match removed.iter().position(|known| *known == line) {
                Some(at) => drop(removed.remove(at)),
                None => added.push(line),
            }
        }
        let before = before.map(ContentHash::of);
        Self { file: file.to_owned(), removed, added, whole: Some(Whole { before, after }) }
    }

    /// Removes and adds these lines.
    #[cfg(not(target_family = "wasm"))]
    pub(crate) fn of_lines(file: &str, removed: Vec<String>, added: Vec<String>) -> Self {
        Self { file: file.to_owned(), removed, added, whole: None }
    }

    /// The change of an audit-log entry; `None` for a change of a page.
    pub(super) fn logged(path: &str, removed: Option<&str>, added: Option<&str>) -> Option<Self> {
        let file = path.strip_prefix(FOLDER)?.to_owned();
        let lines = |text: Option<&str>| lines(text.unwrap_or_default().as_bytes());
        Some(Self { file, removed: lines(removed), added: lines(added), whole: None })
    }

    /// The path in the audit log.
    pub(crate) fn path(&self) -> String {
        format!("{FOLDER}{}", self.file)
    }

    pub(super) fn reversed(&self) -> Self {
        Self {
            file: self.file.clone(),
            removed: self.added.clone(),
            added: self.removed.clone(),
            whole: None,
        }
    }

    /// Whether the change is in the file.
    pub(crate) fn standing(&self, source: &dyn Source) -> Result<Standing> {
        let there = lines(&source.read_state(&self.file)?.unwrap_or_default());
        let all = |wanted: &[String]| wanted.iter().all(|line| there.contains(line));
        let none = |wanted: &[String]| !wanted.iter().any(|line| there.contains(line));
        Ok(if all(&self.added) && none(&self.removed) {
            Standing::After
        } else if all(&self.removed) && none(&self.added) {
            Standing::Before
        } else {
            Standing::Other
        })
    }

    /// Makes the change.
    ///
    /// # Errors
    /// [`Error::Conflict`] if a line to be removed does not exist; [`Error::Io`]. Nothing is changed in these cases.
    pub(super) fn apply(&self, source: &dyn Source) -> Result<()> {
        if let Some(whole) = &self.whole {
            return source.write_state(&self.file, &whole.after, whole.before);
        }
        if self.removed.is_empty() && RECORD_FILES.contains(&self.file.as_str()) {
            return source.append(&self.file, joined(&self.added, "\n").as_bytes());
        }
        let bytes = source.read_state(&self.file)?;
        let expected = bytes.as_deref().map(ContentHash::of);
        let bytes = bytes.unwrap_or_default();
        let end = if bytes.windows(2).any(|pair| pair == b"\r\n") { "\r\n" } else { "\n" };
        let mut kept: Vec<&[u8]> = bytes.split_inclusive(|&byte| byte == b'\n').collect();
        let mut place = None;
        for line in &self.removed {
            let at = kept.iter().position(|there| bare(there) == line.as_bytes()).ok_or_else(|| {
                Error::Conflict {
                    path: self.path(),
                    expected: reported!("the line '{line}'"),
                    found: word!("none").into(),
                }
            })?;
            kept.remove(at);
            place = Some(place.map_or(at, |place: usize| place.min(at)));
        }
        // Sorted files stay sorted.
        let sorted = || {
            let first = self.added.first()?.as_bytes();
            kept.iter().position(|there| !there.starts_with(b"#") && bare(there) > first)
        };
        let place = place.or_else(sorted).unwrap_or(kept.len());
        let mut after = kept[..place].concat();
        if !after.is_empty() && !after.ends_with(b"\n") && !self.added.is_empty() {
            after.extend_from_slice(end.as_bytes());
        }
        after.extend_from_slice(joined(&self.added, end).as_bytes());
        after.extend_from_slice(&kept[place..].concat());
        source.write_state(&self.file, &after, expected)
    }

    /// The lines as a diff.
    pub(crate) fn diff(&self) -> String {
        let mut diff = format!("--- a/{0}\n+++ b/{0}\n", self.path());
        for (sign, lines) in [('-', &self.removed), ('+', &self.added)] {
            lines.iter().for_each(|line| diff.extend([sign.to_string().as_str(), line, "\n"]));
        }
        diff
    }
}

/// The non-blank lines of a file, without line breaks.
fn lines(bytes: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(bytes);
    text.trim_start_matches('\u{feff}')
        .lines()
        .filter(|line| !line.trim().is_empty())
        .map(Into::into)
        .collect()
}

/// A line without its line break.
fn bare(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}

pub(super) fn joined(lines: &[String], end: &str) -> String {
    lines.iter().flat_map(|line| [line.as_str(), end]).collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::ports::MemorySource;

    fn file(source: &MemorySource) -> String {
        String::from_utf8(source.read_state("refs.lock").unwrap().unwrap_or_default()).unwrap()
    }

    #[test]
    fn undoing_a_change_keeps_lines_added_later() {
        let source = MemorySource::default();
        source.write_state("refs.lock", b"# kept\r\na 1\r\nb 1\r\nd 1\r\n", None).unwrap();
        let before = source.read_state("refs.lock").unwrap();
        let after = b"# kept\r\na 1\r\nb 2\r\nb 3\r\nd 1\r\n".to_vec();
        let change = RecordChange::replace("refs.lock", before.as_deref(), after);
        assert_eq!((change.removed.join(","), change.added.join(",")), ("b 1".into(), "b 2,b 3".into()));
        assert_eq!(change.standing(&source).unwrap(), Standing::Before);
        change.apply(&source).unwrap();
        assert_eq!(change.standing(&source).unwrap(), Standing::After);
        RecordChange { file: "refs.lock".into(), added: vec!["c 1".into()], ..RecordChange::default() }
            .apply(&source)
            .unwrap();
        assert_eq!(file(&source), "# kept\r\na 1\r\nb 2\r\nb 3\r\nc 1\r\nd 1\r\n");
        change.reversed().apply(&source).unwrap();
        assert_eq!(file(&source), "# kept\r\na 1\r\nb 1\r\nc 1\r\nd 1\r\n");
        assert_eq!(change.standing(&source).unwrap(), Standing::Before);
        let error = change.reversed().apply(&source).unwrap_err();
        assert!(matches!(error, Error::Conflict { .. }), "{error}");
    }

    #[test]
    fn a_missing_line_break_at_the_end_is_added() {
        let source = MemorySource::default();
        source.write_state("refs.lock", b"a 1", None).unwrap();
        RecordChange::append("refs.lock", "b 1".into()).apply(&source).unwrap();
        assert_eq!(file(&source), "a 1\nb 1\n");
    }
}
