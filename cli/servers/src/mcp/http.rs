//! MCP over HTTP, at `/mcp`, for a limited number of clients. By default it accepts only this machine, and clients need
//! a token.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, Method, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use jiff::Timestamp;
use rmcp::ServerHandler;
use rmcp::model::{ClientJsonRpcMessage, ClientRequest};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::session::{SessionId, SessionManager};
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use ubp_core::{Error, Result};

use super::endpoint::{Endpoint, HEALTH, METRICS, Refusal, Refused, refusal};
use super::lines;
use crate::http::named_tokens::{NamedToken, Tokens};
use crate::http::{self, Limits, Names, Token, bearer};

/// Path of the endpoint.
pub(super) const PATH: &str = "/mcp";
/// The environment variable that holds the token.
pub(super) const TOKEN_VARIABLE: &str = "UBP_MCP_TOKEN";
/// Limit on the bytes of a message, as on standard streams.
const LONGEST_BODY: usize = lines::LONGEST as usize;
/// Limit on open sessions.
const MOST_SESSIONS: usize = 64;
/// Time after which an idle session expires. It is long because not all clients reconnect by themselves.
const SILENCE: Duration = Duration::from_secs(24 * 60 * 60);
/// Idle time after which a session is dropped to make room for another.
const IDLE: Duration = Duration::from_secs(5 * 60);
/// The same for a session with no request except those that start it.
const UNUSED: Duration = Duration::from_secs(10);
/// Requests that start a session: `initialize`, `notifications/initialized`, and the stream for server messages.
const BEGINNING: usize = 3;
/// The first protocol revision without sessions. Revisions are dates, which sort as text.
const WITHOUT_SESSIONS: &str = "2026-07-28";
const SESSION_HEADER: &str = "mcp-session-id";
const VERSION_HEADER: &str = "mcp-protocol-version";

/// Ends a server in two steps.
#[derive(Clone, Default)]
pub(super) struct Stop {
    /// No more connections are accepted, and open ones end after their requests.
    pub listening: CancellationToken,
    /// The clients are disconnected.
    pub clients: CancellationToken,
}

impl Stop {
    pub(super) fn all(&self) {
        self.listening.cancel();
        self.clients.cancel();
    }
}

/// Who may send requests.
pub(super) struct Access {
    /// The token that clients need; `None` if there is none.
    pub token: Option<Token>,
    /// Tokens that give clients a name.
    pub tokens: Tokens,
    /// What the server has for many clients.
    pub endpoint: Option<Arc<Endpoint>>,
}

struct Gate {
    names: Names,
    /// The required token; `None` if there is none.
    token: Option<Token>,
    /// Tokens that give clients a name.
    tokens: Tokens,
    endpoint: Option<Arc<Endpoint>>,
    longest: usize,
    sessions: Arc<LocalSessionManager>,
    asked: Mutex<HashMap<String, Asked>>,
    idle: Duration,
    unused: Duration,
}

/// Activity of a session.
#[derive(Debug, Clone)]
struct Asked {
    last: Instant,
    requests: usize,
    /// The name of the token of its first request.
    author: Option<String>,
}

impl Gate {
    fn asked(&self) -> MutexGuard<'_, HashMap<String, Asked>> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records a request in a session.
    fn note(&self, session: String, author: Option<String>) {
        let mut asked = self.asked();
        let known = asked.entry(session).or_insert(Asked { last: Instant::now(), requests: 0, author });
        (known.last, known.requests) = (Instant::now(), known.requests + 1);
    }

    /// Whether the session is that of another author.
    fn is_of_another(&self, session: &str, author: Option<&str>) -> bool {
        self.asked().get(session).is_some_and(|asked| asked.author.as_deref() != author)
    }

    /// The named token that a request has; `None` if it has none.
    fn named(&self, headers: &HeaderMap) -> Option<NamedToken> {
        // If the list is damaged, no token is valid.
        self.tokens.find(bearer(headers)?, Timestamp::now()).ok()?
    }

    /// Whether a session may be dropped to make room.
    fn idle(&self, asked: &Asked) -> bool {
        let patience = if asked.requests <= BEGINNING { self.unused } else { self.idle };
        asked.last.elapsed() >= patience
    }

