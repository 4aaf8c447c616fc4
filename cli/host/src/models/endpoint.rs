//! A server that computes vectors, with the call `POST /embeddings` of OpenAI's API: Ollama, vLLM, llama.cpp and others.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use ubp_core::embed::{Prefixes, Scripts, normalize, short_hash};
use ubp_core::manifest::{EmbeddingModel, Endpoint};
use ubp_core::message;
use ubp_core::message::Message;
use ubp_core::ports::{Embedder, ModelInfo, TextKind};
use ubp_core::{Error, Result};
use ureq::Agent;

use super::hub::is_offline;
use super::known::BUNDLED;
use super::transfer::Route;
use crate::Environment;

#[cfg(test)]
mod embedding_server;
mod estimate;
#[cfg(test)]
mod tests;

/// Variable with the key that is sent to the server.
pub const KEY: &str = "UBP_ENDPOINT_KEY";
/// Variable with the origin that the key is for. A key is sent to another machine only if that is the one: otherwise a
/// manifest from a stranger could collect keys.
pub const KEY_ORIGIN: &str = "UBP_ENDPOINT_ORIGIN";

/// Texts in one request.
const BATCH: usize = 64;
/// Attempts for passages: a server that loads its model or has too much to do needs some seconds.
const ATTEMPTS: u32 = 4;
/// Pause before the second attempt; it doubles each time.
const PAUSE: Duration = Duration::from_millis(500);
/// Longest pause, also if the server asks for more.
const LONGEST_PAUSE: Duration = Duration::from_secs(20);
/// Limit on the time to connect.
const CONNECTING: Duration = Duration::from_secs(5);
/// Limits on the time for an answer. Somebody waits for a query.
const QUERY: Duration = Duration::from_secs(20);
const PASSAGES: Duration = Duration::from_secs(180);
/// Limit on the bytes of an answer.
const LARGEST: u64 = 64 << 20;
/// Its vector identifies the model.
const KNOWN_TEXT: &str = "A page describes a system, and its links say what depends on what.";
/// How many numbers of that vector are recorded.
const RECORDED: usize = 16;
/// Minimum similarity of these numbers. Rounding on other processors changes it in the fourth decimal, another model
/// changes everything.
const SAME: f64 = 0.98;

/// Embeds texts by asking a server.
pub struct EndpointEmbedder {
    info: ModelInfo,
    endpoint: Endpoint,
    key: Option<String>,
    agent: Agent,
    /// Whether the server was seen to have the model of the fingerprint.
    is_checked: AtomicBool,
}

#[derive(Serialize)]
struct Question<'a> {
    model: &'a str,
    input: Vec<String>,
    encoding_format: &'static str,
}

#[derive(Deserialize)]
struct Answer {
    data: Vec<Row>,
}

#[derive(Deserialize)]
struct Row {
    #[serde(default)]
    index: Option<usize>,
    embedding: Vec<f32>,
}

/// What a server computes for a known text.
pub struct Trial {
    /// Length of its vectors.
    pub dimensions: usize,
    /// The start of the vector.
    pub fingerprint: String,
}

/// Asks the server for the vector of a known text with the model `name`.
///
/// # Errors
/// As [`EndpointEmbedder::embed`].
pub fn try_out(name: &str, endpoint: &Endpoint, environment: &Environment) -> Result<Trial> {
    let endpoint = Endpoint { fingerprint: String::new(), ..endpoint.clone() };
    let model = EmbeddingModel { name: name.into(), dimensions: 0, ..EmbeddingModel::default() };
    let embedder = EndpointEmbedder::new(&model, &endpoint, environment)?;
    let vector = embedder.ask(TextKind::Passage, &[KNOWN_TEXT])?.pop().unwrap_or_default();
    Ok(Trial { dimensions: vector.len(), fingerprint: fingerprint(&vector) })
}

impl EndpointEmbedder {
    /// An embedder for the model in a manifest. Does not contact the server.
    ///
    /// # Errors
    /// [`Error::ModelUnavailable`] if `UBP_OFFLINE` forbids to contact another machine.
    pub fn new(model: &EmbeddingModel, endpoint: &Endpoint, environment: &Environment) -> Result<Self> {
        if endpoint.is_remote() && is_offline(environment) {
            return Err(Error::ModelUnavailable {
                model: model.name.clone(),
                message: message!("UBP_OFFLINE is set, so {origin} is not asked", origin = endpoint.origin()),
                remedy: built_in_instead(),
            });
        }
        let (fingerprint, prefixes) = (&endpoint.fingerprint, &endpoint.prefixes);
        let made_of =
            format!("{fingerprint}\n{}\n{}\n{}", model.dimensions, prefixes.query, prefixes.passage);
        let key = environment.get(KEY).filter(|key| !key.is_empty());
        let origin = environment.get(KEY_ORIGIN).map(|origin| origin.trim_end_matches('/'));
        let is_for_it = if endpoint.is_remote() {
            origin == Some(endpoint.origin()) && endpoint.origin().starts_with("https://")
        } else {
            origin.is_none_or(|origin| origin.is_empty() || origin == endpoint.origin())
        };
        Ok(Self {
            info: ModelInfo {
                name: model.name.clone(),
                identity: format!("{}@{}", model.name, short_hash(made_of.as_bytes())),
                dimensions: model.dimensions,
                window: endpoint.window,
                scripts: Scripts::all(),
            },
            agent: Route::of(environment).agent_for(&endpoint.url, CONNECTING),
            endpoint: endpoint.clone(),
            key: key.filter(|_| is_for_it).map(Into::into),
            is_checked: AtomicBool::new(fingerprint.is_empty()),
        })
    }

