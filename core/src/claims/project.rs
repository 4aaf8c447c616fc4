//! What the project has now: files, folders, programs, and what its build files define.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::exempt;
use crate::{Context, Result, path};

/// What a file is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// A page.
    Page,
    /// A Markdown file about the past or the future.
    Exempt,
    /// Any other file.
    Code,
}

/// A file of the project.
#[derive(Debug, Clone)]
pub(super) struct File {
    /// Relative to the project.
    pub path: String,
    /// In bytes.
    pub size: u64,
    /// What it is for.
    pub role: Role,
}

/// What runs the things that a build file defines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Tool {
    /// A script of a `package.json`.
    Npm,
    /// A target of a Makefile.
    Make,
    /// A recipe of a justfile.
    Just,
    /// A package, program, example, test or benchmark of cargo.
    CargoTarget,
    /// A feature of a package of cargo.
    CargoFeature,
    /// An alias of cargo.
    CargoAlias,
}

/// Something that a build file defines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Definition<'a> {
    pub tool: Tool,
    pub name: &'a str,
    /// What it is.
    pub content: &'a str,
}

/// The project as it is now.
pub(super) struct Project {
    pub files: Vec<File>,
    by_name: HashMap<String, Vec<usize>>,
    folders: HashSet<String>,
    /// Folders by their last name.
    folders_by_name: HashMap<String, Vec<String>>,
    defined: BTreeMap<Tool, HashSet<String>>,
    /// Names of the programs that it builds.
    pub programs: HashSet<String>,
    /// Names that ignore files exclude: build products.
    ignored: HashSet<String>,
}

/// What a path leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Found {
    /// One file, by index, or a folder.
    One(Option<usize>),
    Several,
    Nothing,
}

impl Project {
    pub(super) fn read(context: &Context<'_>, pages: &HashSet<String>) -> Result<Self> {
        let role = |file: &str| match () {
            () if path::is_page(file) && exempt::by_path(file) => Role::Exempt,
            () if pages.contains(file) || path::is_page(file) => Role::Page,
            () => Role::Code,
        };
        let listed = context.source.sized_sources(&["**".to_owned()])?;
        let mut files: Vec<File> =
            listed.into_iter().map(|(path, size)| File { role: role(&path), path, size }).collect();
        // A source in memory lists only code.
        let known: HashSet<&str> = files.iter().map(|file| file.path.as_str()).collect();
        let others: BTreeSet<&String> = pages.iter().filter(|page| !known.contains(page.as_str())).collect();
        let others: Vec<File> =
            others.into_iter().map(|page| File { path: page.clone(), size: 0, role: role(page) }).collect();
        files.extend(others);
        let mut project = Self {
            by_name: HashMap::new(),
            folders: HashSet::new(),
            folders_by_name: HashMap::new(),
            defined: BTreeMap::new(),
            programs: HashSet::new(),
            ignored: HashSet::new(),
            files: Vec::new(),
        };
        for (at, file) in files.iter().enumerate() {
            project.by_name.entry(path::file_name(&file.path).to_owned()).or_default().push(at);
            project.add_folders(&file.path);
            if let Some((tool, name)) = defined_by_file(&file.path) {
                project.define(tool, name);
                if !file.path.contains("examples/") {
                    project.programs.insert(name.to_owned());
                }
            }
            project.programs.extend(go_program(&file.path).map(str::to_owned));
            if is_build_file(&file.path)
                && let Ok(bytes) = context.source.read_source(&file.path)
            {
                project.build_file(&file.path, &String::from_utf8_lossy(&bytes));
            }
        }
        project.files = files;
        Ok(project)
    }

    fn add_folders(&mut self, file: &str) {
        let mut folder = path::folder(file);
        while !folder.is_empty() && self.folders.insert(folder.to_owned()) {
            let name = path::file_name(folder).to_owned();
            self.folders_by_name.entry(name).or_default().push(folder.to_owned());
            folder = path::folder(folder);
        }
    }

    fn define(&mut self, tool: Tool, name: &str) {
        self.defined.entry(tool).or_default().insert(name.to_owned());
    }

    fn build_file(&mut self, file: &str, text: &str) {
        let mut section = "";
        for line in text.lines() {
            if let Some(name) = line.trim().strip_prefix('[') {
                section = name.trim_matches(['[', ']', ' ']);
            }
            if let Some(Definition { tool, name, .. }) = defined_by_line(file, line) {
                self.define(tool, name);
                if tool == Tool::CargoTarget && matches!(section, "package" | "bin") {
                    self.programs.insert(name.to_owned());
                }
            }
            match path::file_name(file) {
                "pyproject.toml" if matches!(section, "project.scripts" | "tool.poetry.scripts") => {
                    let name = line.split('=').next().unwrap_or_default().trim().trim_matches('"');
                    self.programs.extend((line.contains('=') && is_plain(name)).then(|| name.to_owned()));
                }
                ".gitignore" => {
                    let name = line.trim().trim_end_matches("/*").trim_matches('/');
                    self.ignored.extend((!name.is_empty()).then(|| name.to_owned()));
                }
                _ => {}
            }
        }
        if path::file_name(file) == "package.json"
            && let Ok(package) = serde_json::from_str::<serde_json::Value>(text)
        {
            match package.get("bin") {
                Some(serde_json::Value::Object(programs)) => self.programs.extend(programs.keys().cloned()),
                Some(serde_json::Value::String(_)) => {
                    let name = package.get("name").and_then(|name| name.as_str()).unwrap_or_default();
                    self.programs.insert(path::file_name(name).to_owned());
                }
                _ => {}
            }
        }
    }

