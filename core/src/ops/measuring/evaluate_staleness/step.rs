//! A change of code with the pages that its author changed with it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::bindings::Place;
use super::contents::{Code, Contents, PageText, is_code, is_page};
use super::{Files, advance};
use crate::freshness::successor::{Change, FileChange};
use crate::ports::{CommitChanges, Target};
use crate::{Context, path};

/// Commits that are replayed as one: a commit that changes code, and those directly after it that change pages only.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Range {
    pub first: usize,
    pub end: usize,
}

/// The changes of code among all commits but the first.
pub(super) fn steps(context: &Context<'_>, commits: &[CommitChanges]) -> Vec<Range> {
    let mut steps: Vec<Range> = Vec::new();
    for (place, commit) in commits.iter().enumerate().skip(1) {
        let changes =
            |is: fn(&Context<'_>, &str) -> bool| commit.files.iter().any(|file| is(context, &file.path));
        match steps.last_mut() {
            _ if changes(is_code) => steps.push(Range { first: place, end: place + 1 }),
            Some(last) if last.end == place && changes(is_page) => last.end = place + 1,
            _ => {}
        }
    }
    steps
}

/// What became of a symbol.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Fate {
    /// At most comments and layout changed.
    Same,
    Body,
    Contract,
    /// It is gone; the file and name of its successor, if that is known.
    Gone(Option<(String, String)>),
}

/// A change of code.
pub(super) struct Step<'a> {
    context: &'a Context<'a>,
    code: BTreeMap<&'a str, [Option<Arc<Code>>; 2]>,
    /// Paths of all changed files except for pages.
    changed: BTreeSet<&'a str>,
    change: Change,
    /// Pages that changed, before and after.
    pages: BTreeMap<String, [Option<Arc<PageText>>; 2]>,
    /// New paths of pages that were moved.
    moved: BTreeMap<String, String>,
}

impl<'a> Step<'a> {
    /// The change that these commits made to `files`.
    pub fn of(
        context: &'a Context<'a>,
        contents: &Contents<'_>,
        files: &Files,
        commits: &'a [CommitChanges],
    ) -> Self {
        let mut after = files.clone();
        advance(&mut after, commits);
        let first = commits.first().into_iter().flat_map(|commit| &commit.files);
        let changed: BTreeSet<&str> =
            first.clone().map(|file| file.path.as_str()).filter(|file| !path::is_page(file)).collect();
        let code: BTreeMap<&str, [Option<Arc<Code>>; 2]> = first
            .filter(|file| is_code(context, &file.path))
            .map(|file| {
                let side = |id: &Option<String>| contents.code(&file.path, id.as_ref()?).cloned();
                (file.path.as_str(), [side(&file.before), side(&file.after)])
            })
            .collect();
        let parts = |code: &'_ Option<Arc<Code>>| code.clone().unwrap_or_default();
        let sides: Vec<(&str, Arc<Code>, Arc<Code>)> =
            code.iter().map(|(path, [before, after])| (*path, parts(before), parts(after))).collect();
        let change = Change::of(sides.iter().map(|(path, before, after)| FileChange {
            path,
            before: (&before.bytes, &before.symbols),
            after: (&after.bytes, &after.symbols),
        }));
        let touched: BTreeSet<&String> = commits
            .iter()
            .flat_map(|commit| &commit.files)
            .map(|file| &file.path)
            .filter(|file| is_page(context, file) && files.get(*file) != after.get(*file))
            .collect();
        let pages: BTreeMap<String, [Option<Arc<PageText>>; 2]> = touched
            .into_iter()
            .map(|file| {
                let side = |files: &Files| contents.page(files.get(file)?).cloned();
                (file.clone(), [side(files), side(&after)])
            })
            .collect();
        let moved = moved(&pages);
        Self { context, code, changed, change, pages, moved }
    }

    /// Whether no page changed.
    pub fn is_code_only(&self) -> bool {
        self.pages.is_empty()
    }

    /// Whether all code has the same tokens as before.
    pub fn has_equal_tokens(&self) -> bool {
        self.changed.iter().all(|file| match self.code.get(file) {
            Some([Some(before), Some(after)]) => before.tokens.is_some() && before.tokens == after.tokens,
            _ => false,
        })
    }

    /// Paths of changed files that are not pages.
    pub fn changed(&self) -> impl Iterator<Item = &str> {
        self.changed.iter().copied()
    }

