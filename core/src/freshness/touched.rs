//! What a change touches that pages describe: the symbols, files and folders that they name, compared at both ends of the
//! change. Nobody has to have reviewed the pages.
//!
//! **Invariants**
//! - A symbol whose comments or layout alone changed touches no page, nor does a change elsewhere in its file
//!   (`tests/tests/freshness/touched.rs`).

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::anchors::Anchor;
use super::moves::{MOST_FILES, NewPlace};
use super::successor::{Change, FileChange};
use super::symbols::Targets;
use super::{DeclaredPage, Sources, declared};
use crate::graph::resolve::{Origin, source_candidates};
use crate::index::questions::sources::{self as questions, MissingFileLink};
use crate::ports::{ContentHash, History, RevisionSource, Source, Symbol, Target};
use crate::{Context, Result, path};

/// Maximum changed files of a folder or glob that are named.
const MOST_NAMED: usize = 20;

/// How a source of a page differs between both ends of a change, worst first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Touch {
    /// It does not exist any more.
    Gone,
    /// The contract of the symbol changed: its signature, a type, a default value.
    ContractChanged,
    /// The file changed, files in the folder did, or a symbol that cannot be told from its file may have.
    Changed,
    /// The symbol changed, but not its contract.
    BodyChanged,
    /// It did not exist before.
    Added,
}

/// A source of a page that a change touches.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct TouchedSource {
    /// The source as the page names it, relative to the project: a path, a symbol, a folder or a glob.
    pub source: String,
    /// How it differs.
    pub change: Touch,
    /// The changed files of a folder or glob, at most 20; otherwise empty.
    pub files: Vec<String>,
    /// Number of its changed files; 1 for a file or symbol.
    pub file_count: usize,
    /// Where a source that is gone is now, if that can be told.
    pub moved_to: Option<String>,
    /// Share of such moves that are right, 0 to 1; absent if the content, or the body of a symbol, is equal.
    pub confidence: Option<f64>,
    /// The sections that link to it; empty if front matter names it, which concerns the whole page.
    pub sections: Vec<DescribingSection>,
}

/// A section that describes a source.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct DescribingSection {
    /// Its id on the page.
    pub section_id: String,
    /// Its heading below its parent headings, outermost first; empty for text before the first heading.
    pub heading_path: Vec<String>,
    /// Its first line, from 1.
    pub line: usize,
}

/// What a change touches.
#[derive(Debug, Default)]
pub(crate) struct Touched {
    /// The touched sources of each page, by page number; worst first.
    pub pages: BTreeMap<i64, Vec<TouchedSource>>,
    /// Symbols that pages name and whose comments or layout alone changed.
    pub silent: BTreeSet<String>,
}

/// Both ends of a change.
pub(crate) struct Ends<'a> {
    /// The files before.
    pub old: &'a RevisionSource<'a>,
    /// The files after; `None` for the working folder.
    pub new: Option<&'a RevisionSource<'a>>,
    /// The files that differ, relative to the project.
    pub changed: &'a BTreeSet<String>,
}

