//! The smallest change from one text to another, so that a change of the file on disk moves as little as possible of what
//! people are writing: by lines, and within changed lines by characters.

use ubp_core::text::parts;

use super::changes::{Changes, Units};

/// The change that turns `before` into `after`.
pub(super) fn between(before: &str, after: &str) -> Changes {
    let mut changes = Changes::default();
    parts(before, after, |gone, put, stays| match stays {
        true => changes.keep(size(put)),
        false => changes.replace(size(gone), &units(put)),
    });
    changes
}

fn units(text: &str) -> Units {
    text.encode_utf16().collect()
}

fn size(text: &str) -> usize {
    text.encode_utf16().count()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_is_small_and_leads_to_the_other_text() {
        for (before, after, json) in [
            ("", "", "[]"),
            ("", "a\nb", "[[0,\"a\",\"b\"]]"),
            ("a\nb", "", "[[3]]"),
            ("one\ntwo\nthree\n", "one\ntwo x\nthree\n", "[7,[0,\" x\"],7]"),
            ("one\ntwo\n", "zero\none\ntwo\n", "[[0,\"zero\",\"\"],8]"),
            ("x \u{1f600}\n", "x \u{1f601}\n", "[2,[2,\"\u{1f601}\"],1]"),
            ("\u{65e5}\u{672c}", "\u{65e5}\u{8a9e}\u{672c}", "[1,[0,\"\u{8a9e}\"],1]"),
        ] {
            let changes = between(before, after);
            assert_eq!(changes.json().to_string(), json, "{before:?} {after:?}");
            assert_eq!(changes.apply(&units(before)), Ok(units(after)));
        }
    }
}
