//! What answers say about a page, in one definition for all of them, and how a page is named.

use std::collections::{BTreeSet, HashMap};

use jiff::Timestamp;
use rusqlite::Connection;
use schemars::JsonSchema;
use serde::Serialize;

use crate::Context;
use crate::freshness::{self, Assessment, Staleness};
pub(crate) use crate::index::questions::pages::path as path_of;
use crate::index::questions::pages::{self, PageRow};
use crate::index::questions::{names, sections};
use crate::manifest::FrontMatterMode;
use crate::page::set_fields;
use crate::show::{Page, Span, counted};
use crate::{Error, Result, index, path, text};

/// How true the index is to the files.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct IndexState {
    /// Whether text and links were compared with the files just before this answer.
    pub fresh: bool,
    /// Sections whose vectors are still to be computed; their former vectors serve until then.
    pub pending: usize,
    /// The commit that is checked out, where there is one.
    pub head: Option<String>,
}

impl IndexState {
    /// Tells how true the index is, where that is worth a word.
    pub(crate) fn show(&self, page: &mut dyn Page) {
        if !self.fresh {
            page.note(&[Span::Text(
                "the index was not compared with the files just now: this may be behind them",
            )]);
        }
        if self.pending > 0 {
            let waiting = counted(self.pending, "section has no vector yet", "sections have no vectors yet");
            page.note(&[Span::Text(&format!(
                "{waiting}; words alone find them until {} is done",
                page.call("add", "")
            ))]);
        }
    }
}

/// What identifies and describes a page.
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
    /// When it was written first, RFC 3339.
    pub created_at: String,
    /// When it was written last, RFC 3339.
    pub updated_at: String,
    /// How far it can be trusted against the code it describes.
    pub staleness: Staleness,
}

/// A page and its first words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PageSummary {
    /// What identifies and describes the page.
    #[serde(flatten)]
    pub page: PageFields,
    /// Its first 500 characters or less.
    pub summary: String,
}

/// One end of a link.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LinkInfo {
    /// Id of the page at the other end; absent when the link leads nowhere.
    pub doc_id: Option<String>,
    /// Path of the page at the other end; absent when the link leads nowhere.
    pub filepath: Option<String>,
    /// Path of the project's file at the other end, relative to the project, for a link to code.
    pub source_path: Option<String>,
    /// Its title; for a link that leads to no page, the target as written.
    pub title: String,
    /// The link's type.
    pub link_type: String,
    /// Text around the link's first occurrence.
    pub link_context: String,
    /// Lines, on the page that links, where it does so, from 1.
    pub lines: Vec<usize>,
}

impl Context<'_> {
    pub(crate) fn index_state(&self) -> Result<IndexState> {
        let pending = match self.embedder {
            Some(embedder) => self.index.read(|db| index::pending(db, &embedder.model().identity))?,
            None => 0,
        };
        Ok(IndexState { fresh: self.refreshed, pending, head: self.history.head()? })
    }

    /// The fields of these pages, by their numbers.
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
            title: page.title,
            doc_type: page.doc_type,
            created_at: page.created_at,
            updated_at: page.updated_at,
            staleness: assessment.map(|a| a.staleness).unwrap_or_default(),
        }
    }
}

pub(crate) fn fields(db: &Connection, page: i64, assessment: Option<&Assessment>) -> Result<PageFields> {
    Ok(PageFields::new(pages::row(db, page)?, assessment))
}

/// Those of every page, by its number.
pub(crate) fn all_fields(
    db: &Connection,
    assessments: &HashMap<i64, Assessment>,
) -> Result<HashMap<i64, PageFields>> {
    let pages = pages::rows(db)?.into_iter().map(|row| (row.page, row));
    Ok(pages.map(|(page, row)| (page, PageFields::new(row, assessments.get(&page)))).collect())
}

/// The ways in which parameters may name a page; exactly one must be used.
#[derive(Debug, Default)]
pub(crate) struct PageName<'a> {
    pub page: Option<&'a str>,
    pub filepath: Option<&'a str>,
    pub title: Option<&'a str>,
    pub id: Option<&'a str>,
}