/// What is touched of the pages that `context` shows, which is the newer end. `whole` is the context with the complete
/// history.
///
/// # Errors
/// [`crate::Error::Database`]; [`crate::Error::Io`] when version control fails; [`crate::Error::Cancelled`].
pub(crate) fn touched(context: &Context<'_>, whole: &Context<'_>, ends: &Ends<'_>) -> Result<Touched> {
    let mut declared = context.index.read(|db| declared(db, None))?;
    let broken = broken_by(context, ends)?;
    for ((page, source), (path, _)) in &broken {
        let page = declared
            .entry(*page)
            .or_insert_with(|| DeclaredPage { path: path.clone(), ..Default::default() });
        page.sources.insert(source.clone());
    }
    let sources = Sources::expand(context, &declared)?;
    let then = Context { source: ends.old, ..*context };
    let named: BTreeSet<&String> = declared.values().flat_map(|page| &page.sources).collect();
    let mut anchors: BTreeMap<&str, Anchor<'_>> = BTreeMap::new();
    for source in named.iter().copied() {
        let known = match sources.anchor(source) {
            None if sources.of(source).is_empty() => Anchor::of(ends.old, source)?,
            known => known,
        };
        anchors.extend(known.map(|anchor| (source.as_str(), anchor)));
    }
    let files: BTreeSet<&str> =
        anchors.values().map(|anchor| anchor.file).filter(|file| ends.changed.contains(*file)).collect();
    ends.load(files.iter().copied())?;
    let mut before = Targets::of(anchors.values().copied());
    before.read(&then, &files)?;
    let mut after = Targets::of(anchors.values().copied());
    after.read(context, &files)?;
    let movers = Movers { context, whole, ends, change: OnceCell::new() };
    let mut touched = Touched::default();
    let mut verdicts: HashMap<&str, TouchedSource> = HashMap::new();
    for source in named {
        context.cancel.check()?;
        let Some(&anchor) = anchors.get(source.as_str()) else {
            verdicts.extend(movers.of_files(source, &sources)?.map(|found| (source.as_str(), found)));
            continue;
        };
        if !files.contains(anchor.file) {
            continue;
        }
        let (old, new) = (before.target(&then, anchor), after.target(context, anchor));
        let change = match compare(old, new) {
            Compared::Differs(change) => change,
            Compared::Equal if movers.has_other_text(anchor.file, old, new)? => {
                touched.silent.insert(source.clone());
                continue;
            }
            Compared::Equal | Compared::Missing => continue,
        };
        let mut found = TouchedSource::new(source, change);
        if let (Touch::Gone, Some(Target::Symbol(symbol))) = (change, old)
            && let Some(place) = movers.of_symbol(anchor.file, &symbol.name)?
        {
            (found.moved_to, found.confidence) = (Some(place.anchor), place.confidence);
        }
        verdicts.insert(source, found);
    }
    context.index.read(|db| {
        for (&page, named) in &declared {
            let mut all = Vec::new();
            for found in named.sources.iter().filter_map(|source| verdicts.get(source.as_str())) {
                let is_whole = questions::is_in_front_matter(db, page, &found.source)?;
                let mut sections = match is_whole {
                    true => Vec::new(),
                    false => questions::linking_sections(db, page, &found.source)?,
                };
                let lines = broken.get(&(page, found.source.clone())).filter(|_| !is_whole);
                for &line in lines.into_iter().flat_map(|(_, lines)| lines) {
                    sections.extend(questions::section_at(db, page, line)?);
                }
                let mut seen = BTreeSet::new();
                sections.retain(|section| seen.insert(section.section_id.clone()));
                let sections = sections.into_iter().map(|section| DescribingSection {
                    section_id: section.section_id,
                    heading_path: section.heading_path,
                    line: section.lines.0,
                });
                all.push(TouchedSource { sections: sections.collect(), ..found.clone() });
            }
            all.sort_by(|a, b| (a.change, &a.source).cmp(&(b.change, &b.source)));
            if !all.is_empty() {
                touched.pages.insert(page, all);
            }
        }
        Ok(touched)
    })
}

/// Broken links of a page to a source: the page's path, and the lines of the links.
type BrokenLines = BTreeMap<(i64, String), (String, BTreeSet<usize>)>;

/// Links to files that the change removed, and to the symbols in them, by page and source.
fn broken_by(context: &Context<'_>, ends: &Ends<'_>) -> Result<BrokenLines> {
    let mut broken = BrokenLines::new();
    let links = context.index.read(questions::links_to_missing_files)?;
    for MissingFileLink { page, path, kind, line, target } in links {
        let origin = Origin { page, path: &path, pages_dir: context.pages_dir() };
        for file in source_candidates(kind, &target, origin) {
            if !ends.changed.contains(&file) || ends.old.stat_source(&file)?.is_none() {
                continue;
            }
            let symbol = target.split_once('#').map(|(_, name)| name).filter(|name| !path::is_lines(name));
            let source = symbol.map_or_else(|| file.clone(), |symbol| format!("{file}#{symbol}"));
            broken.entry((page, source)).or_insert_with(|| (path.clone(), BTreeSet::new())).1.insert(line);
            break;
        }
    }
    Ok(broken)
}

