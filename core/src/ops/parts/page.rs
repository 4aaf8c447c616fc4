//! What answers say about a page, in one definition for all of them, and how a page is named.

use std::collections::{BTreeSet, HashMap};

use jiff::Timestamp;
use rusqlite::Connection;
use schemars::JsonSchema;
use serde::Serialize;

use crate::Context;
use crate::freshness::{self, Assessment, Staleness};
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

/// The columns that [`PageFields`] are read from.
const COLUMNS: &str = "page, doc_id, path, title, doc_type, created_at, updated_at";

fn fields_of(row: &rusqlite::Row<'_>, assessment: Option<&Assessment>) -> rusqlite::Result<PageFields> {
    Ok(PageFields {
        doc_id: row.get(1)?,
        filepath: row.get(2)?,
        title: row.get(3)?,
        doc_type: row.get(4)?,
        created_at: row.get(5)?,
        updated_at: row.get(6)?,
        staleness: assessment.map(|a| a.staleness).unwrap_or_default(),
    })
}

pub(crate) fn fields(db: &Connection, page: i64, assessment: Option<&Assessment>) -> Result<PageFields> {
    let mut statement = db.prepare_cached(&format!("SELECT {COLUMNS} FROM pages WHERE page = ?1"))?;
    Ok(statement.query_row([page], |row| fields_of(row, assessment))?)
}

/// Those of every page, by its number.
pub(crate) fn all_fields(
    db: &Connection,
    assessments: &HashMap<i64, Assessment>,
) -> Result<HashMap<i64, PageFields>> {
    let mut statement = db.prepare_cached(&format!("SELECT {COLUMNS} FROM pages"))?;
    let rows = statement.query_map([], |row| {
        let page = row.get(0)?;
        Ok((page, fields_of(row, assessments.get(&page))?))
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// The first column of what `sql` finds for the page.
pub(crate) fn strings(db: &Connection, sql: &str, page: i64) -> Result<Vec<String>> {
    Ok(db.prepare_cached(sql)?.query_map([page], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?)
}

/// A page's tags, sorted.
pub(crate) fn tags(db: &Connection, page: i64) -> Result<Vec<String>> {
    strings(db, "SELECT tag FROM tags WHERE page = ?1 ORDER BY tag", page)
}

/// The tags of every page that has some, sorted, by its number.
pub(crate) fn all_tags(db: &Connection) -> Result<HashMap<i64, Vec<String>>> {
    let mut tags = HashMap::<i64, Vec<String>>::new();
    let mut statement = db.prepare_cached("SELECT page, tag FROM tags ORDER BY page, tag")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        tags.entry(row.get(0)?).or_default().push(row.get(1)?);
    }
    Ok(tags)
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

    fn sql(self) -> &'static str {
        match self {
            Self::Path => "SELECT page FROM pages WHERE path = ?1",
            Self::Id => "SELECT page FROM pages WHERE doc_id = ?1",
            Self::Title => {
                "SELECT page FROM names JOIN pages USING (page) WHERE key = ?2 AND kind = 1 AND title = ?1"
            }
            Self::Alias => {
                "SELECT page FROM names JOIN aliases USING (page) WHERE key = ?2 AND kind = 2 AND alias = ?1"
            }
            Self::FileName => "SELECT page FROM names WHERE key = ?2 AND kind = 0",
            Self::AnyName => "SELECT DISTINCT page FROM names WHERE key = ?2",
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
    let trimmed = written(name);
    let key = text::fold_key(path::page_name(trimmed));
    let whole_key = text::fold_key(trimmed);
    for rule in rules {
        let mut pages = BTreeSet::new();
        let key = if matches!(rule, Rule::FileName) { &key } else { &whole_key };
        let mut statement = db.prepare_cached(rule.sql())?;
        let parameters: &[&dyn rusqlite::ToSql] = &[&trimmed, key];
        let count = statement.parameter_count();
        let mut rows = statement.query(&parameters[..count.min(2)])?;
        while let Some(row) = rows.next()? {
            let page: i64 = row.get(0)?;
            if !matches!(rule, Rule::FileName) || fits(db, page, trimmed)? {
                pages.insert(page);
            }
        }
        if !pages.is_empty() {
            return Ok(pages);
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
fn fits(db: &Connection, page: i64, name: &str) -> Result<bool> {
    let folder = text::fold_key(path::folder(name));
    let page_folder = text::fold_key(path::folder(&path_of(db, page)?));
    Ok(folder.is_empty() || page_folder == folder || page_folder.ends_with(&format!("/{folder}")))
}

pub(crate) fn path_of(db: &Connection, page: i64) -> Result<String> {
    Ok(db.prepare_cached("SELECT path FROM pages WHERE page = ?1")?.query_row([page], |row| row.get(0))?)
}

/// Paths of the pages whose title or alias is this one, sorted.
pub(crate) fn named(db: &Connection, title: &str) -> Result<Vec<String>> {
    let mut statement = db.prepare_cached(
        "SELECT DISTINCT path FROM names JOIN pages USING (page) WHERE key = ?1 AND kind > 0 ORDER BY path",
    )?;
    Ok(statement.query_map([text::fold_key(title)], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?)
}

/// Paths of up to three pages whose names are spelled like it, most alike first.
pub(crate) fn similar(db: &Connection, name: &str) -> Result<Vec<String>> {
    /// Below this, names that share a few letters would be offered.
    const ALIKE: f64 = 0.8;
    let key = text::fold_key(path::page_name(name));
    let mut statement = db.prepare_cached("SELECT key, path FROM names JOIN pages USING (page)")?;
    let mut rows = statement.query([])?;
    let mut found: Vec<(f64, String)> = Vec::new();
    while let Some(row) = rows.next()? {
        let known: String = row.get(0)?;
        let contains = key.chars().count() > 2 && known.contains(&key);
        let likeness = if contains { 1.0 } else { strsim::jaro_winkler(&known, &key) };
        if likeness >= ALIKE {
            found.push((likeness, row.get(1)?));
        }
    }
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
    let mut statement =
        db.prepare_cached("SELECT text FROM sections WHERE page = ?1 ORDER BY ordinal LIMIT 5")?;
    let mut summary = String::new();
    let mut length = 0;
    for section in statement.query_map([page], |row| row.get::<_, String>(0))? {
        let section = section?;
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
