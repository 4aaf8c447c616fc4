//! `.ubp/refs.lock`: the content of each page's sources at the last review, and the last edit of pages that UBP wrote
//! later. It is committed, so every clone has the same baseline. One line per page and source, sorted, so that git
//! merges it. Other lines are ignored and reported.

#[cfg(not(target_family = "wasm"))]
use std::collections::HashMap;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

#[cfg(not(target_family = "wasm"))]
use super::stamp::Stamp;
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
    /// Who reviewed it; `None` for content that is not a review, and for reviews of versions that did not record it.
    #[cfg(not(target_family = "wasm"))]
    pub stamp: Option<Stamp>,
}

impl Content {
    /// Whether both are about the same state of a source, whoever reviewed it.
    fn is_same(&self, other: &Self) -> bool {
        #[cfg(not(target_family = "wasm"))]
        if self.symbol != other.symbol {
            return false;
        }
        self.file == other.file
    }
}

impl From<ContentHash> for Content {
    fn from(file: ContentHash) -> Self {
        Self {
            file,
            #[cfg(not(target_family = "wasm"))]
            symbol: None,
            #[cfg(not(target_family = "wasm"))]
            stamp: None,
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
                        // Of two reviews of the same state, which a merge leaves, the first is enough.
                        if contents.iter().any(|known| known.is_same(&content)) {
                            continue;
                        }
                        contents.push(content);
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

    /// Whether exactly this state of the source was reviewed.
    #[cfg(not(target_family = "wasm"))]
    pub fn has(&self, page: &str, source: &str, content: &Content) -> bool {
        let known = self.pages.get(page).and_then(|reviewed| reviewed.get(source));
        known.is_some_and(|known| known.len() == 1 && known.iter().all(|known| known.is_same(content)))
    }

    /// Records that the page was reviewed with exactly these sources. The entry of a source that is in the same state stays
    /// as it is. Returns whether this changed the lock.
    pub fn set(&mut self, page: &str, sources: BTreeMap<String, Content>) -> bool {
        self.edits.remove(page);
        self.set_some(page, sources, |_| false)
    }

    /// Records that some sections of the page were reviewed with these sources. Other entries stay if they belong to sources
    /// that the page still has, which `is_named` tells. Returns whether this changed the lock.
    pub fn set_some(
        &mut self,
        page: &str,
        sources: BTreeMap<String, Content>,
        is_named: impl Fn(&str) -> bool,
    ) -> bool {
        let mut known = self.pages.remove(page).unwrap_or_default();
        let count = known.len();
        let mut is_changed = false;
        let mut reviewed = Reviewed::new();
        for (path, content) in sources {
            let contents = match known.remove(&path) {
                Some(before) if before.len() == 1 && before.iter().all(|one| one.is_same(&content)) => before,
                _ => {
                    is_changed = true;
                    vec![content]
                }
            };
            reviewed.insert(path, contents);
        }
        reviewed.extend(known.into_iter().filter(|(path, _)| is_named(path)));
        is_changed |= reviewed.len() != count;
        if !reviewed.is_empty() {
            self.pages.insert(page.into(), reviewed);
        }
        is_changed
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

    /// Gives sources other names, which `to` returns for those that get one. Returns whether there were any.
    pub(crate) fn rename_sources(&mut self, to: impl Fn(&str) -> Option<String>) -> bool {
        let mut renamed = false;
        for known in self.pages.values_mut().filter(|known| known.keys().any(|source| to(source).is_some())) {
            renamed = true;
            let old = std::mem::take(known);
            // What keeps its name does not replace what gets it.
            let (moved, stays): (Vec<_>, Vec<_>) =
                old.into_iter().partition(|(source, _)| to(source).is_some());
            known.extend(stays);
            known.extend(moved.into_iter().filter_map(|(source, contents)| Some((to(&source)?, contents))));
        }
        renamed
    }

    /// The lines that differ if sources get these names: removed and added.
    #[cfg(not(target_family = "wasm"))]
    pub(crate) fn with_sources_renamed(&self, names: &HashMap<String, String>) -> (Vec<String>, Vec<String>) {
        let (mut removed, mut added) = (Vec::new(), Vec::new());
        for (page, known) in &self.pages {
            for (source, contents) in known {
                let Some(new) = names.get(source).filter(|new| !known.contains_key(*new)) else { continue };
                removed.extend(contents.iter().map(|content| reviewed(page, source, content)));
                added.extend(contents.iter().map(|content| reviewed(page, new, content)));
            }
        }
        (removed, added)
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
                    text.push_str(&reviewed(page, path, content));
                    text.push_str(end);
                }
            }
        }
        text
    }
}

/// The line of a reviewed source.
fn reviewed(page: &str, source: &str, content: &Content) -> String {
    let line = format!("{}\t{}\t{}", escape(page), escape(source), content.file);
    #[cfg(not(target_family = "wasm"))]
    let line = {
        let symbol = content.symbol.as_ref();
        let symbol = symbol.map(|SymbolHashes { tokens, signature }| format!("\t{tokens}\t{signature}"));
        let stamp = content.stamp.as_ref().map(|stamp| format!("\t@{stamp}"));
        format!("{line}{}{}", symbol.unwrap_or_default(), stamp.unwrap_or_default())
    };
    line
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

/// `page<TAB>source<TAB>sha256:…`, two more fields for a symbol, which in browsers counts as its file, and then `@` with who
/// reviewed it.
fn entry(line: &str) -> Option<(String, String, Content)> {
    let mut fields = line.trim_end().split('\t');
    let (page, path, hash) = (fields.next()?, fields.next()?, fields.next()?);
    let mut further: Vec<&str> = fields.collect();
    let stamp = further.last().and_then(|last| last.strip_prefix('@'));
    if stamp.is_some() {
        further.pop();
    }
    if page.is_empty() || path.is_empty() || !matches!(further.len(), 0 | 2) {
        return None;
    }
    #[cfg(target_family = "wasm")]
    let path = if further.is_empty() { path } else { path.split('#').next().unwrap_or_default() };
    let content = Content {
        #[cfg(not(target_family = "wasm"))]
        symbol: match further.as_slice() {
            [tokens, signature] => Some(SymbolHashes::parse(tokens, signature)?),
            _ => None,
        },
        #[cfg(not(target_family = "wasm"))]
        stamp: match stamp {
            Some(stamp) => Some(Stamp::parse(stamp)?),
            None => None,
        },
        file: hash.parse().ok()?,
    };
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
mod tests;
