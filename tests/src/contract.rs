//! Writes the contract of the operation table to files: a JSON Schema for every operation that programs can call, and
//! TypeScript generated from the same schemas, so that no type is written twice.

use std::collections::BTreeMap;
use std::error::Error;

use serde_json::json;
use ubp_core::ops::{Effect, OPERATIONS, Operation, Tool};
use ubp_core::page::ParsedPage;
use ubp_core::ports::ModelInfo;
use ubp_core::progress::Stage;

#[cfg(test)]
mod tests;
mod typescript;

/// The expected files of `npm/ubp/generated`, by name.
///
/// # Errors
/// If a schema uses a keyword that the TypeScript generator does not support.
pub fn files() -> Result<BTreeMap<String, String>, Box<dyn Error>> {
    let mut files = BTreeMap::new();
    let mut types = typescript::Types::default();
    for operation in OPERATIONS {
        let (input, output) = ((operation.input_schema)().to_value(), (operation.output_schema)().to_value());
        types.operation(operation.name, operation.facts.summary, &input, &output)?;
        let text = serde_json::to_string_pretty(&json!({
            "name": operation.name,
            "summary": operation.facts.summary,
            "effect": effect(operation),
            "mcp_name": (operation.facts.tool != Tool::Never).then_some(operation.mcp_name),
            "input": input,
            "output": output,
        }))?;
        files.insert(format!("{}.json", operation.name), text + "\n");
    }
    types.root("ParsedPage", &schemars::schema_for!(ParsedPage).to_value())?;
    types.root("ModelInfo", &schemars::schema_for!(ModelInfo).to_value())?;
    types.root("Stage", &schemars::schema_for!(Stage).to_value())?;
    files.insert("contract.ts".into(), types.finish());
    Ok(files)
}

fn effect(operation: &Operation) -> &'static str {
    match operation.facts.effect {
        Effect::Read => "read",
        Effect::Write => "write",
        Effect::Destructive => "destructive",
    }
}