    /// Number of sections that changed or are gone.
    pub fn edited_count(&self) -> usize {
        let edited = |(page, [before, _]): (&String, &[Option<Arc<PageText>>; 2])| {
            let sections = before.iter().flat_map(|page| &page.sections);
            sections.filter(|section| self.is_section_edited(page, &section.id)).count()
        };
        self.pages.iter().map(edited).sum()
    }

    /// Whether the author changed or removed the text of a place.
    pub fn is_edited(&self, place: &Place) -> bool {
        match (&place.section, self.pages.get(&place.page)) {
            (_, None) => false,
            (Some(section), Some(_)) => self.is_section_edited(&place.page, section),
            (None, Some([before, after])) => {
                let after = self.after(&place.page, after.as_deref());
                let texts = |page: Option<&PageText>| {
                    page.map(|page| page.sections.iter().map(|one| one.words).collect::<Vec<_>>())
                };
                texts(before.as_deref()) != texts(after)
            }
        }
    }

    fn is_section_edited(&self, page: &str, section: &str) -> bool {
        let Some([Some(before), after]) = self.pages.get(page) else { return false };
        let words = |page: &PageText| page.sections.iter().find(|one| one.id == section).map(|one| one.words);
        words(before).is_some() && words(before) != self.after(page, after.as_deref()).and_then(words)
    }

    /// A page after the change, under its new name if it was moved.
    fn after<'b>(&'b self, page: &str, after: Option<&'b PageText>) -> Option<&'b PageText> {
        after.or_else(|| self.pages.get(self.moved.get(page)?)?[1].as_deref())
    }

    /// A place under its new name; `None` if it is gone.
    pub fn place_after(&self, place: Place) -> Option<Place> {
        let Some([_, after]) = self.pages.get(&place.page) else { return Some(place) };
        let found = self.after(&place.page, after.as_deref())?;
        let is_there = |section: &String| found.sections.iter().any(|one| one.id == *section);
        if !place.section.as_ref().is_none_or(is_there) {
            return None;
        }
        let page = match after {
            Some(_) => place.page,
            None => self.moved.get(&place.page)?.clone(),
        };
        Some(Place { page, ..place })
    }

    /// What became of a symbol, as a page names it; `None` if its file did not change, or did not define it.
    pub fn fate(&self, file: &str, name: &str) -> Option<Fate> {
        let [before, after] = self.code.get(file)?;
        let before = before.as_deref()?;
        let now = after.as_deref();
        let called = |name: &str| before.symbols.iter().find(|symbol| symbol.name == name);
        let symbol = match called(name) {
            Some(symbol) => symbol,
            None => match self.context.symbols.find(file, &before.bytes, &[name]).into_iter().next()? {
                Target::Symbol(symbol) => called(&symbol.name)?,
                // The whole file stands for it.
                Target::File(_) | Target::Several(_) => {
                    let is_same =
                        before.tokens.is_some() && now.is_some_and(|after| after.tokens == before.tokens);
                    return Some(if is_same { Fate::Same } else { Fate::Contract });
                }
                Target::Nothing(_) => return None,
            },
        };
        let name = symbol.name.as_str();
        if now.is_some_and(|after| after.symbols.is_empty() && after.tokens.is_none()) {
            return Some(Fate::Contract);
        }
        Some(match now.and_then(|after| after.symbols.iter().find(|symbol| symbol.name == name)) {
            Some(now) if now.hashes.tokens == symbol.hashes.tokens => Fate::Same,
            Some(now) if now.hashes.signature == symbol.hashes.signature => Fate::Body,
            Some(_) => Fate::Contract,
            None => {
                let successor = self.change.successor(file, name).map(|found| found.symbol);
                Fate::Gone(successor.map(|found| (found.file.clone(), found.symbol.name.clone())))
            }
        })
    }
}

/// New paths of pages: where most sections of a page that is gone are again.
fn moved(pages: &BTreeMap<String, [Option<Arc<PageText>>; 2]>) -> BTreeMap<String, String> {
    let texts = |page: &PageText| page.sections.iter().map(|section| section.words).collect::<BTreeSet<_>>();
    let mut moved = BTreeMap::new();
    for (old, gone) in pages.iter().filter_map(|(path, sides)| match sides {
        [Some(before), None] => Some((path, texts(before))),
        _ => None,
    }) {
        let new = pages.iter().filter_map(|(path, sides)| match sides {
            [None, Some(after)] => Some((texts(after).intersection(&gone).count(), path)),
            _ => None,
        });
        if let Some((_, path)) = new.max().filter(|(common, _)| 2 * common >= gone.len() && *common > 0) {
            moved.insert(old.clone(), path.clone());
        }
    }
    moved
}
