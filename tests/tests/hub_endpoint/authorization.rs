//! A hub as a resource server: with tokens of an authorization server on this machine.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, Ed25519KeyPair, KeyPair};
use serde_json::{Value, json};

use super::server::{Server, TOKEN, hub};

const RESOURCE: &str = "https://docs.example/mcp";

/// A server that describes itself and its keys.
struct Authority {
    issuer: String,
    first: Ed25519KeyPair,
    second: EcdsaKeyPair,
    asked: Arc<AtomicUsize>,
}

fn encoded(bytes: impl AsRef<[u8]>) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs()
}

impl Authority {
    fn start() -> Self {
        let random = SystemRandom::new();
        let first = Ed25519KeyPair::generate_pkcs8(&random).unwrap();
        let first = Ed25519KeyPair::from_pkcs8(first.as_ref()).unwrap();
        let kind = &ECDSA_P256_SHA256_FIXED_SIGNING;
        let second = EcdsaKeyPair::generate_pkcs8(kind, &random).unwrap();
        let second = EcdsaKeyPair::from_pkcs8(kind, second.as_ref(), &random).unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let issuer = format!("http://{}", listener.local_addr().unwrap());
        let asked = Arc::new(AtomicUsize::new(0));
        let about = json!({ "issuer": issuer, "jwks_uri": format!("{issuer}/keys") });
        let (x, y) = second.public_key().as_ref()[1..].split_at(32);
        let keys = [
            json!({ "kty": "oct", "k": "AAAA", "kid": "shared" }),
            json!({ "kty": "OKP", "crv": "Ed25519", "kid": "first", "x": encoded(first.public_key()) }),
            json!({ "kty": "EC", "crv": "P-256", "kid": "second", "use": "sig", "x": encoded(x), "y": encoded(y) }),
        ];
        let counted = asked.clone();
        std::thread::spawn(move || {
            for mut stream in listener.incoming().flatten() {
                let mut lines = BufReader::new(stream.try_clone().unwrap()).lines().map_while(Result::ok);
                let first = lines.next().unwrap_or_default();
                lines.take_while(|line| !line.is_empty()).for_each(drop);
                counted.fetch_add(1, Ordering::AcqRel);
                let (status, body) = match first.split(' ').nth(1) {
                    Some("/.well-known/oauth-authorization-server") => (200, about.clone()),
                    Some("/keys") => (200, json!({ "keys": keys })),
                    _ => (404, json!({})),
                };
                let (body, size) = (body.to_string(), body.to_string().len());
                let head =
                    format!("HTTP/1.1 {status} x\r\nConnection: close\r\nContent-Length: {size}\r\n\r\n");
                let _ = stream.write_all(format!("{head}{body}").as_bytes());
            }
        });
        Self { issuer, first, second, asked }
    }

    /// A token for a reader, with other claims.
    fn token(&self, name: &str, more: &Value) -> String {
        self.signed(&json!({ "alg": "EdDSA", "kid": "first", "typ": "at+jwt" }), name, more)
    }

    fn signed(&self, header: &Value, name: &str, more: &Value) -> String {
        let mut claims = json!({ "iss": self.issuer, "aud": RESOURCE, "sub": name, "exp": now() + 300 });
        claims.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let text = format!("{}.{}", encoded(header.to_string()), encoded(claims.to_string()));
        let signature = match header["alg"].as_str() {
            Some("ES256") => encoded(self.second.sign(&SystemRandom::new(), text.as_bytes()).unwrap()),
            _ => encoded(self.first.sign(text.as_bytes())),
        };
        format!("{text}.{signature}")
    }

    fn serve(&self, terminal: &ubp_tests::terminal::Terminal, more: &[&str]) -> Server {
        let arguments = [&["--url", RESOURCE, "--authorization-server", &self.issuer], more].concat();
        Server::start(terminal, &arguments)
    }
}

#[test]
fn clients_learn_where_tokens_come_from() {
    let (terminal, authority) = (hub(), Authority::start());
    let server = authority.serve(&terminal, &[]);
    let stranger = server.ask("POST /mcp", &[("Host", "docs.example")], "");
    let at = "https://docs.example/.well-known/oauth-protected-resource/mcp";
    let challenge = format!("Bearer resource_metadata=\"{at}\"");
    assert_eq!((stranger.status, stranger.header("www-authenticate")), (401, Some(&*challenge)));
    let described = json!({
        "resource": RESOURCE,
        "authorization_servers": [authority.issuer],
        "bearer_methods_supported": ["header"],
    });
    for path in ["", "/mcp"] {
        let path = format!("GET /.well-known/oauth-protected-resource{path}");
        let answer = server.ask(&path, &[("Host", "docs.example")], "");
        assert_eq!((answer.status, answer.json()), (200, described.clone()));
        assert_eq!(server.ask(&path, &[("Host", "evil.example")], "").status, 403);
    }
    assert_eq!(server.ask("GET /.well-known/oauth-protected-resource/x", &[], "").status, 401);
    let wrong = server.ask("GET /metrics", &[("Authorization", "Bearer a.b.c")], "");
    assert_eq!(wrong.header("www-authenticate"), Some(&*format!("{challenge}, error=\"invalid_token\"")));

    // Without an authorization server there is nothing to tell.
    let plain = Server::start(&terminal, &[]);
    let stranger = plain.ask("GET /.well-known/oauth-protected-resource", &[], "");
    assert_eq!((stranger.status, stranger.header("www-authenticate")), (401, Some("Bearer")));
}

