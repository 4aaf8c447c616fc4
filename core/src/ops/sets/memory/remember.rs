//! Saves a memory: as a new page, or as new text of the memory with the same topic.

use crate::message::{Message, Value};
use std::io::ErrorKind;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use uuid::{Builder, Uuid};

use crate::hint::Next;
use crate::memory::{
    Catalog, Currency, Entry, FOLDER, Fields, Given, Meaning, Memory, MemoryType, Place, Sameness,
    Statements, bare_name, edited, is_known_by, link_to, look_for, meaning, new_page, read, referenced,
};
use crate::message;
use crate::ops::memory::{Contradicted, SimilarMemory, day};
use crate::ops::page::IndexState;
use crate::ops::search::Prepared;
use crate::ops::written::{show_index_error, show_proposal, show_undo};
use crate::ops::{Facts, Tool};
use crate::ports::Clock;
use crate::search::{Filter, SearchMode, rank};
use crate::show::{Page, Span};
use crate::text::fold_key;
use crate::writing::{Change, Plan, Version, Written, carry_out};
use crate::{Caller, Context, Error, Result};

/// Facts about this operation.
pub const FACTS: Facts = Facts::writing(
    "Remember something for later, as a page that people can read; a memory with the same \
     topic is updated.",
)
.tool(Tool::Set("memory"))
.command("memory remember")
.arguments(&["topic", "content"]);

/// Maximum number of contradictions in an answer.
const CONTRADICTIONS: usize = 5;

/// Memories with the same words that are compared with a new one.
const NEIGHBOURS: usize = 8;

/// Words of a new memory by which those are found.
const WORDS: usize = 24;

/// Attempts to write a memory that another program changes meanwhile without the lock.
const ATTEMPTS: usize = 3;

/// The memory to save.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// tech: technology in general. project-tech: how this project uses it. domain: the subject of the project.
    #[serde(rename = "type")]
    pub memory_type: MemoryType,
    /// Its topic, on one line; type and topic identify the memory.
    pub topic: String,
    /// What to remember, in Markdown. Replaces the memory's previous text.
    pub content: String,
    /// Tags to find it by (default: unchanged).
    pub tags: Option<Vec<String>>,
    /// Code or other examples (default: unchanged).
    pub examples: Option<Vec<String>>,
    /// Where this comes from (default: unchanged).
    pub source: Option<String>,
    /// Memories that it replaces: topics, ids or paths.
    #[serde(default)]
    pub supersedes: Vec<String>,
    /// Memories that contradict it although both may be true.
    #[serde(default)]
    pub conflicts_with: Vec<String>,
    /// Last day (2026-01-31) or time at which it is true (default: unchanged; empty: for ever).
    pub valid_until: Option<String>,
    /// Save it although it may contain a secret. Only for people; ignored for agents.
    #[serde(default)]
    pub force: bool,
}

/// What happened to the memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// It was created.
    Created,
    /// The memory with this topic was updated.
    Updated,
    /// It was known already: nothing changed.
    Known,
}

/// The saved memory.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Output {
    /// Its id.
    pub memory_id: String,
    /// Whether it was created, updated or known.
    pub action: Action,
    /// When it was first remembered, in seconds since 1970.
    pub created_at: i64,
    /// Pages of the memories that replace it: what it says no longer holds.
    pub superseded_by: Vec<String>,
    /// Sentences of memories that it contradicts, as far as words tell; at most five. If `filepath` is that of this
    /// memory, the sentence was in its previous text.
    pub contradictions: Vec<Contradicted>,
    /// Number of similar memories.
    pub similar_count: usize,
    /// The most similar ones, at most five.
    pub similar: Vec<SimilarMemory>,
    /// What kind of knowledge it is.
    #[serde(rename = "type")]
    pub memory_type: MemoryType,
    /// Its topic as first written.
    pub topic: String,
    /// Its page, relative to the pages folder.
    pub filepath: String,
    /// Id of the change in the audit log, which contains the previous text; `ubp undo` restores it. Absent when
    /// nothing changed.
    pub audit_id: Option<String>,
    /// Id of the proposal, if the memory was only proposed.
    pub proposal: Option<String>,
    /// Why the index was not updated although the memory was written.
    pub index_error: Option<Message>,
    /// Whether the index is up to date.
    pub index: IndexState,
}

