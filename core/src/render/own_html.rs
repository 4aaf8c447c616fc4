//! The HTML that a page contains besides Markdown. A tokenizer reads it, and [`elements`] says what is kept. Every
//! tag is written anew and closed in its place, so a page cannot close an element of the application, and a browser
//! builds the same tree as this module.

use std::collections::HashSet;

use html5gum::emitters::default::DefaultEmitter;
use html5gum::{StartTag, Token, Tokenizer};

use super::body::Body;
use super::elements::{self, Element, Kind};
use super::links::Size;
use crate::Result;

/// Maximum depth of elements inside each other; further ones are dropped.
const DEPTH: usize = 64;

/// Ids of elements start with this, so that a page cannot take the id of a heading or of the application.
const ID: &str = "html:";

/// An element that is open.
enum Layer {
    /// Written by Markdown; elements of the page cannot be closed beyond it.
    Markdown,
    Own {
        name: &'static str,
        written: &'static str,
        kind: Kind,
    },
}

/// The open elements of a page.
#[derive(Default)]
pub(super) struct OwnHtml {
    layers: Vec<Layer>,
    /// Number of open elements of the page.
    depth: usize,
    /// Number of open `a` elements of the page.
    anchors: usize,
    /// Whether a dropped element separates the last text from the next.
    gap: bool,
    ids: HashSet<String>,
}

impl OwnHtml {
    /// Whether the text here is inside an `a` element of the page.
    pub(super) fn is_in_anchor(&self) -> bool {
        self.anchors > 0
    }

    /// Whether no element of the page was opened inside the innermost one of Markdown.
    pub(super) fn is_clear(&self) -> bool {
        !matches!(self.layers.last(), Some(Layer::Own { .. }))
    }

    fn floor(&self) -> usize {
        self.layers.iter().rposition(|layer| matches!(layer, Layer::Markdown)).map_or(0, |at| at + 1)
    }

    /// Where the nearest open element with one of these names is, inside the innermost one of Markdown.
    fn nearest(&self, names: &[&str]) -> Option<usize> {
        let floor = self.floor();
        let own = self.layers.get(floor..)?;
        let is_named = |layer: &Layer| matches!(layer, Layer::Own { name, .. } if names.contains(name));
        own.iter().rposition(is_named).map(|at| floor + at)
    }

    fn top(&self) -> Option<Kind> {
        match self.layers.last() {
            Some(Layer::Own { kind, .. }) => Some(*kind),
            _ => None,
        }
    }
}

