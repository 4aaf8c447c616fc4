//! What a row of the table of operations is, and how it is made of the file of an operation. The table itself stands
//! beside the list of rooms.

#[cfg(not(target_family = "wasm"))]
use schemars::{JsonSchema, Schema, generate::SchemaSettings};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::OPERATIONS;
use super::facts::Facts;
use crate::show::Page;
use crate::{Context, Error, Result};

/// One row: an operation as surfaces see it.
pub struct Operation {
    /// Its name.
    pub name: &'static str,
    /// Its name as an MCP tool.
    pub mcp_name: &'static str,
    /// What surfaces know of it.
    pub facts: Facts,
    /// Runs it on JSON, and tells the answer to the page, where there is one.
    pub call: fn(&Context<'_>, Value, Option<&mut dyn Page>) -> Result<Value>,
    /// JSON Schema of what it takes. Browsers do without, since schemas are a fifth of the code.
    #[cfg(not(target_family = "wasm"))]
    pub input_schema: fn() -> Schema,
    /// JSON Schema of what it gives.
    #[cfg(not(target_family = "wasm"))]
    pub output_schema: fn() -> Schema,
}

macro_rules! operations {
    ($($everywhere:ident)*; beyond browsers: $($native:ident)*) => {
        /// Every operation. In browsers nothing can be written or taken back, and there is no history to compare
        /// with: what only these would need is not part of what every reader has to load.
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

/// The operation of that name.
pub fn find(name: &str) -> Option<&'static Operation> {
    OPERATIONS.iter().find(|operation| operation.name == name)
}

/// The operation of that name, which somebody asks for.
///
/// # Errors
/// [`Error::InvalidParams`] when there is none.
pub fn named(name: &str) -> Result<&'static Operation> {
    find(name).ok_or_else(|| {
        let known: Vec<&str> = OPERATIONS.iter().map(|operation| operation.name).collect();
        Error::invalid(format!("unknown operation '{name}'; there are {}", known.join(", ")))
    })
}

/// Runs an operation on JSON, and gives the answer as it is and as JSON. A question is answered from one state of the
/// index.
pub(super) fn call<P: DeserializeOwned, O: Serialize>(
    context: &Context<'_>,
    facts: &Facts,
    params: Value,
    run: fn(&Context<'_>, P) -> Result<O>,
) -> Result<(O, Value)> {
    let params = match params {
        Value::Null => Value::Object(serde_json::Map::new()),
        other => other,
    };
    let params = P::deserialize(params).map_err(|error| Error::invalid(error.to_string()))?;
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
