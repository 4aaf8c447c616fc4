//! The multilingual model: the same tokens as Hugging Face's tokenizers, the same vectors as ONNX Runtime, and search
//! across languages.

use ubp_core::embed::{ModelDescription, ModelFiles};
use ubp_core::ports::TextKind;

use super::golden::texts;
use super::{ENGINES, computes, cosine, different, is_soak};
use crate::tokenizer::Tokenizer;
use crate::{Engine, MultilingualFiles, open};

const DIMENSIONS: usize = 384;

#[test]
fn tokens_match_the_reference() {
    let expected: Vec<Vec<u32>> =
        serde_json::from_str(include_str!("../../../models/golden/multilingual-tokens.json")).unwrap();
    let tokenizer = Tokenizer::parse(&MultilingualFiles.read("tokenizer.json").unwrap()).unwrap();
    let texts = texts();
    assert_eq!(texts.len(), expected.len());
    for (text, expected) in texts.iter().zip(expected) {
        let passage = format!("passage: {text}");
        assert_eq!(tokenizer.tokens(&passage, 512).unwrap().ids, expected, "{text:.60}");
    }
}

#[test]
fn vectors_match_the_reference() {
    let texts = texts();
    let numbers: Vec<f32> = include_bytes!("../../../models/golden/multilingual-vectors.bin")
        .chunks_exact(2)
        .map(|pair| f32::from(i16::from_le_bytes([pair[0], pair[1]])) / 32767.0)
        .collect();
    assert_eq!(numbers.len(), texts.len() * DIMENSIONS);
    for engine in different() {
        let cases = texts.iter().zip(numbers.chunks_exact(DIMENSIONS));
        let cases = cases.filter(|(text, _)| computes(engine, text));
        let (given, expected): (Vec<&str>, Vec<_>) = cases.map(|(text, vector)| (&**text, vector)).unzip();
        let embedder = open(engine, Box::new(MultilingualFiles)).unwrap();
        let found = embedder.embed(TextKind::Passage, &given).unwrap();
        for ((text, vector), expected) in given.iter().zip(&found).zip(expected) {
            let same = cosine(vector, expected);
            assert!(same >= 0.9999, "{engine:?}: {same} to ONNX Runtime for {text:.60}");
        }
    }
}

#[test]
fn a_question_finds_its_answer_in_another_language() {
    let embedder = open(Engine::Fastest, Box::new(MultilingualFiles)).unwrap();
    let answers = [
        "Links to a page that was renamed are corrected in all other pages.",
        "パスワードを忘れたときは、再設定用のリンクがメールで送られます。",
        "Sicherungen werden jede Nacht um zwei Uhr angelegt.",
        "세션은 15분 동안 활동이 없으면 종료됩니다.",
        "只有管理员可以删除用户。",
    ];
    let found = embedder.embed(TextKind::Passage, &answers).unwrap();
    for (question, answer) in [
        ("Que deviennent les liens quand on renomme une page ?", 0),
        ("How do I get back in when I do not know my password?", 1),
        ("when are backups made", 2),
        ("how long until I am logged out", 3),
        ("Wer darf Benutzer löschen?", 4),
    ] {
        let query = &embedder.embed(TextKind::Query, &[question]).unwrap()[0];
        let best = (0..answers.len())
            .max_by(|&a, &b| cosine(query, &found[a]).total_cmp(&cosine(query, &found[b])))
            .unwrap();
        assert_eq!(best, answer, "{question}");
    }
}

#[test]
fn the_model_describes_itself() {
    let embedder = open(Engine::Fastest, Box::new(MultilingualFiles)).unwrap();
    let model = embedder.model();
    assert_eq!((model.name.as_str(), model.dimensions), ("multilingual-e5-small", DIMENSIONS));
    assert!(model.identity.starts_with("multilingual-e5-small@"));
    for text in ["text", "認証フロー", "Привет", "안녕하세요", "שלום", "مرحبا", "नमस्ते", "Γειά"]
    {
        assert!(model.scripts.cover(text), "{text}");
    }
    assert!(!model.scripts.cover("สวัสดี"));
    let description = ModelDescription::parse(&MultilingualFiles.read("model.json").unwrap()).unwrap();
    assert_eq!(description.prefixes.of(TextKind::Query), "query: ");
    assert_eq!(description.prefixes.of(TextKind::Passage), "passage: ");
    assert_eq!(description.window, 512);
    // Text in any script has known tokens.
    let tokenizer = Tokenizer::parse(&MultilingualFiles.read("tokenizer.json").unwrap()).unwrap();
    let unknown = 3;
    for text in ["สวัสดี", "გამარჯობა", "வணக்கம்", "ሰላም"] {
        assert!(!tokenizer.tokens(text, 512).unwrap().ids.contains(&unknown), "{text}");
    }
}

/// The others also conform with the smaller model.
#[test]
fn every_engine_conforms() {
    for &engine in ENGINES.iter().filter(|engine| matches!(engine, Engine::Fastest) || is_soak()) {
        ubp_testing::conformance::embedder(&*open(engine, Box::new(MultilingualFiles)).unwrap());
    }
}
