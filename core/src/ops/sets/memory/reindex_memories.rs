//! Merges duplicate memories. Texts are merged first and pages are deleted last, and all of it is logged before it
//! starts. If it is interrupted, each memory is on a page or in the trash, and can be restored from the log.

use std::collections::{HashMap, HashSet};

use rusqlite::Connection;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::index::questions::links;
use crate::memory::{
    Catalog, Claims, Compared, Counts, Currency, Entry, Group, Memory, Skipped, dispute, edited, groups,
    merged, read, vectors,
};
use crate::message;
use crate::ops::Facts;
use crate::ops::memory::{Dispute, MemoryFields, SimilarMemory, show_skipped};
use crate::ops::written::WriteReport;
use crate::page::{LinkTypes, decode, parse};
use crate::show::{Page, Span, counted};
use crate::writing::links::{Follower, Renaming, World, keys};
use crate::writing::{Change, Plan, Version, carry_out};
use crate::{Caller, Context};
use crate::{Error, Result, path, text};

/// Facts about this operation.
pub const FACTS: Facts = Facts::writing(
    "Merge duplicate memories; links are updated, and replaced memories can be \
     restored.",
)
.command("memory reindex");

/// Parameters.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// Only show what would change.
    #[serde(default)]
    pub dry_run: bool,
}

/// The merged memories.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Output {
    /// Number of memories examined.
    pub memory_count: usize,
    /// Memories without a vector: duplicates of them are recognised only by equal text.
    pub uncompared_count: usize,
    /// Why no memory has a vector, if none has.
    pub without_vectors: Option<String>,
    /// The merges.
    pub merged: Vec<Merge>,
    /// Similar memories that were not merged, because they contradict each other.
    pub contradictory: Vec<Dispute>,
    /// Pages in memory folders that are not valid memories.
    pub skipped: Vec<Skipped>,
    /// The write report.
    #[serde(flatten)]
    pub written: WriteReport,
}

/// Memories merged into one.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Merge {
    /// The merged memory.
    pub kept: MemoryFields,
    /// The memories that it replaces, most similar first.
    pub replaced: Vec<SimilarMemory>,
}

/// A memory and its page.
struct Loaded {
    version: Version,
    memory: Memory,
}

/// Merges duplicate memories.
///
/// # Errors
/// [`Error::InvalidParams`] for an agent, or for a link that cannot be updated; [`Error::Model`],
/// [`Error::Conflict`], [`Error::Io`], [`Error::Cancelled`]. On error, nothing is changed.
pub fn run(context: &Context<'_>, params: Params) -> Result<Output> {
    if context.caller == Caller::Agent {
        return Err(Error::invalid(message!(
            "only people can merge memories; tell the person which memories to merge, and why"
        )));
    }
    // The model takes time, so do this before taking the lock.
    context.refresh(false)?;
    context.embed(None)?;
    let held = if params.dry_run { None } else { Some(context.source.lock()?) };
    context.refresh(false)?;
    context.embed(None)?;
    let counts = Counts::read(context.source);
    let (catalog, vectors) = context.index.read(|db| Ok((Catalog::read(db)?, vectors(context, db)?)))?;
    let (vectors, without_vectors) = match vectors {
        Ok(vectors) => (vectors, None),
        Err(reason) => (HashMap::new(), Some(reason)),
    };
    let currency = Currency::of(&catalog, context.clock.now());
    let mut skipped = catalog.skipped;
    let (entries, loaded) = load(context, &catalog.entries, &mut skipped)?;
    let compared: Vec<Compared<'_>> = entries
        .iter()
        .zip(&loaded)
        .map(|(entry, one)| Compared {
            entry,
            count: counts.of(entry.ids()),
            text: text::fold_key(&format!("{}\n{}", one.memory.content, one.memory.examples.join("\n"))),
        })
        .collect();
    let found = groups(&compared, &vectors, context.progress, context.cancel)?;
    // Merging pages of different folders would break their relative links.
    let found: Vec<Group> = found.into_iter().filter_map(|group| in_one_folder(group, &entries)).collect();
    let (found, contradictory) = in_agreement(found, &entries, &loaded, &currency);
    let pages: Vec<(&Group, Memory)> =
        found.iter().map(|group| (group, together(group, &entries, &loaded))).collect();
    let changes = context.index.read(|db| changes(context, db, &entries, &loaded, &pages))?;
    let written = carry_out(context, Plan::new("reindex_memories", changes), params.dry_run)?;
    drop(held);
    let merged =
        pages.iter().map(|(group, memory)| told(group, memory, &entries, &counts, &currency)).collect();
    Ok(Output {
        memory_count: entries.len(),
        uncompared_count: entries.iter().filter(|entry| !vectors.contains_key(&entry.page)).count(),
        without_vectors,
        merged,
        contradictory,
        skipped,
        written: WriteReport::of(context, written, params.dry_run),
    })
}

