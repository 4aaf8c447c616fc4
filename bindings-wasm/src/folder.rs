//! A folder that a person dropped on the page: read-only files. Their bytes stay in JavaScript, so that images take no
//! memory of the engine.

use std::collections::BTreeMap;
use std::io;

use jiff::Timestamp;
use js_sys::{Array, Reflect, Uint8Array};
use send_wrapper::SendWrapper;
use ubp_core::globs::Globs;
use ubp_core::message::Message;
use ubp_core::ports::{FileStat, Listing, PageFile, Source, Unreadable};
use ubp_core::{Error, Result, path};
use wasm_bindgen::prelude::*;

#[derive(Clone)]
struct File {
    bytes: SendWrapper<Uint8Array>,
    stat: FileStat,
}

/// Files by path in the folder.
#[derive(Clone, Default)]
pub(crate) struct Folder {
    files: BTreeMap<String, File>,
    /// Files that cannot be used.
    unusable: Vec<Unreadable>,
    pages_dir: String,
    templates: Option<String>,
}

impl Folder {
    /// Files from an array of `{path, bytes, modified}`. Invalid entries are skipped and reported by [`Source::list`].
    pub fn new(given: &Array) -> Self {
        let mut folder = Self::default();
        for (place, value) in (0..).zip(given.iter()) {
            match file(&value) {
                Ok((path, file)) => {
                    folder.files.insert(path, file);
                }
                Err((path, reason)) => {
                    let path = path.unwrap_or_else(|| format!("file {place}"));
                    folder.unusable.push(Unreadable { path, reason: Message::reported(reason) });
                }
            }
        }
        folder
    }

    /// The same, with pages only in the folder `pages_dir`; empty for the whole folder. Files in `templates`, a folder
    /// relative to it, are templates.
    pub fn with_pages_in(self, pages_dir: &str, templates: Option<&str>) -> Self {
        Self { pages_dir: pages_dir.into(), templates: templates.map(str::to_owned), ..self }
    }

    /// The folder after a change: `given` as in [`Folder::new`] are new or changed files, `removed` paths of deleted ones.
    pub fn changed(&self, given: &Array, removed: &[String]) -> Self {
        let Self { mut files, unusable, .. } = Self::new(given);
        // A file may change twice in the same millisecond.
        for (path, file) in &mut files {
            file.stat.fingerprint += self.files.get(path).map_or(0, |before| before.stat.fingerprint);
        }
        let mut folder = self.clone();
        let is_given = |path: &String| removed.contains(path) || files.contains_key(path);
        folder.files.retain(|path, _| !removed.contains(path));
        folder
            .unusable
            .retain(|file| !is_given(&file.path) && !unusable.iter().any(|new| new.path == file.path));
        folder.files.extend(files);
        folder.unusable.extend(unusable);
        folder
    }

    fn can_be_page(&self, page: &str) -> bool {
        let is_template = |folder: &str| path::is_below(page, folder);
        path::can_be_page(page) && !self.templates.as_deref().is_some_and(is_template)
    }

    /// The bytes of a file, by its path in the folder.
    pub fn bytes(&self, path: &str) -> Option<Uint8Array> {
        self.files.get(path).map(|file| (*file.bytes).clone())
    }

    fn page(&self, page: &str) -> Option<&File> {
        if !self.can_be_page(page) {
            return None;
        }
        self.files.get(&path::join(&self.pages_dir, page)?)
    }

    fn source(&self, path: &str) -> Option<&File> {
        self.files.get(path).filter(|_| !path::is_private(path))
    }
}

/// Parses an entry of the array; the error is its path and the problem.
fn file(value: &JsValue) -> std::result::Result<(String, File), (Option<String>, &'static str)> {
    let field = |name: &str| Reflect::get(value, &name.into()).unwrap_or(JsValue::UNDEFINED);
    let path = field("path").as_string().ok_or((None, "its path is not a string"))?;
    let wrong = |reason| (Some(path.clone()), reason);
    if !path::is_inside(&path) || !path::is_normal(&path) || path.contains('\\') {
        return Err(wrong("its path is not a relative path inside the folder"));
    }
    let bytes =
        field("bytes").dyn_into::<Uint8Array>().map_err(|_| wrong("its bytes are not a Uint8Array"))?;
    let modified = field("modified").as_f64().filter(|millis| millis.is_finite());
    let modified = modified.ok_or_else(|| wrong("its modification time is not a number"))?;
    let modified = Timestamp::from_millisecond(modified as i64).unwrap_or(Timestamp::UNIX_EPOCH);
    let stat = FileStat { size: bytes.length().into(), modified, fingerprint: 1 };
    Ok((path, File { bytes: SendWrapper::new(bytes), stat }))
}

fn confined(path: &str, folder: &str) -> Result<()> {
    let outside = || Error::OutsideProject { path: path.into(), folder: folder.into() };
    path::is_inside(path).then_some(()).ok_or_else(outside)
}

fn read(path: &str, file: Option<&File>) -> Result<Vec<u8>> {
    let file = file.ok_or_else(|| Error::io(path, io::ErrorKind::NotFound.into()))?;
    Ok(file.bytes.to_vec())
}

impl Source for Folder {
    fn list(&self) -> Result<Listing> {
        let below = |path: &'_ str| match self.pages_dir.as_str() {
            "" => Some(path.to_owned()),
            dir => path.strip_prefix(dir)?.strip_prefix('/').map(str::to_owned),
        };
        let mut pages: Vec<PageFile> = self
            .files
            .iter()
            .filter_map(|(path, file)| Some(PageFile { path: below(path)?, stat: file.stat }))
            .filter(|page| self.can_be_page(&page.path))
            .collect();
        pages.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        Ok(Listing { pages, unreadable: self.unusable.clone() })
    }

    fn stat(&self, path: &str) -> Result<Option<FileStat>> {
        confined(path, "pages")?;
        Ok(self.page(path).map(|file| file.stat))
    }

    fn read(&self, path: &str) -> Result<Vec<u8>> {
        confined(path, "pages")?;
        read(path, self.page(path))
    }

    fn stat_source(&self, path: &str) -> Result<Option<FileStat>> {
        confined(path, "project")?;
        Ok(self.source(path).map(|file| file.stat))
    }

    fn read_source(&self, path: &str) -> Result<Vec<u8>> {
        confined(path, "project")?;
        read(path, self.source(path))
    }

    fn match_sources(&self, globs: &[String]) -> Result<Vec<String>> {
        let set = Globs::new(globs)?;
        let found = self.files.keys().filter(|path| path::is_listed_source(path) && set.is_match(path));
        Ok(found.cloned().collect())
    }

    fn read_state(&self, name: &str) -> Result<Option<Vec<u8>>> {
        path::require_state_file(name)?;
        Ok(self.files.get(&format!(".ubp/{name}")).map(|file| file.bytes.to_vec()))
    }
}
