//! Adds up the scores of rows over several posting lists.

use crate::index::{Posting, Postings};

/// Rows whose sums are computed at the same time; their sums fit into a core's cache.
const WINDOW: usize = 4_096;

/// Calls `visit` with every row in any of `lists`, in ascending order, and the sum of its scores, all of which are positive.
pub(super) fn each(lists: &[Postings], mut visit: impl FnMut(i64, f64)) {
    let mut rest: Vec<&[Posting]> = lists.iter().map(|list| &**list).collect();
    // A row without a score has 0.
    let mut sums = vec![0.0; WINDOW];
    while let Some(first) = rest.iter().filter_map(|list| Some(list.first()?.row)).min() {
        for list in &mut rest {
            let mut inside = 0;
            for posting in *list {
                let Some(sum) = usize::try_from(posting.row - first).ok().and_then(|at| sums.get_mut(at))
                else {
                    break;
                };
                *sum += posting.bm25;
                inside += 1;
            }
            *list = &list[inside..];
        }
        for (row, sum) in (first..).zip(&mut sums) {
            if *sum > 0.0 {
                visit(row, std::mem::take(sum));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn sums_are_those_of_a_map(lists in prop::collection::vec(prop::collection::btree_map(0..20_000_i64, 1..9_u8, 0..60), 0..6)) {
            let mut expected: BTreeMap<i64, f64> = BTreeMap::new();
            for (row, score) in lists.iter().flatten() {
                *expected.entry(*row).or_default() += f64::from(*score);
            }
            let lists: Vec<Postings> = lists
                .iter()
                .map(|list| list.iter().map(|(&row, &score)| Posting { row, bm25: f64::from(score) }).collect())
                .collect();
            let mut found = Vec::new();
            each(&lists, |row, sum| found.push((row, sum)));
            prop_assert_eq!(found, expected.into_iter().collect::<Vec<_>>());
        }
    }
}
