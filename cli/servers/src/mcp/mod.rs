//! The MCP server: the operation table for agents. It implements the protocol; answers come from the engine.
//!
//! **Invariants**
//! - A tool returns the answer of its operation, in the announced shape, to every client (the official ones, the
//!   inspector and the conformance suite run in `tests/mcp`).
//! - Input schemas have no unions, references or formats, and the tool listing stays within its size
//!   (`schema/tests.rs`, `tools/tests.rs`).
//! - The text of an answer takes at most `max_tokens` (`tests/tests/mcp.rs`).
//! - Agents make no more changes per minute than the manifest allows; failed changes do not count
//!   (`tests/tests/mcp/writing.rs`).
//! - Nothing but a client's answer to a question decides about a proposal, and nobody is asked twice about the same one
//!   (`asking/tests.rs`).
//! - Every answer to a tool or a read resource is recorded as the client got it, without waiting for the disk
//!   (`tests/tests/mcp/sessions.rs`).
//! - Only the protocol is written to standard output. A client that sends invalid messages, cancels or never reads
//!   uses a bounded amount of memory (`lines/tests.rs`).
//! - An agent reads the project as its rights show it, in tools, resources, completions and notifications
//!   (`tests/tests/mcp/rights.rs`).
//! - A client that moves to another worktree gets no answer about the one it left (`tests/tests/worktrees.rs`).
//! - A project has at most one server in the background, and no process is killed by its id
//!   (`tests/tests/background.rs`).

mod arguments;
mod asking;
mod author;
mod background;
mod call;
mod changes;
mod completion;
mod endpoint;
mod http;
pub mod hub;
mod hub_resources;
mod limit;
mod lines;
mod place;
mod prompts;
mod recording;
mod resources;
mod schema;
mod server;
mod session;
mod tools;

use std::io::{Read, Write};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use axum::Router;
use rmcp::service::{QuitReason, ServerInitializeError};
use rmcp::{ServerHandler, ServiceExt};
use tokio_util::sync::CancellationToken;
use ubp_core::manifest::Right;
use ubp_core::message;
use ubp_core::progress::Cancel;
use ubp_core::{Error, Result};
use ubp_host::documents::{self, Level};
use ubp_host::live::{Live, ParentWatch, Views};
use ubp_host::{Environment, Project};

use crate::http::named_tokens::{Tokens, require_author};
use crate::http::{FAREWELL, Names, Token, asked_to_stop, bind, inherited, require};
use crate::messages::{MessageStyle, Messages};

use asking::Asking;
pub use background::{Files, Report, start};
use background::{Holding, Log};
use endpoint::Endpoint;
use place::Place;
use server::Server;

/// What clients may do to pages.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Writing {
    /// Only read.
    #[default]
    No,
    /// Propose changes, which people accept or reject.
    Propose,
    /// Change pages.
    Apply,
}

/// MCP over HTTP as part of another server, until `stop`, for clients with `token` or a named one. Tools that make changes
/// are included as `write` says.
///
/// # Errors
/// [`Error::Internal`]; those of [`Tokens::all`].
pub(crate) fn router(
    live: &Arc<Live>,
    write: Writing,
    names: &Names,
    token: Token,
    stop: CancellationToken,
) -> Result<Router> {
    let views = Views::of(live.clone());
    let tools = tools::choose(&[], offered(&views, write)?)?;
    let tokens = Tokens::of(live.root());
    let server = Server::new(Place::fixed(views), tools, write);
    let access = http::Access { token: Some(token), tokens, endpoint: None };
    Ok(http::router(move || server.for_another_client(), names, access, stop))
}

/// Options of a server.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Whether clients may change pages.
    pub write: Writing,
    /// The name that clients go by, for the audit log and their rights; `None` for the names that they give themselves.
    pub named: Option<String>,
    /// Sets and names of tools; empty for the default ones.
    pub tools: Vec<String>,
    /// Address to listen on; `None` for standard input and output.
    pub http: Option<SocketAddr>,
    /// Additional host names of the server.
    pub allow_host: Vec<String>,
    /// Whether to accept HTTP clients without a token.
    pub no_token: bool,
    /// Settings file for serving documents instead of a project.
    pub config: Option<PathBuf>,
    /// Whether answers are not recorded, whatever the settings of the project say.
    pub no_sessions: bool,
}

/// The streams of a server.
pub struct Streams<'a> {
    /// Requests of the client.
    pub input: &'a mut Box<dyn Read + Send>,
    /// Answers to the client.
    pub out: &'a mut Box<dyn Write + Send>,
    /// Messages for people. Replaced by the log for a server in the background.
    pub err: &'a mut Box<dyn Write + Send>,
}

/// How a server ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// The client disconnected, or the server was stopped.
    Done,
    /// An error, which was reported.
    Failed,
}

/// Checked options of a server.
pub struct Setup {
    options: Options,
    tools: Arc<[tools::Row]>,
    /// The token given by the user.
    token: Option<Token>,
}

