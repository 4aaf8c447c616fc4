//! Unified diffs, as every tool that shows or applies patches reads them.

use similar::TextDiff;

use super::{Change, Version};

/// Lines around each difference.
const CONTEXT: usize = 3;

/// Bytes of a difference that an agent is shown: about 2,000 tokens.
const LONGEST: usize = 8_000;

/// Cuts what is too long for a model's window after a line, and says how much was cut. The audit log has
/// all of it.
pub(super) fn shorten(diff: &mut String) {
    if diff.len() <= LONGEST {
        return;
    }
    let end = diff.floor_char_boundary(LONGEST);
    let kept = diff[..end].rfind('\n').map_or(0, |at| at + 1);
    let cut = diff[kept..].lines().count();
    diff.truncate(kept);
    diff.push_str(&format!("[{cut} more lines]\n"));
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_differences_are_cut_after_a_line() {
        let mut short = "+a\n".repeat(100);
        shorten(&mut short);
        assert_eq!(short.len(), 300);
        let mut long = "+日本語\n".repeat(1_000);
        shorten(&mut long);
        assert!(long.len() <= LONGEST + 30);
        assert_eq!(long.lines().count(), 728);
        assert!(long.ends_with("+日本語\n[273 more lines]\n"), "{}", &long[long.len() - 60..]);
        let mut one_line = "x".repeat(LONGEST * 2);
        shorten(&mut one_line);
        assert_eq!(one_line, "[1 more lines]\n");
    }
}
