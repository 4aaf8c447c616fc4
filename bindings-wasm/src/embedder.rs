//! The model behind the base module: JavaScript hands it the encoder of the semantic module, or any
//! other, and what it answers is checked, since the index keeps it.

use std::ops::Range;

use js_sys::{Array, Float32Array, Uint32Array};
use send_wrapper::SendWrapper;
use ubp_core::ports::{Embedder, ModelInfo, TextKind};
use ubp_core::{Error, Result};
use wasm_bindgen::prelude::*;

use crate::failure::words;

#[wasm_bindgen]
extern "C" {
    /// What turns text into vectors.
    #[wasm_bindgen(typescript_type = "TextEncoding")]
    pub type Encoder;

    #[wasm_bindgen(method, catch)]
    fn embed(this: &Encoder, kind: &str, texts: Vec<String>) -> std::result::Result<JsValue, JsValue>;

    #[wasm_bindgen(method, catch, js_name = tokenRanges)]
    fn token_ranges(this: &Encoder, text: &str) -> std::result::Result<JsValue, JsValue>;
}

/// An encoder of JavaScript's.
pub(crate) struct GivenEmbedder {
    info: ModelInfo,
    encoder: SendWrapper<Encoder>,
}

impl GivenEmbedder {
    /// `info` as the encoder gives it.
    ///
    /// # Errors
    /// [`Error::InvalidParams`] when `info` does not describe a model.
    pub fn new(info: JsValue, encoder: Encoder) -> Result<Self> {
        let info: ModelInfo = serde_wasm_bindgen::from_value(info)
            .map_err(|error| Error::invalid(format!("info describes no model: {error}")))?;
        if info.dimensions == 0 || info.window == 0 {
            return Err(Error::invalid("info describes no model: dimensions and window must be above 0"));
        }
        Ok(Self { info, encoder: SendWrapper::new(encoder) })
    }

    fn wrong(&self, message: impl Into<String>) -> Error {
        Error::Model { model: self.info.name.clone(), message: message.into() }
    }

    fn vector(&self, value: JsValue) -> Result<Vec<f32>> {
        let vector = value.dyn_into::<Float32Array>().map(|numbers| numbers.to_vec());
        let vector = vector.map_err(|_| self.wrong("its encoder gave something that is no Float32Array"))?;
        if vector.len() != self.info.dimensions || !vector.iter().all(|number| number.is_finite()) {
            let dimensions = self.info.dimensions;
            return Err(self.wrong(format!("its encoder gave no vector of {dimensions} finite numbers")));
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
        let vectors = given.dyn_into::<Array>().map_err(|_| self.wrong("its encoder gave no array"))?;
        if vectors.length() as usize != texts.len() {
            return Err(self.wrong("its encoder gave another number of vectors than there were texts"));
        }
        vectors.iter().map(|vector| self.vector(vector)).collect()
    }

    fn token_ranges(&self, text: &str) -> Result<Vec<Range<usize>>> {
        let given = self.encoder.token_ranges(text).map_err(|thrown| self.wrong(words(&thrown)))?;
        let given = given.dyn_into::<Uint32Array>();
        let ends = given.map_err(|_| self.wrong("its encoder gave no Uint32Array of ranges"))?.to_vec();
        let ranges = ends.as_chunks::<2>().0.iter().map(|&[start, end]| start as usize..end as usize);
        let ranges: Vec<Range<usize>> = ranges.collect();
        if ranges.iter().all(|range| text.get(range.clone()).is_some()) {
            Ok(ranges)
        } else {
            Err(self.wrong("its encoder gave ranges that are not of the text"))
        }
    }
}
