//! What the history took away, from one walk through it.

use std::collections::{BTreeMap, HashMap};
use std::ops::ControlFlow;

use super::project::{Definition, Tool, defined_by_file, defined_by_line};
use super::words::{key, words};
use crate::ports::{Removal, Removing, Revision, Walked};
use crate::{Context, Result, path};

/// Maximum commits that are read.
pub(super) const MOST_COMMITS: usize = 20_000;

/// What to look for.
#[derive(Debug, Default)]
pub(super) struct Wanted {
    names: HashMap<String, Option<Gone>>,
    definitions: HashMap<(Tool, String), Option<Gone>>,
    /// Ends of paths, by their last name.
    paths: HashMap<String, Vec<(String, Option<Gone>)>>,
    /// How many there are.
    open: usize,
}

/// When something was taken away.
#[derive(Debug, Clone, Default)]
pub(super) struct Gone {
    /// `None` if that is not committed.
    pub revision: Option<Revision>,
    /// The file that it was in; for a path, the file itself or one in the folder.
    pub file: String,
    /// What stands in its place, and how often.
    pub instead: BTreeMap<String, usize>,
}

impl Gone {
    fn of(removal: &Removal<'_>) -> Self {
        Self { revision: removal.revision.cloned(), file: removal.path.to_owned(), instead: BTreeMap::new() }
    }

    fn is_same_commit(&self, removal: &Removal<'_>) -> bool {
        let id = |revision: Option<&Revision>| revision.map(|revision| revision.commit.id.clone());
        id(self.revision.as_ref()) == id(removal.revision)
    }
}

impl Wanted {
    pub(super) fn name(&mut self, key: &str) {
        self.open += usize::from(self.names.insert(key.to_owned(), None).is_none());
    }

    pub(super) fn definition(&mut self, tool: Tool, name: &str) {
        self.open += usize::from(self.definitions.insert((tool, name.to_owned()), None).is_none());
    }

    pub(super) fn path(&mut self, end: &str) {
        let same = self.paths.entry(path::file_name(end).to_owned()).or_default();
        if same.iter().all(|(known, _)| known != end) {
            same.push((end.to_owned(), None));
            self.open += 1;
        }
    }

    pub(super) fn gone_name(&self, key: &str) -> Option<&Gone> {
        self.names.get(key)?.as_ref()
    }

    pub(super) fn gone_definition(&self, tool: Tool, name: &str) -> Option<&Gone> {
        self.definitions.get(&(tool, name.to_owned()))?.as_ref()
    }

    pub(super) fn gone_path(&self, end: &str) -> Option<&Gone> {
        let same = self.paths.get(path::file_name(end))?;
        same.iter().find(|(known, _)| known == end)?.1.as_ref()
    }

    /// Looks for everything in `place`.
    ///
    /// # Errors
    /// [`crate::Error::Io`] if version control fails, [`crate::Error::Cancelled`].
    pub(super) fn look_up(&mut self, context: &Context<'_>, place: Removing<'_>) -> Result<Walked> {
        if self.open == 0 {
            return Ok(Walked { commits: 0, is_complete: true });
        }
        let mut cancelled = Ok(());
        let walked = context.history.removals(place, &mut |removal| {
            cancelled = context.cancel.check();
            self.look(removal);
            match cancelled.is_err() {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            }
        })?;
        cancelled?;
        Ok(walked)
    }

    fn look(&mut self, removal: &Removal<'_>) {
        if removal.deletes_file && removal.removed.is_empty() {
            self.deleted(removal);
        }
        for (at, line) in removal.removed.iter().enumerate() {
            if let Some(definition) = defined_by_line(removal.path, line) {
                self.undefined(&definition, at, removal);
            }
        }
        if is_evidence(removal.path) && !self.names.is_empty() {
            let is_named = |line: &String| !is_comment(line) && !is_import(line) && !is_dependency(line);
            for (at, line) in removal.removed.iter().enumerate().filter(|(_, line)| is_named(line)) {
                for word in words(line) {
                    let Some(gone) = self.names.get_mut(&key(word)) else { continue };
                    let gone = match gone {
                        Some(gone) if gone.is_same_commit(removal) => gone,
                        // It was taken away again later.
                        Some(_) => continue,
                        None => gone.insert(Gone::of(removal)),
                    };
                    if let Some(instead) = replacement(word, line, at, removal) {
                        *gone.instead.entry(instead).or_default() += 1;
                    }
                }
            }
        }
    }

    fn deleted(&mut self, removal: &Removal<'_>) {
        if let Some((tool, name)) = defined_by_file(removal.path) {
            let gone = self.definitions.get_mut(&(tool, name.to_owned()));
            gone.into_iter().for_each(|gone| _ = gone.get_or_insert_with(|| Gone::of(removal)));
        }
        // The file, and every folder that it was in.
        let mut part = removal.path;
        while !part.is_empty() {
            for (end, gone) in self.paths.get_mut(path::file_name(part)).into_iter().flatten() {
                if part == end || part.ends_with(&format!("/{end}")) {
                    gone.get_or_insert_with(|| Gone::of(removal));
                }
            }
            part = path::folder(part);
        }
    }

