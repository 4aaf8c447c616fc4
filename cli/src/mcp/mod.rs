//! The MCP server: the operation table for agents. Everything of the protocol is in here; what is true
//! of a project comes from the engine.

mod call;
mod changes;
mod client_config;
mod completion;
mod http;
mod limit;
mod lines;
mod prompts;
mod resources;
mod schema;
mod server;
mod text;
mod tools;

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;

use axum::Router;
use rmcp::ServiceExt;
use rmcp::service::{QuitReason, ServerInitializeError};
use tokio_util::sync::CancellationToken;
use ubp_core::Error;
use ubp_core::progress::Cancel;

use crate::args::McpServerArgs;
use crate::host::Project;
use crate::http::{FAREWELL, Names, Token, asked_to_stop, bind, require};
use crate::live::{Live, ParentWatch};
use crate::messages::Messages;
use crate::output::{CommandResult, Failure};
use crate::session::Terminal;
use crate::{ExitStatus, Io};

use server::Server;

/// The protocol over HTTP as a part of another server, which stops it by `stop`; tools that change something only
/// where `write` allows it.
///
/// # Errors
/// [`Error::Internal`].
pub(crate) fn router(
    live: &Arc<Live>,
    write: bool,
    names: &Names,
    token: Token,
    stop: CancellationToken,
) -> ubp_core::Result<Router> {
    let server = Server::new(live.clone(), tools::choose(&[], write)?);
    Ok(http::router(server, names, Some(token), stop))
}

/// `ubp mcp-server`.
pub(crate) fn run(terminal: &mut Terminal<'_>, folder: &Path, args: &McpServerArgs) -> CommandResult {
    if let Some(client) = args.print_config {
        let project = Project::find(folder)?;
        let snippet = client_config::of(client, &project.root, &terminal.io.environment, args);
        terminal.line(snippet.text)?;
        terminal.note(format!("this belongs into {}", snippet.place));
        return Ok(ExitStatus::Success);
    }
    let tools = tools::choose(&args.tools, args.write)?;
    if !args.write && args.tools.iter().any(|name| name.trim() == "memory") {
        terminal.note("without --write clients can recall, and not remember");
    }
    let project = Project::find(folder)?;
    let messages = Messages::of(terminal);
    let live = Live::start(project, &terminal.io.environment, messages.notices())?;
    let server = Server::new(live.clone(), tools);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .max_blocking_threads(16)
        .enable_io()
        .enable_time()
        .build()
        .map_err(|error| Error::Internal(error.to_string()))?;
    let cancel = terminal.io.cancel.clone();
    let result = match &args.http {
        Some(address) => {
            let token = terminal.io.environment.get(http::TOKEN_VARIABLE);
            let token = token.map(|token| Token::new(token, http::TOKEN_VARIABLE)).transpose();
            let serve =
                async { over_http(server, *address, &args.allow_host, token?, &cancel, &messages).await };
            runtime.block_on(serve)
        }
        None => runtime.block_on(over_stdio(server, terminal.io, &cancel)),
    };
    runtime.shutdown_timeout(FAREWELL);
    live.stop();
    result
}

async fn over_stdio(server: Server, io: &mut Io, cancel: &Cancel) -> CommandResult {
    let input = std::mem::replace(&mut io.input, Box::new(std::io::empty()));
    let output = std::mem::replace(&mut io.out, Box::new(std::io::sink()));
    let stop = CancellationToken::new();
    let orphaned = cancel.clone();
    let _parent = ParentWatch::start(move || orphaned.request());
    let serve = async {
        let serving = server.serve_with_ct(lines::Lines::over(input, output), stop.clone()).await;
        match serving {
            Ok(service) => match service.waiting().await {
                Ok(QuitReason::JoinError(error)) | Err(error) => Err(Error::Internal(error.to_string())),
                Ok(_) => Ok(()),
            },
            // A client may look whether the server starts, and leave.
            Err(ServerInitializeError::ConnectionClosed(_) | ServerInitializeError::Cancelled) => Ok(()),
            Err(error) => {
                Err(Error::invalid(format!("the client did not begin as the protocol asks: {error}")))
            }
        }
    };
    tokio::select! {
        ended = serve => ended.map_err(Failure::Engine)?,
        () = asked_to_stop(cancel) => stop.cancel(),
    }
    Ok(ExitStatus::Success)
}

async fn over_http(
    server: Server,
    address: SocketAddr,
    further: &[String],
    token: Option<Token>,
    cancel: &Cancel,
    messages: &Messages,
) -> CommandResult {
    let way =
        format!("set {} to a secret that clients send as `Authorization: Bearer …`", http::TOKEN_VARIABLE);
    require(address, token.as_ref(), &way)?;
    let listener = bind(address).await?;
    let address = listener.local_addr().map_err(|error| Error::io(address.to_string(), error))?;
    messages.say(&format!("listening on http://{address}{}", http::PATH));
    let stop = CancellationToken::new();
    let serve = http::serve(server, listener, further, token, stop.clone());
    let mut serve = std::pin::pin!(serve);
    tokio::select! {
        ended = &mut serve => ended?,
        () = asked_to_stop(cancel) => {
            stop.cancel();
            if let Ok(ended) = tokio::time::timeout(FAREWELL, serve).await {
                ended?;
            }
        }
    }
    Ok(ExitStatus::Success)
}
