//! Shows the answers of queries in pages. The module for browsers has no table of pages and shows the query.

use pulldown_cmark::{CodeBlockKind, Event, Tag};

use super::body::Body;
use super::html::Html;
use crate::Result;
use crate::query::{self, Part};

impl Body<'_> {
    /// Whether an event is part of a query. At its end, the answer is written, or why there is none.
    pub(super) fn is_in_query(&mut self, event: &Event<'_>) -> Result<bool> {
        match (&mut self.query, event) {
            (None, Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info)))) if query::is_query(info) => {
                self.query = Some((info.to_string(), String::new()));
            }
            (None, _) => return Ok(false),
            (Some((_, text)), Event::Text(part)) => text.push_str(part),
            (Some(_), _) => {
                if let Some((info, text)) = self.query.take() {
                    self.answer(&info, &text)?;
                }
            }
        }
        Ok(true)
    }

    fn answer(&mut self, info: &str, text: &str) -> Result<()> {
        let mut out = Html::default();
        match self.job.queries.answer(&self.page.path, info, text)? {
            Ok(parts) => {
                let is_board = parts.iter().any(|part| part.heading.is_some());
                out.open("div", &[("class", if is_board { "query board" } else { "query" })]);
                for Part { heading, markdown } in parts {
                    if let Some(heading) = &heading {
                        out.raw("<section><p class=\"query-group\">");
                        out.text(heading);
                        out.raw("</p>");
                    }
                    out.raw(&self.job.renderer.part(self.page.number, &markdown)?);
                    out.raw(if heading.is_some() { "</section>" } else { "" });
                }
                out.raw("</div>\n");
            }
            Err(reason) => {
                out.raw("<div class=\"query query-problem\">");
                out.raw(&self.job.renderer.part(self.page.number, &reason)?);
                out.raw("</div>\n");
            }
        }
        self.block(&out.into_string());
        Ok(())
    }
}
