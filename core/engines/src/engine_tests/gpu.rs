//! A GPU gives the same vectors as the CPU, or an error.

use ubp_core::ports::TextKind;

use super::{bert, cosine, opened};
use crate::{Engine, gpu};

#[test]
fn a_gpu_gives_the_same_vectors_or_an_error() {
    let on_gpu = opened(Engine::Gpu, bert());
    let texts = ["how do sessions expire", "a page about tokens"];
    match gpu() {
        Ok(name) => {
            assert!(["cuda", "metal"].contains(&name.as_str()), "{name}");
            let here = on_gpu.embed(TextKind::Passage, &texts).unwrap();
            let there = opened(Engine::Tract, bert()).embed(TextKind::Passage, &texts).unwrap();
            for (a, b) in here.iter().zip(&there) {
                assert!(cosine(a, b) > 0.999, "{}", cosine(a, b));
            }
        }
        Err(why) => {
            assert!(!why.is_empty());
            let error = on_gpu.embed(TextKind::Passage, &texts).unwrap_err();
            assert_eq!(error.code(), "model", "{error}");
        }
    }
}
