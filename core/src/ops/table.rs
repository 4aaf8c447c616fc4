//! A row of the table of operations, and how it is built from an operation's file. The table itself is in `mod.rs`.

#[cfg(not(target_family = "wasm"))]
use schemars::{JsonSchema, Schema, generate::SchemaSettings};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::OPERATIONS;
use super::facts::Facts;
use crate::message;
use crate::show::Page;
use crate::{Context, Error, Result};

/// One row: an operation as surfaces see it.
pub struct Operation {
    /// Its name.
    pub name: &'static str,
    /// Its name as an MCP tool.
    pub mcp_name: &'static str,
    /// Facts about it.
    pub facts: Facts,
    /// Runs it on JSON, and shows the answer on the page, if there is one.
    pub call: fn(&Context<'_>, Value, Option<&mut dyn Page>) -> Result<Value>,
    /// JSON Schema of its parameters. Not in browsers, because schemas are a fifth of the code.
    #[cfg(not(target_family = "wasm"))]
    pub input_schema: fn() -> Schema,
    /// JSON Schema of its output.
    #[cfg(not(target_family = "wasm"))]
    pub output_schema: fn() -> Schema,
}

macro_rules! operations {
    ($($everywhere:ident)*; beyond browsers: $($native:ident)*) => {
        /// All operations. Browsers cannot write or undo, and have no history to compare with. Operations that need
        /// that are excluded, so readers do not load them. `accept` only plans there, for editors that write themselves.
        pub const OPERATIONS: &[Operation] = &[
            $(table::operations!(@row $everywhere),)*
            $(#[cfg(not(target_family = "wasm"))] table::operations!(@row $native),)*
        ];
    };
    (@row $module:ident) => {
        Operation {
            name: stringify!($module),
            mcp_name: concat!("ubp_", stringify!($module)),
            facts: $module::FACTS,
            call: |context, params, page| {
                let (output, json) = table::call(context, &$module::FACTS, params, $module::run)?;
                if let Some(page) = page {
                    $module::show(&output, page);
                }
                Ok(json)
            },
            #[cfg(not(target_family = "wasm"))]
            input_schema: table::input_schema::<$module::Params>,
            #[cfg(not(target_family = "wasm"))]
            output_schema: table::output_schema::<$module::Output>,
        }
    };
}

pub(super) use operations;

/// The operation with this name, if there is one.
pub fn find(name: &str) -> Option<&'static Operation> {
    OPERATIONS.iter().find(|operation| operation.name == name)
}

/// The operation with this name.
///
/// # Errors
/// [`Error::InvalidParams`] for an unknown name.
pub fn named(name: &str) -> Result<&'static Operation> {
    find(name).ok_or_else(|| {
        let known: Vec<&str> = OPERATIONS.iter().map(|operation| operation.name).collect();
        Error::invalid(message!(
            "unknown operation '{name}'; expected one of {known}",
            name,
            known = known.join(", ")
        ))
    })
}

/// Runs an operation on JSON, and returns the answer as a value and as JSON. A question is answered from one
/// snapshot of the index.
pub(super) fn call<P: DeserializeOwned, O: Serialize>(
    context: &Context<'_>,
    facts: &Facts,
    params: Value,
    run: fn(&Context<'_>, P) -> Result<O>,
) -> Result<(O, Value)> {
    let params = match params {
        Value::Null => Value::Object(serde_json::Map::new()),
        object @ Value::Object(_) => object,
        other => return Err(Error::invalid(message!("parameters must be an object, not {other}", other))),
    };
    let params = P::deserialize(params).map_err(|error| Error::invalid(message!("{error}", error)))?;
    let output = if facts.reads_only() {
        context.in_one_state(|context| run(context, params))
    } else {
        run(context, params)
    };
    let output = output?;
    let json = serde_json::to_value(&output).map_err(|error| Error::Internal(error.to_string()))?;
    Ok((output, json))
}

#[cfg(not(target_family = "wasm"))]
pub(super) fn input_schema<T: JsonSchema>() -> Schema {
    SchemaSettings::draft2020_12().for_deserialize().into_generator().into_root_schema_for::<T>()
}

#[cfg(not(target_family = "wasm"))]
pub(super) fn output_schema<T: JsonSchema>() -> Schema {
    SchemaSettings::draft2020_12().for_serialize().into_generator().into_root_schema_for::<T>()
}
