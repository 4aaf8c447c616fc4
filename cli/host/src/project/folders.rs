//! Proposes the pages folder of a new project.

use std::collections::BTreeMap;
use std::path::Path;

use ubp_core::ports::Source;
use ubp_core::{Error, Result, path};

use crate::disk::DiskSource;

/// The default pages folder.
pub(super) const USUAL: &str = "pages";
/// Other usual names of folders with documentation or notes.
const KNOWN: [&str; 5] = ["docs", "doc", "documentation", "wiki", "notes"];
/// Files about a repository, which do not count as notes.
const ABOUT: [&str; 14] = [
    "readme",
    "changelog",
    "changes",
    "contributing",
    "license",
    "licence",
    "code_of_conduct",
    "security",
    "support",
    "authors",
    "governance",
    "agents",
    "claude",
    "todo",
];
/// Limit on proposed folders.
const MOST: usize = 5;

/// A possible pages folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PagesFolder {
    /// Its path, relative to the project; `.` for the project itself.
    pub dir: String,
    /// Markdown files in it and its subfolders.
    pub files: usize,
}

/// Possible pages folders of `root`, the likeliest first. Never empty.
///
/// # Errors
/// [`Error::Io`] if the folder cannot be read.
pub fn pages_folders(root: &Path) -> Result<Vec<PagesFolder>> {
    let shown = root.to_string_lossy();
    let root = std::fs::canonicalize(root).map_err(|error| Error::io(shown, error))?;
    let listing = DiskSource::new(&root, ".")?.list()?;
    let files: Vec<&str> = listing.pages.iter().map(|file| file.path.as_str()).collect();
    Ok(likeliest(&files, root.join(".obsidian").is_dir()))
}

fn likeliest(files: &[&str], is_vault: bool) -> Vec<PagesFolder> {
    let notes = files.iter().filter(|file| !is_about(file)).count();
    let mut folders: BTreeMap<&str, usize> = BTreeMap::new();
    for (folder, _) in files.iter().filter_map(|file| file.split_once('/')) {
        *folders.entry(folder).or_default() += 1;
    }
    let count = |dir: &str| folders.get(dir).copied().unwrap_or(0);
    let known = KNOWN.into_iter().max_by_key(|dir| (count(dir), std::cmp::Reverse(*dir))).unwrap_or(USUAL);
    let first = if is_vault {
        "."
    } else if count(USUAL) > 0 {
        USUAL
    } else if count(known) > 0 && 2 * count(known) > notes {
        known
    } else if notes > 0 {
        "."
    } else {
        USUAL
    };
    let mut by_size: Vec<(&str, usize)> = folders.iter().map(|(dir, files)| (*dir, *files)).collect();
    by_size.sort_by_key(|(dir, files)| (!KNOWN.contains(dir), std::cmp::Reverse(*files)));
    let whole = Some(".").filter(|_| !files.is_empty());
    let mut found: Vec<PagesFolder> = Vec::new();
    let rest = whole.into_iter().chain(by_size.into_iter().take(MOST - 3).map(|(dir, _)| dir)).chain([USUAL]);
    for dir in std::iter::once(first).chain(rest) {
        if found.iter().all(|folder| folder.dir != dir) {
            let files = if dir == "." { files.len() } else { count(dir) };
            found.push(PagesFolder { dir: dir.into(), files });
        }
    }
    found
}

/// Whether a file is about its repository, such as a README.
fn is_about(file: &str) -> bool {
    let name = path::page_name(file).to_ascii_lowercase().replace('-', "_");
    ABOUT.contains(&name.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folders(files: &[&str], is_vault: bool) -> Vec<(String, usize)> {
        likeliest(files, is_vault).into_iter().map(|folder| (folder.dir, folder.files)).collect()
    }

    fn first(files: &[&str]) -> String {
        likeliest(files, false)[0].dir.clone()
    }

    #[test]
    fn without_markdown_files_a_new_folder_is_proposed() {
        assert_eq!(folders(&[], false), [("pages".into(), 0)]);
        assert_eq!(first(&["README.md", "CHANGELOG.md", "crates/a/README.md"]), "pages");
    }

    #[test]
    fn a_folder_of_notes_is_proposed_as_a_whole() {
        assert_eq!(first(&["a.md", "b.md", "daily/c.md"]), ".");
        assert_eq!(first(&["daily/a.md", "people/b.md", "people/c.md"]), ".");
        assert_eq!(first(&["a.md", "b.md", "c.md", "docs/d.md"]), ".");
    }

    #[test]
    fn a_documentation_folder_is_proposed_if_it_has_most_files() {
        assert_eq!(first(&["README.md", "docs/a.md", "docs/README.md"]), "docs");
        assert_eq!(first(&["README.md", "docs/README.md"]), "docs");
        assert_eq!(first(&["x.md", "doc/a.md", "wiki/a.md", "wiki/b.md", "wiki/c.md"]), "wiki");
        assert_eq!(first(&["pages/a.md", "docs/a.md", "docs/b.md"]), "pages");
    }

    #[test]
    fn a_vault_is_proposed_as_a_whole() {
        assert_eq!(folders(&["docs/a.md"], true)[0], (".".into(), 1));
        assert_eq!(folders(&[], true)[0], (".".into(), 0));
    }

    #[test]
    fn few_folders_are_proposed_without_duplicates() {
        let files = ["a.md", "docs/b.md", "x/c.md", "y/d.md", "y/e.md", "z/f.md"];
        let told = folders(&files, false);
        assert_eq!(
            told,
            [(".".into(), 6), ("docs".into(), 1), ("y".into(), 2), ("pages".into(), 0)]
                .map(|(d, n): (String, usize)| (d, n))
        );
    }
}
