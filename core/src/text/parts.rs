//! What two texts have in common: by lines, and within changed lines by characters.

use std::hash::Hash;
use std::ops::Range;

use gix_imara_diff::{Algorithm, Diff, InternedInput, Interner};

/// Limit on the bytes of changed lines that are compared by characters.
pub(crate) const MOST_BYTES: usize = 20_000;

/// Calls `each` for every part of the texts, in order: what it was, what it is now, and whether it stays as it is.
pub fn parts<'t>(before: &'t str, after: &'t str, mut each: impl FnMut(&'t str, &'t str, bool)) {
    let (mut old, mut new) = (before, after);
    let mut take = |gone: usize, put: usize, stays: bool| {
        let (was, rest) = old.split_at(gone);
        let (is, other) = new.split_at(put);
        (old, new) = (rest, other);
        if !was.is_empty() || !is.is_empty() {
            each(was, is, stays);
        }
    };
    let lines = |text| -> Vec<&str> { str::split_inclusive(text, '\n').collect() };
    let size = |lines: &[&str]| lines.iter().map(|line| line.len()).sum::<usize>();
    walk(&lines(before), &lines(after), Algorithm::Histogram, |gone, put, stays| {
        if stays || size(gone) + size(put) > MOST_BYTES || gone.is_empty() || put.is_empty() {
            return take(size(gone), size(put), stays);
        }
        let characters = |lines: &[&str]| -> Vec<char> { lines.concat().chars().collect() };
        let size = |characters: &[char]| characters.iter().map(|c| c.len_utf8()).sum::<usize>();
        walk(&characters(gone), &characters(put), Algorithm::Myers, |gone, put, stays| {
            take(size(gone), size(put), stays);
        });
    });
}

fn walk<T: Hash + Eq + Copy>(
    before: &[T],
    after: &[T],
    algorithm: Algorithm,
    mut each: impl FnMut(&[T], &[T], bool),
) {
    let mut input = InternedInput {
        before: Vec::new(),
        after: Vec::new(),
        interner: Interner::new(before.len() + after.len()),
    };
    input.update_before(before.iter().copied());
    input.update_after(after.iter().copied());
    let (mut old, mut new) = (0, 0);
    for hunk in Diff::compute(algorithm, &input).hunks() {
        let range = |range: Range<u32>| range.start as usize..range.end as usize;
        let (gone, put) = (range(hunk.before), range(hunk.after));
        each(&before[old..gone.start], &after[new..put.start], true);
        (old, new) = (gone.end, put.end);
        each(&before[gone], &after[put], false);
    }
    each(&before[old..], &after[new..], true);
}
