//! The pages and the code of a history, each content read once while it is needed.

use std::collections::{BTreeSet, HashMap};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use pulldown_cmark::{Event, Parser};

use super::Files;
use crate::graph::resolve;
use crate::index::source_refs;
use crate::page::{LinkKind, LinkTypes, decode, markdown_options, parse};
use crate::ports::{CommitChanges, Symbol};
use crate::threads::on_each_core;
use crate::{Context, Result, path};

/// Names of pages that record what changed, and change with everything.
const RECORDS: [&str; 7] =
    ["changelog", "changes", "history", "news", "release", "releases", "release-notes"];

/// What pages and code say.
pub(super) struct Contents<'a> {
    context: &'a Context<'a>,
    pages: HashMap<String, Arc<PageText>>,
    /// By the name of the file, which tells the language, and the hash of its content.
    code: HashMap<(String, String), Arc<Code>>,
}

/// A file of code.
#[derive(Debug, Default)]
pub(super) struct Code {
    pub bytes: Vec<u8>,
    pub symbols: Vec<Symbol>,
    /// Hash of all of its tokens; `None` if they cannot be told.
    pub tokens: Option<String>,
}

/// What matters about a page.
#[derive(Debug, Default)]
pub(super) struct PageText {
    /// Files, folders, globs and symbols in front matter.
    pub sources: Vec<String>,
    pub sections: Vec<SectionText>,
}

/// A section of a page.
#[derive(Debug)]
pub(super) struct SectionText {
    /// Its headings.
    pub id: String,
    /// Hash of its words.
    pub words: u64,
    /// What it has in code spans.
    pub spans: Vec<String>,
    /// Links that may lead to files of the project.
    pub links: Vec<(LinkKind, String)>,
}

/// Whether a file is a page whose sections are measured.
pub(super) fn is_page(context: &Context<'_>, file: &str) -> bool {
    let stem = path::page_name(file).to_lowercase();
    path::is_page(file)
        && path::is_below(file, context.pages_dir())
        && path::is_listed_source(file)
        && !path::is_hidden(file)
        && !RECORDS.contains(&stem.as_str())
}

/// Whether a file is code, or data, whose symbols are known.
pub(super) fn is_code(context: &Context<'_>, file: &str) -> bool {
    !path::is_page(file) && path::is_listed_source(file) && context.symbols.knows(file)
}

impl<'a> Contents<'a> {
    pub fn of(context: &'a Context<'a>) -> Self {
        Self { context, pages: HashMap::new(), code: HashMap::new() }
    }

    /// Reads all pages among `files`, and everything that these commits changed.
    pub fn read(&mut self, files: &Files, commits: &[CommitChanges]) -> Result<()> {
        let own = files.iter().filter(|(path, _)| is_page(self.context, path));
        let changed = commits.iter().flat_map(|commit| &commit.files);
        let sides = changed
            .flat_map(|file| [&file.before, &file.after].map(|side| Some((&file.path, side.as_ref()?))));
        let wanted: BTreeSet<(&String, &String)> = own.chain(sides.flatten()).collect();
        let is_needed = |path: &String, id: &String| wanted.contains(&(path, id));
        self.code.retain(|(path, id), _| is_needed(path, id));
        self.load(wanted.into_iter())
    }

    /// Reads all code among `files`.
    pub fn read_code(&mut self, files: &Files) -> Result<()> {
        self.load(files.iter())
    }

    fn load<'b>(&mut self, wanted: impl Iterator<Item = (&'b String, &'b String)>) -> Result<()> {
        let context = self.context;
        let wanted: Vec<(&str, &str)> = wanted
            .filter(|(path, id)| {
                (is_page(context, path) && !self.pages.contains_key(*id))
                    || (is_code(context, path) && !self.code.contains_key(&((*path).clone(), (*id).clone())))
            })
            .map(|(path, id)| (path.as_str(), id.as_str()))
            .collect();
        let (symbols, cancel, types) = (context.symbols, context.cancel, context.link_types());
        const PART: usize = 1_000;
        for part in wanted.chunks(PART) {
            let read: Vec<Mutex<Option<Vec<u8>>>> =
                context.history.contents(part)?.into_iter().map(Mutex::new).collect();
            let next = AtomicUsize::new(0);
            let work = || {
                let (mut pages, mut code) = (Vec::new(), Vec::new());
                loop {
                    let place = next.fetch_add(1, Ordering::Relaxed);
                    let (Some((path, id)), Some(bytes)) = (part.get(place), read.get(place)) else { break };
                    cancel.check()?;
                    let bytes =
                        bytes.lock().unwrap_or_else(PoisonError::into_inner).take().unwrap_or_default();
                    if path::is_page(path) {
                        pages.push(((*id).to_owned(), Arc::new(PageText::of(&bytes, &types))));
                    } else {
                        let tokens = symbols.tokens(path, &bytes);
                        let read = Code { symbols: symbols.all(path, &bytes), tokens, bytes };
                        code.push((((*path).to_owned(), (*id).to_owned()), Arc::new(read)));
                    }
                }
                Ok((pages, code))
            };
            for (pages, code) in on_each_core(work).into_iter().collect::<Result<Vec<_>>>()? {
                self.pages.extend(pages);
                self.code.extend(code);
            }
        }
        Ok(())
    }

    /// A page, by the hash of its content.
    pub fn page(&self, id: &str) -> Option<&Arc<PageText>> {
        self.pages.get(id)
    }

    /// A file of code, by path and hash of its content.
    pub fn code(&self, path: &str, id: &str) -> Option<&Arc<Code>> {
        self.code.get(&(path.to_owned(), id.to_owned()))
    }
}

impl PageText {
    fn of(bytes: &[u8], types: &LinkTypes) -> Self {
        let (text, _) = decode(bytes);
        let page = parse(&text, types);
        let start = page.front_matter.range.end;
        let spans: Vec<(usize, String)> =
            Parser::new_ext(text.get(start..).unwrap_or_default(), markdown_options())
                .into_offset_iter()
                .filter_map(|(event, range)| match event {
                    Event::Code(code) => Some((start + range.start, code.into_string())),
                    _ => None,
                })
                .collect();
        let section = |section: &crate::page::Section| SectionText {
            id: section.id.clone(),
            words: words(text.get(section.range.clone()).unwrap_or_default()),
            spans: spans
                .iter()
                .filter(|(at, _)| section.range.contains(at))
                .map(|(_, span)| span.clone())
                .collect(),
            links: page
                .links
                .iter()
                .filter(|link| {
                    link.kind != LinkKind::FrontMatter && section.range.contains(&link.range.start)
                })
                .filter(|link| resolve::may_name_source(&link.target))
                .map(|link| (link.kind, link.target.clone()))
                .collect(),
        };
        Self {
            sources: source_refs(&page.front_matter, &text, &mut Vec::new()),
            sections: page.sections.iter().map(section).collect(),
        }
    }
}

fn words(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.split_whitespace().for_each(|word| word.hash(&mut hasher));
    hasher.finish()
}
