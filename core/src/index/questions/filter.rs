//! Filters: which pages may be found.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use rusqlite::{Connection, ToSql, params_from_iter};

use super::{all, any};
use crate::index::pages_folder;
use crate::message;
use crate::{Error, Result, path, text};

/// A condition that matches no page of the project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unmatched {
    /// The kind of the condition.
    pub kind: UnmatchedKind,
    /// The requested value; for a field, `key=value`.
    pub value: String,
    /// Existing values instead, at most ten.
    pub known: Vec<String>,
}

/// The kind of a condition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnmatchedKind {
    /// A page type.
    Type,
    /// A tag.
    Tag,
    /// A folder.
    Folder,
    /// A front-matter value.
    Field,
}

/// Conditions on a page; all must be met. An empty filter matches every page.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    /// The page has one of these types.
    pub doc_types: Vec<String>,
    /// The page has all of these tags, or tags nested below them.
    pub tags: Vec<String>,
    /// The page is in this folder or below it, relative to the pages folder.
    pub folder: Option<String>,
    /// The page's front matter has these keys with these values (or lists that contain them).
    pub fields: BTreeMap<String, String>,
}

impl Filter {
    /// The pages that match, or `None` if the filter is empty.
    ///
    /// # Errors
    /// [`Error::InvalidParams`] for a key with a quote, [`Error::Database`].
    pub fn allowed(&self, db: &Connection) -> Result<Option<HashSet<i64>>> {
        let mut conditions: Vec<String> = Vec::new();
        let mut values: Vec<Box<dyn ToSql>> = Vec::new();
        if !self.doc_types.is_empty() {
            let marks = vec!["?"; self.doc_types.len()].join(", ");
            conditions.push(format!("doc_type IN ({marks})"));
            values.extend(self.doc_types.iter().map(|name| Box::new(name.clone()) as Box<dyn ToSql>));
        }
        for tag in &self.tags {
            let key = text::fold_key(tag.trim_start_matches('#'));
            conditions.push(
                "EXISTS (SELECT 1 FROM tags WHERE tags.page = pages.page
                         AND (key = ? OR substr(key, 1, length(?)) = ?))"
                    .into(),
            );
            let below = format!("{key}/");
            values.extend([Box::new(key) as Box<dyn ToSql>, Box::new(below.clone()), Box::new(below)]);
        }
        if let Some(folders) = self.folders(db)? {
            let inside = vec!["substr(path, 1, length(?)) = ?"; folders.len()].join(" OR ");
            conditions.push(if folders.is_empty() { "0".into() } else { format!("({inside})") });
            for prefix in folders.into_iter().map(|folder| format!("{folder}/")) {
                values.extend([Box::new(prefix.clone()) as Box<dyn ToSql>, Box::new(prefix)]);
            }
        }
        for (key, value) in &self.fields {
            if key.contains('"') {
                return Err(Error::invalid(message!(
                    "'{key}' cannot be a front-matter key: it contains a quote",
                    key
                )));
            }
            conditions.push("EXISTS (SELECT 1 FROM json_each(front_matter, ?) WHERE atom = ?)".into());
            values.extend([Box::new(format!("$.\"{key}\"")) as Box<dyn ToSql>, Box::new(value.clone())]);
        }
        if conditions.is_empty() {
            return Ok(None);
        }
        let sql = format!("SELECT page FROM pages WHERE {}", conditions.join(" AND "));
        let mut statement = db.prepare(&sql)?;
        let pages = statement.query_map(params_from_iter(values), |row| row.get(0))?;
        Ok(Some(pages.collect::<rusqlite::Result<_>>()?))
    }

    /// The matching folders, `None` for any: the folder with this exact name, or else all whose names differ only in
    /// case. The name may be relative to the pages folder or to the project.
    fn folders(&self, db: &Connection) -> Result<Option<Vec<String>>> {
        let Some(given) = self.folder.as_deref() else { return Ok(None) };
        let Some(given) = path::join("", given) else { return Ok(Some(Vec::new())) };
        let pages_folder = pages_folder(db)?;
        let below = match given.strip_prefix(&pages_folder) {
            Some(rest) if !pages_folder.is_empty() => {
                rest.strip_prefix('/').or(rest.is_empty().then_some(""))
            }
            _ => None,
        };
        let readings: Vec<&str> = [Some(given.as_str()), below].into_iter().flatten().collect();
        for &folder in &readings {
            let holds_pages = "SELECT 1 FROM pages WHERE substr(path, 1, length(?1)) = ?1";
            if !folder.is_empty() && any(db, holds_pages, [format!("{folder}/")])? {
                return Ok(Some(vec![folder.to_owned()]));
            }
        }
        if readings.contains(&"") {
            return Ok(None);
        }
        let keys: Vec<String> = readings.iter().map(|folder| text::fold_key(folder)).collect();
        let mut alike = BTreeSet::new();
        for page in all::<String, Vec<String>>(db, "SELECT path FROM pages", [])? {
            let ends = page.match_indices('/').map(|(end, _)| end);
            let folders = ends.filter_map(|end| page.get(..end));
            alike.extend(folders.filter(|folder| keys.contains(&text::fold_key(folder))).map(str::to_owned));
        }
        Ok(Some(alike.into_iter().collect()))
    }

    /// The conditions that match no page.
    ///
    /// # Errors
    /// [`Error::Database`].
    pub(crate) fn unmatched(&self, db: &Connection) -> Result<Vec<Unmatched>> {
        let mut unmatched = Vec::new();
        let mut miss = |kind, value: &str, known: Vec<String>| {
            unmatched.push(Unmatched { kind, value: value.to_owned(), known });
        };
        for doc_type in &self.doc_types {
            if !any(db, "SELECT 1 FROM pages WHERE doc_type = ?1", [doc_type])? {
                let known =
                    "SELECT substr(doc_type, 1, 80) FROM pages GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT 10";
                miss(UnmatchedKind::Type, doc_type, all(db, known, [])?);
            }
        }
        for tag in &self.tags {
            let alone = Self { tags: vec![tag.clone()], ..Self::default() };
            if alone.allowed(db)?.is_some_and(|pages| pages.is_empty()) {
                let known = "SELECT substr(min(tag), 1, 80) FROM tags GROUP BY key ORDER BY count(*) DESC, key LIMIT 10";
                miss(UnmatchedKind::Tag, tag, all(db, known, [])?);
            }
        }
        if let Some(folder) = &self.folder
            && self.folders(db)?.is_some_and(|folders| folders.is_empty())
        {
            let known = "SELECT DISTINCT substr(path, 1, min(80, instr(path, '/') - 1)) FROM pages WHERE instr(path, '/') > 0
                         ORDER BY 1 LIMIT 10";
            miss(UnmatchedKind::Folder, folder, all(db, known, [])?);
        }
        for (key, value) in &self.fields {
            let alone = Self { fields: BTreeMap::from([(key.clone(), value.clone())]), ..Self::default() };
            if alone.allowed(db)?.is_some_and(|pages| pages.is_empty()) {
                let known = "SELECT substr(atom, 1, 80) FROM pages, json_each(front_matter, ?1) WHERE atom IS NOT NULL
                             GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT 10";
                let known = all(db, known, [format!("$.\"{key}\"")])?;
                miss(UnmatchedKind::Field, &format!("{key}={value}"), known);
            }
        }
        Ok(unmatched)
    }
}
