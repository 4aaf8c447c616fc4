//! Where the pages, databases and files of an export go, and what paths and addresses in it lead to.

use std::collections::{HashMap, HashSet};

use super::names::{id_in_path, id_in_url, split_id};
use crate::import::places::{Places, below, linkable_stem, valid_name};
use crate::import::tree::Tree;
use crate::page::percent_decoded;
use crate::path;

/// The path of a page or database without its ending: what the folder with its subpages or rows is called.
pub(super) fn key(file: &str) -> &str {
    let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
    match file.ends_with(".csv") {
        true => stem.strip_suffix("_all").unwrap_or(stem),
        false => stem,
    }
}

/// Which page or database each folder belongs to.
#[derive(Debug, Default)]
pub(super) struct Owners {
    /// Keys by folder and title, for folders whose name lacks the id.
    by_title: HashMap<(String, String), String>,
    keys: HashMap<String, ()>,
}

impl Owners {
    /// The owners among pages and databases with these keys, sorted.
    pub(super) fn new<'k>(keys: impl Iterator<Item = &'k str>) -> Self {
        let mut owners = Self::default();
        for key in keys {
            let title = split_id(path::file_name(key)).0.to_owned();
            owners.by_title.entry((path::folder(key).to_owned(), title)).or_insert_with(|| key.to_owned());
            owners.keys.insert(key.to_owned(), ());
        }
        owners
    }

    /// The key of the page or database that `folder` belongs to.
    pub(super) fn of(&self, folder: &str) -> Option<&str> {
        if let Some((key, ())) = self.keys.get_key_value(folder) {
            return Some(key);
        }
        let title = split_id(path::file_name(folder)).0;
        self.by_title.get(&(path::folder(folder).to_owned(), title.to_owned())).map(String::as_str)
    }
}

/// The new paths.
#[derive(Debug, Default)]
pub(in crate::import) struct Paths {
    /// Of pages and databases, by path in the export. A database is in it with each of its files.
    pub(super) pages: HashMap<String, String>,
    /// Of other files.
    pub(super) files: HashMap<String, String>,
    /// Of pages and databases, by key.
    by_key: HashMap<String, String>,
    /// Path in the export by id.
    by_id: HashMap<String, String>,
    /// All new paths of pages, and of other files.
    new: (HashSet<String>, HashSet<String>),
    taken: Places,
    /// The folder for everything; empty for the pages folder.
    top: String,
}

impl Paths {
    /// No paths yet, for files below `top`.
    pub(super) fn below(top: &str) -> Self {
        Self { top: top.to_owned(), ..Self::default() }
    }

    /// Whether a page has this new path.
    pub(super) fn has_page(&self, place: &str) -> bool {
        self.new.0.contains(place)
    }

    /// Whether another file has this new path.
    pub(super) fn has_file(&self, place: &str) -> bool {
        self.new.1.contains(place)
    }

    /// Gives a page or database a path by its title. Those of the folders above it must have one already.
    pub(super) fn place(&mut self, owners: &Owners, file: &str, title: &str) -> String {
        let folder = self.folder(owners, path::folder(file));
        let place = self.taken.take(&folder, &linkable_stem(title), ".md");
        self.by_key.entry(key(file).to_owned()).or_insert_with(|| place.clone());
        self.alias(file, &place);
        self.new.0.insert(place.clone());
        place
    }

    /// Lets another file lead to a page.
    pub(super) fn alias(&mut self, file: &str, place: &str) {
        self.pages.insert(file.to_owned(), place.to_owned());
        if let Some(id) = id_in_path(file) {
            self.by_id.entry(id).or_insert_with(|| file.to_owned());
        }
    }

    /// Gives another file a path.
    pub(super) fn place_file(&mut self, owners: &Owners, file: &str) -> String {
        let folder = self.folder(owners, path::folder(file));
        let place = self.taken.take_file(&folder, path::file_name(file));
        self.files.insert(file.to_owned(), place.clone());
        self.new.1.insert(place.clone());
        place
    }

    /// The new path of a folder: named as its page is.
    fn folder(&self, owners: &Owners, folder: &str) -> String {
        if folder.is_empty() {
            return self.top.clone();
        }
        let owned = owners.of(folder).and_then(|key| self.by_key.get(key));
        match owned {
            Some(place) => path::without_page_extension(place).to_owned(),
            None => {
                let name = split_id(path::file_name(folder)).0;
                let name = if name.is_empty() { path::file_name(folder) } else { name };
                below(&self.folder(owners, path::folder(folder)), &valid_name(name))
            }
        }
    }
}

/// A page of the export, as the start of paths.
#[derive(Clone, Copy)]
pub(super) struct Site<'a> {
    /// Path of its file in the export.
    pub from: &'a str,
    pub tree: &'a Tree,
    pub paths: &'a Paths,
}

impl<'a> Site<'a> {
    /// The file in the export that a target leads to: a path, decoded or not, or an address at Notion.
    pub(super) fn file(&self, target: &str) -> Option<&'a str> {
        let by_id = |id: String| self.paths.by_id.get(&id).map(String::as_str);
        if target.contains("://") {
            return id_in_url(target).and_then(by_id);
        }
        let folder = path::folder(self.from);
        let bare = target.split('#').next().unwrap_or(target);
        let decoded = percent_decoded(bare);
        let known = [target, bare, &decoded].into_iter().find_map(|path| {
            let joined = path::join(folder, path)?;
            match self.paths.pages.get_key_value(&joined) {
                Some((known, _)) => Some(known.as_str()),
                None => self.tree.find(&joined),
            }
        });
        // Folders on the way may be cut at another length than in the link.
        known.or_else(|| id_in_path(&decoded).and_then(by_id))
    }

    /// The new path of the page that a target leads to.
    pub(super) fn page(&self, target: &str) -> Option<&'a str> {
        self.paths.pages.get(self.file(target)?).map(String::as_str)
    }

    /// Links to the files that a property lists; empty if any part is not a file of the export.
    pub(super) fn files(&self, value: &str) -> Vec<String> {
        let link = |part: &str| {
            let place = self.paths.files.get(self.file(part.trim())?)?;
            (!place.contains(['|', '[', ']', '#'])).then(|| format!("[[{place}]]"))
        };
        let whole: Option<Vec<String>> = value.split(',').map(link).collect();
        whole.or_else(|| link(value).map(|one| vec![one])).unwrap_or_default()
    }
}
