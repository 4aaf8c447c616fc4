//! The table of operations.

#[cfg(not(target_family = "wasm"))]
use schemars::{JsonSchema, Schema, SchemaGenerator, generate::SchemaSettings};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{
    Context, check_staleness, complete, doctor, evaluate, fulltext_search, get_context, get_graph,
    get_impact, get_page, graph_traverse, list_pages, refs, render_page, search, status, suggest_links,
};
#[cfg(not(target_family = "wasm"))]
use super::{
    accept, add, addresses, audit, create_page, delete_page, diff, dismiss, favorites, index_refresh,
    index_status, query, query_inspect, read_page, rebuild, rename_page, resolve_links, review_page,
    save_page, source_diff, undo, update_page,
};
#[cfg(not(target_family = "wasm"))]
use super::{
    delete_document, document_memories, forget, index_markdown, list_documents, list_memories, recall,
    reindex_document, reindex_memories, remember, search_documents,
};
use crate::{Error, Result};

/// What an operation does to the project.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// It only reads.
    Read,
    /// It writes the index or files, and can be repeated or undone.
    Write,
    /// It takes something away.
    Destructive,
}

/// Whether an operation is an MCP tool. Those that change something are tools only of a server that may
/// write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tool {
    /// Of every server.
    Always,
    /// Of a server that was asked for it.
    OnRequest,
    /// Of a server that was asked for this set, under the name that its users know.
    Set(&'static str),
    /// Never: it is for people, or its answers are not for a model.
    Never,
}

/// Where an operation can be called, besides the terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Surfaces {
    /// As an MCP tool.
    pub tool: Tool,
    /// As a function of the Node, HTTP and browser interfaces.
    pub api: bool,
}

