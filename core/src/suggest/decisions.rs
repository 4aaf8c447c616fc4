//! Decisions about suggestions: one JSON object per line in `.ubp/decisions.jsonl`. The file is
//! committed, so that a team decides only once.

use std::collections::HashMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ports::Source;
use crate::writing::RecordChange;
use crate::{Error, Result};

/// The file's name in `.ubp/`.
pub const FILE: &str = "decisions.jsonl";

/// A decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// The link was added.
    Accepted,
    /// Never suggest a link between these pages again, in either direction.
    Dismissed,
}

/// A line of the file. Pages are identified by their ids; paths are for readers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decision {
    /// The decision.
    pub decision: Verdict,
    /// Id of the page that should link.
    pub source_id: String,
    /// Id of the page that it should link to.
    pub target_id: String,
    /// The type of link that was decided on; absent for the link itself.
    #[serde(default, rename = "type", skip_serializing_if = "Option::is_none")]
    pub link_type: Option<String>,
    /// Path of the linking page at that time.
    #[serde(default)]
    pub source: String,
    /// Path of the linked page at that time.
    #[serde(default)]
    pub target: String,
    /// Time of the decision, RFC 3339.
    #[serde(default)]
    pub at: String,
}

/// All decisions, the latest for each pair.
#[derive(Debug, Clone, Default)]
pub struct Decisions {
    links: HashMap<(String, String), Verdict>,
    /// By source, target and type. Browsers suggest no types.
    #[cfg(not(target_family = "wasm"))]
    types: HashMap<(String, String, String), Verdict>,
}

impl Decisions {
    /// Reads the file. Lines of other programs, such as conflict markers of a merge, are ignored.
    ///
    /// # Errors
    /// [`Error::Io`] if the file exists but cannot be read.
    pub fn read(source: &dyn Source) -> Result<Self> {
        let bytes = source.read_state(FILE)?.unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes);
        let mut decisions = Self::default();
        for Decision { decision, source_id, target_id, link_type, .. } in entries(&text) {
            match link_type {
                None => {
                    decisions.links.insert(pair(&source_id, &target_id), decision);
                }
                #[cfg(not(target_family = "wasm"))]
                Some(link_type) => {
                    decisions.types.insert((source_id, target_id, link_type), decision);
                }
                #[cfg(target_family = "wasm")]
                Some(_) => {}
            }
        }
        Ok(decisions)
    }

    /// Whether there are no decisions about links.
    pub fn is_empty(&self) -> bool {
        self.links.is_empty()
    }

    /// The decision about these two pages, in either direction.
    pub fn verdict(&self, source_id: &str, target_id: &str) -> Option<Verdict> {
        self.links.get(&pair(source_id, target_id)).copied()
    }

    /// The decision about a type of the link from the first page to the second.
    #[cfg(not(target_family = "wasm"))]
    pub(crate) fn verdict_on_type(
        &self,
        source_id: &str,
        target_id: &str,
        link_type: &str,
    ) -> Option<Verdict> {
        self.types.get(&(source_id.to_owned(), target_id.to_owned(), link_type.to_owned())).copied()
    }
}

fn pair(a: &str, b: &str) -> (String, String) {
    if a <= b { (a.into(), b.into()) } else { (b.into(), a.into()) }
}

/// The change that appends the decision to the file.
///
/// # Errors
/// [`Error::Internal`].
pub(crate) fn change(decision: &Decision) -> Result<RecordChange> {
    let line = serde_json::to_string(decision).map_err(|error| Error::Internal(error.to_string()))?;
    Ok(RecordChange::append(FILE, line))
}

/// Repeats every decision about the page `old_id` for `new_id`, its id after it moved to `path`.
///
/// # Errors
/// [`Error::Io`]; the file is then unchanged.
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
            link_type: None,
            source: text(),
            target: text(),
            at: text(),
        }
    }

    #[test]
    fn the_latest_decision_counts_in_either_direction() {
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
    fn decisions_about_a_type_do_not_decide_about_the_link() {
        let source = MemorySource::default();
        let typed =
            Decision { link_type: Some("depends_on".into()), ..decision(Verdict::Dismissed, "a", "b") };
        append(&source, &typed).unwrap();
        let decisions = Decisions::read(&source).unwrap();
        assert_eq!(decisions.verdict("a", "b"), None);
        assert_eq!(decisions.verdict_on_type("a", "b", "depends_on"), Some(Verdict::Dismissed));
        assert_eq!(decisions.verdict_on_type("b", "a", "depends_on"), None);
        assert_eq!(decisions.verdict_on_type("a", "b", "extends"), None);
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
    fn lines_of_other_programs_are_ignored_and_kept() {
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
