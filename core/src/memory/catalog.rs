//! Which memories there are, according to the index: enough to find one by its topic, and to select and
//! count them without opening a file.

use std::collections::HashSet;

use rusqlite::Connection;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{FOLDER, Fields, MemoryType, bare_name};
use crate::index::parse_time;
use crate::index::questions::pages::{self, PageRow};
use crate::message::Message;
use crate::page::{Diagnostic, Value};
use crate::ports::Source;
use crate::text::fold_key;
use crate::{Error, Result, page, path};

/// A page in the folder of memories that is not a valid memory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Skipped {
    /// Its path relative to the pages folder.
    pub filepath: String,
    /// Line of the error, from 1.
    pub line: usize,
    /// What is wrong there.
    pub reason: Message,
}

/// A memory in the index.
#[derive(Debug, Clone)]
pub(crate) struct Entry {
    /// Number of its page in the index.
    pub page: i64,
    pub path: String,
    pub id: String,
    pub fields: Fields,
    /// Its topic, folded.
    pub key: String,
    /// Seconds since 1970.
    pub created_at: i64,
    /// When its text last changed, in seconds since 1970.
    pub updated_at: i64,
}

impl Entry {
    /// Its id and the ids of the memories merged into it.
    pub(crate) fn ids(&self) -> impl Iterator<Item = &str> {
        std::iter::once(&self.id).chain(&self.fields.merged).map(String::as_str)
    }

    /// Whether the front matter of another memory means this one by `name`.
    pub(crate) fn is_named(&self, name: &str) -> bool {
        let name = bare_name(name);
        let key = fold_key(name);
        let path = fold_key(&self.path);
        self.id == name || self.key == key || path == key || path.strip_suffix(".md") == Some(&key)
    }

    /// Whether `key` is its topic or the topic of a memory merged into it.
    fn answers_to(&self, key: &str) -> bool {
        self.key == key || self.fields.aliases.iter().any(|alias| fold_key(alias) == key)
    }
}

/// All memories, by path.
#[derive(Debug, Default)]
pub(crate) struct Catalog {
    pub entries: Vec<Entry>,
    pub skipped: Vec<Skipped>,
    /// Folded topics of skipped pages, as far as they are known, and their position in `skipped`.
    broken: Vec<(String, usize)>,
    /// Folded paths of all files in the folder of memories.
    taken: HashSet<String>,
}

impl Catalog {
    /// Reads the index.
    pub(crate) fn read(db: &Connection) -> Result<Self> {
        let mut catalog = Self::default();
        pages::each_in(db, FOLDER, |page, front_matter, diagnostics| {
            let PageRow { page, path, doc_id: id, created_at: created, updated_at: updated, .. } = page;
            let fields = match serde_json::from_str(front_matter) {
                Ok(Value::Map(fields)) => fields,
                _ => Vec::new(),
            };
            catalog.taken.insert(fold_key(&path));
            if diagnostics.contains("front_matter_syntax") {
                let found: Vec<Diagnostic> = serde_json::from_str(diagnostics).unwrap_or_default();
                let found = found.into_iter().find(|found| found.code == "front_matter_syntax");
                if let Some(Diagnostic { line, message, .. }) = found {
                    catalog.pass_over(path, line, message, Fields::topic_of(&fields));
                }
                return;
            }
            match Fields::of(&fields) {
                None => {}
                Some(Err(reason)) => catalog.pass_over(path, 1, reason, Fields::topic_of(&fields)),
                Some(Ok(fields)) => {
                    let indexed = |time: &str| parse_time(time).map(|time| time.as_second());
                    let created_at = fields.created_at.or_else(|| indexed(&created)).unwrap_or_default();
                    let updated_at = indexed(&updated).unwrap_or(created_at);
                    let key = fold_key(&fields.topic);
                    catalog.entries.push(Entry { page, path, id, fields, key, created_at, updated_at });
                }
            }
        })?;
        Ok(catalog)
    }

    fn pass_over(&mut self, filepath: String, line: usize, reason: Message, topic: Option<&str>) {
        self.broken.extend(topic.map(|topic| (fold_key(topic), self.skipped.len())));
        self.skipped.push(Skipped { filepath, line, reason });
    }

