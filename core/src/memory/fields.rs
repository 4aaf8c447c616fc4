//! The front matter of a memory, read the same way for pages and for the index.

use super::{MemoryType, ends_at};
use crate::index::parse_time;
use crate::message;
use crate::message::Message;
use crate::page::Value;

/// Everything about a memory except its text.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Fields {
    pub memory_type: MemoryType,
    /// One line, verbatim.
    pub topic: String,
    /// Topics of memories merged into this one.
    pub aliases: Vec<String>,
    pub tags: Vec<String>,
    /// 0 to 1.
    pub confidence: f64,
    /// Seconds since 1970, if the page has it.
    pub created_at: Option<i64>,
    /// The memories that this one replaces, as its page names them.
    pub supersedes: Vec<String>,
    /// The memories that may be true instead of this one, as its page names them.
    pub conflicts_with: Vec<String>,
    /// The last day, or the time, until which it holds.
    pub valid_until: Option<String>,
    pub source: Option<String>,
    /// Ids of memories merged into this one; their counts are added to its own.
    pub merged: Vec<String>,
    /// Examples, if they cannot be stored in the text.
    pub examples: Option<Vec<String>>,
}

impl Fields {
    /// Reads front matter: `None` if it is not that of a memory; the reason if it is invalid.
    pub(super) fn of(fields: &[(String, Value)]) -> Option<Result<Self, Message>> {
        let get = |key: &str| fields.iter().find(|(name, _)| name == key).map(|(_, value)| value);
        let scalar = |key: &str| match get(key) {
            Some(Value::Text(text)) => Some(text.trim()).filter(|text| !text.is_empty()),
            _ => None,
        };
        let topic = scalar("topic")?;
        let Some(memory_type) = scalar("type").and_then(MemoryType::named) else {
            return Some(Err(match scalar("type") {
                None => message!("`type` must be tech, project-tech or domain; it is missing"),
                Some(found) => {
                    message!("`type` must be tech, project-tech or domain; it is '{found}'", found)
                }
            }));
        };
        let confidence = match scalar("confidence") {
            None => 1.0,
            Some(text) => match text.parse::<f64>() {
                Ok(number) if (0.0..=1.0).contains(&number) => number,
                _ => {
                    return Some(Err(message!(
                        "`confidence` must be a number from 0 to 1; it is '{found}'",
                        found = text
                    )));
                }
            },
        };
        let valid_until = scalar("valid_until");
        if let Some(text) = valid_until.filter(|text| ends_at(text).is_none()) {
            return Some(Err(message!(
                "`valid_until` must be a day such as 2026-01-31, or a time; it is '{found}'",
                found = text
            )));
        }
        Some(Ok(Self {
            memory_type,
            topic: topic.to_owned(),
            aliases: get("aliases").map(strings).unwrap_or_default(),
            tags: get("tags").map(tags).unwrap_or_default(),
            confidence,
            created_at: scalar("created_at").and_then(parse_time).map(|time| time.as_second()),
            supersedes: get("supersedes").map(links).unwrap_or_default(),
            conflicts_with: get("conflicts_with").map(links).unwrap_or_default(),
            valid_until: valid_until.map(str::to_owned),
            source: scalar("source").map(str::to_owned),
            merged: get("merged").map(strings).unwrap_or_default(),
            examples: get("examples").map(verbatim),
        }))
    }

    /// The topic of a page whose front matter is not valid YAML, as far as it can be read.
    pub(super) fn topic_of(fields: &[(String, Value)]) -> Option<&str> {
        fields.iter().find(|(name, _)| name == "topic").and_then(|(_, value)| match value {
            Value::Text(topic) => Some(topic.trim()),
            _ => None,
        })
    }
}

/// The strings of a value, without blank ones.
fn strings(value: &Value) -> Vec<String> {
    let all = verbatim(value);
    let trimmed = all.iter().map(|text| text.trim()).filter(|text| !text.is_empty());
    trimmed.map(str::to_owned).collect()
}

/// Names of pages. YAML reads an unquoted `[[page]]` as a nested list.
fn links(value: &Value) -> Vec<String> {
    let Value::List(items) = value else { return strings(value) };
    let one = |item: &Value| match item {
        Value::List(inner) => inner.iter().flat_map(strings).collect(),
        other => strings(other),
    };
    items.iter().flat_map(one).collect()
}

/// Reads tags as pages do: a scalar is split at commas and spaces.
fn tags(value: &Value) -> Vec<String> {
    let words: Vec<String> = match value {
        Value::Text(text) => text.split(|c: char| c == ',' || c.is_whitespace()).map(str::to_owned).collect(),
        other => strings(other),
    };
    let bare = words.iter().map(|word| word.trim().trim_start_matches('#'));
    bare.filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

/// The strings of a value, verbatim.
fn verbatim(value: &Value) -> Vec<String> {
    match value {
        Value::Text(text) if text.is_empty() => Vec::new(),
        Value::Text(text) => vec![text.clone()],
        Value::List(items) => items
            .iter()
            .filter_map(|item| match item {
                Value::Text(text) => Some(text.clone()),
                _ => None,
            })
            .collect(),
        Value::Map(_) => Vec::new(),
    }
}