/// One row: an operation and how surfaces present it.
pub struct Operation {
    /// Its name.
    pub name: &'static str,
    /// What it is for, in a sentence.
    pub summary: &'static str,
    /// What it does to the project.
    pub effect: Effect,
    /// Where it can be called.
    pub surfaces: Surfaces,
    /// Its name as an MCP tool.
    pub mcp_name: &'static str,
    /// Runs it on JSON.
    pub call: fn(&Context<'_>, Value) -> Result<Value>,
    /// JSON Schema of what it takes. Browsers do without, since schemas are a fifth of the code.
    #[cfg(not(target_family = "wasm"))]
    pub input_schema: fn() -> Schema,
    /// JSON Schema of what it gives.
    #[cfg(not(target_family = "wasm"))]
    pub output_schema: fn() -> Schema,
}

macro_rules! operation {
    ($module:ident, $mcp:literal, $effect:ident, $surfaces:expr) => {
        operation!($module, $mcp, $effect, $surfaces, $module::Output)
    };
    ($module:ident, $mcp:literal, $effect:ident, $surfaces:expr, $output:ty) => {
        Operation {
            name: stringify!($module),
            summary: $module::SUMMARY,
            effect: Effect::$effect,
            surfaces: $surfaces,
            mcp_name: $mcp,
            call: |context, params| call(context, Effect::$effect, params, $module::run),
            #[cfg(not(target_family = "wasm"))]
            input_schema: input_schema::<$module::Params>,
            #[cfg(not(target_family = "wasm"))]
            output_schema: output_schema::<$output>,
        }
    };
}

const EVERYWHERE: Surfaces = Surfaces { tool: Tool::Always, api: true };
const ON_REQUEST: Surfaces = Surfaces { tool: Tool::OnRequest, api: true };
#[cfg(not(target_family = "wasm"))]
const QUERY: Surfaces = Surfaces { tool: Tool::Set("query"), api: true };
#[cfg(not(target_family = "wasm"))]
const MEMORY: Surfaces = Surfaces { tool: Tool::Set("memory"), api: true };
#[cfg(not(target_family = "wasm"))]
const DOCUMENTS: Surfaces = Surfaces { tool: Tool::Set("documents"), api: true };
const PROGRAMS: Surfaces = Surfaces { tool: Tool::Never, api: true };

/// Every operation. In browsers nothing can be written or taken back, and there is no history to compare with:
/// what only these would need is not part of what every reader has to load.
pub const OPERATIONS: &[Operation] = &[
    operation!(search, "ubp_search", Read, EVERYWHERE),
    operation!(complete, "ubp_complete", Read, PROGRAMS),
    operation!(fulltext_search, "ubp_fulltext_search", Read, EVERYWHERE),
    operation!(get_page, "ubp_get_page", Read, EVERYWHERE),
    operation!(render_page, "ubp_render_page", Read, PROGRAMS),
    #[cfg(not(target_family = "wasm"))]
    operation!(resolve_links, "ubp_resolve_links", Read, PROGRAMS),
    operation!(get_context, "ubp_get_context", Read, EVERYWHERE),
    operation!(list_pages, "ubp_list_pages", Read, EVERYWHERE),
    operation!(get_graph, "ubp_get_graph", Read, EVERYWHERE),
    operation!(graph_traverse, "ubp_graph_traverse", Read, EVERYWHERE),
    operation!(get_impact, "ubp_get_impact", Read, EVERYWHERE),
    operation!(status, "ubp_status", Read, EVERYWHERE),
    operation!(check_staleness, "ubp_check_staleness", Read, EVERYWHERE),
    #[cfg(not(target_family = "wasm"))]
    operation!(review_page, "ubp_review_page", Write, EVERYWHERE),
    operation!(refs, "ubp_refs", Read, EVERYWHERE),
    #[cfg(not(target_family = "wasm"))]
    operation!(diff, "ubp_diff", Read, PROGRAMS),
    operation!(doctor, "ubp_doctor", Read, ON_REQUEST),
    operation!(evaluate, "ubp_evaluate", Read, PROGRAMS),
    #[cfg(not(target_family = "wasm"))]
    operation!(add, "ubp_add", Write, PROGRAMS, rebuild::Output),
    #[cfg(not(target_family = "wasm"))]
    operation!(rebuild, "ubp_rebuild", Write, ON_REQUEST),
    operation!(suggest_links, "ubp_suggest_links", Read, EVERYWHERE),
    #[cfg(not(target_family = "wasm"))]
    operation!(accept, "ubp_accept", Write, EVERYWHERE),
    #[cfg(not(target_family = "wasm"))]
    operation!(dismiss, "ubp_dismiss", Write, EVERYWHERE),
    #[cfg(not(target_family = "wasm"))]
    operation!(create_page, "ubp_create_page", Write, EVERYWHERE),
    #[cfg(not(target_family = "wasm"))]
    operation!(update_page, "ubp_update_page", Write, EVERYWHERE),
    #[cfg(not(target_family = "wasm"))]
    operation!(read_page, "ubp_read_page", Read, PROGRAMS),
    #[cfg(not(target_family = "wasm"))]
    operation!(save_page, "ubp_save_page", Write, PROGRAMS),
    #[cfg(not(target_family = "wasm"))]
    operation!(addresses, "ubp_addresses", Read, PROGRAMS),
    #[cfg(not(target_family = "wasm"))]
    operation!(favorites, "ubp_favorites", Write, PROGRAMS),
    #[cfg(not(target_family = "wasm"))]
    operation!(source_diff, "ubp_source_diff", Read, PROGRAMS),
    #[cfg(not(target_family = "wasm"))]
    operation!(rename_page, "ubp_rename_page", Write, EVERYWHERE),
    #[cfg(not(target_family = "wasm"))]
    operation!(delete_page, "ubp_delete_page", Destructive, EVERYWHERE),
    #[cfg(not(target_family = "wasm"))]
    operation!(audit, "ubp_audit", Read, PROGRAMS),
    #[cfg(not(target_family = "wasm"))]
    operation!(undo, "ubp_undo", Write, PROGRAMS),
    #[cfg(not(target_family = "wasm"))]
    operation!(query, "query", Read, QUERY),
    #[cfg(not(target_family = "wasm"))]
    operation!(query_inspect, "query_inspect", Read, QUERY),
    #[cfg(not(target_family = "wasm"))]
    operation!(index_status, "index_status", Read, QUERY),
    #[cfg(not(target_family = "wasm"))]
    operation!(index_refresh, "index_refresh", Read, QUERY),
    #[cfg(not(target_family = "wasm"))]
    operation!(remember, "remember", Write, MEMORY),
    #[cfg(not(target_family = "wasm"))]
    operation!(recall, "recall", Read, MEMORY),
    #[cfg(not(target_family = "wasm"))]
    operation!(list_memories, "ubp_list_memories", Read, PROGRAMS),
    #[cfg(not(target_family = "wasm"))]
    operation!(forget, "ubp_forget", Destructive, PROGRAMS),
    #[cfg(not(target_family = "wasm"))]
    operation!(document_memories, "ubp_document_memories", Read, PROGRAMS),
    #[cfg(not(target_family = "wasm"))]
    operation!(reindex_memories, "ubp_reindex_memories", Write, PROGRAMS),
    #[cfg(not(target_family = "wasm"))]
    operation!(search_documents, "search", Read, DOCUMENTS),
    #[cfg(not(target_family = "wasm"))]
    operation!(index_markdown, "index_markdown", Write, DOCUMENTS),
    #[cfg(not(target_family = "wasm"))]
    operation!(list_documents, "list_documents", Read, DOCUMENTS),
    #[cfg(not(target_family = "wasm"))]
    operation!(delete_document, "delete_document", Destructive, DOCUMENTS),
    #[cfg(not(target_family = "wasm"))]
    operation!(reindex_document, "reindex_document", Write, DOCUMENTS),
];

/// The operation of that name.
pub fn find(name: &str) -> Option<&'static Operation> {
    OPERATIONS.iter().find(|operation| operation.name == name)
}

