//! The MCP server: the operation table for agents. Everything of the protocol is in here; what is true
//! of a project comes from the engine.
//!
//! **Invariants**
//! - A tool answers what the table answers, in the shape that it announced, to every client (the official ones, the
//!   inspector and the conformance suite run in `tests/mcp`).
//! - What a tool takes has no unions, references or formats, and the listing keeps to its size
//!   (`schema/tests.rs`, `tools/tests.rs`).
//! - The words of an answer take no more than `max_tokens` (`tests/tests/mcp.rs`).
//! - Agents make no more changes in a minute than the manifest allows, and what fails is no change
//!   (`tests/tests/mcp/writing.rs`).
//! - Nothing but the protocol reaches standard output, and a client that sends nonsense, cancels or never reads
//!   costs a bounded amount of memory (`lines/tests.rs`).
//! - One server of a project runs in the background, and no process is ended by its number
//!   (`tests/tests/background.rs`).

mod arguments;
mod background;
mod call;
mod changes;
mod completion;
mod http;
mod limit;
mod lines;
mod markdown;
mod prompts;
mod resources;
mod schema;
mod server;
mod tools;

use std::io::{Read, Write};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use axum::Router;
use rmcp::ServiceExt;
use rmcp::service::{QuitReason, ServerInitializeError};
use tokio_util::sync::CancellationToken;
use ubp_core::progress::Cancel;
use ubp_core::{Error, Result};
use ubp_host::documents::{self, Level};
use ubp_host::live::{Live, ParentWatch};
use ubp_host::{Environment, Project};

use crate::http::{FAREWELL, Names, Token, asked_to_stop, bind, require};
use crate::messages::{MessageStyle, Messages};

pub use background::{Files, Report, start};
use background::{Holding, Log};
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
) -> Result<Router> {
    let server = Server::new(live.clone(), tools::choose(&[], write)?);
    Ok(http::router(server, names, Some(token), stop))
}

/// What is to be served.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Whether clients may change pages.
    pub write: bool,
    /// Sets and names of tools; all of the usual ones when it is empty.
    pub tools: Vec<String>,
    /// Where to listen; standard input and output when absent.
    pub http: Option<SocketAddr>,
    /// Further host names under which clients come.
    pub allow_host: Vec<String>,
    /// Whether clients over HTTP need no token.
    pub no_token: bool,
    /// The settings of documents that are served in place of a project.
    pub config: Option<PathBuf>,
}

/// What a server speaks through.
pub struct Streams<'a> {
    /// What clients ask.
    pub input: &'a mut Box<dyn Read + Send>,
    /// What clients are answered.
    pub out: &'a mut Box<dyn Write + Send>,
    /// What people are told. It is the log of a server in the background from then on.
    pub err: &'a mut Box<dyn Write + Send>,
}

/// How a server ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// With its client, or because it was asked to.
    Done,
    /// It could not go on, and has said so.
    Failed,
}

/// A server that can be as it was asked for.
pub struct Setup {
    options: Options,
    tools: Arc<[tools::Row]>,
    /// The token that was given.
    token: Option<Token>,
}

impl Setup {
    /// Looks whether there can be such a server, before any is started.
    ///
    /// # Errors
    /// [`Error::InvalidParams`] for tools that are not known, a token that is too short, and an address that others
    /// reach without one.
    pub fn check(options: Options, environment: &Environment) -> Result<Self> {
        let tools = chosen(&options)?;
        let variable = http::TOKEN_VARIABLE;
        let token = environment.get(variable).map(|token| Token::new(token, variable)).transpose()?;
        if options.no_token && token.is_some() {
            return Err(Error::invalid(format!(
                "--no-token and {variable} contradict each other: leave out one"
            )));
        }
        if let Some(address) = options.http.filter(|_| options.no_token) {
            require(address, None, "leave out --no-token")?;
        }
        Ok(Self { options, tools, token })
    }

    /// Serves the project around `folder`, or the documents of the settings, until `cancel`; as the server `in_background`
    /// away from the terminal, with a log for all that there is to say.
    ///
    /// # Errors
    /// Those of opening a project; [`Error::Io`] when the address cannot be had; [`Error::InvalidParams`] when another
    /// server is in the background, or the client does not keep to the protocol.
    pub fn serve(
        self,
        folder: &Path,
        in_background: bool,
        mut streams: Streams<'_>,
        style: MessageStyle,
        environment: &Environment,
        cancel: &Cancel,
    ) -> Result<Ended> {
        let config = self.options.config.clone();
        let holding = match in_background {
            true => Some(hold(streams.err, &root(folder, config.as_deref(), environment)?)?),
            false => None,
        };
        let messages = Messages::over(streams.err, style);
        let messages = if config.is_some() { messages.with_levels() } else { messages };
        let result = serve(self, folder, holding, &mut streams, &messages, environment, cancel);
        if let Err(error) = &result {
            // The command says it too; here it gets its level, or its place in the log.
            if messages.has_levels() && !matches!(error, Error::Cancelled) {
                messages.log(Level::Fatal, &error.to_string());
                if !in_background {
                    return Ok(Ended::Failed);
                }
            }
        }
        result.map(|()| Ended::Done)
    }
}

