//! Which pages may be found at all.

use std::collections::{BTreeMap, HashSet};

use rusqlite::{Connection, ToSql, params_from_iter};

use crate::{Error, Result, text};

/// Conditions that a page must meet, all of them; empty ones are met by every page.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    /// Its type is one of these.
    pub doc_types: Vec<String>,
    /// It carries all of these tags, or tags nested below them.
    pub tags: Vec<String>,
    /// It lies in this folder or below, relative to the pages folder.
    pub folder: Option<String>,
    /// Its front matter has these keys with these values (or lists that contain them).
    pub fields: BTreeMap<String, String>,
}

impl Filter {
    /// The pages that meet the conditions; `None` when there are none to meet.
    ///
    /// # Errors
    /// [`Error::InvalidParams`] for a key that cannot be looked up, [`Error::Database`].
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
        if let Some(folder) = self.folder.as_deref().map(|f| f.trim_matches('/')).filter(|f| !f.is_empty()) {
            conditions.push("substr(path, 1, length(?)) = ?".into());
            let prefix = format!("{folder}/");
            values.extend([Box::new(prefix.clone()) as Box<dyn ToSql>, Box::new(prefix)]);
        }
        for (key, value) in &self.fields {
            if key.contains('"') {
                return Err(Error::invalid(format!(
                    "'{key}' cannot be a front-matter key: it contains a quote"
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
}
