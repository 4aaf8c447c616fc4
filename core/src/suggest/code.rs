//! Symbols and files of the project that pages name in code spans without binding them. A name that several definitions
//! have is not suggested, nor one that may be a common word.
//!
//! **Invariants**
//! - Of several definitions with a name none is suggested (`code/tests.rs`).
//! - Of the suggestions with a confidence of 0.8, eight in ten are right (`docs/confidence.md` has the counts).

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

use pulldown_cmark::{Event, Parser, Tag, TagEnd};

use crate::page::markdown_options;
use crate::ports::Symbols;
use crate::progress::Cancel;
use crate::threads::on_each_core;
use crate::{Result, path};

#[cfg(test)]
mod tests;

/// Files that are larger are not read.
const LARGEST: usize = 2_000_000;

/// Bytes of the longest name.
const LONGEST: usize = 160;

/// A code span outside of links.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CodeSpan {
    /// Its bytes on the page, with the backticks.
    pub range: Range<usize>,
    /// Its text.
    pub text: String,
    /// Whether it belongs to a heading, which is not made a link.
    pub heading: bool,
}

/// The code spans of `text` from byte `start`, in order.
pub(crate) fn code_spans(text: &str, start: usize) -> Vec<CodeSpan> {
    let (mut found, mut hidden, mut heading) = (Vec::new(), 0_usize, false);
    let body = text.get(start..).unwrap_or_default();
    for (event, range) in Parser::new_ext(body, markdown_options()).into_offset_iter() {
        match event {
            Event::Code(code) if hidden == 0 => {
                let range = start + range.start..start + range.end;
                // The text of a reference without a definition, as documentation of Rust has them.
                let is_in_brackets = text[..range.start].ends_with('[') || text[range.end..].starts_with(']');
                if !is_in_brackets {
                    found.push(CodeSpan { range, text: code.into_string(), heading });
                }
            }
            Event::Start(Tag::Link { .. } | Tag::Image { .. }) => hidden += 1,
            Event::End(TagEnd::Link | TagEnd::Image) => hidden = hidden.saturating_sub(1),
            Event::Start(Tag::Heading { .. }) => heading = true,
            Event::End(TagEnd::Heading(_)) => heading = false,
            _ => {}
        }
    }
    found
}

/// How a name leads to code, the most certain first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Form {
    /// `Session.refresh`, `auth::login`
    Qualified,
    /// `SessionStore`
    Type,
    /// `signInAgain()`
    Call,
    /// `src/auth/login.ts`
    Path,
    /// `sign_in_again`, `MAX_TRIES`
    Name,
    /// `auth/login.ts`, `login.ts`
    PartOfPath,
}

impl Form {
    /// Share of such suggestions that are right, 0 to 1. `docs/confidence.md` says how they were counted.
    pub(crate) fn confidence(self) -> f64 {
        let (right, all): (u32, u32) = match self {
            Self::Qualified => (147, 148),
            Self::Type => (79, 82),
            Self::Call => (17, 17),
            Self::Path => (17, 18),
            Self::Name => (44, 49),
            Self::PartOfPath => (15, 18),
        };
        // Never quite 1: the next may be wrong.
        f64::from(right + 1) / f64::from(all + 2)
    }
}

/// What a code span seems to name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Name {
    /// The parts of the name, outermost first.
    parts: Vec<String>,
    is_call: bool,
    /// Whether `::` divides the parts.
    is_path: bool,
}

