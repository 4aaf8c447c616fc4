//! Shows the answers of queries and bases in pages. The module for browsers has no table of pages and shows the query.
//! Blocks that name code are found here, too.

use pulldown_cmark::{CodeBlockKind, Event, Tag};

use super::Job;
use super::body::Body;
use super::html::Html;
use crate::message::Message;
use crate::page::{self, Link};
use crate::query::{self, Part, Shown};
use crate::{Result, path};

impl Body<'_> {
    /// Whether an event is part of a query, or of a block that names code. At its end, the answer or the code is written,
    /// or why there is none.
    pub(super) fn is_in_query(&mut self, event: &Event<'_>) -> Result<bool> {
        if self.job.is_answer.get() {
            return Ok(false);
        }
        match (&mut self.query, event) {
            (None, Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info))))
                if query::is_query(info) || page::is_source(info) =>
            {
                self.query = Some((info.to_string(), String::new()));
            }
            (None, _) => return Ok(false),
            (Some((_, text)), Event::Text(part)) => text.push_str(part),
            (Some(_), _) => {
                if let Some((info, text)) = self.query.take() {
                    if page::is_source(&info) {
                        self.show_source(&info, &text)?;
                        return Ok(true);
                    }
                    let answer = self.job.queries.block(&self.page.path, &info, &text)?;
                    let html = self.answer(answer)?;
                    self.block(&html);
                }
            }
        }
        Ok(true)
    }

    /// Writes the answer of an embedded base. False if `file` is no base, or no block can be written here.
    pub(super) fn embed_base(&mut self, link: &Link, file: &str) -> Result<bool> {
        if self.job.is_answer.get() || !path::is_base(file) || !self.takes_blocks() {
            return Ok(false);
        }
        let view = query::base_and_view(&link.target).1;
        let answer = self.job.queries.file(&self.page.path, file, view)?;
        let html = self.answer(answer)?;
        self.interrupt_paragraph();
        self.out.open("section", &[("class", "embed"), ("data-file", file)]);
        self.out.raw("\n<p class=\"embed-title\">");
        let name = path::file_name(file).trim_end_matches(".base");
        let title = view.map_or_else(|| name.to_owned(), |view| format!("{name} > {view}"));
        self.file_link(file, link.text.as_deref().unwrap_or(&title));
        self.out.raw("</p>\n");
        self.out.raw(&html);
        self.block("</section>\n");
        Ok(true)
    }

    fn answer(&self, answer: std::result::Result<Shown, Message>) -> Result<String> {
        let mut out = Html::default();
        let part = |markdown: &str| self.job.answer_part(self.page.number, markdown);
        match answer {
            Ok(Shown { parts, is_board, notes }) => {
                out.open("div", &[("class", if is_board { "query board" } else { "query" })]);
                for Part { heading, markdown } in parts {
                    if let Some(heading) = &heading {
                        out.raw("<section><p class=\"query-group\">");
                        out.text(heading);
                        out.raw("</p>");
                    }
                    out.raw(&part(&markdown)?);
                    out.raw(if heading.is_some() { "</section>" } else { "" });
                }
                out.raw("</div>\n");
                if !notes.is_empty() {
                    out.raw("<div class=\"query-notes\">");
                    for note in notes {
                        out.raw(&part(&note.told_to_reader())?);
                    }
                    out.raw("</div>\n");
                }
            }
            Err(reason) => {
                out.raw("<div class=\"query query-problem\">");
                out.raw(&part(&reason.told_to_reader())?);
                out.raw("</div>\n");
            }
        }
        Ok(out.into_string())
    }
}

impl Job<'_> {
    /// A part of an answer on a page as HTML.
    fn answer_part(&self, page: i64, markdown: &str) -> Result<String> {
        let loaded = self.renderer.load_with_text(page, markdown)?;
        self.is_answer.set(true);
        let html = Body::new(self, &loaded, Some(0..markdown.len())).run();
        self.is_answer.set(false);
        html
    }
}
