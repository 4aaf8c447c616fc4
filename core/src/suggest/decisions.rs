//! What people decided about suggestions: one JSON object per line in `.ubp/decisions.jsonl`, which is
//! committed, so that a team decides once.

use std::collections::HashMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ports::Source;
use crate::writing::RecordChange;
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
        Ok(Self(
            entries(&text).map(|found| (pair(&found.source_id, &found.target_id), found.decision)).collect(),
        ))
    }

    /// Whether nothing was decided.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// What was decided about these two pages, either way.
    pub fn verdict(&self, source_id: &str, target_id: &str) -> Option<Verdict> {
        self.0.get(&pair(source_id, target_id)).copied()
    }
}

fn pair(a: &str, b: &str) -> (String, String) {
    if a <= b { (a.into(), b.into()) } else { (b.into(), a.into()) }
}

/// The decision at the end of the file.
///
/// # Errors
/// [`Error::Internal`].
pub(crate) fn change(decision: &Decision) -> Result<RecordChange> {
    let line = serde_json::to_string(decision).map_err(|error| Error::Internal(error.to_string()))?;
    Ok(RecordChange::append(FILE, line))
}

/// Lets every decision about the page `old_id` hold for `new_id`, its id after it moved to `path`.
///
/// # Errors
/// [`Error::Io`]; the file is then as it was.
pub fn follow(source: &dyn Source, old_id: &str, new_id: &str, path: &str) -> Result<()> {
    if old_id == new_id {
        return Ok(());
    }
    let bytes = source.read_state(FILE)?.unwrap_or_default();
    let mut lines = Vec::new();
    for mut decision in entries(&String::from_utf8_lossy(&bytes)) {
        let ends = [
            (&mut decision.source_id, &mut decision.source),
            (&mut decision.target_id, &mut decision.target),
        ];
        let mut concerned = false;
        for (id, end) in ends {
            if id == old_id {
                *id = new_id.to_owned();
                *end = path.to_owned();
                concerned = true;
            }
        }
        if concerned {
            lines.extend(line(&decision)?);
        }
    }
    if lines.is_empty() { Ok(()) } else { source.append(FILE, &lines) }
}

fn line(decision: &Decision) -> Result<Vec<u8>> {
    let mut line = serde_json::to_vec(decision).map_err(|error| Error::Internal(error.to_string()))?;
    line.push(b'\n');
    Ok(line)
}

fn entries(text: &str) -> impl Iterator<Item = Decision> {
    text.lines().filter_map(|line| serde_json::from_str(line.trim().trim_start_matches('\u{feff}')).ok())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::ports::{ContentHash, MemorySource};

    fn append(source: &MemorySource, decision: &Decision) -> Result<()> {
        source.append(FILE, &line(decision)?)
    }

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
    fn decisions_follow_a_page_to_its_new_id() {
        let source = MemorySource::default();
        append(&source, &decision(Verdict::Dismissed, "a", "b")).unwrap();
        append(&source, &decision(Verdict::Accepted, "c", "a")).unwrap();
        append(&source, &decision(Verdict::Dismissed, "b", "c")).unwrap();
        follow(&source, "a", "new", "moved.md").unwrap();
        let decisions = Decisions::read(&source).unwrap();
        assert_eq!(decisions.verdict("new", "b"), Some(Verdict::Dismissed));
        assert_eq!(decisions.verdict("c", "new"), Some(Verdict::Accepted));
        let before = source.read_state(FILE).unwrap();
        follow(&source, "nobody", "else", "x.md").unwrap();
        follow(&source, "new", "new", "moved.md").unwrap();
        assert_eq!(source.read_state(FILE).unwrap(), before);
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
