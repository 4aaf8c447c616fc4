//! `.ubp/refs.lock`: the content of each page's sources at the last review, and the last edit of pages that UBP wrote
//! later. It is committed, so every clone has the same baseline. One line per page and source, sorted, so that git
//! merges it. Other lines are ignored and reported.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use crate::Result;
use crate::message;
use crate::message::Message;
#[cfg(not(target_family = "wasm"))]
use crate::ports::SymbolHashes;
use crate::ports::{ContentHash, Source};

/// The name of the state file.
pub const REVIEW_LOCK: &str = "refs.lock";

/// An unusable line of the lock.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LockProblem {
    /// Line number, from 1.
    pub line: usize,
    /// What is wrong.
    pub message: Message,
}

/// The reviewed content of a page's sources, by path, or by anchor for symbols. Only a merge can leave several contents
/// for a source; each of them was reviewed.
pub type Reviewed = BTreeMap<String, Vec<Content>>;

/// The content of a source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Content {
    /// Hash of the file.
    pub file: ContentHash,
    /// Hashes of the symbol in the file, if the source is an anchor.
    #[cfg(not(target_family = "wasm"))]
    pub symbol: Option<SymbolHashes>,
}

impl From<ContentHash> for Content {
    fn from(file: ContentHash) -> Self {
        Self {
            file,
            #[cfg(not(target_family = "wasm"))]
            symbol: None,
        }
    }
}

/// Second field of a line about the page itself.
const EDITED: &str = "edited";

/// When a page was last edited by a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LastEdit {
    /// At this time.
    At(Timestamp),
    /// History is too short to tell.
    Unknown,
}

impl LastEdit {
    /// Parses the output of [`fmt::Display`].
    pub(crate) fn parse(text: &str) -> Option<Self> {
        if text == "unknown" { Some(Self::Unknown) } else { text.parse().ok().map(Self::At) }
    }

    /// The time, if known.
    pub(super) fn time(self) -> Option<Timestamp> {
        match self {
            Self::At(time) => Some(time),
            Self::Unknown => None,
        }
    }
}

impl fmt::Display for LastEdit {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::At(time) => time.fmt(formatter),
            Self::Unknown => formatter.write_str("unknown"),
        }
    }
}

/// The parsed lock.
#[derive(Debug, Default)]
pub struct ReviewLock {
    pages: BTreeMap<String, Reviewed>,
    /// The last edit of each page, with the hash that UBP wrote later. It counts as long as the page has that hash.
    edits: BTreeMap<String, Vec<(LastEdit, ContentHash)>>,
    /// Lines that are not entries, kept when the file is written.
    kept: Vec<String>,
    /// Unusable lines.
    pub problems: Vec<LockProblem>,
    /// Hash of the file as read; `None` if there was no file.
    hash: Option<ContentHash>,
    crlf: bool,
}

impl ReviewLock {
    /// Reads the project's lock, keeping only the pages that `wanted` accepts.
    ///
    /// # Errors
    /// [`crate::Error::Io`], [`crate::Error::OutsideProject`].
    pub fn load(source: &dyn Source, wanted: impl Fn(&str) -> bool) -> Result<Self> {
        let bytes = source.read_state(REVIEW_LOCK)?;
        Ok(bytes.map_or_else(Self::default, |bytes| Self::parse(&bytes, wanted)))
    }

    /// Parses a lock; never fails.
    pub fn parse(bytes: &[u8], wanted: impl Fn(&str) -> bool) -> Self {
        let text = String::from_utf8_lossy(bytes);
        let mut lock =
            Self { hash: Some(ContentHash::of(bytes)), crlf: text.contains("\r\n"), ..Self::default() };
        let mut in_base = false;
        for (at, line) in text.trim_start_matches('\u{feff}').lines().enumerate() {
            let mut problem = |message| lock.problems.push(LockProblem { line: at + 1, message });
            if line.trim().is_empty() {
                continue;
            }
            if let Some(marker) = conflict_marker(line) {
                if marker == '<' {
                    problem(message!(
                        "merge conflict: both sides count as reviewed until the pages are reviewed again"
                    ));
                }
                // The common ancestor was reviewed before both sides.
                in_base = marker == '|';
                continue;
            }
            if in_base {
                continue;
            }
            if let Some((page, edit, content)) = edit(line) {
                if wanted(&page) {
                    lock.edits.entry(page).or_default().push((edit, content));
                }
                continue;
            }
            match entry(line) {
                Some((page, path, content)) => {
                    if wanted(&page) {
                        let contents = lock.pages.entry(page).or_default().entry(path).or_default();
                        if !contents.contains(&content) {
                            contents.push(content);
                        }
                        if contents.len() == 2 {
                            problem(message!(
                                "duplicate entry for the same page and source: both count as reviewed"
                            ));
                        }
                    }
                }
                None => {
                    if !line.starts_with('#') {
                        problem(message!("expected `page<TAB>source<TAB>sha256:…`; line ignored"));
                    }
                    lock.kept.push(line.into());
                }
            }
        }
        lock
    }

