//! The choice of an engine for a model. Both engines give the same vectors. rten is faster, so it is tried first; tract
//! runs models that rten does not support.

use ubp_core::Result;
use ubp_core::embed::ModelFiles;
use ubp_core::ports::Embedder;

#[cfg(feature = "rten")]
use super::Arithmetic;
use super::QueryCache;
use super::encoder::Encoder;
use super::session::Loads;

/// The engine that runs a model.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Engine {
    /// The fastest engine of this build that can load the model.
    #[default]
    Fastest,
    /// Only rten.
    #[cfg(feature = "rten")]
    Rten(Arithmetic),
    /// Only tract.
    #[cfg(feature = "tract")]
    Tract,
    /// Only tract on the GPU that [`gpu`] returns.
    Gpu,
}

impl Engine {
    fn loads(self) -> Loads {
        match self {
            Self::Fastest => Loads {
                any: &[
                    #[cfg(feature = "rten")]
                    super::rten::load,
                    #[cfg(feature = "tract")]
                    super::tract::load,
                ],
                #[cfg(feature = "rten")]
                few: Some(super::rten::load_small),
                #[cfg(not(feature = "rten"))]
                few: None,
                #[cfg(feature = "rten")]
                many: super::rten::for_many(),
                #[cfg(not(feature = "rten"))]
                many: None,
            },
            #[cfg(feature = "rten")]
            Self::Rten(Arithmetic::Fastest) => Loads {
                any: &[super::rten::load],
                few: Some(super::rten::load_small),
                many: super::rten::for_many(),
            },
            #[cfg(feature = "rten")]
            Self::Rten(Arithmetic::Integers) => Loads { any: &[super::rten::load], few: None, many: None },
            #[cfg(feature = "rten")]
            Self::Rten(Arithmetic::Floats) => {
                Loads { any: &[super::rten::load_floats], few: None, many: None }
            }
            #[cfg(feature = "tract")]
            Self::Tract => Loads { any: &[super::tract::load], few: None, many: None },
            Self::Gpu => Loads {
                any: &[
                    #[cfg(any(feature = "cuda", feature = "metal"))]
                    super::tract::load_on_gpu,
                ],
                few: None,
                many: None,
            },
        }
    }
}

/// The name of the GPU interface that this build can use on this machine.
///
/// # Errors
/// The reason, if there is none.
pub fn gpu() -> std::result::Result<String, String> {
    #[cfg(any(feature = "cuda", feature = "metal"))]
    return super::tract::gpu();
    #[cfg(not(any(feature = "cuda", feature = "metal")))]
    Err(ubp_core::word!("this build of ubp has no GPU engine").into())
}

/// An embedder for a model's files. Only `model.json` and the checksum are read here; tokenizer and weights are read on
/// first use. Repeated queries are answered from a [`QueryCache`].
///
/// # Errors
/// [`ubp_core::Error::Model`] if `model.json` is missing or invalid. Errors in the other files are reported on first
/// use.
pub fn open(engine: Engine, files: Box<dyn ModelFiles>) -> Result<Box<dyn Embedder>> {
    Ok(Box::new(QueryCache::new(Encoder::new(files, engine.loads())?)))
}

/// The model in the binary, on the fastest engine.
///
/// # Errors
/// As [`open`]; none in practice.
#[cfg(feature = "bundled-model")]
pub fn bundled() -> Result<Box<dyn Embedder>> {
    open(Engine::Fastest, Box::new(super::BundledFiles))
}
