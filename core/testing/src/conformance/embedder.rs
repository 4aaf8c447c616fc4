//! Conformance suite for embedders.

use ubp_core::ports::{Embedder, TextKind};

const TEXTS: [&str; 4] = [
    "The login form checks the password.",
    "Tables are created by a migration.",
    "naïve café – \u{1F9ED} 認証",
    "The login form checks the password.",
];

/// Vectors have unit length and depend only on the text and its kind; texts are truncated at the window; tokens are
/// ordered ranges of the text.
pub fn embedder(embedder: &dyn Embedder) {
    let model = embedder.model();
    assert!(!model.name.is_empty() && model.identity.len() > model.name.len(), "{model:?}");
    assert!(model.dimensions > 0 && model.window > 2, "{model:?}");

    for kind in [TextKind::Query, TextKind::Passage] {
        assert!(embedder.embed(kind, &[]).unwrap().is_empty());
        let vectors = embedder.embed(kind, &TEXTS).unwrap();
        assert_eq!(vectors.len(), TEXTS.len());
        for (text, vector) in TEXTS.iter().zip(&vectors) {
            assert_eq!(vector.len(), model.dimensions, "{text}");
            let length = dot(vector, vector).sqrt();
            assert!((length - 1.0).abs() < 1e-3, "{text}: length {length}");
            let alone = embedder.embed(kind, &[text]).unwrap();
            let likeness = dot(vector, &alone[0]);
            assert!(likeness > 0.99, "{text}: the vector depends on other texts ({likeness})");
        }
        assert!(dot(&vectors[0], &vectors[3]) > 0.9999, "equal texts differ");
        assert!(dot(&vectors[0], &vectors[1]) < 0.99, "different texts do not differ");
        // Empty texts are not errors.
        assert_eq!(embedder.embed(kind, &["", " \n"]).unwrap().len(), 2);

        let long = "word ".repeat(model.window + 8);
        let longer = format!("{long} and something else entirely");
        let cut = embedder.embed(kind, &[&long, &longer]).unwrap();
        assert!(dot(&cut[0], &cut[1]) > 0.9999, "text after the window changed the vector");
    }

    for text in TEXTS.iter().chain(&["", " ", "a", "word\r\n\tword"]) {
        let ranges = embedder.token_ranges(text).unwrap();
        let mut end = 0;
        for range in &ranges {
            // Several tokens may have the range of one character, but ranges never go backwards.
            assert!(range.start <= range.end && range.end >= end, "{text}: {range:?}");
            assert!(text.get(range.clone()).is_some(), "{text}: {range:?} splits a character");
            end = range.end;
        }
        assert_eq!(ranges.is_empty(), text.trim().is_empty(), "{text}");
    }
    let long = "word ".repeat(model.window * 3);
    assert!(embedder.token_ranges(&long).unwrap().len() > model.window, "token ranges were truncated");
}

fn dot(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}
