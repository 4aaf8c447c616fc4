//! The names and files of a project, before or after a change.

use std::collections::HashMap;

use rusqlite::Connection;

use crate::graph::resolve::{Destination, NameKind, NameTable, Named, Names, Origin, page_part, resolve};
use crate::index::name_table;
use crate::index::questions::pages;
use crate::page::LinkKind;
use crate::ports::Source;
use crate::render::Attachments;
use crate::{Error, Result, path, text};

/// The names and files of the project, before or after a rename.
pub(crate) struct World<'a> {
    names: NameTable,
    paths: HashMap<i64, String>,
    source: &'a dyn Source,
    pages_dir: &'a str,
    files: HashMap<String, bool>,
    attachments: Attachments<'a>,
}

impl<'a> World<'a> {
    /// Loads the names from the index.
    pub(crate) fn load(db: &Connection, source: &'a dyn Source, pages_dir: &'a str) -> Result<Self> {
        let (names, paths) = (name_table(db)?, pages::paths(db)?.into_iter().collect());
        let attachments = Attachments::new(source, pages_dir);
        Ok(Self { names, paths, source, pages_dir, files: HashMap::new(), attachments })
    }

    /// The same pages with the files of `source`.
    pub(crate) fn with_files<'b>(&self, source: &'b dyn Source) -> World<'b>
    where
        'a: 'b,
    {
        World {
            names: self.names.clone(),
            paths: self.paths.clone(),
            source,
            pages_dir: self.pages_dir,
            files: HashMap::new(),
            attachments: Attachments::new(source, self.pages_dir),
        }
    }

    /// A world without pages.
    #[cfg(not(target_family = "wasm"))]
    pub(crate) fn empty(source: &'a dyn Source, pages_dir: &'a str) -> Self {
        let (names, paths, files) = (NameTable::default(), HashMap::new(), HashMap::new());
        Self { names, paths, source, pages_dir, files, attachments: Attachments::new(source, pages_dir) }
    }

    /// Changes the path and names of a page.
    pub(crate) fn rename(&mut self, page: i64, path: &str, title: &str, aliases: &[String]) {
        self.rename_all(vec![(page, path.to_owned(), title.to_owned(), aliases.to_vec())]);
    }

    /// Changes the paths and names of pages: number, path, title and aliases.
    pub(crate) fn rename_all(&mut self, pages: Vec<(i64, String, String, Vec<String>)>) {
        let renamed = pages.into_iter().map(|(page, path, title, aliases)| {
            let mut names = vec![
                (text::fold_key(path::page_name(&path)), NameKind::File),
                (text::fold_key(&title), NameKind::Title),
            ];
            names.extend(aliases.iter().map(|alias| (text::fold_key(alias), NameKind::Alias)));
            names.dedup();
            self.paths.insert(page, path.clone());
            (page, path, names)
        });
        let renamed = renamed.collect();
        self.names.rename(renamed);
    }

    /// Adds a page.
    #[cfg(not(target_family = "wasm"))]
    pub(crate) fn add(&mut self, page: i64, path: &str, title: &str, aliases: &[String]) {
        let named = |kind| Named { page, path: path.to_owned(), kind };
        self.names.insert(text::fold_key(path::page_name(path)), named(NameKind::File));
        self.names.insert(text::fold_key(title), named(NameKind::Title));
        for alias in aliases {
            self.names.insert(text::fold_key(alias), named(NameKind::Alias));
        }
        self.paths.insert(page, path.to_owned());
    }

    /// Adds a file of the project that is not written yet.
    #[cfg(not(target_family = "wasm"))]
    pub(crate) fn add_file(&mut self, file: &str) {
        self.files.insert(file.to_owned(), true);
    }

    /// The numbers of all pages by path.
    #[cfg(not(target_family = "wasm"))]
    pub(crate) fn numbers(&self) -> HashMap<String, i64> {
        self.paths.iter().map(|(number, path)| (path.clone(), *number)).collect()
    }

    /// Removes a page.
    pub(crate) fn remove(&mut self, page: i64) {
        self.names.rename(vec![(page, String::new(), Vec::new())]);
        self.paths.remove(&page);
    }

    /// The path of a page.
    pub(crate) fn path(&self, page: i64) -> Option<&str> {
        self.paths.get(&page).map(String::as_str)
    }

    /// The destination of a link on `page`.
    pub(crate) fn resolve(&mut self, kind: LinkKind, target: &str, page: i64) -> Result<Destination> {
        let path = self.paths.get(&page).cloned().unwrap_or_default();
        resolve(kind, target, Origin { page, path: &path, pages_dir: self.pages_dir }, self)
    }

    /// The page name in a target.
    pub(super) fn page_part<'t>(
        &mut self,
        kind: LinkKind,
        target: &'t str,
        page: i64,
    ) -> Result<Option<&'t str>> {
        let path = self.paths.get(&page).cloned().unwrap_or_default();
        page_part(kind, target, Origin { page, path: &path, pages_dir: self.pages_dir }, self)
    }

    /// Whether the project has this file; paths that cannot be files are those of none.
    pub(super) fn exists(&mut self, file: &str) -> Result<bool> {
        self.has_source(file)
    }

    /// Whether a link on `page` names its file by the path in the project, and not from the folder of the page.
    pub(super) fn is_from_project(&mut self, kind: LinkKind, page: i64, name: &str) -> Result<bool> {
        if name.starts_with("./") || name.starts_with("../") {
            return Ok(false);
        }
        let here = path::join(&self.folder(page), name);
        let is_here = |world: &mut Self| here.as_ref().map_or(Ok(false), |here| world.exists(here));
        let is_first = kind != LinkKind::Markdown || !is_here(self)?;
        Ok(is_first && path::join("", name).map_or(Ok(false), |top| self.exists(&top))?)
    }

    /// Path, relative to the project, of the attachment that a link on `page` shows or offers.
    pub(super) fn attachment(&self, kind: LinkKind, target: &str, page: i64) -> Result<Option<String>> {
        let path = self.paths.get(&page).map(String::as_str).unwrap_or_default();
        self.attachments.find(kind, target, path)
    }

    /// The pages folder, relative to the project.
    pub(super) fn pages_dir(&self) -> &'a str {
        self.pages_dir
    }

    /// The folder of a page relative to the project.
    pub(super) fn folder(&self, page: i64) -> String {
        let path = self.paths.get(&page).map(String::as_str).unwrap_or_default();
        path::join(self.pages_dir, path::folder(path)).unwrap_or_default()
    }
}

impl Names for World<'_> {
    type Error = Error;

    fn named(&mut self, key: &str) -> Result<Vec<Named>> {
        Ok(self.names.get(key))
    }

    fn has_source(&mut self, path: &str) -> Result<bool> {
        if let Some(known) = self.files.get(path) {
            return Ok(*known);
        }
        let found = self.source.stat_source(path).is_ok_and(|stat| stat.is_some());
        self.files.insert(path.to_owned(), found);
        Ok(found)
    }
}
