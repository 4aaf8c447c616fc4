//! The three-way merge of a proposed text: the changed blocks of the proposal are applied to the current text of the page
//! unless the page was changed at the same lines, or next to them.

use std::ops::Range;

use gix_imara_diff::{Algorithm, Diff, InternedInput};

use crate::page::{FrontMatter, Value, front_matter, set_fields};
use crate::writing::diff;

/// Number of unchanged lines shown around a block.
const SHOWN: usize = 3;

/// Front matter that UBP sets whenever it writes a page. Two versions that differ in the time of their last edit do not
/// conflict.
const TIMES: [&str; 3] = ["updated_at", "updatedAt", "updated"];

/// Front matter that UBP adds once.
const ADDED_ONCE: [&str; 2] = ["id", "created_at"];

/// Changed lines of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Lines {
    before: Range<usize>,
    after: Range<usize>,
}

/// The changed lines of a Markdown block: changes without a blank line between them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Block {
    /// The first line in the text before, from 1.
    pub line: usize,
    /// A unified diff with the lines around it.
    pub diff: String,
    /// Whether lines are only added.
    pub only_adds: bool,
    changed: Vec<Lines>,
}

impl Block {
    /// A page that is created or deleted as a whole.
    pub(crate) fn whole((before, after): (&str, &str)) -> Self {
        let (old, new) = (lines(before), lines(after));
        block(&old, &new, vec![Lines { before: 0..old.len(), after: 0..new.len() }])
    }
}

/// The result of a merge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Merged {
    pub text: String,
    /// Positions of the chosen blocks that touch later changes. They are not in the text.
    pub clashes: Vec<usize>,
}

/// The blocks that `after` changes in `before`, without the times that UBP sets itself.
pub(crate) fn blocks(path: &str, before: &str, after: &str) -> Vec<Block> {
    let old = front_matter(before);
    let stamps = stamps(&old, &old, &front_matter(after));
    grouped(&stamped(path, before, &stamps), &stamped(path, after, &stamps))
}

/// Whether every block only adds lines.
pub(crate) fn is_addition(path: &str, before: &str, after: &str) -> bool {
    blocks(path, before, after).iter().all(|block| block.only_adds)
}

/// `current` with those blocks of the change from `base` to `after` that are `chosen`.
pub(super) fn merge(
    path: &str,
    base: &str,
    current: &str,
    after: &str,
    chosen: &dyn Fn(usize) -> bool,
) -> Merged {
    let stamps = stamps(&front_matter(base), &front_matter(current), &front_matter(after));
    let [old, now, new] = [base, current, after].map(|text| stamped(path, text, &stamps));
    let blocks = grouped(&old, &new);
    let ours = changed(&old, &now);
    let (old_lines, now_lines, new_lines) = (lines(&old), lines(&now), lines(&new));
    let mut splices: Vec<(Range<usize>, String)> = Vec::new();
    let mut clashes = Vec::new();
    for (at, block) in blocks.iter().enumerate().filter(|(at, _)| chosen(*at)) {
        let mut own = Vec::new();
        let mut touches = false;
        for change in &block.changed {
            let text = part(&new_lines, &change.after);
            let is_same =
                |other: &Lines| other.before == change.before && part(&now_lines, &other.after) == text;
            if ours.iter().any(is_same) {
                continue;
            }
            touches |= ours.iter().any(|other| touch(&other.before, &change.before));
            own.push((change.before.clone(), text));
        }
        if touches {
            clashes.push(at);
        } else {
            splices.extend(own);
        }
    }
    if splices.is_empty() {
        return Merged { text: current.to_owned(), clashes };
    }
    splices.extend(ours.iter().map(|own| (own.before.clone(), part(&now_lines, &own.after))));
    splices.sort_by_key(|(range, _)| (range.start, range.end));
    let mut text = String::with_capacity(now.len() + new.len());
    let mut from = 0;
    for (range, insert) in splices {
        text.push_str(&part(&old_lines, &(from..range.start)));
        text.push_str(&insert);
        from = range.end;
    }
    text.push_str(&part(&old_lines, &(from..old_lines.len())));
    Merged { text, clashes }
}

fn touch(a: &Range<usize>, b: &Range<usize>) -> bool {
    a.start <= b.end && b.start <= a.end
}

/// Fields that differ between the versions only because UBP sets them, with the value for the merged text.
fn stamps(base: &FrontMatter, current: &FrontMatter, after: &FrontMatter) -> Vec<(&'static str, String)> {
    let field = |front: &FrontMatter, key: &str| match front.get(key) {
        Some(Value::Text(text)) if !text.trim().is_empty() => Some(text.clone()),
        _ => None,
    };
    // Whether a field is among these must not depend on the current text, because hunks are numbered without it.
    let times = TIMES.into_iter().filter_map(|key| {
        let new = field(after, key)?;
        let time = |text: &str| text.parse::<jiff::Timestamp>().ok();
        let later = field(current, key).filter(|now| time(now) > time(&new));
        Some((key, later.unwrap_or(new)))
    });
    let once = ADDED_ONCE.into_iter().filter_map(|key| {
        let new = field(after, key).filter(|_| field(base, key).is_none())?;
        Some((key, field(current, key).unwrap_or(new)))
    });
    times.chain(once).collect()
}

