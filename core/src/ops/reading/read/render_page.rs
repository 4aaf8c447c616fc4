//! One page as HTML, for programs that display it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Context;
use crate::Result;
use crate::ops::Facts;
use crate::ops::page::{IndexState, PageName};
use crate::render::{self, Renderer};
use crate::show::{Page, Span};

/// Facts about this operation.
pub const FACTS: Facts = Facts::reading(
    "Read one page as HTML that is safe to show, with its headings and its address on a site.",
);

/// The page.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// The page: path, id, title or alias.
    pub page: Option<String>,
    /// Its path, instead of `page`.
    pub filepath: Option<String>,
    /// Its title, instead of `page`.
    pub title: Option<String>,
    /// Its id, instead of `page`.
    pub id: Option<String>,
}

/// The page.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Output {
    /// Its path relative to the pages folder.
    pub filepath: String,
    /// Its title.
    pub title: String,
    /// Its address on a site, relative to the site's root, percent-encoded. Links in `html` are relative to it.
    pub url: String,
    /// Its text without front matter. Of its own HTML, known elements and attributes are kept; nothing in it runs a
    /// script. A first heading equal to the title is omitted, except for an empty element with its id.
    pub html: String,
    /// Its headings in order, including a first one equal to the title.
    pub headings: Vec<HeadingInfo>,
    /// Whether the index is up to date.
    pub index: IndexState,
}

/// A heading of the page.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct HeadingInfo {
    /// 1 to 6.
    pub level: u8,
    /// Its text without markup.
    pub text: String,
    /// The id of its element, equal to the `section_id` of its section.
    pub slug: String,
    /// Its line in the file, from 1.
    pub line: usize,
}

impl From<render::Heading> for HeadingInfo {
    fn from(heading: render::Heading) -> Self {
        let render::Heading { level, text, slug, line } = heading;
        Self { level, text, slug, line }
    }
}

/// Renders the page.
///
/// # Errors
/// [`crate::Error::PageNotFound`], [`crate::Error::AmbiguousPage`], [`crate::Error::InvalidParams`].
pub fn run(context: &Context<'_>, params: Params) -> Result<Output> {
    let name = PageName::of(&params.page, &params.filepath, &params.title, &params.id);
    let page = context.index.read(|db| name.require(db))?;
    let rendered = Renderer::new(context).page(page, None)?;
    Ok(Output {
        filepath: rendered.filepath,
        title: rendered.title,
        url: render::url::encoded(&rendered.file),
        html: rendered.html,
        headings: rendered.headings.into_iter().map(Into::into).collect(),
        index: context.index_state()?,
    })
}

/// Shows the page with its HTML unchanged.
pub fn show(output: &Output, page: &mut dyn Page) {
    page.heading(&[Span::Strong(&output.title), Span::Text("  "), Span::Path(&output.filepath)]);
    page.handle("url", &output.url);
    page.text(&output.html);
    output.index.show(page);
}
