//! Diffs for people: removed words are struck, and added ones underlined.

use std::ops::Range;

use gix_imara_diff::{Algorithm, Diff, InternedInput, Token};

use crate::output::{Palette, printable};

/// Longer changes are shown by lines alone, in bytes.
const LONGEST: usize = 50_000;

/// If less of the lines stays, other lines have taken their place, and marks on words would only disturb.
const ALIKE: f64 = 0.4;

/// The lines of a unified diff.
pub(crate) fn painted(diff: &str, paint: Palette) -> Vec<String> {
    let lines: Vec<&str> = diff.lines().collect();
    let mut out = Vec::with_capacity(lines.len());
    let mut at = 0;
    while let Some(line) = lines.get(at) {
        let removed = run_of(&lines[at..], '-');
        let added = run_of(&lines[at + removed..], '+');
        if removed > 0 && added > 0 && paint.is_colored() {
            let (old, new) = lines[at..at + removed + added].split_at(removed);
            out.extend(replacement(old, new, paint));
            at += removed + added;
            continue;
        }
        let text = printable(line);
        out.push(match line.as_bytes().first() {
            _ if is_header(line) => paint.strong(text),
            Some(b'+') => paint.good(text),
            Some(b'-') => paint.bad(text),
            Some(b'@') => paint.faint(text),
            _ => text,
        });
        at += 1;
    }
    out
}

fn is_header(line: &str) -> bool {
    line.starts_with("+++") || line.starts_with("---")
}

/// Number of lines with the sign at the beginning of `lines`.
fn run_of(lines: &[&str], sign: char) -> usize {
    lines.iter().take_while(|line| line.starts_with(sign) && !is_header(line)).count()
}

/// Lines that replace others, with the changed words marked if the lines resemble each other.
fn replacement(old: &[&str], new: &[&str], paint: Palette) -> Vec<String> {
    let (before, after) = (joined(old), joined(new));
    let marks = (before.len() + after.len() <= LONGEST).then(|| changed_words(&before, &after)).flatten();
    let (removed, added) = marks.unwrap_or_default();
    let line = |sign: char, text: &str, at: usize, marks: &[Range<usize>]| {
        let is_removed = sign == '-';
        let plain = |text: &str| if is_removed { paint.bad(text) } else { paint.good(text) };
        let mut painted = plain(&sign.to_string());
        let (mut from, end) = (at, at + text.len());
        for mark in marks.iter().filter(|mark| mark.start < end && mark.end > at) {
            let (start, stop) = (mark.start.max(at), mark.end.min(end));
            if from < start {
                painted.push_str(&plain(&printable(&text[from - at..start - at])));
            }
            let words = printable(&text[start - at..stop - at]);
            painted.push_str(&if is_removed { paint.removed_word(words) } else { paint.added_word(words) });
            from = stop;
        }
        if from < end {
            painted.push_str(&plain(&printable(&text[from - at..])));
        }
        painted
    };
    let side = |sign, text: &str, marks: &[Range<usize>]| {
        let mut at = 0;
        let mut lines = Vec::new();
        for content in text.split_terminator('\n') {
            lines.push(line(sign, content, at, marks));
            at += content.len() + 1;
        }
        lines
    };
    let mut lines = side('-', &before, &removed);
    lines.extend(side('+', &after, &added));
    lines
}

/// The lines without their signs.
fn joined(lines: &[&str]) -> String {
    lines.iter().flat_map(|line| [&line[1..], "\n"]).collect()
}

/// Byte ranges of words.
type Words = Vec<Range<usize>>;

