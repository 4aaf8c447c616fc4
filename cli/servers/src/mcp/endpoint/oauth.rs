//! An endpoint as an OAuth 2.1 resource server, as the specification of MCP asks: it says which authorization server gives
//! tokens for it (RFC 9728), and accepts those tokens.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use axum::Json;
use axum::http::Uri;
use axum::response::{IntoResponse, Response};
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::{Value, json};
use ubp_core::{Error, Result, message};
use ubp_host::Environment;
use ubp_host::fetch::fetch;

use super::jwt::{self, Key, Unchecked};
use crate::http::named_tokens::{NamedToken, Tokens, require_author};

/// Path of the description of the resource, also with the path of the resource behind it.
const METADATA: &str = "/.well-known/oauth-protected-resource";

/// How long keys are used before they are fetched again.
const AGE: Duration = Duration::from_secs(3600);
/// How often a token with an unknown key, which anybody can send, or an unreachable server leads to a fetch.
const PAUSE: Duration = Duration::from_secs(30);
/// Maximum bytes of an answer of the authorization server.
const MOST: usize = 1 << 20;

/// Who gives tokens to readers.
#[derive(Debug, Clone)]
pub struct Authorization {
    /// The address of the authorization server, its `issuer`.
    pub server: String,
    /// The claim with the name of the reader.
    pub claim: String,
}

/// A resource server.
pub(super) struct Resource {
    authorization: Authorization,
    /// The address that clients use, for which tokens are.
    resource: String,
    environment: Environment,
    keys: Arc<Mutex<Keys>>,
    /// Held by the first fetch, for which others wait. Later ones go on with the keys that are known.
    first: tokio::sync::Mutex<()>,
    /// The last problem of the authorization server, which is told once.
    problem: Mutex<Option<String>>,
}

#[derive(Default)]
struct Keys {
    known: Arc<[Key]>,
    fetched: Option<Instant>,
    tried: Option<Instant>,
}

/// What RFC 8414 and OpenID Connect say about a server.
#[derive(Deserialize)]
struct Server {
    issuer: String,
    jwks_uri: String,
}

#[derive(Deserialize)]
struct KeySet {
    keys: Vec<Value>,
}

impl Resource {
    /// # Errors
    /// [`Error::InvalidParams`] for an address that is not encrypted and not of this machine.
    pub(super) fn new(
        authorization: Authorization,
        resource: String,
        environment: &Environment,
    ) -> Result<Self> {
        ubp_host::fetch::require_safe(&authorization.server)?;
        let environment = environment.clone();
        Ok(Self {
            authorization,
            resource,
            environment,
            keys: Arc::default(),
            first: Default::default(),
            problem: Mutex::default(),
        })
    }

    /// The description, if that is its path.
    pub(super) fn description(&self, path: &str) -> Option<Response> {
        let rest = path.strip_prefix(METADATA)?;
        let own = self.resource.parse::<Uri>().ok().map(|uri| uri.path().to_owned()).unwrap_or_default();
        (rest.is_empty() || rest == own || rest == crate::mcp::http::PATH).then(|| {
            let description = json!({
                "resource": self.resource,
                "authorization_servers": [self.authorization.server],
                "bearer_methods_supported": ["header"],
            });
            Json(description).into_response()
        })
    }

    /// The header that leads clients without a token to the description.
    pub(super) fn challenge(&self, is_wrong: bool) -> String {
        let uri = self.resource.parse::<Uri>().unwrap_or_default();
        let (scheme, host) =
            (uri.scheme_str().unwrap_or("http"), uri.authority().map_or("", |host| host.as_str()));
        let wrong = if is_wrong { ", error=\"invalid_token\"" } else { "" };
        format!("Bearer resource_metadata=\"{scheme}://{host}{METADATA}{}\"{wrong}", uri.path())
    }