impl Name {
    /// Reads a name; `None` if it is not one, too short, or like a common word.
    pub(crate) fn read(text: &str) -> Option<Self> {
        let text = text.trim();
        if text.len() > LONGEST || text.contains(char::is_whitespace) && !text.ends_with(')') {
            return None;
        }
        let (name, arguments) = match text.split_once('(') {
            Some((name, arguments)) => (name, Some(arguments.strip_suffix(')')?)),
            None => (text, None),
        };
        // A call with a call in it is an example.
        if arguments.is_some_and(|arguments| arguments.contains(['(', ')', '{', '"', '\''])) {
            return None;
        }
        let name = name.strip_suffix('!').unwrap_or(name);
        let is_path = name.contains("::");
        let parts: Vec<String> =
            name.replace("::", ".").replace('#', ".").split('.').map(str::to_owned).collect();
        let is_identifier = |part: &String| {
            part.chars().next().is_some_and(|first| first.is_alphabetic() || matches!(first, '_' | '$'))
                && part.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '$'))
        };
        if !parts.iter().all(is_identifier) || parts.len() > 6 {
            return None;
        }
        let name = Self { is_call: arguments.is_some(), is_path, parts };
        name.is_telling().then_some(name)
    }

    /// Whether it is more than a word that people use for other things, too.
    fn is_telling(&self) -> bool {
        let (first, last) = (self.parts.first().map_or("", String::as_str), self.last());
        if self.parts.len() > 1 {
            // Settings are written like this, too: `editor.tabSize`.
            let is_setting = !self.is_path && !self.is_call && first.starts_with(|c: char| c.is_lowercase());
            return !is_setting && last.len() > 1;
        }
        match self.is_call {
            true => last.len() >= 5,
            false => last.len() >= 6 && is_compound(last),
        }
    }

    fn last(&self) -> &str {
        self.parts.last().map_or("", String::as_str)
    }

    fn form(&self) -> Form {
        let is_type = self.last().starts_with(char::is_uppercase) && self.last().contains(char::is_lowercase);
        match (self.parts.len(), self.is_call) {
            (2.., _) => Form::Qualified,
            (_, true) => Form::Call,
            _ if is_type => Form::Type,
            _ => Form::Name,
        }
    }

    /// Whether it may mean the symbol of this name in this file: the outer parts are those of what contains the symbol,
    /// or the names of its file and folders.
    pub(crate) fn means(&self, file: &str, symbol: &str) -> bool {
        let mut own: Vec<&str> = symbol.split('.').rev().collect();
        let mut wanted = self.parts.iter().rev().map(String::as_str);
        if wanted.next() != own.first().copied() {
            return false;
        }
        own.remove(0);
        // `From::from` is not the `from` of the one type that implements it.
        if self.parts.len() > 1 && own.len() >= self.parts.len() {
            return false;
        }
        let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
        let modules = stem
            .split('/')
            .rev()
            .filter(|part| !matches!(*part, "mod" | "index" | "lib" | "src" | "__init__"));
        let mut outer = own.into_iter().chain(modules);
        wanted.all(|part| matches!(part, "crate" | "self" | "super") || outer.next() == Some(part))
    }
}

/// Whether an identifier consists of several words.
fn is_compound(name: &str) -> bool {
    let inner = name.trim_matches(['_', '$']);
    let mut characters = inner.chars();
    let mut last = characters.next();
    let has_hump = characters.any(|c| {
        let is_hump = last.is_some_and(char::is_lowercase) && c.is_uppercase();
        last = Some(c);
        is_hump
    });
    inner.contains('_') || has_hump
}

/// A symbol that can be suggested.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Known {
    file: String,
    symbol: String,
    /// Whether pages describe such symbols; fields and variables only make names ambiguous.
    is_suggested: bool,
}

/// The symbols and files of a project that names can mean.
#[derive(Debug, Default)]
pub(crate) struct Code {
    /// By the last part of the name.
    symbols: HashMap<String, Vec<Known>>,
    /// Names that are also texts in the code, such as keys of JSON.
    texts: HashSet<String>,
    /// Paths by file name.
    files: HashMap<String, Vec<String>>,
    /// The paths of source code.
    sources: HashSet<String>,
}

/// Reads the bytes of a file; `None` if that is not possible.
pub(crate) type ReadFile<'a> = dyn Fn(&str) -> Option<Vec<u8>> + Sync + 'a;

