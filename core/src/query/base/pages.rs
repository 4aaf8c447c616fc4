//! The pages that bases list.

use std::cell::OnceCell;
use std::collections::HashMap;

use jiff::Timestamp;
use serde_json::{Map, Value as Json};

use super::value::Value;
use crate::index::questions::{links, names, pages};
use crate::page::LinkKind;
use crate::{Context, Result};

/// All pages, by path.
pub(in crate::query) struct Pages {
    pub(super) rows: Vec<Row>,
    by_number: HashMap<i64, usize>,
    /// The links of each page, read for the first expression that needs them.
    links: OnceCell<Vec<Vec<Link>>>,
}

/// A page.
pub(super) struct Row {
    pub(super) number: i64,
    pub(super) path: String,
    pub(super) size: f64,
    pub(super) created: Value,
    pub(super) modified: Value,
    pub(super) tags: Vec<String>,
    fields: Vec<(String, Value)>,
}

/// A link of a page.
pub(super) struct Link {
    pub(super) is_embed: bool,
    /// As it is written.
    pub(super) target: String,
    /// The page that it leads to.
    pub(super) page: Option<usize>,
}

impl Pages {
    pub(in crate::query) fn read(context: &Context<'_>) -> Result<Self> {
        let time = |text: &str| text.parse::<Timestamp>().map_or(Value::Nothing, Value::time);
        let (files, mut tags) = context.index.read(|db| {
            let mut tags: HashMap<i64, Vec<String>> = HashMap::new();
            names::each_tag(db, |page, tag| tags.entry(page).or_default().push(tag))?;
            Ok((pages::files(db)?, tags))
        })?;
        let rows: Vec<Row> = files
            .into_iter()
            .map(|file| Row {
                number: file.page,
                path: file.path,
                size: file.size as f64,
                created: time(&file.created_at),
                modified: time(&file.updated_at),
                tags: tags.remove(&file.page).unwrap_or_default(),
                fields: serde_json::from_str::<Map<String, Json>>(&file.front_matter)
                    .unwrap_or_default()
                    .into_iter()
                    .map(|(name, value)| (name, Value::written(value)))
                    .collect(),
            })
            .collect();
        let by_number = rows.iter().enumerate().map(|(at, row)| (row.number, at)).collect();
        Ok(Self { rows, by_number, links: OnceCell::new() })
    }

    pub(super) fn at_path(&self, path: &str) -> Option<usize> {
        self.rows.binary_search_by(|row| row.path.as_str().cmp(path)).ok()
    }

    pub(super) fn numbered(&self, page: i64) -> Option<usize> {
        self.by_number.get(&page).copied()
    }

    pub(super) fn links(&self, context: &Context<'_>) -> Result<&[Vec<Link>]> {
        if let Some(known) = self.links.get() {
            return Ok(known);
        }
        let mut found: Vec<Vec<Link>> = self.rows.iter().map(|_| Vec::new()).collect();
        context.index.read(|db| {
            links::each_written(db, |page, kind, target, leads_to| {
                let Some(links) = self.numbered(page).and_then(|at| found.get_mut(at)) else { return };
                let page = leads_to.and_then(|page| self.numbered(page));
                links.push(Link { is_embed: kind == LinkKind::Embed, target, page });
            })
        })?;
        Ok(self.links.get_or_init(|| found))
    }
}

impl Row {
    /// The value of a key of front matter. As in Obsidian, the case of letters does not matter.
    pub(super) fn field(&self, name: &str) -> Value {
        self.found(name).cloned().unwrap_or(Value::Nothing)
    }

    /// Whether front matter has the key, with or without a value.
    pub(super) fn has(&self, name: &str) -> bool {
        self.found(name).is_some()
    }

    fn found(&self, name: &str) -> Option<&Value> {
        let exact = self.fields.iter().find(|(key, _)| key == name);
        let found = exact.or_else(|| {
            let name = name.to_lowercase();
            self.fields.iter().find(|(key, _)| key.to_lowercase() == name)
        });
        found.map(|(_, value)| value)
    }

    pub(super) fn fields(&self) -> Value {
        Value::Map(self.fields.clone())
    }
}
