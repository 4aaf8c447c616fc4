//! The embedder of the base module: an encoder passed from JavaScript, usually that of the semantic module. Its results
//! are checked, because they are stored in the index.

use std::ops::Range;
use ubp_core::message::Message;

use js_sys::{Array, Float32Array, Uint32Array};
use send_wrapper::SendWrapper;
use ubp_core::message;
use ubp_core::ports::{Embedder, ModelInfo, TextKind};
use ubp_core::{Error, Result};
use wasm_bindgen::prelude::*;

use crate::failure::words;

#[wasm_bindgen]
extern "C" {
    /// An encoder in JavaScript, which turns text into vectors.
    #[wasm_bindgen(typescript_type = "TextEncoding")]
    pub type Encoder;

    #[wasm_bindgen(method, catch)]
    fn embed(this: &Encoder, kind: &str, texts: Vec<String>) -> std::result::Result<JsValue, JsValue>;

    #[wasm_bindgen(method, catch, js_name = tokenRanges)]
    fn token_ranges(this: &Encoder, text: &str) -> std::result::Result<JsValue, JsValue>;
}

/// An embedder that calls an encoder in JavaScript.
pub(crate) struct GivenEmbedder {
    info: ModelInfo,
    encoder: SendWrapper<Encoder>,
}

impl GivenEmbedder {
    /// `info` is the description from the encoder.
    ///
    /// # Errors
    /// [`Error::InvalidParams`] if `info` is invalid.
    pub fn new(info: JsValue, encoder: Encoder) -> Result<Self> {
        let info: ModelInfo = serde_wasm_bindgen::from_value(info)
            .map_err(|error| Error::invalid(message!("invalid info: {error}", error = error.to_string())))?;
        if info.dimensions == 0 || info.window == 0 {
            return Err(Error::invalid(message!("invalid info: dimensions and window must be above 0")));
        }
        Ok(Self { info, encoder: SendWrapper::new(encoder) })
    }

    fn wrong(&self, message: impl Into<String>) -> Error {
        Error::Model { model: self.info.name.clone(), message: Message::verbatim(message) }
    }

    fn vector(&self, value: JsValue) -> Result<Vec<f32>> {
        let vector = value.dyn_into::<Float32Array>().map(|numbers| numbers.to_vec());
        let vector =
            vector.map_err(|_| self.wrong("its encoder returned a value that is not a Float32Array"))?;
        if vector.len() != self.info.dimensions || !vector.iter().all(|number| number.is_finite()) {
            let dimensions = self.info.dimensions;
            return Err(
                self.wrong(format!("its encoder returned a vector that is not {dimensions} finite numbers"))
            );
        }
        Ok(vector)
    }
}

impl Embedder for GivenEmbedder {
    fn model(&self) -> &ModelInfo {
        &self.info
    }

    fn embed(&self, kind: TextKind, texts: &[&str]) -> Result<Vec<Vec<f32>>> {
        let kind = match kind {
            TextKind::Query => "query",
            TextKind::Passage => "passage",
        };
        let given = self.encoder.embed(kind, texts.iter().map(|&text| text.into()).collect());
        let given = given.map_err(|thrown| self.wrong(words(&thrown)))?;
        let vectors = given
            .dyn_into::<Array>()
            .map_err(|_| self.wrong("its encoder returned a value that is not an array"))?;
        if vectors.length() as usize != texts.len() {
            return Err(self.wrong("its encoder returned a different number of vectors than texts"));
        }
        vectors.iter().map(|vector| self.vector(vector)).collect()
    }

    fn token_ranges(&self, text: &str) -> Result<Vec<Range<usize>>> {
        let given = self.encoder.token_ranges(text).map_err(|thrown| self.wrong(words(&thrown)))?;
        let given = given.dyn_into::<Uint32Array>();
        let ends =
            given.map_err(|_| self.wrong("its encoder returned ranges that are not a Uint32Array"))?.to_vec();
        let ranges = ends.as_chunks::<2>().0.iter().map(|&[start, end]| start as usize..end as usize);
        let ranges: Vec<Range<usize>> = ranges.collect();
        if ranges.iter().all(|range| text.get(range.clone()).is_some()) {
            Ok(ranges)
        } else {
            Err(self.wrong("its encoder returned ranges outside the text"))
        }
    }
}
