//! Moves a memory to the trash, from which it can be restored.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::memory::{Catalog, Counts, Currency, MemoryType};
use crate::message;
use crate::ops::Facts;
use crate::ops::delete_page::{self, LostLink};
use crate::ops::memory::MemoryFields;
use crate::ops::page::readings;
use crate::ops::written::WriteReport;
use crate::show::{Page, Span};
use crate::{Caller, Context};
use crate::{Error, Result};

/// Facts about this operation.
pub const FACTS: Facts =
    Facts::destroying("Forget a memory: its page moves to the trash, and can be restored.")
        .command("memory forget");

/// The memory to forget.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// The memory: its id, topic or path.
    pub memory: String,
    /// Its type, if memories of several types have this topic.
    #[serde(rename = "type")]
    pub memory_type: Option<MemoryType>,
    /// Only show what would change.
    #[serde(default)]
    pub dry_run: bool,
}

/// The forgotten memory.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Output {
    /// The memory before it was moved.
    #[serde(flatten)]
    pub memory: MemoryFields,
    /// The path of its page in `.ubp/trash/`; absent for a dry run.
    pub trash: Option<String>,
    /// Links to it.
    pub links: Vec<LostLink>,
    /// The write report.
    #[serde(flatten)]
    pub written: WriteReport,
}

/// Forgets the memory.
///
/// # Errors
/// [`Error::PageNotFound`], [`Error::AmbiguousPage`], [`Error::InvalidParams`] for an agent, [`Error::Conflict`],
/// [`Error::Io`]. On error, nothing is changed.
pub fn run(context: &Context<'_>, params: Params) -> Result<Output> {
    if context.caller == Caller::Agent {
        return Err(Error::invalid(message!(
            "only people can forget memories; tell the person which memory to forget, and why"
        )));
    }
    let held = if params.dry_run { None } else { Some(context.source.lock()?) };
    context.refresh(false)?;
    let counts = Counts::read(context.source);
    let catalog = context.index.read(Catalog::read)?;
    let named = |name: &str| catalog.named(name, params.memory_type);
    let entry = named(&params.memory).or_else(|error| {
        let readings = readings(context.pages_dir(), params.memory.trim());
        readings.iter().find_map(|path| named(path).ok()).ok_or(error)
    })?;
    let currency = Currency::of(&catalog, context.clock.now());
    let memory = MemoryFields::of(entry, &counts, &currency);
    let page = delete_page::Params {
        page: entry.path.clone(),
        confirm: true,
        dry_run: params.dry_run,
        ..delete_page::Params::default()
    };
    let deleted = delete_page::run(context, page)?;
    drop(held);
    Ok(Output { memory, trash: deleted.trash, links: deleted.links, written: deleted.written })
}

/// Shows the path of the page in the trash, and the links that broke.
pub fn show(output: &Output, page: &mut dyn Page) {
    output.written.show_unwritten("", page);
    if let Some(trash) = &output.trash {
        let trash = format!(".ubp/trash/{trash}");
        page.line(&[Span::said(&message!(
            "Forgot {path}; it is in {trash}",
            path = Span::Path(&output.memory.filepath),
            trash = Span::Code(&trash)
        ))]);
    }
    for link in &output.links {
        page.warn(&[Span::said(&message!(
            "{place}: the link to '{target}' breaks",
            place = Span::Place(&link.filepath, link.line),
            target = link.target
        ))]);
    }
    output.written.show_end("", page);
}
