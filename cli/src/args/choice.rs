//! Arguments whose values are those of the engine, under the same names as in JSON.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use serde::de::value::Error;
use serde::de::{DeserializeOwned, IntoDeserializer};

/// A value and what it means.
pub(crate) type Choice = (&'static str, &'static str);

pub(crate) const FRONT_MATTER: &[Choice] =
    &[("managed", "UBP adds what is missing when pages are added"), ("preserved", "Nobody but you")];
pub(crate) const MODE: &[Choice] =
    &[("hybrid", "Meaning and words"), ("vector", "Meaning alone"), ("fulltext", "Words alone")];
pub(crate) const STALENESS: &[Choice] = &[
    ("fresh", "At least as new as what it describes"),
    ("possibly_stale", "Overtaken not long ago"),
    ("stale", "Overtaken longer ago"),
    ("untracked", "Without sources"),
];
pub(crate) const SORT: &[Choice] = &[
    ("title", "Title"),
    ("updated_at", "Time of the last change"),
    ("created_at", "Time of creation"),
    ("filepath", "Path"),
];
pub(crate) const ORDER: &[Choice] = &[("asc", "Smallest, oldest first"), ("desc", "Largest, newest first")];
pub(crate) const MEMORY_TYPE: &[Choice] = &[
    ("tech", "Technology, whatever the project"),
    ("project-tech", "How this project uses technology"),
    ("domain", "The field that the project is about"),
];

/// Reads one of `choices`.
pub(crate) fn one_of<T>(choices: &'static [Choice]) -> impl TypedValueParser<Value = T>
where
    T: DeserializeOwned + Clone + Send + Sync + 'static,
{
    let values = choices.iter().map(|(name, means)| PossibleValue::new(*name).help(*means));
    PossibleValuesParser::new(values)
        .try_map(|name| T::deserialize(IntoDeserializer::<Error>::into_deserializer(name)))
}
