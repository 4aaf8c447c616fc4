//! Memories as documents, one for each type, for tools that read files. The caller writes the files.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Context;
use crate::Result;
use crate::memory::{Catalog, Counts, MemoryType, Skipped, document, read};
use crate::ops::Facts;
use crate::ops::memory::show_skipped;
use crate::ops::page::IndexState;
use crate::page::decode;
use crate::show::{Page, Span, counted};

/// Facts about this operation.
pub const FACTS: Facts =
    Facts::reading("Combine memories into Markdown documents, one for each type.").command("memory document");

/// Selects the documents.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// Only the document of this type (default: all three).
    #[serde(rename = "type")]
    pub memory_type: Option<MemoryType>,
}

/// The documents.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Output {
    /// In the order of types; the document of a type without memories contains only its title.
    pub documents: Vec<Document>,
    /// Pages in memory folders that are not valid memories.
    pub skipped: Vec<Skipped>,
    /// Whether the index is up to date.
    pub index: IndexState,
}

/// The memories of one type.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Document {
    /// The kind of knowledge.
    #[serde(rename = "type")]
    pub memory_type: MemoryType,
    /// The name of its file.
    pub file_name: String,
    /// Number of memories in it.
    pub memory_count: usize,
    /// The document's text.
    pub text: String,
}

/// Builds the documents.
///
/// # Errors
/// [`crate::Error::Database`], [`crate::Error::Cancelled`].
pub fn run(context: &Context<'_>, params: Params) -> Result<Output> {
    let catalog = context.index.read(Catalog::read)?;
    let counts = Counts::read(context.source);
    let mut skipped = catalog.skipped;
    let mut documents = Vec::new();
    for memory_type in MemoryType::ALL {
        if params.memory_type.is_some_and(|one| one != memory_type) {
            continue;
        }
        let mut memories = Vec::new();
        for entry in catalog.entries.iter().filter(|entry| entry.fields.memory_type == memory_type) {
            context.cancel.check()?;
            let found = match context.source.read(&entry.path) {
                Ok(bytes) => read(&decode(&bytes).0),
                Err(error) => Some(Err((1, error.message()))),
            };
            match found {
                Some(Ok(memory)) => memories.push((memory, counts.of(entry.ids()))),
                Some(Err((line, reason))) => {
                    skipped.push(Skipped { filepath: entry.path.clone(), line, reason });
                }
                None => {}
            }
        }
        documents.push(Document {
            memory_type,
            file_name: format!("{}.md", memory_type.as_str()),
            memory_count: memories.len(),
            text: document(memory_type, memories),
        });
    }
    Ok(Output { documents, skipped, index: context.index_state()? })
}

/// Shows the number of memories in each document.
pub fn show(output: &Output, page: &mut dyn Page) {
    for document in &output.documents {
        let count = format!(": {}", counted(document.memory_count, "memory", "memories"));
        page.line(&[Span::Code(&document.file_name), Span::Text(&count)]);
    }
    show_skipped(&output.skipped, page);
}
