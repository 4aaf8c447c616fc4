//! `hub.json`: which projects a hub has.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use ubp_core::globs::Globs;
use ubp_core::hub::is_project_name;
use ubp_core::manifest::MANIFEST_PATH;
use ubp_core::message;
use ubp_core::reported;
use ubp_core::{Error, Result};

use super::pinned::Pin;
use crate::Environment;

/// Name of the file with a hub's settings.
pub const HUB_MANIFEST: &str = "hub.json";

/// The closest file with a hub's settings, in `folder` or above.
pub fn above(folder: &Path) -> Option<PathBuf> {
    folder.ancestors().map(|folder| folder.join(HUB_MANIFEST)).find(|file| file.is_file())
}

/// Maximum number of projects.
const MOST: usize = 1_000;

/// Which projects a hub has.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HubManifest {
    /// The projects: folders or globs, with names and tags if wanted.
    pub projects: Vec<Entry>,
    /// Where the schema of this file is, for editors.
    #[serde(rename = "$schema", default)]
    schema: Option<String>,
}

/// A folder or glob, alone or with more about it, or a tag of a repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Entry {
    /// A folder or glob.
    Path(String),
    /// The same with a name and tags.
    Named(NamedEntry),
    /// A tag of a repository.
    Pinned(PinnedEntry),
}

/// By hand, so that a mistake in an entry is told as what it is.
impl<'de> Deserialize<'de> for Entry {
    fn deserialize<D: Deserializer<'de>>(value: D) -> std::result::Result<Self, D::Error> {
        let value = Value::deserialize(value)?;
        let entry = match value {
            Value::String(path) => return Ok(Self::Path(path)),
            Value::Object(ref fields) if fields.contains_key("git") => {
                serde_json::from_value(value).map(Self::Pinned)
            }
            Value::Object(_) => serde_json::from_value(value).map(Self::Named),
            other => {
                return Err(D::Error::custom(reported!(
                    "expected a folder, a glob, or an object with `path` or `git`, found {found}",
                    found = other.to_string()
                )));
            }
        };
        entry.map_err(D::Error::custom)
    }
}

/// A folder or glob with more about it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NamedEntry {
    /// The folder, or a glob of folders, relative to the file.
    pub path: String,
    /// Name of the project; not for globs.
    #[serde(default)]
    pub name: Option<String>,
    /// Tags, by which questions select projects.
    #[serde(default)]
    pub tags: Vec<String>,
}

/// A tag of a repository, whose documentation is read from a checkout in the user's cache folder.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PinnedEntry {
    /// Address of the repository, or its path relative to the file.
    pub git: String,
    /// The tag.
    pub tag: String,
    /// Folder with the pages.
    #[serde(default)]
    pub folder: Option<String>,
    /// Name of the project; usually that of the repository.
    #[serde(default)]
    pub name: Option<String>,
    /// Tags, by which questions select projects.
    #[serde(default)]
    pub tags: Vec<String>,
}

/// A project of a hub.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// Its name in the hub.
    pub name: String,
    /// Its tags.
    pub tags: Vec<String>,
    /// Its folder.
    pub root: PathBuf,
    /// The tag of a repository that it is, with the commit that was fetched, if one was.
    pub pinned: Option<(Pin, Option<String>)>,
}

impl HubManifest {
    /// The settings in `file`.
    ///
    /// # Errors
    /// [`Error::Io`], [`Error::InvalidParams`] with the line of a mistake.
    pub fn read(file: &Path) -> Result<Self> {
        let shown = file.to_string_lossy();
        let text = fs::read_to_string(file).map_err(|error| Error::io(&*shown, error))?;
        serde_json::from_str(text.trim_start_matches('\u{feff}')).map_err(|error| {
            let (file, line) = (shown.into_owned(), error.line());
            Error::invalid(message!("{file}, line {line}: {error}", file, line, error = error.to_string()))
        })
    }

    /// A hub of these folders and globs.
    pub fn of_folders(folders: &[String]) -> Self {
        Self { projects: folders.iter().cloned().map(Entry::Path).collect(), schema: None }
    }

