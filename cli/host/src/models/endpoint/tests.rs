//! Against a server on this machine that answers as told.
#![allow(clippy::unwrap_used)]

use serde_json::{Value, json};

use super::embedding_server::{EmbeddingServer, vectors};
use super::*;

impl EmbeddingServer {
    fn endpoint(&self) -> Endpoint {
        Endpoint::new(&self.url, false, None, usual_prefixes("e5-test")).unwrap()
    }

    fn embedder(&self, fingerprint: &str, variables: &[(&str, &str)]) -> EndpointEmbedder {
        let endpoint = Endpoint { fingerprint: fingerprint.into(), ..self.endpoint() };
        EndpointEmbedder::new(&model(), &endpoint, &environment(variables)).unwrap()
    }

    fn inputs(&self) -> Vec<Value> {
        self.requests().into_iter().map(|(_, mut body)| body["input"].take()).collect()
    }
}

fn model() -> EmbeddingModel {
    EmbeddingModel { name: "e5-test".into(), dimensions: 3, ..EmbeddingModel::default() }
}

fn environment(variables: &[(&str, &str)]) -> Environment {
    Environment::with(variables.iter().copied())
}

#[test]
fn texts_get_their_prefix_and_their_own_unit_vector() {
    let server = EmbeddingServer::start(vectors);
    let embedder = server.embedder("", &[]);
    let vectors = embedder.embed(TextKind::Passage, &["a", "a longer text"]).unwrap();
    assert_eq!(server.inputs(), [json!(["passage: a", "passage: a longer text"])]);
    assert!(vectors.iter().all(|v| (v.iter().map(|x| x * x).sum::<f32>() - 1.0).abs() < 1e-6));
    assert!(vectors[0][0] < vectors[1][0], "sorted by `index`: {vectors:?}");
    embedder.embed(TextKind::Query, &["who?"]).unwrap();
    assert_eq!(server.inputs()[1], json!(["query: who?"]));
    assert_eq!(server.requests()[0].1["model"], "e5-test");
}

#[test]
fn many_texts_are_sent_in_batches() {
    let server = EmbeddingServer::start(vectors);
    let texts: Vec<String> = (0..BATCH + 1).map(|number| number.to_string()).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    assert_eq!(server.embedder("", &[]).embed(TextKind::Passage, &texts).unwrap().len(), BATCH + 1);
    let sizes: Vec<usize> = server.inputs().iter().map(|input| input.as_array().unwrap().len()).collect();
    assert_eq!(sizes, [BATCH, 1]);
}

#[test]
fn a_busy_server_is_asked_again_for_passages_but_not_for_a_query() {
    let busy = |number: usize, body: &Value| match number {
        1 | 2 => (503, json!({ "error": "loading the model" })),
        _ => vectors(number, body),
    };
    let server = EmbeddingServer::start(busy);
    assert_eq!(server.embedder("", &[]).embed(TextKind::Passage, &["a"]).unwrap().len(), 1);
    assert_eq!(server.inputs().len(), 3);
    let server = EmbeddingServer::start(busy);
    let error = server.embedder("", &[]).embed(TextKind::Query, &["a"]).unwrap_err();
    assert!(
        matches!(error, Error::ModelUnavailable { .. }) && error.to_string().contains("loading the model"),
        "{error}"
    );
    assert_eq!(server.inputs().len(), 1);
}

#[test]
fn a_wrong_request_is_not_repeated_and_the_message_is_the_servers() {
    let server =
        EmbeddingServer::start(|_, _| (404, json!({ "error": { "message": "model 'e5-test' not found" } })));
    let error = server.embedder("", &[]).embed(TextKind::Passage, &["a"]).unwrap_err();
    assert!(error.to_string().contains("status 404: model 'e5-test' not found"), "{error}");
    assert_eq!(server.inputs().len(), 1);
}

