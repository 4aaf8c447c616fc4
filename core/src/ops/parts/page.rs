//! What answers contain about a page, shared by all operations, and how pages are looked up by name.

use std::collections::{BTreeSet, HashMap};

use jiff::Timestamp;
use rusqlite::Connection;
use schemars::JsonSchema;
use serde::Serialize;

use crate::Context;
use crate::freshness::{self, Assessment, Staleness};
use crate::hint::Next;
pub(crate) use crate::index::questions::pages::path as path_of;
use crate::index::questions::pages::{self, PageRow};
use crate::index::questions::{names, sections};
use crate::manifest::FrontMatterMode;
use crate::message;
use crate::ops::bounds;
use crate::page::set_fields;
use crate::show::{Page, Span, counted};
use crate::{Error, Result, index, path, text};

/// Whether the index is up to date.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct IndexState {
    /// Whether text and links were compared with the files just before this answer.
    pub fresh: bool,
    /// Sections whose vectors are not computed yet; their old vectors are used until then.
    pub pending: usize,
    /// The commit that is checked out, if any.
    pub head: Option<String>,
}

impl IndexState {
    /// Shows a note if the index may be out of date.
    pub(crate) fn show(&self, page: &mut dyn Page) {
        if !self.fresh {
            page.note(&[Span::said(&message!(
                "the index was not compared with the files just now; this answer may be out of date"
            ))]);
        }
    }

    /// The same for an answer ranked by meaning: sections without vectors are found only by their words.
    pub(crate) fn show_with_vectors(&self, page: &mut dyn Page) {
        self.show(page);
        if self.pending > 0 {
            let waiting = counted(self.pending, "section has no vector yet", "sections have no vectors yet");
            page.note(&[Span::said(&message!(
                "{waiting}; until {call} has run, they are found only by words",
                waiting,
                call = page.voice().ask(&Next::call("add"))
            ))]);
        }
    }
}

/// A page's metadata.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PageFields {
    /// Its id: the one in its front matter, or one derived from its path.
    pub doc_id: String,
    /// Its path relative to the pages folder.
    pub filepath: String,
    /// Its title.
    pub title: String,
    /// Its type.
    pub doc_type: String,
    /// When it was created, RFC 3339.
    pub created_at: String,
    /// When it was last changed, RFC 3339.
    pub updated_at: String,
    /// Freshness against the code it describes.
    pub staleness: Staleness,
}

/// A page and the beginning of its text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PageSummary {
    /// The page's metadata.
    #[serde(flatten)]
    pub page: PageFields,
    /// The first 500 characters of its text.
    pub summary: String,
}

/// One end of a link.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LinkInfo {
    /// Id of the page at the other end; absent for a broken link.
    pub doc_id: Option<String>,
    /// Path of the page at the other end; absent for a broken link.
    pub filepath: Option<String>,
    /// Path of the linked file relative to the project, for a link to code.
    pub source_path: Option<String>,
    /// Its title; the target as written if the link does not lead to a page.
    pub title: String,
    /// The link's type.
    pub link_type: String,
    /// Text around the link's first occurrence.
    pub link_context: String,
    /// Lines of the link on its page, from 1.
    pub lines: Vec<usize>,
}

impl Context<'_> {
    pub(crate) fn index_state(&self) -> Result<IndexState> {
        let pending = self.pending_sections()?;
        Ok(IndexState { fresh: self.refreshed, pending, head: self.history.head()? })
    }

    /// Number of sections whose vectors are not computed yet.
    pub(crate) fn pending_sections(&self) -> Result<usize> {
        match self.embedder {
            Some(embedder) => self.index.read(|db| index::pending(db, &embedder.model().identity)),
            None => Ok(0),
        }
    }

    /// The metadata of these pages, by page number.
    pub(crate) fn page_fields(&self, pages: &[i64]) -> Result<HashMap<i64, PageFields>> {
        let assessments = freshness::assess(self, Some(pages))?;
        self.index.read(|db| {
            pages.iter().map(|&page| Ok((page, fields(db, page, assessments.get(&page))?))).collect()
        })
    }
}

impl PageFields {
    fn new(page: PageRow, assessment: Option<&Assessment>) -> Self {
        Self {
            doc_id: page.doc_id,
            filepath: page.path,
            title: bounds::title(page.title),
            doc_type: bounds::label(page.doc_type),
            created_at: without_fraction(page.created_at),
            updated_at: without_fraction(page.updated_at),
            staleness: assessment.map(|a| a.staleness).unwrap_or_default(),
        }
    }
}

pub(crate) fn fields(db: &Connection, page: i64, assessment: Option<&Assessment>) -> Result<PageFields> {
    Ok(PageFields::new(pages::row(db, page)?, assessment))
}

