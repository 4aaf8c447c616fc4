//! Memories that say the same, among all of them: which are joined, and which contradict each other instead.

use std::collections::HashMap;

use super::{Catalog, Claims, Compared, Counts, Currency, Dispute, Entry, Group, Memory, Skipped};
use super::{dispute, groups, read};
use crate::message;
use crate::message::Message;
use crate::suggest::decisions::{Decisions, Verdict};
use crate::writing::Version;
use crate::{Context, Result, path, text};

/// The type under which decisions say that two memories are no duplicates.
pub(crate) const DUPLICATE: &str = "duplicate_of";

/// A memory and its page.
pub(crate) struct Loaded {
    pub version: Version,
    pub memory: Memory,
}

/// Which memories are joined.
pub(crate) enum Joined<'n> {
    /// Those that are more similar than this, unless a person dismissed that.
    Alike(f32),
    /// These, by id, topic or path.
    Named(&'n [String]),
}

/// The memories, and what was found among them. Positions are those in `entries` and `loaded`.
pub(crate) struct Duplicates<'c> {
    pub entries: Vec<&'c Entry>,
    pub loaded: Vec<Loaded>,
    pub groups: Vec<Group>,
    /// Pairs that would be joined if they did not contradict each other.
    pub disputes: Vec<Dispute>,
    pub skipped: Vec<Skipped>,
}

impl<'c> Duplicates<'c> {
    /// Finds them.
    ///
    /// # Errors
    /// [`crate::Error::PageNotFound`] and [`crate::Error::AmbiguousPage`] for names, [`crate::Error::Io`],
    /// [`crate::Error::Cancelled`].
    pub(crate) fn find(
        context: &Context<'_>,
        catalog: &'c Catalog,
        vectors: &HashMap<i64, Vec<f32>>,
        counts: &Counts,
        currency: &Currency,
        joined: &Joined<'_>,
    ) -> Result<Self> {
        let mut skipped = catalog.skipped.clone();
        let chosen: Vec<&Entry> = match joined {
            Joined::Alike(_) => catalog.entries.iter().collect(),
            Joined::Named(names) => {
                let named = names.iter().map(|name| catalog.named(super::bare_name(name), None));
                let mut named = named.collect::<Result<Vec<&Entry>>>()?;
                named.sort_by_key(|entry| entry.page);
                named.dedup_by_key(|entry| entry.page);
                named
            }
        };
        let (entries, loaded) = load(context, &chosen, &mut skipped)?;
        let compared: Vec<Compared<'_>> = entries
            .iter()
            .zip(&loaded)
            .map(|(entry, one)| Compared {
                entry,
                count: counts.of(entry.ids()),
                text: text::fold_key(&format!("{}\n{}", one.memory.content, one.memory.examples.join("\n"))),
            })
            .collect();
        let decisions = Decisions::read(context.source)?;
        let dismissed = |a: usize, b: usize| {
            let (one, other) = (&entries[a].id, &entries[b].id);
            [(one, other), (other, one)]
                .iter()
                .any(|(from, to)| decisions.verdict_on_type(from, to, DUPLICATE) == Some(Verdict::Dismissed))
        };
        let joins = |a: usize, b: usize, likeness: Option<f32>| match joined {
            Joined::Alike(least) => likeness.is_some_and(|likeness| likeness > *least) && !dismissed(a, b),
            Joined::Named(_) => true,
        };
        let found = groups(&compared, vectors, &joins, context.progress, context.cancel)?;
        // Merging pages of different folders would break their relative links.
        let found = found.into_iter().filter_map(|group| in_one_folder(group, &entries)).collect();
        let (groups, disputes) = in_agreement(found, &entries, &loaded, currency);
        Ok(Self { entries, loaded, groups, disputes, skipped })
    }
}

/// The readable memories, with their pages.
fn load<'c>(
    context: &Context<'_>,
    entries: &[&'c Entry],
    skipped: &mut Vec<Skipped>,
) -> Result<(Vec<&'c Entry>, Vec<Loaded>)> {
    let (mut kept, mut loaded) = (Vec::new(), Vec::new());
    for entry in entries {
        context.cancel.check()?;
        let mut skip = |line: usize, reason: Message| {
            skipped.push(Skipped { filepath: entry.path.clone(), line, reason });
        };
        let version = match Version::read(context.source, &entry.path) {
            Ok(version) => version,
            Err(error) => {
                skip(1, error.message());
                continue;
            }
        };
        let Ok(text) = std::str::from_utf8(version.bytes.as_deref().unwrap_or_default()) else {
            skip(1, message!("the page is not UTF-8"));
            continue;
        };
        match read(text) {
            Some(Ok(memory)) => {
                kept.push(*entry);
                loaded.push(Loaded { version, memory });
            }
            Some(Err((line, reason))) => skip(line, reason),
            None => {}
        }
    }
    Ok((kept, loaded))
}

fn in_one_folder(mut group: Group, entries: &[&Entry]) -> Option<Group> {
    let folder = |at: usize| entries.get(at).map(|entry| path::folder(&entry.path));
    let home = folder(group.kept);
    group.replaced.retain(|(at, _)| folder(*at) == home);
    (!group.replaced.is_empty()).then_some(group)
}

/// The groups without memories that contradict the one to keep, that hold when it does not, or until another day; and
/// the contradictions.
fn in_agreement(
    groups: Vec<Group>,
    entries: &[&Entry],
    loaded: &[Loaded],
    currency: &Currency,
) -> (Vec<Group>, Vec<Dispute>) {
    let claims: Vec<Claims<'_>> =
        entries.iter().zip(loaded).map(|(entry, one)| Claims::of(entry, &one.memory)).collect();
    let mut disputes = Vec::new();
    let mut agree = Vec::new();
    for mut group in groups {
        group.replaced.retain(|(at, _)| {
            let (kept, other) = (entries[group.kept], entries[*at]);
            let (own, others) = (currency.standing(&kept.path), currency.standing(&other.path));
            let found = dispute(&claims, group.kept, *at, currency);
            let agrees = found.is_none();
            disputes.extend(found);
            agrees
                && own.is_current() == others.is_current()
                && own.superseded_by.is_empty() == others.superseded_by.is_empty()
                && kept.fields.valid_until == other.fields.valid_until
        });
        if !group.replaced.is_empty() {
            agree.push(group);
        }
    }
    (agree, disputes)
}
