//! What agents saw: each session of a client is a state file of lines, on this machine alone. The first line says who
//! asked, each further one is an answer as the client got it. Hosts write the lines; this module defines and reads them.
//!
//! **Invariants**
//! - A file is bounded: its texts and parameters are cut, and lists of parts end (`parts.rs`, tests below).
//! - A damaged line, or the rest of one after a crash, hides no other line (`store.rs`).
//! - What an answer left out to fit its limit is named part by part (`parts.rs`, `ops/tests/recording.rs`).

mod parts;
mod store;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::text;

pub use parts::{Limit, OmittedPart, Part, PartKind, Witness};
pub(crate) use store::{find, find_id, read_all, read_beginning_with, read_one};

/// Bytes of an answer's text that are kept.
pub const MOST_TEXT: usize = 200_000;
/// Bytes of a text in parameters that are kept, and of all parameters.
const MOST_WORDS: usize = 500;
const MOST_PARAMS: usize = 8_000;
/// Parameters that are kept if all take more.
const MOST_SHORT: usize = 40;

/// The first line of a session's file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Beginning {
    /// Name and version of the client.
    pub agent: Option<String>,
    /// Time of the first request, RFC 3339.
    pub started_at: String,
}

/// What is recorded of an answer besides its text.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AnswerFacts {
    /// Time of the request, RFC 3339.
    pub at: String,
    /// Name of the tool; `resources/read` for a page that was read as a resource, `hook/before-edit` and
    /// `hook/after-edit` for what `ubp hook` told.
    pub tool: String,
    /// Parameters of the call; long texts are cut.
    pub params: Value,
    /// Milliseconds until the answer.
    pub milliseconds: u64,
    /// Tokens of the answer's text.
    pub tokens: usize,
    /// Code of the error; absent if the call succeeded.
    pub error: Option<String>,
    /// The parts of pages that the answer had, in its order.
    pub given: Vec<Part>,
    /// The parts that the answer left out or cut to fit its limit.
    pub omitted: Vec<OmittedPart>,
}

/// One answer, as recorded.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Recorded {
    /// Everything but its text.
    #[serde(flatten)]
    pub facts: AnswerFacts,
    /// Its text; `None` if the session had reached its limit.
    pub text: Option<String>,
    /// Whether `text` is only the beginning.
    pub text_cut: bool,
}

/// A line of a session's file.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Line {
    /// The first line.
    Session(Beginning),
    /// An answer.
    Answer(Box<Recorded>),
}

/// Parameters of a call as they are kept: long texts are cut, and lists and objects that are too long all the same are
/// left out.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct KeptParams(Map<String, Value>);

impl KeptParams {
    /// Of these parameters. Copies no more of them than is kept.
    pub fn of(params: &Map<String, Value>) -> Self {
        let params = cut_members(params);
        if serde_json::to_string(&params).map_or(0, |text| text.len()) <= MOST_PARAMS {
            return Self(params);
        }
        let short = params.into_iter().filter(|(_, value)| value.to_string().len() <= MOST_WORDS * 3);
        Self(short.take(MOST_SHORT).collect())
    }
}

/// What became of a call.
pub enum Outcome<'a> {
    /// The answer as fields.
    Answer(&'a Value),
    /// The code of the error.
    Error(&'a str),
}

impl Recorded {
    /// The record of a call that began at `at` and got `text`. What the answer left out is known to `witness`.
    pub fn new(
        at: String,
        milliseconds: u64,
        tool: &str,
        params: KeptParams,
        outcome: &Outcome<'_>,
        text: &str,
        witness: &Witness,
    ) -> Self {
        let (error, given, omitted) = match outcome {
            Outcome::Answer(answer) => {
                let (given, omitted) = witness.parts(answer);
                (None, given, omitted)
            }
            Outcome::Error(code) => (Some((*code).to_owned()), Vec::new(), Vec::new()),
        };
        let kept = text.floor_char_boundary(MOST_TEXT.min(text.len()));
        let facts = AnswerFacts {
            at,
            tool: tool.to_owned(),
            params: params.0.into(),
            milliseconds,
            tokens: text::estimate_tokens(text),
            error,
            given,
            omitted,
        };
        Self { facts, text: Some(text[..kept].to_owned()), text_cut: kept < text.len() }
    }
}

impl Line {
    /// The line with its line break.
    pub fn written(&self) -> Vec<u8> {
        let mut line = serde_json::to_vec(self).unwrap_or_default();
        line.push(b'\n');
        line
    }
}

fn cut(value: &Value) -> Value {
    match value {
        Value::String(words) if words.len() > MOST_WORDS => {
            let end = words.floor_char_boundary(MOST_WORDS);
            format!("{}…", words.get(..end).unwrap_or_default()).into()
        }
        Value::Array(values) => values.iter().map(cut).collect(),
        Value::Object(members) => cut_members(members).into(),
        other => other.clone(),
    }
}

fn cut_members(members: &Map<String, Value>) -> Map<String, Value> {
    members.iter().map(|(name, value)| (name.clone(), cut(value))).collect()
}

/// A session in lists.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SessionFields {
    /// Its id.
    pub session: String,
    /// Name and version of the client, if it gave them.
    pub agent: Option<String>,
    /// Time of its first request, RFC 3339.
    pub started_at: String,
    /// Time of its last request, RFC 3339.
    pub last_at: String,
    /// Number of answers, errors included.
    pub answer_count: usize,
    /// Number of answers that were errors.
    pub error_count: usize,
    /// Tokens of all answers.
    pub tokens: usize,
    /// Number of different pages of which an answer had text.
    pub page_count: usize,
}

/// An answer in a timeline, without its text.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct AnswerFields {
    /// Its number in the session, from 1.
    pub number: usize,
    /// The rest.
    #[serde(flatten)]
    pub facts: AnswerFacts,
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use serde_json::json;

    use super::*;

    fn recorded(params: Value, text: &str) -> Recorded {
        let answer = json!({ "filepath": "a.md", "content": "x" });
        let outcome = Outcome::Answer(&answer);
        Recorded::new(
            "2026-01-01T00:00:00Z".into(),
            3,
            "ubp_get_page",
            KeptParams::of(params.as_object().unwrap()),
            &outcome,
            text,
            &Witness::default(),
        )
    }

    #[test]
    fn long_texts_are_cut() {
        let kept =
            recorded(json!({ "content": "頁".repeat(100_000), "page": "a.md" }), &"頁".repeat(100_000));
        assert_eq!(kept.facts.params["page"], "a.md");
        assert!(kept.facts.params["content"].as_str().unwrap().len() <= MOST_WORDS + 3);
        assert_eq!(kept.facts.tokens, 100_000);
        assert!(kept.text_cut && kept.text.unwrap().len() <= MOST_TEXT);
        assert!(!recorded(json!({}), "short").text_cut);
    }

    #[test]
    fn long_lists_of_parameters_are_left_out() {
        let kept = recorded(json!({ "edits": vec!["words".repeat(90); 100], "page": "a.md" }), "");
        assert_eq!(kept.facts.params, json!({ "page": "a.md" }));
    }
}