/// The metadata of all pages, by page number.
pub(crate) fn all_fields(
    db: &Connection,
    assessments: &HashMap<i64, Assessment>,
) -> Result<HashMap<i64, PageFields>> {
    let pages = pages::rows(db)?.into_iter().map(|row| (row.page, row));
    Ok(pages.map(|(page, row)| (page, PageFields::new(row, assessments.get(&page)))).collect())
}

/// The ways in which parameters can name a page; exactly one must be used.
#[derive(Debug, Default)]
pub(crate) struct PageName<'a> {
    pub page: Option<&'a str>,
    pub filepath: Option<&'a str>,
    pub title: Option<&'a str>,
    pub id: Option<&'a str>,
}

impl<'a> PageName<'a> {
    /// The names given by the parameters, in this order.
    pub(crate) fn of(
        page: &'a Option<String>,
        filepath: &'a Option<String>,
        title: &'a Option<String>,
        id: &'a Option<String>,
    ) -> Self {
        let [page, filepath, title, id] = [page, filepath, title, id].map(Option::as_deref);
        Self { page, filepath, title, id }
    }

    /// The number of the named page, `None` if no page is named.
    pub(crate) fn find(&self, db: &Connection) -> Result<Option<i64>> {
        let given: Vec<(&str, &[Rule])> = [
            (self.page, &Rule::ALL[..]),
            (self.filepath, &[Rule::Path, Rule::FileName][..]),
            (self.title, &[Rule::Title, Rule::Alias, Rule::FileName, Rule::AnyName][..]),
            (self.id, &[Rule::Id, Rule::Path][..]),
        ]
        .into_iter()
        .filter_map(|(name, rules)| Some((name?, rules)))
        .collect();
        match given[..] {
            [] => Ok(None),
            [(name, rules)] => find_page(db, name, rules).map(Some),
            _ => Err(Error::invalid(message!("pass only one of `page` and its alternatives"))),
        }
    }

    /// Like [`PageName::find`], but a page must be named.
    pub(crate) fn require(&self, db: &Connection) -> Result<i64> {
        self.find(db)?
            .ok_or_else(|| Error::invalid(message!("`page` is missing: a path, id, title or alias")))
    }
}

/// One way to interpret a page's name.
#[derive(Debug, Clone, Copy)]
enum Rule {
    Path,
    Id,
    Title,
    Alias,
    FileName,
    AnyName,
}

impl Rule {
    const ALL: [Self; 6] = [Self::Path, Self::Id, Self::Title, Self::Alias, Self::FileName, Self::AnyName];

    /// The pages that this rule finds for `name`, whose folded form is `key`.
    fn pages(self, db: &Connection, name: &str, key: &str) -> Result<Vec<i64>> {
        match self {
            Self::Path => Ok(pages::at(db, name)?.into_iter().collect()),
            Self::Id => pages::with_id(db, name),
            Self::Title => names::pages_titled(db, name, key),
            Self::Alias => names::pages_with_alias(db, name, key),
            Self::FileName => {
                let file = text::fold_key(path::page_name(name));
                let files = names::files(db, &file)?.into_iter();
                Ok(files.filter(|(_, path)| fits(path, name)).map(|(page, _)| page).collect())
            }
            Self::AnyName => names::pages_called(db, key),
        }
    }
}

fn find_page(db: &Connection, name: &str, rules: &[Rule]) -> Result<i64> {
    let pages = pages_called(db, name, rules)?;
    if pages.len() > 1 {
        return Err(Error::AmbiguousPage { page: name.into(), candidates: paths_of(db, pages)? });
    }
    match pages.into_iter().next() {
        Some(page) => Ok(page),
        None => Err(Error::PageNotFound { page: name.into(), similar: similar(db, written(name))? }),
    }
}

/// The result of looking up a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Found {
    /// The number of the only page with this name.
    Page(i64),
    /// Paths of all pages with this name, sorted.
    Several(Vec<String>),
    /// No page has this name.
    Nothing,
}

/// Like [`PageName::require`] for a name of any kind, except that an unknown name is not an error and no pages with
/// similar names are searched, which would be slow.
pub(crate) fn look_up(db: &Connection, name: &str) -> Result<Found> {
    let pages = pages_called(db, name, &Rule::ALL)?;
    Ok(match (pages.len(), pages.first()) {
        (1, Some(&page)) => Found::Page(page),
        (0, _) | (_, None) => Found::Nothing,
        _ => Found::Several(paths_of(db, pages)?),
    })
}

/// A page's name without white space and a leading `./`.
fn written(name: &str) -> &str {
    name.trim().trim_start_matches("./")
}

