//! What answers contain about a memory, shared by all memory operations.

use crate::message::Message;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use crate::memory::{Counts, Entry, Memory, MemoryType, Skipped};
use crate::message;
use crate::show::{Page, Span, counted};

/// A memory's metadata.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct MemoryFields {
    /// Its id.
    pub id: String,
    /// What kind of knowledge it is.
    #[serde(rename = "type")]
    pub memory_type: MemoryType,
    /// Its topic.
    pub topic: String,
    /// Its tags.
    pub tags: Vec<String>,
    /// How often it was remembered again.
    pub reference_count: u64,
    /// How reliable it is, 0 to 1.
    pub confidence: f64,
    /// When it was first remembered, in seconds since 1970.
    pub created_at: i64,
    /// When it was last recalled or remembered, in seconds since 1970; absent if never on this machine.
    pub last_accessed: Option<i64>,
    /// Where it comes from, if known.
    pub source: Option<String>,
    /// Its page, relative to the pages folder.
    pub filepath: String,
}

impl MemoryFields {
    pub(crate) fn of(entry: &Entry, counts: &Counts) -> Self {
        let count = counts.of(entry.ids());
        let fields = &entry.fields;
        Self {
            id: entry.id.clone(),
            memory_type: fields.memory_type,
            topic: fields.topic.clone(),
            tags: fields.tags.clone(),
            reference_count: count.references,
            confidence: fields.confidence,
            created_at: entry.created_at,
            last_accessed: count.accessed,
            source: fields.source.clone(),
            filepath: entry.path.clone(),
        }
    }

    /// The day on which it was first remembered.
    pub(crate) fn day(&self) -> String {
        let time = Timestamp::from_second(self.created_at).unwrap_or(Timestamp::UNIX_EPOCH);
        time.strftime("%Y-%m-%d").to_string()
    }

    /// How often it was used, and how reliable it is.
    pub(crate) fn standing(&self) -> Message {
        let count = usize::try_from(self.reference_count).unwrap_or(usize::MAX);
        let references = counted(count, "reference", "references");
        message!(
            "{references}, confidence {confidence}",
            references,
            confidence = format!("{:.2}", self.confidence)
        )
    }
}

/// A memory with its text.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct RecalledMemory {
    /// The memory's metadata.
    #[serde(flatten)]
    pub fields: MemoryFields,
    /// Its text.
    pub content: String,
    /// Code and other examples.
    pub examples: Vec<String>,
    /// Relevance to the query, 0 to 1.1; 0 without a query.
    pub score: f64,
}

impl RecalledMemory {
    pub(crate) fn of(entry: &Entry, counts: &Counts, memory: Memory, score: f64) -> Self {
        let fields = MemoryFields::of(entry, counts);
        Self { fields, content: memory.content, examples: memory.examples, score }
    }
}

/// A memory similar to another.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct SimilarMemory {
    /// Its id.
    pub id: String,
    /// What kind of knowledge it is.
    #[serde(rename = "type")]
    pub memory_type: MemoryType,
    /// Its topic.
    pub topic: String,
    /// Its page, relative to the pages folder.
    pub filepath: String,
    /// Cosine similarity; absent if only the topics are spelled alike.
    pub similarity: Option<f64>,
}

impl SimilarMemory {
    pub(crate) fn of(entry: &Entry, similarity: Option<f32>) -> Self {
        Self {
            id: entry.id.clone(),
            memory_type: entry.fields.memory_type,
            topic: entry.fields.topic.clone(),
            filepath: entry.path.clone(),
            similarity: similarity.map(|cosine| crate::search::rounded(f64::from(cosine))),
        }
    }
}

/// Shows the skipped pages.
pub(crate) fn show_skipped(skipped: &[Skipped], page: &mut dyn Page) {
    for Skipped { filepath, line, reason } in skipped {
        page.warn(&[Span::said(&message!(
            "{place}: {reason}; ignored",
            place = Span::Place(filepath, *line),
            reason
        ))]);
    }
}

/// Shows how many memories exist besides those shown.
pub(crate) fn show_count(shown: usize, total: usize, page: &mut dyn Page) {
    let memories = counted(shown, "memory", "memories");
    page.note(&[Span::said(&match shown < total {
        true => message!("{memories} of {total}; a higher limit shows more", memories, total),
        false => memories,
    })]);
}