impl Code {
    /// The `files`, and those of their symbols whose last name is among `wanted`.
    ///
    /// # Errors
    /// [`crate::Error::Cancelled`].
    pub(crate) fn read(
        files: &[String],
        wanted: &HashSet<String>,
        symbols: &dyn Symbols,
        read: &ReadFile<'_>,
        cancel: &Cancel,
    ) -> Result<Self> {
        let mut code = Self::default();
        for file in files.iter().filter(|file| !is_beside(file)) {
            code.files.entry(path::file_name(file).to_owned()).or_default().push(file.clone());
        }
        let sources: Vec<&String> =
            files.iter().filter(|file| is_code(file) && symbols.knows(file) && !is_beside(file)).collect();
        code.sources = sources.iter().map(|file| (*file).clone()).collect();
        let spellings = spellings(wanted);
        let next = AtomicUsize::new(0);
        let work = || {
            let (mut found, mut texts) = (Vec::new(), HashSet::new());
            while let Some(file) = sources.get(next.fetch_add(1, Ordering::Relaxed)) {
                cancel.check()?;
                let Some(bytes) = read(file).filter(|bytes| bytes.len() <= LARGEST) else { continue };
                if !has_any(&bytes, wanted, &spellings, &mut texts) {
                    continue;
                }
                for symbol in symbols.all(file, &bytes) {
                    let Some(kind) = symbol.parts.first().map(|part| part.kind) else { continue };
                    let last = symbol.name.rsplit('.').next().unwrap_or_default();
                    let is_test = symbol.name.split('.').any(|part| matches!(part, "tests" | "test"));
                    if is_test || kind == "implementation" || kind == "module" || !wanted.contains(last) {
                        continue;
                    }
                    let is_suggested = matches!(
                        kind,
                        "class"
                            | "constant"
                            | "enum"
                            | "function"
                            | "interface"
                            | "macro"
                            | "method"
                            | "struct"
                            | "type"
                            | "variant"
                            | "table"
                            | "view"
                    );
                    let known = Known { file: (*file).clone(), symbol: symbol.name.clone(), is_suggested };
                    found.push((last.to_owned(), known));
                }
            }
            Ok((found, texts))
        };
        for (found, texts) in on_each_core(work).into_iter().collect::<Result<Vec<_>>>()? {
            code.texts.extend(texts);
            for (last, known) in found {
                code.symbols.entry(last).or_default().push(known);
            }
        }
        Ok(code)
    }

    /// The only file or symbol that a code span on a page in `folder` can mean, and how it is named there.
    pub(crate) fn named(&self, text: &str, folder: &str) -> Option<(String, Form)> {
        if let Some(found) = self.file(text, folder) {
            return Some(found);
        }
        let name = Name::read(text)?;
        let form = name.form();
        if form == Form::Name && self.texts.contains(name.last()) {
            return None;
        }
        let mut meant =
            self.symbols.get(name.last())?.iter().filter(|known| name.means(&known.file, &known.symbol));
        let only = meant.next()?;
        let is_clear = only.is_suggested && meant.next().is_none();
        is_clear.then(|| (format!("{}#{}", only.file, only.symbol), form))
    }

    fn file(&self, text: &str, folder: &str) -> Option<(String, Form)> {
        let text = text.trim().trim_start_matches("./");
        let all = self.files.get(path::file_name(text))?;
        let from_here = path::join(folder, text);
        if text.contains('/') && all.iter().any(|file| file == text) {
            return Some((text.to_owned(), Form::Path));
        }
        let from_here = from_here.filter(|here| text.contains('/') && all.contains(here));
        if let Some(file) = from_here {
            return Some((file, Form::Path));
        }
        // Every project has an `index.ts`.
        let stem = text.split('.').next().unwrap_or_default();
        if stem.len() < 4 || matches!(stem, "index" | "main" | "init" | "setup") {
            return None;
        }
        let is_end = |file: &&String| file.strip_suffix(text).is_some_and(|before| before.ends_with('/'));
        let mut ends = all.iter().filter(|file| self.sources.contains(*file)).filter(is_end);
        let (only, None) = (ends.next()?, ends.next()) else { return None };
        Some((only.clone(), Form::PartOfPath))
    }
}

/// The last parts of the names that a text may be, for [`Code::read`].
pub(crate) fn wanted<'a>(texts: impl Iterator<Item = &'a str>) -> HashSet<String> {
    texts.filter_map(Name::read).map(|name| name.last().to_owned()).collect()
}

/// Names such as `not_written` by how code may spell them, `NotWritten`, to write them as texts.
fn spellings(wanted: &HashSet<String>) -> HashMap<String, String> {
    let capital = |part: &str| {
        let mut characters = part.chars();
        characters.next().into_iter().flat_map(char::to_uppercase).chain(characters).collect::<String>()
    };
    let is_snake = |name: &&String| name.contains('_') && !name.contains(char::is_uppercase);
    wanted
        .iter()
        .filter(is_snake)
        .map(|name| (name.split('_').map(capital).collect(), name.clone()))
        .collect()
}