/// Saves the memory.
///
/// # Errors
/// [`Error::InvalidParams`] for a memory that is invalid or may contain a secret; [`Error::FrontMatter`] for a page
/// that must be corrected first; [`Error::ReadOnly`], [`Error::Conflict`], [`Error::Io`]. On error, nothing is
/// saved.
pub fn run(context: &Context<'_>, params: Params) -> Result<Output> {
    let Params {
        memory_type,
        topic,
        content,
        tags,
        examples,
        source,
        supersedes,
        conflicts_with,
        valid_until,
        force,
    } = params;
    let given = Given::new(&topic, &content, tags, examples, source.as_deref())?;
    let given = given.standing(supersedes, conflicts_with, valid_until.as_deref())?;
    if !force || context.caller == Caller::Agent {
        refuse_secrets(&given, context.caller)?;
    }
    // Before taking the lock: others must not wait for the model.
    let meaning = meaning(context, &given.topic, &given.content)?;
    let asked = Asked { memory_type, given, meaning };
    // A shared index includes everything that others wrote under the lock; the rest was up to date a moment ago.
    let mut is_current = context.refreshed && context.index.index().is_shared();
    let mut attempt = 1;
    let (kept, near) = loop {
        match keep(context, &asked, is_current) {
            Ok(Some(kept)) => break kept,
            Ok(None) => {}
            Err(Error::Conflict { .. }) if attempt < ATTEMPTS => attempt += 1,
            Err(error) if is_current && is_missing(&error) => {}
            Err(error) => return Err(error),
        }
        is_current = false;
    };
    Ok(Output {
        memory_id: kept.id,
        action: kept.action,
        created_at: kept.created_at,
        superseded_by: kept.superseded_by,
        contradictions: near.contradictions,
        similar_count: near.similar_count,
        similar: near.similar,
        memory_type: asked.memory_type,
        topic: kept.topic,
        filepath: kept.path,
        audit_id: kept.audit_id,
        proposal: kept.proposal,
        index_error: kept.index_error,
        index: context.index_state()?,
    })
}

fn is_missing(error: &Error) -> bool {
    matches!(error, Error::Io { source, .. } if source.kind() == ErrorKind::NotFound)
}

fn refuse_secrets(given: &Given, caller: Caller) -> Result<()> {
    let tags = given.tags.clone().unwrap_or_default().join("\n");
    let examples = given.examples.iter().flatten().enumerate();
    let texts =
        [(Place::Topic, given.topic.as_str()), (Place::Content, &given.content), (Place::Tags, &tags)];
    let texts = texts.into_iter().chain(given.source.as_deref().map(|source| (Place::Source, source)));
    let texts = texts.chain(examples.map(|(at, example)| (Place::Example(at + 1), example.as_str())));
    let found = look_for(texts);
    let (Some(first), more) = (found.first(), found.len().saturating_sub(1)) else { return Ok(()) };
    let (line, place, kind) = (first.line, first.place.to_string(), Message::word(first.kind));
    let message = match more {
        0 => message!(
            "line {line} of {place} looks like {kind}: pages are shared, so nothing was written",
            line,
            place,
            kind
        ),
        more => message!(
            "line {line} of {place} looks like {kind} (and {more} more): pages are shared, so nothing was written",
            line,
            place,
            kind,
            more
        ),
    };
    let force = match caller {
        Caller::Person => Value::Ask(Next::call("remember").with("force", true)),
        Caller::Agent => Value::Run("memory remember --force".into()),
    };
    let hint =
        message!("leave it out and say where it is kept; if it is not a secret, {force} saves it", force);
    Err(Error::invalid_with_hint(message, hint))
}

/// What to remember.
struct Asked {
    memory_type: MemoryType,
    given: Given,
    meaning: Option<Meaning>,
}

/// The memory as it is on disk.
struct Kept {
    id: String,
    topic: String,
    path: String,
    action: Action,
    created_at: i64,
    superseded_by: Vec<String>,
    audit_id: Option<String>,
    proposal: Option<String>,
    index_error: Option<Message>,
}

impl Kept {
    fn of(entry: &Entry, action: Action, currency: &Currency) -> Self {
        Self {
            id: entry.id.clone(),
            topic: entry.fields.topic.clone(),
            path: entry.path.clone(),
            action,
            created_at: entry.created_at,
            superseded_by: currency.standing(&entry.path).superseded_by.iter().cloned().collect(),
            audit_id: None,
            proposal: None,
            index_error: None,
        }
    }
}

/// What other memories say about the same.
#[derive(Default)]
struct Near {
    similar_count: usize,
    similar: Vec<SimilarMemory>,
    contradictions: Vec<Contradicted>,
}

