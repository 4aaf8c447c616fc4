//! Finds the file of a picture or another attachment: at the path of the link, or else, as in Obsidian, the
//! nearest file with that name.

use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;

use crate::graph::resolve;
use crate::page::LinkKind;
use crate::ports::Source;
use crate::{Error, Result, path, text};

/// The attachments of a project. Its files are listed once, when only a name is given.
pub struct Attachments<'a> {
    source: &'a dyn Source,
    pages_dir: &'a str,
    found: RefCell<HashMap<(bool, String, String), Option<String>>>,
    /// Paths of attachments by folded file name, each with its folded path first.
    listed: OnceCell<HashMap<String, Vec<(String, String)>>>,
}

impl<'a> Attachments<'a> {
    /// The attachments in `source`; `pages_dir` is the pages folder, relative to the project.
    pub fn new(source: &'a dyn Source, pages_dir: &'a str) -> Self {
        Self { source, pages_dir, found: RefCell::default(), listed: OnceCell::new() }
    }

    /// Path, relative to the project, of the attachment that a link on the page at `page` refers to.
    ///
    /// # Errors
    /// [`Error::Io`] if the project's files cannot be listed.
    pub fn find(&self, kind: LinkKind, target: &str, page: &str) -> Result<Option<String>> {
        let folder = path::folder(page);
        // Markdown links and wikilinks try the same folders in another order.
        let key = (kind == LinkKind::Markdown, folder.to_owned(), target.to_owned());
        if let Some(known) = self.found.borrow().get(&key) {
            return Ok(known.clone());
        }
        let mut found = None;
        // A `#` may be part of the name, or separate a fragment from it.
        for name in [target, target.split('#').next().unwrap_or(target).trim()] {
            if found.is_none() && resolve::is_attachment(name) {
                found = match self.at_path(kind, name, folder)? {
                    Some(path) => Some(path),
                    None => self.by_name(name, folder)?,
                };
            }
        }
        self.found.borrow_mut().insert(key, found.clone());
        Ok(found)
    }

    fn at_path(&self, kind: LinkKind, name: &str, folder: &str) -> Result<Option<String>> {
        let here = path::join(self.pages_dir, folder).unwrap_or_default();
        let from_top = path::join(self.pages_dir, name);
        let from_here = if name.starts_with('/') { None } else { path::join(&here, name) };
        let from_project = path::join("", name);
        let relative = kind == LinkKind::Markdown || name.starts_with("./") || name.starts_with("../");
        let candidates =
            if relative { [from_here, from_top, from_project] } else { [from_top, from_here, from_project] };
        for candidate in candidates.into_iter().flatten() {
            if path::is_inside(&candidate) && path::is_listed_source(&candidate) && self.exists(&candidate)? {
                return Ok(Some(candidate));
            }
        }
        Ok(None)
    }

    fn exists(&self, file: &str) -> Result<bool> {
        match self.source.stat_source(file) {
            Ok(stat) => Ok(stat.is_some()),
            // A name that is invalid for a file, or a path outside of the project.
            Err(Error::OutsideProject { .. } | Error::Io { .. }) => Ok(false),
            Err(error) => Err(error),
        }
    }

    fn by_name(&self, name: &str, folder: &str) -> Result<Option<String>> {
        if self.listed.get().is_none() {
            let listed = self.list()?;
            // Cannot fail: the cell is empty and used by one thread only.
            let _ = self.listed.set(listed);
        }
        let wanted = text::fold_key(name.trim_start_matches(['/', '.']));
        let here = path::join(self.pages_dir, folder).unwrap_or_default();
        let named = self.listed.get().and_then(|listed| listed.get(path::file_name(&wanted)));
        let fitting = named.into_iter().flatten().filter(|(key, _)| {
            key.strip_suffix(&wanted).is_some_and(|before| before.is_empty() || before.ends_with('/'))
        });
        let nearest = fitting.min_by_key(|(_, file)| (resolve::distance(&here, path::folder(file)), file));
        Ok(nearest.map(|(_, file)| file.clone()))
    }

    fn list(&self) -> Result<HashMap<String, Vec<(String, String)>>> {
        let mut listed = HashMap::<String, Vec<(String, String)>>::new();
        let files = self.source.match_sources(&["**".into()])?;
        for file in files.into_iter().filter(|file| resolve::is_attachment(file)) {
            let key = text::fold_key(&file);
            listed.entry(path::file_name(&key).to_owned()).or_default().push((key, file));
        }
        Ok(listed)
    }
}

/// Whether browsers show a file with this name as a picture.
pub(crate) fn is_picture(file: &str) -> bool {
    const PICTURES: [&str; 9] = ["png", "jpg", "jpeg", "gif", "svg", "webp", "bmp", "avif", "ico"];
    path::file_name(file)
        .rsplit_once('.')
        .is_some_and(|(_, ending)| PICTURES.iter().any(|known| ending.eq_ignore_ascii_case(known)))
}
