//! What a site is made with, besides its pages.

use serde::Serialize;

use crate::message::Language;

/// Settings of a site.
#[derive(Debug, Clone, Default)]
pub struct SiteSettings {
    /// URL of the site, without `/` at its end, for canonical addresses.
    pub base_url: Option<String>,
    /// Whether search engines are asked not to index it.
    pub noindex: bool,
    /// Version of the program.
    pub version: String,
    /// File of the database relative to the top of the site, and its size in bytes; `None` if a server answers.
    pub database: Option<(String, u64)>,
    /// The nonce for styles that scripts add, from the server's content security policy.
    pub style_nonce: Option<String>,
    /// Files for semantic search.
    pub semantic: Option<Semantic>,
    /// Folders on the reader's machine, if the reader may open files there.
    pub folders: Option<Folders>,
    /// Whether browsers can install it as an app, with the manifest and the service worker that the host adds.
    pub installable: bool,
    /// Languages for what UBP says in pages of that language, besides English.
    pub languages: Vec<Language>,
    /// The project's place among those of a hub.
    pub hub: Option<InHub>,
    /// The guest that a server shows it to, if it is not the owner's browser.
    pub guest: Option<GuestOf>,
}

/// What a guest of a server may do.
#[derive(Debug, Clone, Serialize)]
pub struct GuestOf {
    /// Its name.
    pub name: String,
    /// The word of its right.
    pub right: &'static str,
    /// The operations that it may call.
    pub operations: Vec<&'static str>,
}

/// A project among those of a hub that a server shows.
#[derive(Debug, Clone, Serialize)]
pub struct InHub {
    /// The project's name there.
    pub project: String,
    /// The address of the hub, relative to the top of the site.
    pub root: String,
    /// Whether the project can only be read.
    pub read_only: bool,
}

/// Folders of the project on disk, as absolute paths separated by `/`.
#[derive(Debug, Clone, Serialize)]
pub struct Folders {
    /// The project.
    pub project: String,
    /// Its pages.
    pub pages: String,
    /// The editor that the server opens files in, if there is one.
    pub editor: Option<String>,
    /// Whether the server can show files in a file manager.
    pub has_file_manager: bool,
}

/// Files of the embedding model relative to the top of the site.
#[derive(Debug, Clone, Serialize)]
pub struct Semantic {
    /// `model.onnx`.
    pub model: String,
    /// `model.onnx.data`, if the weights are in a separate file.
    pub weights: Option<String>,
    /// `tokenizer.json`.
    pub tokenizer: String,
    /// `model.json`.
    pub description: String,
    /// Total size of these files in bytes.
    pub bytes: u64,
}
