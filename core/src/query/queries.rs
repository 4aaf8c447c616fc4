//! Questions in pages: blocks of code with a query or a base, and embedded files with a base. The answer is shown in their
//! place.

use std::cell::{Cell, OnceCell};
use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, LinkType, Parser, Tag, TagEnd};

use super::base::{Base, Pages};
use super::block::QueryBlock;
use super::shown::{Shown, Writer};
use super::{Limits, Schema};
use crate::message;
use crate::message::Message;
use crate::page;
use crate::path;
use crate::{Context, Error, Result};

/// Language of a block with a query.
const QUERY: &str = "ubp";

/// Language of a block with a base.
const BASE: &str = "base";

/// Maximum number of answers that are computed for one page.
const MOST: usize = 20;

/// Limits of an answer that is part of a page.
const LIMITS: Limits = Limits { rows: 500, bytes: 256 << 10, millis: 1_500 };

/// A question in the text of a page.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Question {
    /// A block of code, with what follows its fence.
    Block { info: String, text: String },
    /// An embedded base, as it is written: `Tasks.base#Open`.
    Embed(String),
}

/// The questions in a text, in order.
pub(crate) fn questions_in(text: &str) -> Vec<Question> {
    let mut found: Vec<Question> = Vec::new();
    if !["```", "~~~", "![["].iter().any(|start| text.contains(start)) {
        return found;
    }
    let mut is_open = false;
    for event in Parser::new_ext(text, page::markdown_options()) {
        match event {
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info))) if is_query(&info) => {
                found.push(Question::Block { info: info.into_string(), text: String::new() });
                is_open = true;
            }
            Event::Text(part) if is_open => {
                if let Some(Question::Block { text, .. }) = found.last_mut() {
                    text.push_str(&part);
                }
            }
            Event::Start(Tag::Image { link_type: LinkType::WikiLink { .. }, dest_url, .. }) => {
                is_open = false;
                if path::is_base(base_and_view(&dest_url).0) {
                    found.push(Question::Embed(dest_url.into_string()));
                }
            }
            _ => is_open = false,
        }
    }
    found
}

/// What changes in the questions of a text, and what may have to change.
#[derive(Debug, Default)]
pub(crate) struct TagsInQuestions {
    /// Bytes of the text and what replaces them, in order.
    pub edits: Vec<(Range<usize>, String)>,
    /// Lines, from 1, that may name the tag and stay as they are.
    pub left: Vec<usize>,
}

/// Renames tags in the blocks of code with queries and bases of a text: `renamed` returns the new name of a tag, if it gets
/// one.
pub(crate) fn rename_tags(text: &str, renamed: &dyn Fn(&str) -> Option<String>) -> TagsInQuestions {
    let mut found = TagsInQuestions::default();
    if !["```", "~~~"].iter().any(|start| text.contains(start)) {
        return found;
    }
    let mut open: Option<OpenBlock> = None;
    for (event, range) in Parser::new_ext(text, page::markdown_options()).into_offset_iter() {
        match event {
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info))) if is_query(&info) => {
                open = Some(OpenBlock { is_base: is_base(&info), text: String::new(), parts: Vec::new() });
            }
            Event::Text(part) => {
                if let Some(block) = &mut open
                    && text.get(range.clone()) == Some(&*part)
                {
                    block.parts.push((block.text.len(), range.start));
                    block.text.push_str(&part);
                }
            }
            Event::End(TagEnd::CodeBlock) => {
                let Some(OpenBlock { is_base, text: block, parts }) = open.take() else { continue };
                let (edits, left) = match is_base {
                    true => {
                        let base = super::base::rename_tags(&block, renamed);
                        (base.edits, base.left)
                    }
                    false => super::block::rename_tags(&block, renamed),
                };
                let place = |at: usize| {
                    let part = parts.iter().rev().find(|(start, _)| *start <= at);
                    part.map_or(0, |(start, place)| place + at - start)
                };
                found.edits.extend(edits.into_iter().map(|(edit, new)| {
                    let start = place(edit.start);
                    (start..start + edit.len(), new)
                }));
                let fence = text.get(..parts.first().map_or(range.start, |(_, place)| *place));
                let above = fence.unwrap_or_default().matches('\n').count();
                found.left.extend(left.into_iter().map(|line| above + line));
            }
            _ => {}
        }
    }
    found
}

/// A block of code whose end has not been read.
struct OpenBlock {
    is_base: bool,
    text: String,
    /// Where its lines begin, in it and in the page.
    parts: Vec<(usize, usize)>,
}

