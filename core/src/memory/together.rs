//! Which memories are duplicates. Each replaced memory is similar to the one that is kept. Similarity is not
//! transitive: a long chain of small differences would join memories that have nothing in common.

use std::cmp::Reverse;
use std::collections::HashMap;

use super::{Count, Entry};
use crate::Result;
use crate::progress::{Cancel, Progress, Stage};

/// Cosine similarity above which two memories are merged without being named.
pub(crate) const SAME: f32 = 0.85;

/// A memory to compare.
pub(crate) struct Compared<'c> {
    pub entry: &'c Entry,
    pub count: Count,
    /// Its text, folded: equal texts are duplicates even without vectors.
    pub text: String,
}

/// Duplicates, as positions in the compared list.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Group {
    /// The one to keep.
    pub kept: usize,
    /// The ones that it replaces, with their similarity if it is known, most similar first.
    pub replaced: Vec<(usize, Option<f32>)>,
}

/// The groups of duplicates: pairs of one type that `joins`, which is asked with their similarity if it is known. The
/// most used one is kept; on a tie the one with the highest confidence, then the oldest.
///
/// # Errors
/// [`crate::Error::Cancelled`].
pub(crate) fn groups(
    memories: &[Compared<'_>],
    vectors: &HashMap<i64, Vec<f32>>,
    joins: &dyn Fn(usize, usize, Option<f32>) -> bool,
    progress: &dyn Progress,
    cancel: &Cancel,
) -> Result<Vec<Group>> {
    let mut order: Vec<usize> = (0..memories.len()).collect();
    order.sort_by(|&a, &b| {
        let key = |at: usize| (Reverse(memories[at].count.references), memories[at].entry.created_at);
        let trust = |at: usize| memories[at].entry.fields.confidence;
        let (left, right) = (key(a), key(b));
        left.0
            .cmp(&right.0)
            .then_with(|| trust(b).total_cmp(&trust(a)))
            .then_with(|| left.1.cmp(&right.1))
            .then_with(|| memories[a].entry.path.cmp(&memories[b].entry.path))
    });
    let mut taken = vec![false; memories.len()];
    let mut groups = Vec::new();
    for (done, &kept) in order.iter().enumerate() {
        cancel.check()?;
        progress.advance(Stage::Comparisons, done, memories.len());
        if std::mem::replace(&mut taken[kept], true) {
            continue;
        }
        let mut replaced: Vec<(usize, Option<f32>)> = Vec::new();
        for &other in order.iter().skip(done + 1).filter(|&&other| !taken[other]) {
            if memories[kept].entry.fields.memory_type != memories[other].entry.fields.memory_type {
                continue;
            }
            let similarity = similarity(&memories[kept], &memories[other], vectors);
            if joins(kept, other, similarity) {
                replaced.push((other, similarity));
            }
        }
        replaced.iter().for_each(|(other, _)| taken[*other] = true);
        replaced.sort_by(|a, b| {
            let of = |one: &(usize, Option<f32>)| one.1.unwrap_or(0.0);
            of(b).total_cmp(&of(a)).then(a.0.cmp(&b.0))
        });
        if !replaced.is_empty() {
            groups.push(Group { kept, replaced });
        }
    }
    progress.advance(Stage::Comparisons, memories.len(), memories.len());
    groups.sort_by(|a, b| memories[a.kept].entry.path.cmp(&memories[b.kept].entry.path));
    Ok(groups)
}

/// Similarity of two memories; `None` if it is unknown.
fn similarity(a: &Compared<'_>, b: &Compared<'_>, vectors: &HashMap<i64, Vec<f32>>) -> Option<f32> {
    if a.text == b.text {
        return Some(1.0);
    }
    let (a, b) = (vectors.get(&a.entry.page)?, vectors.get(&b.entry.page)?);
    Some(a.iter().zip(b).map(|(a, b)| a * b).sum())
}
