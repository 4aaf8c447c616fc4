//! `.ubp/refs.lock`: what the sources of each page held when somebody last reviewed it. It is
//! committed, so every clone has the same baseline. One line per page and source, sorted, so that
//! git merges it; whatever else is in it is passed over and named.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use crate::Result;
use crate::ports::{ContentHash, Source};

/// Its name among the state files.
pub const REVIEW_LOCK: &str = "refs.lock";

/// A line of the lock that could not be used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LockProblem {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub message: String,
}

/// The reviewed content of one page's sources: path to hash. Only a merge can leave several hashes
/// for one source, and each of them was reviewed.
pub type Reviewed = BTreeMap<String, Vec<ContentHash>>;

/// The lock as it was read.
#[derive(Debug, Default)]
pub struct ReviewLock {
    pages: BTreeMap<String, Reviewed>,
    /// Lines that are no entries, to be kept when the file is written.
    kept: Vec<String>,
    /// What could not be used.
    pub problems: Vec<LockProblem>,
    /// The file that it was read from, `None` when there was none.
    hash: Option<ContentHash>,
    crlf: bool,
}

impl ReviewLock {
    /// Reads the project's lock, of which only the pages that `wanted` admits are kept.
    ///
    /// # Errors
    /// [`crate::Error::Io`], [`crate::Error::OutsideProject`].
    pub fn load(source: &dyn Source, wanted: impl Fn(&str) -> bool) -> Result<Self> {
        let bytes = source.read_state(REVIEW_LOCK)?;
        Ok(bytes.map_or_else(Self::default, |bytes| Self::parse(&bytes, wanted)))
    }

    /// Reads a lock's bytes; never fails.
    pub fn parse(bytes: &[u8], wanted: impl Fn(&str) -> bool) -> Self {
        let text = String::from_utf8_lossy(bytes);
        let mut lock =
            Self { hash: Some(ContentHash::of(bytes)), crlf: text.contains("\r\n"), ..Self::default() };
        let mut in_base = false;
        for (at, line) in text.trim_start_matches('\u{feff}').lines().enumerate() {
            let mut problem = |message: &str| {
                lock.problems.push(LockProblem { line: at + 1, message: message.into() });
            };
            if line.trim().is_empty() {
                continue;
            }
            if let Some(marker) = conflict_marker(line) {
                if marker == '<' {
                    problem("git left a conflict here: both sides count until the pages are reviewed again");
                }
                // What both sides came from was reviewed before either.
                in_base = marker == '|';
                continue;
            }
            if in_base {
                continue;
            }
            match entry(line) {
                Some((page, path, hash)) => {
                    if wanted(&page) {
                        let hashes = lock.pages.entry(page).or_default().entry(path).or_default();
                        if !hashes.contains(&hash) {
                            hashes.push(hash);
                        }
                        if hashes.len() == 2 {
                            problem("a second entry for the same page and source: either counts as reviewed");
                        }
                    }
                }
                None => {
                    if !line.starts_with('#') {
                        problem("expected `page<TAB>source<TAB>sha256:…`; line ignored");
                    }
                    lock.kept.push(line.into());
                }
            }
        }
        lock
    }

    /// What was reviewed of a page, by its path below the pages folder.
    pub fn page(&self, path: &str) -> Option<&Reviewed> {
        self.pages.get(path)
    }

    /// Notes that the page was reviewed with exactly these sources. Returns whether that is news.
    pub fn set(&mut self, page: &str, sources: BTreeMap<String, ContentHash>) -> bool {
        let reviewed: Reviewed = sources.into_iter().map(|(path, hash)| (path, vec![hash])).collect();
        let before = if reviewed.is_empty() {
            self.pages.remove(page)
        } else {
            self.pages.insert(page.into(), reviewed)
        };
        before.as_ref() != self.pages.get(page)
    }

    /// Takes over what `other` has on record for a page.
    pub fn copy(&mut self, other: &Self, page: &str) {
        match other.pages.get(page) {
            Some(reviewed) => self.pages.insert(page.into(), reviewed.clone()),
            None => self.pages.remove(page),
        };
    }

    /// Gives what is on record for the page `from` to the page `to`. Returns whether there was anything.
    pub fn rename(&mut self, from: &str, to: &str) -> bool {
        let Some(reviewed) = self.pages.remove(from) else { return false };
        self.pages.insert(to.into(), reviewed);
        true
    }

    /// Takes out pages that `remains` does not admit.
    pub fn retain(&mut self, remains: impl Fn(&str) -> bool) {
        self.pages.retain(|page, _| remains(page));
    }

    /// Writes the lock, if it is still what was read.
    ///
    /// # Errors
    /// [`crate::Error::Conflict`] when somebody wrote it since, [`crate::Error::Io`].
    pub fn save(&self, source: &dyn Source) -> Result<()> {
        source.write_state(REVIEW_LOCK, self.to_text().as_bytes(), self.hash)
    }

    /// The file's text: lines that are no entries first, as they were, then the entries, sorted.
    pub fn to_text(&self) -> String {
        let end = if self.crlf { "\r\n" } else { "\n" };
        let mut text = String::new();
        for line in &self.kept {
            text.push_str(line);
            text.push_str(end);
        }
        for (page, sources) in &self.pages {
            for (path, hashes) in sources {
                for hash in hashes {
                    text.push_str(&format!("{}\t{}\t{hash}{end}", escape(page), escape(path)));
                }
            }
        }
        text
    }
}

