//! Arguments whose values are enumerations of the engine, with the same names as in JSON.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use serde::de::value::Error;
use serde::de::{DeserializeOwned, IntoDeserializer};

/// A value and its description.
pub(crate) type Choice = (&'static str, &'static str);

pub(crate) const FRONT_MATTER: &[Choice] =
    &[("managed", "`ubp add` adds missing fields"), ("preserved", "Only you")];
pub(crate) const MODE: &[Choice] =
    &[("hybrid", "Meaning and words"), ("vector", "Meaning only"), ("fulltext", "Words only")];
pub(crate) const STALENESS: &[Choice] = &[
    ("fresh", "Code unchanged since the last review"),
    ("possibly_stale", "Code changed recently"),
    ("stale", "Code changed longer ago"),
    ("untracked", "No sources"),
];
pub(crate) const SORT: &[Choice] = &[
    ("title", "Title"),
    ("updated_at", "Time of the last change"),
    ("created_at", "Time of creation"),
    ("filepath", "Path"),
];
pub(crate) const ORDER: &[Choice] =
    &[("asc", "Smallest or oldest first"), ("desc", "Largest or newest first")];
pub(crate) const IMPORTED: &[Choice] = &[
    ("notion", "An export of Notion as Markdown & CSV"),
    ("logseq", "A Logseq graph of Markdown files"),
    ("obsidian", "An Obsidian vault, which is copied"),
];
pub(crate) const MEMORY_TYPE: &[Choice] = &[
    ("tech", "Technology, in any project"),
    ("project-tech", "How this project uses technology"),
    ("domain", "The subject of the project"),
];

pub(crate) const QUEUE_KIND: &[Choice] = &[
    ("proposal", "Changes that agents proposed"),
    ("contradiction", "Memories that contradict each other"),
    ("duplicate", "Memories that say the same"),
    ("type", "Types of links that sentences state"),
    ("link", "Missing links"),
    ("code", "Missing links to code, which take longer"),
];
pub(crate) const COMMENTS: &[Choice] = &[("open", "Not resolved"), ("resolved", "Resolved"), ("all", "All")];
pub(crate) const PROPOSALS: &[Choice] =
    &[("open", "Waiting for review"), ("decided", "Accepted, rejected or withdrawn"), ("all", "All")];

/// Reads one of `choices`.
pub(crate) fn one_of<T>(choices: &'static [Choice]) -> impl TypedValueParser<Value = T>
where
    T: DeserializeOwned + Clone + Send + Sync + 'static,
{
    let values = choices.iter().map(|(name, means)| PossibleValue::new(*name).help(*means));
    PossibleValuesParser::new(values)
        .try_map(|name| T::deserialize(IntoDeserializer::<Error>::into_deserializer(name)))
}