impl<'a> PageName<'a> {
    /// The ways that parameters have, in this order.
    pub(crate) fn of(
        page: &'a Option<String>,
        filepath: &'a Option<String>,
        title: &'a Option<String>,
        id: &'a Option<String>,
    ) -> Self {
        let [page, filepath, title, id] = [page, filepath, title, id].map(Option::as_deref);
        Self { page, filepath, title, id }
    }

    /// The number of the page that is named, `None` when none is.
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
            _ => Err(Error::invalid("name the page once: `page`, or one of its alternatives")),
        }
    }

    /// As [`PageName::find`], where a page must be named.
    pub(crate) fn require(&self, db: &Connection) -> Result<i64> {
        self.find(db)?.ok_or_else(|| Error::invalid("`page` is missing: a path, id, title or alias"))
    }
}

/// A way to read a page's name.
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

    /// The pages that it reads `name` as, whose key this is.
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

/// What a name leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Found {
    /// The number of the one page that it names.
    Page(i64),
    /// Paths of the pages that it could be, sorted.
    Several(Vec<String>),
    /// No page.
    Nothing,
}

/// As [`PageName::require`] for a name of any kind, where a name that leads nowhere is no error and
/// pages with similar names, which take long to find, are not wanted.
pub(crate) fn look_up(db: &Connection, name: &str) -> Result<Found> {
    let pages = pages_called(db, name, &Rule::ALL)?;
    Ok(match (pages.len(), pages.first()) {
        (1, Some(&page)) => Found::Page(page),
        (0, _) | (_, None) => Found::Nothing,
        _ => Found::Several(paths_of(db, pages)?),
    })
}

/// A page's name as its rules read it.
fn written(name: &str) -> &str {
    name.trim().trim_start_matches("./")
}

/// The pages that the first rule with any finds.
fn pages_called(db: &Connection, name: &str, rules: &[Rule]) -> Result<BTreeSet<i64>> {
    let name = written(name);
    let key = text::fold_key(name);
    for rule in rules {
        let pages = rule.pages(db, name, &key)?;
        if !pages.is_empty() {
            return Ok(pages.into_iter().collect());
        }
    }
    Ok(BTreeSet::new())
}

fn paths_of(db: &Connection, pages: BTreeSet<i64>) -> Result<Vec<String>> {
    let mut paths = pages.into_iter().map(|page| path_of(db, page)).collect::<Result<Vec<String>>>()?;
    paths.sort_unstable();
    Ok(paths)
}

/// Whether a page found by its last name lies where the whole name says.
fn fits(page_path: &str, name: &str) -> bool {
    let folder = text::fold_key(path::folder(name));
    let page_folder = text::fold_key(path::folder(page_path));
    folder.is_empty() || page_folder == folder || page_folder.ends_with(&format!("/{folder}"))
}

/// Paths of up to three pages whose names are spelled like it, most alike first.
pub(crate) fn similar(db: &Connection, name: &str) -> Result<Vec<String>> {
    /// Below this, names that share a few letters would be offered.
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

/// A time as people want it in their files: RFC 3339 without fractions.
pub(crate) fn to_the_second(time: Timestamp) -> String {
    time.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

/// What an empty page called `title` holds.
pub(crate) fn new_page_text(context: &Context<'_>, title: &str) -> String {
    let body = format!("# {title}\n");
    if context.manifest.frontmatter == FrontMatterMode::Preserved {
        return body;
    }
    let now = to_the_second(context.clock.now());
    let id = context.clock.new_id().to_string();
    let fields = [("id", id.as_str()), ("title", title), ("created_at", &now), ("updated_at", &now)];
    // A title that cannot stand in front matter still makes a page.
    set_fields(title, &body, &fields).unwrap_or(body)
}

/// The first `limit` characters of a page's text, headings and blank lines left out.
pub(crate) fn summary(db: &Connection, page: i64, limit: usize) -> Result<String> {
    let mut summary = String::new();
    let mut length = 0;
    for section in sections::first_texts(db, page, 5)? {
        for line in section.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
            if length > 0 {
                summary.push(' ');
                length += 1;
            }
            for c in line.chars() {
                if length == limit {
                    return Ok(summary);
                }
                summary.push(c);
                length += 1;
            }
        }
    }
    Ok(summary)
}