impl TouchedSource {
    fn new(source: &str, change: Touch) -> Self {
        Self {
            source: source.into(),
            change,
            files: Vec::new(),
            file_count: 1,
            moved_to: None,
            confidence: None,
            sections: Vec::new(),
        }
    }

    /// Whether what the page says about it may be wrong. The body of a symbol is not what a page promises.
    pub fn is_serious(&self) -> bool {
        !matches!(self.change, Touch::BodyChanged | Touch::Added)
    }
}

enum Compared {
    /// Apart from comments and layout.
    Equal,
    Differs(Touch),
    /// On both sides.
    Missing,
}

fn compare(old: Option<&Target>, new: Option<&Target>) -> Compared {
    let is_missing = |target: Option<&Target>| matches!(target, None | Some(Target::Nothing(_)));
    let tokens = |symbols: &[Symbol]| -> BTreeSet<String> {
        symbols.iter().map(|symbol| symbol.hashes.tokens.clone()).collect()
    };
    match (old, new) {
        _ if is_missing(old) && is_missing(new) => Compared::Missing,
        _ if is_missing(new) => Compared::Differs(Touch::Gone),
        _ if is_missing(old) => Compared::Differs(Touch::Added),
        (Some(Target::Symbol(old)), Some(Target::Symbol(new))) => {
            if old.hashes.tokens == new.hashes.tokens {
                Compared::Equal
            } else if old.hashes.signature == new.hashes.signature {
                Compared::Differs(Touch::BodyChanged)
            } else {
                Compared::Differs(Touch::ContractChanged)
            }
        }
        (Some(Target::Several(old)), Some(Target::Several(new))) if tokens(old) == tokens(new) => {
            Compared::Equal
        }
        (Some(Target::File(old)), Some(Target::File(new)))
            if old.words.is_some() && old.words == new.words =>
        {
            Compared::Equal
        }
        _ => Compared::Differs(Touch::Changed),
    }
}

impl Ends<'_> {
    /// Where a file of the older end went that the newer one, `now`, has not, and how certain that is: absent if the content
    /// is equal. `history` is the complete history.
    ///
    /// # Errors
    /// [`crate::Error::Io`] if files cannot be read or version control fails.
    pub(crate) fn moved_file(
        &self,
        now: &dyn Source,
        history: &dyn History,
        file: &str,
    ) -> Result<(Option<String>, Option<f64>)> {
        let Some(stat) = self.old.stat_source(file)? else { return Ok((None, None)) };
        let mut same = Vec::new();
        for other in self.changed {
            let is_candidate =
                now.stat_source(other)?.is_some_and(|now| now.size == stat.size && stat.size > 0);
            if is_candidate
                && self.old.stat_source(other)?.is_none()
                && let (Ok(old), Ok(new)) = (self.old.read_source(file), now.read_source(other))
                && ContentHash::of(&old) == ContentHash::of(&new)
            {
                same.push(other.clone());
            }
        }
        if let Ok([only]) = <[String; 1]>::try_from(same) {
            return Ok((Some(only), None));
        }
        let Some(moved) = history.renamed_to(file)? else { return Ok((None, None)) };
        let is_new = now.stat_source(&moved.path)?.is_some() && self.old.stat_source(&moved.path)?.is_none();
        Ok(match is_new {
            true => (Some(moved.path), crate::renames::of_files(moved.similarity)),
            false => (None, None),
        })
    }

    /// Reads these files of commits in one step.
    fn load<'p>(&self, files: impl Iterator<Item = &'p str> + Clone) -> Result<()> {
        self.old.load(files.clone())?;
        self.new.map_or(Ok(()), |new| new.load(files))
    }
}

