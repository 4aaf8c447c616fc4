//! Line breaks and byte order mark of a file, which editors neither show nor keep: detecting them, removing
//! them, and restoring them after an edit so that only the edited bytes change.

use gix_imara_diff::{Algorithm, Diff, InternedInput};
use schemars::JsonSchema;
use serde::Serialize;

use super::lines;

const MARK: char = '\u{feff}';

/// The line breaks of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LineBreak {
    /// `\n`, or a single line.
    Lf,
    /// `\r\n`.
    Crlf,
    /// `\r`.
    Cr,
    /// More than one kind.
    Mixed,
}

impl LineBreak {
    /// The line breaks of `text`.
    pub fn of(text: &str) -> Self {
        let mut found = None;
        for (_, line) in lines::split(text) {
            let this = match text_break(line) {
                "" => continue,
                "\r\n" => Self::Crlf,
                "\r" => Self::Cr,
                _ => Self::Lf,
            };
            if *found.get_or_insert(this) != this {
                return Self::Mixed;
            }
        }
        found.unwrap_or(Self::Lf)
    }
}

fn text_break(line: &str) -> &str {
    line.get(lines::content(line).len()..).unwrap_or_default()
}

/// `text` as editors represent it: without a byte order mark, with `\n` as its only line break.
pub(crate) fn plain(text: &str) -> String {
    text.strip_prefix(MARK).unwrap_or(text).replace("\r\n", "\n").replace('\r', "\n")
}

/// `edited`, with any line breaks, with the byte order mark and line breaks of `old`: unchanged lines keep
/// theirs, new ones get that of the line before.
pub(crate) fn with_breaks_of(old: &str, edited: &str) -> String {
    let edited = plain(edited);
    let unmarked = old.strip_prefix(MARK);
    let mut whole = String::with_capacity(old.len().max(edited.len()) + 16);
    if unmarked.is_some() {
        whole.push(MARK);
    }
    let old = unmarked.unwrap_or(old);
    match LineBreak::of(old) {
        LineBreak::Lf => whole.push_str(&edited),
        LineBreak::Crlf => whole.push_str(&edited.replace('\n', "\r\n")),
        LineBreak::Cr => whole.push_str(&edited.replace('\n', "\r")),
        LineBreak::Mixed => push_mixed(&mut whole, old, &edited),
    }
    whole
}

fn push_mixed(whole: &mut String, old: &str, edited: &str) {
    let was: Vec<&str> = lines::split(old).map(|(_, line)| line).collect();
    let is: Vec<&str> = lines::split(edited).map(|(_, line)| line).collect();
    let kept = kept_lines(&was, &is);
    let mut last = was.first().map_or("\n", |line| text_break(line));
    for (line, before) in is.iter().zip(kept) {
        whole.push_str(lines::content(line));
        if !line.ends_with('\n') {
            continue;
        }
        let own = before.and_then(|at| was.get(at)).map_or("", |line| text_break(line));
        if !own.is_empty() {
            last = own;
        }
        // `\r` followed by `\n` would be a single line break.
        let joins = last == "\n" && whole.ends_with('\r');
        whole.push_str(if joins { "\r" } else { last });
    }
}

/// For every line of `is`, the same line of `was`, if it was there.
fn kept_lines(was: &[&str], is: &[&str]) -> Vec<Option<usize>> {
    let mut input = InternedInput::default();
    input.update_before(was.iter().map(|line| lines::content(line)));
    input.update_after(is.iter().map(|line| lines::content(line)));
    let diff = Diff::compute(Algorithm::Histogram, &input);
    let mut same = (0..).zip(0..was.len()).filter(|&(line, _)| !diff.is_removed(line));
    let kept = |(line, _)| if diff.is_added(line) { None } else { same.next().map(|(_, at)| at) };
    (0..).zip(is).map(kept).collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn an_edit_changes_no_other_byte() {
        for (old, edited, expected) in [
            ("a\r\nb\r\n", "a\nx\nb\n", "a\r\nx\r\nb\r\n"),
            ("\u{feff}a\nb", "a\nb\n", "\u{feff}a\nb\n"),
            ("a\rb", "a\rb\rc", "a\rb\rc"),
            ("a\nb\r\nc\rd\n", "a\nb\nx\nc\nd\n", "a\nb\r\nx\r\nc\rd\n"),
            ("a\n\nb\r\n\r\nc\n", "A\n\n\nb\n\nC\n", "A\n\n\nb\r\n\r\nC\r\n"),
            ("a\ra\r\n\r\n\n", "a\n\n", "a\r\r"),
            ("a\r\n", "", ""),
            ("", "a\n", "a\n"),
            ("a", "a\nb\n", "a\nb\n"),
        ] {
            let whole = with_breaks_of(old, edited);
            assert_eq!(plain(&whole), plain(edited), "{old:?} {edited:?}");
            assert_eq!(whole, expected, "{old:?} {edited:?}");
        }
    }

    #[test]
    fn line_breaks_have_names() {
        for (text, name) in [
            ("", LineBreak::Lf),
            ("a\r\nb", LineBreak::Crlf),
            ("a\r\r", LineBreak::Cr),
            ("a\n\r", LineBreak::Mixed),
            ("a\r\nb\n", LineBreak::Mixed),
        ] {
            assert_eq!(LineBreak::of(text), name, "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn saving_unchanged_text_gives_the_same_bytes(text in "(\u{feff})?([ab]{0,2}(\r\n|\n|\r)?){0,12}") {
            prop_assert_eq!(with_breaks_of(&text, &plain(&text)), text);
        }

        #[test]
        fn saving_stores_what_was_typed(old in "([ab]{0,2}(\r\n|\n|\r)?){0,12}", new in "([ab]{0,2}\n?){0,12}") {
            prop_assert_eq!(plain(&with_breaks_of(&old, &new)), new);
        }
    }
}
