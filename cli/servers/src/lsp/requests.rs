//! Requests and notifications by method, and what all of them share.

use std::io::ErrorKind;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use lsp_server::{Notification, Request};
use lsp_types::notification::{
    DidChangeTextDocument, DidChangeWorkspaceFolders, DidCloseTextDocument, DidCreateFiles, DidDeleteFiles,
    DidOpenTextDocument, DidRenameFiles, DidSaveTextDocument, Notification as _,
};
use lsp_types::request::{
    CallHierarchyIncomingCalls, CallHierarchyOutgoingCalls, CallHierarchyPrepare, CodeActionRequest,
    CodeLensRequest, Completion, DocumentDiagnosticRequest, DocumentLinkRequest, DocumentSymbolRequest,
    ExecuteCommand, FoldingRangeRequest, GotoDefinition, HoverRequest, InlayHintRequest,
    PrepareRenameRequest, References, Rename, Request as _, ResolveCompletionItem, SemanticTokensFullRequest,
    SemanticTokensRangeRequest, WillRenameFiles, WorkspaceDiagnosticRequest, WorkspaceSymbolRequest,
};
use lsp_types::{Position, Uri};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use ubp_core::drafts::Drafts;
use ubp_core::editor::OpenPage;
use ubp_core::message::Message;
use ubp_core::progress::{Cancel, Silent};
use ubp_core::{Caller, Context, Error, Result};

use super::documents::{Document, Documents};
use super::position::Lines;
use super::projects::{Named, Served, is_outside, real};
use super::server::{Server, thread};
use super::{
    actions, call, code, commands, completion, diagnostics, hierarchy, hover, lenses, navigation, renaming,
    structure, symbols, tokens, uri, watching,
};

/// Why a request fails.
pub(super) struct Refusal {
    pub code: i32,
    pub message: String,
}

impl Refusal {
    pub(super) fn invalid(message: impl Into<String>) -> Self {
        Self { code: -32602, message: message.into() }
    }

    /// A refusal in the language of the client: its user reads it.
    pub(super) fn told(code: i32, message: &Message) -> Self {
        let told = serde_json::to_value(message).unwrap_or_default();
        Self { code, message: told.as_str().unwrap_or_default().to_owned() }
    }
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        let code = match &error {
            Error::Cancelled => -32800,
            Error::InvalidParams { .. } => -32602,
            Error::Internal(_) => -32603,
            _ => -32803,
        };
        Self::told(code, &error.message())
    }
}

pub(super) type Answer<T> = std::result::Result<T, Refusal>;

/// A request that is being answered.
pub(super) struct Call<'a> {
    pub server: &'a Server,
    pub cancel: &'a Cancel,
}

/// The file that a request is about, with what is open besides it.
pub(super) struct Subject {
    pub served: Arc<Served>,
    pub drafts: Drafts,
    pub named: Named,
    /// The document, if it is open.
    pub document: Option<Arc<Document>>,
}