/// What a name can mean as the path of a page: the path itself, the part below the pages folder if it is relative
/// to the project, and both without a `:line` suffix as answers print it.
pub(crate) fn readings(pages_folder: &str, name: &str) -> Vec<String> {
    let mut readings = vec![name.to_owned()];
    let without_line = name.rsplit_once(':').filter(|(page, line)| {
        path::is_page(page) && !line.is_empty() && line.bytes().all(|byte| byte.is_ascii_digit())
    });
    readings.extend(without_line.map(|(page, _)| page.to_owned()));
    if !pages_folder.is_empty() {
        let seen = readings.iter().filter_map(|reading| path::join("", reading));
        let below =
            seen.filter_map(|seen| Some(seen.strip_prefix(pages_folder)?.strip_prefix('/')?.to_owned()));
        let below: Vec<String> = below.filter(|below| !below.is_empty()).collect();
        readings.extend(below);
    }
    readings
}

/// The pages found by the first rule that finds any. A rule tries all readings of the name before the next rule
/// runs, so the full path of a page is never taken for the end of another page's path.
fn pages_called(db: &Connection, name: &str, rules: &[Rule]) -> Result<BTreeSet<i64>> {
    let name = written(name);
    let is_path = rules.iter().any(|rule| matches!(rule, Rule::Path));
    let readings = match is_path {
        true => readings(&index::pages_folder(db)?, name),
        false => vec![name.to_owned()],
    };
    for rule in rules {
        for reading in &readings {
            let pages = rule.pages(db, reading, &text::fold_key(reading))?;
            if !pages.is_empty() {
                return Ok(pages.into_iter().collect());
            }
        }
    }
    Ok(BTreeSet::new())
}

fn paths_of(db: &Connection, pages: BTreeSet<i64>) -> Result<Vec<String>> {
    let mut paths = pages.into_iter().map(|page| path_of(db, page)).collect::<Result<Vec<String>>>()?;
    paths.sort_unstable();
    Ok(paths)
}

/// Whether a page found by its file name is in the folder that the name gives.
fn fits(page_path: &str, name: &str) -> bool {
    let folder = text::fold_key(path::folder(name));
    let page_folder = text::fold_key(path::folder(page_path));
    folder.is_empty() || page_folder == folder || page_folder.ends_with(&format!("/{folder}"))
}

/// Paths of up to three pages with similar names, most similar first.
pub(crate) fn similar(db: &Connection, name: &str) -> Result<Vec<String>> {
    /// Below this, names that share only a few letters would be suggested.
    const ALIKE: f64 = 0.8;
    let key = text::fold_key(path::page_name(name));
    let mut found: Vec<(f64, String)> = Vec::new();
    names::each_name(db, |known, path| {
        let contains = key.chars().count() > 2 && known.contains(&key);
        let likeness = if contains { 1.0 } else { strsim::jaro_winkler(known, &key) };
        if likeness >= ALIKE {
            found.push((likeness, path.to_owned()));
        }
    })?;
    found.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    let mut paths: Vec<String> = found.into_iter().map(|(_, path)| path).collect();
    paths.dedup();
    paths.truncate(3);
    Ok(paths)
}

/// A time as written to files: RFC 3339 without fractions.
pub(crate) fn to_the_second(time: Timestamp) -> String {
    time.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

/// An RFC 3339 time without fractions of a second, which only times of files have.
pub(crate) fn without_fraction(mut time: String) -> String {
    if let Some(dot) = time.find('.') {
        let digits = time[dot + 1..].bytes().take_while(u8::is_ascii_digit).count();
        time.replace_range(dot..=dot + digits, "");
    }
    time
}

/// The text of an empty page called `title`.
pub(crate) fn new_page_text(context: &Context<'_>, title: &str) -> String {
    let body = format!("# {title}\n");
    if context.manifest.frontmatter == FrontMatterMode::Preserved {
        return body;
    }
    let now = to_the_second(context.clock.now());
    let id = context.clock.new_id().to_string();
    let fields = [("id", id.as_str()), ("title", title), ("created_at", &now), ("updated_at", &now)];
    // A title that is not allowed in front matter still makes a page.
    set_fields(title, &body, &fields).unwrap_or(body)
}

/// The first `limit` characters of a page's text, without headings and blank lines.
pub(crate) fn summary(db: &Connection, page: i64, limit: usize) -> Result<String> {
    let mut summary = String::new();
    let mut length = 0;
    for section in sections::first_texts(db, page, 5)? {
        for line in text::visible(&section)
            .lines()
            .map(str::trim)
            .filter(|line| !line.is_empty() && !line.starts_with('#'))
        {
            let gap = (length > 0).then_some(' ');
            for c in gap.into_iter().chain(line.chars()) {
                if length >= limit {
                    summary.truncate(summary.trim_end().len());
                    return Ok(summary);
                }
                summary.push(c);
                length += 1;
            }
        }
    }
    Ok(summary)
}
