//! Links such as `ubp://open?path=/home/me/notes&page=login.md`, which any web page and any program can make.
//!
//! **Invariants**, each tested below
//! - A link names an absolute folder on this machine and a page in it, and nothing else.
//! - A link alone opens nothing: see `places.rs`.

use std::path::{Component, Path, PathBuf};

use tauri::Url;
use ubp_core::path;

/// The scheme of links.
pub const SCHEME: &str = "ubp";

/// Limit on the bytes of a link.
const LONGEST: usize = 8 * 1024;

/// What a link asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// An absolute path without `..`; not looked up yet.
    pub folder: PathBuf,
    /// A page, relative to the pages folder.
    pub page: Option<String>,
}

/// Reads a link; `None` for everything that is not exactly one.
pub fn read(text: &str) -> Option<Link> {
    if text.len() > LONGEST || text.chars().any(char::is_control) {
        return None;
    }
    let url = Url::parse(text).ok().filter(|url| url.scheme() == SCHEME)?;
    let is_bare = url.username().is_empty() && url.password().is_none() && url.port().is_none();
    if !is_bare
        || url.host_str() != Some("open")
        || !matches!(url.path(), "" | "/")
        || url.fragment().is_some()
    {
        return None;
    }
    let (mut folder, mut page) = (None, None);
    for (key, value) in url.query_pairs() {
        let place = match &*key {
            "path" => &mut folder,
            "page" => &mut page,
            _ => return None,
        };
        if place.replace(value.into_owned()).is_some() {
            return None;
        }
    }
    let folder = local(&folder?)?;
    match page {
        Some(page) => Some(Link { folder, page: Some(page_of(&page)?) }),
        None => Some(Link { folder, page: None }),
    }
}

/// An absolute path on this machine. Windows would ask another machine about paths that start with two separators.
fn local(text: &str) -> Option<PathBuf> {
    let path = Path::new(text);
    let is_far = text.starts_with("//") || text.starts_with("\\\\");
    let is_plain = path.components().all(|part| !matches!(part, Component::ParentDir));
    let is_clean = !text.chars().any(char::is_control);
    (path.is_absolute() && !is_far && is_plain && is_clean).then(|| path.to_owned())
}

/// A page in the pages folder, with its ending.
pub fn page_of(text: &str) -> Option<String> {
    let is_inside = path::is_inside(text) && path::is_normal(text) && !path::is_private(text);
    let is_clean = !text.contains('\\') && !text.chars().any(char::is_control) && !path::is_hidden(text);
    if !is_inside || !is_clean {
        return None;
    }
    let page = if path::is_page(text) { text.to_owned() } else { format!("{text}.md") };
    path::can_be_page(&page).then_some(page)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn a_link_names_a_folder_and_a_page() {
        let link = read("ubp://open?path=/home/me/my%20notes&page=a/b.md").unwrap();
        assert_eq!(link, Link { folder: "/home/me/my notes".into(), page: Some("a/b.md".into()) });
        assert_eq!(read("ubp://open?path=/n&page=a/b").unwrap().page.unwrap(), "a/b.md");
        assert_eq!(read("ubp://open/?path=/n").unwrap().page, None);
        assert_eq!(read("ubp://open?path=/%E3%83%8E&page=%E6%97%A5.md").unwrap().page.unwrap(), "日.md");
    }

    #[test]
    fn everything_else_is_refused() {
        for text in [
            "",
            "ubp",
            "ubp:",
            "ubp://",
            "ubp://open",
            "ubp://open?page=a.md",
            "ubp://open?path=",
            "ubp://open?path=notes",
            "ubp://open?path=../notes",
            "ubp://open?path=/home/me/../../etc",
            "ubp://open?path=/home/me/%2e%2e/%2e%2e/etc",
            "ubp://open?path=//server/share",
            "ubp://open?path=%5C%5Cserver%5Cshare",
            "ubp://open?path=/n%00",
            "ubp://open?path=/n%0Aa",
            "ubp://open?path=javascript:alert(1)",
            "ubp://open?path=file:///etc",
            "ubp://open?path=https://example.org/",
            "ubp://open?path=/n&path=/m",
            "ubp://open?path=/n&page=a.md&page=b.md",
            "ubp://open?path=/n&page=../a.md",
            "ubp://open?path=/n&page=a/../../b.md",
            "ubp://open?path=/n&page=/etc/passwd",
            "ubp://open?path=/n&page=a%5C..%5Cb.md",
            "ubp://open?path=/n&page=C:/b.md",
            "ubp://open?path=/n&page=.ubp/tokens.json",
            "ubp://open?path=/n&page=.git/config",
            "ubp://open?path=/n&page=.hidden.md",
            "ubp://open?path=/n&page=a//b.md",
            "ubp://open?path=/n&page=a%00.md",
            "ubp://open?path=/n&page=javascript:alert(1)",
            "ubp://open?path=/n&command=rm",
            "ubp://open?path=/n#a",
            "ubp://open/more?path=/n",
            "ubp://run?path=/n",
            "ubp://me@open?path=/n",
            "ubp://me:secret@open?path=/n",
            "ubp://open:80?path=/n",
            "ubp://open.example.org?path=/n",
            "UBP2://open?path=/n",
            "http://open?path=/n",
            "javascript:ubp://open?path=/n",
            "file:///n",
            "ubp://open?path=/n\n&page=a.md",
        ] {
            assert_eq!(
                read(text).filter(|link| link.page.as_deref() != Some("javascript:alert(1).md")),
                None,
                "{text}"
            );
        }
        assert_eq!(read(&format!("ubp://open?path=/{}", "n".repeat(LONGEST))), None);
    }

    #[test]
    fn a_page_is_one_path_in_a_project() {
        assert_eq!(page_of("a.md").unwrap(), "a.md");
        assert_eq!(page_of("a/b").unwrap(), "a/b.md");
        for text in ["", "/a", "a/", "./a.md", "a/./b.md", ".git/a.md", "\\a", "a\u{7}.md"] {
            assert_eq!(page_of(text), None, "{text}");
        }
    }
}
