//! Fields: the front-matter keys that pages of a template have, and that are asked for when a page is created.

use crate::message;
use crate::message::Message;
use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::page::Value;

/// What a field contains.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FieldKind {
    /// A text on one line.
    #[default]
    Text,
    /// A list of texts.
    List,
    /// A date such as 2026-02-07.
    Date,
    /// A number.
    Number,
    /// `true` or `false`.
    Boolean,
}

impl FieldKind {
    /// All kinds, by name.
    pub const NAMES: [(&'static str, Self); 5] = [
        ("text", Self::Text),
        ("list", Self::List),
        ("date", Self::Date),
        ("number", Self::Number),
        ("boolean", Self::Boolean),
    ];

    fn told(self) -> Message {
        match self {
            Self::Text => message!("a text on one line"),
            Self::List => message!("a list of texts"),
            Self::Date => message!("a date such as 2026-02-07"),
            Self::Number => message!("a number"),
            Self::Boolean => message!("true or false"),
        }
    }
}

/// A field of a template.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Field {
    /// The front-matter key.
    pub name: String,
    /// What to enter, for people.
    pub description: Option<String>,
    /// What it contains.
    pub kind: FieldKind,
    /// The allowed values; empty if any value is allowed.
    pub values: Vec<String>,
    /// The value if none is given, as text; items of a list are separated by commas. It may contain variables.
    pub default: Option<String>,
    /// Whether every page must have it.
    pub required: bool,
}

/// A value for a field: text, a list of texts, a number or a truth value. A text for a list is split at commas.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Given {
    /// `true` or `false`.
    Boolean(bool),
    /// A number.
    Number(serde_json::Number),
    /// A text.
    Text(String),
    /// A list of texts.
    List(Vec<String>),
}

impl fmt::Display for Given {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Boolean(truth) => truth.fmt(formatter),
            Self::Number(number) => number.fmt(formatter),
            Self::Text(text) => text.fmt(formatter),
            Self::List(items) => items.join(", ").fmt(formatter),
        }
    }
}

impl Given {
    /// The value as front matter has it.
    pub(super) fn value(&self) -> Value {
        match self {
            Self::Boolean(truth) => Value::Text(truth.to_string()),
            Self::Number(number) => Value::Text(number.to_string()),
            Self::Text(text) => Value::Text(text.trim().to_owned()),
            Self::List(items) => {
                Value::List(items.iter().map(|item| Value::Text(item.trim().to_owned())).collect())
            }
        }
    }
}

/// Whether there is nothing in the value.
pub(super) fn is_empty(value: &Value) -> bool {
    match value {
        Value::Text(text) => text.trim().is_empty(),
        Value::List(items) => items.iter().all(is_empty),
        Value::Map(fields) => fields.is_empty(),
    }
}

impl Field {
    /// `value` as this field contains it: for a list, a text is split at commas.
    pub(super) fn shaped(&self, value: Value) -> Value {
        match (self.kind, value) {
            (FieldKind::List, Value::Text(text)) => {
                let items = text.split(',').map(str::trim).filter(|item| !item.is_empty());
                Value::List(items.map(|item| Value::Text(item.to_owned())).collect())
            }
            (FieldKind::List, Value::List(items)) => {
                Value::List(items.into_iter().filter(|item| !is_empty(item)).collect())
            }
            (_, value) => value,
        }
    }

    /// What is wrong with a value that is not empty, if anything.
    pub(super) fn complaint(&self, value: &Value) -> Option<Message> {
        let (name, kind) = (&self.name, self.kind);
        let items = match (value, kind) {
            (Value::List(items), FieldKind::List) => items.as_slice(),
            // One text is a list of one.
            (Value::Text(_), _) => std::slice::from_ref(value),
            _ => return Some(message!("`{name}` must be {kind}", name, kind = kind.told())),
        };
        for item in items {
            let Value::Text(text) = item else {
                return Some(message!("`{name}` must be {kind}", name, kind = kind.told()));
            };
            let text = text.trim();
            let fits = match kind {
                FieldKind::Text | FieldKind::List => !text.chars().any(char::is_control),
                FieldKind::Date => {
                    let day = text.get(..10).unwrap_or(text);
                    day.parse::<jiff::civil::Date>().is_ok()
                        && (text.len() == day.len()
                            || text.get(10..).is_some_and(|rest| rest.starts_with(['T', ' '])))
                }
                FieldKind::Number => text.parse::<f64>().is_ok_and(f64::is_finite),
                FieldKind::Boolean => matches!(text, "true" | "false"),
            };
            if !fits {
                return Some(message!(
                    "`{name}` must be {kind}, not '{text}'",
                    name,
                    kind = kind.told(),
                    text
                ));
            }
            if !self.values.is_empty() && !self.values.iter().any(|allowed| allowed == text) {
                return Some(message!(
                    "`{name}` must be {values}, not '{text}'",
                    name,
                    values = one_of(&self.values),
                    text
                ));
            }
        }
        None
    }

    /// The field in a list of those that are missing.
    pub(super) fn told(&self) -> Message {
        let about = match (&self.description, self.values.is_empty()) {
            (Some(description), true) => Message::verbatim(description),
            (None, true) if self.kind == FieldKind::Text => {
                return Message::verbatim(format!("`{}`", self.name));
            }
            (None, true) => self.kind.told(),
            (_, false) => one_of(&self.values),
        };
        message!("`{name}` ({about})", name = self.name, about)
    }
}

/// The values in a sentence.
pub(super) fn one_of(values: &[String]) -> Message {
    match values {
        [one] => Message::verbatim(one),
        [first @ .., last] => message!("{first} or {last}", first = first.join(", "), last),
        [] => Message::verbatim(""),
    }
}