/// Whether the file contains a wanted identifier. Those that it has as a text are added to `texts`.
fn has_any(
    bytes: &[u8],
    wanted: &HashSet<String>,
    spellings: &HashMap<String, String>,
    texts: &mut HashSet<String>,
) -> bool {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$') || !byte.is_ascii();
    let (mut has_one, mut at) = (false, 0);
    while let Some(start) = bytes[at..].iter().position(is_part).map(|start| at + start) {
        let end =
            bytes[start..].iter().position(|byte| !is_part(byte)).map_or(bytes.len(), |end| start + end);
        at = end;
        let Ok(word) = std::str::from_utf8(&bytes[start..end]) else { continue };
        texts.extend(spellings.get(word).cloned());
        if !wanted.contains(word) {
            continue;
        }
        has_one = true;
        let (before, after) = (start.checked_sub(1).and_then(|at| bytes.get(at)), bytes.get(end));
        if before == after && matches!(after, Some(b'"' | b'\'')) {
            texts.insert(word.to_owned());
        }
    }
    has_one
}

/// Whether a file is source code, not settings or data.
fn is_code(file: &str) -> bool {
    let ending = path::file_name(file).rsplit_once('.').map_or("", |(_, ending)| ending);
    !matches!(
        ending,
        "json" | "jsonc" | "json5" | "yaml" | "yml" | "toml" | "md" | "markdown" | "txt" | "lock" | ""
    )
}

/// Whether a file is no part of what pages describe: a test, an example, or code of somebody else.
fn is_beside(file: &str) -> bool {
    let is_folder = |part: &str| {
        matches!(
            part,
            "test"
                | "tests"
                | "__tests__"
                | "spec"
                | "specs"
                | "fixtures"
                | "testdata"
                | "example"
                | "examples"
                | "bench"
                | "benches"
                | "benchmarks"
                | "node_modules"
                | "vendor"
                | "third_party"
                | "dist"
                | "build"
                | "target"
                | "generated"
                | "fuzz"
        )
    };
    let name = path::file_name(file);
    let stem = name.split('.').next().unwrap_or(name);
    path::folder(file).split('/').any(is_folder)
        || [".test.", ".spec.", "_test.", "_spec.", ".min.", ".d.ts"].iter().any(|mark| name.contains(mark))
        || stem.starts_with("test_")
        || matches!(stem, "tests" | "conftest")
}

/// Whether a page is about what was, so that it stays true when the code changes.
pub(crate) fn is_history(page: &str) -> bool {
    let name = path::page_name(page).to_lowercase();
    ["changelog", "changes", "history", "releases", "release-notes", "release_notes", "news", "migration"]
        .iter()
        .any(|known| {
            name == *known || name.strip_prefix(known).is_some_and(|rest| rest.starts_with(['-', '_', '.']))
        })
}

/// The page with the code span as the text of a link to `destination`, and the link.
pub(crate) fn linked(text: &str, span: &CodeSpan, destination: &str) -> Option<(String, String)> {
    let written = text.get(span.range.clone())?;
    let link = format!("[{written}]({destination})");
    Some(([text.get(..span.range.start)?, &link, text.get(span.range.end..)?].concat(), link))
}

/// The address of a file or symbol in a Markdown link on a page in `folder`.
pub(crate) fn destination(folder: &str, target: &str) -> String {
    let (file, symbol) = match target.split_once('#') {
        Some((file, symbol)) => (file, Some(symbol)),
        None => (target, None),
    };
    let mut address = String::new();
    for byte in path::relative(folder, file).bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' | b'/' | b'@' | b'+' => {
                address.push(char::from(byte));
            }
            other => address += &format!("%{other:02X}"),
        }
    }
    address.extend(symbol.into_iter().flat_map(|symbol| ["#", symbol]));
    address
}

/// Groups the code spans of a page by what they mean: the target, and its spans in the order of the page.
pub(crate) fn meant(
    code: &Code,
    spans: &[CodeSpan],
    folder: &str,
) -> BTreeMap<String, (Form, Vec<CodeSpan>)> {
    let mut meant: BTreeMap<String, (Form, Vec<CodeSpan>)> = BTreeMap::new();
    for span in spans {
        if let Some((target, form)) = code.named(&span.text, folder) {
            let entry = meant.entry(target).or_insert((form, Vec::new()));
            entry.0 = entry.0.min(form);
            entry.1.push(span.clone());
        }
    }
    meant
}