    /// The vectors of at most [`BATCH`] texts, each of unit length.
    fn ask(&self, kind: TextKind, texts: &[&str]) -> Result<Vec<Vec<f32>>> {
        let prefix = self.endpoint.prefixes.of(kind);
        let question = Question {
            model: &self.info.name,
            input: texts.iter().map(|text| format!("{prefix}{text}")).collect(),
            encoding_format: "float",
        };
        let json = serde_json::to_vec(&question).map_err(|error| Error::Internal(error.to_string()))?;
        let attempts = if kind == TextKind::Query { 1 } else { ATTEMPTS };
        let mut pause = PAUSE;
        let mut attempt = 1;
        let body = loop {
            match self.post(kind, &json) {
                Ok(body) => break body,
                Err(Refusal { wait: Some(wait), .. }) if attempt < attempts => {
                    std::thread::sleep(wait.max(pause).min(LONGEST_PAUSE));
                    (attempt, pause) = (attempt + 1, pause * 2);
                }
                Err(Refusal { error, .. }) => return Err(error),
            }
        };
        self.read(&body, texts.len())
    }

    fn post(&self, kind: TextKind, json: &[u8]) -> std::result::Result<Vec<u8>, Refusal> {
        let address = format!("{}/embeddings", self.endpoint.url);
        let limit = if kind == TextKind::Query { QUERY } else { PASSAGES };
        let mut request = self
            .agent
            .post(&address)
            .config()
            .timeout_recv_response(Some(limit))
            .timeout_per_read(Some(limit))
            .build()
            .header("content-type", "application/json");
        if let Some(key) = &self.key {
            request = request.header("authorization", format!("Bearer {key}"));
        }
        let unreachable = |reason: ureq::Error| Refusal {
            error: self.unavailable(
                message!(
                    "{origin} cannot be reached: {reason}",
                    origin = self.endpoint.origin(),
                    reason = Message::reported(reason.to_string())
                ),
                message!("start the server; {built_in_instead}", built_in_instead = built_in_instead()),
            ),
            wait: Some(Duration::ZERO),
        };
        let mut response = request.send(json).map_err(unreachable)?;
        let status = response.status().as_u16();
        let after = response.headers().get("retry-after").and_then(|value| value.to_str().ok()?.parse().ok());
        let body = response.body_mut().with_config().limit(LARGEST).read_to_vec();
        match (status, body) {
            (200..300, Ok(body)) => Ok(body),
            (200..300, Err(error)) => Err(unreachable(error)),
            (status, body) => Err(self.refusal(status, &body.unwrap_or_default(), after)),
        }
    }

    fn refusal(&self, status: u16, body: &[u8], after: Option<u64>) -> Refusal {
        let said = message_of(body);
        let said = if said.is_empty() { String::new() } else { format!(": {said}") };
        let name = &self.info.name;
        let (origin, is_remote) = (self.endpoint.origin(), self.endpoint.is_remote());
        let (remedy, is_temporary) = match status {
            401 | 403 if is_remote && self.key.is_none() => (
                message!(
                    "set {key} to the key, and {key_origin} to {origin}",
                    key = KEY,
                    key_origin = KEY_ORIGIN,
                    origin
                ),
                false,
            ),
            401 | 403 => (message!("check the key in {key}", key = KEY), false),
            404 => (
                message!(
                    "check the address {url} and that the server has {name}",
                    url = self.endpoint.url,
                    name
                ),
                false,
            ),
            300..=399 => {
                (message!("use the address that {url} redirects to", url = self.endpoint.url), false)
            }
            429 | 500.. => (message!("try again later"), true),
            _ => (built_in_instead(), false),
        };
        let message = message!("{origin} answered with status {status}{said}", origin, status, said);
        let wait = is_temporary.then(|| Duration::from_secs(after.unwrap_or(0)));
        Refusal { error: self.unavailable(message, remedy), wait }
    }

