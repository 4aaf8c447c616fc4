//! Lets guests in. A link carries its secret behind `#`, which browsers send to no server. The page at [`ENTRY`] takes it out of
//! the address, and exchanges it for a cookie that scripts cannot read and other sites cannot send.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use axum::extract::{Request, State};
use axum::http::{HeaderMap, Method, StatusCode, Uri, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use jiff::Timestamp;
use serde::Deserialize;
use ubp_core::export::LONE_STYLE;
use ubp_core::hint::Voice as _;
use ubp_core::message;
use ubp_core::message::{Language, Message};

use super::Sharing;
use super::links::pass;
use crate::http::{Names, Peer, random};
use crate::viewer::{Refusal, notice, parameters, voice};

/// Address of links. No page has it, because its folder is hidden.
pub(crate) const ENTRY: &str = "/.guest";

/// How long the answer to a wrong link is held back.
const SLOW: Duration = Duration::from_millis(300);

/// Limit on the bytes of a request with a secret.
const LONGEST: usize = 1_000;

/// How long a browser keeps the cookie of a link that does not expire, in seconds. Browsers allow no more.
const KEPT: i64 = 400 * 24 * 60 * 60;

/// Who may come in.
pub(crate) struct GuestGate {
    pub names: Names,
    /// The port of the server; behind a proxy, that of the proxy decides.
    pub port: u16,
    /// Whether browsers reach it over TLS.
    pub is_secure: bool,
    /// Whether a proxy says where requests come from.
    pub is_proxied: bool,
    pub languages: Vec<Language>,
    pub sharing: Arc<Sharing>,
}

impl GuestGate {
    /// Name of the cookie. The prefix tells browsers to take it only over TLS from this host. It contains the port, because
    /// browsers share cookies between ports.
    fn cookie(&self) -> String {
        let prefix = if self.is_secure { "__Host-" } else { "" };
        format!("{prefix}ubp-guest-{}", self.port)
    }

    /// The pass that a browser sends.
    fn sent(&self, headers: &HeaderMap) -> Option<String> {
        let cookie = self.cookie();
        let cookies = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
        let mut pairs =
            cookies.flat_map(|value| value.split(';')).filter_map(|pair| pair.trim().split_once('='));
        pairs.find(|(name, _)| *name == cookie).map(|(_, value)| value.to_owned())
    }

    /// Why the host or origin of a request is refused. An address of this machine needs no listing: only names can be made to
    /// lead here by others.
    fn refusal(&self, method: &Method, uri: &Uri, headers: &HeaderMap) -> Option<&'static str> {
        let host = headers.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
        let is_address = match host.parse::<SocketAddr>() {
            Ok(address) => address.port() == self.port,
            Err(_) => self.port == 443 && host.trim_matches(['[', ']']).parse::<IpAddr>().is_ok(),
        };
        let scheme = if self.is_secure { "https" } else { "http" };
        match format!("{scheme}://{host}").parse() {
            Ok(url) if is_address && !self.is_proxied => {
                let mut names = self.names.clone();
                names.also(&url);
                names.refusal(method, uri, headers)
            }
            _ => self.names.refusal(method, uri, headers),
        }
    }

    /// Where a request comes from. A proxy adds the address at the end of what a client may have sent.
    fn address(&self, request: &Request) -> IpAddr {
        let peer = request.extensions().get::<Peer>().map_or(IpAddr::from([0, 0, 0, 0]), |peer| peer.0.ip());
        if !self.is_proxied {
            return peer;
        }
        let told = request.headers().get_all("x-forwarded-for").iter().next_back();
        let last = told.and_then(|told| told.to_str().ok()).and_then(|told| told.rsplit(',').next());
        last.and_then(|last| last.trim().parse().ok()).unwrap_or(peer)
    }
}

/// Lets a request of a guest pass, with the guest as an extension.
pub(crate) async fn check(State(gate): State<Arc<GuestGate>>, mut request: Request, next: Next) -> Response {
    let (method, headers) = (request.method(), request.headers());
    let address = gate.address(&request);
    if let Some(why) = gate.refusal(method, request.uri(), headers) {
        let voice = voice(headers, &gate.languages);
        let way = message!("`ubp viewer --share --allow-host NAME` adds a name");
        return Refusal::new(StatusCode::FORBIDDEN, "forbidden", Message::word(why).told(&voice))
            .hint(way.told(&voice))
            .into_response();
    }
    if request.uri().path() == ENTRY {
        return enter(&gate, address, request).await;
    }
    let Some(sent) = gate.sent(headers) else { return stranger(&gate, headers) };
    let guest = match gate.sharing.guest(&sent) {
        Ok(Some(guest)) => guest,
        Ok(None) => return wrong(&gate, address, request.headers()).await,
        Err(error) => return Refusal::told(&error, &voice(headers, &gate.languages)).into_response(),
    };
    // Browsers ask once for each file of the web app.
    if !request.uri().path().starts_with("/assets/")
        && let Err(wait) = gate.sharing.count(&guest)
    {
        return later(&gate, request.headers(), wait);
    }
    request.extensions_mut().insert(guest);
    next.run(request).await
}