impl Body<'_> {
    /// An element of Markdown was opened.
    pub(super) fn enter(&mut self) {
        self.own.layers.push(Layer::Markdown);
    }

    /// An element of Markdown will be closed: closes what the page opened in it.
    pub(super) fn leave(&mut self) {
        self.close_to(self.own.floor());
        self.own.layers.pop();
    }

    /// Closes everything that the page opened.
    pub(super) fn close_own(&mut self) {
        self.close_to(0);
    }

    fn close_to(&mut self, length: usize) {
        while self.own.layers.len() > length {
            let Some(Layer::Own { name, written, kind }) = self.own.layers.pop() else { continue };
            self.own.depth -= 1;
            self.own.anchors -= usize::from(name == "a");
            let end = format!("</{written}>");
            if matches!(kind, Kind::Phrasing) {
                self.out.raw(&end);
            } else {
                self.close_block(&(end + "\n"));
            }
        }
    }

    /// Reads an HTML block of Markdown.
    pub(super) fn html_block(&mut self, html: &str) -> Result<()> {
        let tokens: Vec<_> = tokens(html).collect();
        let mut hidden: Option<Vec<u8>> = None;
        for (at, token) in tokens.iter().enumerate() {
            match token {
                Token::EndTag(tag) if hidden.as_deref() == Some(&tag.name) => hidden = None,
                _ if hidden.is_some() => {}
                Token::StartTag(tag) if elements::is_hidden(&tag.name) => {
                    hidden = (!tag.self_closing).then(|| tag.name.to_vec());
                    self.own.gap = true;
                }
                Token::StartTag(tag) => {
                    let closes = |token: &Token| matches!(token, Token::EndTag(end) if end.name == tag.name);
                    let is_closed = tokens.get(at..).is_some_and(|rest| rest.iter().any(closes));
                    self.own_start(tag, true, is_closed)?;
                }
                Token::EndTag(tag) => self.own_end(&tag.name),
                Token::String(text) => self.own_text(&String::from_utf8_lossy(text)),
                _ => {}
            }
        }
        // Text does not continue in the next block.
        while matches!(self.own.top(), Some(Kind::Phrasing | Kind::Text)) {
            self.close_to(self.own.layers.len() - 1);
        }
        Ok(())
    }

    /// Reads a tag inside a text of Markdown.
    pub(super) fn inline_html(&mut self, html: &str) -> Result<()> {
        if self.is_hidden() {
            return Ok(());
        }
        for token in tokens(html) {
            match token {
                Token::StartTag(tag) => self.own_start(&tag, false, true)?,
                Token::EndTag(tag) => self.own_end(&tag.name),
                _ => {}
            }
        }
        Ok(())
    }

    /// Opens or closes `==highlighted text==`.
    pub(super) fn highlight(&mut self, opens: bool) {
        if self.is_hidden() {
            return;
        }
        match elements::find(b"mark").filter(|_| opens) {
            Some(element) => {
                self.open_paragraph();
                self.open_own(element, element.kind, &[]);
            }
            None => self.own_end(b"mark"),
        }
    }

    fn own_start(&mut self, tag: &StartTag<()>, in_block: bool, is_closed: bool) -> Result<()> {
        let Some(element) = elements::find(&tag.name) else {
            self.own.gap |= elements::separates(&tag.name);
            return Ok(());
        };
        if !self.has_place(element, in_block) {
            self.own.gap |= !matches!(element.kind, Kind::Phrasing | Kind::Void);
            return Ok(());
        }
        match element.name {
            "br" if in_block => self.out.raw("<br>\n"),
            "br" => self.line_break("<br>"),
            "hr" => self.block("<hr>\n"),
            "wbr" => self.out.raw("<wbr>"),
            "img" => self.own_picture(element, tag)?,
            "source" => self.own_source(element, tag)?,
            "a" => self.own_anchor(element, tag)?,
            // Markdown follows, in paragraphs of its own.
            "p" if !is_closed => self.open_as(element, "div", Kind::Blocks, tag),
            _ => self.open_as(element, element.written, element.kind, tag),
        }
        Ok(())
    }

    /// Whether the element may be here. Closes elements that end where it starts, as a browser would.
    fn has_place(&mut self, element: &Element, in_block: bool) -> bool {
        if self.own.depth >= DEPTH {
            return false;
        }
        if !element.parents.is_empty() {
            let Some(parent) = self.own.nearest(element.parents) else { return false };
            self.close_to(parent + 1);
            return true;
        }
        if matches!(element.kind, Kind::Phrasing | Kind::Void) {
            if self.own.top() == Some(Kind::Frame) {
                return false;
            }
            if in_block {
                self.own_paragraph();
            } else {
                self.open_paragraph();
            }
            return true;
        }
        if !in_block && !self.is_bare() {
            return false;
        }
        while matches!(self.own.top(), Some(Kind::Phrasing | Kind::Text)) {
            self.close_to(self.own.layers.len() - 1);
        }
        self.own.top() != Some(Kind::Frame)
    }

    /// Opens a paragraph for text of an HTML block that is not in any element of the page.
    fn own_paragraph(&mut self) {
        if self.own.is_clear()
            && let Some(element) = elements::find(b"p")
        {
            self.open_own(element, Kind::Text, &[]);
        }
    }

    fn open_as(&mut self, element: &'static Element, written: &'static str, kind: Kind, tag: &StartTag<()>) {
        let mut attributes = element.attributes(tag);
        attributes.extend(self.own_id(tag).map(|id| ("id", id)));
        self.open_layer(element.name, written, kind, &attributes);
    }

    fn open_own(&mut self, element: &'static Element, kind: Kind, attributes: &[(&'static str, String)]) {
        self.open_layer(element.name, element.written, kind, attributes);
    }

    fn open_layer(
        &mut self,
        name: &'static str,
        written: &'static str,
        kind: Kind,
        attributes: &[(&'static str, String)],
    ) {
        self.fill_gap("x");
        let attributes: Vec<_> = attributes.iter().map(|(name, value)| (*name, value.as_str())).collect();
        self.out.open(written, &attributes);
        if !matches!(kind, Kind::Phrasing) {
            self.start_leaf();
        }
        self.own.layers.push(Layer::Own { name, written, kind });
        self.own.depth += 1;
    }

    fn own_end(&mut self, name: &[u8]) {
        let found = elements::find(name);
        match found.and_then(|element| self.own.nearest(&[element.name])) {
            Some(at) => self.close_to(at),
            None => self.own.gap |= found.is_none() && elements::separates(name),
        }
    }

    fn own_text(&mut self, text: &str) {
        let in_text = !self.own.is_clear();
        if text.trim().is_empty() {
            if in_text {
                self.out.text(text);
            }
            return;
        }
        self.own_paragraph();
        self.saw_text();
        let text = if in_text { text } else { text.trim_start() };
        self.fill_gap(text);
        self.out.text(text);
    }

    /// Separates `text` from the text before it if an element between them was dropped.
    pub(super) fn fill_gap(&mut self, text: &str) {
        let is_apart =
            text.starts_with(char::is_whitespace) || self.is_at_start() || self.out.ends_with_space();
        if std::mem::take(&mut self.own.gap) && !text.is_empty() && !is_apart {
            self.out.raw(" ");
        }
    }

    /// The id of an element, once on a page and only on the page itself.
    fn own_id(&mut self, tag: &StartTag<()>) -> Option<String> {
        let name = ["id", "name"].into_iter().find_map(|key| elements::text_of(tag, key))?;
        let is_valid = !name.is_empty() && name.len() <= 200 && !name.contains(char::is_whitespace);
        (is_valid && self.window.is_none() && self.own.ids.insert(name.clone()))
            .then(|| format!("{ID}{name}"))
    }

    fn own_anchor(&mut self, element: &'static Element, tag: &StartTag<()>) -> Result<()> {
        let id = self.own_id(tag);
        if let Some(id) = &id {
            self.out.open("span", &[("class", "anchor"), ("id", id)]);
            self.out.raw("</span>");
        }
        let Some(address) = elements::text_of(tag, "href") else { return Ok(()) };
        if self.is_in_anchor() {
            return Ok(());
        }
        self.fill_gap("x");
        if let Some(written) = self.open_address(&address)? {
            self.own.layers.push(Layer::Own { name: element.name, written, kind: Kind::Phrasing });
            self.own.depth += 1;
            self.own.anchors += 1;
        }
        Ok(())
    }

    fn own_picture(&mut self, element: &Element, tag: &StartTag<()>) -> Result<()> {
        let Some(address) = elements::text_of(tag, "src") else { return Ok(()) };
        let description = elements::text_of(tag, "alt").unwrap_or_default();
        let picture = self.picture_at(address.trim())?;
        let attributes = element.attributes(tag);
        let named =
            |wanted| attributes.iter().find(|(name, _)| *name == wanted).map(|(_, value)| value.as_str());
        let size = Size { width: named("width"), height: named("height"), class: named("class") };
        self.picture(&picture, &description, &size);
        Ok(())
    }

    fn own_source(&mut self, element: &Element, tag: &StartTag<()>) -> Result<()> {
        let Some(addresses) = elements::text_of(tag, "srcset") else { return Ok(()) };
        let mut written = Vec::new();
        for (address, density) in candidates(&addresses) {
            let picture = self.picture_at(address)?;
            let Some(mut url) = self.picture_url(&picture) else { return Ok(()) };
            if let Some(density) = density.filter(|part| part.len() <= 8 && part.is_ascii()) {
                url = format!("{url} {density}");
            }
            written.push(url);
        }
        let attributes = element.attributes(tag);
        let mut attributes: Vec<_> = attributes.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let written = written.join(", ");
        attributes.push(("srcset", &written));
        self.out.open("source", &attributes);
        Ok(())
    }
}

/// The id of the element that a page names `name`.
pub(super) fn id_of(name: &str) -> String {
    format!("{ID}{name}")
}

/// The names that elements in `html` have, for links to them.
pub(super) fn names_in(html: &str) -> impl Iterator<Item = String> + '_ {
    tokens(html).filter_map(|token| match token {
        Token::StartTag(tag) => ["id", "name"].into_iter().find_map(|key| elements::text_of(&tag, key)),
        _ => None,
    })
}

/// The addresses of links and pictures in `html`.
pub(super) fn addresses_in(html: &str) -> Vec<String> {
    let mut found = Vec::new();
    for token in tokens(html) {
        let Token::StartTag(tag) = token else { continue };
        found.extend(["href", "src"].into_iter().filter_map(|name| elements::text_of(&tag, name)));
        found.extend(
            elements::text_of(&tag, "srcset")
                .into_iter()
                .flat_map(|set| candidates(&set).map(|(address, _)| address.to_owned()).collect::<Vec<_>>()),
        );
    }
    found
}

/// Addresses of a `srcset`, each with its width or density.
fn candidates(set: &str) -> impl Iterator<Item = (&str, Option<&str>)> {
    set.split(", ").filter_map(|candidate| {
        let mut parts = candidate.split_whitespace();
        Some((parts.next()?.trim_end_matches(','), parts.next()))
    })
}

fn tokens(html: &str) -> impl Iterator<Item = Token> + '_ {
    let mut emitter = DefaultEmitter::default();
    // The content of scripts and styles is not markup.
    emitter.naively_switch_states(true);
    Tokenizer::new_with_emitter(html, emitter).map(|token| match token {
        Ok(token) => token,
        Err(never) => match never {},
    })
}
