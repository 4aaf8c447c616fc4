//! Writing pages into the tables, and resolving their links.

use std::collections::{BTreeSet, HashMap};

use rusqlite::{Connection, params};
use uuid::Uuid;

use super::passages;
use super::prepare::{Prepared, PreparedSection};
use super::questions::pages;
use super::statement::{Columns, Read, all, first, one, rows, run};
use crate::graph::resolve::{
    Destination, NameKind, NameTable, Named, Names, Origin, may_name_source, resolve, source_candidates,
};
use crate::page::LinkKind;
use crate::ports::Source;
use crate::{Error, Result, path, text};

/// What a transaction has changed so far, to find the links that have to be resolved again.
#[derive(Debug, Default)]
pub(super) struct Touched {
    /// Pages with new links.
    pub pages: BTreeSet<i64>,
    /// Folded names that were added or removed.
    pub keys: BTreeSet<String>,
    /// Pages that were added, changed, moved or removed, or whose links lead elsewhere now, since the last generation.
    pub changed: BTreeSet<i64>,
    /// Ids from front matter whose owner may change.
    own_ids: BTreeSet<String>,
}

/// The id of a page without an id in front matter: the same in every clone.
pub(crate) fn derived_id(path: &str) -> String {
    const NAMESPACE: Uuid = Uuid::from_u128(0x8f0b_5f0e_6a2d_4c55_9d0a_7b1e_5542_5000);
    Uuid::new_v5(&NAMESPACE, path.as_bytes()).to_string()
}

/// Stores a page in place of the one at its path, or else of the one at the path it moved from.
pub(super) fn put_page(
    db: &Connection,
    moved_from: Option<&str>,
    page: &Prepared,
    touched: &mut Touched,
) -> Result<()> {
    // Looked up here because another process may have written since the files were compared.
    let known = match (pages::at(db, &page.file.path)?, moved_from) {
        (None, Some(from)) => pages::at(db, from)?,
        (known, _) => known,
    };
    let stat = page.file.stat;
    let modified = i64::try_from(stat.modified.as_nanosecond()).unwrap_or(0);
    let size = i64::try_from(stat.size).unwrap_or(i64::MAX);
    let before = match known {
        Some(number) => names_of(db, number)?,
        None => (String::new(), BTreeSet::new()),
    };
    let retitled = match known {
        Some(number) => pages::row(db, number)?.title != page.title,
        None => false,
    };
    let number = match known {
        Some(number) => {
            forget_id(db, number, touched)?;
            for table in ["links", "names", "aliases", "tags", "anchors", "source_refs", "expiries"] {
                run(db, &format!("DELETE FROM {table} WHERE page = ?1"), [number])?;
            }
            number
        }
        None => {
            let sql =
                "INSERT INTO pages(path, doc_id, title, doc_type, created_at, updated_at, size, hash, front_matter,
                                   diagnostics)
                 VALUES (?1, '', '', '', '', '', 0, x'', '', '')";
            run(db, sql, [&page.file.path])?;
            db.last_insert_rowid()
        }
    };
    let sql =
        "UPDATE pages SET path = ?2, doc_id = ?3, own_id = ?4, title = ?5, doc_type = ?6, created_at = ?7,
                updated_at = ?8, size = ?9, hash = ?10, front_matter = ?11, diagnostics = ?12
         WHERE page = ?1";
    let params = params![
        number,
        page.file.path,
        derived_id(&page.file.path),
        page.own_id,
        page.title,
        page.doc_type,
        page.created_at,
        page.updated_at,
        size,
        page.hash.0,
        page.front_matter,
        page.diagnostics,
    ];
    run(db, sql, params)?;
    let sql = "INSERT OR REPLACE INTO page_files(page, modified, fingerprint) VALUES (?1, ?2, ?3)";
    run(db, sql, (number, modified, stat.fingerprint.cast_signed()))?;
    touched.own_ids.extend(page.own_id.clone());
    put_sections(db, number, page)?;
    if retitled {
        // A section's vector also depends on the page's title.
        run(db, "UPDATE sections SET vector_model = NULL WHERE page = ?1", [number])?;
    }
    put_names(db, number, page)?;
    let after = names_of(db, number)?;
    if before.0 == after.0 {
        touched.keys.extend(before.1.symmetric_difference(&after.1).map(|(key, _)| key.clone()));
    } else {
        touched.keys.extend(before.1.into_iter().chain(after.1).map(|(key, _)| key));
    }
    put_links(db, number, page)?;
    touched.pages.insert(number);
    touched.changed.insert(number);
    Ok(())
}

