//! The documents that are open in the editor.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use lsp_types::{TextDocumentContentChangeEvent, Uri};

use super::position::{Encoding, Lines};
use super::uri;

/// A document that is open.
#[derive(Debug, Clone)]
pub(super) struct Document {
    pub uri: Uri,
    pub path: PathBuf,
    pub version: i32,
    pub text: Arc<str>,
}

/// All open documents, by path.
#[derive(Default)]
pub(super) struct Documents(Mutex<HashMap<PathBuf, Arc<Document>>>);

impl Documents {
    pub(super) fn open(&self, document: Document) {
        self.lock().insert(document.path.clone(), Arc::new(document));
    }

    pub(super) fn close(&self, path: &Path) {
        self.lock().remove(path);
    }

    pub(super) fn get(&self, path: &Path) -> Option<Arc<Document>> {
        self.lock().get(path).cloned()
    }

    pub(super) fn all(&self) -> Vec<Arc<Document>> {
        self.lock().values().cloned().collect()
    }

    /// Applies changes in their order. Those of a document that is not open are ignored.
    pub(super) fn change(
        &self,
        uri: &Uri,
        version: i32,
        changes: Vec<TextDocumentContentChangeEvent>,
        encoding: Encoding,
    ) -> Option<Arc<Document>> {
        let path = uri::path_of(uri.as_str())?;
        let mut documents = self.lock();
        let document = documents.get_mut(&path)?;
        let mut text = document.text.to_string();
        for change in changes {
            match change.range {
                None => text = change.text,
                Some(range) => {
                    let bytes = Lines::of(&text, encoding).bytes(range);
                    text.replace_range(bytes, &change.text);
                }
            }
        }
        let changed = Document { version, text: text.into(), ..Document::clone(document) };
        *document = Arc::new(changed);
        Some(document.clone())
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<PathBuf, Arc<Document>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
