//! Which memories still hold. A memory that another supersedes does not, nor one whose `valid_until` has passed. Both
//! stay on their pages, so that people can see what was believed before.

use std::collections::{BTreeSet, HashMap};

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

use super::{Catalog, Entry};
use crate::index::parse_time;
use crate::text::fold_key;

/// What other memories and time say about a memory. Memories are named by their paths.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Standing {
    pub superseded_by: BTreeSet<String>,
    pub supersedes: BTreeSet<String>,
    /// In either direction.
    pub conflicts_with: BTreeSet<String>,
    pub is_expired: bool,
}

impl Standing {
    /// Whether the memory still holds.
    pub(crate) fn is_current(&self) -> bool {
        self.superseded_by.is_empty() && !self.is_expired
    }
}

/// The standing of every memory.
#[derive(Debug, Clone, Default)]
pub(crate) struct Currency {
    by_path: HashMap<String, Standing>,
    none: Standing,
}

impl Currency {
    /// Reads it from the front matter of the memories.
    pub(crate) fn of(catalog: &Catalog, now: Timestamp) -> Self {
        let names = Names::of(&catalog.entries);
        let mut currency = Self::default();
        for entry in &catalog.entries {
            let end = entry.fields.valid_until.as_deref().and_then(ends_at);
            currency.at(&entry.path).is_expired = end.is_some_and(|end| end <= now);
            for other in names.all(entry, &entry.fields.supersedes) {
                currency.at(&entry.path).supersedes.insert(other.to_owned());
                currency.at(other).superseded_by.insert(entry.path.clone());
            }
            for other in names.all(entry, &entry.fields.conflicts_with) {
                currency.at(&entry.path).conflicts_with.insert(other.to_owned());
                currency.at(other).conflicts_with.insert(entry.path.clone());
            }
        }
        currency
    }

    fn at(&mut self, path: &str) -> &mut Standing {
        self.by_path.entry(path.to_owned()).or_default()
    }

    /// The standing of the memory at `path`.
    pub(crate) fn standing(&self, path: &str) -> &Standing {
        self.by_path.get(path).unwrap_or(&self.none)
    }

    /// The memories that took the place of the one at `path`, at the end of every chain of replacements.
    pub(crate) fn successors<'c>(&'c self, path: &'c str) -> BTreeSet<&'c str> {
        let mut found = self.replacing(path);
        found.retain(|at| self.standing(at).superseded_by.is_empty());
        found
    }

    /// Whether the memory at `other` replaces the one at `path`, also through others.
    pub(crate) fn replaces(&self, other: &str, path: &str) -> bool {
        self.replacing(path).contains(other)
    }

    /// The memories that replace the one at `path`, and those that replace these.
    fn replacing<'c>(&'c self, path: &'c str) -> BTreeSet<&'c str> {
        let (mut open, mut seen) = (vec![path], BTreeSet::new());
        while let Some(at) = open.pop() {
            let next = self.standing(at).superseded_by.iter().map(String::as_str);
            open.extend(next.filter(|other| seen.insert(*other)));
        }
        seen
    }
}

/// Ways to name a memory in the front matter of another.
struct Names<'c> {
    paths: HashMap<String, &'c str>,
    ids: HashMap<&'c str, &'c str>,
    /// The memories with this topic, of any type.
    topics: HashMap<&'c str, Vec<&'c Entry>>,
}

impl<'c> Names<'c> {
    fn of(entries: &'c [Entry]) -> Self {
        let mut names = Self { paths: HashMap::new(), ids: HashMap::new(), topics: HashMap::new() };
        for entry in entries {
            names.paths.insert(without_extension(&fold_key(&entry.path)).to_owned(), &entry.path);
            names.topics.entry(&entry.key).or_default().push(entry);
            for id in entry.ids() {
                names.ids.insert(id, &entry.path);
            }
        }
        names
    }

    /// The memories that `of` names, without itself. Names of nothing, and topics of several other types, are left out.
    fn all(&self, of: &Entry, names: &[String]) -> BTreeSet<&'c str> {
        let found = names.iter().filter_map(|name| {
            let name = bare_name(name);
            let key = fold_key(name);
            let by_topic = || {
                let about = self.topics.get(key.as_str())?;
                let same_type = about.iter().find(|one| one.fields.memory_type == of.fields.memory_type);
                match (same_type, about.as_slice()) {
                    (Some(one), _) | (None, [one]) => Some(one.path.as_str()),
                    _ => None,
                }
            };
            let by_path = self.paths.get(without_extension(&key)).copied();
            by_path.or_else(|| self.ids.get(name).copied()).or_else(by_topic)
        });
        found.filter(|path| *path != of.path).collect()
    }
}

/// A name without the brackets of a link, its label and its heading.
pub(crate) fn bare_name(name: &str) -> &str {
    let name = name.trim();
    let inner = name.strip_prefix("[[").and_then(|rest| rest.strip_suffix("]]"));
    let Some(inner) = inner else { return name };
    inner.split(['|', '#']).next().unwrap_or_default().trim()
}

/// How front matter names the memory: as a link, unless its path has a character that links cannot contain.
pub(crate) fn link_to(entry: &Entry) -> String {
    match entry.path.contains(['#', '|', '[', ']', '^']) {
        true => entry.id.clone(),
        false => format!("[[{}]]", without_extension(&entry.path)),
    }
}

fn without_extension(path: &str) -> &str {
    path.strip_suffix(".md").or_else(|| path.strip_suffix(".markdown")).unwrap_or(path)
}

/// The moment from which a memory with this `valid_until` no longer holds: the end of a day, in UTC, or the given time.
pub(crate) fn ends_at(text: &str) -> Option<Timestamp> {
    match text.trim().parse::<Date>() {
        Ok(day) if text.trim().len() <= 10 => {
            let next = day.tomorrow().ok()?.at(0, 0, 0, 0);
            next.to_zoned(TimeZone::UTC).ok().map(|zoned| zoned.timestamp())
        }
        _ => parse_time(text),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_day_ends_at_midnight() {
        let end = |text: &str| ends_at(text).map(|time| time.to_string());
        assert_eq!(end("2026-01-31").as_deref(), Some("2026-02-01T00:00:00Z"));
        assert_eq!(end("2026-01-31T10:00:00Z").as_deref(), Some("2026-01-31T10:00:00Z"));
        assert_eq!(end("2026-01-31T10:00:00+09:00").as_deref(), Some("2026-01-31T01:00:00Z"));
        assert_eq!((end("soon"), end("31.1.2026"), end("")), (None, None, None));
    }

    #[test]
    fn names_are_read_as_links_or_as_they_are() {
        for (name, bare) in [
            ("[[memory/tech/a|the old one]]", "memory/tech/a"),
            (" [[a#b]] ", "a"),
            ("Rust async", "Rust async"),
            ("[x]", "[x]"),
        ] {
            assert_eq!(bare_name(name), bare);
        }
    }
}
