//! The files of a site that are built from pages. Each can be read without scripts and links to all others.

use std::collections::BTreeSet;

use rusqlite::Connection;
use serde::Serialize;

use super::Publication;
use super::around::{self, Neighbours};
use super::settings::{Folders, GuestOf, InHub, Semantic, SiteSettings};
use super::template::{Filling, Template, policy};
use super::words::{Words, own_language, told_in, words};
use crate::Context;
use crate::index::Index;
use crate::index::questions::names;
use crate::index::questions::pages::{self, PageRow};
use crate::message;
use crate::ops::{LinkInfo, backlinks};
use crate::render::url::{self, ALL_PAGES, HOME, NOT_FOUND};
use crate::render::{Rendered, Renderer, escape};
use crate::{Error, Result, path};

/// Maximum length of the description of a page for search engines and previews, in characters.
const DESCRIPTION: usize = 160;

/// File with the manifest of a site that browsers can install as an app.
pub const MANIFEST: &str = "ubp.webmanifest";

/// A file of the site.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SiteFile {
    /// Relative to the top of the site, `/`-separated.
    pub path: String,
    /// Its content.
    pub bytes: Vec<u8>,
}

/// Data for the web app on every page.
#[derive(Default, Serialize)]
pub(super) struct Description<'a> {
    pub mode: &'static str,
    pub root: &'a str,
    pub name: &'a str,
    pub page: Option<&'a str>,
    pub home: Option<&'a str>,
    pub database: Option<DatabaseFile<'a>>,
    /// File of the list of pages, relative to the top of the site.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub list: Option<&'a str>,
    pub semantic: Option<&'a Semantic>,
    pub version: &'a str,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub installable: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub style_nonce: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub folders: Option<&'a Folders>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hub: Option<&'a InHub>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub guest: Option<&'a GuestOf>,
}

#[derive(Serialize)]
pub(super) struct DatabaseFile<'a> {
    url: &'a str,
    bytes: u64,
}

/// A page with its place on the site.
pub(super) struct Entry {
    pub number: i64,
    pub path: String,
    pub title: String,
    pub file: String,
    language: Option<String>,
    /// Its place in its folder, from its front matter.
    pub order: Option<f64>,
}

/// A page of the site to write.
struct Shown<'a> {
    file: &'a str,
    /// File of the canonical address, if that is not `file`.
    canonical: Option<&'a str>,
    page: Option<&'a str>,
    title: &'a str,
    language: Option<&'a str>,
    /// HTML.
    description: &'a str,
    /// The page's facts for the web app, as a script.
    facts: String,
    content: String,
}

/// The static pages of a site.
pub struct Site<'a> {
    context: &'a Context<'a>,
    renderer: Renderer<'a>,
    template: &'a Template,
    settings: &'a SiteSettings,
    home: Option<Entry>,
    name: String,
    /// File of the list of pages; `None` if a server answers.
    list: Option<String>,
}

impl<'p> Publication<'p> {
    /// Passes every static page of the site to `write`. Returns the site's name.
    ///
    /// # Errors
    /// [`Error::Database`], [`Error::Io`], [`Error::Cancelled`], errors of `write`, and [`Error::InvalidParams`] if
    /// two pages would be the same file.
    pub fn write_pages(
        &self,
        index: &Index,
        template: &Template,
        settings: &SiteSettings,
        mut write: impl FnMut(SiteFile) -> Result<()>,
    ) -> Result<String> {
        let context = self.context(index);
        let list = around::list(&context)?;
        let site = Site::new(&context, template, settings)?;
        let renderer = site.renderer.for_publication();
        let site = Site { list: Some(list.path.clone()), renderer, ..site };
        let mut seen = BTreeSet::new();
        let mut once = |file: SiteFile| {
            if !seen.insert(file.path.clone()) {
                return Err(Error::invalid(message!("two pages would be the file {path}", path = file.path)));
            }
            write(file)
        };
        let entries = site.entries()?;
        once(list)?;
        for (done, entry) in entries.iter().enumerate() {
            context.cancel.check()?;
            once(site.page(entry, &entry.file, Neighbours::of(&entries, done))?)?;
            context.progress.advance(crate::progress::Stage::Site, done + 1, entries.len());
        }
        for file in site.others(&entries)? {
            once(file)?;
        }
        Ok(site.name)
    }
}