    /// The reviewed sources of a page, by its path relative to the pages folder.
    pub fn page(&self, path: &str) -> Option<&Reviewed> {
        self.pages.get(path)
    }

    /// Records that the page was reviewed with exactly these sources. Returns whether this changed the lock.
    pub fn set(&mut self, page: &str, sources: BTreeMap<String, Content>) -> bool {
        let reviewed: Reviewed = sources.into_iter().map(|(path, content)| (path, vec![content])).collect();
        self.edits.remove(page);
        let before = if reviewed.is_empty() {
            self.pages.remove(page)
        } else {
            self.pages.insert(page.into(), reviewed)
        };
        before.as_ref() != self.pages.get(page)
    }

    /// Copies the entries of a page from `other`.
    pub fn copy(&mut self, other: &Self, page: &str) {
        match other.pages.get(page) {
            Some(reviewed) => self.pages.insert(page.into(), reviewed.clone()),
            None => self.pages.remove(page),
        };
        match other.edits.get(page) {
            Some(edits) => self.edits.insert(page.into(), edits.clone()),
            None => self.edits.remove(page),
        };
    }

    /// The lock without reviews, for `"freshness": "edit"`.
    pub(super) fn without_reviews(self) -> Self {
        Self { pages: BTreeMap::new(), ..self }
    }

    /// Whether edits of this page are recorded.
    pub(super) fn knows_edits(&self, page: &str) -> bool {
        self.edits.contains_key(page)
    }

    /// The last edit of the page, if UBP wrote its current content.
    pub(super) fn last_edit(&self, page: &str, content: ContentHash) -> Option<LastEdit> {
        let known = self.edits.get(page)?;
        known.iter().find(|(_, written)| *written == content).map(|(edit, _)| *edit)
    }

    /// Records `edit` as the last edit of the page as long as its hash is `content`. The entry for the hash `before` is
    /// kept because the write may still fail.
    pub(crate) fn note_edit(
        &mut self,
        page: &str,
        edit: LastEdit,
        content: ContentHash,
        before: Option<ContentHash>,
    ) {
        let known = self.edits.entry(page.into()).or_default();
        known.retain(|(_, written)| Some(*written) == before && *written != content);
        known.push((edit, content));
    }

    /// Removes the edits of this page. Returns whether there were any.
    pub(crate) fn forget_edits(&mut self, page: &str) -> bool {
        self.edits.remove(page).is_some()
    }

    /// Moves the review of the page `from` to the page `to`. Returns whether there was one.
    pub fn rename(&mut self, from: &str, to: &str) -> bool {
        let Some(reviewed) = self.pages.remove(from) else { return false };
        self.pages.insert(to.into(), reviewed);
        true
    }

    /// Removes pages that `remains` does not accept.
    pub fn retain(&mut self, remains: impl Fn(&str) -> bool) {
        self.pages.retain(|page, _| remains(page));
        self.edits.retain(|page, _| remains(page));
    }

    /// Writes the lock, unless the file has changed since it was read.
    ///
    /// # Errors
    /// [`crate::Error::Conflict`] if the file has changed, [`crate::Error::Io`].
    pub fn save(&self, source: &dyn Source) -> Result<()> {
        source.write_state(REVIEW_LOCK, self.to_text().as_bytes(), self.hash)
    }

