//! Damaged, missing and unsuitable model files cause errors that say what to do, never panics.

use ubp_core::Error;
use ubp_core::embed::MemoryFiles;
use ubp_core::ports::TextKind;

use super::{ENGINES, Engine, bert, xlmr};
use crate::open;

type Files = Vec<(&'static str, Vec<u8>)>;

fn files() -> Files {
    bert().into_iter().map(|(name, bytes)| (name, bytes.to_vec())).collect()
}

fn replace(files: &mut Files, name: &str, bytes: impl Into<Vec<u8>>) {
    let file = files.iter_mut().find(|file| file.0 == name).unwrap();
    file.1 = bytes.into();
}

fn outcome(engine: Engine, files: Files) -> Result<(), String> {
    let embed =
        || open(engine, Box::new(MemoryFiles::new(files)))?.embed(TextKind::Passage, &["login page", "two"]);
    match embed() {
        Ok(vectors) => {
            assert!(vectors.iter().flatten().all(|value| value.is_finite()));
            Ok(())
        }
        Err(Error::Model { message, .. }) => Err(message.to_string()),
        Err(other) => panic!("{other:?}"),
    }
}

#[test]
fn the_error_for_a_missing_file_names_it() {
    for &engine in ENGINES {
        for name in ["model.onnx", "tokenizer.json", "model.json"] {
            let rest = files().into_iter().filter(|file| file.0 != name).collect();
            assert!(outcome(engine, rest).unwrap_err().contains(name));
        }
    }
}

#[test]
fn the_error_for_wrong_dimensions_has_both_numbers() {
    for &engine in ENGINES {
        let mut files = files();
        replace(&mut files, "model.json", r#"{"name":"m","window":24,"dimensions":9}"#);
        let message = outcome(engine, files).unwrap_err();
        assert!(message.contains("8 dimensions") && message.contains("says 9"), "{message}");
    }
}

#[test]
fn a_text_longer_than_the_model_supports_is_an_error() {
    for &engine in ENGINES {
        let mut files = files();
        replace(&mut files, "model.json", r#"{"name":"m","window":512,"dimensions":8}"#);
        let embedder = open(engine, Box::new(MemoryFiles::new(files))).unwrap();
        assert!(embedder.embed(TextKind::Passage, &["short"]).is_ok());
        let error = embedder.embed(TextKind::Passage, &["login ".repeat(100).as_str()]).unwrap_err();
        assert_eq!(error.code(), "model");
    }
}

#[test]
fn a_tokenizer_of_another_model_is_an_error() {
    for &engine in ENGINES {
        let mut files = files();
        let mut other = xlmr()[1].1.to_vec();
        // Ids far outside the vocabulary of the model.
        let text = String::from_utf8(std::mem::take(&mut other)).unwrap();
        replace(
            &mut files,
            "tokenizer.json",
            text.replace("[\"<s>\",0.0]", &vec!["[\"<s>\",0.0]"; 300].join(",")),
        );
        assert!(outcome(engine, files).is_err());
    }
}

#[test]
fn an_invalid_model_file_is_an_error() {
    for &engine in ENGINES {
        for bytes in [&b""[..], b"not a model at all", b"\x08\x08", &[0xff; 64], &[0; 64]] {
            let mut files = files();
            replace(&mut files, "model.onnx", bytes);
            let message = outcome(engine, files).unwrap_err();
            assert!(message.contains("model.onnx") || message.contains("engine"), "{message}");
        }
    }
}

/// The error of `engine` for a model in which `from` is replaced by `to`.
fn renamed(engine: Engine, from: &str, to: &str) -> String {
    assert_eq!(from.len(), to.len());
    let mut files = files();
    let bytes = &mut files[0].1;
    while let Some(at) = bytes.windows(from.len()).position(|part| part == from.as_bytes()) {
        bytes[at..at + to.len()].copy_from_slice(to.as_bytes());
    }
    outcome(engine, files).unwrap_err()
}

#[cfg(feature = "rten")]
#[test]
fn the_error_for_an_operator_that_rten_lacks_suggests_the_second_engine() {
    let message = renamed(Engine::Fastest, "Softmax", "Hardmux");
    assert!(message.contains("Hardmux"), "{message}");
    assert_eq!(message.contains("--features tract"), cfg!(not(feature = "tract")), "{message}");
}

#[test]
fn a_model_of_another_kind_is_an_error() {
    for &engine in ENGINES {
        let rename = |from: &str, to: &str| renamed(engine, from, to);
        assert!(rename("token_type_ids", "pixel_values_x").contains("pixel_values_x"));
        assert!(rename("input_ids", "something").contains("something"));
    }
}

#[test]
fn a_truncated_model_file_is_an_error() {
    for &engine in ENGINES {
        let mut bytes = files()[0].1.clone();
        let mut cut = 1;
        while cut < bytes.len() {
            bytes.truncate(bytes.len() - cut);
            cut += 97;
            let mut files = files();
            replace(&mut files, "model.onnx", bytes.clone());
            assert!(outcome(engine, files).is_err(), "{engine:?} took {} bytes", bytes.len());
        }
    }
}

#[test]
fn flipped_bits_do_not_crash_the_process() {
    for &engine in ENGINES {
        let original = files()[0].1.clone();
        let mut failed = 0;
        for step in 0..400_usize {
            let mut bytes = original.clone();
            let at = step * 7919 % bytes.len();
            bytes[at] ^= 1 << (step % 8);
            let mut files = files();
            replace(&mut files, "model.onnx", bytes);
            failed += usize::from(outcome(engine, files).is_err());
        }
        assert!(failed > 20, "{engine:?}: {failed}");
    }
}
