//! Unified diffs, for tools that show or apply patches.

use std::fmt;

use gix_imara_diff::{
    Algorithm, Diff, InternedInput, Interner, Token, UnifiedDiffConfig, UnifiedDiffPrinter,
};

use super::{Change, Version};
use crate::message::counted;

/// Number of lines around each change.
const CONTEXT: u32 = 3;

/// Maximum size of a diff for agents, in bytes: about 2,000 tokens.
const LONGEST: usize = 8_000;

/// Truncates a long diff at the end of a line, and appends the number of omitted lines. The audit log has the complete
/// diff.
pub(crate) fn shorten(diff: &mut String) {
    if diff.len() <= LONGEST {
        return;
    }
    let end = diff.floor_char_boundary(LONGEST);
    let kept = diff[..end].rfind('\n').map_or(0, |at| at + 1);
    let cut = diff[kept..].lines().count();
    diff.truncate(kept);
    diff.push_str(&format!("[{}]\n", counted(cut, "more line", "more lines").told_to_reader()));
}

/// The diff of a change.
pub(super) fn of(change: &Change) -> String {
    let name = |version: &Option<Version>, side: &str| match version {
        Some(version) => format!("{side}/{}", version.path),
        None => "/dev/null".to_owned(),
    };
    let (old, new) = (name(&change.before, "a"), name(&change.after, "b"));
    let diff = match change.moved() {
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
    format!("{diff}--- {old}\n+++ {new}\n{}", hunks(&before, &after))
}

/// The hunks that turn one text into another, without the names of files; empty for equal texts.
pub fn hunks(before: &str, after: &str) -> String {
    hunks_within(before, after, (0, 0))
}

/// The same for parts of two files that begin at these lines, counted from 0.
pub fn hunks_within(before: &str, after: &str, first: (usize, usize)) -> String {
    let lines = InternedInput::new(before, after);
    let mut changed = Diff::compute(Algorithm::Histogram, &lines);
    changed.postprocess_lines(&lines);
    let mut config = UnifiedDiffConfig::default();
    config.context_len(CONTEXT);
    changed.unified_diff(&Patch { lines: &lines.interner, first }, config, &lines).to_string()
}

/// The first line of a hunk, for the lines from `old` and from `new`, counted from 0, and their numbers.
pub(crate) fn header(old: (usize, usize), new: (usize, usize)) -> String {
    // Lines count from 1; an empty range has the number of the line before it.
    let range = |(start, lines)| match lines {
        0 => format!("{start},0"),
        1 => format!("{}", start + 1),
        _ => format!("{},{lines}", start + 1),
    };
    format!("@@ -{} +{} @@\n", range(old), range(new))
}

/// A line of a hunk.
pub(crate) fn line(sign: char, text: &str) -> String {
    let end = if text.ends_with('\n') { "" } else { "\n\\ No newline at end of file\n" };
    format!("{sign}{text}{end}")
}

/// Prints hunks like `git diff`.
struct Patch<'a> {
    lines: &'a Interner<&'a str>,
    /// The lines of the files where the texts begin, counted from 0.
    first: (usize, usize),
}

impl Patch<'_> {
    fn line(&self, mut out: impl fmt::Write, sign: char, token: Token) -> fmt::Result {
        out.write_str(&line(sign, self.lines[token]))
    }
}

impl UnifiedDiffPrinter for Patch<'_> {
    fn display_header(
        &self,
        mut out: impl fmt::Write,
        old: u32,
        new: u32,
        old_lines: u32,
        new_lines: u32,
    ) -> fmt::Result {
        let old = (old as usize + self.first.0, old_lines as usize);
        let new = (new as usize + self.first.1, new_lines as usize);
        out.write_str(&header(old, new))
    }

    fn display_context_token(&self, out: impl fmt::Write, line: Token) -> fmt::Result {
        self.line(out, ' ', line)
    }

    fn display_hunk(&self, mut out: impl fmt::Write, old: &[Token], new: &[Token]) -> fmt::Result {
        old.iter().try_for_each(|&line| self.line(&mut out, '-', line))?;
        new.iter().try_for_each(|&line| self.line(&mut out, '+', line))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hunks_equal_those_of_git() {
        assert_eq!(hunks("", "a\nb"), "@@ -0,0 +1,2 @@\n+a\n+b\n\\ No newline at end of file\n");
        assert_eq!(hunks("a\n", "a"), "@@ -1 +1 @@\n-a\n+a\n\\ No newline at end of file\n");
        let lines = |changed: &str| format!("1\n2\n3\n4\n{changed}6\n7\n8\n9\n");
        assert_eq!(
            hunks(&lines("5\n"), &lines("five\n")),
            "@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n"
        );
        assert_eq!(hunks_within("a\n", "b\n", (10, 20)), "@@ -11 +21 @@\n-a\n+b\n");
        assert_eq!(hunks(&lines("5\n"), &lines("")), "@@ -2,7 +2,6 @@\n 2\n 3\n 4\n-5\n 6\n 7\n 8\n");
    }

    /// Applies `hunks` to `old`.
    fn patched(old: &str, hunks: &str) -> String {
        let (mut rest, mut new, mut taken) = (old.split_inclusive('\n'), String::new(), 0);
        let whole = hunks.replace("\n\\ No newline at end of file\n", "\u{0}\n");
        for line in whole.split_inclusive('\n') {
            if let Some(header) = line.strip_prefix("@@ -") {
                let (start, _) = header.split_once([',', ' ']).unwrap();
                let is_empty = header.split(' ').next().unwrap().ends_with(",0");
                let before = start.parse::<usize>().unwrap() - usize::from(!is_empty) - taken;
                new.extend(rest.by_ref().take(before));
                taken += before;
                continue;
            }
            let (sign, text) = line.split_at(1);
            let text = text.strip_suffix("\u{0}\n").unwrap_or(text);
            if sign != "+" {
                assert_eq!(rest.next(), Some(text));
                taken += 1;
            }
            if sign != "-" {
                new.push_str(text);
            }
        }
        new.extend(rest);
        new
    }

    proptest::proptest! {
        #[test]
        fn applying_the_hunks_gives_the_new_text(old in "([a-c]?\n){0,25}[a-c]?", new in "([a-c]?\n){0,25}[a-c]?") {
            proptest::prop_assert_eq!(patched(&old, &hunks(&old, &new)), new);
        }
    }

    #[test]
    fn long_diffs_are_truncated_at_the_end_of_a_line() {
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
        assert_eq!(one_line, "[1 more line]\n");
    }
}