/// Reads and writes under the lock, so if several processes remember the same topic, only one creates the page.
/// `None` if the index was expected to be up to date and is not.
fn keep(context: &Context<'_>, asked: &Asked, is_current: bool) -> Result<Option<(Kept, Near)>> {
    let Asked { memory_type, given, meaning } = asked;
    let held = context.source.lock()?;
    if !is_current {
        context.refresh(false)?;
    }
    let catalog = context.index.read(Catalog::read)?;
    let now = context.clock.now();
    let currency = Currency::of(&catalog, now);
    let own = catalog.about(*memory_type, &given.topic);
    let (supersedes, conflicts) = named(&catalog, given, own)?;
    if let Some(other) =
        supersedes.iter().find(|other| own.is_some_and(|own| currency.replaces(&other.path, &own.path)))
    {
        let (path, own) = (&other.path, own.map_or("", |own| own.path.as_str()));
        return Err(Error::invalid_with_hint(
            message!("{path} already replaces {own}: two memories cannot replace each other", path, own),
            message!("remove `supersedes` from {path} first", path),
        ));
    }
    let mut near = Near::default();
    let (kept, change) = match own {
        Some(entry) => {
            let (version, text, old) = load(context, entry)?;
            let new = updated(&old, given, &supersedes, &conflicts);
            if new == old {
                // A failure to count its use does not matter.
                let _ = referenced(context.source, &entry.id, now.as_second());
                return Ok(Some((Kept::of(entry, Action::Known, &currency), near)));
            }
            if !supersedes.iter().any(|other| other.path == entry.path) {
                let was = Statements::of(&given.topic, &old.content);
                let found = was.against(&Statements::of(&given.topic, &given.content), CONTRADICTIONS);
                near.contradictions.extend(found.into_iter().map(|found| Contradicted::of(entry, found)));
            }
            let page = edited(&entry.path, &text, &old, &new, now)?;
            (Kept::of(entry, Action::Updated, &currency), Change::edit(version, page.into_bytes()))
        }
        None => {
            if let Some(found) = catalog.broken(&given.topic) {
                return Err(mend(&found.filepath, found.line, found.reason.clone()));
            }
            let (path, is_behind) = catalog.free_path(context.source, *memory_type, &given.topic)?;
            if is_current && is_behind {
                return Ok(None);
            }
            let new = created(*memory_type, given, &supersedes, &conflicts);
            let id = new_id(context.clock).to_string();
            let page = new_page(&new, &id, now)?;
            let kept = Kept {
                id,
                topic: given.topic.clone(),
                path: path.clone(),
                action: Action::Created,
                created_at: now.as_second(),
                superseded_by: Vec::new(),
                audit_id: None,
                proposal: None,
                index_error: None,
            };
            (kept, Change::create(Version::new(path, page.into_bytes())))
        }
    };
    let settled: Vec<&str> = supersedes.iter().chain(&conflicts).map(|other| other.path.as_str()).collect();
    let neighbours = neighbours(context, &catalog, &kept.path, given, meaning.as_ref(), &mut near)?;
    let said = Statements::of(&given.topic, &given.content);
    for entry in neighbours {
        let standing = currency.standing(&entry.path);
        let is_settled = settled.contains(&entry.path.as_str())
            || !standing.is_current()
            || [&standing.conflicts_with, &standing.supersedes]
                .iter()
                .any(|paths| paths.contains(&kept.path));
        let is_new = kept.action == Action::Created;
        if is_settled || (!is_new && near.contradictions.len() >= CONTRADICTIONS) {
            continue;
        }
        // A neighbour that cannot be read is nobody's contradiction.
        let Ok((_, _, other)) = load(context, entry) else { continue };
        if is_new
            && given.adds_nothing()
            && entry.fields.memory_type == *memory_type
            && is_known_by(given, &other)
        {
            let _ = referenced(context.source, &entry.id, now.as_second());
            return Ok(Some((Kept::of(entry, Action::Known, &currency), Near::default())));
        }
        let found = Statements::of(&other.fields.topic, &other.content).against(&said, 1);
        near.contradictions.extend(found.into_iter().map(|found| Contradicted::of(entry, found)));
    }
    near.contradictions.truncate(CONTRADICTIONS);
    let written = carry_out(context, Plan::new("remember", vec![change]), false)?;
    if kept.action == Action::Updated && written.proposal.is_none() {
        // The memory is saved; a failure to count its use does not matter.
        let _ = referenced(context.source, &kept.id, now.as_second());
    }
    drop(held);
    let Written { audit_id, proposal, index_error, .. } = written;
    Ok(Some((Kept { audit_id, proposal, index_error, ..kept }, near)))
}