    /// Whether another session may start. Drops the one that was idle longest if there is no room otherwise.
    async fn has_room(&self) -> bool {
        let open: Vec<SessionId> = self.sessions.sessions.read().await.keys().cloned().collect();
        let silent = {
            let mut asked = self.asked();
            asked.retain(|id, _| open.iter().any(|open| **open == **id));
            if open.len() < MOST_SESSIONS {
                return true;
            }
            let last = |id: &SessionId| asked.get(&**id);
            open.iter()
                .filter(|id| last(id).is_some_and(|asked| self.idle(asked)))
                .min_by_key(|id| last(id).map(|asked| asked.last))
        };
        match silent {
            Some(id) => self.sessions.close_session(id).await.is_ok(),
            None => false,
        }
    }
}

/// The router that serves [`PATH`] until `stop`, with a server of its own for each client.
pub(super) fn router<S: ServerHandler>(
    client: impl Fn() -> S + Send + Sync + 'static,
    names: &Names,
    access: Access,
    stop: CancellationToken,
) -> Router {
    let longest = access.endpoint.as_ref().map_or(LONGEST_BODY, |endpoint| endpoint.longest());
    let Access { token, tokens, endpoint } = access;
    let mut config = StreamableHttpServerConfig::default();
    config.cancellation_token = stop;
    // The gate checks host names instead, and more strictly.
    let config =
        config.disable_allowed_hosts().disable_allowed_origins().with_max_request_body_bytes(longest);
    let mut sessions = LocalSessionManager::default();
    sessions.session_config.keep_alive = Some(SILENCE);
    let sessions = Arc::new(sessions);
    let service = StreamableHttpService::new(move || Ok(client()), sessions.clone(), config);
    let gate = Arc::new(Gate {
        names: names.clone(),
        token,
        tokens,
        endpoint,
        longest,
        sessions,
        asked: Mutex::default(),
        idle: IDLE,
        unused: UNUSED,
    });
    Router::new().route_service(PATH, service).layer(middleware::from_fn_with_state(gate, check))
}

/// Serves until `stop`.
///
/// # Errors
/// [`Error::Io`] if the listener fails.
pub(super) async fn serve<S: ServerHandler>(
    client: impl Fn() -> S + Send + Sync + 'static,
    listener: TcpListener,
    further: &[String],
    access: Access,
    stop: Stop,
) -> Result<()> {
    let address = listener.local_addr().map_err(|error| Error::io("the listener", error))?;
    let usual = Limits::default();
    let limits = match &access.endpoint {
        Some(endpoint) => Limits { open: endpoint.connections.clone(), grace: endpoint.grace(), ..usual },
        None => usual,
    };
    let mut names = Names::of(address, further);
    if let Some(url) = access.endpoint.as_ref().and_then(|endpoint| endpoint.url()) {
        names.also(url);
    }
    let router = router(client, &names, access, stop.clients);
    http::serve(listener, router, limits, stop.listening).await;
    Ok(())
}

async fn check(State(gate): State<Arc<Gate>>, request: Request, next: Next) -> Response {
    let foreign = gate.names.refusal(request.method(), request.uri(), request.headers());
    if let Some(endpoint) = &gate.endpoint
        && [Method::GET, Method::HEAD].contains(request.method())
        && request.uri().path() == HEALTH
    {
        return endpoint.healthy(foreign.is_none()).await;
    }
    let answer = match foreign {
        Some(why) => {
            let why = format!("{why}; --allow-host adds a name\n");
            Err(refusal(Refused::Host, (StatusCode::FORBIDDEN, why)))
        }
        None => match gate.description(&request) {
            Some(description) => Ok(description),
            None => gate.answer(request, next).await,
        },
    };
    answer.unwrap_or_else(|refusal| {
        let (why, response) = *refusal;
        if let Some(endpoint) = &gate.endpoint {
            endpoint.refused(why);
        }
        response
    })
}

impl Gate {
    /// What the server is as a resource, which clients read before they have a token.
    fn description(&self, request: &Request) -> Option<Response> {
        let endpoint = self.endpoint.as_ref().filter(|_| request.method() == Method::GET)?;
        endpoint.description(request.uri().path())
    }