#[test]
fn answers_that_do_not_fit_are_errors() {
    for (answer, expected) in [
        (json!({ "hello": "world" }), "not that of an embeddings server"),
        (json!({ "data": [] }), "0 vectors for 1 texts"),
        (json!({ "data": [{ "embedding": [1, 2] }] }), "2 dimensions instead of 3"),
        (json!({ "data": [{ "embedding": [1, null, 2] }] }), "not that of an embeddings server"),
    ] {
        let server = EmbeddingServer::start(move |_, _| (200, answer.clone()));
        let error = server.embedder("", &[]).embed(TextKind::Query, &["a"]).unwrap_err();
        assert!(matches!(error, Error::Model { .. }) && error.to_string().contains(expected), "{error}");
    }
}

#[test]
fn a_changed_model_is_noticed_and_has_another_identity() {
    let server = EmbeddingServer::start(vectors);
    let trial = try_out("e5-test", &server.endpoint(), &environment(&[])).unwrap();
    assert_eq!(trial.dimensions, 3);
    let embedder = server.embedder(&trial.fingerprint, &[]);
    embedder.embed(TextKind::Query, &["a"]).unwrap();
    embedder.embed(TextKind::Query, &["b"]).unwrap();
    assert_eq!(server.inputs().len(), 4, "the known text is sent once");
    let changed = EmbeddingServer::start(|_, _| (200, json!({ "data": [{ "embedding": [0, 0, 1] }] })));
    let error = changed.embedder(&trial.fingerprint, &[]).embed(TextKind::Query, &["a"]).unwrap_err();
    assert!(error.to_string().contains("another model of this name"), "{error}");
    let other = changed.embedder("0 0 1000", &[]);
    assert_ne!(other.model().identity, embedder.model().identity);
}

#[test]
fn the_key_goes_only_where_it_belongs() {
    let sent = |variables: &[(&str, &str)]| {
        let server = EmbeddingServer::start(vectors);
        let mut variables = variables.to_vec();
        let origin = server.endpoint().origin().to_owned();
        for (_, value) in variables.iter_mut().filter(|(_, value)| *value == "ITS OWN") {
            *value = &origin;
        }
        server.embedder("", &variables).embed(TextKind::Query, &["a"]).unwrap();
        let head = server.requests()[0].0.to_ascii_lowercase();
        head.contains("authorization: bearer abc")
    };
    assert!(!sent(&[]));
    assert!(sent(&[(KEY, "abc")]));
    assert!(sent(&[(KEY, "abc"), (KEY_ORIGIN, "ITS OWN")]));
    assert!(!sent(&[(KEY, "abc"), (KEY_ORIGIN, "https://api.openai.com")]));
    let remote = |url: &str, variables: &[(&str, &str)]| {
        let endpoint = Endpoint::new(url, true, None, Prefixes::default()).unwrap();
        EndpointEmbedder::new(&model(), &endpoint, &environment(variables)).unwrap().key.is_some()
    };
    let for_openai = [(KEY, "abc"), (KEY_ORIGIN, "https://api.openai.com/")];
    assert!(remote("https://api.openai.com/v1", &for_openai));
    assert!(!remote("https://api.openai.com/v1", &for_openai[..1]));
    assert!(!remote("https://collect.example/v1", &for_openai));
    assert!(
        !remote("http://api.openai.com/v1", &[(KEY, "abc"), (KEY_ORIGIN, "http://api.openai.com")]),
        "not encrypted"
    );
}

#[test]
fn a_server_that_is_not_there_is_unavailable() {
    let endpoint = Endpoint::new("http://127.0.0.1:1/v1", false, None, Prefixes::default()).unwrap();
    let embedder = EndpointEmbedder::new(&model(), &endpoint, &environment(&[])).unwrap();
    let error = embedder.embed(TextKind::Query, &["a"]).unwrap_err();
    assert!(matches!(error, Error::ModelUnavailable { .. }), "{error}");
    assert!(error.to_string().contains("http://127.0.0.1:1 cannot be reached"), "{error}");
}

#[test]
fn without_a_network_another_machine_is_not_asked() {
    let endpoint = Endpoint::new("https://api.openai.com", true, None, Prefixes::default()).unwrap();
    let offline = environment(&[("UBP_OFFLINE", "1")]);
    let error = EndpointEmbedder::new(&model(), &endpoint, &offline).err().unwrap();
    assert!(error.to_string().contains("UBP_OFFLINE is set"), "{error}");
}