/// The answer to a wrong cookie or secret.
async fn wrong(gate: &GuestGate, address: IpAddr, headers: &HeaderMap) -> Response {
    if let Some(wait) = gate.sharing.must_wait(address) {
        return later(gate, headers, wait);
    }
    gate.sharing.failed(address);
    tokio::time::sleep(SLOW).await;
    stranger(gate, headers)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entering {
    secret: String,
}

/// Answers at [`ENTRY`].
async fn enter(gate: &GuestGate, address: IpAddr, request: Request) -> Response {
    let voice = voice(request.headers(), &gate.languages);
    match *request.method() {
        Method::GET | Method::HEAD => return entry_page(gate, request.headers()),
        Method::POST => {}
        _ => return (StatusCode::METHOD_NOT_ALLOWED, [(header::ALLOW, "GET, HEAD, POST")]).into_response(),
    }
    // Nothing is compared until an address that guesses has waited.
    if let Some(wait) = gate.sharing.must_wait(address) {
        return later(gate, request.headers(), wait);
    }
    let (parts, body) = request.into_parts();
    let body = match parameters(&parts.headers, body, LONGEST, &voice).await {
        Ok(body) => body,
        Err(refusal) => return refusal.into_response(),
    };
    let Ok(Entering { secret }) = serde_json::from_slice(&body) else {
        return wrong(gate, address, &parts.headers).await;
    };
    let pass = pass(&secret);
    let now = Timestamp::now();
    let link = match gate.sharing.links.find(&pass, now) {
        Ok(Some(link)) => link,
        Ok(None) => return wrong(gate, address, &parts.headers).await,
        Err(error) => return Refusal::told(&error, &voice).into_response(),
    };
    let left = link.expires_at.map_or(KEPT, |end| end.duration_since(now).as_secs().clamp(1, KEPT));
    let secure = if gate.is_secure { "; Secure" } else { "" };
    let name = gate.cookie();
    let cookie = format!("{name}={pass}; Path=/; HttpOnly; SameSite=Strict; Max-Age={left}{secure}");
    (StatusCode::NO_CONTENT, [(header::SET_COOKIE, cookie)]).into_response()
}

/// The page that exchanges the secret behind `#` for the cookie.
fn entry_page(gate: &GuestGate, headers: &HeaderMap) -> Response {
    let voice = voice(headers, &gate.languages);
    let (title, text) =
        (message!("Opening the link").told(&voice), message!("This needs JavaScript.").told(&voice));
    let language = voice.language().tag();
    let nonce = random();
    let policy = format!(
        "default-src 'none'; script-src 'nonce-{nonce}'; style-src 'nonce-{nonce}'; connect-src 'self'; \
         frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
    );
    let page = format!(
        "<!doctype html>\n<html lang=\"{language}\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n<title>{title}</title>\n\
         <style nonce=\"{nonce}\">{LONE_STYLE}</style>\n</head>\n<body>\n<main>\n<h1>{title}</h1>\n\
         <p><noscript>{text}</noscript></p>\n</main>\n<script nonce=\"{nonce}\">{SCRIPT}</script>\n</body>\n</html>\n"
    );
    let headers =
        [(header::CONTENT_TYPE, "text/html; charset=utf-8"), (header::CONTENT_SECURITY_POLICY, &policy)];
    (headers, page).into_response()
}

/// Takes the secret out of the address before anything else.
const SCRIPT: &str = "
const secret = decodeURIComponent(location.hash.slice(1));
history.replaceState(null, '', location.pathname);
const say = (title, text) => {
  document.title = document.querySelector('h1').textContent = title;
  document.querySelector('p').textContent = text;
};
fetch(location.pathname, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ secret }) })
  .then(async (answer) => {
    if (answer.ok) return location.replace('./');
    const { message, hint } = await answer.json();
    say(message, hint ?? '');
  })
  .catch((error) => say(String(error), ''));
";

/// The answer to somebody without a link.
fn stranger(gate: &GuestGate, headers: &HeaderMap) -> Response {
    let title = message!("This address needs a link");
    let way =
        message!("Ask who shares these pages for a link. If you had one, it has expired or was revoked.");
    told(gate, headers, StatusCode::UNAUTHORIZED, "unauthorized", &title, &way)
}

/// The answer to somebody who asks too often.
fn later(gate: &GuestGate, headers: &HeaderMap, wait: Duration) -> Response {
    let seconds = wait.as_secs_f64().ceil().max(1.0);
    let title = message!("Too many requests");
    let way = message!("Try again in {seconds} seconds.", seconds = seconds.to_string());
    let mut answer = told(gate, headers, StatusCode::TOO_MANY_REQUESTS, "too_many_requests", &title, &way);
    if let Ok(seconds) = seconds.to_string().parse() {
        answer.headers_mut().insert(header::RETRY_AFTER, seconds);
    }
    answer
}

fn told(
    gate: &GuestGate,
    headers: &HeaderMap,
    status: StatusCode,
    code: &'static str,
    title: &Message,
    way: &Message,
) -> Response {
    let voice = voice(headers, &gate.languages);
    match headers.get(header::ACCEPT).and_then(|accept| accept.to_str().ok()) {
        Some(accept) if accept.contains("text/html") => notice(status, title, way, voice),
        _ => Refusal::new(status, code, title.told(&voice)).hint(way.told(&voice)).into_response(),
    }
}