/// The memories that `supersedes` and `conflicts_with` name, without the memory itself.
fn named<'c>(
    catalog: &'c Catalog,
    given: &Given,
    own: Option<&Entry>,
) -> Result<(Vec<&'c Entry>, Vec<&'c Entry>)> {
    let all = |names: &[String]| -> Result<Vec<&'c Entry>> {
        names.iter().map(|name| catalog.named(bare_name(name), None)).collect()
    };
    let conflicts = all(&given.conflicts_with)?;
    if let Some(own) = own.filter(|own| conflicts.iter().any(|other| other.path == own.path)) {
        return Err(Error::invalid_with_hint(
            message!("{path} cannot conflict with itself: it has this topic", path = &own.path),
            message!("to keep both, remember this one with another topic"),
        ));
    }
    Ok((all(&given.supersedes)?, conflicts))
}

/// The page of a memory, its text and its content.
fn load(context: &Context<'_>, entry: &Entry) -> Result<(Version, String, Memory)> {
    let version = Version::read(context.source, &entry.path)?;
    let text = version.bytes.clone().and_then(|bytes| String::from_utf8(bytes).ok());
    let text = text.ok_or_else(|| mend(&entry.path, 1, message!("the page is not UTF-8")))?;
    match read(&text) {
        Some(Ok(memory)) => Ok((version, text, memory)),
        Some(Err((line, reason))) => Err(mend(&entry.path, line, reason)),
        None => Err(mend(&entry.path, 1, message!("the page is not a memory"))),
    }
}

/// Memories that may say the same or the opposite: similar ones, which are also reported, and those that share words.
fn neighbours<'c>(
    context: &Context<'_>,
    catalog: &'c Catalog,
    path: &str,
    given: &Given,
    meaning: Option<&Meaning>,
    near: &mut Near,
) -> Result<Vec<&'c Entry>> {
    let (similar_count, similar) = catalog.similar(context, path, &given.topic, meaning)?;
    let mut found: Vec<&Entry> = similar.iter().map(|one| one.entry).collect();
    near.similar_count = similar_count;
    let sameness = Sameness::of(context);
    let told = similar.into_iter().map(|one| SimilarMemory::of(one.entry, one.similarity, &sameness));
    near.similar = told.collect();
    let statements = Statements::of(&given.topic, &given.content);
    let mut words: Vec<&str> = Vec::new();
    for word in statements.words() {
        if words.len() < WORDS && !words.contains(&word) {
            words.push(word);
        }
    }
    if words.is_empty() {
        return Ok(found);
    }
    let prepared = Prepared::by_words(context, &words.join(" "))?;
    let filter = Filter { folder: Some(FOLDER.to_owned()), ..Filter::default() };
    let request = prepared.request(SearchMode::Fulltext, 1.0, 0, &[], &filter);
    let hits = context.index.read(|db| rank(db, &request))?;
    for hit in hits.into_iter().take(NEIGHBOURS) {
        let entry = catalog.entries.iter().find(|entry| entry.page == hit.page && entry.path != path);
        found.extend(entry.filter(|entry| !found.iter().any(|one| one.path == entry.path)));
    }
    Ok(found)
}

fn mend(path: &str, line: usize, reason: Message) -> Error {
    Error::FrontMatter { path: path.to_owned(), message: message!("line {line}: {reason}", line, reason) }
}

fn links(others: &[&Entry]) -> Vec<String> {
    others.iter().map(|other| link_to(other)).collect()
}

fn created(memory_type: MemoryType, given: &Given, supersedes: &[&Entry], conflicts: &[&Entry]) -> Memory {
    Memory {
        fields: Fields {
            memory_type,
            topic: given.topic.clone(),
            aliases: Vec::new(),
            tags: given.tags.clone().unwrap_or_default(),
            confidence: 1.0,
            created_at: None,
            supersedes: links(supersedes),
            conflicts_with: links(conflicts),
            valid_until: given.valid_until.clone().filter(|end| !end.is_empty()),
            source: given.source.clone(),
            merged: Vec::new(),
            examples: None,
        },
        content: given.content.clone(),
        examples: given.examples.clone().unwrap_or_default(),
    }
}

