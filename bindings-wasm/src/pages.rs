//! Pages for editors: reading a text needs no project.

use serde::Serialize;
use ubp_core::Error;
use ubp_core::page::{LinkTypes, ParsedPage};
use wasm_bindgen::prelude::*;

use crate::failure::guarded;

/// Reads a page: links, headings and front matter, with UTF-16 ranges. Every text is a page.
/// `link_types` are the project's own, beyond the known ones.
#[wasm_bindgen(unchecked_return_type = "ParsedPage")]
pub fn parse(
    text: &str,
    #[wasm_bindgen(js_name = linkTypes)] link_types: Option<Vec<String>>,
) -> Result<JsValue, JsValue> {
    guarded(|| to_js(&ParsedPage::read(text, &LinkTypes::with(link_types.unwrap_or_default()))))
}

/// The version of UBP.
#[wasm_bindgen]
pub fn version() -> String {
    env!("CARGO_PKG_VERSION").into()
}

/// As JSON would have it: plain objects, `null`, and no integers but those that are exact.
pub(crate) fn to_js(value: &impl Serialize) -> Result<JsValue, Error> {
    let serializer = serde_wasm_bindgen::Serializer::json_compatible();
    value.serialize(&serializer).map_err(|error| Error::Internal(error.to_string()))
}