/// The text with these fields, unless its front matter cannot be edited.
fn stamped(path: &str, text: &str, stamps: &[(&'static str, String)]) -> String {
    let fields: Vec<(&str, &str)> = stamps.iter().map(|(key, value)| (*key, value.as_str())).collect();
    set_fields(path, text, &fields).unwrap_or_else(|_| text.to_owned())
}

fn lines(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

fn part(lines: &[&str], range: &Range<usize>) -> String {
    lines.get(range.clone()).unwrap_or_default().concat()
}

/// The changed lines, in order.
fn changed(before: &str, after: &str) -> Vec<Lines> {
    let input = InternedInput::new(before, after);
    let mut diff = Diff::compute(Algorithm::Histogram, &input);
    diff.postprocess_lines(&input);
    let range = |range: Range<u32>| range.start as usize..range.end as usize;
    diff.hunks().map(|hunk| Lines { before: range(hunk.before), after: range(hunk.after) }).collect()
}

fn grouped(before: &str, after: &str) -> Vec<Block> {
    let (old, new) = (lines(before), lines(after));
    let mut groups: Vec<Vec<Lines>> = Vec::new();
    for change in changed(before, after) {
        let last = groups.last().and_then(|group| group.last());
        let between = last.and_then(|last| old.get(last.before.end..change.before.start));
        match groups.last_mut() {
            Some(group) if between.is_some_and(|lines| lines.iter().all(|line| !line.trim().is_empty())) => {
                group.push(change);
            }
            _ => groups.push(vec![change]),
        }
    }
    groups.into_iter().map(|changed| block(&old, &new, changed)).collect()
}

fn block(old: &[&str], new: &[&str], changed: Vec<Lines>) -> Block {
    let (first, last) = (changed.first(), changed.last());
    let start = first.map_or(0, |lines| lines.before.start);
    let end = last.map_or(0, |lines| lines.before.end);
    let shown = start.saturating_sub(SHOWN)..(end + SHOWN).min(old.len());
    let shift = first.map_or(0, |lines| lines.after.start.saturating_sub(start.saturating_sub(shown.start)));
    let mut body = String::new();
    let mut put = |sign, lines: &[&str]| lines.iter().for_each(|line| body += &diff::line(sign, line));
    let (mut at, mut grown) = (shown.start, 0);
    for change in &changed {
        put(' ', old.get(at..change.before.start).unwrap_or_default());
        put('-', old.get(change.before.clone()).unwrap_or_default());
        put('+', new.get(change.after.clone()).unwrap_or_default());
        at = change.before.end;
        grown += change.after.len();
    }
    put(' ', old.get(at..shown.end).unwrap_or_default());
    let removed: usize = changed.iter().map(|change| change.before.len()).sum();
    let header = diff::header((shown.start, shown.len()), (shift, shown.len() - removed + grown));
    Block { line: start + 1, diff: header + &body, only_adds: removed == 0, changed }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn all(_: usize) -> bool {
        true
    }

    /// Runs the cases in `merge.md`: three texts, and the merged text or the clashing blocks.
    #[test]
    fn merges_are_as_specified() {
        let cases = include_str!("merge.md");
        let mut checked = 0;
        for case in cases.split("\n## ").skip(1) {
            let (title, body) = case.split_once('\n').unwrap();
            let text = |name: &str| {
                let (_, rest) = body.split_once(&format!("~~~ {name}\n"))?;
                Some(rest.split_once("~~~").unwrap().0.to_owned())
            };
            let (base, current, after) =
                (text("base").unwrap(), text("current").unwrap(), text("proposed").unwrap());
            let chosen = text("hunks").map(|list| {
                list.split_whitespace().map(|number| number.parse::<usize>().unwrap()).collect::<Vec<_>>()
            });
            let is_chosen =
                |at: usize| chosen.as_ref().is_none_or(|numbers: &Vec<usize>| numbers.contains(&(at + 1)));
            let merged = merge("a.md", &base, &current, &after, &is_chosen);
            match text("clashes") {
                Some(numbers) => {
                    let found: Vec<String> = merged.clashes.iter().map(|at| (at + 1).to_string()).collect();
                    assert_eq!(found.join(" "), numbers.trim(), "{title}");
                }
                None => {
                    assert_eq!(merged.clashes, [0; 0], "{title}");
                    assert_eq!(merged.text, text("merged").unwrap(), "{title}");
                }
            }
            checked += 1;
        }
        assert!(checked >= 10, "{checked} cases");
    }

    proptest::proptest! {
        #[test]
        fn a_merge_keeps_both_sides(
            base in "([a-c]?\n){0,20}[a-c]?",
            one in "([a-c]?\n){0,20}[a-c]?",
            other in "([a-c]?\n){0,20}[a-c]?",
        ) {
            let merged = |base: &str, current: &str, after: &str| merge("a.md", base, current, after, &all);
            proptest::prop_assert_eq!(merged(&base, &base, &other).text, other.clone());
            proptest::prop_assert_eq!(merged(&base, &one, &base).text, one.clone());
            proptest::prop_assert_eq!(merged(&base, &one, &one), Merged { text: one.clone(), clashes: vec![] });
            let (there, back) = (merged(&base, &one, &other), merged(&base, &other, &one));
            proptest::prop_assert_eq!(there.clashes.is_empty(), back.clashes.is_empty());
            if there.clashes.is_empty() {
                proptest::prop_assert_eq!(there.text, back.text);
            }
        }

        #[test]
        fn accepting_block_after_block_gives_the_proposed_text(
            base in "([a-c]?\n){0,20}[a-c]?",
            after in "([a-c]?\n){0,20}[a-c]?",
        ) {
            let count = blocks("a.md", &base, &after).len();
            let one_by_one: Vec<String> =
                (0..count).map(|one| merge("a.md", &base, &base, &after, &|at| at == one).text).collect();
            // Each block alone changes only its own lines.
            for text in &one_by_one {
                proptest::prop_assert!(*text != base);
            }
            proptest::prop_assert_eq!(merge("a.md", &base, &base, &after, &|_| false).text, base.clone());
            proptest::prop_assert_eq!(merge("a.md", &base, &base, &after, &all).text, after.clone());
        }
    }
}
