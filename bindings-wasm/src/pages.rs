//! Parsing of pages for editors, without a project.

use serde::Serialize;
use ubp_core::Error;
use ubp_core::page::{LinkTypes, ParsedPage};
use wasm_bindgen::prelude::*;

use crate::failure::guarded;
use crate::reader::answering;

/// Parses a page: links, headings and front matter, with UTF-16 ranges. Any text is valid. `link_types` are the custom
/// ones of the project.
#[wasm_bindgen(unchecked_return_type = "ParsedPage")]
pub fn parse(
    text: &str,
    #[wasm_bindgen(js_name = linkTypes)] link_types: Option<Vec<String>>,
) -> Result<JsValue, JsValue> {
    guarded(|| answering(|| to_js(&ParsedPage::read(text, &LinkTypes::with(link_types.unwrap_or_default())))))
}

/// The version of UBP.
#[wasm_bindgen]
pub fn version() -> String {
    env!("CARGO_PKG_VERSION").into()
}

/// Converts a value as JSON would: plain objects, `null`, and only integers that JavaScript represents exactly.
pub(crate) fn to_js(value: &impl Serialize) -> Result<JsValue, Error> {
    let serializer = serde_wasm_bindgen::Serializer::json_compatible();
    value.serialize(&serializer).map_err(|error| Error::Internal(error.to_string()))
}
