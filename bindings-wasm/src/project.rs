//! An open project: an exported vault, or a folder dropped on the page, with operations by name.

use std::cell::RefCell;
use std::io::{self, Read};
use std::sync::Arc;
use ubp_core::message::Message;

use js_sys::{Array, JSON, Uint8Array};
use serde::Serialize;
use serde_json::Value;
use ubp_core::export::{PublicSource, settings_of_site};
use ubp_core::index::{self, Index};
use ubp_core::manifest::{FrontMatterMode, MANIFEST_PATH, Manifest};
use ubp_core::message;
use ubp_core::ports::{Clock, NoHistory, Source};
use ubp_core::progress::{Cancel, Silent};
use ubp_core::{Caller, Context, Engine};
use ubp_core::{Error, Result};
use wasm_bindgen::prelude::*;

use crate::clock::BrowserClock;
use crate::embedder::{Encoder, GivenEmbedder};
use crate::failure::{guarded, words};
use crate::folder::Folder;
use crate::pages::to_js;
use crate::reader::answering;

#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = include_str!("types.d.ts");

/// An open project.
#[wasm_bindgen]
pub struct Project {
    engine: RefCell<Engine>,
    /// The opened folder; empty for an exported vault.
    folder: RefCell<Folder>,
    name: Option<String>,
}

/// Progress of embedding, in sections.
#[derive(Serialize)]
struct Embedded {
    done: usize,
    total: usize,
}

#[wasm_bindgen]
impl Project {
    /// Opens the database of an exported vault, or another index without its files.
    #[wasm_bindgen(js_name = openDatabase)]
    pub fn open_database(bytes: &Uint8Array) -> std::result::Result<Project, JsValue> {
        guarded(|| {
            let length = bytes.length();
            let index = Index::from_bytes(Bytes { array: bytes, read: 0 }, length as usize)?;
            let (source, manifest): (Box<dyn Source>, Manifest) = match index.read(settings_of_site)? {
                Some(manifest) => (Box::new(index.read(PublicSource::of_site)?), manifest),
                None => (Box::new(Folder::default()), default_manifest()?),
            };
            Ok(Self::with(index, source, manifest, Folder::default(), None))
        })
    }

    /// Opens a folder of pages, with the settings in its `.ubp/manifest.json`, if any. Text and links are indexed when
    /// this returns. Unusable files are skipped and reported by `doctor`.
    #[wasm_bindgen(js_name = openFiles)]
    pub fn open_files(
        #[wasm_bindgen(unchecked_param_type = "DroppedFile[]")] files: &Array,
        name: Option<String>,
    ) -> std::result::Result<Project, JsValue> {
        guarded(|| {
            let folder = Folder::new(files);
            let manifest = match folder.bytes(MANIFEST_PATH) {
                Some(bytes) => Manifest::parse(&String::from_utf8_lossy(&bytes.to_vec()), MANIFEST_PATH)?,
                None => default_manifest()?,
            };
            let folder = folder.with_pages_in(manifest.pages_folder(), manifest.templates_among_pages());
            let source = Box::new(folder.clone());
            let project = Self::with(Index::in_memory()?, source, manifest, folder, name);
            project.with_context(|context| context.refresh(false))?;
            Ok(project)
        })
    }

    /// Brings the project up to date with a folder that changed: `files` are new or changed ones, `removed` the paths of
    /// those that are gone. Only changed pages are read again. To change settings, open the folder again.
    #[wasm_bindgen(js_name = changeFiles)]
    pub fn change_files(
        &self,
        #[wasm_bindgen(unchecked_param_type = "DroppedFile[]")] files: &Array,
        removed: Vec<String>,
    ) -> std::result::Result<(), JsValue> {
        guarded(|| {
            let changed = self.folder.borrow().changed(files, &removed);
            self.engine.borrow_mut().source = Box::new(changed.clone());
            self.folder.replace(changed);
            self.with_context(|context| context.refresh(false))?;
            Ok(())
        })
    }