#[test]
fn a_reader_with_an_access_token_has_the_rights_of_the_named_token() {
    let (terminal, authority) = (hub(), Authority::start());
    assert!(terminal.ubp("token new ann --rights 'login.md=hide'").succeeded());
    let server = authority.serve(&terminal, &["--log-format", "json"]);
    let page = json!({ "page": "auth:login.md" });
    let (ann, bob) = (authority.token("ann", &json!({})), authority.token("bob@example.org", &json!({})));
    let session = server.connect(&bob);
    assert!(server.call(&bob, &session, "ubp_get_page", page.clone()).body.contains("wombat"));
    let line = server.line(|line| line.contains("\"call\""));
    assert!(line.contains("\"token\":\"bob@example.org\""), "{line}");
    assert_eq!(server.call(&ann, &session, "ubp_get_page", page.clone()).status, 404, "the session of bob");
    let session = server.connect(&ann);
    let hidden = server.call(&ann, &session, "ubp_get_page", page.clone());
    assert_eq!(hidden.message()["result"]["isError"], true, "{hidden:?}");
    // Other tokens go on working, and several kinds of keys do.
    server.connect(TOKEN);
    let header = json!({ "alg": "ES256", "kid": "second" });
    server.connect(&authority.signed(&header, "eve", &json!({ "aud": ["other", RESOURCE] })));
    assert_eq!(authority.asked.load(Ordering::Acquire), 2, "the description and the keys, once");
}

#[test]
fn access_tokens_of_others_for_others_and_of_yesterday_are_refused() {
    let (terminal, authority) = (hub(), Authority::start());
    let other = Authority::start();
    let server = authority.serve(&terminal, &[]);
    let good = authority.token("ann", &json!({}));
    let status =
        |token: &str| server.ask("GET /metrics", &[("Authorization", &format!("Bearer {token}"))], "").status;
    assert_eq!(status(&good), 200);
    let parts: Vec<&str> = good.split('.').collect();
    let forged = encoded(
        json!({ "iss": authority.issuer, "aud": RESOURCE, "sub": "root", "exp": now() + 300 }).to_string(),
    );
    let none = encoded(json!({ "alg": "none" }).to_string());
    for (token, why) in [
        (other.token("ann", &json!({ "iss": authority.issuer })), "another key"),
        (authority.token("ann", &json!({ "iss": other.issuer })), "another issuer"),
        (authority.token("ann", &json!({ "aud": "https://docs.example" })), "another resource"),
        (authority.token("ann", &json!({ "aud": null })), "no resource"),
        (authority.token("ann", &json!({ "exp": now() - 120 })), "expired"),
        (authority.token("ann", &json!({ "exp": null })), "never expires"),
        (authority.token("ann", &json!({ "nbf": now() + 300 })), "not yet"),
        (authority.token("a name\nwith lines", &json!({})), "no name of an author"),
        (authority.token("ann", &json!({ "sub": 7 })), "no name"),
        (
            authority.signed(&json!({ "alg": "EdDSA", "kid": "second" }), "ann", &json!({})),
            "the key of another kind",
        ),
        (authority.signed(&json!({ "alg": "HS256", "kid": "shared" }), "ann", &json!({})), "a shared key"),
        (format!("{}.{forged}.{}", parts[0], parts[2]), "changed claims"),
        (format!("{none}.{}.", parts[1]), "no signature"),
        (format!("{}.{}.", parts[0], parts[1]), "an empty signature"),
        ("a.b.c".to_owned(), "no token"),
    ] {
        assert_eq!(status(&token), 401, "{why}");
    }
    assert_eq!(status(&good), 200);
    // Unknown keys are looked up, but not with every request.
    assert!(authority.asked.load(Ordering::Acquire) <= 4);
}

#[test]
fn an_authorization_server_that_cannot_be_reached_stops_nobody_else() {
    let terminal = hub();
    let authority = Authority::start();
    let gone = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let issuer = format!("http://{gone}");
    let server = Server::start(&terminal, &["--url", RESOURCE, "--authorization-server", &issuer]);
    let token = authority.token("ann", &json!({ "iss": issuer }));
    let refused = server.ask("GET /metrics", &[("Authorization", &format!("Bearer {token}"))], "");
    assert_eq!(refused.status, 401, "{refused:?}");
    let told = server.line(|line| line.contains("cannot be checked"));
    assert!(told.contains(&gone.to_string()) && !told.contains(&token), "{told}");
    server.connect(TOKEN);

    let told = terminal
        .ubp("hub serve --http 0 --url https://docs.example/mcp --authorization-server http://login.example");
    assert!(told.transcript().contains("must begin with https://"), "{}", told.transcript());
}
