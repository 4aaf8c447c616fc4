//! Memories similar to one that is being written, so that its author sees what is known already; and how similar
//! two memories are.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use rusqlite::Connection;

use super::merge::without_repeating;
use super::{Catalog, Entry, Given, Memory, Statements};
use crate::Context;
use crate::Result;
use crate::embed::{chunks, passage};
use crate::index::{VectorMatrix, pending};
use crate::message;
use crate::message::Message;
use crate::ports::TextKind;
use crate::query::page_vectors;
use crate::show::counted;
use crate::text::fold_key;

/// Memories with at least this cosine similarity are reported.
pub(crate) const CLOSE: f32 = 0.75;

/// Memories whose topics are spelled at least this similarly are reported, 0 to 1.
const SPELLED_ALIKE: f64 = 0.92;

/// Maximum number of memories that are reported.
const MOST: usize = 5;

/// Number of characters of a text that are compared. What a memory is about is at its beginning, and comparing
/// the rest would take time.
const COMPARED: usize = 200;

/// A memory similar to another.
#[derive(Debug, Clone)]
pub(crate) struct Similar<'c> {
    pub entry: &'c Entry,
    /// Cosine similarity of its closest section; `None` if only its topic is similar.
    pub similarity: Option<f32>,
}

/// The vector of a memory that is about to be written, and the vectors to compare it with.
pub(crate) struct Meaning {
    vector: Vec<f32>,
    others: Arc<VectorMatrix>,
}

/// The meaning of a memory that is about to be written; `None` if there is no vector for it.
pub(crate) fn meaning(context: &Context<'_>, topic: &str, content: &str) -> Result<Option<Meaning>> {
    let Some(embedder) = context.embedder else { return Ok(None) };
    let end = content.char_indices().nth(COMPARED).map_or(content.len(), |(at, _)| at);
    let beginning = content.get(..end).unwrap_or(content);
    if !embedder.model().scripts.cover(beginning) {
        return Ok(None);
    }
    let others = context.index.vectors(&embedder.model().identity)?;
    if others.is_empty() {
        return Ok(None);
    }
    let headings = [topic.to_owned()];
    let first = chunks(embedder, &headings, beginning, None)?.into_iter().next();
    let piece = first.and_then(|range| beginning.get(range)).unwrap_or(beginning);
    let text = passage(embedder, &headings, piece)?;
    let vector = embedder.embed(TextKind::Passage, &[text.as_str()])?.pop();
    Ok(vector.map(|vector| Meaning { vector, others }))
}

impl Catalog {
    /// Memories similar to the one about `topic` at `path`, most similar first, and how many there are.
    pub(crate) fn similar(
        &self,
        context: &Context<'_>,
        path: &str,
        topic: &str,
        meaning: Option<&Meaning>,
    ) -> Result<(usize, Vec<Similar<'_>>)> {
        let others: HashMap<i64, &Entry> =
            self.entries.iter().filter(|entry| entry.path != path).map(|entry| (entry.page, entry)).collect();
        let mut found: HashMap<i64, Option<f32>> = HashMap::new();
        if let Some(Meaning { vector, others: matrix }) = meaning {
            let limit = self.entries.len().min(200) + 1;
            let keep = |page: i64| others.contains_key(&page);
            let close = context.index.read(|db| matrix.closest(db, vector, limit, keep))?;
            for section in close.sections.iter().filter(|section| section.similarity >= CLOSE) {
                // Sections are sorted by similarity, so the first one of a page is its best.
                found.entry(section.page).or_insert(Some(section.similarity));
            }
        }
        let key = fold_key(topic);
        for (page, entry) in &others {
            if strsim::jaro_winkler(&entry.key, &key) >= SPELLED_ALIKE {
                found.entry(*page).or_insert(None);
            }
        }
        let mut similar: Vec<Similar<'_>> = found
            .into_iter()
            .filter_map(|(page, similarity)| Some(Similar { entry: *others.get(&page)?, similarity }))
            .collect();
        similar.sort_by(|a, b| {
            let (left, right) = (a.similarity.unwrap_or(0.0), b.similarity.unwrap_or(0.0));
            right.total_cmp(&left).then_with(|| a.entry.path.cmp(&b.entry.path))
        });
        let count = similar.len();
        similar.truncate(MOST);
        Ok((count, similar))
    }
}

/// A text with fewer words, not counting verbs such as "use" and function words, needs its topic to mean something:
/// "8080." is the port of one thing and the count of another.
const FEW_WORDS: usize = 3;

/// Whether `held` says all of `given` under a topic that may be the same: its topic has most words of the other, and
/// the same numbers.
pub(crate) fn is_known_by(given: &Given, held: &Memory) -> bool {
    let words =
        |text: &str| -> BTreeSet<String> { Statements::of("", text).words().map(str::to_owned).collect() };
    let (one, other) = (words(&given.topic), words(&held.fields.topic));
    let numbers = |words: &BTreeSet<String>| -> Vec<String> {
        words.iter().filter(|word| word.starts_with(char::is_numeric)).cloned().collect()
    };
    let common = one.intersection(&other).count();
    let is_same_topic = 2 * common > one.len().min(other.len()) && numbers(&one) == numbers(&other);
    let tags = given.tags.iter().flatten().map(|tag| fold_key(tag));
    let has_tags = tags.into_iter().all(|tag| held.fields.tags.iter().any(|own| fold_key(own) == tag));
    is_same_topic
        && has_tags
        && words(&given.content).len() >= FEW_WORDS
        && without_repeating(&held.content, &given.content) == held.content
}

/// Vectors of pages, or why there are none.
pub(crate) fn vectors(
    context: &Context<'_>,
    db: &Connection,
) -> Result<std::result::Result<HashMap<i64, Vec<f32>>, Message>> {
    let Some(embedder) = context.embedder else {
        return Ok(Err(message!("this machine has no embedding model")));
    };
    let model = embedder.model();
    let due = pending(db, &model.identity)?;
    if due > 0 {
        return Ok(Err(message!(
            "the vectors of {sections} are not computed yet",
            sections = counted(due, "section", "sections")
        )));
    }
    let bytes = page_vectors(db, &model.identity, model.dimensions)?;
    let numbers = |bytes: Vec<u8>| bytes.as_chunks().0.iter().map(|&four| f32::from_le_bytes(four)).collect();
    Ok(Ok(bytes.into_iter().map(|(page, bytes)| (page, numbers(bytes))).collect()))
}
