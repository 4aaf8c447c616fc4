//! Access control for every request of a browser, and security headers for every answer. It checks host name and origin,
//! then the token, in a header or as the cookie that replaces it. A frame in an editor has a secret in its addresses
//! instead, because it gets no cookies, and the editor may reach the viewer through a proxy under any name.

use std::sync::Arc;

use axum::extract::{Path, Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Uri, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use percent_encoding::percent_decode_str;
use serde::Deserialize;
use sha2::{Digest, Sha256};
use ubp_core::message;
use ubp_core::message::{Language, Message};

use super::answer::{self, Refusal};
use super::language::voice;
use crate::http::{Names, Token, bearer};

/// Default content security policy, which allows nothing.
const POLICY: &str =
    "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'; sandbox";

/// Start of the addresses in a frame; the secret follows. No page has such an address, because its folder is hidden.
pub(super) const FRAME: &str = "/.frame";

/// Marks an answer that may be shown in a frame.
#[derive(Debug, Clone, Copy)]
struct Framed;

/// Query parameter with the token.
const PARAMETER: &str = "token";

pub(super) struct Gate {
    names: Names,
    token: Token,
    /// Name of the cookie. It contains the port, because browsers share cookies between ports.
    cookie: String,
    /// Value of the cookie. Servers on other ports receive it too, so it reveals neither the token nor the cookie of
    /// another viewer. It is valid until this viewer stops.
    pass: String,
    accepted: Token,
    /// The secret in the addresses of frames. It is not the value of the cookie, which servers on other ports receive.
    frame: Token,
    /// The languages that refusals can be in, besides English.
    languages: Vec<Language>,
    /// The command that printed the address.
    command: &'static str,
}

impl Gate {
    /// The gate of a server on `port`, whose `token` is `text`.
    pub(super) fn new(
        names: Names,
        token: Token,
        text: &str,
        port: u16,
        languages: Vec<Language>,
        command: &'static str,
    ) -> Self {
        let pass = ubp_core::text::hex(&Sha256::digest(format!("ubp-viewer {port} {text}")));
        // A hash has 64 digits, which is never too short.
        let accepted = Token::new(&pass, "the cookie").unwrap_or(token);
        let frame = Token::new(&frame_secret(text, port), "the address").unwrap_or(token);
        let cookie = format!("ubp-viewer-{port}");
        Self { names, token, cookie, pass, accepted, frame, languages, command }
    }

    fn knows(&self, headers: &HeaderMap) -> bool {
        let cookies = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
        let mut pairs =
            cookies.flat_map(|value| value.split(';')).filter_map(|pair| pair.trim().split_once('='));
        bearer(headers).is_some_and(|sent| self.token.is(sent))
            || pairs.any(|(name, value)| name == self.cookie && self.accepted.is(value))
    }

    /// If the address of a page has the token, the address without it, to redirect to.
    fn entry(&self, method: &Method, uri: &Uri) -> Option<String> {
        let (mut known, mut rest) = (false, Vec::new());
        for pair in uri.query()?.split('&') {
            match pair.split_once('=') {
                Some((PARAMETER, value)) => {
                    known = percent_decode_str(value).decode_utf8().is_ok_and(|value| self.token.is(&value));
                }
                _ => rest.push(pair),
            }
        }
        if !known || method != Method::GET {
            return None;
        }
        // A path that starts with two slashes would be another host.
        let path = uri.path().trim_start_matches(['/', '\\']);
        Some(if rest.is_empty() { format!("/{path}") } else { format!("/{path}?{}", rest.join("&")) })
    }
}

pub(super) async fn check(State(gate): State<Arc<Gate>>, request: Request, next: Next) -> Response {
    let (method, headers) = (request.method(), request.headers());
    if let Some(why) = gate.names.refusal(method, request.uri(), headers) {
        let voice = voice(headers, &gate.languages);
        let command = gate.command;
        let way = message!("open the address that `{command}` printed; --allow-host adds a name", command);
        Refusal::new(StatusCode::FORBIDDEN, "forbidden", Message::word(why).told(&voice))
            .hint(way.told(&voice))
            .into_response()
    } else if let Some(place) = gate.entry(method, request.uri()) {
        let cookie = format!("{}={}; Path=/; HttpOnly; SameSite=Strict", gate.cookie, gate.pass);
        (StatusCode::SEE_OTHER, [(header::SET_COOKIE, cookie), (header::LOCATION, place)]).into_response()
    } else if gate.knows(headers) {
        next.run(request).await
    } else {
        stranger(&gate, headers)
    }
}

/// The secret in the addresses of frames, for the token `text`.
pub(super) fn frame_secret(text: &str, port: u16) -> String {
    ubp_core::text::hex(&Sha256::digest(format!("ubp-viewer frame {port} {text}")))
}

/// Lets a request pass whose address has the secret. Host name and origin do not matter then: their check keeps other pages
/// from using the cookie of a browser, and this secret is in no cookie.
pub(super) async fn check_frame(
    State(gate): State<Arc<Gate>>,
    Path(Secret { secret }): Path<Secret>,
    request: Request,
    next: Next,
) -> Response {
    if !gate.frame.is(&secret) {
        let headers = request.headers();
        return stranger(&gate, headers);
    }
    let mut response = next.run(request).await;
    response.extensions_mut().insert(Framed);
    response
}

#[derive(Deserialize)]
pub(super) struct Secret {
    secret: String,
}

/// The answer to a request without the token.
fn stranger(gate: &Gate, headers: &HeaderMap) -> Response {
    let (voice, command) = (voice(headers, &gate.languages), gate.command);
    let title = message!("This viewer needs its token");
    let way = message!(
        "Open the address that {command} printed at its start. It is new each time: if you restarted it, this tab \
         has the old one. For an address that stays the same, set the token: {command} --token.",
        command
    );
    let mut response = match headers.get(header::ACCEPT).and_then(|accept| accept.to_str().ok()) {
        Some(accept) if accept.contains("text/html") => {
            answer::notice(StatusCode::UNAUTHORIZED, &title, &way, voice)
        }
        _ => Refusal::new(StatusCode::UNAUTHORIZED, "unauthorized", title.told(&voice))
            .hint(way.told(&voice))
            .into_response(),
    };
    response.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    response
}

/// Adds security headers to an answer.
pub(crate) async fn guarded(mut response: Response) -> Response {
    let is_framed = response.extensions().get::<Framed>().is_some();
    let headers = response.headers_mut();
    for (name, value) in [
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "same-origin"),
        (header::X_FRAME_OPTIONS, "DENY"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    if is_framed {
        headers.remove(header::X_FRAME_OPTIONS);
        unframe(headers);
    }
    headers.insert("cross-origin-opener-policy", HeaderValue::from_static("same-origin"));
    headers.insert("cross-origin-resource-policy", HeaderValue::from_static("same-origin"));
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    headers.entry(header::CONTENT_SECURITY_POLICY).or_insert(HeaderValue::from_static(POLICY));
    response
}

/// Takes out of the policy who may show the answer in a frame. The documents around a frame in an editor have origins that
/// nobody knows beforehand, such as `vscode-webview://` and a random name.
fn unframe(headers: &mut HeaderMap) {
    let Some(policy) = headers.get(header::CONTENT_SECURITY_POLICY).and_then(|policy| policy.to_str().ok())
    else {
        return;
    };
    let kept: Vec<&str> =
        policy.split(';').map(str::trim).filter(|rule| !rule.starts_with("frame-ancestors")).collect();
    if let Ok(policy) = HeaderValue::from_str(&kept.join("; ")) {
        headers.insert(header::CONTENT_SECURITY_POLICY, policy);
    }
}
