//! A page as it is on the screen.

use std::ops::Range;
use std::sync::Arc;

use crate::drafts::Drafts;
use crate::graph::resolve::Origin;
use crate::index::questions::pages;
use crate::page::{Lines, Link, Page, Section, parse};
use crate::{Context, Result, path};

/// A page as it is on the screen.
#[derive(Debug, Clone)]
pub struct OpenPage {
    /// Its path relative to the pages folder.
    pub path: String,
    /// Its text, saved or not.
    pub text: Arc<str>,
    /// What is in the text.
    pub page: Page,
    /// Its number in the index; `None` if it is not in it yet.
    pub(crate) number: Option<i64>,
    lines: Arc<Lines>,
}

impl OpenPage {
    /// The page at `path`.
    ///
    /// # Errors
    /// [`crate::Error::Io`] if it has no draft and cannot be read; [`crate::Error::OutsideProject`],
    /// [`crate::Error::Database`].
    pub fn of(context: &Context<'_>, drafts: &Drafts, path: &str) -> Result<Self> {
        let text = drafts.text(context.source, path)?;
        let number = context.index.read(|db| pages::at(db, path))?;
        let page = parse(&text, &context.link_types());
        let lines = Arc::new(Lines::new(&text));
        Ok(Self { path: path.to_owned(), text, page, number, lines })
    }

    /// Its title: its own, or the name of its file.
    pub fn title(&self) -> &str {
        self.page.title.as_deref().unwrap_or_else(|| path::page_name(&self.path))
    }

    /// The link that contains the byte `offset`, or ends there.
    pub fn link_at(&self, offset: usize) -> Option<&Link> {
        let within = |link: &&Link| link.range.start <= offset && offset <= link.range.end;
        // Of two links that touch, the one that starts here is meant.
        self.page.links.iter().filter(within).max_by_key(|link| link.range.start)
    }

    /// The section that contains the byte `offset`.
    pub fn section_at(&self, offset: usize) -> Option<&Section> {
        self.page.sections.iter().rev().find(|section| section.range.start <= offset)
    }

    /// The bytes of a line, counted from 1, without indentation and line break.
    pub fn line(&self, number: usize) -> Range<usize> {
        let lines = &self.lines;
        let end = self.text.len();
        let (start, next) = (lines.start(number).unwrap_or(end), lines.start(number + 1).unwrap_or(end));
        let line = self.text.get(start..next).unwrap_or_default();
        let indented = line.len() - line.trim_start().len();
        let length = line.trim_end().len();
        start + indented.min(length)..start + length
    }

    /// Where its links start from.
    pub(crate) fn origin<'a>(&'a self, context: &'a Context<'_>) -> Origin<'a> {
        Origin { page: self.number.unwrap_or_default(), path: &self.path, pages_dir: context.pages_dir() }
    }
}
