//! Pages as HTML that is safe to show. All tags and attributes are written by this program, also those of a page's
//! own HTML, which are limited to known ones; no address runs a script. [`crate::page`] finds the links and the index resolves
//! them; neither is repeated here.
//!
//! **Invariants**
//! - Markup is well-formed and every id is unique, for any page (`tests/safety.rs` parses the result more
//!   strictly than a browser does).
//! - The size of the HTML is bounded by the size of the page and of a fixed number of others (`tests/bounds.rs`).

mod attachments;
mod blocks;
mod body;
mod callout;
mod elements;
mod html;
mod links;
mod load;
mod math;
mod notes;
mod own_html;
#[cfg(not(target_family = "wasm"))]
mod query_block;
#[cfg(not(target_family = "wasm"))]
mod source_block;
mod survey;
mod text;
pub mod url;

#[cfg(test)]
mod tests;

use std::cell::{Cell, RefCell};
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

pub use crate::graph::resolve::is_attachment;
pub use attachments::Attachments;
#[cfg(not(target_family = "wasm"))]
pub(crate) use attachments::is_picture;

pub(crate) use html::{escape, visible};
pub(crate) use survey::addresses_in_html;

use body::Body;
use load::{Loaded, Place, Target};

pub(crate) use load::place_id;

use crate::Context;
use crate::graph::resolve::Origin;
use crate::page::{LinkKind, LinkTypes};
use crate::{Error, Result, index};

/// Maximum depth of embedded pages.
const DEPTH: usize = 4;

/// Maximum number of embedded parts on one page; further ones become links.
const EMBEDS: usize = 50;

/// Maximum size of the text that one page may embed, in bytes; the HTML for it may be twice as large.
const EMBEDDED_BYTES: usize = 256 * 1024;

/// A page as HTML.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rendered {
    /// Path relative to the pages folder.
    pub filepath: String,
    /// Its title.
    pub title: String,
    /// The file of a site that shows it, relative to the top of the site, not encoded.
    pub file: String,
    /// Its text without front matter. Of a first heading that repeats the title, only an empty element with its id is
    /// kept.
    pub html: String,
    /// Its headings in order, including a first one that repeats the title.
    pub headings: Vec<Heading>,
    /// Paths, relative to the project, of the pictures and attachments that it shows or links to.
    pub attachments: BTreeSet<String>,
}

/// A heading of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Heading {
    /// Level, 1 to 6.
    pub level: u8,
    /// Its text without markup.
    pub text: String,
    /// The id of its element and of the section.
    pub slug: String,
    /// Its line in the file, from 1.
    pub line: usize,
}

/// Renders pages of one project.
pub struct Renderer<'a> {
    context: &'a Context<'a>,
    types: LinkTypes,
    attachments: Attachments<'a>,
    /// Whether notes tell names of files and symbols that no page names.
    #[cfg(not(target_family = "wasm"))]
    suggests: bool,
}

impl<'a> Renderer<'a> {
    /// A renderer for the project of `context`.
    pub fn new(context: &'a Context<'a>) -> Self {
        Self {
            context,
            types: context.link_types(),
            attachments: Attachments::new(context.source, context.pages_dir()),
            #[cfg(not(target_family = "wasm"))]
            suggests: true,
        }
    }

    /// The same for readers who must not learn the names of files and symbols that no page names.
    pub(crate) fn for_publication(self) -> Self {
        Self {
            #[cfg(not(target_family = "wasm"))]
            suggests: false,
            ..self
        }
    }

    /// Renders the page with the number `page`. Links are relative to `at`, the file of the site that shows the page
    /// (default: its own file).
    ///
    /// # Errors
    /// [`Error::PageNotFound`] if the page no longer exists, [`Error::Database`], [`Error::Io`].
    pub fn page(&self, page: i64, at: Option<&str>) -> Result<Rendered> {
        let loaded = self.load(page)?;
        let job = self.job(page, at.unwrap_or(&loaded.file).to_owned());
        job.loaded.borrow_mut().insert(page, loaded.clone());
        let html = Body::new(&job, &loaded, None).run()?;
        let headings = loaded.sections.iter().filter(|section| section.level > 0);
        let headings = headings.map(|section| Heading {
            level: section.level,
            text: section.heading_path.last().cloned().unwrap_or_default(),
            slug: section.id.clone(),
            line: section.line,
        });
        Ok(Rendered {
            filepath: loaded.path.clone(),
            title: loaded.title.clone(),
            file: loaded.file.clone(),
            html,
            headings: headings.collect(),
            attachments: job.attachments.into_inner(),
        })
    }

    /// Renders Markdown as a part of the page with the number `page`, which it need not be yet: links are resolved as
    /// on that page. As in an embedded part, nothing in it has an id of the page.
    ///
    /// # Errors
    /// As [`Renderer::page`].
    pub fn part(&self, page: i64, text: &str) -> Result<String> {
        let loaded = self.load_with_text(page, text)?;
        let job = self.job(page, loaded.file.clone());
        Body::new(&job, &loaded, Some(0..text.len())).run()
    }