    fn read(&self, body: &[u8], count: usize) -> Result<Vec<Vec<f32>>> {
        let wrong = |message: Message| Error::Model {
            model: self.info.name.clone(),
            message: message!("{origin}: {message}", origin = self.endpoint.origin(), message),
        };
        let answer: Answer = serde_json::from_slice(body).map_err(|error| {
            wrong(message!("the answer is not that of an embeddings server ({error})", error))
        })?;
        if answer.data.len() != count {
            return Err(wrong(message!("{data} vectors for {count} texts", data = answer.data.len(), count)));
        }
        let mut rows: Vec<Row> = answer.data;
        rows.sort_by_key(|row| row.index);
        let dimensions = self.info.dimensions;
        for row in &mut rows {
            let length = row.embedding.len();
            if length == 0 || (dimensions > 0 && length != dimensions) {
                return Err(wrong(message!(
                    "a vector has {length} dimensions instead of {dimensions}; `ubp model use` measures the model again",
                    length,
                    dimensions
                )));
            }
            if row.embedding.iter().any(|number| !number.is_finite()) {
                return Err(wrong(message!("a vector has a number that is not finite")));
            }
            normalize(&mut row.embedding);
        }
        Ok(rows.into_iter().map(|row| row.embedding).collect())
    }

    /// Compares the model of the server with the one that was chosen, once.
    fn check(&self) -> Result<()> {
        if self.is_checked.load(Ordering::Acquire) {
            return Ok(());
        }
        let vector = self.ask(TextKind::Passage, &[KNOWN_TEXT])?.pop().unwrap_or_default();
        if !is_alike(&fingerprint(&vector), &self.endpoint.fingerprint) {
            let (name, url) = (&self.info.name, &self.endpoint.url);
            return Err(Error::Model {
                model: name.clone(),
                message: message!(
                    "{origin} has another model of this name than the one that was chosen, so its vectors cannot be compared; \
                     `ubp model use {name} --endpoint {url}` chooses the new one",
                    origin = self.endpoint.origin(),
                    name,
                    url
                ),
            });
        }
        self.is_checked.store(true, Ordering::Release);
        Ok(())
    }

    fn unavailable(&self, message: Message, remedy: Message) -> Error {
        Error::ModelUnavailable { model: self.info.name.clone(), message, remedy }
    }
}

impl Embedder for EndpointEmbedder {
    fn model(&self) -> &ModelInfo {
        &self.info
    }

    fn embed(&self, kind: TextKind, texts: &[&str]) -> Result<Vec<Vec<f32>>> {
        self.check()?;
        let mut vectors = Vec::with_capacity(texts.len());
        for batch in texts.chunks(BATCH) {
            vectors.extend(self.ask(kind, batch)?);
        }
        Ok(vectors)
    }

    fn token_ranges(&self, text: &str) -> Result<Vec<Range<usize>>> {
        Ok(estimate::token_ranges(text))
    }
}

/// Why a request failed, and how long to wait before the next attempt, if that may help.
struct Refusal {
    error: Error,
    wait: Option<Duration>,
}

fn built_in_instead() -> Message {
    message!("`ubp model use {bundled}` switches to the built-in model", bundled = BUNDLED)
}

/// The server's own explanation, shortened: `error.message`, `error` or `message` of its JSON.
fn message_of(body: &[u8]) -> String {
    let json: serde_json::Value = serde_json::from_slice(body).unwrap_or_default();
    let said = [&json["error"]["message"], &json["error"], &json["message"], &json["detail"]];
    let said = said.into_iter().find_map(|value| value.as_str()).unwrap_or_default();
    said.chars().map(|c| if c.is_control() { ' ' } else { c }).take(200).collect()
}

/// The first numbers of a unit vector, in thousandths.
fn fingerprint(vector: &[f32]) -> String {
    let numbers = vector.iter().take(RECORDED).map(|number| format!("{:.0}", number * 1000.0));
    numbers.collect::<Vec<_>>().join(" ")
}

fn is_alike(a: &str, b: &str) -> bool {
    let numbers =
        |text: &str| -> Vec<f64> { text.split(' ').filter_map(|number| number.parse().ok()).collect() };
    let (a, b) = (numbers(a), numbers(b));
    let dot = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(x, y)| x * y).sum::<f64>();
    let lengths = (dot(&a, &a) * dot(&b, &b)).sqrt();
    a.len() == b.len() && lengths > 0.0 && dot(&a, &b) / lengths >= SAME
}

/// The prefixes that the authors of a family of models recommend; none for other models.
pub fn usual_prefixes(name: &str) -> Prefixes {
    let name = name.to_lowercase();
    let has = |part: &str| name.contains(part);
    let (query, passage) = if has("nomic-embed") {
        ("search_query: ", "search_document: ")
    } else if has("embeddinggemma") {
        ("task: search result | query: ", "title: none | text: ")
    } else if has("arctic-embed2") || has("arctic-embed-l-v2") || has("arctic-embed-m-v2") {
        ("query: ", "")
    } else if has("mxbai-embed") || has("arctic-embed") || (has("bge-") && has("-en")) {
        ("Represent this sentence for searching relevant passages: ", "")
    } else if has("qwen3-embedding") {
        ("Instruct: Given a question, retrieve passages that answer it\nQuery: ", "")
    } else if has("e5-") && !has("instruct") {
        ("query: ", "passage: ")
    } else {
        ("", "")
    };
    Prefixes { query: query.into(), passage: passage.into() }
}
