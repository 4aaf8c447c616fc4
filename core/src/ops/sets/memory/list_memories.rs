//! Lists memories without their texts.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Context;
use crate::Result;
use crate::memory::{Catalog, Counts, Currency, FOLDER, MemoryType, Skipped};
use crate::ops::Facts;
use crate::ops::budget;
use crate::ops::memory::{MemoryFields, show_count, show_skipped};
use crate::ops::page::IndexState;
use crate::search::Filter;
use crate::show::{Page, Span};

/// Facts about this operation.
pub const FACTS: Facts =
    Facts::reading("List memories by type and topic, with how often they were used.").command("memory list");

/// Selects the memories.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// Only memories of this type.
    #[serde(rename = "type")]
    pub memory_type: Option<MemoryType>,
    /// Only memories with all of these tags.
    #[serde(default)]
    pub tags: Vec<String>,
    /// Maximum number of memories (default: all).
    #[schemars(range(min = 1))]
    pub limit: Option<usize>,
}

/// The memories.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Output {
    /// The memories, by type and topic.
    pub memories: Vec<MemoryFields>,
    /// Matching memories before `limit`.
    pub total_count: usize,
    /// Pages in memory folders that are not valid memories.
    pub skipped: Vec<Skipped>,
    /// Whether the index is up to date.
    pub index: IndexState,
}

/// Lists memories.
///
/// # Errors
/// [`crate::Error::InvalidParams`] for a limit out of range; [`crate::Error::Database`].
pub fn run(context: &Context<'_>, params: Params) -> Result<Output> {
    let limit = budget::ranged("limit", params.limit, usize::MAX, 1, usize::MAX)?;
    let filter = Filter { tags: params.tags, folder: Some(FOLDER.to_owned()), ..Filter::default() };
    let (catalog, allowed) = context.index.read(|db| Ok((Catalog::read(db)?, filter.allowed(db)?)))?;
    let counts = Counts::read(context.source);
    let currency = Currency::of(&catalog, context.clock.now());
    let mut entries = catalog.entries;
    entries.retain(|entry| {
        let of_type = params.memory_type.is_none_or(|one| one == entry.fields.memory_type);
        of_type && allowed.as_ref().is_none_or(|pages| pages.contains(&entry.page))
    });
    entries.sort_by(|a, b| {
        let (left, right) = (&a.fields, &b.fields);
        (left.memory_type, &left.topic, &a.path).cmp(&(right.memory_type, &right.topic, &b.path))
    });
    let total_count = entries.len();
    let memories =
        entries.iter().take(limit).map(|entry| MemoryFields::of(entry, &counts, &currency)).collect();
    Ok(Output { memories, total_count, skipped: catalog.skipped, index: context.index_state()? })
}

/// Shows the memories, one per line.
pub fn show(output: &Output, page: &mut dyn Page) {
    for memory in &output.memories {
        page.line(&[
            Span::Path(&memory.filepath),
            Span::Text(": "),
            Span::Text(&memory.topic),
            Span::Faint("  "),
            Span::faint(&memory.standing()),
            Span::Text(if memory.current { "" } else { "  " }),
            Span::alarm(&memory.not_current()),
        ]);
    }
    show_skipped(&output.skipped, page);
    show_count(output.memories.len(), output.total_count, page);
}