    /// Whether a build file defines this.
    pub(super) fn defines(&self, tool: Tool, name: &str) -> bool {
        self.defined.get(&tool).is_some_and(|names| names.contains(name))
    }

    /// Whether a part of a path is excluded by an ignore file.
    pub(super) fn ignores(&self, path: &str) -> bool {
        self.ignored.contains(path) || path.split('/').any(|name| self.ignored.contains(name))
    }

    /// What a path leads to that a page in `folder` names: from there, from the project, or the end of a longer path.
    pub(super) fn find(&self, folder: &str, named: &str) -> Found {
        for at in [path::join(folder, named), path::join("", named)].into_iter().flatten() {
            if let Some(found) = self.exactly(&at) {
                return Found::One(found);
            }
        }
        let end = format!("/{named}");
        let name = path::file_name(named);
        let files = self.by_name.get(name).into_iter().flatten();
        let files = files.filter(|at| self.files.get(**at).is_some_and(|file| file.path.ends_with(&end)));
        let files: Vec<usize> = files.copied().collect();
        let folders = self.folders_by_name.get(name).into_iter().flatten();
        let folders = folders.filter(|folder| folder.ends_with(&end)).count();
        match (files.as_slice(), folders) {
            ([], 0) => Found::Nothing,
            ([file], 0) => Found::One(Some(*file)),
            ([], 1) => Found::One(None),
            _ => Found::Several,
        }
    }

    /// The index of the file at a path.
    pub(super) fn index(&self, file: &str) -> Option<usize> {
        let same = self.by_name.get(path::file_name(file))?;
        same.iter().copied().find(|at| self.files.get(*at).is_some_and(|known| known.path == file))
    }

    fn exactly(&self, at: &str) -> Option<Option<usize>> {
        if self.folders.contains(at) {
            return Some(None);
        }
        self.index(at).map(Some)
    }
}

pub(super) fn is_build_file(file: &str) -> bool {
    let name = path::file_name(file);
    matches!(name, "package.json" | "Cargo.toml" | "pyproject.toml" | ".gitignore")
        || is_makefile(name)
        || is_justfile(name)
        || is_cargo_config(file)
}

fn is_makefile(name: &str) -> bool {
    matches!(name, "Makefile" | "makefile" | "GNUmakefile") || name.ends_with(".mk")
}

fn is_justfile(name: &str) -> bool {
    matches!(name, "justfile" | "Justfile" | ".justfile") || name.ends_with(".just")
}

fn is_cargo_config(file: &str) -> bool {
    [".cargo/config.toml", ".cargo/config"]
        .iter()
        .any(|end| file == *end || file.ends_with(&format!("/{end}")))
}

fn is_plain(name: &str) -> bool {
    !name.is_empty()
        && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | ':' | '/'))
}

/// What a line of a build file defines.
pub(super) fn defined_by_line<'a>(file: &str, line: &'a str) -> Option<Definition<'a>> {
    let name = path::file_name(file);
    let define = |tool, name: &'a str, content: &'a str| {
        is_plain(name).then_some(Definition { tool, name, content: content.trim() })
    };
    if name == "package.json" {
        let (name, content) = line.trim().strip_prefix('"')?.split_once("\":")?;
        return content.trim_start().starts_with('"').then(|| define(Tool::Npm, name, content))?;
    }
    if name == "Cargo.toml" {
        let (key, content) = line.split_once('=')?;
        let (key, content) = (key.trim().trim_matches('"'), content.trim());
        return match content.strip_prefix('"') {
            Some(rest) if key == "name" => define(Tool::CargoTarget, rest.split('"').next()?, ""),
            None if content.starts_with('[') => define(Tool::CargoFeature, key, content),
            _ => None,
        };
    }
    if is_cargo_config(file) {
        let (key, content) = line.split_once('=')?;
        return define(Tool::CargoAlias, key.trim().trim_matches('"'), content);
    }
    if is_makefile(name) || is_justfile(name) {
        let tool = if is_makefile(name) { Tool::Make } else { Tool::Just };
        if let Some((alias, content)) = line.strip_prefix("alias ").and_then(|rest| rest.split_once(":=")) {
            return define(tool, alias.trim(), content);
        }
        let (head, content) = line.split_once(':')?;
        if line.starts_with(char::is_whitespace) || content.starts_with('=') {
            return None;
        }
        let target = head.split_whitespace().next()?.trim_start_matches('@');
        return define(tool, target, content);
    }
    None
}

/// What the name of a file defines.
pub(super) fn defined_by_file(file: &str) -> Option<(Tool, &str)> {
    let (folder, name) = file.rsplit_once('/')?;
    let stem = name.strip_suffix(".rs").filter(|stem| *stem != "main" && *stem != "mod")?;
    let is_target = folder.ends_with("src/bin") || path::file_name(folder) == "examples";
    is_target.then_some((Tool::CargoTarget, stem))
}

/// The program of Go that is built from a file.
fn go_program(file: &str) -> Option<&str> {
    let folder = file.strip_suffix("/main.go")?;
    let (outer, name) = folder.rsplit_once('/')?;
    (path::file_name(outer) == "cmd").then_some(name)
}
