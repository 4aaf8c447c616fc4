//! What a site has besides the text of a page: the order of its pages, the way to a page and on from it, and the
//! facts that the web app shows before it has loaded the database, which only a search needs.

use super::site::{Entry, SiteFile, as_script, push_link};
use super::words::Words;
use crate::ops::{get_page, list_pages};
use crate::render::escape;
use crate::render::url::{self, ALL_PAGES};
use crate::{Context, Result, embed, path};

/// The pages before and after a page, in the order of the site.
#[derive(Clone, Copy, Default)]
pub(super) struct Neighbours<'a> {
    pub before: Option<&'a Entry>,
    pub after: Option<&'a Entry>,
}

impl<'a> Neighbours<'a> {
    /// Those of the page at `at`.
    pub fn of(entries: &'a [Entry], at: usize) -> Self {
        Self { before: at.checked_sub(1).and_then(|at| entries.get(at)), after: entries.get(at + 1) }
    }
}

/// Sorts pages into the order of the site: the first page, then folder by folder, each with its pages before its
/// subfolders. In a folder, pages with a number as `order` in their front matter come first.
pub(super) fn sort(entries: &mut [Entry], home: Option<&Entry>) {
    let home = home.map(|home| home.number);
    entries.sort_by(|a, b| {
        let is_home = |entry: &Entry| Some(entry.number) == home;
        let order = |entry: &Entry| entry.order.unwrap_or(f64::INFINITY);
        is_home(b)
            .cmp(&is_home(a))
            .then_with(|| path::folder(&a.path).split('/').cmp(path::folder(&b.path).split('/')))
            .then_with(|| order(a).total_cmp(&order(b)))
            .then_with(|| a.path.cmp(&b.path))
    });
}

/// The place of a page in its folder, from its front matter, where numbers may be quoted.
pub(super) fn order(fields: &serde_json::Value) -> Option<f64> {
    let value = fields.get("order")?;
    let number = value.as_f64().or_else(|| value.as_str()?.trim().parse().ok())?;
    number.is_finite().then_some(number)
}

/// The folders above a page, as links into the list of all pages; empty for a page in no folder.
pub(super) fn way(entry: &Entry, file: &str, words: &Words) -> String {
    let mut html = String::new();
    for (end, _) in entry.path.match_indices('/') {
        let above = entry.path.get(..end).unwrap_or_default();
        if !html.is_empty() {
            html += " / ";
        }
        html += "<a href=\"";
        html += &url::relative(file, ALL_PAGES);
        html += "#";
        html += &url::encoded_fragment(&folder_id(above));
        html += "\">";
        escape(&mut html, above.rsplit('/').next().unwrap_or(above));
        html += "</a>";
    }
    if html.is_empty() {
        html
    } else {
        format!("<nav class=\"way\" aria-label=\"{}\">{html}</nav>\n", words.folders)
    }
}

/// The id of a folder in the list of all pages, without white space, as HTML requires.
pub(super) fn folder_id(folder: &str) -> String {
    let mut id = "folder/".to_owned();
    for character in folder.chars() {
        if character == '%' || character.is_ascii_whitespace() {
            id += &format!("%{:02X}", u32::from(character));
        } else {
            id.push(character);
        }
    }
    id
}

/// The heading of a folder in the list of all pages, below the folder listed before it. It is also where links to those
/// folders above it lead that have no pages of their own.
pub(super) fn folder_heading(folder: &str, before: Option<&str>) -> String {
    let mut html = String::new();
    for (end, _) in folder.match_indices('/') {
        let above = folder.get(..end).unwrap_or_default();
        if before.is_some_and(|before| is_in(before, above)) {
            continue;
        }
        html += "<span id=\"";
        escape(&mut html, &folder_id(above));
        html += "\"></span>";
    }
    html += "<h2 id=\"";
    escape(&mut html, &folder_id(folder));
    html += "\">";
    escape(&mut html, folder);
    html += "</h2>\n";
    html
}

fn is_in(folder: &str, above: &str) -> bool {
    folder.strip_prefix(above).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// The foot of a page: where to edit it, and the pages before and after it.
pub(super) fn foot(
    context: &Context<'_>,
    entry: &Entry,
    neighbours: Neighbours<'_>,
    file: &str,
    words: &Words,
) -> String {
    let mut html = String::new();
    if let Some(pattern) = &context.manifest.export.edit_url {
        let source = path::join(context.pages_dir(), &entry.path).unwrap_or_default();
        html += "<p class=\"edit\"><a rel=\"noopener\" href=\"";
        escape(&mut html, &pattern.replace("{path}", &url::encoded(&source)));
        html += "\">";
        html += words.edit;
        html += "</a></p>\n";
    }
    let mut ways = String::new();
    for (class, text, to) in
        [("previous", words.previous, neighbours.before), ("next", words.next, neighbours.after)]
    {
        let Some(to) = to else { continue };
        ways += &format!("<div class=\"{class}\"><span>{text}</span> ");
        push_link(&mut ways, file, &to.path, &to.title, &to.file);
        ways += "</div>\n";
    }
    if !ways.is_empty() {
        html += &format!("<nav class=\"neighbours\" aria-label=\"{}\">\n{ways}</nav>\n", words.neighbours);
    }
    if html.is_empty() { html } else { format!("<footer class=\"page-foot\">\n{html}</footer>\n") }
}

/// The list of pages, as `list_pages` answers it.
pub(super) fn list(context: &Context<'_>) -> Result<SiteFile> {
    let answer = list_pages::run(context, list_pages::Params::default())?;
    let bytes = serde_json::to_vec(&answer).map_err(|error| crate::Error::Internal(error.to_string()))?;
    Ok(SiteFile { path: format!("data/pages.{}.json", embed::short_hash(&bytes)), bytes })
}

/// A page as `get_page` answers it, but without its text, as a script that does nothing.
pub(super) fn facts(context: &Context<'_>, entry: &Entry) -> Result<String> {
    let params = get_page::Params {
        filepath: Some(entry.path.clone()),
        // The page itself shows them.
        answers: Some(false),
        ..get_page::Params::default()
    };
    let mut page = get_page::run(context, params)?;
    page.content.clear();
    page.sections.clear();
    page.answers.clear();
    Ok(as_script("ubp-page", &page))
}