/// How often a question is asked that fails because the index changes under it.
const ATTEMPTS: usize = 5;

/// An answer is put together from several looks at the index. Where one look found what was gone at the next, since
/// pages were taken out in between, the question is asked again.
fn call<P: DeserializeOwned, O: Serialize>(
    context: &Context<'_>,
    effect: Effect,
    params: Value,
    run: impl Fn(&Context<'_>, P) -> Result<O>,
) -> Result<Value> {
    let params = match params {
        Value::Null => Value::Object(serde_json::Map::new()),
        other => other,
    };
    let parsed = || P::deserialize(&params).map_err(|error| Error::invalid(error.to_string()));
    let answered = |output| serde_json::to_value(output).map_err(|error| Error::Internal(error.to_string()));
    if effect == Effect::Read {
        for _ in 1..ATTEMPTS {
            let before = context.index.generation()?;
            match run(context, parsed()?) {
                Err(Error::Database(_) | Error::Internal(_)) if context.index.generation()? != before => {}
                result => return answered(result?),
            }
        }
    }
    answered(run(context, parsed()?)?)
}

#[cfg(not(target_family = "wasm"))]
fn input_schema<T: JsonSchema>() -> Schema {
    schema::<T>(SchemaSettings::draft2020_12().for_deserialize().into_generator())
}

#[cfg(not(target_family = "wasm"))]
fn output_schema<T: JsonSchema>() -> Schema {
    schema::<T>(SchemaSettings::draft2020_12().for_serialize().into_generator())
}

#[cfg(not(target_family = "wasm"))]
fn schema<T: JsonSchema>(generator: SchemaGenerator) -> Schema {
    generator.into_root_schema_for::<T>()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::cell::Cell;

    use super::*;
    use crate::index::tests::Project;
    use crate::ops::status;

    #[test]
    fn a_question_is_asked_again_when_the_index_changed_under_it() {
        let project = Project::with_pages([("a.md", "one"), ("b.md", "two")]);
        let context = project.context();
        let asked = Cell::new(0);
        let changing = |_: &Context<'_>, _: status::Params| {
            asked.set(asked.get() + 1);
            if asked.get() == 3 {
                return Ok(7);
            }
            project.index.write(|db| {
                Ok(db.execute("UPDATE meta SET value = value + 1 WHERE key = 'generation'", [])?)
            })?;
            Err(Error::Internal("page 2 is gone".into()))
        };
        assert_eq!(call(&context, Effect::Read, Value::Null, changing).unwrap(), 7);
        assert_eq!(asked.get(), 3);

        let failing = |_: &Context<'_>, _: status::Params| -> Result<()> {
            asked.set(asked.get() + 1);
            Err(Error::Internal("a defect".into()))
        };
        assert_eq!(call(&context, Effect::Read, Value::Null, failing).unwrap_err().code(), "internal");
        assert_eq!(asked.get(), 4, "what fails without a change fails at once");
        asked.set(0);
        assert!(call(&context, Effect::Write, Value::Null, changing).is_err());
        assert_eq!(asked.get(), 1, "what writes is never done twice");
    }
}