    /// The projects, sorted by name. A folder without a project is an error if it is named, and skipped if a glob finds
    /// it. Projects without a name get that of their folder, with the folder above it if several are called so.
    ///
    /// # Errors
    /// [`Error::InvalidParams`] for a name that is used twice or cannot be one, a malformed glob, and too many projects;
    /// [`Error::NoProject`]; those of [`Pin::new`].
    pub fn places(&self, base: &Path, environment: &Environment) -> Result<Vec<Place>> {
        let mut places: Vec<(Option<String>, Vec<String>, PathBuf)> = Vec::new();
        let mut pinned = Vec::new();
        for entry in &self.projects {
            let (path, name, tags) = match entry {
                Entry::Pinned(entry) => {
                    let folder = entry.folder.as_deref();
                    pinned.push((entry, Pin::new(&entry.git, &entry.tag, folder, base, environment)?));
                    continue;
                }
                Entry::Path(path) => (path, None, Vec::new()),
                Entry::Named(NamedEntry { path, name, tags }) => (path, name.clone(), tags.clone()),
            };
            if path.contains(['*', '?', '[', '{']) {
                if let Some(name) = name {
                    return Err(Error::invalid(message!(
                        "'{path}' can mean several projects, which cannot all be called '{name}'",
                        path,
                        name
                    )));
                }
                places.extend(found(base, path)?.into_iter().map(|root| (None, tags.clone(), root)));
            } else {
                let root = base.join(path);
                if !root.join(MANIFEST_PATH).is_file() {
                    return Err(Error::NoProject { folder: root.to_string_lossy().into_owned() });
                }
                places.push((name, tags, root));
            }
        }
        let mut known = Vec::new();
        for (name, tags, root) in places {
            let root = fs::canonicalize(&root).map_err(|error| Error::io(root.to_string_lossy(), error))?;
            // A named entry says more than a glob that finds the same folder.
            match known
                .iter_mut()
                .find(|(.., other): &&mut (Option<String>, Vec<String>, PathBuf)| *other == root)
            {
                Some((other, more, _)) => {
                    *other = other.take().or(name);
                    more.extend(tags);
                }
                None => known.push((name, tags, root)),
            }
        }
        if known.len() + pinned.len() > MOST {
            return Err(Error::invalid(message!("a hub has at most {most} projects", most = MOST)));
        }
        named(known, pinned)
    }
}

/// Gives every project a name of its own.
fn named(
    projects: Vec<(Option<String>, Vec<String>, PathBuf)>,
    pinned: Vec<(&PinnedEntry, Pin)>,
) -> Result<Vec<Place>> {
    let mut folders: BTreeMap<String, usize> = BTreeMap::new();
    for (.., root) in projects.iter().filter(|(name, ..)| name.is_none()) {
        *folders.entry(own_name(root, 1)).or_default() += 1;
    }
    let folder_name = |(name, tags, root): (Option<String>, Vec<String>, PathBuf)| {
        let name = name.unwrap_or_else(|| {
            let name = own_name(&root, 1);
            if folders.get(&name).is_some_and(|count| *count > 1) { own_name(&root, 2) } else { name }
        });
        Place { name, tags, root, pinned: None }
    };
    let tag_name = |(entry, pin): (&PinnedEntry, Pin)| Place {
        name: entry.name.clone().unwrap_or_else(|| allowed(pin.name())),
        tags: entry.tags.clone(),
        root: pin.root(),
        pinned: Some((pin.clone(), pin.commit())),
    };
    let mut places: Vec<Place> = Vec::new();
    for place in projects.into_iter().map(folder_name).chain(pinned.into_iter().map(tag_name)) {
        let Place { name, root, .. } = &place;
        if !is_project_name(name) {
            return Err(Error::invalid(message!(
                "'{name}' cannot be the name of a project: use letters, digits, and - _ . / @",
                name
            )));
        }
        if let Some(other) = places.iter().find(|other| other.name == *name) {
            let (one, other) = (root.to_string_lossy(), other.root.to_string_lossy());
            return Err(Error::invalid(message!(
                "two projects are called '{name}': {other} and {one}; give one of them another `name` in hub.json",
                name,
                other,
                one
            )));
        }
        places.push(place);
    }
    places.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(places)
}

/// The last `parts` folders of a path, without characters that names cannot have.
fn own_name(root: &Path, parts: usize) -> String {
    let folders: Vec<String> = root
        .components()
        .rev()
        .take(parts)
        .map(|part| part.as_os_str().to_string_lossy().into_owned())
        .collect();
    let name: String = folders.into_iter().rev().collect::<Vec<_>>().join("/");
    allowed(&name)
}

/// The text without characters that names cannot have.
fn allowed(name: &str) -> String {
    name.chars().map(|c| if is_project_name(c.encode_utf8(&mut [0; 4])) { c } else { '-' }).collect()
}

