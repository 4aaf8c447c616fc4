//! Recognises which program made an export, by the names of its files.

use super::Kind;
use super::notion::names::split_id;
use crate::path;

/// The kind of an export and the folder in it that has its notes, empty for the top. `None` if its files do not show
/// their kind.
pub fn detect<'p>(paths: impl IntoIterator<Item = &'p str>) -> Option<(Kind, String)> {
    let paths: Vec<&str> = paths.into_iter().collect();
    let pages = paths.iter().filter(|path| path::is_page(path) && !is_hidden(path)).count();
    let exported = paths.iter().filter(|path| is_notion_name(path)).count();
    if exported > 0 && 2 * exported >= pages {
        return Some((Kind::Notion, wrapper(&paths)));
    }
    let above = |marker: &str| {
        let found = paths.iter().filter_map(|path| {
            let at = if path.starts_with(marker) { 0 } else { path.find(&format!("/{marker}"))? };
            path.get(..at)
        });
        found.min_by_key(|root| root.len()).map(str::to_owned)
    };
    if let Some(root) = above("logseq/config.edn") {
        return Some((Kind::Logseq, root));
    }
    if let Some(root) = above(".obsidian/") {
        return Some((Kind::Obsidian, root));
    }
    let journal = paths.iter().find_map(|path| {
        let (root, name) = path.rsplit_once("journals/")?;
        is_journal(name).then(|| root.trim_end_matches('/').to_owned())
    });
    let root = journal?;
    let prefix = if root.is_empty() { "pages/".to_owned() } else { format!("{root}/pages/") };
    paths.iter().any(|path| path.starts_with(&prefix)).then_some((Kind::Logseq, root))
}

/// The folder that has the notes of an export whose kind is given: the same as for a detected one if that agrees.
pub(super) fn root_of<'p>(kind: Kind, paths: impl IntoIterator<Item = &'p str> + Clone) -> String {
    match detect(paths.clone()) {
        Some((found, root)) if found == kind => root,
        _ => {
            let paths: Vec<&str> = paths.into_iter().collect();
            if kind == Kind::Notion { wrapper(&paths) } else { String::new() }
        }
    }
}

fn is_hidden(path: &str) -> bool {
    path.split('/').any(|part| part.starts_with('.'))
}

fn is_notion_name(path: &str) -> bool {
    let name = path::file_name(path);
    let Some((stem, ending)) = name.rsplit_once('.') else { return false };
    matches!(ending, "md" | "csv") && split_id(stem.strip_suffix("_all").unwrap_or(stem)).1.is_some()
}

/// Whether a file is named as Logseq names journals.
fn is_journal(name: &str) -> bool {
    let date = path::page_name(name);
    date.len() == 10 && path::is_page(name) && date.bytes().all(|byte| byte.is_ascii_digit() || byte == b'_')
}

/// The folder called `Export-…` that Notion puts around an export.
fn wrapper(paths: &[&str]) -> String {
    let first = |path: &&str| path.split_once('/').map(|(first, _)| first.to_owned());
    let Some(folder) = paths.first().and_then(first) else { return String::new() };
    let wraps = folder.starts_with("Export-") || folder.starts_with("Private");
    let all = paths.iter().all(|path| first(path).as_deref() == Some(folder.as_str()));
    if wraps && all { folder } else { String::new() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(paths: &[&str]) -> Option<(Kind, String)> {
        detect(paths.iter().copied())
    }

    #[test]
    fn exports_are_recognised_by_the_names_of_their_files() {
        let page = "Home 0123456789abcdef0123456789abcdef.md";
        assert_eq!(found(&[page]), Some((Kind::Notion, String::new())));
        let wrapped = format!("Export-1234/{page}");
        assert_eq!(found(&[&wrapped]), Some((Kind::Notion, "Export-1234".into())));
        assert_eq!(found(&["g/logseq/config.edn", "g/pages/a.md"]), Some((Kind::Logseq, "g".into())));
        assert_eq!(found(&["journals/2024_01_02.md", "pages/a.md"]), Some((Kind::Logseq, String::new())));
        assert_eq!(found(&["v/.obsidian/app.json", "v/a.md"]), Some((Kind::Obsidian, "v".into())));
    }

    #[test]
    fn a_graph_that_was_opened_in_obsidian_is_a_graph() {
        let files = [".obsidian/app.json", "logseq/config.edn", "pages/a.md"];
        assert_eq!(found(&files), Some((Kind::Logseq, String::new())));
    }

    #[test]
    fn other_folders_have_no_kind() {
        assert_eq!(found(&["a.md", "docs/b.md", "journals/notes.md"]), None);
        assert_eq!(found(&[]), None);
        let one = ["a.md", "b.md", "c.md", "d 0123456789abcdef0123456789abcdef.md"];
        assert_eq!(found(&one), None);
    }
}