fn conflict_marker(line: &str) -> Option<char> {
    let first = line.chars().next().filter(|c| "<|=>".contains(*c))?;
    let rest = line.trim_start_matches(first);
    (line.len() - rest.len() == 7 && (rest.is_empty() || rest.starts_with(' '))).then_some(first)
}

fn entry(line: &str) -> Option<(String, String, ContentHash)> {
    let mut fields = line.split('\t');
    let (page, path, hash) = (fields.next()?, fields.next()?, fields.next()?);
    let is_whole = fields.next().is_none() && !page.is_empty() && !path.is_empty();
    is_whole.then_some(())?;
    Some((unescape(page)?, unescape(path)?, hash.trim_end().parse().ok()?))
}

/// The path with what would end a field or a line, or begin a comment, written as an escape.
fn escape(path: &str) -> String {
    let mut escaped = String::with_capacity(path.len());
    for (at, c) in path.char_indices() {
        match c {
            '\\' => escaped.push_str("\\\\"),
            '\t' => escaped.push_str("\\t"),
            '\n' => escaped.push_str("\\n"),
            '\r' => escaped.push_str("\\r"),
            '#' if at == 0 => escaped.push_str("\\#"),
            other => escaped.push(other),
        }
    }
    escaped
}

fn unescape(field: &str) -> Option<String> {
    let mut path = String::with_capacity(field.len());
    let mut characters = field.chars();
    while let Some(c) = characters.next() {
        path.push(match c {
            '\\' => match characters.next()? {
                't' => '\t',
                'n' => '\n',
                'r' => '\r',
                other @ ('\\' | '#') => other,
                _ => return None,
            },
            other => other,
        });
    }
    Some(path)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    const A: &str = "sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
    const B: &str = "sha256:bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb";

    fn read(text: &str) -> ReviewLock {
        ReviewLock::parse(text.as_bytes(), |_| true)
    }

    fn hash(c: u8) -> ContentHash {
        ContentHash([c; 32])
    }

    #[test]
    fn what_was_written_is_read_again_sorted_by_line() {
        let mut lock = ReviewLock::default();
        let odd = ["#page.md", "a\tb.md", "b\\n.md", "日本.md", "a b.md"];
        for page in odd {
            assert!(lock.set(
                page,
                BTreeMap::from([("src/b\n.rs".into(), hash(0xbb)), ("src/a.rs".into(), hash(0xaa))])
            ));
        }
        let text = lock.to_text();
        assert_eq!(text.lines().count(), 10);
        assert!(text.contains(&format!("日本.md\tsrc/a.rs\t{A}\n")));
        let again = read(&text);
        assert!(again.problems.is_empty(), "{:?}", again.problems);
        assert_eq!(again.to_text(), text);
        for page in odd {
            assert_eq!(again.page(page), lock.page(page), "{page}");
        }
        let mut again = again;
        assert!(!again.set(
            "a b.md",
            BTreeMap::from([("src/b\n.rs".into(), hash(0xbb)), ("src/a.rs".into(), hash(0xaa))])
        ));
    }

    #[test]
    fn damage_is_named_by_line_and_harms_nothing_else() {
        let text = format!(
            "\u{feff}# ours\na.md\tx.rs\t{A}\nrubbish\n\n<<<<<<< HEAD\nb.md\ty.rs\t{A}\n||||||| base\nb.md\ty.rs\tsha256:{}\n=======\nb.md\ty.rs\t{B}\n>>>>>>> theirs\nc.md\tz.rs\tsha256:12\nd.md\tw.rs\t{B}",
            "c".repeat(64)
        );
        let lock = read(&text);
        let lines: Vec<usize> = lock.problems.iter().map(|problem| problem.line).collect();
        assert_eq!(lines, [3, 5, 10, 12], "{:?}", lock.problems);
        assert_eq!(lock.page("b.md").unwrap()["y.rs"], [hash(0xaa), hash(0xbb)]);
        assert!(lock.page("c.md").is_none());
        assert_eq!(
            lock.to_text(),
            format!(
                "# ours\nrubbish\nc.md\tz.rs\tsha256:12\na.md\tx.rs\t{A}\nb.md\ty.rs\t{A}\nb.md\ty.rs\t{B}\nd.md\tw.rs\t{B}\n"
            )
        );
    }

    #[test]
    fn windows_line_ends_stay() {
        let text = format!("a.md\tx.rs\t{A}\r\nb.md\tx.rs\t{B}\r\n");
        let lock = read(&text);
        assert!(lock.problems.is_empty());
        assert_eq!(lock.to_text(), text);
    }

    #[test]
    fn no_bytes_are_too_odd() {
        for bytes in [&b"\xff\xfe\x00\t\t\t"[..], b"", b"\t\tsha256:", b"a\\\tb\tsha256:", b"<<<<<<<"] {
            let lock = ReviewLock::parse(bytes, |_| true);
            assert!(lock.pages.is_empty());
        }
    }
}
