//! `max_tokens` limits the whole answer, whatever the pages contain.

use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed};
use serde_json::{Value, json};

use super::words::{WordReader, Words};
use crate::Context;
use crate::index::tests::Project;
use crate::ops::find;
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
        ("get_page", with(json!({ "page": "page-0.md" }))),
        ("get_context", with(json!({ "page": "page-0.md", "depth": 3 }))),
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
        let paths: Vec<String> = (0..pages.len()).map(|n| format!("page-{n}.md")).collect();
        let project = Project::with_pages(paths.iter().map(String::as_str).zip(pages.iter().map(String::as_str)));
        for (name, params) in calls(max_tokens) {
            let answer = match project.context().call(name, params.clone()) {
                Ok(answer) => answer,
                Err(error) => return Err(TestCaseError::fail(format!("{name} {params}: {error}"))),
            };
            let tokens = estimate_tokens(&answer.to_string());
            prop_assert!(tokens <= max_tokens, "{} {} takes {}", name, params, tokens);
            let unbounded = { let mut p = params.clone(); p.as_object_mut().unwrap().remove("max_tokens"); p };
            let whole = project.context().call(name, unbounded).unwrap();
            let omitted = &answer["omitted"];
            let says = omitted["pages"] != 0 || omitted["sections"] != 0 || omitted["text_cut"] != false;
            prop_assert!(says || estimate_tokens(&whole.to_string()) <= max_tokens,
                "{} {} omitted something without reporting it", name, params);
            if estimate_tokens(&whole.to_string()) <= max_tokens {
                prop_assert_eq!(&answer, &whole, "{} {} omitted something that would have fitted", name, params);
            }
        }
    }

    #[test]
    fn answers_fit_max_tokens_as_text(pages in project(), max_tokens in 256..3_000_usize) {
        let paths: Vec<String> = (0..pages.len()).map(|n| format!("page-{n}.md")).collect();
        let project = Project::with_pages(paths.iter().map(String::as_str).zip(pages.iter().map(String::as_str)));
        let context = Context { reader: Some(&WordReader), ..project.context() };
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
        let paths: Vec<String> = (0..pages.len()).map(|n| format!("page-{n}.md")).collect();
        let project = Project::with_pages(paths.iter().map(String::as_str).zip(pages.iter().map(String::as_str)));
        let answer = project.context().call("get_context", json!({ "page": "page-0.md", "max_size": max_size })).unwrap();
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