rows! {
    /// A stored section.
    StoredSection {
        section: i64,
        text: String,
        heading_path: String,
        level: u8,
    }
}

/// A section with the same heading keeps its row: unchanged text keeps its full-text row and its vectors, and changed
/// text keeps its old vectors until new ones replace them.
fn put_sections(db: &Connection, page: i64, prepared: &Prepared) -> Result<()> {
    let sql = "SELECT section_id, section, text, heading_path, level FROM sections WHERE page = ?1";
    let mut stored: HashMap<String, StoredSection> = all(db, sql, [page])?;
    let title_changed = !stored.is_empty() && title_terms(db, page)? != prepared.title_terms;
    for (ordinal, section) in prepared.sections.iter().enumerate() {
        match stored.remove(&section.id) {
            None => insert_section(db, page, ordinal, prepared, section)?,
            Some(old) => {
                let same_text = old.text == section.text && old.heading_path == section.heading_path;
                if !same_text || title_changed || old.level != section.level {
                    passages::remove(db, old.section)?;
                    passages::put(db, old.section, prepared, section)?;
                }
                let sql = "UPDATE sections SET ordinal = ?2, level = ?3, first_line = ?4, last_line = ?5
                     WHERE section = ?1";
                run(db, sql, (old.section, ordinal, section.level, section.lines.0, section.lines.1))?;
                if !same_text {
                    let sql = "UPDATE sections SET heading_path = ?2, text = ?3, vector_model = NULL
                         WHERE section = ?1";
                    run(db, sql, (old.section, &section.heading_path, &section.text))?;
                }
            }
        }
    }
    for gone in stored.into_values() {
        passages::remove(db, gone.section)?;
        run(db, "DELETE FROM sections WHERE section = ?1", [gone.section])?;
    }
    put_title_terms(db, page, prepared)
}

pub(super) fn put_title_terms(db: &Connection, page: i64, prepared: &Prepared) -> Result<()> {
    let known: Option<String> = first(db, "SELECT terms FROM title_terms WHERE page = ?1", [page])?;
    if known.as_ref() == Some(&prepared.title_terms) {
        return Ok(());
    }
    let sql = "INSERT OR REPLACE INTO title_terms(page, terms) VALUES (?1, ?2)";
    run(db, sql, (page, &prepared.title_terms))?;
    let sql = "INSERT OR REPLACE INTO name_words(rowid, names, folders) VALUES (?1, ?2, ?3)";
    run(db, sql, (page, &prepared.title_terms, &prepared.folder_terms))
}

fn title_terms(db: &Connection, page: i64) -> Result<String> {
    Ok(first(db, "SELECT terms FROM title_terms WHERE page = ?1", [page])?.unwrap_or_default())
}

fn insert_section(
    db: &Connection,
    page: i64,
    ordinal: usize,
    prepared: &Prepared,
    section: &PreparedSection,
) -> Result<()> {
    let row = passages::unused_row(db)?;
    let sql = "INSERT INTO sections(section, page, ordinal, section_id, level, first_line, last_line, heading_path, text)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";
    let (id, (first_line, last_line)) = (&section.id, section.lines);
    let (headings, text) = (&section.heading_path, &section.text);
    run(db, sql, (row, page, ordinal, id, section.level, first_line, last_line, headings, text))?;
    passages::put(db, row, prepared, section)
}