/// The removed words and the added ones; `None` if little stays.
fn changed_words(before: &str, after: &str) -> Option<(Words, Words)> {
    let mut input = InternedInput::default();
    input.update_before(words(before));
    input.update_after(words(after));
    let mut diff = Diff::compute(Algorithm::Histogram, &input);
    diff.postprocess_no_heuristic(&input);
    let removed = ranges(&input, &input.before, |at| diff.is_removed(at));
    let added = ranges(&input, &input.after, |at| diff.is_added(at));
    let length = |ranges: &[Range<usize>]| ranges.iter().map(Range::len).sum::<usize>();
    let kept = (before.len() - length(&removed)).min(after.len() - length(&added));
    (kept as f64 >= ALIKE * before.len().min(after.len()) as f64).then_some((removed, added))
}

fn ranges(input: &InternedInput<&str>, tokens: &[Token], is_changed: impl Fn(u32) -> bool) -> Words {
    let mut ranges = Words::new();
    let mut at = 0;
    for (number, token) in (0..).zip(tokens) {
        let end = at + input.interner[*token].len();
        if is_changed(number) {
            match ranges.last_mut() {
                Some(last) if last.end == at => last.end = end,
                _ => ranges.push(at..end),
            }
        }
        at = end;
    }
    ranges
}

/// The words of a text and what is between them. Text without spaces, such as Japanese, is split into its characters.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let is_of_word = |c: char| (c.is_alphanumeric() && c < '\u{2e80}') || c == '_';
    let mut rest = text;
    std::iter::from_fn(move || {
        let first = rest.chars().next()?;
        let end = match is_of_word(first) {
            true => rest.find(|c| !is_of_word(c)).unwrap_or(rest.len()),
            false => first.len_utf8(),
        };
        let (word, left) = rest.split_at(end);
        rest = left;
        Some(word)
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// The lines with `[-…-]` around removed words and `{+…+}` around added ones.
    fn marked(diff: &str) -> String {
        let paint = Palette::new(true);
        let styles = [(paint.removed_word("|"), "[-", "-]"), (paint.added_word("|"), "{+", "+}")];
        let of_piece = |piece: &str| {
            for (style, opening, closing) in &styles {
                let start = style.split('|').next().unwrap();
                if let Some((before, words)) = piece.split_once(start) {
                    return format!("{before}{opening}{words}{closing}");
                }
            }
            console::strip_ansi_codes(piece).into_owned()
        };
        painted(diff, paint).join("\n").split("\u{1b}[0m").map(of_piece).collect()
    }

    #[test]
    fn changed_words_are_marked_in_lines_that_resemble_each_other() {
        let diff = "@@ -1,2 +1,2 @@\n # Limits\n-The limit is 5 calls a minute.\n+The limit is 10 calls a minute, per key.\n";
        insta::assert_snapshot!(marked(diff), @r"
        @@ -1,2 +1,2 @@
         # Limits
        -The limit is [-5-] calls a minute.
        +The limit is {+10+} calls a minute{+, per key+}.
        ");
        insta::assert_snapshot!(marked("-上限は毎分五回です。\n+上限は毎分十回です。\n"), @r"
        -上限は毎分[-五-]回です。
        +上限は毎分{+十+}回です。
        ");
        insta::assert_snapshot!(marked("-One thing.\n+Quite another sentence, all in all.\n"), @r"
        -One thing.
        +Quite another sentence, all in all.
        ");
    }

    #[test]
    fn without_colours_a_diff_stays_as_it_is() {
        let diff = "--- a\n+++ b\n@@ -1 +1 @@\n-old\n+new\n\\ No newline at end of file\n";
        assert_eq!(painted(diff, Palette::new(false)).join("\n") + "\n", diff);
    }

    proptest::proptest! {
        #[test]
        fn marks_change_no_letter(old in "[ab \n]{0,20}", new in "[ab \n]{0,20}") {
            let signed = |sign: &str, text: &str| text.lines().map(|line| format!("{sign}{line}\n")).collect::<String>();
            let diff = signed("-", &old) + &signed("+", &new);
            let plain = console::strip_ansi_codes(&painted(&diff, Palette::new(true)).join("\n")).into_owned();
            proptest::prop_assert_eq!(plain.lines().collect::<Vec<_>>(), diff.lines().collect::<Vec<_>>());
        }
    }
}
