//! `max_tokens` limits the whole answer, whatever the pages contain.

use jiff::Timestamp;
use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed};
use serde_json::{Value, json};

use super::words::{WordReader, Words};
use crate::Context;
use crate::index::tests::Project;
use crate::ops::find;
use crate::ports::{MemorySource, Symbol, SymbolHashes, SymbolPart, Symbols, Target};
use crate::text::estimate_tokens;

/// Words whose sizes differ in characters, bytes and JSON.
fn word() -> impl Strategy<Value = String> {
    prop_oneof![
        6 => "[a-z]{1,9}",
        2 => Just("token".to_owned()),
        1 => Just("認証".to_owned()),
        1 => Just("\"quoted\\\"".to_owned()),
        1 => Just("\u{1}\u{2}\t".to_owned()),
        1 => Just("😀".to_owned()),
        1 => (0..12_u8).prop_map(|n| format!("[[page-{n}]]")),
        1 => Just("\n\n## Heading token\n\n".to_owned()),
        1 => (0..4_u8).prop_map(|n| format!("\n\n```ubp-source src/code{n}.rs\n```\n\n")),
        1 => (0..4_u8, "[a-z]").prop_map(|(n, name)| format!("[[src/code{n}.rs#{name}]]")),
        1 => Just("\n\n".to_owned()),
    ]
}

fn page() -> impl Strategy<Value = String> {
    (0..3_usize, prop::collection::vec(word(), 0..160)).prop_map(|(times, words)| {
        let front = "---\ntags: [one, two]\naliases: [other name]\nnote: \"a \\\" quote and 認証\"\n---\n";
        // An occasional long line: a section that must be cut in the middle.
        let body = words.join(" ");
        format!("{front}# Token page\n\n{body}{}", "x認\"".repeat(times * 400))
    })
}

fn project() -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec(page(), 1..12)
}

/// A project with these pages, and code that they may show or name.
fn with_code(pages: &[String]) -> Project {
    let paths: Vec<String> = (0..pages.len()).map(|n| format!("page-{n}.md")).collect();
    let pages = paths.iter().map(String::as_str).zip(pages.iter().map(String::as_str));
    let project = Project::over(MemorySource::with_pages(pages));
    for (number, lines) in [1, 20, 300].into_iter().enumerate() {
        let text = "fn token() { \"認証\\\"\" }\n".repeat(lines);
        project.source.put_source(&format!("src/code{number}.rs"), text.as_bytes(), Timestamp::UNIX_EPOCH);
    }
    project.update();
    project
}

/// Defines every symbol in every file, as all of the file with the first half as its signature.
struct EverySymbol;

impl Symbols for EverySymbol {
    fn tokens(&self, _path: &str, _bytes: &[u8]) -> Option<String> {
        None
    }

    fn knows(&self, _path: &str) -> bool {
        true
    }

    fn find(&self, _path: &str, bytes: &[u8], names: &[&str]) -> Vec<Target> {
        let half = String::from_utf8_lossy(bytes).floor_char_boundary(bytes.len() / 2);
        let part = SymbolPart {
            kind: "function",
            lines: (1, 1),
            range: 0..bytes.len(),
            signature: 0..half,
            doc: None,
        };
        let symbol = |name: &&str| Symbol {
            name: (*name).to_owned(),
            hashes: SymbolHashes::unknown(),
            body: None,
            parts: vec![part.clone()],
        };
        names.iter().map(symbol).map(Target::Symbol).collect()
    }

    fn all(&self, _path: &str, _bytes: &[u8]) -> Vec<Symbol> {
        Vec::new()
    }
}