    /// The reader whose token this is, with the rights of the named token of the same name.
    ///
    /// # Errors
    /// Why the authorization server cannot be asked, once.
    pub(super) async fn reader(
        &self,
        token: &str,
        tokens: &Tokens,
    ) -> std::result::Result<Option<NamedToken>, Option<Error>> {
        let Some(unchecked) = Unchecked::parse(token) else { return Ok(None) };
        let claims = match unchecked.checked(&self.keys(false).await?) {
            Some(claims) => claims,
            // The server may have a new key.
            None => match unchecked.checked(&self.keys(true).await?) {
                Some(claims) => claims,
                None => return Ok(None),
            },
        };
        let now = Timestamp::now();
        if !jwt::holds(&claims, &self.authorization.server, &self.resource, now.as_second() as f64) {
            return Ok(None);
        }
        let name = claims.get(&self.authorization.claim).and_then(Value::as_str).unwrap_or_default();
        if require_author(name).is_err() {
            return Ok(None);
        }
        tokens.reader(name, now).map(Some).map_err(Some)
    }

    fn keys_now(&self) -> MutexGuard<'_, Keys> {
        self.keys.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn keys(&self, anew: bool) -> std::result::Result<Arc<[Key]>, Option<Error>> {
        let is_within = |time: Option<Instant>, most| time.is_some_and(|time| time.elapsed() < most);
        let is_known = !self.keys_now().known.is_empty();
        let _first = if is_known { None } else { Some(self.first.lock().await) };
        {
            let mut keys = self.keys_now();
            if (!anew && is_within(keys.fetched, AGE)) || is_within(keys.tried, PAUSE) {
                return Ok(keys.known.clone());
            }
            keys.tried = Some(Instant::now());
        }
        let (server, environment) = (self.authorization.server.clone(), self.environment.clone());
        let keys = self.keys.clone();
        // A client that disconnects does not end it.
        let fetched = tokio::task::spawn_blocking(move || {
            let known: Arc<[Key]> = fetched(&server, &environment)?.into();
            let mut keys = keys.lock().unwrap_or_else(PoisonError::into_inner);
            (keys.known, keys.fetched) = (known.clone(), Some(Instant::now()));
            Ok(known)
        })
        .await;
        let fetched = fetched.unwrap_or_else(|error| Err(Error::Internal(error.to_string())));
        match fetched {
            Ok(known) => {
                *self.problem.lock().unwrap_or_else(PoisonError::into_inner) = None;
                Ok(known)
            }
            // The keys of before are still those of the server.
            Err(_) if !self.keys_now().known.is_empty() => Ok(self.keys_now().known.clone()),
            Err(error) => {
                let told = Some(error.to_string());
                let mut problem = self.problem.lock().unwrap_or_else(PoisonError::into_inner);
                let is_new = *problem != told;
                *problem = told;
                Err(is_new.then_some(error))
            }
        }
    }
}

/// The keys of the authorization server.
fn fetched(server: &str, environment: &Environment) -> Result<Vec<Key>> {
    let uri: Uri =
        server.parse().map_err(|_| Error::invalid(message!("'{server}' is not an address", server)))?;
    let (scheme, host) =
        (uri.scheme_str().unwrap_or("https"), uri.authority().map_or("", |host| host.as_str()));
    let path = uri.path().trim_end_matches('/');
    let plain = format!("{scheme}://{host}/.well-known/oauth-authorization-server{path}");
    let openid = format!("{scheme}://{host}{path}/.well-known/openid-configuration");
    let about = fetch(&plain, environment, MOST).or_else(|_| fetch(&openid, environment, MOST))?;
    let strange =
        || Error::invalid(message!("{server} does not describe itself as an authorization server", server));
    let about: Server = serde_json::from_slice(&about).map_err(|_| strange())?;
    if about.issuer != server {
        return Err(Error::invalid(message!(
            "the authorization server calls itself {issuer}, not {server}",
            issuer = about.issuer,
            server
        )));
    }
    let set: KeySet =
        serde_json::from_slice(&fetch(&about.jwks_uri, environment, MOST)?).map_err(|_| strange())?;
    // Keys of other kinds do not matter.
    Ok(set.keys.into_iter().filter_map(|key| serde_json::from_value(key).ok()).collect())
}
