//! `model.json`: how a model is used, as far as its own files do not say.

use crate::message;
use crate::message::Message;
use serde::{Deserialize, Serialize};

use super::Scripts;
use crate::ports::TextKind;
use crate::{Error, Result};

/// Name of the file that holds a [`ModelDescription`].
pub const DESCRIPTION_FILE: &str = "model.json";

/// How to use a model. Everything but name, window and dimensions has a default.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelDescription {
    /// The name people use, such as `all-MiniLM-L6-v2`.
    pub name: String,
    /// How the vectors of the tokens become the vector of the text.
    #[serde(default)]
    pub pooling: Pooling,
    /// Text prepended to every text, verbatim, including a separating space.
    #[serde(default)]
    pub prefixes: Prefixes,
    /// Maximum number of tokens of one text, including special tokens and prefix.
    pub window: usize,
    /// Length of every vector.
    pub dimensions: usize,
    /// The scripts that the model supports, by their ISO 15924 long names; empty means all.
    #[serde(default)]
    pub scripts: Scripts,
}

/// How the vectors of the tokens become the vector of the text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Pooling {
    /// Their mean.
    #[default]
    Mean,
    /// The vector of the first token.
    Cls,
}

/// Prefixes that tell some models whether a text is a query or a passage.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Prefixes {
    /// For queries.
    #[serde(default)]
    pub query: String,
    /// For passages.
    #[serde(default)]
    pub passage: String,
}

impl Prefixes {
    /// The prefix for texts of this kind.
    pub fn of(&self, kind: TextKind) -> &str {
        match kind {
            TextKind::Query => &self.query,
            TextKind::Passage => &self.passage,
        }
    }
}

/// Smallest valid window: a smaller one has no room for text in addition to special tokens.
const SMALLEST_WINDOW: usize = 16;

impl ModelDescription {
    /// Reads the content of `model.json`.
    ///
    /// # Errors
    /// [`Error::Model`] with the line of the error, for anything but the keys above.
    pub fn parse(json: &[u8]) -> Result<Self> {
        let wrong = |name: &str, message: Message| Error::Model { model: name.into(), message };
        let parsed: Self = serde_json::from_slice(json).map_err(|error| {
            wrong(
                DESCRIPTION_FILE,
                message!(
                    "{description_file} cannot be read: {error}",
                    description_file = DESCRIPTION_FILE,
                    error
                ),
            )
        })?;
        let name = &parsed.name;
        if name.trim().is_empty() {
            return Err(wrong(
                DESCRIPTION_FILE,
                message!("{description_file}: \"name\" is empty", description_file = DESCRIPTION_FILE),
            ));
        }
        if parsed.window < SMALLEST_WINDOW {
            let message = message!(
                "{description_file}: \"window\" is {window}, expected {smallest_window} or more",
                description_file = DESCRIPTION_FILE,
                window = parsed.window,
                smallest_window = SMALLEST_WINDOW
            );
            return Err(wrong(name, message));
        }
        if parsed.dimensions == 0 {
            return Err(wrong(
                name,
                message!("{description_file}: \"dimensions\" is 0", description_file = DESCRIPTION_FILE),
            ));
        }
        if let Some(script) = parsed.scripts.unknown() {
            let message = message!(
                "{description_file}: \"scripts\" names '{script}'; expected Unicode script names such as \"Latin\" or \"Han\"",
                description_file = DESCRIPTION_FILE,
                script
            );
            return Err(wrong(name, message));
        }
        Ok(parsed)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn message(json: &str) -> String {
        ModelDescription::parse(json.as_bytes()).unwrap_err().to_string()
    }

    #[test]
    fn missing_keys_have_defaults() {
        let parsed = ModelDescription::parse(br#"{"name":"m","window":512,"dimensions":384}"#).unwrap();
        assert_eq!(parsed.pooling, Pooling::Mean);
        assert_eq!(parsed.prefixes.of(TextKind::Query), "");
        assert!(parsed.scripts.cover("認証"));
    }

    #[test]
    fn every_key_is_read() {
        let json = r#"{"name":"e5","pooling":"cls","prefixes":{"query":"query: ","passage":"passage: "},
            "window":512,"dimensions":384,"scripts":["Latin","Han"]}"#;
        let parsed = ModelDescription::parse(json.as_bytes()).unwrap();
        assert_eq!(parsed.pooling, Pooling::Cls);
        assert_eq!(parsed.prefixes.of(TextKind::Passage), "passage: ");
        assert!(parsed.scripts.cover("認証") && !parsed.scripts.cover("Привет"));
        assert_eq!(ModelDescription::parse(&serde_json::to_vec(&parsed).unwrap()).unwrap(), parsed);
    }

    #[test]
    fn errors_name_the_key() {
        assert!(message(r#"{"name":"m","window":512,"dimensions":384,"poling":"cls"}"#).contains("poling"));
        assert!(message(r#"{"name":"m","window":512,"dimensions":384,"pooling":"max"}"#).contains("max"));
        assert!(message(r#"{"name":"m","window":512}"#).contains("dimensions"));
        assert!(message(r#"{"name":" ","window":512,"dimensions":384}"#).contains("name"));
        assert!(message(r#"{"name":"m","window":2,"dimensions":384}"#).contains("window"));
        assert!(message(r#"{"name":"m","window":512,"dimensions":0}"#).contains("dimensions"));
        assert!(
            message(r#"{"name":"m","window":64,"dimensions":8,"scripts":["Lattin"]}"#).contains("Lattin")
        );
        assert!(message("{").contains("model.json"));
    }
}