    /// The `at`-th removed line defined something.
    fn undefined(&mut self, definition: &Definition<'_>, at: usize, removal: &Removal<'_>) {
        let Some(gone) = self.definitions.get_mut(&(definition.tool, definition.name.to_owned())) else {
            return;
        };
        if gone.is_some() {
            return;
        }
        // Without a content, only a line in the same place is the same definition.
        let candidates = match definition.content.is_empty() {
            true if removal.added.len() != removal.removed.len() => &[],
            true => removal.added.get(at..=at).unwrap_or_default(),
            false => removal.added,
        };
        let added = candidates.iter().filter_map(|line| defined_by_line(removal.path, line));
        let mut same = added.filter(|new| new.tool == definition.tool && new.content == definition.content);
        let mut found = Gone::of(removal);
        if let (Some(new), None) = (same.next(), same.next()) {
            found.instead.insert(new.name.to_owned(), 1);
        }
        *gone = Some(found);
    }
}

/// What stands in the place of `word` in a line that is otherwise the same, next to the `at`-th removed one.
fn replacement(word: &str, line: &str, at: usize, removal: &Removal<'_>) -> Option<String> {
    /// Longer changes are not the same lines with another name.
    const MOST_LINES: usize = 40;
    if removal.added.len() > MOST_LINES {
        return None;
    }
    let aligned = (removal.added.len() == removal.removed.len()).then(|| removal.added.get(at)).flatten();
    let candidates = aligned.into_iter().chain(removal.added.iter());
    let old: Vec<&str> = words(line).collect();
    for candidate in candidates {
        let new: Vec<&str> = words(candidate).collect();
        if new.len() != old.len() {
            continue;
        }
        let mut instead = None;
        let is_same = old.iter().zip(&new).all(|(old, new)| match *old == word {
            true => instead.replace(*new).is_none_or(|before| before == *new),
            false => old == new,
        });
        // A line of the word alone is like any other.
        if let Some(instead) = instead.filter(|new| is_same && *new != word && old.len() > 1) {
            return Some(instead.to_owned());
        }
    }
    None
}

/// Folders whose code shows what may be, not what there is.
const ASIDE: [&str; 36] = [
    "__fixtures__",
    "__mocks__",
    "__snapshots__",
    "__tests__",
    "bench",
    "benches",
    "benchmarks",
    "build",
    "corpora",
    "demo",
    "demos",
    "dist",
    "doc",
    "docs",
    "e2e",
    "example",
    "examples",
    "fixture",
    "fixtures",
    "generated",
    "locale",
    "locales",
    "mock",
    "mocks",
    "node_modules",
    "out",
    "samples",
    "snapshots",
    "spec",
    "specs",
    "target",
    "test",
    "testdata",
    "tests",
    "third_party",
    "vendor",
];

/// Endings of files that are not code or settings.
const NOT_CODE: [&str; 24] = [
    "adoc", "csv", "htm", "html", "ipynb", "jsonl", "lock", "log", "map", "markdown", "md", "mdx", "org",
    "patch", "po", "pot", "rst", "snap", "sum", "svg", "tsv", "txt", "xlf", "xml",
];

/// Files that name what others define.
const DEPENDENCIES: [&str; 13] = [
    "Cargo.toml",
    "Gemfile",
    "build.gradle",
    "build.gradle.kts",
    "composer.json",
    "go.mod",
    "npm-shrinkwrap.json",
    "package-lock.json",
    "Package.swift",
    "pnpm-lock.yaml",
    "pnpm-workspace.yaml",
    "pyproject.toml",
    "setup.py",
];

/// Whether a name in a file shows that the project had such a thing.
fn is_evidence(file: &str) -> bool {
    let name = path::file_name(file);
    let (stem, ending) = name.rsplit_once('.').unwrap_or((name, ""));
    let is_test = ["_test", ".test", ".spec", "_spec", ".min", ".stories", "tests", ".bench"];
    !NOT_CODE.contains(&ending)
        && !DEPENDENCIES.contains(&name)
        && !is_test.iter().any(|end| stem.ends_with(end))
        && !stem.starts_with("test_")
        && !path::folder(file).split('/').any(|folder| ASIDE.contains(&folder))
}

/// Whether a line is only a comment, in most languages.
fn is_comment(line: &str) -> bool {
    let line = line.trim_start();
    ["//", "/*", "* ", "# ", "<!--", "\"\"\"", "-- ", "; "].iter().any(|start| line.starts_with(start))
}

/// Whether a line names what another file or package defines.
fn is_import(line: &str) -> bool {
    let line = line.trim_start();
    ["import ", "use ", "pub use ", "from ", "using ", "#include", "extern crate ", "} from "]
        .iter()
        .any(|start| line.starts_with(start))
        || line.contains("require(")
        || line.contains("import(")
}

/// Whether a line of JSON gives the version of a package.
fn is_dependency(line: &str) -> bool {
    let Some((_, value)) = line.trim().trim_end_matches(',').rsplit_once(": \"") else { return false };
    let value = value.trim_end_matches('"');
    let number = value.trim_start_matches(['^', '~', '>', '<', '=', 'v', ' ']);
    (number.starts_with(|c: char| c.is_ascii_digit()) && value.contains('.'))
        || ["workspace:", "npm:", "file:", "link:", "git"].iter().any(|start| value.starts_with(start))
}
