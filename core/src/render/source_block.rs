//! Shows the code that a block names, as it is now.

use std::cell::Cell;

use super::body::Body;
use super::{EMBEDDED_BYTES, EMBEDS, Renderer};
use crate::Result;
use crate::excerpt::{Excerpt, Excerpts, Extent};
use crate::message;
use crate::message::Message;
use crate::page;

/// The code that one page shows, with its embedded pages.
pub(super) struct Sources<'a> {
    excerpts: Excerpts<'a>,
    /// Number of excerpts so far.
    shown: Cell<usize>,
    /// Bytes of their text.
    bytes: Cell<usize>,
}

impl<'a> Sources<'a> {
    pub(super) fn new(renderer: &Renderer<'a>) -> Self {
        let excerpts = Excerpts::new(renderer.context);
        let excerpts = if renderer.suggests { excerpts } else { excerpts.without_suggestions() };
        Self { excerpts, shown: Cell::new(0), bytes: Cell::new(0) }
    }

    fn find(&self, named: &str) -> Result<std::result::Result<Vec<Excerpt>, Message>> {
        self.shown.set(self.shown.get() + 1);
        let too_much = || message!("{named} is not shown: the page shows too much code", named = named);
        if self.shown.get() > EMBEDS || self.bytes.get() > EMBEDDED_BYTES {
            return Ok(Err(too_much()));
        }
        let found = self.excerpts.find(named, Extent::Whole)?;
        let size = found.iter().flatten().map(|excerpt| excerpt.text.len()).sum::<usize>();
        self.bytes.set(self.bytes.get() + size);
        Ok(if self.bytes.get() > EMBEDDED_BYTES { Err(too_much()) } else { found })
    }
}

impl Body<'_> {
    /// Writes the code that a block with this info string and text names, or why it is not shown.
    pub(super) fn show_source(&mut self, info: &str, text: &str) -> Result<()> {
        let named = page::sources_named(info, text);
        if named.is_empty() {
            let told = message!("This block names no code: write the path of a file after `ubp-source`.");
            self.source_problem(&told);
        }
        for named in named {
            match self.job.sources.find(named)? {
                Ok(excerpts) => excerpts.iter().for_each(|excerpt| self.excerpt(named, excerpt)),
                Err(told) => self.source_problem(&told),
            }
        }
        Ok(())
    }

    fn excerpt(&mut self, named: &str, Excerpt { file, lines: (first, last), text, .. }: &Excerpt) {
        self.out.open("figure", &[("class", "source-block"), ("data-source", file)]);
        self.out.raw("<figcaption>");
        let lines = format!("L{first}-L{last}");
        self.out.open("code", &[("class", "link source"), ("data-source", file), ("data-lines", &lines)]);
        self.out.text(named);
        self.out.raw("</code> <span class=\"source-lines\">");
        let lines = match first == last {
            true => message!("line {first}", first = *first),
            false => message!("lines {first}-{last}", first = *first, last = *last),
        };
        self.out.text(&lines.told_to_reader());
        self.out.raw("</span></figcaption>\n<pre>");
        match crate::excerpt::language(file) {
            language if language.is_empty() => self.out.raw("<code>"),
            language => self.out.open("code", &[("class", &format!("language-{language}"))]),
        }
        self.out.text(text);
        self.out.raw("\n");
        self.block("</code></pre></figure>\n");
    }

    fn source_problem(&mut self, told: &Message) {
        self.out.raw("<div class=\"query source-block query-problem\"><p>");
        self.out.text(&told.told_to_reader());
        self.block("</p></div>\n");
    }
}
