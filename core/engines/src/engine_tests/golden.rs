//! The bundled model has the tokens of Hugging Face's tokenizers and the vectors of ONNX Runtime.

use serde::Deserialize;
use ubp_core::embed::ModelFiles;
use ubp_core::ports::{Embedder, TextKind};

use super::{ENGINES, computes, cosine, different};
use crate::tokenizer::Tokenizer;
use crate::{BundledFiles, bundled, open};

const DIMENSIONS: usize = 384;

#[derive(Deserialize)]
struct Tokens {
    ids: Vec<u32>,
    /// Start and end of each token; empty for truncated texts.
    ranges: Vec<usize>,
}

pub(super) fn texts() -> Vec<String> {
    let texts: Vec<String> = serde_json::from_str(include_str!("../../../models/golden/texts.json")).unwrap();
    let repeated = |text: String| text.strip_prefix("REPEAT:").map(|text| text.repeat(300)).unwrap_or(text);
    texts.into_iter().map(repeated).collect()
}

/// Vectors of each text from ONNX Runtime: with the same file, and with the float model.
fn vectors() -> Vec<(Vec<f32>, Vec<f32>)> {
    let numbers: Vec<f32> = include_bytes!("../../../models/golden/vectors.bin")
        .chunks_exact(2)
        .map(|pair| f32::from(i16::from_le_bytes([pair[0], pair[1]])) / 32767.0)
        .collect();
    numbers
        .chunks_exact(2 * DIMENSIONS)
        .map(|pair| (pair[..DIMENSIONS].to_vec(), pair[DIMENSIONS..].to_vec()))
        .collect()
}

#[test]
fn tokens_equal_the_reference() {
    let expected: Vec<Tokens> =
        serde_json::from_str(include_str!("../../../models/golden/tokens.json")).unwrap();
    let tokenizer = Tokenizer::parse(&BundledFiles.read("tokenizer.json").unwrap()).unwrap();
    let texts = texts();
    assert_eq!(texts.len(), expected.len());
    for (text, expected) in texts.iter().zip(expected) {
        assert_eq!(tokenizer.tokens(text, 256).unwrap().ids, expected.ids, "{text:.60}");
        let ranges = tokenizer.ranges(text).unwrap();
        if expected.ranges.is_empty() {
            continue;
        }
        let found: Vec<usize> = ranges.iter().flat_map(|range| [range.start, range.end]).collect();
        assert_eq!(found, expected.ranges, "{text:.60}");
    }
}

#[test]
fn vectors_match_the_reference() {
    let texts = texts();
    let expected = vectors();
    assert_eq!(texts.len(), expected.len());
    for engine in different() {
        let cases = texts.iter().zip(&expected).filter(|(text, _)| computes(engine, text));
        let (given, expected): (Vec<&str>, Vec<_>) = cases.map(|(text, vectors)| (&**text, vectors)).unzip();
        let embedder = open(engine, Box::new(BundledFiles)).unwrap();
        let found = embedder.embed(TextKind::Passage, &given).unwrap();
        let mut sum = 0.0;
        for ((text, vector), (reference, float)) in given.iter().zip(&found).zip(&expected) {
            let (same, near) = (cosine(vector, reference), cosine(vector, float));
            assert!(same >= 0.9999, "{engine:?}: {same} to ONNX Runtime for {text:.60}");
            // Quantization changes the vector of an empty text slightly more, which does not matter.
            let least = if text.trim().is_empty() { 0.985 } else { 0.99 };
            assert!(near >= least, "{engine:?}: {near} to the float model for {text:.60}");
            assert!((cosine(vector, vector) - 1.0).abs() < 1e-5);
            sum += near;
        }
        let mean = sum / given.len() as f32;
        assert!(mean >= 0.995, "{engine:?}: {mean} to the float model");
    }
}

#[test]
fn a_vector_does_not_depend_on_its_neighbours() {
    let embedder = bundled().unwrap();
    let texts = ["short", "a text that is a little longer than the other one", "short"];
    let together = embedder.embed(TextKind::Passage, &texts).unwrap();
    for (text, vector) in texts.iter().zip(&together) {
        let alone = embedder.embed(TextKind::Passage, &[text]).unwrap();
        assert!(cosine(vector, &alone[0]) > 0.99999);
    }
    assert_eq!(together[0], together[2]);
    assert!(embedder.embed(TextKind::Passage, &[]).unwrap().is_empty());
}

#[test]
fn a_passage_with_the_same_meaning_is_nearer_than_one_with_the_same_words() {
    let embedder = bundled().unwrap();
    let query =
        &embedder.embed(TextKind::Query, &["How do I sign in again when I forgot my password?"]).unwrap()[0];
    let passages = [
        "Account recovery: a link to choose new credentials is sent by mail.",
        "I forgot my umbrella again, so how do I get home in this rain?",
    ];
    let found = embedder.embed(TextKind::Passage, &passages).unwrap();
    assert!(cosine(query, &found[0]) > cosine(query, &found[1]));
}

#[test]
fn the_model_describes_itself() {
    let embedder = bundled().unwrap();
    let model = embedder.model();
    assert_eq!((model.name.as_str(), model.dimensions, model.window), ("all-MiniLM-L6-v2", 384, 256));
    assert!(model.identity.starts_with("all-MiniLM-L6-v2@"));
    assert!(model.scripts.cover("text") && !model.scripts.cover("認証"));
}

#[test]
fn chunks_of_long_texts_fit_into_the_window() {
    let embedder: Box<dyn Embedder> = bundled().unwrap();
    let path = ["Operations".to_owned(), "Backups".to_owned()];
    let text = "Backups run every night at two. A backup that cannot be read is not a backup. ".repeat(60);
    let chunks = ubp_core::embed::chunks(embedder.as_ref(), &path, &text, None).unwrap();
    assert!(chunks.len() >= 4);
    let tokenizer = Tokenizer::parse(&BundledFiles.read("tokenizer.json").unwrap()).unwrap();
    for range in chunks {
        let passage = ubp_core::embed::passage(embedder.as_ref(), &path, &text[range]).unwrap();
        assert!(tokenizer.tokens(&passage, usize::MAX).unwrap().ids.len() <= 256);
    }
}

#[test]
fn every_engine_conforms() {
    for &engine in ENGINES {
        ubp_testing::conformance::embedder(&*open(engine, Box::new(BundledFiles)).unwrap());
    }
}
