//! The MCP server: the operation table for agents. Everything of the protocol is in here; what is true
//! of a project comes from the engine.

mod background;
mod call;
mod changes;
mod client_config;
mod completion;
mod http;
mod limit;
mod lines;
pub(crate) mod markdown;
mod prompts;
mod resources;
mod schema;
mod server;
mod text;
mod tools;

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
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
use crate::messages::{Level, Messages};
use crate::output::{CommandResult, Failure};
use crate::session::Terminal;
use crate::{ExitStatus, Io, documents};

use background::{Files, Holding, Log};
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
    let config = args.config.as_ref().map(|path| folder.join(path));
    if args.status || args.stop {
        let files = Files::of(&root(terminal, folder, config.as_deref())?);
        return if args.stop {
            background::stop(terminal, &files)
        } else {
            background::status(terminal, &files)
        };
    }
    let tools = chosen(args)?;
    if !args.write && args.tools.iter().any(|name| name.trim() == "memory") {
        terminal.note("without --write clients can recall, and not remember");
    }
    let token = terminal.io.environment.get(http::TOKEN_VARIABLE);
    let token = token.map(|token| Token::new(token, http::TOKEN_VARIABLE)).transpose()?;
    if let Some(address) = args.address() {
        let variable = http::TOKEN_VARIABLE;
        let way = format!("set {variable} to a secret that clients send as `Authorization: Bearer …`");
        require(address, token.as_ref(), &way)?;
    }
    if args.daemon {
        let root = root(terminal, folder, config.as_deref())?;
        return background::start(terminal, folder, &root, args);
    }
    let holding = match args.in_background {
        true => Some(hold(terminal, &root(terminal, folder, config.as_deref())?)?),
        false => None,
    };
    let messages = Messages::of(terminal);
    let messages = if config.is_some() { messages.with_levels() } else { messages };
    let result = serve(terminal, folder, args, Given { tools, token, config, holding }, &messages);
    if let Err(Failure::Engine(error)) = &result {
        // The command says it too; here it gets its level, or its place in the log.
        if messages.has_levels() && !matches!(error, Error::Cancelled) {
            messages.log(Level::Fatal, &error.to_string());
            if !args.in_background {
                return Ok(ExitStatus::Error);
            }
        }
    }
    result
}

/// What a server was given.
struct Given {
    tools: Arc<[tools::Row]>,
    token: Option<Token>,
    config: Option<PathBuf>,
    holding: Option<Holding>,
}

/// The tools that were asked for. Whoever writes a `config.json` sets up a server of documents, which has all of its
/// tools.
fn chosen(args: &McpServerArgs) -> ubp_core::Result<Arc<[tools::Row]>> {
    if args.config.is_some() && args.tools.iter().all(|name| name == documents::SET) {
        return tools::choose(&[documents::SET.to_owned()], true);
    }
    tools::choose(&args.tools, args.write)
}

/// The folder of the project that is served.
fn root(terminal: &Terminal<'_>, folder: &Path, config: Option<&Path>) -> ubp_core::Result<PathBuf> {
    match config {
        Some(config) => documents::root(config, &terminal.io.environment),
        None => Ok(Project::find(folder)?.root),
    }
}

/// Becomes the server in the background: away from the terminal, with a log for all that there is to say.
fn hold(terminal: &mut Terminal<'_>, root: &Path) -> ubp_core::Result<Holding> {
    background::detach();
    let files = Files::of(root);
    let Some(holding) = Holding::take(&files)? else {
        return Err(match files.running()? {
            Some(running) => background::runs_already(&running),
            None => Error::invalid("another server of this project was started in the background just now"),
        });
    };
    let log = Log::open(files.log()).map_err(|error| Error::io(files.log().to_string_lossy(), error))?;
    terminal.io.err = Box::new(log);
    Ok(holding)
}

fn serve(
    terminal: &mut Terminal<'_>,
    folder: &Path,
    args: &McpServerArgs,
    given: Given,
    messages: &Messages,
) -> CommandResult {
    let Given { tools, token, config, holding } = given;
    let environment = &terminal.io.environment;
    let live = match &config {
        None => Live::start(Project::find(folder)?, environment, messages.notices())?,
        Some(config) => {
            let served = documents::open(config, environment, &|level, text| messages.log(level, text))?;
            Live::start_finding(served.project, environment, messages.notices(), served.find_model)?
        }
    };
    let mut server = Server::new(live.clone(), tools);
    if config.is_some() {
        server.failed = Some(messages.failures());
    }
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .max_blocking_threads(16)
        .enable_io()
        .enable_time()
        .build()
        .map_err(|error| Error::Internal(error.to_string()))?;
    let cancel = terminal.io.cancel.clone();
    let result = match args.http {
        Some(address) => {
            let listening = Listening { address, further: &args.allow_host, holding: holding.as_ref() };
            runtime.block_on(over_http(server, listening, token, terminal.io, messages))
        }
        None => runtime.block_on(over_stdio(server, terminal.io, &cancel)),
    };
    runtime.shutdown_timeout(FAREWELL);
    live.stop();
    if holding.is_some() {
        messages.say("ended");
    }
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

/// Where a server listens, and who is told.
struct Listening<'a> {
    address: SocketAddr,
    further: &'a [String],
    holding: Option<&'a Holding>,
}

async fn over_http(
    server: Server,
    listening: Listening<'_>,
    token: Option<Token>,
    io: &mut Io,
    messages: &Messages,
) -> CommandResult {
    let Listening { address, further, holding } = listening;
    let listener = bind(address).await?;
    let address = listener.local_addr().map_err(|error| Error::io(address.to_string(), error))?;
    let url = format!("http://{address}{}", http::PATH);
    messages.say(&format!("listening on {url}"));
    let cancel = io.cancel.clone();
    if let Some(holding) = holding {
        holding.announce(&url, &mut io.out, &cancel)?;
    }
    let stop = CancellationToken::new();
    let serve = http::serve(server, listener, further, token, stop.clone());
    let mut serve = std::pin::pin!(serve);
    tokio::select! {
        ended = &mut serve => ended?,
        () = asked_to_stop(&cancel) => {
            stop.cancel();
            if let Ok(ended) = tokio::time::timeout(FAREWELL, serve).await {
                ended?;
            }
        }
    }
    Ok(ExitStatus::Success)
}