    fn job(&self, page: i64, at: String) -> Job<'_> {
        Job {
            renderer: self,
            at,
            open: RefCell::new(vec![(page, None)]),
            embeds: Cell::new(0),
            bytes: Cell::new(0),
            html: Cell::new(0),
            #[cfg(not(target_family = "wasm"))]
            queries: crate::query::Queries::new(self.context),
            #[cfg(not(target_family = "wasm"))]
            is_answer: Cell::new(false),
            #[cfg(not(target_family = "wasm"))]
            sources: source_block::Sources::new(self),
            loaded: RefCell::default(),
            attachments: RefCell::default(),
        }
    }

    fn load(&self, page: i64) -> Result<Rc<Loaded>> {
        self.load_alone(page).map(Rc::new)
    }

    fn load_alone(&self, page: i64) -> Result<Loaded> {
        let loaded = self.context.index.read(|db| Loaded::load(db, page))?;
        loaded.ok_or_else(|| Error::PageNotFound { page: page.to_string(), similar: Vec::new() })
    }

    /// The page with other text; links that the index does not have are resolved.
    fn load_with_text(&self, page: i64, text: &str) -> Result<Loaded> {
        let target = |page: &Loaded, kind, target: &str| self.target(page, kind, target);
        self.load_alone(page)?.with_text(text, &self.types, target)
    }

    /// The target of a link that the index does not have, on `page`.
    fn target(&self, page: &Loaded, kind: LinkKind, target: &str) -> Result<Target> {
        let origin = Origin { page: page.number, path: &page.path, pages_dir: self.context.pages_dir() };
        self.context
            .index
            .read(|db| load::target(db, index::destination(db, self.context.source, kind, target, origin)?))
    }
}

/// The rendering of one page, including everything that it embeds.
struct Job<'a> {
    renderer: &'a Renderer<'a>,
    /// The file of the site that links are relative to.
    at: String,
    /// Pages, and places on them, that are being rendered, outermost first.
    open: RefCell<Vec<(i64, Option<String>)>>,
    /// Number of parts embedded so far.
    embeds: Cell<usize>,
    /// Bytes of text read for them.
    bytes: Cell<usize>,
    /// Bytes of HTML written for them.
    html: Cell<usize>,
    #[cfg(not(target_family = "wasm"))]
    queries: crate::query::Queries<'a>,
    /// Whether an answer is being rendered. Answers embed and ask nothing, because they could contain themselves.
    #[cfg(not(target_family = "wasm"))]
    is_answer: Cell<bool>,
    #[cfg(not(target_family = "wasm"))]
    sources: source_block::Sources<'a>,
    loaded: RefCell<HashMap<i64, Rc<Loaded>>>,
    attachments: RefCell<BTreeSet<String>>,
}

impl Job<'_> {
    /// The embedded part of a page as HTML; `None` if it is too large, too deep, in an answer or embeds itself.
    fn embedded(&self, place: &Place) -> Result<Option<String>> {
        #[cfg(not(target_family = "wasm"))]
        if self.is_answer.get() {
            return Ok(None);
        }
        let part = (place.page, place.id.clone());
        let depth = self.open.borrow().len();
        if depth > DEPTH || self.embeds.get() >= EMBEDS || self.open.borrow().contains(&part) {
            return Ok(None);
        }
        let held = self.loaded.borrow().get(&place.page).cloned();
        let loaded = match held {
            Some(loaded) => loaded,
            None => match self.renderer.load(place.page) {
                Ok(loaded) => loaded,
                Err(Error::PageNotFound { .. }) => return Ok(None),
                Err(error) => return Err(error),
            },
        };
        self.loaded.borrow_mut().insert(place.page, loaded.clone());
        let bytes = self.bytes.get() + loaded.text.len();
        if bytes > EMBEDDED_BYTES {
            return Ok(None);
        }
        self.bytes.set(bytes);
        self.embeds.set(self.embeds.get() + 1);
        let Some(window) = blocks::window(&loaded, place, &self.renderer.types) else { return Ok(None) };
        self.open.borrow_mut().push(part);
        let html = Body::new(self, &loaded, Some(window)).run();
        self.open.borrow_mut().pop();
        let html = html?;
        let made = self.html.get() + html.len();
        let fits = made <= 2 * EMBEDDED_BYTES;
        if fits {
            self.html.set(made);
        }
        Ok(fits.then_some(html))
    }

    /// The URL of a file of the site, relative to the file that shows the page.
    fn href(&self, file: &str, id: Option<&str>) -> String {
        let place = id.map(|id| format!("#{}", url::encoded_fragment(id))).unwrap_or_default();
        if file == self.at && id.is_some() {
            return place;
        }
        url::relative(&self.at, file) + &place
    }
}