/// The tools that were asked for. Whoever writes a `config.json` sets up a server of documents, which has all of its
/// tools.
fn chosen(options: &Options) -> Result<Arc<[tools::Row]>> {
    if options.config.is_some() && options.tools.iter().all(|name| name == documents::SET) {
        return tools::choose(&[documents::SET.to_owned()], true);
    }
    tools::choose(&options.tools, options.write)
}

/// The folder of the project that is served.
///
/// # Errors
/// [`Error::NoProject`]; those of [`documents::root`].
pub fn root(folder: &Path, config: Option<&Path>, environment: &Environment) -> Result<PathBuf> {
    match config {
        Some(config) => documents::root(config, environment),
        None => Ok(Project::find(folder)?.root),
    }
}

/// Becomes the server in the background.
fn hold(err: &mut Box<dyn Write + Send>, root: &Path) -> Result<Holding> {
    background::detach();
    let files = Files::of(root);
    let Some(holding) = Holding::take(&files)? else {
        return Err(match files.running()? {
            Some(running) => background::runs_already(&running),
            None => Error::invalid("another server of this project was started in the background just now"),
        });
    };
    let log = Log::open(files.log()).map_err(|error| Error::io(files.log().to_string_lossy(), error))?;
    *err = Box::new(log);
    Ok(holding)
}

fn serve(
    setup: Setup,
    folder: &Path,
    holding: Option<Holding>,
    streams: &mut Streams<'_>,
    messages: &Messages,
    environment: &Environment,
    cancel: &Cancel,
) -> Result<()> {
    let Setup { options: Options { http, allow_host, config, no_token, .. }, tools, token } = setup;
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
    let result = match http {
        Some(address) => {
            let access = match (no_token, token) {
                (true, _) => Access::All,
                (false, Some(token)) => Access::Given(token),
                (false, None) => Access::Kept(Files::of(live.root())),
            };
            let listening = Listening { address, further: &allow_host, holding: holding.as_ref(), access };
            runtime.block_on(over_http(server, listening, streams, messages, cancel))
        }
        None => runtime.block_on(over_stdio(server, streams, cancel)),
    };
    runtime.shutdown_timeout(FAREWELL);
    live.stop();
    if holding.is_some() {
        messages.say("ended");
    }
    result
}

async fn over_stdio(server: Server, streams: &mut Streams<'_>, cancel: &Cancel) -> Result<()> {
    let input = std::mem::replace(streams.input, Box::new(std::io::empty()));
    let output = std::mem::replace(streams.out, Box::new(std::io::sink()));
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
        ended = serve => ended?,
        () = asked_to_stop(cancel) => stop.cancel(),
    }
    Ok(())
}

/// Where a server listens, and who is told.
struct Listening<'a> {
    address: SocketAddr,
    further: &'a [String],
    holding: Option<&'a Holding>,
    access: Access,
}

/// Who may ask over HTTP.
enum Access {
    /// Every program on this machine.
    All,
    /// Whoever knows this token.
    Given(Token),
    /// Whoever knows the token that the project keeps.
    Kept(Files),
}

async fn over_http(
    server: Server,
    listening: Listening<'_>,
    streams: &mut Streams<'_>,
    messages: &Messages,
    cancel: &Cancel,
) -> Result<()> {
    let Listening { address, further, holding, access } = listening;
    let listener = bind(address).await?;
    let address = listener.local_addr().map_err(|error| Error::io(address.to_string(), error))?;
    let url = format!("http://{address}{}", http::PATH);
    messages.say(&format!("listening on {url}"));
    let (token, file) = match access {
        Access::All => {
            messages.say("every program on this machine may ask: --no-token");
            (None, None)
        }
        Access::Given(token) => (Some(token), None),
        Access::Kept(files) => {
            let (text, file) = files.token()?;
            // A log keeps what it is told, and more people read it.
            messages.say(&match holding {
                Some(_) => format!("clients send the token in {file} as `Authorization: Bearer …`"),
                None => format!(
                    "clients send `Authorization: Bearer {text}` (kept in {file}; --no-token turns it off)"
                ),
            });
            (Some(Token::new(&text, &file)?), Some(file))
        }
    };
    if let Some(holding) = holding {
        holding.announce(&url, file.as_deref(), streams.out, cancel)?;
    }
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
    Ok(())
}
