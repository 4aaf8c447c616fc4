//! Merges duplicate memories. Texts are merged first and pages are deleted last, and all of it is logged before it
//! starts. If it is interrupted, each memory is on a page or in the trash, and can be restored from the log.

use std::collections::{HashMap, HashSet};

use rusqlite::Connection;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::index::questions::links;
use crate::memory::{
    Catalog, Counts, Currency, Duplicates, Entry, Group, Joined, Loaded, Memory, SAME, Sameness, Skipped,
    edited, merged, vectors,
};
use crate::message;
use crate::message::Message;
use crate::ops::Facts;
use crate::ops::memory::{Dispute, MemoryFields, SimilarMemory, show_skipped};
use crate::ops::written::WriteReport;
use crate::page::{LinkTypes, decode, parse};
use crate::show::{Page, Span, counted};
use crate::writing::links::{Follower, Renaming, World, keys};
use crate::writing::{Change, Plan, Version, carry_out};
use crate::{Caller, Context};
use crate::{Error, Result, path};

/// Facts about this operation.
pub const FACTS: Facts = Facts::writing(
    "Merge duplicate memories; links are updated, and replaced memories can be \
     restored.",
)
.command("memory reindex")
.arguments(&["memories"]);

/// Parameters.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// Merge these memories, by topic, id or path, whether they are similar or not (default: all that say the same).
    #[serde(default)]
    pub memories: Vec<String>,
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
    pub without_vectors: Option<Message>,
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

/// Merges duplicate memories.
///
/// # Errors
/// [`Error::InvalidParams`] for an agent, for named memories that must stay apart, or for a link that cannot be updated;
/// [`Error::PageNotFound`], [`Error::AmbiguousPage`], [`Error::Model`], [`Error::Conflict`], [`Error::Io`],
/// [`Error::Cancelled`]. On error, nothing is changed.
pub fn run(context: &Context<'_>, params: Params) -> Result<Output> {
    if context.caller == Caller::Agent {
        return Err(Error::invalid(message!(
            "only people can merge memories; tell the person which memories to merge, and why"
        )));
    }
    if params.memories.len() == 1 {
        return Err(Error::invalid(message!("`memories` needs at least two memories")));
    }
    // The model takes time, so do this before taking the lock.
    context.refresh(false)?;
    if params.memories.is_empty() {
        context.embed(None)?;
    }
    let held = if params.dry_run { None } else { Some(context.source.lock()?) };
    context.refresh(false)?;
    if params.memories.is_empty() {
        context.embed(None)?;
    }
    let counts = Counts::read(context.source);
    let (catalog, vectors) = context.index.read(|db| Ok((Catalog::read(db)?, vectors(context, db)?)))?;
    let (vectors, without_vectors) = match vectors {
        Ok(vectors) => (vectors, None),
        // Named memories are merged whether they are similar or not.
        Err(reason) => (HashMap::new(), Some(reason).filter(|_| params.memories.is_empty())),
    };
    let currency = Currency::of(&catalog, context.clock.now());
    let joined = match params.memories.as_slice() {
        [] => Joined::Alike(SAME),
        names => Joined::Named(names),
    };
    let found = Duplicates::find(context, &catalog, &vectors, &counts, &currency, &joined)?;
    let Duplicates { entries, loaded, groups, disputes, skipped } = found;
    if groups.is_empty() && !params.memories.is_empty() {
        let names: Vec<&str> = entries.iter().map(|entry| entry.path.as_str()).collect();
        return Err(Error::invalid(message!(
            "{memories} stay apart: they contradict each other, hold at different times, or differ in type or folder",
            memories = names.join(", ")
        )));
    }
    let pages: Vec<(&Group, Memory)> =
        groups.iter().map(|group| (group, together(group, &entries, &loaded))).collect();
    let changes = context.index.read(|db| changes(context, db, &entries, &loaded, &pages))?;
    let written = carry_out(context, Plan::new("reindex_memories", changes), params.dry_run)?;
    drop(held);
    let sameness = Sameness::of(context);
    let merged = pages
        .iter()
        .map(|(group, memory)| told(group, memory, &entries, &counts, &currency, &sameness))
        .collect();
    let contradictory = disputes.into_iter().filter_map(|found| {
        Some(Dispute::of(entries.get(found.older)?, entries.get(found.newer)?, found.found))
    });
    Ok(Output {
        memory_count: entries.len(),
        uncompared_count: match joined {
            Joined::Alike(_) => entries.iter().filter(|entry| !vectors.contains_key(&entry.page)).count(),
            Joined::Named(_) => 0,
        },
        without_vectors,
        merged,
        contradictory: contradictory.collect(),
        skipped,
        written: WriteReport::of(context, written, params.dry_run),
    })
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
    let renaming = Renaming::default();
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

fn told(
    group: &Group,
    memory: &Memory,
    entries: &[&Entry],
    counts: &Counts,
    currency: &Currency,
    sameness: &Sameness,
) -> Merge {
    let mut kept = entries[group.kept].clone();
    kept.fields = memory.fields.clone();
    let replaced = group.replaced.iter();
    Merge {
        kept: MemoryFields::of(&kept, counts, currency),
        replaced: replaced.map(|(at, cosine)| SimilarMemory::of(entries[*at], *cosine, sameness)).collect(),
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
            let likeness = gone.similarity.map_or_else(String::new, |cosine| format!("{cosine:.4}  "));
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