pub(super) fn put_names(db: &Connection, page: i64, prepared: &Prepared) -> Result<()> {
    let file =
        [(path::page_name(&prepared.file.path), NameKind::File), (prepared.title.as_str(), NameKind::Title)];
    let aliases = prepared.aliases.iter().map(|alias| (alias.as_str(), NameKind::Alias));
    for (name, kind) in file.into_iter().chain(aliases) {
        let key = text::fold_key(name);
        let sql = "INSERT OR IGNORE INTO names(key, kind, page) VALUES (?1, ?2, ?3)";
        run(db, sql, (key, kind_number(kind), page))?;
    }
    for alias in &prepared.aliases {
        run(db, "INSERT OR IGNORE INTO aliases(page, alias) VALUES (?1, ?2)", (page, alias))?;
    }
    for tag in &prepared.tags {
        let sql = "INSERT OR IGNORE INTO tags(tag, key, page) VALUES (?1, ?2, ?3)";
        run(db, sql, (tag, text::fold_key(tag), page))?;
    }
    #[cfg(not(target_family = "wasm"))]
    if let Some(time) = prepared.expires {
        run(db, "INSERT INTO expiries(page, time) VALUES (?1, ?2)", (page, time))?;
    }
    for anchor in &prepared.anchors {
        run(db, "INSERT OR IGNORE INTO anchors(page, key) VALUES (?1, ?2)", (page, anchor))?;
    }
    let in_front_matter = prepared.source_refs.iter().map(|source| (0, source));
    let shown = prepared.shown_sources.iter().map(|(line, source)| (*line, source));
    for (line, source) in in_front_matter.chain(shown) {
        let sql = "INSERT OR IGNORE INTO source_refs(page, source, line) VALUES (?1, ?2, ?3)";
        run(db, sql, (page, source, line))?;
    }
    Ok(())
}

fn put_links(db: &Connection, page: i64, prepared: &Prepared) -> Result<()> {
    for link in &prepared.links {
        let sql = "INSERT INTO links(page, kind, line, link_type, target, text, context, may_be_file)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
        let kind = if link.is_entry { SOURCE_ENTRY } else { link_kind_number(link.kind) };
        let link_type = &link.link_type;
        let may_be_file = may_name_source(&link.target);
        let (target, text, context) = (&link.target, &link.text, &link.context);
        run(db, sql, (page, kind, link.line, link_type, target, text, context, may_be_file))?;
        let number = db.last_insert_rowid();
        for key in &link.keys {
            run(db, "INSERT OR IGNORE INTO link_keys(key, link) VALUES (?1, ?2)", (key, number))?;
        }
    }
    Ok(())
}

/// Removes a page; links to it become broken links.
pub(super) fn remove_page(db: &Connection, path: &str, touched: &mut Touched) -> Result<()> {
    let Some(page) = pages::at(db, path)? else { return Ok(()) };
    forget_id(db, page, touched)?;
    touched.keys.extend(names_of(db, page)?.1.into_iter().map(|(key, _)| key));
    passages::remove_page(db, page)?;
    run(db, "DELETE FROM pages WHERE page = ?1", [page])?;
    touched.pages.remove(&page);
    touched.changed.insert(page);
    Ok(())
}

/// A page's path and folded names.
fn names_of(db: &Connection, page: i64) -> Result<(String, BTreeSet<(String, i64)>)> {
    Ok((pages::path(db, page)?, all(db, "SELECT key, kind FROM names WHERE page = ?1", [page])?))
}

fn forget_id(db: &Connection, page: i64, touched: &mut Touched) -> Result<()> {
    let own: Option<Option<String>> = first(db, "SELECT own_id FROM pages WHERE page = ?1", [page])?;
    touched.own_ids.extend(own.flatten());
    Ok(())
}

/// Gives every id that several pages claim to the page whose path sorts first.
pub(super) fn settle_ids(db: &Connection, touched: &mut Touched) -> Result<()> {
    for own_id in std::mem::take(&mut touched.own_ids) {
        let sql = "SELECT page, path FROM pages WHERE own_id = ?1 ORDER BY path";
        let claimants: Vec<(i64, String)> = all(db, sql, [&own_id])?;
        for (rank, (page, path)) in claimants.iter().enumerate() {
            let id = if rank == 0 { own_id.clone() } else { derived_id(path) };
            let sql = "UPDATE pages SET doc_id = ?2 WHERE page = ?1 AND doc_id <> ?2";
            if db.prepare_cached(sql)?.execute((page, id))? > 0 {
                touched.changed.insert(*page);
            }
        }
    }
    Ok(())
}