/// Finds what a change moved.
struct Movers<'a> {
    context: &'a Context<'a>,
    whole: &'a Context<'a>,
    ends: &'a Ends<'a>,
    change: OnceCell<Change>,
}

impl Movers<'_> {
    /// How the files of a source that is not a symbol differ; `None` if none does.
    fn of_files(&self, source: &str, sources: &Sources) -> Result<Option<TouchedSource>> {
        let exist = sources.of(source);
        let mut files = Vec::new();
        let mut gone = 0;
        for file in self.ends.changed.iter().filter(|file| sources.covers(source, file)) {
            let exists = exist.contains(file);
            // What the project ignores is neither in a folder nor missing from it.
            if exists || self.context.source.stat_source(file)?.is_none() {
                gone += usize::from(!exists);
                files.push(file.clone());
            }
        }
        if files.is_empty() {
            return Ok(None);
        }
        let is_one = files.len() == 1 && files.first().is_some_and(|file| file == source);
        let is_new = is_one && gone == 0 && self.ends.old.stat_source(source)?.is_none();
        let change = match exist.is_empty() {
            true => Touch::Gone,
            false if is_new => Touch::Added,
            false => Touch::Changed,
        };
        let mut found = TouchedSource { file_count: files.len(), ..TouchedSource::new(source, change) };
        if is_one {
            if change == Touch::Gone {
                let moved = self.ends.moved_file(self.context.source, self.whole.history, source)?;
                (found.moved_to, found.confidence) = moved;
            }
        } else {
            files.truncate(MOST_NAMED);
            found.files = files;
        }
        Ok(Some(found))
    }

    /// Where a symbol went that the older end has in this file.
    fn of_symbol(&self, file: &str, name: &str) -> Result<Option<NewPlace>> {
        let change = match self.change.get() {
            Some(change) => change,
            None => {
                let change = self.symbols()?;
                self.change.get_or_init(|| change)
            }
        };
        Ok(change.successor(file, name).map(|found| NewPlace::of(&found)))
    }

    /// The symbols that the change removed and added.
    fn symbols(&self) -> Result<Change> {
        let Context { source, symbols, cancel, .. } = *self.context;
        let files = self.ends.changed.iter().map(String::as_str);
        let files: Vec<&str> = files.filter(|file| symbols.knows(file)).take(MOST_FILES).collect();
        self.ends.load(files.iter().copied())?;
        let mut read = Vec::new();
        for path in files {
            cancel.check()?;
            let before = self.ends.old.read_source(path).unwrap_or_default();
            let after = source.read_source(path).unwrap_or_default();
            let (old, new) = (symbols.all(path, &before), symbols.all(path, &after));
            read.push((path, before, old, after, new));
        }
        Ok(Change::of(read.iter().map(|(path, before, old, after, new)| FileChange {
            path,
            before: (before, old),
            after: (after, new),
        })))
    }

    /// Whether symbols with the same tokens are not the same text.
    fn has_other_text(&self, file: &str, old: Option<&Target>, new: Option<&Target>) -> Result<bool> {
        let (Some(Target::Symbol(old)), Some(Target::Symbol(new))) = (old, new) else { return Ok(true) };
        let (before, after) = (self.ends.old.read_source(file)?, self.context.source.read_source(file)?);
        Ok(texts(old, &before).ne(texts(new, &after)))
    }
}

fn texts<'a>(
    symbol: &'a Symbol,
    bytes: &'a [u8],
) -> impl Iterator<Item = (Option<&'a [u8]>, Option<&'a [u8]>)> {
    let text = |range: &std::ops::Range<usize>| bytes.get(range.clone());
    symbol.parts.iter().map(move |part| (text(&part.range), part.doc.as_ref().and_then(text)))
}
