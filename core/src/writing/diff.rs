//! Unified diffs, as every tool that shows or applies patches reads them.

use similar::TextDiff;

use super::{Change, Version};

/// Lines around each difference.
const CONTEXT: usize = 3;

/// What the change does to its file.
pub(super) fn of(change: &Change) -> String {
    let name = |version: &Option<Version>, side: &str| match version {
        Some(version) => format!("{side}/{}", version.path),
        None => "/dev/null".to_owned(),
    };
    let (old, new) = (name(&change.before, "a"), name(&change.after, "b"));
    let mut diff = match change.moved() {
        Some((from, to)) => format!("rename from {from}\nrename to {to}\n"),
        None => String::new(),
    };
    if change.before.as_ref().map(|before| before.hash) == change.after.as_ref().map(|after| after.hash) {
        return diff;
    }
    let text = |version: &Option<Version>| match version {
        Some(version) => version.text().map(str::to_owned),
        None => Some(String::new()),
    };
    let (Some(before), Some(after)) = (text(&change.before), text(&change.after)) else {
        return format!("{diff}Binary files {old} and {new} differ\n");
    };
    if before.is_empty() && after.is_empty() {
        return format!("{diff}--- {old}\n+++ {new}\n");
    }
    let lines = TextDiff::from_lines(&before, &after);
    diff.push_str(&lines.unified_diff().context_radius(CONTEXT).header(&old, &new).to_string());
    diff
}