    /// The text of the file: first the lines that are not entries, unchanged, then the sorted entries.
    pub fn to_text(&self) -> String {
        let end = if self.crlf { "\r\n" } else { "\n" };
        let mut text = String::new();
        for line in &self.kept {
            text.push_str(line);
            text.push_str(end);
        }
        let pages: BTreeSet<&String> = self.pages.keys().chain(self.edits.keys()).collect();
        for page in pages {
            for (edit, content) in self.edits.get(page).into_iter().flatten() {
                text.push_str(&format!("{}\t{EDITED}\t{edit}\t{content}{end}", escape(page)));
            }
            for (path, contents) in self.pages.get(page).into_iter().flatten() {
                for content in contents {
                    text.push_str(&format!("{}\t{}\t{}", escape(page), escape(path), content.file));
                    #[cfg(not(target_family = "wasm"))]
                    if let Some(SymbolHashes { tokens, signature }) = &content.symbol {
                        text.push_str(&format!("\t{tokens}\t{signature}"));
                    }
                    text.push_str(end);
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

/// `page<TAB>edited<TAB>time<TAB>sha256:…`: one field more than an entry, so that a source may be called `edited`.
fn edit(line: &str) -> Option<(String, LastEdit, ContentHash)> {
    let mut fields = line.split('\t');
    let page = fields.next().filter(|page| !page.is_empty())?;
    fields.next().filter(|word| *word == EDITED)?;
    let (time, content) = (fields.next()?, fields.next()?);
    fields.next().is_none().then_some(())?;
    Some((unescape(page)?, LastEdit::parse(time)?, content.trim_end().parse().ok()?))
}

/// `page<TAB>source<TAB>sha256:…`, and two more fields for a symbol, which in browsers counts as its file.
fn entry(line: &str) -> Option<(String, String, Content)> {
    let mut fields = line.trim_end().split('\t');
    let (page, path, hash) = (fields.next()?, fields.next()?, fields.next()?);
    #[cfg(target_family = "wasm")]
    let path = match fields.next().and(fields.next()) {
        Some(_) => path.split('#').next().unwrap_or_default(),
        None => path,
    };
    #[cfg(not(target_family = "wasm"))]
    let symbol = match (fields.next(), fields.next()) {
        (None, _) => None,
        (Some(tokens), Some(signature)) => Some(SymbolHashes::parse(tokens, signature)?),
        (Some(_), None) => return None,
    };
    let is_whole = fields.next().is_none() && !page.is_empty() && !path.is_empty();
    is_whole.then_some(())?;
    let file = hash.parse().ok()?;
    #[cfg(not(target_family = "wasm"))]
    let content = Content { file, symbol };
    #[cfg(target_family = "wasm")]
    let content = Content { file };
    Some((unescape(page)?, unescape(path)?, content))
}

/// The page that a line of the lock is about, and the source if it names one; `None` for comments and other lines.
pub fn line_paths(line: &str) -> Option<(String, Option<String>)> {
    let line = line.trim_end_matches(['\r', '\n']);
    let fields: Vec<&str> = line.split('\t').collect();
    let path = |field: &str| unescape(field).unwrap_or_else(|| field.to_owned());
    match fields.as_slice() {
        [first, ..] if first.starts_with('#') => None,
        [page, EDITED, _, _] => Some((path(page), None)),
        [page, source, ..] => Some((path(page), Some(path(source)))),
        _ => None,
    }
}

/// The path, with characters escaped that would end a field or a line, or begin a comment.
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

    fn content(c: u8) -> Content {
        hash(c).into()
    }

    #[test]
    fn a_written_lock_is_read_back_unchanged() {
        let mut lock = ReviewLock::default();
        let odd = ["#page.md", "a\tb.md", "b\\n.md", "日本.md", "a b.md"];
        for page in odd {
            assert!(lock.set(
                page,
                BTreeMap::from([("src/b\n.rs".into(), content(0xbb)), ("src/a.rs".into(), content(0xaa))])
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
            BTreeMap::from([("src/b\n.rs".into(), content(0xbb)), ("src/a.rs".into(), content(0xaa))])
        ));
    }

    #[test]
    fn damaged_lines_are_reported_and_the_others_are_used() {
        let text = format!(
            "\u{feff}# ours\na.md\tx.rs\t{A}\nrubbish\n\n<<<<<<< HEAD\nb.md\ty.rs\t{A}\n||||||| base\nb.md\ty.rs\tsha256:{}\n=======\nb.md\ty.rs\t{B}\n>>>>>>> theirs\nc.md\tz.rs\tsha256:12\nd.md\tw.rs\t{B}",
            "c".repeat(64)
        );
        let lock = read(&text);
        let lines: Vec<usize> = lock.problems.iter().map(|problem| problem.line).collect();
        assert_eq!(lines, [3, 5, 10, 12], "{:?}", lock.problems);
        assert_eq!(lock.page("b.md").unwrap()["y.rs"], [content(0xaa), content(0xbb)]);
        assert!(lock.page("c.md").is_none());
        assert_eq!(
            lock.to_text(),
            format!(
                "# ours\nrubbish\nc.md\tz.rs\tsha256:12\na.md\tx.rs\t{A}\nb.md\ty.rs\t{A}\nb.md\ty.rs\t{B}\nd.md\tw.rs\t{B}\n"
            )
        );
    }

    #[test]
    fn an_edit_counts_while_the_page_has_the_recorded_hash() {
        let text = format!(
            "a.md\tedited\t2026-09-01T00:00:00Z\t{A}\na.md\tx.rs\t{A}\nb.md\tedited\tunknown\t{B}\nc.md\tedited\t{A}\n"
        );
        let mut lock = read(&text);
        assert!(lock.problems.is_empty(), "{:?}", lock.problems);
        assert_eq!(lock.to_text(), text);
        let edited = LastEdit::At("2026-09-01T00:00:00Z".parse().unwrap());
        assert_eq!(lock.last_edit("a.md", hash(0xaa)), Some(edited));
        assert_eq!(lock.last_edit("a.md", hash(0xbb)), None, "UBP did not write that");
        assert_eq!(lock.last_edit("b.md", hash(0xbb)), Some(LastEdit::Unknown));
        assert!(lock.page("c.md").unwrap().contains_key("edited"), "a source with that name");
        lock.note_edit("a.md", edited, hash(0xbb), Some(hash(0xaa)));
        lock.note_edit("a.md", edited, hash(0xcc), Some(hash(0xbb)));
        assert_eq!(lock.last_edit("a.md", hash(0xaa)), None, "only the content before the write is kept");
        assert_eq!(lock.last_edit("a.md", hash(0xbb)), Some(edited));
        assert_eq!(lock.last_edit("a.md", hash(0xcc)), Some(edited));
        lock.set("a.md", BTreeMap::from([("x.rs".into(), content(0xaa))]));
        assert_eq!(lock.last_edit("a.md", hash(0xcc)), None, "a review replaces it");
    }

    #[test]
    fn the_paths_of_a_line_are_known_even_if_it_is_damaged() {
        let named = |page: &str, source: Option<&str>| Some((page.to_owned(), source.map(str::to_owned)));
        assert_eq!(line_paths(&format!("\\#a.md\tx\\t.rs\t{A}\r\n")), named("#a.md", Some("x\t.rs")));
        assert_eq!(line_paths(&format!("a.md\tedited\tunknown\t{A}")), named("a.md", None));
        assert_eq!(line_paths("a.md\tx.rs\tsha256:12"), named("a.md", Some("x.rs")));
        assert_eq!(line_paths("# a.md\tx.rs"), None);
        assert_eq!(line_paths("<<<<<<< HEAD"), None);
    }

    #[test]
    fn hashes_of_symbols_are_read_back() {
        let (tokens, signature) = ("1f".repeat(16), "2e".repeat(16));
        let text = format!(
            "a.md\tsrc/a.rs\t{A}\na.md\tsrc/a.rs#login\t{A}\t{tokens}\t{signature}\nb.md\tx.rs#y\t{A}\t-\t-\n"
        );
        let lock = read(&text);
        assert!(lock.problems.is_empty(), "{:?}", lock.problems);
        assert_eq!(lock.to_text(), text);
        let symbol = |content: &Content| content.symbol.clone().unwrap();
        let reviewed = &lock.page("a.md").unwrap()["src/a.rs#login"][0];
        assert_eq!(symbol(reviewed), SymbolHashes { tokens: tokens.clone(), signature });
        assert!(!symbol(&lock.page("b.md").unwrap()["x.rs#y"][0]).are_known());
        let windows = text.replace('\n', "\r\n");
        assert_eq!(read(&windows).to_text(), windows);
        for damaged in [
            format!("a.md\tx.rs#y\t{A}\t{tokens}\n"),
            format!("a.md\tx.rs#y\t{A}\t{tokens}\tx\n"),
            format!("a.md\tx.rs#y\t{A}\t{tokens}\t{tokens}\t{tokens}\n"),
        ] {
            let lock = read(&damaged);
            assert_eq!(lock.problems.len(), 1, "{damaged}");
            assert!(lock.page("a.md").is_none());
            assert_eq!(lock.to_text(), damaged, "kept for a version that knows it");
        }
    }

    #[test]
    fn windows_line_endings_are_kept() {
        let text = format!("a.md\tx.rs\t{A}\r\nb.md\tx.rs\t{B}\r\n");
        let lock = read(&text);
        assert!(lock.problems.is_empty());
        assert_eq!(lock.to_text(), text);
    }

    #[test]
    fn invalid_bytes_do_not_cause_a_panic() {
        for bytes in [&b"\xff\xfe\x00\t\t\t"[..], b"", b"\t\tsha256:", b"a\\\tb\tsha256:", b"<<<<<<<"] {
            let lock = ReviewLock::parse(bytes, |_| true);
            assert!(lock.pages.is_empty());
        }
    }
}