/// Folders with a project that `glob` matches, sorted. `**` looks into no hidden folder.
fn found(base: &Path, glob: &str) -> Result<Vec<PathBuf>> {
    let fixed = glob.find(['*', '?', '[', '{']).and_then(|at| glob[..at].rfind('/')).unwrap_or(0);
    let (start, rest) = glob.split_at(fixed);
    let rest = rest.trim_start_matches('/');
    let start = if glob.starts_with('/') && start.is_empty() { PathBuf::from("/") } else { base.join(start) };
    let globs = Globs::new(&[rest])?;
    let depth = if rest.contains("**") { 8 } else { rest.matches('/').count() + 1 };
    let mut found = Vec::new();
    look(&start, "", depth, &mut |path, root| {
        if globs.is_match(path) && root.join(MANIFEST_PATH).is_file() {
            found.push(root.to_path_buf());
        }
    });
    found.sort();
    Ok(found)
}

/// Visits folders below `folder`; symbolic links are followed only in the last part of a path, so there are no loops.
fn look(folder: &Path, path: &str, depth: usize, visit: &mut dyn FnMut(&str, &Path)) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let (own, Ok(kind)) = (entry.path(), entry.file_type()) else { continue };
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.starts_with('.') || name == "node_modules" || !own.is_dir() {
            continue;
        }
        let path = if path.is_empty() { name } else { format!("{path}/{name}") };
        visit(&path, &own);
        if depth > 1 && !kind.is_symlink() {
            look(&own, &path, depth - 1, visit);
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// A folder with projects at these paths.
    fn folder(projects: &[&str]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for project in projects {
            let file = folder.path().join(project).join(MANIFEST_PATH);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, "{}").unwrap();
        }
        folder
    }

    fn names(folder: &tempfile::TempDir, json: &str) -> Result<Vec<String>> {
        let file = folder.path().join(HUB_MANIFEST);
        fs::write(&file, json).unwrap();
        let places = HubManifest::read(&file)?.places(folder.path(), &Environment::with([]))?;
        Ok(places
            .into_iter()
            .map(
                |place| {
                    if place.tags.is_empty() {
                        place.name
                    } else {
                        format!("{} {:?}", place.name, place.tags)
                    }
                },
            )
            .collect())
    }

    #[test]
    fn projects_are_folders_and_globs_with_names_and_tags() {
        let folder = folder(&["one", "libs/a", "libs/b", "other/a", "deep/er/c", ".hidden/d"]);
        let of = |json: &str| names(&folder, json).unwrap();
        assert_eq!(of(r#"{ "projects": ["one"] }"#), ["one"]);
        assert_eq!(of(r#"{ "projects": ["libs/*", "one"] }"#), ["a", "b", "one"]);
        assert_eq!(
            of(r#"{ "projects": ["*/a"] }"#),
            ["libs/a", "other/a"],
            "namesakes have the folder above"
        );
        assert_eq!(of(r#"{ "projects": ["**"] }"#), ["b", "c", "libs/a", "one", "other/a"]);
        let named = r#"{ "projects": ["libs/*", { "path": "libs/a", "name": "alpha", "tags": ["x"] }] }"#;
        assert_eq!(of(named), ["alpha [\"x\"]", "b"]);
        assert_eq!(of("\u{feff}{ \"projects\": [] }"), [""; 0]);
    }

    #[test]
    fn mistakes_are_told_with_their_place() {
        let folder = folder(&["one", "two"]);
        let told = |json: &str| names(&folder, json).unwrap_err().to_string();
        assert!(
            told("{\n\"projects\": 1 }").contains("hub.json, line 2: "),
            "{}",
            told("{\n\"projects\": 1 }")
        );
        assert!(told(r#"{ "projects": [], "colour": 1 }"#).contains("unknown field `colour`"));
        assert!(told(r#"{ "projects": ["three"] }"#).contains("three"));
        for (entry, wrong) in [
            (r#"{ "git": "lib" }"#, "missing field `tag`"),
            (r#"{ "path": "one", "nmae": "two" }"#, "unknown field `nmae`"),
            (r#"{ "git": "lib", "tag": "v1", "path": "docs" }"#, "unknown field `path`"),
            ("1", "expected a folder, a glob, or an object with `path` or `git`, found 1"),
        ] {
            let said = told(&format!("{{\n\"projects\": [\n{entry}] }}"));
            assert!(said.contains("hub.json, line 3: ") && said.contains(wrong), "{said}");
        }
        let twice = r#"{ "projects": [{ "path": "one", "name": "two" }, "two"] }"#;
        assert!(told(twice).starts_with("two projects are called 'two': "), "{}", told(twice));
        let colon = r#"{ "projects": [{ "path": "one", "name": "a:b" }] }"#;
        assert!(told(colon).starts_with("'a:b' cannot be the name of a project"), "{}", told(colon));
        let several = r#"{ "projects": [{ "path": "*", "name": "a" }] }"#;
        assert!(told(several).contains("can mean several projects"), "{}", told(several));
    }
}
