//! `ubp/call`: any operation of the engine, for views that the protocol does not know.

use serde::Deserialize;
use serde_json::Value;
use ubp_core::Caller;
use ubp_core::message;
use ubp_core::ops::{self, Operation};
use ubp_core::progress::Silent;

use super::projects::Served;
use super::requests::{Answer, Call, Refusal};
use super::uri;

pub(super) const METHOD: &str = "ubp/call";

#[derive(Deserialize)]
pub(super) struct OperationParams {
    operation: String,
    #[serde(default)]
    params: Option<Value>,
    /// A file or folder of the project; may be left out if only one is open.
    #[serde(default)]
    uri: Option<String>,
}

pub(super) fn operation(call: &Call<'_>, params: OperationParams) -> Answer<Value> {
    let served = match &params.uri {
        Some(uri) => {
            let path = uri::path_of(uri).ok_or_else(|| Refusal::invalid("`uri` is not a file"))?;
            call.server.project(&path)?
        }
        None => match call.server.projects.all_opened().as_slice() {
            [only] => only.clone(),
            [] => return Err(Refusal::invalid("no project is open")),
            _ => return Err(Refusal::invalid("several projects are open: pass `uri`")),
        },
    };
    let operation = ops::named(&params.operation)?;
    let params = params.params.unwrap_or_else(|| Value::Object(serde_json::Map::new()));
    run(call, &served, operation, params)
}

/// Runs an operation, unless it writes and the server must not.
pub(super) fn run(call: &Call<'_>, served: &Served, operation: &Operation, params: Value) -> Answer<Value> {
    if !operation.facts.reads_only() && !call.server.may_write() {
        return Err(Refusal::told(-32803, &message!("this server only reads")));
    }
    Ok(served.live.call(Caller::Person, operation, params, None, &Silent, call.cancel)?)
}