/// The readable memories, with their pages.
fn load<'c>(
    context: &Context<'_>,
    entries: &'c [Entry],
    skipped: &mut Vec<Skipped>,
) -> Result<(Vec<&'c Entry>, Vec<Loaded>)> {
    let (mut kept, mut loaded) = (Vec::new(), Vec::new());
    for entry in entries {
        context.cancel.check()?;
        let mut skip = |line: usize, reason: String| {
            skipped.push(Skipped { filepath: entry.path.clone(), line, reason });
        };
        let version = match Version::read(context.source, &entry.path) {
            Ok(version) => version,
            Err(error) => {
                skip(1, error.to_string());
                continue;
            }
        };
        let Ok(text) = std::str::from_utf8(version.bytes.as_deref().unwrap_or_default()) else {
            skip(1, "the page is not UTF-8".into());
            continue;
        };
        match read(text) {
            Some(Ok(memory)) => {
                kept.push(entry);
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
    let mut contradictory = Vec::new();
    let mut agree = Vec::new();
    for mut group in groups {
        group.replaced.retain(|(at, _)| {
            let (kept, other) = (entries[group.kept], entries[*at]);
            let (own, others) = (currency.standing(&kept.path), currency.standing(&other.path));
            let found = dispute(&claims, group.kept, *at, currency);
            if let Some(found) = &found {
                let (older, newer) = (entries[found.older], entries[found.newer]);
                contradictory.push(Dispute::of(older, newer, found.found.clone()));
            }
            found.is_none()
                && own.is_current() == others.is_current()
                && own.superseded_by.is_empty() == others.superseded_by.is_empty()
                && kept.fields.valid_until == other.fields.valid_until
        });
        if !group.replaced.is_empty() {
            agree.push(group);
        }
    }
    (agree, contradictory)
}

/// The merged text of a group of memories.
fn together(group: &Group, entries: &[&Entry], loaded: &[Loaded]) -> Memory {
    let kept = &loaded[group.kept].memory;
    let mut one = merged(kept, group.replaced.iter().map(|(at, _)| &loaded[*at].memory));
    let own = &entries[group.kept].id;
    let mut known: HashSet<&str> = std::iter::once(own.as_str()).collect();
    let before = one.fields.merged.clone();
    known.extend(before.iter().map(String::as_str));
    for id in group.replaced.iter().flat_map(|(at, _)| entries[*at].ids()) {
        if known.insert(id) {
            one.fields.merged.push(id.to_owned());
        }
    }
    one
}

/// The pages that stay with their merged texts, the pages whose links change, and last the pages to delete.
fn changes(
    context: &Context<'_>,
    db: &Connection,
    entries: &[&Entry],
    loaded: &[Loaded],
    pages: &[(&Group, Memory)],
) -> Result<Vec<Change>> {
    if pages.is_empty() {
        return Ok(Vec::new());
    }
    let (types, now) = (context.link_types(), context.clock.now());
    let before = World::load(db, context.source, context.pages_dir())?;
    let mut after = World::load(db, context.source, context.pages_dir())?;
    let mut replaced: HashMap<i64, i64> = HashMap::new();
    let mut names: Vec<String> = Vec::new();
    let mut texts: HashMap<i64, (Version, String)> = HashMap::new();
    for (group, memory) in pages {
        let (entry, own) = (entries[group.kept], &loaded[group.kept]);
        let old = std::str::from_utf8(own.version.bytes.as_deref().unwrap_or_default()).unwrap_or_default();
        let new = edited(&entry.path, old, &own.memory, memory, now)?;
        let page = parse(&new, &types);
        let title = page.title.clone().unwrap_or_else(|| path::page_name(&entry.path).to_owned());
        after.rename(entry.page, &entry.path, &title, &page.aliases);
        names.extend(keys(&entry.path, &title, &page.aliases));
        texts.insert(entry.page, (own.version.clone(), new));
        for (at, _) in &group.replaced {
            let gone = entries[*at];
            replaced.insert(gone.page, entry.page);
            after.remove(gone.page);
            names.extend(names_of(gone, &loaded[*at], &types));
        }
    }
    let gone: HashSet<i64> = replaced.keys().copied().collect();
    let renaming = Renaming { page: -1, titles: (String::new(), String::new()), heading: None };
    let mut follower = Follower { before, after, renaming: &renaming, types: &types, replaced };
    let mut linking = links::concerned(db, &names)?;
    linking.extend(texts.keys().filter(|page| !linking.contains(page)).copied().collect::<Vec<_>>());
    linking.sort_by_key(|page| follower.before.path(*page).map(str::to_owned));
    let (mut stay, mut follow) = (Vec::new(), Vec::new());
    for page in linking.into_iter().filter(|page| !gone.contains(page)) {
        context.cancel.check()?;
        if let Some((version, text)) = texts.remove(&page) {
            let text = follower.rewritten(page, &text)?.unwrap_or(text);
            stay.push(Change::edit(version, text.into_bytes()));
            continue;
        }
        let Some(path) = follower.before.path(page).map(str::to_owned) else { continue };
        let version = Version::read(context.source, &path)?;
        let (text, _) = decode(version.bytes.as_deref().unwrap_or_default());
        let Some(text) = follower.rewritten(page, &text)? else { continue };
        if std::str::from_utf8(version.bytes.as_deref().unwrap_or_default()).is_err() {
            return Err(Error::invalid(message!(
                "{path}: links to a memory that is replaced and is not UTF-8; save it as UTF-8 first",
                path
            )));
        }
        follow.push(Change::edit(version, text.into_bytes()));
    }
    let go = pages.iter().flat_map(|(group, _)| &group.replaced);
    let go = go.map(|(at, _)| Change::delete(loaded[*at].version.clone()));
    Ok(stay.into_iter().chain(follow).chain(go).collect())
}

/// All names by which links may refer to a page to delete.
fn names_of(entry: &Entry, loaded: &Loaded, types: &LinkTypes) -> Vec<String> {
    let (text, _) = decode(loaded.version.bytes.as_deref().unwrap_or_default());
    let page = parse(&text, types);
    let title = page.title.unwrap_or_else(|| path::page_name(&entry.path).to_owned());
    keys(&entry.path, &title, &page.aliases)
}

fn told(group: &Group, memory: &Memory, entries: &[&Entry], counts: &Counts, currency: &Currency) -> Merge {
    let mut kept = entries[group.kept].clone();
    kept.fields = memory.fields.clone();
    let replaced = group.replaced.iter();
    Merge {
        kept: MemoryFields::of(&kept, counts, currency),
        replaced: replaced.map(|(at, cosine)| SimilarMemory::of(entries[*at], Some(*cosine))).collect(),
    }
}

/// Shows which memories were merged, and why others were not compared.
pub fn show(output: &Output, page: &mut dyn Page) {
    output.written.show_unwritten("", page);
    for Merge { kept, replaced } in &output.merged {
        page.line(&[Span::said(&message!(
            "{path} replaces {memories}",
            path = Span::Path(&kept.filepath),
            memories = counted(replaced.len(), "memory", "memories")
        ))]);
        for gone in replaced {
            let likeness = format!("{:.4}  ", gone.similarity.unwrap_or_default());
            let topic = format!(": {}", gone.topic);
            page.aside(&[Span::Text(&likeness), Span::Path(&gone.filepath), Span::Text(&topic)]);
        }
        page.aside(&[Span::said(&kept.standing())]);
    }
    for file in &output.written.changed {
        if let Some(trash) = &file.trash {
            let trash = format!(".ubp/trash/{trash}");
            page.aside(&[Span::said(&message!(
                "{path} is in {trash}",
                path = Span::Path(&file.filepath),
                trash = Span::Code(&trash)
            ))]);
        }
    }
    for found in &output.contradictory {
        let (older, newer) = (Span::Path(&found.older), Span::Path(&found.newer));
        page.warn(&[Span::said(&message!(
            "{older} and {newer} contradict each other: not merged",
            older,
            newer
        ))]);
    }
    show_skipped(&output.skipped, page);
    if let Some(reason) = &output.without_vectors {
        page.warn(&[Span::said(&message!("only memories with equal text were merged: {reason}", reason))]);
    } else if output.uncompared_count > 0 {
        let count = counted(output.uncompared_count, "memory is", "memories are");
        page.warn(&[Span::said(&message!(
            "{count} in a script that the model does not support: merged only if the text is equal",
            count
        ))]);
        let model = page.voice().run("model");
        page.hint(&[Span::said(&message!("{model} lists models that support more scripts", model))]);
    }
    let count = counted(output.memory_count, "memory", "memories");
    page.note(&[Span::said(&match output.merged.is_empty() {
        true => message!("{count}; no duplicates", count),
        false => count,
    })]);
    output.written.show_end("", page);
}