fn updated(old: &Memory, given: &Given, supersedes: &[&Entry], conflicts: &[&Entry]) -> Memory {
    let mut new = old.clone();
    new.content.clone_from(&given.content);
    if let Some(tags) = &given.tags {
        new.fields.tags.clone_from(tags);
    }
    if let Some(examples) = &given.examples {
        new.examples.clone_from(examples);
    }
    if given.source.is_some() {
        new.fields.source.clone_from(&given.source);
    }
    if let Some(end) = &given.valid_until {
        new.fields.valid_until = Some(end.clone()).filter(|end| !end.is_empty());
    }
    let is_other = |entry: &&&Entry| fold_key(&entry.fields.topic) != fold_key(&old.fields.topic);
    let replaced: Vec<&Entry> = supersedes.iter().filter(is_other).copied().collect();
    let fields = &mut new.fields;
    // A conflict is over once one of the two replaces the other.
    fields.conflicts_with.retain(|name| !replaced.iter().any(|other| other.is_named(name)));
    for (list, others) in
        [(&mut fields.supersedes, replaced.as_slice()), (&mut fields.conflicts_with, conflicts)]
    {
        for other in others {
            if !list.iter().any(|name| other.is_named(name)) {
                list.push(link_to(other));
            }
        }
    }
    new
}

/// A UUID v4, as used for ids of memories, from the clock's random bits.
fn new_id(clock: &dyn Clock) -> Uuid {
    let mut hash = Sha256::new();
    // One id from the clock has only 74 random bits.
    hash.update(clock.new_id().as_bytes());
    hash.update(clock.new_id().as_bytes());
    let digest = hash.finalize();
    let mut bytes = [0; 16];
    bytes.iter_mut().zip(digest).for_each(|(byte, random)| *byte = random);
    Builder::from_random_bytes(bytes).into_uuid()
}

/// Shows the page of the memory, what it contradicts, and similar memories.
pub fn show(output: &Output, page: &mut dyn Page) {
    let path = Span::Path(&output.filepath);
    match output.action {
        Action::Known => {
            page.line(&[Span::said(&message!(
                "Known since {day}, at {path}; nothing changed",
                day = day(output.created_at),
                path
            ))]);
        }
        Action::Created | Action::Updated if output.proposal.is_some() => {
            page.line(&[Span::said(&message!("To be remembered: {path}", path))]);
            show_proposal(output.proposal.as_deref(), page);
        }
        Action::Created => {
            page.line(&[Span::said(&message!("Remembered {path}", path))]);
            page.handle("audit_id", output.audit_id.as_deref().unwrap_or_default());
        }
        Action::Updated => {
            page.line(&[Span::said(&message!("Updated {path}", path))]);
            show_undo(output.audit_id.as_deref(), page);
        }
    }
    show_index_error(output.index_error.as_ref(), page);
    for path in &output.superseded_by {
        page.warn(&[Span::said(&message!(
            "it no longer holds: {path} replaces it",
            path = Span::Path(path)
        ))]);
    }
    for found in &output.contradictions {
        show_contradiction(output, found, page);
    }
    let is_told = |path: &str| output.contradictions.iter().any(|found| found.filepath == path);
    for similar in output.similar.iter().filter(|similar| !is_told(&similar.filepath)) {
        page.note(&[Span::said(&message!(
            "{path} is similar: {topic}",
            path = Span::Path(&similar.filepath),
            topic = similar.topic
        ))]);
    }
}

/// Shows a sentence that contradicts the memory, and what can be done about it.
fn show_contradiction(output: &Output, found: &Contradicted, page: &mut dyn Page) {
    let (path, since) = (Span::Path(&found.filepath), day(found.created_at));
    let (held, given) = (&found.held, &found.given);
    if found.filepath == output.filepath {
        let message = message!("it contradicts what it said before: “{held}”, now “{given}”", held, given);
        page.warn(&[Span::said(&message)]);
        return;
    }
    page.warn(&[Span::said(&message!(
        "it contradicts {path}, known since {since}: “{held}”, now “{given}”",
        path,
        since,
        held,
        given
    ))]);
    let again = |parameter: &str| {
        Next::call("remember")
            .with("type", output.memory_type.as_str())
            .with("topic", output.topic.as_str())
            .with("content", "TEXT")
            .with(parameter, vec![found.filepath.as_str()])
    };
    let replaced = page.voice().ask(&again("supersedes"));
    let both = page.voice().ask(&again("conflicts_with"));
    page.hint(&[Span::said(&message!(
        "remember it again: with {replaced} if it replaces the other, with {both} if both may be true",
        replaced,
        both
    ))]);
}
