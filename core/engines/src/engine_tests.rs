//! Both engines compared with the reference implementations, on the bundled models and two tiny ones, and damaged model
//! files.
#![allow(clippy::unwrap_used, clippy::panic)]

mod agreement;
#[cfg(feature = "rten")]
mod arithmetic;
mod damaged;
#[cfg(feature = "bundled-model")]
mod golden;
#[cfg(any(feature = "cuda", feature = "metal"))]
mod gpu;
#[cfg(feature = "bundled-model")]
mod multilingual;
mod tiny;

use ubp_core::embed::MemoryFiles;
use ubp_core::ports::Embedder;

#[cfg(feature = "rten")]
use super::Arithmetic;
use super::{Engine, open};

/// All engines of this build.
const ENGINES: &[Engine] = &[
    #[cfg(feature = "rten")]
    Engine::Rten(Arithmetic::Integers),
    #[cfg(feature = "rten")]
    Engine::Rten(Arithmetic::Floats),
    #[cfg(feature = "tract")]
    Engine::Tract,
    Engine::Fastest,
];

/// Whether an engine computes these texts in tests. On processors without fast sums of 8-bit products, tract needs seconds for
/// a long text with a bundled model; a word takes the same path.
#[cfg(feature = "bundled-model")]
fn is_tested_on(engine: Engine, text: &str) -> bool {
    match engine {
        #[cfg(feature = "tract")]
        Engine::Tract => text.len() <= 100,
        // It is one of the others.
        Engine::Fastest => false,
        _ => true,
    }
}

fn cosine(a: &[f32], b: &[f32]) -> f32 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

macro_rules! tiny_files {
    ($style:literal) => {
        [
            ("model.onnx", &include_bytes!(concat!("../../models/tiny/", $style, "/model.onnx"))[..]),
            ("tokenizer.json", &include_bytes!(concat!("../../models/tiny/", $style, "/tokenizer.json"))[..]),
            ("model.json", &include_bytes!(concat!("../../models/tiny/", $style, "/model.json"))[..]),
        ]
    };
}

fn bert() -> [(&'static str, &'static [u8]); 3] {
    tiny_files!("bert")
}

fn xlmr() -> [(&'static str, &'static [u8]); 3] {
    tiny_files!("xlmr")
}

fn opened(
    engine: Engine,
    files: impl IntoIterator<Item = (&'static str, &'static [u8])>,
) -> Box<dyn Embedder> {
    open(engine, Box::new(MemoryFiles::new(files))).unwrap()
}
