//! Models of other kinds than the bundled one: inputs, tokenizers, pooling and prefixes.

use serde::Deserialize;
use ubp_core::ports::TextKind;

use super::{ENGINES, bert, cosine, opened, xlmr};
use crate::tokenizer::Tokenizer;

#[derive(Deserialize)]
struct Expected {
    kind: String,
    text: String,
    ids: Vec<u32>,
    vector: Vec<f32>,
}

fn expected(json: &str) -> Vec<Expected> {
    let expected: Vec<Expected> = serde_json::from_str(json).unwrap();
    assert!(expected.len() >= 10);
    expected
}

fn kind(name: &str) -> TextKind {
    if name == "query" { TextKind::Query } else { TextKind::Passage }
}

fn check(files: [(&'static str, &'static [u8]); 3], expected: &[Expected]) {
    for &engine in ENGINES {
        let embedder = opened(engine, files);
        for case in expected {
            let found = embedder.embed(kind(&case.kind), &[&case.text, "another text", &case.text]).unwrap();
            for vector in [&found[0], &found[2]] {
                let cosine = cosine(vector, &case.vector);
                assert!(cosine > 0.99999, "{engine:?}: {cosine} for {} {:?}", case.kind, case.text);
            }
        }
    }
}

#[test]
fn bert_style() {
    check(bert(), &expected(include_str!("../../../models/tiny/bert/expected.json")));
}

#[test]
fn xlm_roberta_style() {
    check(xlmr(), &expected(include_str!("../../../models/tiny/xlmr/expected.json")));
}

#[test]
fn tokens_of_a_unigram_model_equal_the_reference() {
    let tokenizer = Tokenizer::parse(xlmr()[1].1).unwrap();
    for case in expected(include_str!("../../../models/tiny/xlmr/expected.json")) {
        let prefix = if case.kind == "query" { "query: " } else { "p: " };
        assert_eq!(tokenizer.tokens(&format!("{prefix}{}", case.text), 24).unwrap().ids, case.ids);
    }
}

#[test]
fn token_ranges_start_and_end_between_characters() {
    let text = "ﬃ Ünï 認証フロー 👩‍👩‍👧 ½ ㌔ e\u{301}";
    for files in [bert(), xlmr()] {
        let embedder = opened(super::Engine::Fastest, files);
        let ranges = embedder.token_ranges(text).unwrap();
        assert!(!ranges.is_empty());
        for range in &ranges {
            assert!(text.get(range.clone()).is_some(), "{range:?}");
        }
        assert!(ranges.is_sorted_by_key(|range| range.start), "{ranges:?}");
    }
}

#[test]
fn a_truncated_text_keeps_its_last_special_token() {
    let tokenizer = Tokenizer::parse(bert()[1].1).unwrap();
    let long = "login ".repeat(10_000);
    let tokens = tokenizer.tokens(&long, 24).unwrap();
    assert_eq!((tokens.ids.len(), tokens.ids.first(), tokens.ids.last()), (24, Some(&2), Some(&3)));
    // The window is full only far into the text.
    let sparse = format!("{}login", " ".repeat(2000)).repeat(24);
    assert_eq!(tokenizer.tokens(&sparse, 24).unwrap().ids.len(), 24);
}

#[test]
fn the_identity_changes_with_every_file() {
    let identity = |files: Vec<(&'static str, &'static [u8])>| {
        opened(super::Engine::Fastest, files).model().identity.clone()
    };
    let original = identity(bert().to_vec());
    assert!(original.starts_with("tiny-bert@"));
    assert_eq!(original, identity(bert().to_vec()));
    for changed in 0..2 {
        let mut files = bert().to_vec();
        files[changed].1 = b"something else";
        assert_ne!(original, identity(files));
    }
}

#[test]
fn prefixes_distinguish_queries_from_passages() {
    for &engine in ENGINES {
        let vectors = |files, text: &str| {
            let embedder = opened(engine, files);
            [TextKind::Query, TextKind::Passage].map(|kind| embedder.embed(kind, &[text]).unwrap().remove(0))
        };
        for text in ["login flow", "認証の流れ", "вход"] {
            let [query, passage] = vectors(xlmr(), text);
            assert!(cosine(&query, &passage) < 0.9999, "{engine:?} {text}");
        }
        let [query, passage] = vectors(bert(), "login flow");
        assert!(cosine(&query, &passage) > 0.99999);
    }
}

#[test]
fn chunks_leave_room_for_the_prefix() {
    let embedder = opened(super::Engine::Fastest, xlmr());
    assert_eq!(embedder.model().window, 24 - "p: ".len());
    let tokenizer = Tokenizer::parse(xlmr()[1].1).unwrap();
    let text = "認証フローの説明です。ログインの後に確認します。 Then the session ends, and a page says so. "
        .repeat(6);
    let pieces = ubp_core::embed::chunks(embedder.as_ref(), &[], &text, None).unwrap();
    assert!(pieces.len() > 3);
    for piece in pieces {
        let passage = ubp_core::embed::passage(embedder.as_ref(), &[], &text[piece]).unwrap();
        let seen = tokenizer.tokens(&format!("p: {passage}"), usize::MAX).unwrap().ids.len();
        assert!(seen <= 24, "{seen} tokens for {passage}");
    }
}
