//! The protocol over HTTP, at `/mcp`, for as many clients as have room. It answers to this machine alone
//! unless told otherwise, and then only to those who know a token.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use axum::Router;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::session::{SessionId, SessionManager};
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use ubp_core::{Error, Result};

use super::server::Server;
use crate::http::{Names, Token, bearer};

/// Where the protocol is spoken.
pub(super) const PATH: &str = "/mcp";
/// The environment variable that holds the token.
pub(super) const TOKEN_VARIABLE: &str = "UBP_MCP_TOKEN";
/// Sessions that may be open at once.
const MOST_SESSIONS: usize = 64;
/// How long a session lasts in which nothing is asked: a person may read, eat or sleep, and clients do
/// not all begin anew by themselves.
const SILENCE: Duration = Duration::from_secs(24 * 60 * 60);
/// How long a session was silent that has to go where another one wants in.
const IDLE: Duration = Duration::from_secs(5 * 60);
/// The first revision of the protocol without sessions. Revisions are dates, which sort as text.
const WITHOUT_SESSIONS: &str = "2026-07-28";
const SESSION_HEADER: &str = "mcp-session-id";
const VERSION_HEADER: &str = "mcp-protocol-version";

struct Gate {
    /// What clients have to know.
    token: Option<Token>,
    sessions: Arc<LocalSessionManager>,
    /// When something was last asked in each session.
    asked: Mutex<HashMap<String, Instant>>,
    idle: Duration,
}

impl Gate {
    fn asked(&self) -> MutexGuard<'_, HashMap<String, Instant>> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether a session more may begin; the one that was silent longest makes room if it was idle.
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
                .filter(|id| last(id).is_some_and(|asked| asked.elapsed() >= self.idle))
                .min_by_key(|id| last(id))
        };
        match silent {
            Some(id) => self.sessions.close_session(id).await.is_ok(),
            None => false,
        }
    }
}

/// What answers at [`PATH`] until `stop`.
pub(super) fn router(server: Server, names: &Names, token: Option<Token>, stop: CancellationToken) -> Router {
    let mut config = StreamableHttpServerConfig::default();
    config.cancellation_token = stop;
    let config = config
        .with_allowed_hosts(names.hosts.clone())
        .with_allowed_origins(names.origins.clone())
        .enforce_origin_validation();
    let mut sessions = LocalSessionManager::default();
    sessions.session_config.keep_alive = Some(SILENCE);
    let sessions = Arc::new(sessions);
    let service =
        StreamableHttpService::new(move || Ok(server.for_another_client()), sessions.clone(), config);
    let gate = Arc::new(Gate { token, sessions, asked: Mutex::default(), idle: IDLE });
    Router::new().route_service(PATH, service).layer(middleware::from_fn_with_state(gate, check))
}

/// Serves until `stop`.
///
/// # Errors
/// [`Error::Io`] when the listener fails.
pub(super) async fn serve(
    server: Server,
    listener: TcpListener,
    further: &[String],
    token: Option<Token>,
    stop: CancellationToken,
) -> Result<()> {
    let address = listener.local_addr().map_err(|error| Error::io("the listener", error))?;
    let router = router(server, &Names::of(address, further), token, stop.clone());
    axum::serve(listener, router)
        .with_graceful_shutdown(async move { stop.cancelled().await })
        .await
        .map_err(|error| Error::io(address.to_string(), error))
}

async fn check(State(gate): State<Arc<Gate>>, request: Request, next: Next) -> Response {
    if let Some(token) = &gate.token
        && !bearer(request.headers()).is_some_and(|sent| token.is(sent))
    {
        let wanted = [(header::WWW_AUTHENTICATE, "Bearer")];
        return (StatusCode::UNAUTHORIZED, wanted, "a token is needed\n").into_response();
    }
    let session = text(request.headers(), SESSION_HEADER);
    let has_sessions =
        text(request.headers(), VERSION_HEADER).is_none_or(|version| *version < *WITHOUT_SESSIONS);
    if session.is_none() && has_sessions && !gate.has_room().await {
        return (StatusCode::SERVICE_UNAVAILABLE, "too many clients are connected\n").into_response();
    }
    let response = next.run(request).await;
    if response.status().is_success()
        && let Some(session) = session.or_else(|| text(response.headers(), SESSION_HEADER))
    {
        gate.asked().insert(session, Instant::now());
    }
    response
}

fn text(headers: &HeaderMap, name: &str) -> Option<String> {
    headers.get(name)?.to_str().ok().map(str::to_owned)
}

#[cfg(test)]
mod tests;
