//! The files of an export by path. Names in archives may differ from links to them in letter case and in
//! Unicode form, depending on the system that wrote them.

use std::collections::HashMap;

use super::ExportFile;
use crate::{path, text};

/// The files below the folder that has the notes.
#[derive(Debug, Default)]
pub(super) struct Tree {
    /// Paths relative to that folder, sorted.
    pub files: Vec<String>,
    /// That folder in the export, with a final `/`; empty at the top.
    root: String,
    by_key: HashMap<String, usize>,
}

impl Tree {
    /// The files below `root`, and the paths of those outside.
    pub(super) fn new(files: &[ExportFile], root: &str) -> (Self, Vec<String>) {
        let root = if root.is_empty() { String::new() } else { format!("{root}/") };
        let mut outside = Vec::new();
        let mut inside = Vec::new();
        for file in files {
            match file.path.strip_prefix(&root) {
                Some(path) => inside.push(path.to_owned()),
                None => outside.push(file.path.clone()),
            }
        }
        inside.sort_unstable();
        let mut tree = Self { root, ..Self::default() };
        for (at, path) in inside.iter().enumerate() {
            tree.by_key.entry(text::fold_key(path)).or_insert(at);
        }
        tree.files = inside;
        (tree, outside)
    }

    /// The path in the export, for reading and for notices.
    pub(super) fn full(&self, path: &str) -> String {
        format!("{}{path}", self.root)
    }

    /// The file at `path`, in its exact spelling if there is one.
    pub(super) fn find(&self, path: &str) -> Option<&str> {
        if let Ok(at) = self.files.binary_search_by(|file| file.as_str().cmp(path)) {
            return self.files.get(at).map(String::as_str);
        }
        self.by_key.get(&text::fold_key(path)).and_then(|at| self.files.get(*at)).map(String::as_str)
    }

    /// The file that `target` names, seen from `folder`.
    pub(super) fn from(&self, folder: &str, target: &str) -> Option<&str> {
        path::join(folder, target).and_then(|joined| self.find(&joined))
    }
}
