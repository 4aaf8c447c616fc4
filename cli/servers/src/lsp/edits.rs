//! Edits of the workspace, in the form that the editor understands.

use std::collections::HashMap;
use std::ops::Range;

use super::projects::Served;
use super::requests::Call;
use super::uri;
use lsp_types::{
    CreateFile, CreateFileOptions, DocumentChangeOperation, DocumentChanges, OneOf,
    OptionalVersionedTextDocumentIdentifier, RenameFile, RenameFileOptions, ResourceOp, TextDocumentEdit,
    TextEdit, Uri, WorkspaceEdit,
};

/// Edits that are being collected.
pub(super) struct Edits<'c> {
    call: &'c Call<'c>,
    created: Vec<(Uri, String)>,
    renamed: Vec<(Uri, Uri)>,
    edited: Vec<(Uri, Vec<TextEdit>)>,
}

impl<'c> Edits<'c> {
    pub(super) fn new(call: &'c Call<'c>) -> Self {
        Self { call, created: Vec::new(), renamed: Vec::new(), edited: Vec::new() }
    }

    /// Replaces bytes of a text, which is the one on the screen if the page is open.
    pub(super) fn replace(
        &mut self,
        served: &Served,
        page: &str,
        text: &str,
        edits: impl IntoIterator<Item = (Range<usize>, String)>,
    ) {
        let Some(uri) = self.address(served, page) else { return };
        let lines = self.call.lines(text);
        let edits =
            edits.into_iter().map(|(range, new_text)| TextEdit { range: lines.range(range), new_text });
        let edits: Vec<TextEdit> = edits.collect();
        match self.edited.iter_mut().find(|(own, _)| *own == uri) {
            Some((_, all)) => all.extend(edits),
            None => self.edited.push((uri, edits)),
        }
    }

    /// Creates a page with this text.
    pub(super) fn create(&mut self, served: &Served, page: &str, text: String) {
        self.created.extend(served.page_uri(page).map(|uri| (uri, text)));
    }

    /// Gives a page another path, after all other edits.
    pub(super) fn rename(&mut self, served: &Served, page: &str, new: &str) {
        self.renamed.extend(self.address(served, page).zip(served.page_uri(new)));
    }

    /// The address under which the editor knows the page: documents that are open keep theirs.
    fn address(&self, served: &Served, page: &str) -> Option<Uri> {
        let path = served.page_path(page);
        let documents = self.call.documents().all();
        let open = documents.iter().find(|document| super::projects::real(&document.path) == path);
        open.map(|document| document.uri.clone()).or_else(|| served.page_uri(page))
    }

    fn version(&self, uri: &Uri) -> Option<i32> {
        let path = uri::path_of(uri.as_str())?;
        self.call.documents().get(&path).map(|document| document.version)
    }

    /// The edit of the workspace; `None` if nothing changes.
    pub(super) fn finish(self) -> Option<WorkspaceEdit> {
        if self.created.is_empty() && self.renamed.is_empty() && self.edited.is_empty() {
            return None;
        }
        if !self.call.server.abilities().document_changes {
            #[allow(clippy::mutable_key_type)]
            let changes: HashMap<Uri, Vec<TextEdit>> = self.edited.into_iter().collect();
            return Some(WorkspaceEdit { changes: Some(changes), ..Default::default() });
        }
        let mut operations = Vec::new();
        for (uri, text) in &self.created {
            let options = CreateFileOptions { overwrite: Some(false), ignore_if_exists: Some(false) };
            operations.push(DocumentChangeOperation::Op(ResourceOp::Create(CreateFile {
                uri: uri.clone(),
                options: Some(options),
                annotation_id: None,
            })));
            let edit = TextEdit { range: lsp_types::Range::default(), new_text: text.clone() };
            operations.push(operation(uri.clone(), None, vec![edit]));
        }
        for (uri, edits) in &self.edited {
            operations.push(operation(uri.clone(), self.version(uri), edits.clone()));
        }
        operations.extend(self.renamed.into_iter().map(|(old_uri, new_uri)| {
            let options = RenameFileOptions { overwrite: Some(false), ignore_if_exists: Some(false) };
            DocumentChangeOperation::Op(ResourceOp::Rename(RenameFile {
                old_uri,
                new_uri,
                options: Some(options),
                annotation_id: None,
            }))
        }));
        let document_changes = Some(DocumentChanges::Operations(operations));
        Some(WorkspaceEdit { document_changes, ..Default::default() })
    }
}

fn operation(uri: Uri, version: Option<i32>, edits: Vec<TextEdit>) -> DocumentChangeOperation {
    DocumentChangeOperation::Edit(TextDocumentEdit {
        text_document: OptionalVersionedTextDocumentIdentifier { uri, version },
        edits: edits.into_iter().map(OneOf::Left).collect(),
    })
}
