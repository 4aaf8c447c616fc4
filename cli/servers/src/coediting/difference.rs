//! The smallest change from one text to another, so that a change of the file on disk moves as little as possible of what
//! people are writing: by lines, and within changed lines by characters.

use gix_imara_diff::{Algorithm, Diff, Hunk, InternedInput, Interner};

use super::changes::{Changes, Units};

/// Limit on the characters of changed lines that are compared one by one.
const MOST_CHARACTERS: usize = 20_000;

/// The change that turns `before` into `after`.
pub(super) fn between(before: &str, after: &str) -> Changes {
    let mut changes = Changes::default();
    let split = |text| -> Vec<&str> { str::split_inclusive(text, '\n').collect() };
    let (old, new) = (split(before), split(after));
    walk(&old, &new, Algorithm::Histogram, |gone, put| {
        let Some(gone) = gone else { return changes.keep(size(&put.concat())) };
        let (gone, put) = (gone.concat(), put.concat());
        if gone.len() + put.len() > MOST_CHARACTERS || gone.is_empty() || put.is_empty() {
            return changes.replace(size(&gone), &units(&put));
        }
        let characters = |text: &str| -> Vec<char> { text.chars().collect() };
        walk(&characters(&gone), &characters(&put), Algorithm::Myers, |gone, put| {
            let put = put.iter().collect::<String>();
            match gone {
                None => changes.keep(size(&put)),
                Some(gone) => changes.replace(size(&gone.iter().collect::<String>()), &units(&put)),
            }
        });
    });
    changes
}

/// Calls `each` for every part: with what stays, or with what is replaced and by what.
fn walk<T: std::hash::Hash + Eq + Copy>(
    before: &[T],
    after: &[T],
    algorithm: Algorithm,
    mut each: impl FnMut(Option<&[T]>, &[T]),
) {
    let mut input = InternedInput {
        before: Vec::new(),
        after: Vec::new(),
        interner: Interner::new(before.len() + after.len()),
    };
    input.update_before(before.iter().copied());
    input.update_after(after.iter().copied());
    let diff = Diff::compute(algorithm, &input);
    let (mut old, mut new) = (0, 0);
    for Hunk { before: gone, after: put } in diff.hunks() {
        let range = |range: std::ops::Range<u32>| range.start as usize..range.end as usize;
        let (gone, put) = (range(gone), range(put));
        each(None, &after[new..put.start]);
        each(Some(&before[gone.clone()]), &after[put.clone()]);
        (old, new) = (gone.end, put.end);
    }
    debug_assert_eq!(before.len() - old, after.len() - new);
    each(None, &after[new..]);
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
