//! Saves a memory: as a new page, or as new text of the memory with the same topic.

use crate::message::{Message, Value};
use std::io::ErrorKind;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use uuid::{Builder, Uuid};

use crate::hint::Next;
use crate::memory::{
    Catalog, Fields, Given, Memory, MemoryType, Place, edited, look_for, meaning, new_page, read, referenced,
};
use crate::message;
use crate::ops::memory::SimilarMemory;
use crate::ops::page::IndexState;
use crate::ops::written::{show_index_error, show_proposal, show_undo};
use crate::ops::{Facts, Tool};
use crate::ports::Clock;
use crate::show::{Page, Span};
use crate::writing::{Change, Plan, Version, Written, carry_out};
use crate::{Caller, Context, Error, Result};

/// Facts about this operation.
pub const FACTS: Facts = Facts::writing(
    "Remember something for later, as a page that people can read; a memory with the same \
     topic is updated.",
)
.tool(Tool::Set("memory"))
.command("memory remember");

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
}

/// The saved memory.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Output {
    /// Its id.
    pub memory_id: String,
    /// Whether it was created or updated.
    pub action: Action,
    /// Number of similar memories.
    pub similar_count: usize,
    /// The most similar ones, at most five.
    pub similar: Vec<SimilarMemory>,
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
    pub index_error: Option<String>,
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
    let Params { memory_type, topic, content, tags, examples, source, force } = params;
    let given = Given::new(&topic, &content, tags, examples, source.as_deref())?;
    if !force || context.caller == Caller::Agent {
        refuse_secrets(&given, context.caller)?;
    }
    // Before taking the lock: others must not wait for the model.
    let meaning = meaning(context, &given.topic, &given.content)?;
    // A shared index includes everything that others wrote under the lock; the rest was up to date a moment ago.
    let mut is_current = context.refreshed && context.index.index().is_shared();
    let mut attempt = 1;
    let (kept, catalog) = loop {
        match keep(context, memory_type, &given, is_current) {
            Ok(Some(kept)) => break kept,
            Ok(None) => {}
            Err(Error::Conflict { .. }) if attempt < ATTEMPTS => attempt += 1,
            Err(error) if is_current && is_missing(&error) => {}
            Err(error) => return Err(error),
        }
        is_current = false;
    };
    let (similar_count, similar) = catalog.similar(context, &kept.path, &given.topic, meaning.as_ref())?;
    let similar = similar.into_iter().map(|one| SimilarMemory::of(one.entry, one.similarity)).collect();
    Ok(Output {
        memory_id: kept.id,
        action: kept.action,
        similar_count,
        similar,
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

/// The memory as it is on disk.
struct Kept {
    id: String,
    topic: String,
    path: String,
    action: Action,
    audit_id: Option<String>,
    proposal: Option<String>,
    index_error: Option<String>,
}

/// Reads and writes under the lock, so if several processes remember the same topic, only one creates the page.
/// `None` if the index was expected to be up to date and is not.
fn keep(
    context: &Context<'_>,
    memory_type: MemoryType,
    given: &Given,
    is_current: bool,
) -> Result<Option<(Kept, Catalog)>> {
    let held = context.source.lock()?;
    if !is_current {
        context.refresh(false)?;
    }
    let catalog = context.index.read(Catalog::read)?;
    let now = context.clock.now();
    let (kept, change) = match catalog.about(memory_type, &given.topic) {
        Some(entry) => {
            let version = Version::read(context.source, &entry.path)?;
            let text = version.bytes.clone().and_then(|bytes| String::from_utf8(bytes).ok());
            let text = text.ok_or_else(|| mend(&entry.path, 1, "the page is not UTF-8"))?;
            let old = match read(&text) {
                Some(Ok(memory)) => memory,
                Some(Err((line, reason))) => return Err(mend(&entry.path, line, &reason)),
                None => return Err(mend(&entry.path, 1, "the page is not a memory")),
            };
            let page = edited(&entry.path, &text, &old, &updated(&old, given), now)?;
            let kept = Kept {
                id: entry.id.clone(),
                topic: entry.fields.topic.clone(),
                path: entry.path.clone(),
                action: Action::Updated,
                audit_id: None,
                proposal: None,
                index_error: None,
            };
            (kept, Change::edit(version, page.into_bytes()))
        }
        None => {
            if let Some(found) = catalog.broken(&given.topic) {
                return Err(mend(&found.filepath, found.line, &found.reason));
            }
            let (path, is_behind) = catalog.free_path(context.source, memory_type, &given.topic)?;
            if is_current && is_behind {
                return Ok(None);
            }
            let id = new_id(context.clock).to_string();
            let page = new_page(&created(memory_type, given), &id, now)?;
            let change = Change::create(Version::new(path.clone(), page.into_bytes()));
            let topic = given.topic.clone();
            let action = Action::Created;
            (Kept { id, topic, path, action, audit_id: None, proposal: None, index_error: None }, change)
        }
    };
    let written = carry_out(context, Plan::new("remember", vec![change]), false)?;
    if kept.action == Action::Updated && written.proposal.is_none() {
        // The memory is saved; a failure to count its use does not matter.
        let _ = referenced(context.source, &kept.id, now.as_second());
    }
    drop(held);
    let Written { audit_id, proposal, index_error, .. } = written;
    Ok(Some((Kept { audit_id, proposal, index_error, ..kept }, catalog)))
}

fn mend(path: &str, line: usize, reason: &str) -> Error {
    Error::FrontMatter { path: path.to_owned(), message: message!("line {line}: {reason}", line, reason) }
}

fn created(memory_type: MemoryType, given: &Given) -> Memory {
    Memory {
        fields: Fields {
            memory_type,
            topic: given.topic.clone(),
            aliases: Vec::new(),
            tags: given.tags.clone().unwrap_or_default(),
            confidence: 1.0,
            created_at: None,
            source: given.source.clone(),
            merged: Vec::new(),
            examples: None,
        },
        content: given.content.clone(),
        examples: given.examples.clone().unwrap_or_default(),
    }
}

fn updated(old: &Memory, given: &Given) -> Memory {
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

/// Shows the page of the memory, and similar memories.
pub fn show(output: &Output, page: &mut dyn Page) {
    let path = Span::Path(&output.filepath);
    match output.action {
        Action::Created | Action::Updated if output.proposal.is_some() => {
            page.line(&[Span::Text("To be remembered: "), path]);
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
    show_index_error(output.index_error.as_deref(), page);
    for similar in &output.similar {
        page.note(&[Span::said(&message!(
            "{path} is similar: {topic}",
            path = Span::Path(&similar.filepath),
            topic = similar.topic
        ))]);
    }
}
