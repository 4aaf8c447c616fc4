//! The editor at the other end: what it can do, and messages to it.

use std::sync::atomic::{AtomicI32, Ordering};

use lsp_types::notification::Notification;
use lsp_types::request::Request;
use lsp_types::{ClientCapabilities, InitializeParams, MessageType, ResourceOperationKind};
use serde_json::{Value, json};
use ubp_core::message::{Language, Message};

use super::position::Encoding;

/// Commands of a client that lenses use if it has them.
#[derive(Debug, Clone, Default)]
pub(super) struct ClientOptions {
    pub commands: Vec<String>,
    pub read_only: bool,
    pub inlay_hints: bool,
}

impl ClientOptions {
    /// Options of another type than expected count as not given, and take nothing from the others.
    fn of(options: &Value) -> Self {
        let names = options["commands"].as_array().map(Vec::as_slice).unwrap_or_default();
        Self {
            commands: names.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
            read_only: options["readOnly"].as_bool().unwrap_or_default(),
            inlay_hints: options["inlayHints"].as_bool().unwrap_or_default(),
        }
    }
}

/// What the editor can do.
#[derive(Debug, Clone)]
pub(super) struct Abilities {
    pub encoding: Encoding,
    pub options: ClientOptions,
    pub language: Language,
    /// Edits of several documents with versions, and creating files.
    pub document_changes: bool,
    pub creates_files: bool,
    pub renames_files: bool,
    /// It asks for diagnostics itself.
    pub pulls: bool,
    pub refreshes: Refreshes,
    pub progress: bool,
    pub shows_documents: bool,
}

/// What it shows again when it is asked to.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Refreshes {
    pub lenses: bool,
    pub diagnostics: bool,
    pub hints: bool,
    pub tokens: bool,
}

impl Abilities {
    pub(super) fn of(params: &InitializeParams, languages: &[Language]) -> Self {
        let all: &ClientCapabilities = &params.capabilities;
        let workspace = all.workspace.clone().unwrap_or_default();
        let document = all.text_document.clone().unwrap_or_default();
        let window = all.window.clone().unwrap_or_default();
        let general = all.general.clone().unwrap_or_default();
        let edits = workspace.workspace_edit.unwrap_or_default();
        let document_changes = edits.document_changes.unwrap_or_default();
        // Files are created and renamed by changes of documents only.
        let known = edits.resource_operations.filter(|_| document_changes).unwrap_or_default();
        let options = params.initialization_options.clone().unwrap_or(Value::Null);
        let tag = params.locale.clone().unwrap_or_default();
        let primary = tag.split(['-', '_']).next().unwrap_or_default();
        let language = languages.iter().find(|language| language.tag().eq_ignore_ascii_case(primary));
        Self {
            encoding: Encoding::chosen(general.position_encodings.as_deref()),
            options: ClientOptions::of(&options),
            language: language.copied().unwrap_or(Language::ENGLISH),
            document_changes,
            creates_files: known.contains(&ResourceOperationKind::Create),
            renames_files: known.contains(&ResourceOperationKind::Rename),
            pulls: document.diagnostic.is_some(),
            refreshes: Refreshes {
                lenses: workspace.code_lens.and_then(|lens| lens.refresh_support).unwrap_or_default(),
                diagnostics: workspace.diagnostic.and_then(|own| own.refresh_support).unwrap_or_default(),
                hints: workspace.inlay_hint.and_then(|hint| hint.refresh_support).unwrap_or_default(),
                tokens: workspace.semantic_tokens.and_then(|own| own.refresh_support).unwrap_or_default(),
            },
            progress: window.work_done_progress.unwrap_or_default(),
            shows_documents: window.show_document.is_some_and(|show| show.support),
        }
    }

    /// Whether lenses may use this command.
    pub(super) fn has_command(&self, name: &str) -> bool {
        self.options.commands.iter().any(|own| own == name)
    }
}

/// Takes messages to the editor.
pub(super) type Out = Box<dyn Fn(Value) + Send + Sync>;

/// Sends messages to the editor.
pub(super) struct Client {
    out: Out,
    next: AtomicI32,
}

impl Client {
    pub(super) fn new(out: Out) -> Self {
        Self { out, next: AtomicI32::new(1) }
    }

    pub(super) fn send(&self, message: Value) {
        (self.out)(message);
    }

    pub(super) fn notify<N: Notification>(&self, params: &N::Params) {
        self.send(json!({ "jsonrpc": "2.0", "method": N::METHOD, "params": params }));
    }

    /// Sends a request whose answer is of no interest.
    pub(super) fn ask<R: Request>(&self, params: &R::Params) {
        let id = format!("ubp-{}", self.next.fetch_add(1, Ordering::Relaxed));
        self.send(json!({ "jsonrpc": "2.0", "id": id, "method": R::METHOD, "params": params }));
    }

    /// Shows a message in the log of the editor.
    pub(super) fn log(&self, typ: MessageType, message: String) {
        self.notify::<lsp_types::notification::LogMessage>(&lsp_types::LogMessageParams { typ, message });
    }

    /// Shows a message to the user.
    pub(super) fn show(&self, typ: MessageType, message: &Message, language: Language) {
        let message = message.in_language(language);
        self.notify::<lsp_types::notification::ShowMessage>(&lsp_types::ShowMessageParams { typ, message });
    }
}
