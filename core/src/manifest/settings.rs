//! Settings files in JSON. People edit them by hand, so every mistake is reported with its line, and unknown members
//! are kept when the file is rewritten.

use crate::message;
use crate::message::Message;
use std::collections::BTreeMap;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use serde_path_to_error::Segment;

use crate::{Error, Result, word};

/// A parsed settings file.
#[derive(Debug, Clone)]
pub struct Settings<T> {
    /// The settings, with defaults for those that are not in the file.
    pub value: T,
    /// The members of the file, unchanged.
    pub given: Map<String, Value>,
    /// Members that are not settings, in the order of the file.
    pub unknown: Vec<UnknownSetting>,
}

/// An unknown member of a settings file, such as a misspelt setting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownSetting {
    /// Its name, after those of the enclosing objects: `search.limt`.
    pub name: String,
    /// Its line, from 1.
    pub line: usize,
}

impl UnknownSetting {
    /// What is told about it.
    pub fn told(&self) -> Message {
        message!("unknown setting `{name}`, ignored", name = self.name)
    }
}

/// Parses the settings in `text`; errors name the file `path`. A setting that is missing or `null` has its value in
/// `defaults`.
///
/// # Errors
/// [`Error::Manifest`] with the line, for invalid JSON and for a value of the wrong type or out of range.
pub fn read<T: Serialize + DeserializeOwned>(text: &str, path: &str, defaults: &T) -> Result<Settings<T>> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let wrong = |line, message| Error::Manifest { path: path.into(), line, message };
    let json: Value =
        serde_json::from_str(text).map_err(|error| wrong(error.line().max(1), without_position(&error)))?;
    let Value::Object(given) = json else {
        return Err(wrong(1, message!("expected an object: {{ … }}")));
    };
    match typed(&given, defaults) {
        Ok((value, unknown)) => {
            let unknown = unknown
                .into_iter()
                .map(|keys| UnknownSetting { name: keys.join("."), line: line_of(text, &keys) });
            Ok(Settings { unknown: unknown.collect(), value, given })
        }
        Err((keys, message)) => {
            let name = keys.join(".");
            #[cfg(not(target_family = "wasm"))]
            let name = name.replace(".[", "[");
            Err(wrong(line_of(text, &keys), message!("`{name}`: {message}", name, message)))
        }
    }
}

/// The members of the file with the settings in `value`: changed settings are replaced, everything else stays.
pub(super) fn rewritten<T>(given: &Map<String, Value>, defaults: &T, value: &T) -> Map<String, Value>
where
    T: Serialize + DeserializeOwned,
{
    let mut object = given.clone();
    let before = typed(given, defaults).map_or_else(|_| members(defaults), |(before, _)| members(&before));
    change(&mut object, &before, &members(value));
    object
}

/// The settings as members of a file.
pub(super) fn members<T: Serialize>(settings: &T) -> Map<String, Value> {
    match serde_json::to_value(settings) {
        Ok(Value::Object(members)) => members,
        _ => Map::new(),
    }
}

/// Line, from 1, of the value at `keys`, or of the deepest existing object on the way. An item of a list has its number
/// from 0 as the key: `[2]`. If a key is repeated, the last one counts, as in the parser.
pub fn line_of(text: &str, keys: &[String]) -> usize {
    let mut value = text.trim_start_matches('\u{feff}').trim_start();
    for key in keys {
        #[cfg(not(target_family = "wasm"))]
        if let Some(at) = key.strip_prefix('[').and_then(|key| key.strip_suffix(']')?.parse::<usize>().ok())
            && let Some(item) = serde_json::from_str::<Vec<&RawValue>>(value).unwrap_or_default().get(at)
        {
            value = item.get();
            continue;
        }
        let members = serde_json::from_str::<BTreeMap<String, &RawValue>>(value).unwrap_or_default();
        let Some(member) = members.get(key) else { break };
        value = member.get();
    }
    let offset = value.as_ptr().addr().saturating_sub(text.as_ptr().addr());
    1 + text.get(..offset).map_or(0, |before| before.matches('\n').count())
}

/// The key of a member, after those of the enclosing objects.
type Keys = Vec<String>;

/// The settings in `given`, and its unknown members. An error is the keys of a member and a message.
fn typed<T>(given: &Map<String, Value>, defaults: &T) -> std::result::Result<(T, Vec<Keys>), (Keys, Message)>
where
    T: Serialize + DeserializeOwned,
{
    let (mut settings, mut unknown) = (members(defaults), Vec::new());
    overlay(&mut settings, given, &[], &mut unknown)?;
    let value = serde_path_to_error::deserialize(Value::Object(settings)).map_err(|error| {
        let keys = error.path().iter().map_while(|segment| match segment {
            Segment::Map { key } => Some(key.clone()),
            // In browsers, no setting has objects in a list.
            #[cfg(not(target_family = "wasm"))]
            Segment::Seq { index } => Some(format!("[{index}]")),
            _ => None,
        });
        (keys.collect(), Message::reported(error.inner().to_string()))
    })?;
    Ok((value, unknown))
}

/// Replaces the values in `settings` by those in `given`.
fn overlay(
    settings: &mut Map<String, Value>,
    given: &Map<String, Value>,
    parents: &[String],
    unknown: &mut Vec<Keys>,
) -> std::result::Result<(), (Keys, Message)> {
    for (key, value) in given {
        let keys = [parents, std::slice::from_ref(key)].concat();
        match (settings.get_mut(key), value) {
            (None, _) => unknown.push(keys),
            (_, Value::Null) => {}
            (Some(Value::Object(inner)), Value::Object(value)) => overlay(inner, value, &keys, unknown)?,
            (Some(slot), value) if slot.is_null() || kind(slot) == kind(value) => *slot = value.clone(),
            (Some(slot), value) => {
                let (expected, found) = (Message::word(kind(slot)), Message::word(kind(value)));
                return Err((keys, message!("expected {expected}, found {found}", expected, found)));
            }
        }
    }
    Ok(())
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => word!("true or false"),
        Value::Number(_) => word!("a number"),
        Value::String(_) => word!("a string"),
        Value::Array(_) => word!("a list"),
        Value::Object(_) => word!("an object"),
    }
}

/// Applies the differences between `before` and `after` to `object`.
fn change(object: &mut Map<String, Value>, before: &Map<String, Value>, after: &Map<String, Value>) {
    for (key, value) in after {
        match (value, before.get(key)) {
            (value, Some(before)) if value == before => {}
            (Value::Object(after), Some(Value::Object(before))) => {
                let slot = object.entry(key).or_insert(Value::Null);
                let mut inner = slot.as_object().cloned().unwrap_or_default();
                change(&mut inner, before, after);
                *slot = inner.into();
            }
            (value, _) => {
                object.insert(key.clone(), value.clone());
            }
        }
    }
}

/// serde_json's message without the line, which the error reports separately.
fn without_position(error: &serde_json::Error) -> Message {
    let text = error.to_string();
    match text.rsplit_once(" at line ") {
        Some((words, _)) => {
            message!("{reason} (column {column})", reason = Message::reported(words), column = error.column())
        }
        None => Message::reported(text),
    }
}