impl Call<'_> {
    /// The file at this address; `None` if it is not a file, or in no project.
    pub(super) fn subject(&self, uri: &Uri) -> Answer<Option<Subject>> {
        let Some(path) = uri::path_of(uri.as_str()) else { return Ok(None) };
        let served = match self.server.project(&path) {
            Ok(served) => served,
            Err(error) if is_outside(&error) => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        let Some(named) = served.name(&real(&path)) else { return Ok(None) };
        let drafts = served.drafts(&self.server.documents.all());
        let document = self.server.documents.get(&path);
        Ok(Some(Subject { served, drafts, named, document }))
    }

    /// Answers about the page at this address; the default answer if it is not a page of a project.
    pub(super) fn on_page<T: Default>(
        &self,
        uri: &Uri,
        answer: impl FnOnce(&Context<'_>, &Subject, &OpenPage) -> Result<T>,
    ) -> Answer<T> {
        let Some(subject) = self.subject(uri)? else { return Ok(T::default()) };
        let Named::Page(page) = &subject.named else { return Ok(T::default()) };
        Ok(self.at_once(&subject, |context| {
            let open = match OpenPage::of(context, &subject.drafts, page) {
                Ok(open) => open,
                // Editors ask about pages that were just moved or deleted.
                Err(Error::Io { source, .. }) if source.kind() == ErrorKind::NotFound => {
                    return Ok(T::default());
                }
                Err(error) => return Err(error),
            };
            answer(context, &subject, &open)
        })?)
    }

    /// Runs a question on the index as it is, once there is one.
    pub(super) fn at_once<T>(
        &self,
        subject: &Subject,
        question: impl FnOnce(&Context<'_>) -> Result<T>,
    ) -> Result<T> {
        // Before the first look at the files, nothing would be found.
        if !subject.served.indexed.load(Ordering::Relaxed) {
            return self.fresh(&subject.served, question);
        }
        subject.served.live.with_at_once(Caller::Person, self.cancel, question)
    }

    /// Runs a question on an index that is up to date.
    pub(super) fn fresh<T>(
        &self,
        served: &Served,
        question: impl FnOnce(&Context<'_>) -> Result<T>,
    ) -> Result<T> {
        served.live.with(Caller::Person, &Silent, self.cancel, question)
    }

    pub(super) fn lines<'t>(&self, text: &'t str) -> Lines<'t> {
        Lines::of(text, self.server.abilities().encoding)
    }

    pub(super) fn offset(&self, text: &str, position: Position) -> usize {
        self.lines(text).offset(position)
    }

    pub(super) fn documents(&self) -> &Documents {
        &self.server.documents
    }
}

type Handler<P, R> = fn(&Call<'_>, P) -> Answer<R>;

fn with<P: DeserializeOwned, R: Serialize>(
    call: &Call<'_>,
    params: Value,
    handler: Handler<P, R>,
) -> Answer<Value> {
    let params = serde_json::from_value(params).map_err(|error| Refusal::invalid(error.to_string()))?;
    let result = handler(call, params)?;
    serde_json::to_value(result).map_err(|error| Error::Internal(error.to_string()).into())
}

/// Answers a request.
pub(super) fn answer(server: &Server, request: Request, cancel: &Cancel) -> Answer<Value> {
    let call = &Call { server, cancel };
    let params = request.params;
    match request.method.as_str() {
        Completion::METHOD => with(call, params, completion::complete),
        ResolveCompletionItem::METHOD => with(call, params, completion::resolve),
        HoverRequest::METHOD => with(call, params, hover::hover),
        GotoDefinition::METHOD => with(call, params, navigation::definition),
        References::METHOD => with(call, params, navigation::references),
        DocumentLinkRequest::METHOD => with(call, params, navigation::links),
        PrepareRenameRequest::METHOD => with(call, params, renaming::prepare),
        Rename::METHOD => with(call, params, renaming::rename),
        WillRenameFiles::METHOD => with(call, params, renaming::will_rename_files),
        DocumentSymbolRequest::METHOD => with(call, params, symbols::of_document),
        WorkspaceSymbolRequest::METHOD => with(call, params, symbols::of_workspace),
        DocumentDiagnosticRequest::METHOD => with(call, params, diagnostics::of_document),
        WorkspaceDiagnosticRequest::METHOD => with(call, params, diagnostics::of_workspace),
        CodeActionRequest::METHOD => with(call, params, actions::actions),
        CodeLensRequest::METHOD => with(call, params, lenses::lenses),
        InlayHintRequest::METHOD => with(call, params, lenses::hints),
        SemanticTokensFullRequest::METHOD => with(call, params, tokens::full),
        SemanticTokensRangeRequest::METHOD => with(call, params, tokens::range),
        FoldingRangeRequest::METHOD => with(call, params, structure::folding),
        CallHierarchyPrepare::METHOD => with(call, params, hierarchy::prepare),
        CallHierarchyIncomingCalls::METHOD => with(call, params, hierarchy::incoming),
        CallHierarchyOutgoingCalls::METHOD => with(call, params, hierarchy::outgoing),
        ExecuteCommand::METHOD => with(call, params, commands::execute),
        call::METHOD => with(call, params, call::operation),
        code::METHOD => with(call, params, code::described),
        other => Err(Refusal { code: -32601, message: format!("unknown method {other}") }),
    }
}

fn params<N: lsp_types::notification::Notification>(value: Value) -> Option<N::Params> {
    serde_json::from_value(value).ok()
}

/// Takes note of a notification. What is not valid is ignored, as the protocol asks.
pub(super) fn notice(server: &Arc<Server>, notification: Notification) {
    let value = notification.params;
    match notification.method.as_str() {
        DidOpenTextDocument::METHOD => {
            let Some(opened) = params::<DidOpenTextDocument>(value) else { return };
            let lsp_types::TextDocumentItem { uri, version, text, .. } = opened.text_document;
            if let Some(path) = uri::path_of(uri.as_str()) {
                server.documents.open(Document { uri, version, text: text.into(), path: path.clone() });
                watching::opened(server, &path);
                server.due.add(path);
            }
        }
        DidChangeTextDocument::METHOD => {
            let Some(changed) = params::<DidChangeTextDocument>(value) else { return };
            let (document, encoding) = (changed.text_document, server.abilities().encoding);
            let changes = changed.content_changes;
            if let Some(document) =
                server.documents.change(&document.uri, document.version, changes, encoding)
            {
                server.due.add(document.path.clone());
            }
        }
        // The file may be one that pages describe.
        DidSaveTextDocument::METHOD => watching::changed(server),
        DidCloseTextDocument::METHOD => {
            let Some(closed) = params::<DidCloseTextDocument>(value) else { return };
            if let Some(path) = uri::path_of(closed.text_document.uri.as_str()) {
                server.documents.close(&path);
                diagnostics::clear(server, closed.text_document.uri);
            }
        }
        DidChangeWorkspaceFolders::METHOD => {
            let Some(changed) = params::<DidChangeWorkspaceFolders>(value) else { return };
            let uris = |folders: Vec<lsp_types::WorkspaceFolder>| {
                folders.into_iter().map(|folder| folder.uri.as_str().to_owned()).collect::<Vec<_>>()
            };
            watching::close_folders(server, &uris(changed.event.removed));
            watching::open_folders(server, uris(changed.event.added));
        }
        DidRenameFiles::METHOD => {
            if let Some(renamed) = params::<DidRenameFiles>(value) {
                // Later requests need not wait for it.
                let own = server.clone();
                let _ = thread("ubp-lsp-moved", move || renaming::did_rename_files(&own, &renamed));
            }
            server.due.add_all(&server.documents);
        }
        // The files are watched; the pages that are open may have other problems now.
        DidCreateFiles::METHOD | DidDeleteFiles::METHOD => server.due.add_all(&server.documents),
        _ => {}
    }
}
