//! Valid values of each setting, as functions for serde's `deserialize_with`. Messages say what was expected and what
//! was found.

use std::fmt::Display;

use jiff::Timestamp;
use serde::de::{DeserializeOwned, Deserializer, Error};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{CHUNK_SIZES, MOST_CHUNKS, is_language};
use crate::{reported, word};

/// Maximum number of link types of a project: every link and front-matter key is compared with all of them.
const MOST_LINK_TYPES: usize = 100;

/// Maximum size of a chunk in characters.
///
/// # Errors
/// If it is not a whole number in [`CHUNK_SIZES`].
pub fn chunk_size<'de, T: DeserializeOwned, D: Deserializer<'de>>(value: D) -> Result<T, D::Error> {
    whole::<{ CHUNK_SIZES.0 }, { CHUNK_SIZES.1 }, T, D>(value)
}

/// Number of chunks that a search in documents returns.
///
/// # Errors
/// If it is not a whole number from 1 to [`MOST_CHUNKS`].
pub fn top_k<'de, T: DeserializeOwned, D: Deserializer<'de>>(value: D) -> Result<T, D::Error> {
    whole::<1, MOST_CHUNKS, T, D>(value)
}

/// Length of a model's vectors.
///
/// # Errors
/// If it is not a whole number from 1 to 65,536.
pub fn dimensions<'de, T: DeserializeOwned, D: Deserializer<'de>>(value: D) -> Result<T, D::Error> {
    whole::<1, 65_536, T, D>(value)
}

/// A whole number in a range, or `null` if `T` allows it.
pub(super) fn whole<'de, const LEAST: usize, const MOST: usize, T, D>(value: D) -> Result<T, D::Error>
where
    T: DeserializeOwned,
    D: Deserializer<'de>,
{
    let expected = reported!("a whole number from {least} to {most}", least = LEAST, most = MOST);
    checked(value, expected, |value| {
        let number = value.as_u64().and_then(|number| usize::try_from(number).ok());
        value.is_null() || number.is_some_and(|number| (LEAST..=MOST).contains(&number))
    })
}

pub(super) fn fraction<'de, D: Deserializer<'de>>(value: D) -> Result<f64, D::Error> {
    checked(value, word!("a number from 0 to 1"), |value| {
        value.as_f64().is_some_and(|number| (0.0..=1.0).contains(&number))
    })
}

pub(super) fn truth<'de, D: Deserializer<'de>>(value: D) -> Result<bool, D::Error> {
    checked(value, word!("true or false"), Value::is_boolean)
}

pub(super) fn name<'de, D: Deserializer<'de>>(value: D) -> Result<String, D::Error> {
    checked(value, word!("the name of a model"), |value| is_text(value, |text| !text.trim().is_empty()))
}

pub(super) fn time<'de, D: Deserializer<'de>>(value: D) -> Result<Option<Timestamp>, D::Error> {
    checked(value, word!("a time such as \"2026-02-07T00:00:00Z\""), |value| {
        value.is_null() || is_text(value, |text| text.parse::<Timestamp>().is_ok())
    })
}

pub(super) fn language<'de, D: Deserializer<'de>>(value: D) -> Result<Option<String>, D::Error> {
    checked(value, word!("a language tag such as \"en\" or \"ja\""), |value| {
        value.is_null() || is_text(value, is_language)
    })
}

/// An http(s) address with a place for the path of a page.
pub(super) fn edit_url<'de, D: Deserializer<'de>>(value: D) -> Result<Option<String>, D::Error> {
    let is_address = |text: &str| {
        ["https://", "http://"].iter().any(|scheme| text.starts_with(scheme)) && text.contains("{path}")
    };
    checked(value, word!("an address such as \"https://example.com/edit/main/{path}\""), |value| {
        value.is_null() || is_text(value, is_address)
    })
}

/// A string; a blank one counts as missing.
pub(super) fn title<'de, D: Deserializer<'de>>(value: D) -> Result<Option<String>, D::Error> {
    let title: Option<String> =
        checked(value, word!("a string"), |value| value.is_null() || value.is_string())?;
    Ok(title.filter(|title| !title.trim().is_empty()))
}

