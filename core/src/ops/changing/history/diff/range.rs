//! Parses a range into the two states to compare.

use super::ComparedSide;
use crate::message;
use crate::ports::History;
use crate::{Error, Result};

/// A range as written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Range {
    /// The older side.
    pub from: String,
    /// The newer side; `None` is the working folder.
    pub to: Option<String>,
    /// Whether the older side is the last common commit of both.
    pub from_common: bool,
}

impl Range {
    pub(crate) fn parse(text: Option<&str>) -> Result<Self> {
        let or_head = |name: &str| if name.is_empty() { "HEAD".to_owned() } else { name.to_owned() };
        let Some(text) = text.map(str::trim) else {
            return Ok(Self { from: "HEAD".into(), to: None, from_common: false });
        };
        let (from, to, from_common) = match (text.split_once("..."), text.split_once("..")) {
            (Some((from, to)), _) => (from, Some(to), true),
            (None, Some((from, to))) => (from, Some(to), false),
            (None, None) => (text, None, false),
        };
        let is_range = |name: &str| name.contains("..");
        if text.is_empty() || matches!(text, ".." | "...") || to.is_some_and(is_range) || is_range(from) {
            return Err(Error::invalid(message!(
                "'{text}' is not a range: write A..B for two revisions, A...B for B and its last common commit \
                 with A, or A for a revision and the working folder",
                text
            )));
        }
        Ok(Self { from: or_head(from), to: to.map(or_head), from_common })
    }

    /// Finds the commits.
    pub(crate) fn resolve(&self, history: &dyn History) -> Result<(ComparedSide, ComparedSide)> {
        let mut from = history.resolve(&self.from)?;
        let to = self.to.as_deref().map(|to| history.resolve(to)).transpose()?;
        if let (true, Some(to), Some(name)) = (self.from_common, &to, &self.to) {
            from = history.merge_base(&from, to)?.ok_or_else(|| {
                Error::invalid(message!("'{from}' and '{name}' have no commit in common here; in a shallow clone, `git fetch --unshallow` \
                     brings the rest of history", from = self.from, name))
            })?;
        }
        let side = |revision: Option<&String>, commit: Option<String>| ComparedSide {
            revision: revision.cloned(),
            commit,
        };
        Ok((side(Some(&self.from), Some(from)), side(self.to.as_ref(), to)))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn ranges_have_the_syntax_of_git() {
        let parsed = |text| {
            let range = Range::parse(text).unwrap();
            (range.from, range.to.unwrap_or_else(|| "folder".into()), range.from_common)
        };
        let expected = |from: &str, to: &str, common| (from.to_owned(), to.to_owned(), common);
        assert_eq!(parsed(None), expected("HEAD", "folder", false));
        assert_eq!(parsed(Some("v1.2")), expected("v1.2", "folder", false));
        assert_eq!(parsed(Some("main..topic")), expected("main", "topic", false));
        assert_eq!(parsed(Some("main...HEAD~2")), expected("main", "HEAD~2", true));
        assert_eq!(parsed(Some("main..")), expected("main", "HEAD", false));
        assert_eq!(parsed(Some("..topic")), expected("HEAD", "topic", false));
        for none in ["", "..", "...", "a..b..c", "a...b..c"] {
            assert_eq!(Range::parse(Some(none)).unwrap_err().code(), "invalid_params", "{none}");
        }
    }
}
