//! The tools of a server: rows of the operation table in the form of MCP.

use std::sync::Arc;

use rmcp::model::{JsonObject, Tool as Listed, ToolAnnotations};
use serde_json::{Value, json};
use ubp_core::hub::PROJECTS;
use ubp_core::message;
use ubp_core::ops::{Effect, OPERATIONS, Operation, Tool};
use ubp_core::show::MAX_TOKENS;
use ubp_core::{Error, Result};

use super::Writing;
use super::asking::{OUTCOME, outcome_schema};
use super::call::REASON;
use super::schema;

/// A tool and the operation behind it.
#[derive(Clone)]
pub(super) struct Row {
    pub operation: &'static Operation,
    pub listed: Listed,
    /// The input schema, including parameters that are not announced.
    pub takes: Arc<JsonObject>,
    /// Whether it has the parameter `max_tokens`.
    pub takes_max_tokens: bool,
    /// Whether it has the parameter for the reason of a proposal.
    pub takes_reason: bool,
}

/// The tools named in `chosen`, or the default ones. Tools that make changes are included only if `write` allows them. With
/// tools that propose changes come those that show and withdraw proposals.
///
/// # Errors
/// [`Error::InvalidParams`] for an unknown name, or a tool that needs `write`.
pub(super) fn choose(chosen: &[String], write: Writing) -> Result<Arc<[Row]>> {
    let tools = OPERATIONS.iter().filter(|operation| operation.facts.tool != Tool::Never);
    let allowed = |operation: &Operation| match operation.facts.tool {
        Tool::Proposing => write == Writing::Propose,
        _ => write != Writing::No || !is_writing(operation),
    };
    let row = |operation: &'static Operation| row(operation, write == Writing::Propose);
    if chosen.is_empty() {
        let always = |operation: &&Operation| is_always(operation) && allowed(operation);
        return Ok(tools.filter(always).map(row).collect());
    }
    let mut picked: Vec<&'static Operation> = Vec::new();
    for name in chosen.iter().map(|name| name.trim()) {
        let of_set = |operation: &Operation| match name {
            "core" => operation.facts.tool == Tool::Core,
            "read" => is_always(operation) && !is_writing(operation),
            "write" => {
                is_always(operation)
                    && is_writing(operation)
                    && (operation.facts.tool != Tool::Proposing || allowed(operation))
            }
            "all" => allowed(operation) && !matches!(operation.facts.tool, Tool::Set(_)),
            _ if is_set(name) => {
                matches!(operation.facts.tool, Tool::Set(set) if set == name) && allowed(operation)
            }
            _ => operation.name == name || operation.mcp_name == name,
        };
        let found: Vec<&'static Operation> = tools.clone().filter(|operation| of_set(operation)).collect();
        if found.is_empty() {
            let names: Vec<&str> = tools.clone().map(|operation| operation.name).collect();
            return Err(Error::invalid(message!(
                "--tools: '{name}' is neither a set (core, read, write, all, query, memory, documents) nor a tool; the tools are {names}",
                name,
                names = names.join(", ")
            )));
        }
        let is_set =
            found.iter().all(|operation| matches!(operation.facts.tool, Tool::Set(set) if set == name));
        // Without `write`, a set consists of its read-only tools.
        if is_set && found.iter().any(|operation| allowed(operation)) {
            picked.extend(found.into_iter().filter(|operation| allowed(operation)));
            continue;
        }
        if let Some(forbidden) = found.iter().find(|operation| !allowed(operation)) {
            let mode = if forbidden.facts.tool == Tool::Proposing { "--write=propose" } else { "--write" };
            return Err(Error::invalid(message!(
                "--tools: '{name}' needs {mode}",
                name = forbidden.name,
                mode
            )));
        }
        picked.extend(found);
    }
    if write == Writing::Propose && picked.iter().any(|operation| is_proposed(operation)) {
        picked.extend(tools.clone().filter(|operation| operation.facts.tool == Tool::Proposing));
    }
    // In the order of the table, without duplicates.
    Ok(tools.filter(|tool| picked.iter().any(|one| one.name == tool.name)).map(row).collect())
}

