//! Which memories say the same. Each that is replaced is that close to the one that stays: closeness is not
//! passed on from one to the next, or a long row of small steps would end somewhere else entirely.

use std::cmp::Reverse;
use std::collections::HashMap;

use super::{Count, Entry};
use crate::Result;
use crate::progress::{Cancel, Progress, Stage};

/// Cosine similarity above which two memories are one.
pub(crate) const SAME: f32 = 0.85;

/// A memory as it is compared.
pub(crate) struct Compared<'c> {
    pub entry: &'c Entry,
    pub count: Count,
    /// Its text, folded: equal texts are the same without any vector.
    pub text: String,
}

/// Memories that are one: places in the list that was compared.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Group {
    /// The one that stays.
    pub kept: usize,
    /// Those that it replaces, each with its similarity, the most alike first.
    pub replaced: Vec<(usize, f32)>,
}

/// The groups among these memories. What is needed most, trusted most and known longest stays.
///
/// # Errors
/// [`crate::Error::Cancelled`].
pub(crate) fn groups(
    memories: &[Compared<'_>],
    vectors: &HashMap<i64, Vec<f32>>,
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
        let mut replaced: Vec<(usize, f32)> = Vec::new();
        for &other in order.iter().skip(done + 1).filter(|&&other| !taken[other]) {
            if let Some(similarity) = similarity(&memories[kept], &memories[other], vectors)
                && similarity > SAME
            {
                replaced.push((other, similarity));
            }
        }
        replaced.iter().for_each(|(other, _)| taken[*other] = true);
        replaced.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        if !replaced.is_empty() {
            groups.push(Group { kept, replaced });
        }
    }
    progress.advance(Stage::Comparisons, memories.len(), memories.len());
    groups.sort_by(|a, b| memories[a.kept].entry.path.cmp(&memories[b.kept].entry.path));
    Ok(groups)
}

/// How alike two memories of one type are; `None` where it cannot be told.
fn similarity(a: &Compared<'_>, b: &Compared<'_>, vectors: &HashMap<i64, Vec<f32>>) -> Option<f32> {
    if a.entry.fields.memory_type != b.entry.fields.memory_type {
        return None;
    }
    if a.text == b.text {
        return Some(1.0);
    }
    let (a, b) = (vectors.get(&a.entry.page)?, vectors.get(&b.entry.page)?);
    Some(a.iter().zip(b).map(|(a, b)| a * b).sum())
}
