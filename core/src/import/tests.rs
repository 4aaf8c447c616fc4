//! Tests of whole imports: literate cases of single constructs, exports with every construct, hostile texts, and writing.
#![allow(clippy::unwrap_used)]

mod cases;
mod exports;
mod properties;
mod whole;
mod writing;

use std::collections::BTreeMap;

use super::{Export, ExportFile, Kind, Options, Output, Prepared, prepare};
use crate::Result;
use crate::index::tests::Project;
use crate::ports::{MemorySource, Source};

/// The files of an export.
pub(super) type Files = BTreeMap<String, Vec<u8>>;

/// An export with these texts.
pub(super) fn files<'f>(texts: impl IntoIterator<Item = (&'f str, &'f str)>) -> Files {
    texts.into_iter().map(|(path, text)| (path.to_owned(), text.as_bytes().to_vec())).collect()
}

/// Prepares the import of `files`, and passes it to `use_it`.
pub(super) fn prepared<S: Source, T>(
    project: &Project<S>,
    files: &Files,
    options: &Options,
    use_it: impl FnOnce(Result<Prepared<'_>>) -> T,
) -> T {
    let read = |path: &str| {
        files.get(path).cloned().ok_or_else(|| crate::Error::Internal(format!("no file {path}")))
    };
    let listed =
        files.iter().map(|(path, bytes)| ExportFile { path: path.clone(), size: bytes.len() as u64 });
    let export = Export { files: listed.collect(), read: &read, notices: Vec::new() };
    use_it(prepare(&project.context(), export, options))
}

/// Imports `files` into the project.
pub(super) fn import<S: Source>(project: &Project<S>, files: &Files, options: &Options) -> Result<Output> {
    prepared(project, files, options, |prepared| prepared?.write(&project.context()))
}

/// An empty project with its pages folder at `pages`.
pub(super) fn empty() -> Project {
    Project::over(MemorySource::default().in_folder("pages"))
}

/// All pages of a project by path.
pub(super) fn pages<S: Source>(project: &Project<S>) -> BTreeMap<String, String> {
    let listed = project.source.list().unwrap().pages;
    let text = |path: &str| String::from_utf8(project.source.read(path).unwrap()).unwrap();
    listed.into_iter().map(|page| (page.path.clone(), text(&page.path))).collect()
}

/// Options to import from a program that is not recognised.
pub(super) fn from(kind: Kind) -> Options {
    Options { from: Some(kind), ..Options::default() }
}
