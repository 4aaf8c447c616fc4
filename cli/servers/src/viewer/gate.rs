//! Who may ask, and what browsers may do with answers. Every request passes here: the names that it comes under and
//! from, then the token, as a header or as the cookie that it was exchanged for.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Uri, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use percent_encoding::percent_decode_str;
use sha2::{Digest, Sha256};

use super::answer::{self, Refusal};
use crate::http::{Names, Token, bearer};

/// What every answer may load and do, unless it says so itself: nothing.
const POLICY: &str =
    "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'; sandbox";

/// The parameter of an address that holds the token.
const PARAMETER: &str = "token";

pub(super) struct Gate {
    names: Names,
    token: Token,
    /// Name of the cookie. Cookies know no ports, and several viewers may run.
    cookie: String,
    /// Its value. Servers on other ports get it too, so it tells them neither the token nor the pass of another viewer;
    /// it lets into this one until it ends.
    pass: String,
    accepted: Token,
}

impl Gate {
    /// The gate of a server on `port`, whose `token` is `text`.
    pub(super) fn new(names: Names, token: Token, text: &str, port: u16) -> Self {
        let pass = ubp_core::text::hex(&Sha256::digest(format!("ubp-viewer {port} {text}")));
        // 64 digits are long enough for any token.
        let accepted = Token::new(&pass, "the cookie").unwrap_or(token);
        Self { names, token, cookie: format!("ubp-viewer-{port}"), pass, accepted }
    }

    fn knows(&self, headers: &HeaderMap) -> bool {
        let cookies = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
        let mut pairs =
            cookies.flat_map(|value| value.split(';')).filter_map(|pair| pair.trim().split_once('='));
        bearer(headers).is_some_and(|sent| self.token.is(sent))
            || pairs.any(|(name, value)| name == self.cookie && self.accepted.is(value))
    }

    /// Whether the token is in the address of a request that shows a page, and where that page is then.
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
        // Two slashes would name another host.
        let path = uri.path().trim_start_matches(['/', '\\']);
        Some(if rest.is_empty() { format!("/{path}") } else { format!("/{path}?{}", rest.join("&")) })
    }
}

pub(super) async fn check(State(gate): State<Arc<Gate>>, request: Request, next: Next) -> Response {
    let (method, headers) = (request.method(), request.headers());
    let response = if let Some(why) = gate.names.refusal(method, request.uri(), headers) {
        Refusal::new(StatusCode::FORBIDDEN, "forbidden", why)
            .hint("open the address that `ubp viewer` printed; --allow-host adds a name")
            .into_response()
    } else if let Some(place) = gate.entry(method, request.uri()) {
        let cookie = format!("{}={}; Path=/; HttpOnly; SameSite=Strict", gate.cookie, gate.pass);
        (StatusCode::SEE_OTHER, [(header::SET_COOKIE, cookie), (header::LOCATION, place)]).into_response()
    } else if gate.knows(headers) {
        next.run(request).await
    } else {
        stranger(headers)
    };
    guarded(response)
}

/// How to get in, for whoever does not know the token.
fn stranger(headers: &HeaderMap) -> Response {
    const TITLE: &str = "This viewer needs its token";
    const WAY: &str = "Open the address that ubp viewer printed when it was started. It is new each time: if you started \
        it again, this tab is of before.";
    let mut response = match headers.get(header::ACCEPT).and_then(|accept| accept.to_str().ok()) {
        Some(accept) if accept.contains("text/html") => answer::notice(StatusCode::UNAUTHORIZED, TITLE, WAY),
        _ => Refusal::new(StatusCode::UNAUTHORIZED, "unauthorized", TITLE).hint(WAY).into_response(),
    };
    response.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    response
}

/// The answer with everything that keeps others from making use of it.
fn guarded(mut response: Response) -> Response {
    let headers = response.headers_mut();
    for (name, value) in [
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "same-origin"),
        (header::X_FRAME_OPTIONS, "DENY"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    headers.insert("cross-origin-opener-policy", HeaderValue::from_static("same-origin"));
    headers.insert("cross-origin-resource-policy", HeaderValue::from_static("same-origin"));
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    headers.entry(header::CONTENT_SECURITY_POLICY).or_insert(HeaderValue::from_static(POLICY));
    response
}
