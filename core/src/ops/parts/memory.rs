//! What answers contain about a memory, shared by all memory operations.

use std::collections::BTreeSet;

use crate::message::Message;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use crate::memory::{
    Contradiction, Counts, Currency, Difference, Entry, Memory, MemoryType, Sameness, Skipped,
};
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
    /// How often it was recalled on this machine.
    pub recall_count: u64,
    /// Whether it still holds: no other memory replaces it, and `valid_until` has not passed.
    pub current: bool,
    /// The last day, or the time, until which it holds; absent if for ever.
    pub valid_until: Option<String>,
    /// Pages of the memories that it replaces.
    pub supersedes: Vec<String>,
    /// Pages of the memories that replace it.
    pub superseded_by: Vec<String>,
    /// Pages of the memories that may be true instead of it.
    pub conflicts_with: Vec<String>,
    /// Where it comes from, if known.
    pub source: Option<String>,
    /// Its page, relative to the pages folder.
    pub filepath: String,
}

impl MemoryFields {
    pub(crate) fn of(entry: &Entry, counts: &Counts, currency: &Currency) -> Self {
        let count = counts.of(entry.ids());
        let standing = currency.standing(&entry.path);
        let paths = |paths: &BTreeSet<String>| paths.iter().cloned().collect();
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
            recall_count: count.recalls,
            current: standing.is_current(),
            valid_until: fields.valid_until.clone(),
            supersedes: paths(&standing.supersedes),
            superseded_by: paths(&standing.superseded_by),
            conflicts_with: paths(&standing.conflicts_with),
            source: fields.source.clone(),
            filepath: entry.path.clone(),
        }
    }

    /// The day on which it was first remembered.
    pub(crate) fn day(&self) -> String {
        day(self.created_at)
    }

    /// Why it no longer holds, in a word; empty if it does.
    pub(crate) fn not_current(&self) -> Message {
        match (self.current, self.superseded_by.is_empty()) {
            (true, _) => Message::verbatim(""),
            (false, true) => message!("expired"),
            (false, false) => message!("replaced"),
        }
    }

    /// What other memories and time say about it, a sentence each.
    pub(crate) fn show_currency(&self, page: &mut dyn Page) {
        let mut say = |message: &Message| page.detail(&[Span::alarm(message)]);
        for path in &self.superseded_by {
            say(&message!("replaced by {path}", path = Span::Path(path)));
        }
        match &self.valid_until {
            Some(end) if !self.current && self.superseded_by.is_empty() => {
                say(&message!("expired: valid until {end}", end))
            }
            Some(end) if self.superseded_by.is_empty() => {
                page.detail(&[Span::faint(&message!("valid until {end}", end))])
            }
            _ => {}
        }
        for path in &self.supersedes {
            page.detail(&[Span::faint(&message!("replaces {path}", path = Span::Path(path)))]);
        }
        for path in &self.conflicts_with {
            page.detail(&[Span::alarm(&message!("conflicts with {path}", path = Span::Path(path)))]);
        }
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
    pub(crate) fn of(fields: MemoryFields, memory: Memory, score: f64) -> Self {
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
    /// Share of pairs with this similarity that say the same, 0 to 1; absent for equal texts, which are no estimate, and
    /// where it was not measured.
    pub confidence: Option<f64>,
}

impl SimilarMemory {
    pub(crate) fn of(entry: &Entry, similarity: Option<f32>, sameness: &Sameness) -> Self {
        Self {
            id: entry.id.clone(),
            memory_type: entry.fields.memory_type,
            topic: entry.fields.topic.clone(),
            filepath: entry.path.clone(),
            similarity: similarity.map(|cosine| crate::search::rounded(f64::from(cosine))),
            confidence: sameness.confidence(similarity),
        }
    }
}

/// A sentence of a memory, and one that contradicts it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Contradicted {
    /// The page of the memory with the first sentence, relative to the pages folder.
    pub filepath: String,
    /// Its topic.
    pub topic: String,
    /// When it was first remembered, in seconds since 1970.
    pub created_at: i64,
    /// By what the two sentences differ.
    pub difference: Difference,
    /// The sentence of this memory.
    pub held: String,
    /// The sentence that contradicts it.
    pub given: String,
}

impl Contradicted {
    pub(crate) fn of(entry: &Entry, found: Contradiction) -> Self {
        let Contradiction { difference, held, given } = found;
        let (filepath, topic) = (entry.path.clone(), entry.fields.topic.clone());
        Self { filepath, topic, created_at: entry.created_at, difference, held, given }
    }
}

/// Two memories that contradict each other.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Dispute {
    /// The page of the older memory, relative to the pages folder.
    pub older: String,
    /// Its topic.
    pub older_topic: String,
    /// The page of the newer memory.
    pub newer: String,
    /// Its topic.
    pub newer_topic: String,
    /// By what two of their sentences differ; absent if only the front matter of one says that they conflict.
    pub difference: Option<Difference>,
    /// The sentence of the older one.
    pub held: Option<String>,
    /// The sentence of the newer one.
    pub given: Option<String>,
}

impl Dispute {
    pub(crate) fn of(older: &Entry, newer: &Entry, found: Option<Contradiction>) -> Self {
        let (difference, held, given) = match found {
            Some(Contradiction { difference, held, given }) => (Some(difference), Some(held), Some(given)),
            None => (None, None, None),
        };
        Self {
            older: older.path.clone(),
            older_topic: older.fields.topic.clone(),
            newer: newer.path.clone(),
            newer_topic: newer.fields.topic.clone(),
            difference,
            held,
            given,
        }
    }

    /// Shows both memories, and their sentences.
    pub(crate) fn show(&self, page: &mut dyn Page) {
        page.line(&[Span::Path(&self.older), Span::Text(" ≠ "), Span::Path(&self.newer)]);
        for sentence in [&self.held, &self.given].into_iter().flatten() {
            page.detail(&[Span::Text(sentence)]);
        }
    }
}

/// The day of a time in seconds since 1970.
pub(crate) fn day(seconds: i64) -> String {
    let time = Timestamp::from_second(seconds).unwrap_or(Timestamp::UNIX_EPOCH);
    time.strftime("%Y-%m-%d").to_string()
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