impl Setup {
    /// Checks options before a server is started.
    ///
    /// # Errors
    /// [`Error::InvalidParams`] for unknown tools, a token that is too short, and an address that other machines can
    /// reach without a token.
    pub fn check(options: Options, environment: &Environment) -> Result<Self> {
        let tools = chosen(&options, options.write)?;
        options.named.as_deref().map(require_author).transpose()?;
        let variable = http::TOKEN_VARIABLE;
        let token = environment.get(variable).map(|token| Token::new(token, variable)).transpose()?;
        if options.no_token && token.is_some() {
            return Err(Error::invalid(message!("--no-token and {variable} cannot be combined", variable)));
        }
        if let Some(address) = options.http.filter(|_| options.no_token) {
            require(address, None, message!("leave out --no-token"))?;
        }
        Ok(Self { options, tools, token })
    }

    /// Serves the project around `folder`, or the documents of the settings, until `cancel`. With `in_background` it is
    /// the project's background server, detached from the terminal, with messages in a log.
    ///
    /// # Errors
    /// Those of opening a project; [`Error::Io`] if the address cannot be bound; [`Error::InvalidParams`] if another
    /// background server is running, or the client violates the protocol.
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
            // The command prints the error as well. This one has a level, or goes to the log.
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

/// The requested tools. With a `config.json`, these are all tools of the set for documents.
fn chosen(options: &Options, write: Writing) -> Result<Arc<[tools::Row]>> {
    if options.config.is_some() && options.tools.iter().all(|name| name == documents::SET) {
        return tools::choose(&[documents::SET.to_owned()], Writing::Apply);
    }
    tools::choose(&options.tools, write)
}

/// What the tools have to be for. Where changes are made at once, some authors may only propose them in some places.
fn offered(views: &Views, write: Writing) -> Result<Writing> {
    let proposes = write == Writing::Apply && {
        // If the list is damaged, no token is valid.
        let tokens = Tokens::of(views.whole().root()).all().unwrap_or_default();
        let given = tokens.iter().flat_map(|token| &token.rights).map(|rule| rule.right);
        views
            .whole()
            .manifest()?
            .rights
            .iter()
            .map(|rule| rule.right)
            .chain(given)
            .any(|right| right == Right::Propose)
    };
    Ok(if proposes { Writing::Propose } else { write })
}

/// The folder of the served project.
///
/// # Errors
/// [`Error::NoProject`]; those of [`documents::root`].
pub fn root(folder: &Path, config: Option<&Path>, environment: &Environment) -> Result<PathBuf> {
    match config {
        Some(config) => documents::root(config, environment),
        None => Ok(Project::find(folder)?.root),
    }
}

/// Takes the lock of the background server.
fn hold(err: &mut Box<dyn Write + Send>, root: &Path) -> Result<Holding> {
    background::detach();
    let files = Files::of(root);
    let Some(holding) = Holding::take(&files)? else {
        return Err(match files.running()? {
            Some(running) => background::runs_already(&running),
            None => {
                Error::invalid(message!("another server of this project was just started in the background"))
            }
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
    let Setup { options, tools, token } = setup;
    let Options { write, named, http, allow_host, config, no_token, no_sessions, .. } = options.clone();
    let live = match &config {
        None => Live::start(Project::find(folder)?, environment, messages.notices())?,
        Some(config) => {
            let served = documents::open(config, environment, &|level, text| messages.log(level, text))?;
            Live::start_finding(served.project, environment, messages.notices(), served.find_model)?
        }
    };
    let views = Views::of(live.clone());
    let tools = match offered(&views, write)? {
        offered if offered == write => tools,
        offered => chosen(&options, offered)?,
    };
    let place = match http.is_none() && config.is_none() {
        true => Place::following(views, environment.clone(), messages.notices()),
        false => Place::fixed(views),
    };
    let mut server = Server::new(place, tools, write);
    let place = server.place.clone();
    server.named = named;
    server.asking = Arc::new(Asking::in_language(messages.language()));
    if config.is_some() {
        server.failed = Some(messages.failures());
    }
    if no_sessions {
        server.recording = None;
    }
    let runtime = runtime()?;
    let result = match http {
        Some(address) => {
            let access = match (no_token, token) {
                (true, _) => Access::All,
                (false, Some(token)) => Access::Given(token),
                (false, None) => Access::Kept(Files::of(live.root())),
            };
            let (holding, tokens) = (holding.as_ref(), Tokens::of(live.root()));
            let listening =
                Listening { address, further: &allow_host, holding, access, tokens, endpoint: None };
            let client = move || server.for_another_client();
            runtime.block_on(over_http(client, listening, streams, messages, cancel))
        }
        None => {
            let changes = server.place.changes();
            runtime.block_on(over_stdio(server, Some(changes), streams, cancel))
        }
    };
    runtime.shutdown_timeout(FAREWELL);
    place.views().stop();
    if holding.is_some() {
        messages.say(&message!("ended"));
    }
    result
}

fn runtime() -> Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .max_blocking_threads(16)
        .enable_io()
        .enable_time()
        .build()
        .map_err(|error| Error::Internal(error.to_string()))
}

/// Serves one client. `changes` counts its messages that the folders it works in changed.
async fn over_stdio(
    server: impl ServerHandler,
    changes: Option<Arc<AtomicU64>>,
    streams: &mut Streams<'_>,
    cancel: &Cancel,
) -> Result<()> {
    let input = std::mem::replace(streams.input, Box::new(std::io::empty()));
    let output = std::mem::replace(streams.out, Box::new(std::io::sink()));
    let stop = CancellationToken::new();
    let orphaned = cancel.clone();
    let _parent = ParentWatch::start(move || orphaned.request());
    let lines = lines::Lines::over(input, output);
    let lines = match changes {
        Some(changes) => lines.counting(changes),
        None => lines,
    };
    let serve = async {
        let serving = server.serve_with_ct(lines, stop.clone()).await;
        match serving {
            Ok(service) => match service.waiting().await {
                Ok(QuitReason::JoinError(error)) | Err(error) => Err(Error::Internal(error.to_string())),
                Ok(_) => Ok(()),
            },
            // A client may start the server only to test it, and disconnect.
            Err(ServerInitializeError::ConnectionClosed(_) | ServerInitializeError::Cancelled) => Ok(()),
            Err(error) => Err(Error::invalid(message!(
                "the client did not initialize the connection as the protocol requires: {error}",
                error = error.to_string()
            ))),
        }
    };
    tokio::select! {
        ended = serve => ended?,
        () = asked_to_stop(cancel) => stop.cancel(),
    }
    Ok(())
}

/// How a server listens.
struct Listening<'a> {
    address: SocketAddr,
    further: &'a [String],
    holding: Option<&'a Holding>,
    access: Access,
    /// Tokens that give clients a name.
    tokens: Tokens,
    endpoint: Option<Arc<Endpoint>>,
}

/// Who may send requests over HTTP.
enum Access {
    /// Every program on this machine.
    All,
    /// Clients with this token, given by the user.
    Given(Token),
    /// Clients with the token stored in the project.
    Kept(Files),
}

async fn over_http<S: ServerHandler>(
    client: impl Fn() -> S + Send + Sync + 'static,
    listening: Listening<'_>,
    streams: &mut Streams<'_>,
    messages: &Messages,
    cancel: &Cancel,
) -> Result<()> {
    let Listening { address, further, holding, access, tokens, endpoint } = listening;
    let listener = match &endpoint {
        Some(endpoint) if endpoint.gives_its_socket() => inherited()?,
        _ => bind(address).await?,
    };
    let address = listener.local_addr().map_err(|error| Error::io(address.to_string(), error))?;
    if matches!(access, Access::All) {
        require(address, None, message!("leave out --no-token"))?;
    }
    let url = format!("http://{address}{}", http::PATH);
    messages.say(&message!("listening on {url}", url));
    let (token, file) = match access {
        Access::All => {
            messages.say(&message!("no token needed: every program on this machine has access (--no-token)"));
            (None, None)
        }
        Access::Given(token) => (Some(token), None),
        Access::Kept(files) => {
            let (text, file) = files.token()?;
            // The log names only the file: logs are kept and read by more people.
            let is_logged =
                holding.is_some() || endpoint.as_ref().is_some_and(|endpoint| endpoint.is_logged());
            messages.say(&match is_logged {
                true => message!("clients send the token in {file} as `Authorization: Bearer …`", file),
                false => message!(
                    "clients send `Authorization: Bearer {text}` (stored in {file}; --no-token turns it off)",
                    text,
                    file
                ),
            });
            (Some(Token::new(&text, &file)?), Some(file))
        }
    };
    if let Some(holding) = holding {
        holding.announce(&url, file.as_deref(), streams.out, cancel)?;
    }
    let stop = http::Stop::default();
    let access = http::Access { token, tokens, endpoint: endpoint.clone() };
    let serve = http::serve(client, listener, further, access, stop.clone());
    let mut serve = std::pin::pin!(serve);
    tokio::select! {
        ended = &mut serve => ended?,
        () = asked_to_stop(cancel) => {
            if let Some(endpoint) = endpoint {
                endpoint.leave();
                messages.say(&message!("ending, once all calls are answered; Ctrl-C ends at once"));
                if endpoint.gives_its_socket() {
                    stop.listening.cancel();
                }
                tokio::select! {
                    ended = &mut serve => return ended,
                    () = endpoint.drain() => {}
                }
            }
            stop.all();
            if let Ok(ended) = tokio::time::timeout(FAREWELL, serve).await {
                ended?;
            }
        }
    }
    Ok(())
}