fn is_base(info: &str) -> bool {
    info.split_whitespace().next().is_some_and(|word| word.eq_ignore_ascii_case(BASE))
}

/// Whether a block of code with this info string is a query.
pub(crate) fn is_query(info: &str) -> bool {
    info.split_whitespace()
        .next()
        .is_some_and(|word| [QUERY, BASE].iter().any(|known| word.eq_ignore_ascii_case(known)))
}

/// The file and the view in `Tasks.base#Open`.
pub(crate) fn base_and_view(target: &str) -> (&str, Option<&str>) {
    match target.split_once('#') {
        Some((file, view)) => (file.trim(), Some(view.trim()).filter(|view| !view.is_empty())),
        None => (target.trim(), None),
    }
}

/// Answers the questions of one page, and of the pages that it embeds.
pub(crate) struct Queries<'a> {
    context: &'a Context<'a>,
    /// Number of questions so far.
    asked: Cell<usize>,
    /// All pages as a table, read for the first query that needs them.
    all: OnceCell<Schema>,
    /// All pages, read for the first base.
    pages: OnceCell<Pages>,
}

impl<'a> Queries<'a> {
    pub(crate) fn new(context: &'a Context<'a>) -> Self {
        Self { context, asked: Cell::new(0), all: OnceCell::new(), pages: OnceCell::new() }
    }

    pub(super) fn context(&self) -> &'a Context<'a> {
        self.context
    }

    /// The answer of a block of code on `page`, with links relative to the page; or the reason why there is none, for
    /// people.
    ///
    /// # Errors
    /// [`Error::Cancelled`], [`Error::Database`], [`Error::Model`].
    pub(crate) fn block(
        &self,
        page: &str,
        info: &str,
        text: &str,
    ) -> Result<std::result::Result<Shown, Message>> {
        let is_base = is_base(info);
        let without = |reason| match is_base {
            true => message!("This base has no answer: {reason}", reason),
            false => message!("This query has no answer: {reason}", reason),
        };
        self.answer(without, || match is_base {
            true => self.base(page, text, None),
            false => {
                let table = QueryBlock::parse(info, text)?.answer(self, LIMITS)?;
                self.context.index.read(|db| Writer { page, db }.shown(&table))
            }
        })
    }

    /// The answer of the base in a file of the project, as [`Queries::block`]; `view` is the name of the view (default:
    /// the first).
    ///
    /// # Errors
    /// As [`Queries::block`].
    pub(crate) fn file(
        &self,
        page: &str,
        file: &str,
        view: Option<&str>,
    ) -> Result<std::result::Result<Shown, Message>> {
        self.answer(
            |reason| message!("`{file}` has no answer: {reason}", file, reason),
            || {
                let bytes = match self.context.source.read_source(file) {
                    Ok(bytes) => bytes,
                    Err(Error::Io { .. } | Error::OutsideProject { .. }) => {
                        return Err(Error::invalid(message!("the file cannot be read")));
                    }
                    Err(error) => return Err(error),
                };
                self.base(page, &page::decode(&bytes).0, view)
            },
        )
    }

    fn base(&self, page: &str, text: &str, view: Option<&str>) -> Result<Shown> {
        let base = Base::parse(text).map_err(|problem| problem.refusal())?;
        let answered = base.answer(self.context, self.pages()?, page, view, LIMITS)?;
        let shown = self.context.index.read(|db| Writer { page, db }.shown(&answered.table))?;
        Ok(Shown { notes: answered.notes, ..shown })
    }

    fn answer(
        &self,
        without: impl FnOnce(Message) -> Message,
        ask: impl FnOnce() -> Result<Shown>,
    ) -> Result<std::result::Result<Shown, Message>> {
        self.asked.set(self.asked.get() + 1);
        let answer = match self.asked.get() {
            ..=MOST => ask(),
            _ => Err(Error::invalid(message!("a page can have at most {most} queries", most = MOST))),
        };
        match answer {
            Ok(shown) => Ok(Ok(shown)),
            Err(Error::InvalidParams { message, .. }) => Ok(Err(without(message))),
            Err(error) => Err(error),
        }
    }

    pub(super) fn all(&self) -> Result<&Schema> {
        if let Some(known) = self.all.get() {
            return Ok(known);
        }
        let schema = Schema::read(self.context, None)?;
        Ok(self.all.get_or_init(|| schema))
    }

    fn pages(&self) -> Result<&Pages> {
        if let Some(known) = self.pages.get() {
            return Ok(known);
        }
        let pages = Pages::read(self.context)?;
        Ok(self.pages.get_or_init(|| pages))
    }
}

#[cfg(test)]
mod tests;