    /// The name of the folder.
    #[wasm_bindgen(getter)]
    pub fn name(&self) -> Option<String> {
        self.name.clone()
    }

    /// Runs the operation `name`.
    #[wasm_bindgen(skip_typescript)]
    pub fn call(&self, name: &str, params: &JsValue) -> std::result::Result<JsValue, JsValue> {
        guarded(|| answering(|| to_js(&self.with_context(|context| context.call(name, json(params)?))?)))
    }

    /// Sets the encoder, which enables semantic search. `info` is the result of the encoder's `info()`.
    #[wasm_bindgen(js_name = setEncoder)]
    pub fn set_encoder(
        &self,
        #[wasm_bindgen(unchecked_param_type = "ModelInfo")] info: JsValue,
        encoder: Encoder,
    ) -> std::result::Result<(), JsValue> {
        guarded(|| {
            let embedder = GivenEmbedder::new(info, encoder)?;
            self.engine.borrow_mut().embedder = Some(Arc::new(embedder));
            Ok(())
        })
    }

    /// Computes vectors for about the given time, and returns how many sections have vectors. Does nothing without an
    /// encoder.
    #[wasm_bindgen(js_name = embedPending, unchecked_return_type = "{ done: number; total: number }")]
    pub fn embed_pending(&self, milliseconds: f64) -> std::result::Result<JsValue, JsValue> {
        guarded(|| {
            let left = self.with_context(|context| context.embed(Some(milliseconds.max(0.0) as u64)))?;
            let total = self.engine.borrow().index.read(index::section_count)?;
            to_js(&Embedded { done: total.saturating_sub(left.pending), total })
        })
    }

    /// A file of a dropped folder, by its path in that folder.
    pub fn file(&self, path: &str) -> Option<Uint8Array> {
        self.folder.borrow().bytes(path)
    }
}

impl Project {
    fn with(
        index: Index,
        source: Box<dyn Source>,
        manifest: Manifest,
        folder: Folder,
        name: Option<String>,
    ) -> Self {
        let (history, clock) = (Box::new(NoHistory), Box::new(BrowserClock));
        let engine = Engine { index, source, history, clock, embedder: None, manifest };
        Self { engine: RefCell::new(engine), folder: RefCell::new(folder), name }
    }

    fn with_context<T>(&self, work: impl FnOnce(&Context<'_>) -> Result<T>) -> Result<T> {
        let engine = self.engine.borrow();
        work(&engine.context(Caller::Person, true, &Silent, &Cancel::default()))
    }
}

/// The settings of a folder without a manifest: every Markdown file is a page, and front matter is never written.
fn default_manifest() -> Result<Manifest> {
    Manifest::default_for(".", FrontMatterMode::Preserved, BrowserClock.now())
}

/// Parameters converted through JSON, which refuses cycles and drops functions.
fn json(params: &JsValue) -> Result<Value> {
    if params.is_undefined() || params.is_null() {
        return Ok(Value::Null);
    }
    let text = JSON::stringify(params).map_err(|thrown| Error::invalid(Message::verbatim(words(&thrown))))?;
    let text =
        text.as_string().ok_or_else(|| Error::invalid(message!("the parameters are not an object")))?;
    serde_json::from_str(&text).map_err(|error| Error::invalid(message!("{error}", error)))
}

/// Bytes in JavaScript, copied directly to the destination buffer.
struct Bytes<'a> {
    array: &'a Uint8Array,
    read: u32,
}

impl Read for Bytes<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = self.array.length().saturating_sub(self.read);
        let count = u32::try_from(buffer.len()).unwrap_or(u32::MAX).min(left);
        let Some(buffer) = buffer.get_mut(..count as usize) else { return Ok(0) };
        self.array.subarray(self.read, self.read + count).copy_to(buffer);
        self.read += count;
        Ok(count as usize)
    }
}
