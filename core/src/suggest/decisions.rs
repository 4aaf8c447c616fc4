//! What people decided about suggestions: one JSON object per line in `.ubp/decisions.jsonl`, which is
//! committed, so that a team decides once.

use std::collections::HashMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ports::{ContentHash, Source};
use crate::{Error, Result};

/// The file's name in `.ubp/`.
pub const FILE: &str = "decisions.jsonl";

/// What was decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// The link was made.
    Accepted,
    /// These pages shall not be suggested again, either way.
    Dismissed,
}

/// A line of the file. Pages are known by their ids; paths are for readers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decision {
    /// What was decided.
    pub decision: Verdict,
    /// Id of the page that should link.
    pub source_id: String,
    /// Id of the page that it should link to.
    pub target_id: String,
    /// Path of the one, at that time.
    #[serde(default)]
    pub source: String,
    /// Path of the other, at that time.
    #[serde(default)]
    pub target: String,
    /// When, RFC 3339.
    #[serde(default)]
    pub at: String,
}

/// Every decision, the latest of each pair.
#[derive(Debug, Clone, Default)]
pub struct Decisions(HashMap<(String, String), Verdict>);

impl Decisions {
    /// Reads the file; lines that are none of ours, such as marks of a merge, are passed over.
    ///
    /// # Errors
    /// [`Error::Io`] when the file is there and cannot be read.
    pub fn read(source: &dyn Source) -> Result<Self> {
        let bytes = source.read_state(FILE)?.unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes);
        let decisions = text.lines().filter_map(|line| {
            serde_json::from_str::<Decision>(line.trim().trim_start_matches('\u{feff}')).ok()
        });
        Ok(Self(decisions.map(|found| (pair(&found.source_id, &found.target_id), found.decision)).collect()))
    }

    /// What was decided about these two pages, either way.
    pub fn verdict(&self, source_id: &str, target_id: &str) -> Option<Verdict> {
        self.0.get(&pair(source_id, target_id)).copied()
    }
}

fn pair(a: &str, b: &str) -> (String, String) {
    if a <= b { (a.into(), b.into()) } else { (b.into(), a.into()) }
}

/// Adds a decision at the end of the file.
///
/// # Errors
/// [`Error::Io`], and [`Error::Conflict`] when somebody else wrote meanwhile; the file is then as it was.
pub fn append(source: &dyn Source, decision: &Decision) -> Result<()> {
    let before = source.read_state(FILE)?;
    let expected = before.as_deref().map(ContentHash::of);
    let mut bytes = before.unwrap_or_default();
    if !bytes.is_empty() && !bytes.ends_with(b"\n") {
        bytes.push(b'\n');
    }
    serde_json::to_writer(&mut bytes, decision).map_err(|error| Error::Internal(error.to_string()))?;
    bytes.push(b'\n');
    source.write_state(FILE, &bytes, expected)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::ports::MemorySource;

    fn decision(decision: Verdict, source_id: &str, target_id: &str) -> Decision {
        let text = String::new;
        Decision {
            decision,
            source_id: source_id.into(),
            target_id: target_id.into(),
            source: text(),
            target: text(),
            at: text(),
        }
    }

    #[test]
    fn the_latest_decision_counts_either_way() {
        let source = MemorySource::default();
        append(&source, &decision(Verdict::Dismissed, "a", "b")).unwrap();
        append(&source, &decision(Verdict::Accepted, "b", "a")).unwrap();
        append(&source, &decision(Verdict::Dismissed, "c", "a")).unwrap();
        let decisions = Decisions::read(&source).unwrap();
        assert_eq!(decisions.verdict("a", "b"), Some(Verdict::Accepted));
        assert_eq!(decisions.verdict("a", "c"), Some(Verdict::Dismissed));
        assert_eq!(decisions.verdict("b", "c"), None);
    }

    #[test]
    fn foreign_lines_are_passed_over_and_kept() {
        let source = MemorySource::default();
        let own = r#"{"decision":"dismissed","source_id":"a","target_id":"b","more":[1]}"#;
        let text = format!("\u{feff}{own}\r\n<<<<<<< HEAD\n\u{1}\n{{\"decision\":\"maybe\"}}\n[]\n{{");
        source.write_state(FILE, text.as_bytes(), None).unwrap();
        assert_eq!(Decisions::read(&source).unwrap().verdict("b", "a"), Some(Verdict::Dismissed));
        append(&source, &decision(Verdict::Dismissed, "x", "y")).unwrap();
        let after = source.read_state(FILE).unwrap().unwrap();
        assert!(after.starts_with(text.as_bytes()));
        assert_eq!(Decisions::read(&source).unwrap().verdict("x", "y"), Some(Verdict::Dismissed));
        source.write_state(FILE, b"\xff\xfe\x00", Some(ContentHash::of(&after))).unwrap();
        assert!(Decisions::read(&source).unwrap().verdict("x", "y").is_none());
    }
}
