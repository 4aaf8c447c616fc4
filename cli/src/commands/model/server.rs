//! `ubp model use NAME --endpoint URL`: a server that computes vectors.

use std::path::Path;
use ubp_core::message::Message;

use ubp_core::Error;
use ubp_core::embed::Prefixes;
use ubp_core::manifest::{EmbeddingModel, Endpoint};
use ubp_core::message;
use ubp_host::Project;
use ubp_host::models::endpoint::{try_out, usual_prefixes};

use super::{ServerArgs, finish};
use crate::output::CommandResult;
use crate::terminal::Terminal;

/// Asks the server for a vector, and chooses its model.
pub(super) fn choose(
    terminal: &mut Terminal<'_>,
    folder: &Path,
    name: &str,
    url: &str,
    args: &ServerArgs,
) -> CommandResult {
    let mut project = Project::find(folder)?;
    let usual = usual_prefixes(name);
    let prefixes = Prefixes {
        query: args.query_prefix.clone().unwrap_or(usual.query),
        passage: args.passage_prefix.clone().unwrap_or(usual.passage),
    };
    let window = args.window.and_then(|window| usize::try_from(window).ok());
    let endpoint = Endpoint::new(url, true, window, prefixes)
        .map_err(|words| Error::invalid(Message::reported(words)))?;
    if endpoint.is_remote() && !args.allow_remote {
        return Err(Error::invalid(message!(
            "{origin} is another machine, and pages and queries would be sent there; --allow-remote permits that",
            origin = endpoint.origin()
        ))
        .into());
    }
    let endpoint = Endpoint { allow_remote: args.allow_remote, ..endpoint };
    if endpoint.is_remote() {
        terminal.warn(message!("pages and queries will be sent to {origin}", origin = endpoint.origin()));
    }
    let trial = try_out(name, &endpoint, &terminal.io.environment)?;
    let chosen = EmbeddingModel {
        name: name.into(),
        dimensions: trial.dimensions,
        endpoint: Some(Endpoint { fingerprint: trial.fingerprint, ..endpoint }),
        ..EmbeddingModel::default()
    };
    finish(terminal, &mut project, chosen, "endpoint", None)
}