/// Inline style of pages that cannot link a style sheet: they are shown at any address, or before the reader may read files.
pub const LONE_STYLE: &str = ":root { color-scheme: light dark; --ink: light-dark(#1b2130, #e7e9ef); --accent: light-dark(#2547c4, #a3b8ff) }
body { margin: 0; background: light-dark(#fcfcfb, #13161c); color: var(--ink); font: 1.0625rem/1.65 'Inter Variable', Inter, system-ui, sans-serif }
main { max-width: 40rem; margin: 15vh auto; padding: 0 1.5rem }
h1 { margin: 0 0 0.5rem; font-size: 2.25rem; line-height: 1.2; letter-spacing: -0.02em }
p { color: light-dark(#454d5f, #b9c0ce) }
nav { display: flex; gap: 1rem }
a { color: var(--accent); text-underline-offset: 0.2em }";

impl<'a> Site<'a> {
    /// The site of the project of `context`.
    ///
    /// # Errors
    /// [`Error::Database`].
    pub fn new(context: &'a Context<'a>, template: &'a Template, settings: &'a SiteSettings) -> Result<Self> {
        let home = context.index.read(home)?;
        let named = context.manifest.export.title.clone();
        let name = named.or_else(|| home.as_ref().map(|entry| entry.title.clone()));
        let language = context.manifest.export.language.as_deref();
        Ok(Self {
            context,
            renderer: Renderer::new(context),
            template,
            settings,
            home,
            name: name.unwrap_or_else(|| words(language).all_pages.to_owned()),
            list: None,
        })
    }

    /// Its name, for people.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The content of `file`, a path relative to the top of the site, not encoded: a page or the list of pages.
    ///
    /// # Errors
    /// [`Error::Database`], [`Error::Io`].
    pub fn at(&self, file: &str) -> Result<Option<SiteFile>> {
        let found =
            self.context.index.read(|db| url::page_at(db, file)?.map(|page| entry(db, page)).transpose())?;
        match (found, &self.home) {
            (Some(entry), _) => self.page(&entry, file, Neighbours::default()).map(Some),
            (None, Some(home)) if file == HOME => self.page(home, HOME, Neighbours::default()).map(Some),
            (None, _) if file == ALL_PAGES || file == HOME => Ok(Some(self.list(file, &self.entries()?))),
            (None, _) => Ok(None),
        }
    }

    /// The page that a server shows for an address that does not exist, `depth` folders below the top of the site.
    pub fn missing(&self, depth: usize) -> SiteFile {
        let words = words(self.context.manifest.export.language.as_deref());
        let root = above(depth);
        let mut content = self.navigation(HOME, words).replace("href=\"", &format!("href=\"{root}"));
        content += "<article class=\"page not-found\"><header class=\"page-header\"><h1>";
        content += words.not_found;
        content += "</h1></header>\n<div class=\"prose\"><p>";
        content += words.not_found_text;
        content += "</p></div></article>\n";
        let shown = Shown {
            file: NOT_FOUND,
            canonical: None,
            page: None,
            title: words.not_found,
            language: self.context.manifest.export.language.as_deref(),
            description: "",
            facts: String::new(),
            content,
        };
        self.filled(shown, Some(&root))
    }

    /// All pages in the order of the site.
    fn entries(&self) -> Result<Vec<Entry>> {
        let mut entries = self.context.index.read(entries)?;
        around::sort(&mut entries, self.home.as_ref());
        Ok(entries)
    }

    fn page(&self, entry: &Entry, file: &str, neighbours: Neighbours<'_>) -> Result<SiteFile> {
        let is_exported = self.list.is_some();
        let language = self.language(entry);
        let rendered =
            &told_in(language, &self.settings.languages, || self.renderer.page(entry.number, Some(file)))?;
        let words = words(language);
        let mut content = self.navigation(file, words);
        content += "<article class=\"page\" data-page=\"";
        escape(&mut content, &entry.path);
        content += "\"><header class=\"page-header\">";
        if is_exported {
            content += &around::way(entry, file, words);
        }
        content += "<h1>";
        escape(&mut content, &entry.title);
        content += "</h1></header>\n";
        content += &outline(rendered, words);
        content += "<div class=\"prose\">\n";
        content += &rendered.html;
        content += "</div>";
        if is_exported {
            content += &around::foot(self.context, entry, neighbours, file, words);
        }
        content += "</article>\n";
        let links = self.context.index.read(|db| backlinks(db, entry.number))?;
        content += &self.links_here(&links, file, words)?;
        let description = excerpt(&rendered.html);
        let shown = Shown {
            file,
            canonical: Some(&entry.file),
            page: Some(&entry.path),
            title: &entry.title,
            language,
            description: &description,
            facts: if is_exported { around::facts(self.context, entry)? } else { String::new() },
            content,
        };
        Ok(self.filled(shown, None))
    }

    /// The files of a site other than its pages.
    fn others(&self, entries: &[Entry]) -> Result<Vec<SiteFile>> {
        let mut files = vec![self.list(ALL_PAGES, entries), self.not_found()];
        if !entries.iter().any(|entry| entry.file == HOME) {
            files.push(match &self.home {
                Some(home) => self.page(home, HOME, Neighbours::of(entries, 0))?,
                None => self.list(HOME, entries),
            });
        }
        if let Some(base) = self.settings.base_url.as_deref().filter(|_| !self.settings.noindex) {
            files.push(sitemap(base, entries));
            // Crawlers request robots.txt only at the root of a host.
            if base.split_once("://").is_some_and(|(_, rest)| !rest.contains('/')) {
                let bytes = format!("User-agent: *\nAllow: /\nSitemap: {base}/sitemap.xml\n").into_bytes();
                files.push(SiteFile { path: "robots.txt".into(), bytes });
            }
        }
        Ok(files)
    }

    fn list(&self, file: &str, entries: &[Entry]) -> SiteFile {
        let language = self.context.manifest.export.language.as_deref();
        let words = words(language);
        let mut content = self.navigation(file, words);
        content += "<article class=\"page all-pages\"><header class=\"page-header\"><h1>";
        content += words.all_pages;
        content += "</h1></header>\n<div class=\"prose\">\n";
        let mut folder = None;
        for entry in entries {
            let own = path::folder(&entry.path);
            if folder != Some(own) {
                if folder.is_some() {
                    content += "</ul>\n";
                }
                if !own.is_empty() {
                    content += &around::folder_heading(own, folder);
                }
                content += "<ul>\n";
                folder = Some(own);
            }
            content += "<li>";
            push_link(&mut content, file, &entry.path, &entry.title, &entry.file);
            content += "</li>\n";
        }
        if folder.is_some() {
            content += "</ul>\n";
        }
        content += "</div></article>\n";
        let canonical = (file == HOME).then_some(ALL_PAGES);
        let title = words.all_pages;
        let shown = Shown {
            file,
            canonical,
            page: None,
            title,
            language,
            description: "",
            facts: String::new(),
            content,
        };
        self.filled(shown, None)
    }

    /// It is shown at any address, so its links must not be relative.
    fn not_found(&self) -> SiteFile {
        let language = self.context.manifest.export.language.as_deref();
        let words = words(language);
        let mut html = "<!doctype html>\n<html lang=\"".to_owned();
        escape(&mut html, language.unwrap_or("en"));
        html += "\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width\">\n";
        html += "<meta name=\"color-scheme\" content=\"light dark\">\n<meta name=\"robots\" content=\"noindex\">\n<style>";
        html += LONE_STYLE;
        html += "</style>\n<title>";
        html += words.not_found;
        html += "</title>\n</head>\n<body>\n<main>\n<h1>";
        html += words.not_found;
        html += "</h1>\n<p>";
        html += words.not_found_text;
        html += "</p>\n";
        if let Some(base) = &self.settings.base_url {
            html += "<nav>";
            for (file, text) in [("", words.home), (ALL_PAGES, words.all_pages)] {
                html += "<a href=\"";
                escape(&mut html, &format!("{base}/{file}"));
                html += "\">";
                html += text;
                html += "</a> ";
            }
            html += "</nav>\n";
        }
        html += "</main>\n</body>\n</html>\n";
        SiteFile { path: NOT_FOUND.into(), bytes: html.into_bytes() }
    }

    fn navigation(&self, file: &str, words: &Words) -> String {
        let mut html = format!("<nav class=\"site-nav\" aria-label=\"{}\">", words.site);
        for (to, text) in [(HOME, words.home), (ALL_PAGES, words.all_pages)] {
            html += &format!("<a href=\"{}\">{text}</a> ", url::relative(file, to));
        }
        html.truncate(html.trim_end().len());
        html + "</nav>\n"
    }

    fn links_here(&self, links: &[LinkInfo], file: &str, words: &Words) -> Result<String> {
        let mut items = String::new();
        for link in links {
            let Some(path) = &link.filepath else { continue };
            let to = self.context.index.read(|db| url::file_of(db, path))?;
            items += "<li data-type=\"";
            escape(&mut items, &link.link_type);
            items += "\">";
            push_link(&mut items, file, path, &link.title, &to);
            if !link.link_context.is_empty() {
                items += " <span class=\"context\">";
                escape(&mut items, &link.link_context);
                items += "</span>";
            }
            items += "</li>\n";
        }
        if items.is_empty() {
            return Ok(items);
        }
        let title = words.links_here;
        Ok(format!(
            "<section class=\"backlinks\" aria-label=\"{title}\"><h2>{title}</h2>\n<ul>\n{items}</ul></section>\n"
        ))
    }

    fn language<'e>(&'e self, entry: &'e Entry) -> Option<&'e str> {
        entry.language.as_deref().or(self.context.manifest.export.language.as_deref())
    }

    /// The page as a file. `root` is the path to the top of the site, if the page is not shown at its own address.
    fn filled(&self, shown: Shown<'_>, root: Option<&str>) -> SiteFile {
        let here = above(shown.file.matches('/').count());
        let root = root.unwrap_or(&here);
        let mut title = String::new();
        escape(&mut title, shown.title);
        let mut whole_title = title.clone();
        if shown.title != self.name {
            whole_title += " – ";
            escape(&mut whole_title, &self.name);
        }
        let policy = policy("", self.context.manifest.reading.external_pictures);
        let filling = Filling {
            root,
            title: &whole_title,
            language: shown.language,
            policy: self.settings.database.is_some().then_some(&policy),
            head: &self.head(&shown, &title, root),
            content: &shown.content,
        };
        SiteFile { path: shown.file.to_owned(), bytes: self.template.fill(&filling).into_bytes() }
    }

    fn head(&self, shown: &Shown<'_>, title: &str, root: &str) -> String {
        let mut head = String::new();
        let meta = |head: &mut String, key: &str, name: &str, content: &str| {
            *head += &format!("<meta {key}=\"{name}\" content=\"{content}\">\n");
        };
        if !shown.description.is_empty() {
            meta(&mut head, "name", "description", shown.description);
            meta(&mut head, "property", "og:description", shown.description);
        }
        let mut name = String::new();
        escape(&mut name, &self.name);
        meta(&mut head, "property", "og:title", title);
        meta(&mut head, "property", "og:site_name", &name);
        meta(&mut head, "property", "og:type", if shown.page.is_some() { "article" } else { "website" });
        if self.settings.noindex {
            meta(&mut head, "name", "robots", "noindex");
        }
        if let Some(base) = &self.settings.base_url {
            let mut canonical = String::new();
            escape(&mut canonical, &address(base, shown.canonical.unwrap_or(shown.file)));
            meta(&mut head, "property", "og:url", &canonical);
            head += &format!("<link rel=\"canonical\" href=\"{canonical}\">\n");
        }
        if self.settings.installable {
            let top = self.settings.hub.as_ref().map(|hub| hub.root.as_str()).unwrap_or_default();
            // Browsers ask for a manifest without cookies, and a server needs them.
            head += &manifest_link(&format!("{root}{top}"), self.settings.database.is_none());
        }
        let description = Description {
            mode: if self.settings.database.is_some() { "export" } else { "server" },
            root,
            name: &self.name,
            page: shown.page,
            home: self.home.as_ref().map(|entry| entry.path.as_str()),
            database: self.settings.database.as_ref().map(|(url, bytes)| DatabaseFile { url, bytes: *bytes }),
            list: self.list.as_deref(),
            semantic: self.settings.semantic.as_ref(),
            version: &self.settings.version,
            installable: self.settings.installable,
            style_nonce: self.settings.style_nonce.as_deref(),
            folders: self.settings.folders.as_ref(),
            hub: self.settings.hub.as_ref(),
            guest: self.settings.guest.as_ref(),
        };
        head + &as_script("ubp-site", &description) + &shown.facts
    }
}

/// The link to the manifest in the folder `top`.
pub(super) fn manifest_link(top: &str, with_cookies: bool) -> String {
    let cookies = if with_cookies { " crossorigin=\"use-credentials\"" } else { "" };
    format!("<link rel=\"manifest\" href=\"{top}{MANIFEST}\"{cookies}>\n")
}

/// The relative address of the top of the site in a file `depth` folders below it.
fn above(depth: usize) -> String {
    if depth == 0 { "./".to_owned() } else { "../".repeat(depth) }
}

/// Data for scripts, in an element with this id.
pub(super) fn as_script(id: &str, data: &impl Serialize) -> String {
    // Inside a script only `<` has to be escaped.
    let json = serde_json::to_string(data).unwrap_or_default().replace('<', "\\u003c");
    format!("<script type=\"application/json\" id=\"{id}\">{json}</script>\n")
}

fn sitemap(base: &str, entries: &[Entry]) -> SiteFile {
    let mut xml = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n".to_owned();
    xml += "<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n";
    for entry in entries {
        xml += "<url><loc>";
        escape(&mut xml, &address(base, &entry.file));
        xml += "</loc></url>\n";
    }
    xml += "</urlset>\n";
    SiteFile { path: "sitemap.xml".into(), bytes: xml.into_bytes() }
}

/// The URL of a file of the site; that of the first page is the folder.
fn address(base: &str, file: &str) -> String {
    if file == HOME { format!("{base}/") } else { format!("{base}/{}", url::encoded(file)) }
}

pub(super) fn push_link(html: &mut String, from: &str, page: &str, title: &str, to: &str) {
    *html += "<a class=\"link\" data-page=\"";
    escape(html, page);
    *html += "\" href=\"";
    escape(html, &url::relative(from, to));
    *html += "\">";
    escape(html, title);
    *html += "</a>";
}

fn entries(db: &Connection) -> Result<Vec<Entry>> {
    pages::numbers(db)?.into_iter().map(|page| entry(db, page)).collect()
}

fn entry(db: &Connection, number: i64) -> Result<Entry> {
    let PageRow { path, title, .. } = pages::row(db, number)?;
    let front_matter = pages::front_matter(db, number)?;
    let file = url::file_of(db, &path)?;
    let fields: serde_json::Value = serde_json::from_str(&front_matter).unwrap_or_default();
    let order = around::order(&fields);
    Ok(Entry { number, path, title, file, language: own_language(|key| fields.get(key)?.as_str()), order })
}

/// The first page of the site: a page in its top folder with one of the usual names.
fn home(db: &Connection) -> Result<Option<Entry>> {
    for name in ["index", "home", "readme", "start"] {
        if let Some((page, _)) = names::files(db, name)?.iter().find(|(_, path)| !path.contains('/')) {
            return entry(db, *page).map(Some);
        }
    }
    Ok(None)
}

/// The first words of a page, as HTML.
fn excerpt(html: &str) -> String {
    let seen = crate::render::visible(html);
    let mut excerpt = String::new();
    let mut length = 0;
    for word in seen.split_whitespace() {
        let characters = word.chars().count() + usize::from(length > 0);
        if length + characters > DESCRIPTION {
            // In scripts without spaces, a word may be a whole sentence.
            if length == 0 && !word.contains('&') {
                excerpt.extend(word.chars().take(DESCRIPTION));
            }
            break;
        }
        if length > 0 {
            excerpt.push(' ');
        }
        excerpt.push_str(word);
        length += characters;
    }
    excerpt
}

fn outline(rendered: &Rendered, words: &Words) -> String {
    let repeated = |at: usize, heading: &crate::render::Heading| {
        at == 0 && heading.level == 1 && heading.text == rendered.title
    };
    let headings: Vec<_> =
        rendered.headings.iter().enumerate().filter(|(at, heading)| !repeated(*at, heading)).collect();
    if headings.len() < 2 {
        return String::new();
    }
    let mut html = format!("<nav class=\"outline\" aria-label=\"{}\"><ul>\n", words.on_this_page);
    for (_, heading) in headings {
        html += &format!("<li class=\"level-{}\"><a href=\"#", heading.level);
        html += &url::encoded_fragment(&heading.slug);
        html += "\">";
        escape(&mut html, &heading.text);
        html += "</a></li>\n";
    }
    html + "</ul></nav>\n"
}