    /// The memory about `topic`: by its own topic first, then by the topics of merged memories.
    pub(crate) fn about(&self, memory_type: MemoryType, topic: &str) -> Option<&Entry> {
        let key = fold_key(topic);
        let of_type = || self.entries.iter().filter(|entry| entry.fields.memory_type == memory_type);
        of_type().find(|entry| entry.key == key).or_else(|| of_type().find(|entry| entry.answers_to(&key)))
    }

    /// A page about `topic` that is not a valid memory and has to be fixed first.
    pub(crate) fn broken(&self, topic: &str) -> Option<&Skipped> {
        let key = fold_key(topic);
        let (_, at) = self.broken.iter().find(|(topic, _)| *topic == key)?;
        self.skipped.get(*at)
    }

    /// The memory with this id, path or topic.
    ///
    /// # Errors
    /// [`Error::PageNotFound`], [`Error::AmbiguousPage`].
    pub(crate) fn named(&self, name: &str, memory_type: Option<MemoryType>) -> Result<&Entry> {
        let name = name.trim();
        let key = fold_key(name);
        let eligible = || {
            self.entries.iter().filter(|entry| memory_type.is_none_or(|one| one == entry.fields.memory_type))
        };
        let rules: [&dyn Fn(&Entry) -> bool; 4] =
            [&|entry| entry.id == name, &|entry| entry.path == name, &|entry| entry.key == key, &|entry| {
                entry.answers_to(&key)
            }];
        for rule in rules {
            let found: Vec<&Entry> = eligible().filter(|entry| rule(entry)).collect();
            match found.as_slice() {
                [] => {}
                [only] => return Ok(only),
                several => {
                    let candidates = several.iter().map(|entry| entry.path.clone()).collect();
                    return Err(Error::AmbiguousPage { page: name.into(), candidates });
                }
            }
        }
        let mut alike: Vec<(f64, &str)> = eligible()
            .map(|entry| (strsim::jaro_winkler(&entry.key, &key), entry.fields.topic.as_str()))
            .filter(|(likeness, _)| *likeness >= 0.8)
            .collect();
        alike.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
        let similar = alike.into_iter().take(3).map(|(_, topic)| topic.to_owned()).collect();
        Err(Error::PageNotFound { page: name.into(), similar })
    }

    /// A path for a new memory that no page and no other file of the source uses, and whether the catalog is stale: it
    /// is if the source has a file that the catalog lacks.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub(crate) fn free_path(
        &self,
        source: &dyn Source,
        memory_type: MemoryType,
        topic: &str,
    ) -> Result<(String, bool)> {
        let name = file_name(topic);
        let mut number = 1;
        let mut is_behind = false;
        loop {
            let suffix = if number == 1 { String::new() } else { format!("-{number}") };
            let place = format!("{FOLDER}/{}/{name}{suffix}.md", memory_type.as_str());
            if !self.taken.contains(&fold_key(&place)) {
                if source.stat(&place)?.is_none() {
                    return Ok((place, is_behind));
                }
                is_behind = true;
            }
            number += 1;
        }
    }
}

/// Maximum length of a file name in characters; the page contains the whole topic.
const NAME_LIMIT: usize = 60;

/// A topic as a file name: letters and digits of any script, and single hyphens.
fn file_name(topic: &str) -> String {
    let slug = page::slug(topic);
    let nothing_left = slug == "section" && fold_key(topic) != "section";
    let slug: String = slug.chars().take(NAME_LIMIT).collect();
    let slug = if nothing_left { "memory" } else { slug.trim_end_matches('-') };
    path::file_name_for(slug)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_topic_becomes_a_file_name_that_is_valid_on_every_system() {
        for (topic, name) in [
            ("Rustの非同期プログラミング", "rustの非同期プログラミング"),
            ("../../etc/passwd", "etc-passwd"),
            ("...", "memory"),
            ("🎉", "memory"),
            ("Section", "section"),
            ("CON", "con-"),
            ("lpt1", "lpt1-"),
            ("[[x]]", "x"),
            ("a/b\\c:d*e?f\"g<h>i|j", "a-b-c-d-e-f-g-h-i-j"),
            ("İstanbul", "i̇stanbul"),
        ] {
            assert_eq!(file_name(topic), name);
        }
        let long = file_name(&"設計".repeat(100));
        assert!(long.chars().count() <= NAME_LIMIT && long.len() <= 240, "{long}");
    }
}