    /// The answer to a request under a known host name.
    ///
    /// # Errors
    /// The answer if the request is not let in.
    async fn answer(&self, mut request: Request, next: Next) -> std::result::Result<Response, Refusal> {
        let sent = bearer(request.headers());
        let mut named = self.named(request.headers());
        if let (None, Some(endpoint), Some(sent)) = (&named, &self.endpoint, sent) {
            named = endpoint.reader(sent, &self.tokens).await;
        }
        if let Some(token) = &self.token
            && named.is_none()
            && !sent.is_some_and(|sent| token.is(sent))
        {
            let challenge = self.endpoint.as_ref().and_then(|endpoint| endpoint.challenge(sent.is_some()));
            let wanted = [(header::WWW_AUTHENTICATE, challenge.unwrap_or_else(|| "Bearer".into()))];
            let answer = (StatusCode::UNAUTHORIZED, wanted, "missing or wrong token\n");
            return Err(refusal(Refused::Token, answer));
        }
        if let Some(endpoint) = &self.endpoint
            && request.method() == Method::GET
            && request.uri().path() == METRICS
        {
            return Ok(endpoint.measured(self.sessions.sessions.read().await.len()).await);
        }
        let author = named.as_ref().map(|named| named.name.clone());
        let mut admitted = match &self.endpoint {
            Some(endpoint) => endpoint.admit(request.method(), author.as_deref())?,
            None => None,
        };
        if let Some(named) = named {
            request.extensions_mut().insert(Arc::new(named));
        }
        let session = text(request.headers(), SESSION_HEADER);
        if session.as_deref().is_some_and(|session| self.is_of_another(session, author.as_deref())) {
            return Ok((StatusCode::NOT_FOUND, "unknown session\n").into_response());
        }
        let has_sessions =
            text(request.headers(), VERSION_HEADER).is_none_or(|version| *version < *WITHOUT_SESSIONS);
        if session.is_none() && has_sessions && !self.has_room().await {
            let answer = (StatusCode::SERVICE_UNAVAILABLE, "too many clients are connected\n");
            return Err(refusal(Refused::Busy, answer));
        }
        let (mut request, is_call) = match read(request, self.longest).await {
            Ok(read) => read,
            Err(answer)
                if [StatusCode::PAYLOAD_TOO_LARGE, StatusCode::REQUEST_TIMEOUT]
                    .contains(&answer.status()) =>
            {
                return Err(refusal(Refused::Size, answer));
            }
            Err(answer) => return Ok(answer),
        };
        if let Some(endpoint) = self.endpoint.as_ref().filter(|_| is_call) {
            let place = endpoint.place()?;
            request.extensions_mut().insert(place.clone());
            admitted = admitted.map(|admitted| admitted.in_place(place));
        }
        let response = next.run(request).await;
        let response = match admitted {
            Some(admitted) => admitted.held_by(response),
            None => response,
        };
        if response.status().is_success()
            && let Some(session) = session.or_else(|| text(response.headers(), SESSION_HEADER))
        {
            self.note(session, author);
        }
        Ok(response)
    }
}

/// Reads the message of the request, and whether it calls a tool. If it is invalid, returns the same answer as a server on
/// standard streams.
async fn read(request: Request, longest: usize) -> std::result::Result<(Request, bool), Response> {
    let is_json = text(request.headers(), header::CONTENT_TYPE.as_str()).is_some_and(|kind| {
        kind.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case("application/json")
    });
    if request.method() != Method::POST || !is_json {
        return Ok((request, false));
    }
    let (parts, body) = request.into_parts();
    let bytes = http::body(body, longest).await.map_err(|status| {
        let limit = if longest >= 1 << 20 {
            format!("{} MB", longest >> 20)
        } else {
            format!("{} KB", longest >> 10)
        };
        (status, format!("a message may have at most {limit}, and must arrive within a minute\n"))
            .into_response()
    })?;
    let error = match lines::parse(&bytes) {
        Ok(Some(message)) => {
            let is_call = matches!(
                &message,
                ClientJsonRpcMessage::Request(request) if matches!(request.request, ClientRequest::CallToolRequest(_))
            );
            return Ok((Request::from_parts(parts, Body::from(bytes)), is_call));
        }
        // Unknown notifications are ignored.
        Ok(None) if !bytes.trim_ascii().is_empty() => return Err(StatusCode::ACCEPTED.into_response()),
        Ok(None) => lines::no_message(),
        Err(error) => error,
    };
    Err((StatusCode::BAD_REQUEST, axum::Json(error)).into_response())
}

fn text(headers: &HeaderMap, name: &str) -> Option<String> {
    headers.get(name)?.to_str().ok().map(str::to_owned)
}

#[cfg(test)]
mod tests;
