//! Pairs of memories that contradict each other, among all of them.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::{Contradiction, Currency, Entry, Memory, Statements};
use crate::Result;
use crate::progress::Cancel;

/// A word in more memories than this does not bring two of them together.
const FREQUENT: usize = 200;

/// Words that two memories must have in common to be compared.
const COMMON: usize = 2;

/// A memory, ready to be compared.
pub(crate) struct Claims<'m> {
    pub entry: &'m Entry,
    statements: Statements,
}

impl<'m> Claims<'m> {
    pub(crate) fn of(entry: &'m Entry, memory: &Memory) -> Self {
        Self { entry, statements: Statements::of(&memory.fields.topic, &memory.content) }
    }
}

/// Two memories that do not agree: positions in the compared list, the older first.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Dispute {
    pub older: usize,
    pub newer: usize,
    /// The sentences; `None` if only front matter says so.
    pub found: Option<Contradiction>,
}

/// How two memories contradict each other, if they do: by their sentences, or because the front matter of one says so.
/// A memory that no longer holds contradicts nothing.
pub(crate) fn dispute(memories: &[Claims<'_>], a: usize, b: usize, currency: &Currency) -> Option<Dispute> {
    let (one, other) = (memories.get(a)?, memories.get(b)?);
    let (left, right) = (currency.standing(&one.entry.path), currency.standing(&other.entry.path));
    if !left.is_current() || !right.is_current() {
        return None;
    }
    let age = |claims: &Claims<'_>| (claims.entry.created_at, claims.entry.path.clone());
    let (older, newer) = if age(one) <= age(other) { (a, b) } else { (b, a) };
    let (held, given) = (&memories.get(older)?.statements, &memories.get(newer)?.statements);
    let found = held.against(given, 1).pop();
    (found.is_some() || left.conflicts_with.contains(&other.entry.path)).then_some(Dispute {
        older,
        newer,
        found,
    })
}

/// All pairs that contradict each other, in the order of the list.
///
/// # Errors
/// [`crate::Error::Cancelled`].
pub(crate) fn disputes(
    memories: &[Claims<'_>],
    currency: &Currency,
    cancel: &Cancel,
) -> Result<Vec<Dispute>> {
    let mut with: HashMap<&str, Vec<usize>> = HashMap::new();
    let paths: HashMap<&str, usize> =
        memories.iter().enumerate().map(|(at, claims)| (claims.entry.path.as_str(), at)).collect();
    let mut words: Vec<BTreeSet<&str>> = Vec::new();
    for (at, claims) in memories.iter().enumerate() {
        let own: BTreeSet<&str> = claims.statements.words().collect();
        own.iter().for_each(|word| with.entry(word).or_default().push(at));
        words.push(own);
    }
    let mut found = Vec::new();
    for (at, claims) in memories.iter().enumerate() {
        cancel.check()?;
        let mut shared: BTreeMap<usize, usize> = BTreeMap::new();
        let postings = words.get(at).into_iter().flatten().filter_map(|word| with.get(word));
        for other in postings.filter(|list| list.len() <= FREQUENT).flatten().filter(|other| **other > at) {
            *shared.entry(*other).or_default() += 1;
        }
        let declared = &currency.standing(&claims.entry.path).conflicts_with;
        let declared =
            declared.iter().filter_map(|path| paths.get(path.as_str())).filter(|other| **other > at);
        let near = shared.into_iter().filter(|(_, count)| *count >= COMMON).map(|(other, _)| other);
        let others: BTreeSet<usize> = near.chain(declared.copied()).collect();
        found.extend(others.into_iter().filter_map(|other| dispute(memories, at, other, currency)));
    }
    Ok(found)
}