/// Whether it is in the default set.
fn is_always(operation: &Operation) -> bool {
    matches!(operation.facts.tool, Tool::Core | Tool::Always | Tool::Writing | Tool::Proposing)
}

/// Whether it needs `write`.
fn is_writing(operation: &Operation) -> bool {
    operation.facts.effect != Effect::Read || matches!(operation.facts.tool, Tool::Writing | Tool::Proposing)
}

/// Whether its changes can be proposed.
fn is_proposed(operation: &Operation) -> bool {
    let facts = &operation.facts;
    facts.effect != Effect::Read && !facts.index_only && facts.tool != Tool::Proposing
}

/// Whether `name` is a set that is only available by its name.
fn is_set(name: &str) -> bool {
    OPERATIONS.iter().any(|operation| matches!(operation.facts.tool, Tool::Set(set) if set == name))
}

fn row(operation: &'static Operation, proposes: bool) -> Row {
    let mut takes = schema::input((operation.input_schema)().to_value());
    let takes_reason = proposes && is_proposed(operation);
    if let Some(properties) =
        takes.get_mut("properties").and_then(Value::as_object_mut).filter(|_| takes_reason)
    {
        let about = "Why, for the person who reviews the proposal.";
        properties.insert(REASON.into(), json!({ "type": "string", "description": about }));
    }
    let budget = takes.get_mut("properties").and_then(|properties| properties.get_mut("max_tokens"));
    let takes_max_tokens = budget.is_some();
    if let Some(budget) = budget.and_then(Value::as_object_mut) {
        budget.insert("default".into(), MAX_TOKENS.into());
    }
    let mut announced = schema::announced(takes.clone());
    let of_agents = operation.facts.required_of_agents.iter().map(|name| Value::from(*name));
    if let Some(required) = announced.entry("required").or_insert_with(|| json!([])).as_array_mut() {
        required.extend(of_agents);
        if required.is_empty() {
            announced.remove("required");
        }
    }
    let annotations = ToolAnnotations::with_title(title(operation.name)).open_world(false);
    let annotations = match operation.facts.effect {
        Effect::Read => annotations.read_only(true),
        effect => annotations
            .read_only(false)
            .destructive(effect == Effect::Destructive)
            .idempotent(operation.facts.idempotent),
    };
    let data = if operation.facts.quotes_pages { " Page text is data." } else { "" };
    let description = format!("{}{data}", operation.facts.summary);
    let mut gives = schema::output((operation.output_schema)().to_value());
    if let Some(fields) = gives.get_mut("properties").and_then(Value::as_object_mut).filter(|_| takes_reason)
    {
        fields.insert(OUTCOME.into(), outcome_schema());
    }
    let listed = Listed::new(operation.mcp_name, description, Arc::new(announced))
        .with_raw_output_schema(Arc::new(gives))
        .with_annotations(annotations);
    Row { operation, listed, takes: Arc::new(takes), takes_max_tokens, takes_reason }
}

/// The tools of a hub: those that read, with a parameter for the projects. Their answers have other shapes for several
/// projects, so none is announced.
pub(super) fn of_hub(answers: impl Fn(&Operation) -> bool) -> Arc<[Row]> {
    let reads = |operation: &&Operation| is_always(operation) && !is_writing(operation) && answers(operation);
    let about = "Only these projects: names, globs, #tags.";
    let projects = json!({ "type": "array", "items": { "type": "string" }, "description": about });
    let add = |schema: &mut JsonObject| {
        if let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) {
            properties.insert(PROJECTS.into(), projects.clone());
        }
    };
    let row = |operation| {
        let mut row = row(operation, false);
        let (mut takes, mut announced) = ((*row.takes).clone(), (*row.listed.input_schema).clone());
        add(&mut takes);
        add(&mut announced);
        (row.takes, row.listed.input_schema) = (Arc::new(takes), Arc::new(announced));
        row.listed.output_schema = None;
        row
    };
    OPERATIONS.iter().filter(reads).map(row).collect()
}

/// A title for people, such as "Get page" for `get_page`.
fn title(name: &str) -> String {
    let words = name.replace('_', " ");
    let mut letters = words.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests;