/// Resolves every link, and assigns every id that several pages claim.
pub(super) fn settle_everything(db: &Connection, source: &dyn Source, pages_dir: &str) -> Result<()> {
    let own_ids = all(db, "SELECT own_id FROM pages WHERE own_id IS NOT NULL", [])?;
    let mut touched = Touched { own_ids, ..Touched::default() };
    settle_ids(db, &mut touched)?;
    let mut names = StoredNames { db, source, whole: None };
    names.load_all()?;
    for link in all::<i64, Vec<_>>(db, "SELECT link FROM links ORDER BY link", [])? {
        settle_link(db, link, pages_dir, &mut names, &mut touched)?;
    }
    Ok(())
}

/// Resolves the links on the touched pages and those that may lead to the touched names.
pub(super) fn settle_links(
    db: &Connection,
    source: &dyn Source,
    pages_dir: &str,
    touched: &mut Touched,
) -> Result<()> {
    let mut affected: BTreeSet<i64> = BTreeSet::new();
    for page in &touched.pages {
        let mut statement = db.prepare_cached("SELECT link FROM links WHERE page = ?1")?;
        for link in statement.query_map([page], |row| row.get(0))? {
            affected.insert(link?);
        }
    }
    for key in &touched.keys {
        let mut statement = db.prepare_cached("SELECT link FROM link_keys WHERE key = ?1")?;
        for link in statement.query_map([key], |row| row.get(0))? {
            affected.insert(link?);
        }
    }
    let mut names = StoredNames { db, source, whole: None };
    if affected.len() > 2_000 {
        names.load_all()?;
    }
    for link in affected {
        settle_link(db, link, pages_dir, &mut names, touched)?;
    }
    Ok(())
}

/// Links that may lead to project files and whose file was added or removed.
pub(super) fn source_links_due(db: &Connection, source: &dyn Source, pages_dir: &str) -> Result<Vec<i64>> {
    let mut statement = db.prepare_cached(
        "SELECT link, target, source, kind, path, page FROM links JOIN pages USING (page) WHERE state = 2
         UNION ALL
         SELECT link, target, NULL, kind, path, page FROM links JOIN pages USING (page)
         WHERE state = 0 AND may_be_file = 1
         UNION ALL
         SELECT link, target, NULL, kind, path, page FROM links JOIN pages USING (page)
         WHERE kind = 4 AND state = 3 AND may_be_file = 1",
    )?;
    let mut rows = statement.query([])?;
    let mut names = StoredNames { db, source, whole: None };
    let mut seen: HashMap<String, bool> = HashMap::new();
    let mut due = Vec::new();
    while let Some(row) = rows.next()? {
        let (link, target, known): (i64, String, Option<String>) = (row.get(0)?, row.get(1)?, row.get(2)?);
        let gone = match known {
            Some(path) => !names.has_source_once(&path, &mut seen)?,
            None => {
                let (page, path): (i64, String) = (row.get(5)?, row.get(4)?);
                let origin = Origin { page, path: &path, pages_dir };
                let mut found = false;
                for candidate in source_candidates(link_kind(row.get(3)?), &target, origin) {
                    found |= names.has_source_once(&candidate, &mut seen)?;
                }
                found
            }
        };
        if gone {
            due.push(link);
        }
    }
    Ok(due)
}

/// Resolves the links that [`source_links_due`] returns.
pub(super) fn settle_source_links(
    db: &Connection,
    source: &dyn Source,
    pages_dir: &str,
    touched: &mut Touched,
) -> Result<()> {
    let mut names = StoredNames { db, source, whole: None };
    for link in source_links_due(db, source, pages_dir)? {
        settle_link(db, link, pages_dir, &mut names, touched)?;
    }
    Ok(())
}

/// Where a link would lead if it were on the page `origin`.
pub(crate) fn destination(
    db: &Connection,
    source: &dyn Source,
    kind: LinkKind,
    target: &str,
    origin: Origin<'_>,
) -> Result<Destination> {
    resolve(kind, target, origin, &mut StoredNames { db, source, whole: None })
}

