//! Which engine runs a model. Both give the same vectors; rten is faster, so it is asked first, and
//! tract runs what rten does not know.

use ubp_core::Result;
use ubp_core::embed::ModelFiles;
use ubp_core::ports::Embedder;

use super::QueryCache;
use super::encoder::Encoder;
use super::session::Load;

/// What runs a model.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Engine {
    /// The fastest of this build that can load the model.
    #[default]
    Fastest,
    /// rten alone.
    #[cfg(feature = "rten")]
    Rten,
    /// tract alone.
    #[cfg(feature = "tract")]
    Tract,
    /// tract on the GPU that [`gpu`] names, and nothing else.
    Gpu,
}

const FASTEST: &[Load] = &[
    #[cfg(feature = "rten")]
    super::rten::load,
    #[cfg(feature = "tract")]
    super::tract::load,
];

const GPU: &[Load] = &[
    #[cfg(any(feature = "cuda", feature = "metal"))]
    super::tract::load_on_gpu,
];

/// The GPU that this build can use on this machine, by the name of its interface.
///
/// # Errors
/// Why there is none, in words.
pub fn gpu() -> std::result::Result<String, String> {
    #[cfg(any(feature = "cuda", feature = "metal"))]
    return super::tract::gpu();
    #[cfg(not(any(feature = "cuda", feature = "metal")))]
    Err("this build of ubp has no engine for GPUs".into())
}

/// An embedder over a model's files. Only `model.json` and the checksum are asked for here;
/// tokenizer and weights are read when they are first needed. A query that was asked before costs
/// nothing: see [`QueryCache`].
///
/// # Errors
/// [`ubp_core::Error::Model`] when `model.json` is missing or wrong. What is wrong with the other files
/// shows at the first use.
pub fn open(engine: Engine, files: Box<dyn ModelFiles>) -> Result<Box<dyn Embedder>> {
    let engines: &'static [Load] = match engine {
        Engine::Fastest => FASTEST,
        #[cfg(feature = "rten")]
        Engine::Rten => &[super::rten::load],
        #[cfg(feature = "tract")]
        Engine::Tract => &[super::tract::load],
        Engine::Gpu => GPU,
    };
    Ok(Box::new(QueryCache::new(Encoder::new(files, engines)?)))
}

/// The model inside the binary, on the fastest engine.
///
/// # Errors
/// None in practice; those of [`open`].
#[cfg(feature = "bundled-model")]
pub fn bundled() -> Result<Box<dyn Embedder>> {
    open(Engine::Fastest, Box::new(super::BundledFiles))
}