pub(super) fn link_types<'de, D: Deserializer<'de>>(value: D) -> Result<Vec<String>, D::Error> {
    let given: Vec<String> = checked(value, word!("a list of names, such as [\"replaces\"]"), |value| {
        value.as_array().is_some_and(|items| items.iter().all(Value::is_string))
    })?;
    let mut types: Vec<String> = Vec::new();
    for name in given.iter().map(|name| name.trim()) {
        if name.is_empty() || name.contains(['|', '[', ']', '\n', '\r']) {
            return Err(D::Error::custom(reported!("'{name}' cannot be the name of a link type")));
        }
        if !types.iter().any(|known| known == name) {
            types.push(name.into());
        }
        if types.len() > MOST_LINK_TYPES {
            return Err(D::Error::custom(reported!("at most {most} link types", most = MOST_LINK_TYPES)));
        }
    }
    Ok(types)
}

/// The layout of a manifest, which is parsed first because a newer layout may change the meaning of other settings.
#[derive(Serialize, Deserialize)]
pub(super) struct Layout {
    #[serde(deserialize_with = "schema_version")]
    pub schema_version: u32,
}

pub(super) fn schema_version<'de, D: Deserializer<'de>>(value: D) -> Result<u32, D::Error> {
    whole::<1, { u32::MAX as usize }, _, _>(value)
}

pub(super) fn pages_dir<'de, D: Deserializer<'de>>(value: D) -> Result<String, D::Error> {
    folder(&String::deserialize(value)?).map_err(D::Error::custom)
}

pub(super) fn templates_dir<'de, D: Deserializer<'de>>(value: D) -> Result<Option<String>, D::Error> {
    let given: Option<String> =
        checked(value, word!("a folder"), |value| value.is_null() || value.is_string())?;
    let given = given.filter(|dir| !dir.trim().is_empty());
    given.map(|dir| folder(&dir).map_err(D::Error::custom)).transpose()
}

/// Keeps the `./` of a folder that is relative to a page.
pub(super) fn attachments_dir<'de, D: Deserializer<'de>>(value: D) -> Result<String, D::Error> {
    let given: String = checked(value, word!("a folder such as \"attachments\" or \"./assets\""), |value| {
        is_text(value, |text| !text.trim().is_empty())
    })?;
    let inside = folder(&given).map_err(D::Error::custom)?;
    if inside != "." && !crate::path::can_be_attachment(&format!("{inside}/file")) {
        return Err(D::Error::custom(reported!(
            "'{given}' cannot contain attachments, because it is hidden or in node_modules"
        )));
    }
    #[cfg(not(target_family = "wasm"))]
    if let Some(name) = unknown_placeholder(&inside) {
        return Err(D::Error::custom(reported!(
            "unknown placeholder '{name}' in '{given}'; expected one of page, year, month, day"
        )));
    }
    Ok(match (given.trim().replace('\\', "/").starts_with("./"), inside.as_str()) {
        (true, ".") => "./".into(),
        (true, inside) => format!("./{inside}"),
        (false, _) => inside,
    })
}

/// The first name in braces that a folder of attachments cannot have.
#[cfg(not(target_family = "wasm"))]
fn unknown_placeholder(dir: &str) -> Option<&str> {
    let names = dir.split('{').skip(1).filter_map(|part| part.split_once('}'));
    names.map(|(name, _)| name).find(|name| !["page", "year", "month", "day"].contains(name))
}

/// Normalizes `dir`: `/`-separated, without `.` parts; `.` for the project itself.
///
/// # Errors
/// A message if it is not a folder inside the project that can contain pages.
pub(super) fn folder(dir: &str) -> Result<String, String> {
    let slashed = dir.trim().replace('\\', "/");
    if !crate::path::is_inside(&slashed) {
        return Err(reported!("'{dir}' must be a folder inside the project, without '..'"));
    }
    let parts: Vec<&str> = slashed.split('/').filter(|part| !matches!(*part, "" | ".")).collect();
    if parts.iter().any(|part| [".ubp", ".git"].iter().any(|own| part.eq_ignore_ascii_case(own))) {
        return Err(reported!("'{dir}' cannot be inside .ubp or .git"));
    }
    Ok(if parts.is_empty() { ".".into() } else { parts.join("/") })
}

/// The value, if `is_right` accepts it.
fn checked<'de, T: DeserializeOwned, D: Deserializer<'de>>(
    value: D,
    expected: impl Display,
    is_right: impl FnOnce(&Value) -> bool,
) -> Result<T, D::Error> {
    let value = Value::deserialize(value)?;
    let read = if is_right(&value) { T::deserialize(&value).ok() } else { None };
    read.ok_or_else(|| D::Error::custom(reported!("expected {expected}, found {found}", found = value)))
}

fn is_text(value: &Value, is_right: impl FnOnce(&str) -> bool) -> bool {
    value.as_str().is_some_and(is_right)
}