fn settle_link(
    db: &Connection,
    link: i64,
    pages_dir: &str,
    names: &mut StoredNames<'_>,
    touched: &mut Touched,
) -> Result<()> {
    let sql = "SELECT page, path, kind, target, kind = 4 FROM links JOIN pages USING (page) WHERE link = ?1";
    let (page, page_path, (kind, target), is_entry): (i64, String, (LinkKind, String), bool) =
        one(db, sql, [link])?;
    let origin = Origin { page, path: &page_path, pages_dir };
    let (state, target_page, source, anchor, ambiguous) = match resolve(kind, &target, origin, names)? {
        Destination::Page { page, anchor, ambiguous } => (1, Some(page), None, anchor, ambiguous),
        Destination::Source(path) => (2, None, Some(path), None, false),
        Destination::Attachment => (3, None, None, None, false),
        // An entry of `sources` may be the name of something that has no path.
        Destination::Unresolved if is_entry => (3, None, None, None, false),
        Destination::Unresolved => (0, None, None, None, false),
    };
    let sql = "UPDATE links SET state = ?2, target_page = ?3, source = ?4, anchor = ?5, ambiguous = ?6
         WHERE link = ?1 AND (state, target_page, source, anchor, ambiguous) IS NOT (?2, ?3, ?4, ?5, ?6)";
    let changed = db.prepare_cached(sql)?.execute((link, state, target_page, source, anchor, ambiguous))?;
    if changed > 0 {
        touched.changed.insert(page);
    }
    Ok(())
}

/// The names in the index, looked up one by one or loaded completely.
struct StoredNames<'a> {
    db: &'a Connection,
    source: &'a dyn Source,
    whole: Option<NameTable>,
}

const NAMED: &str = "SELECT key, kind, page, path FROM names JOIN pages USING (page)";

/// Every name of every page.
pub(crate) fn name_table(db: &Connection) -> Result<NameTable> {
    let mut table = NameTable::default();
    let mut statement = db.prepare(&format!("{NAMED} ORDER BY path"))?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let named = Named { page: row.get(2)?, path: row.get(3)?, kind: name_kind(row.get(1)?) };
        table.insert(row.get(0)?, named);
    }
    Ok(table)
}

impl StoredNames<'_> {
    fn has_source_once(&mut self, path: &str, seen: &mut HashMap<String, bool>) -> Result<bool> {
        if let Some(known) = seen.get(path) {
            return Ok(*known);
        }
        let found = self.has_source(path)?;
        seen.insert(path.to_owned(), found);
        Ok(found)
    }

    fn load_all(&mut self) -> Result<()> {
        self.whole = Some(name_table(self.db)?);
        Ok(())
    }
}

impl Names for StoredNames<'_> {
    type Error = Error;

    fn named(&mut self, key: &str) -> Result<Vec<Named>> {
        if let Some(table) = &self.whole {
            return Ok(table.get(key));
        }
        let mut statement = self.db.prepare_cached(&format!("{NAMED} WHERE key = ?1 ORDER BY path"))?;
        let named = statement
            .query_map([key], |row| {
                Ok(Named { page: row.get(2)?, path: row.get(3)?, kind: name_kind(row.get(1)?) })
            })?
            .collect::<rusqlite::Result<_>>()?;
        Ok(named)
    }

    fn has_source(&mut self, path: &str) -> Result<bool> {
        // A path that the host rejects is a broken link, not an error.
        Ok(self.source.stat_source(path).is_ok_and(|stat| stat.is_some()))
    }
}

fn kind_number(kind: NameKind) -> i64 {
    match kind {
        NameKind::File => 0,
        NameKind::Title => 1,
        NameKind::Alias => 2,
    }
}

fn name_kind(number: i64) -> NameKind {
    match number {
        0 => NameKind::File,
        1 => NameKind::Title,
        _ => NameKind::Alias,
    }
}

fn link_kind_number(kind: LinkKind) -> i64 {
    match kind {
        LinkKind::Wiki => 0,
        LinkKind::Embed => 1,
        LinkKind::Markdown => 2,
        LinkKind::FrontMatter => 3,
    }
}

/// The kind of an entry of `sources` in front matter. It leads where a Markdown link would.
const SOURCE_ENTRY: i64 = 4;

pub(super) fn link_kind(number: i64) -> LinkKind {
    match number {
        1 => LinkKind::Embed,
        2 | SOURCE_ENTRY => LinkKind::Markdown,
        3 => LinkKind::FrontMatter,
        _ => LinkKind::Wiki,
    }
}
