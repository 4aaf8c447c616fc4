//! The semantic module: a model from files that JavaScript fetched, with the interface of an encoder for the base
//! module.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use js_sys::{Array, Float32Array, Uint32Array};
use serde::Serialize;
use ubp_core::embed::{Checksum, DESCRIPTION_FILE, MODEL_FILE, ModelFiles, TOKENIZER_FILE};
use ubp_core::message;
use ubp_core::ports::{Embedder, TextKind};
use ubp_core::{Error, Result};
use ubp_engines::{Arithmetic, Engine, open};
use wasm_bindgen::prelude::*;

use crate::failure::guarded;

/// File with the weights of a model whose graph has none.
const WEIGHTS_FILE: &str = "model.onnx.data";

#[cfg(not(feature = "base"))]
#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = r#"
import type { ModelInfo } from "./contract.js";
export type { ModelInfo };
"#;

/// A model that turns text into vectors.
#[wasm_bindgen]
pub struct Encoder {
    embedder: Box<dyn Embedder>,
}

#[wasm_bindgen]
impl Encoder {
    /// A model from its files: `model.onnx`, `tokenizer.json`, `model.json`, and `model.onnx.data` if the weights are
    /// in a separate file. Every UBP with the same files computes comparable vectors.
    #[wasm_bindgen(constructor)]
    pub fn new(
        model: Vec<u8>,
        tokenizer: Vec<u8>,
        description: String,
        weights: Option<Vec<u8>>,
    ) -> std::result::Result<Encoder, JsValue> {
        guarded(|| {
            let weights = weights.map(|weights| (WEIGHTS_FILE, weights));
            let files = [
                (MODEL_FILE, model),
                (TOKENIZER_FILE, tokenizer),
                (DESCRIPTION_FILE, description.into_bytes()),
            ];
            let files = HandedFiles::new(files.into_iter().chain(weights));
            // Floats would need the files a second time, and four times the memory.
            Ok(Self { embedder: open(Engine::Rten(Arithmetic::Integers), Box::new(files))? })
        })
    }

    /// Identity and parameters of the model, for `setEncoder` of the base module.
    #[wasm_bindgen(unchecked_return_type = "ModelInfo")]
    pub fn info(&self) -> std::result::Result<JsValue, JsValue> {
        guarded(|| {
            let serializer = serde_wasm_bindgen::Serializer::json_compatible();
            let info = self.embedder.model().serialize(&serializer);
            info.map_err(|error| Error::Internal(error.to_string()))
        })
    }

    /// A vector of length 1 for each text, in order.
    #[wasm_bindgen(unchecked_return_type = "Float32Array[]")]
    pub fn embed(
        &self,
        #[wasm_bindgen(unchecked_param_type = "\"query\" | \"passage\"")] kind: &str,
        texts: Vec<String>,
    ) -> std::result::Result<Array, JsValue> {
        guarded(|| {
            let kind = match kind {
                "query" => TextKind::Query,
                "passage" => TextKind::Passage,
                _ => {
                    return Err(Error::invalid(message!(
                        "kind is '{kind}'; it must be query or passage",
                        kind
                    )));
                }
            };
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            let vectors = self.embedder.embed(kind, &texts)?;
            Ok(vectors.iter().map(|vector| Float32Array::from(vector.as_slice())).collect())
        })
    }

    /// Ranges of the tokens of a text, in UTF-8 bytes: start, end, start, end, …
    #[wasm_bindgen(js_name = tokenRanges)]
    pub fn token_ranges(&self, text: &str) -> std::result::Result<Uint32Array, JsValue> {
        guarded(|| {
            let ranges = self.embedder.token_ranges(text)?;
            let ends = ranges.into_iter().flat_map(|range| [range.start, range.end]);
            let ends: Vec<u32> = ends.map(|end| u32::try_from(end).unwrap_or(u32::MAX)).collect();
            Ok(Uint32Array::from(ends.as_slice()))
        })
    }
}

/// Files that are moved out when read. A model reads each once, and a second copy of the weights would use too much
/// memory on small devices.
struct HandedFiles {
    names: Vec<String>,
    checksum: String,
    description: Vec<u8>,
    rest: Mutex<BTreeMap<String, Vec<u8>>>,
}

impl HandedFiles {
    fn new(files: impl IntoIterator<Item = (&'static str, Vec<u8>)>) -> Self {
        let mut rest: BTreeMap<String, Vec<u8>> =
            files.into_iter().map(|(name, bytes)| (name.to_owned(), bytes)).collect();
        let mut sums = Checksum::default();
        rest.iter().for_each(|(name, bytes)| sums.add(name, bytes));
        let names = rest.keys().cloned().collect();
        let description = rest.remove(DESCRIPTION_FILE).unwrap_or_default();
        Self { names, checksum: sums.finish(), description, rest: Mutex::new(rest) }
    }
}

impl ModelFiles for HandedFiles {
    fn names(&self) -> Vec<String> {
        self.names.clone()
    }

    fn read(&self, name: &str) -> Result<Cow<'static, [u8]>> {
        if name == DESCRIPTION_FILE {
            return Ok(self.description.clone().into());
        }
        let file = self.rest.lock().unwrap_or_else(PoisonError::into_inner).remove(name);
        file.map(Cow::Owned).ok_or_else(|| Error::Internal(format!("{name} was already read")))
    }

    fn checksum(&self) -> Result<String> {
        Ok(self.checksum.clone())
    }
}
