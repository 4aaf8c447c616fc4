//! Memories as documents, one for each type, for tools that read files. The host writes them.

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

/// What surfaces know of it.
pub const FACTS: Facts = Facts::reading("Put memories together as Markdown documents, one for each type.")
    .command("memory document");

/// Which documents.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// Only that of this type; all three when absent.
    #[serde(rename = "type")]
    pub memory_type: Option<MemoryType>,
}

/// The documents.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Output {
    /// In the order of types; that of a type without memories has its title alone.
    pub documents: Vec<Document>,
    /// Pages that should be memories and cannot be read as such.
    pub skipped: Vec<Skipped>,
    /// How true the index is.
    pub index: IndexState,
}

/// The memories of one type.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Document {
    /// What they are about.
    #[serde(rename = "type")]
    pub memory_type: MemoryType,
    /// The name that the file goes by.
    pub file_name: String,
    /// Memories in it.
    pub memory_count: usize,
    /// The document.
    pub text: String,
}

/// Puts the documents together.
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
                Err(error) => Some(Err((1, error.to_string()))),
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

/// Tells what is in which document.
pub fn show(output: &Output, page: &mut dyn Page) {
    for document in &output.documents {
        let count = format!(": {}", counted(document.memory_count, "memory", "memories"));
        page.line(&[Span::Code(&document.file_name), Span::Text(&count)]);
    }
    show_skipped(&output.skipped, page);
}
