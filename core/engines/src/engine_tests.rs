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

/// The engines that differ; the fastest is one of them.
fn different() -> impl Iterator<Item = Engine> {
    ENGINES.iter().copied().filter(|engine| !matches!(engine, Engine::Fastest))
}

/// Whether everything is compared. Otherwise tract computes short texts only: with a bundled model and without fast sums of
/// 8-bit products, a long one takes it seconds.
#[allow(clippy::disallowed_methods)]
fn is_soak() -> bool {
    std::env::var_os("UBP_SOAK").is_some()
}

/// Whether an engine computes this text.
#[cfg(feature = "bundled-model")]
fn computes(engine: Engine, text: &str) -> bool {
    match engine {
        #[cfg(feature = "tract")]
        Engine::Tract => text.len() <= 100 || is_soak(),
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