fn calls(max_tokens: usize) -> Vec<(&'static str, Value)> {
    let with = |mut params: Value| {
        params["max_tokens"] = max_tokens.into();
        params
    };
    vec![
        ("search", with(json!({ "query": "token" }))),
        (
            "search",
            with(json!({ "query": "認証 token", "content": true, "include_linked": true, "limit": 20 })),
        ),
        ("search", with(json!({ "query": "quoted \"heading token\"", "explain": true, "depth": 3 }))),
        ("fulltext_search", with(json!({ "query": "token", "limit": 50 }))),
        ("get_page", with(json!({ "page": "page-0.md", "code": true }))),
        ("get_context", with(json!({ "page": "page-0.md", "depth": 3, "code": true }))),
        ("list_pages", with(json!({}))),
        ("get_graph", with(json!({}))),
        ("get_graph", with(json!({ "page": "page-0.md", "depth": 5 }))),
        ("graph_traverse", with(json!({ "page": "page-0.md", "depth": 5 }))),
        ("get_impact", with(json!({ "page": "page-0.md", "depth": 5 }))),
        ("suggest_links", with(json!({ "threshold": 0.0, "limit": 50 }))),
        ("check_staleness", with(json!({}))),
        ("refs", with(json!({ "file": "src/a.rs" }))),
        ("status", with(json!({}))),
        ("doctor", with(json!({}))),
    ]
}

proptest! {
    #![proptest_config(Config {
        cases: 12,
        rng_seed: RngSeed::Fixed(20_261_106),
        failure_persistence: None,
        max_shrink_iters: 200,
        ..Config::default()
    })]

    #[test]
    fn answers_fit_max_tokens_as_json(pages in project(), max_tokens in 256..3_000_usize) {
        let project = with_code(&pages);
        for (name, params) in calls(max_tokens) {
            let context = Context { symbols: &EverySymbol, ..project.context() };
            let answer = match context.call(name, params.clone()) {
                Ok(answer) => answer,
                Err(error) => return Err(TestCaseError::fail(format!("{name} {params}: {error}"))),
            };
            let tokens = estimate_tokens(&answer.to_string());
            prop_assert!(tokens <= max_tokens, "{} {} takes {}", name, params, tokens);
            let unbounded = { let mut p = params.clone(); p.as_object_mut().unwrap().remove("max_tokens"); p };
            let whole = context.call(name, unbounded).unwrap();
            let omitted = &answer["omitted"];
            let says = omitted["pages"] != 0 || omitted["sections"] != 0 || omitted["text_cut"] != false
                || answer["omitted_code"].as_u64().is_some_and(|count| count > 0);
            prop_assert!(says || estimate_tokens(&whole.to_string()) <= max_tokens,
                "{} {} omitted something without reporting it", name, params);
            if estimate_tokens(&whole.to_string()) <= max_tokens {
                prop_assert_eq!(&answer, &whole, "{} {} omitted something that would have fitted", name, params);
            }
        }
    }

    #[test]
    fn answers_fit_max_tokens_as_text(pages in project(), max_tokens in 256..3_000_usize) {
        let project = with_code(&pages);
        let context = Context { reader: Some(&WordReader), symbols: &EverySymbol, ..project.context() };
        for (name, params) in calls(max_tokens) {
            let mut words = Words::default();
            let answer = match (find(name).unwrap().call)(&context, params.clone(), Some(&mut words)) {
                Ok(answer) => answer,
                Err(error) => return Err(TestCaseError::fail(format!("{name} {params}: {error}"))),
            };
            let tokens = estimate_tokens(&words.0);
            prop_assert!(tokens <= max_tokens, "{} {} takes {} tokens of words", name, params, tokens);
            let tokens = estimate_tokens(&answer.to_string());
            prop_assert!(tokens <= 2 * max_tokens, "{} {} takes {} tokens of fields", name, params, tokens);
        }
    }

    #[test]
    fn context_keeps_its_size_in_characters(pages in project(), max_size in 1_000..20_000_usize) {
        let project = with_code(&pages);
        let context = Context { symbols: &EverySymbol, ..project.context() };
        let params = json!({ "page": "page-0.md", "max_size": max_size, "code": true });
        let answer = context.call("get_context", params).unwrap();
        let size = answer.to_string().chars().count() + "\n".len();
        prop_assert!(size <= max_size, "{} characters, limit {}", size, max_size);
        prop_assert_eq!(&answer["total_size"], &json!(size));
    }
}

#[test]
fn a_max_tokens_that_is_too_small_is_refused_with_the_minimum() {
    let project = Project::with_pages([("page-0.md", "text")]);
    for (name, params) in calls(255) {
        let error = project.context().call(name, params).unwrap_err();
        assert_eq!(error.code(), "invalid_params", "{name}");
        assert!(error.to_string().contains("256"), "{error}");
    }
}
