//! The addresses of pages and attachments on a site. A page's address depends only on its own path
//! and on the few pages that would collide with it, so that adding a page elsewhere does not
//! change it.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use rusqlite::Connection;

use crate::index::questions::{names, pages};
use crate::ports::ContentHash;
use crate::{Result, path, text};

/// The site's first page.
pub const HOME: &str = "index.html";

/// The list of all pages.
pub const ALL_PAGES: &str = "all-pages.html";

/// The page that hosts send for an address that does not exist.
pub const NOT_FOUND: &str = "404.html";

/// Folder for attachments outside of the pages folder, by their paths in the project.
const OUTSIDE: &str = "project-files";

/// Maximum length of a file name on common file systems, in bytes.
const LONGEST: usize = 255;

/// Number of digits of a path's hash that distinguish colliding pages.
const MARK: usize = 12;

/// The file, relative to the top of the site, of the page at `page`. `twins` are the paths of all pages, including
/// this one, that differ only in case, Unicode form and extension, in order.
///
/// The first of twins keeps the plain name. A part of the path's hash is appended to the names of other twins, of
/// pages that collide with the site's own files, and of pages with names too long for another extension.
pub fn page_file(page: &str, twins: &[String]) -> String {
    in_folders(&own_file(page, twins))
}

/// The path, with folders renamed whose names could be the file of a page.
fn in_folders(file: &str) -> String {
    let Some((folders, name)) = file.rsplit_once('/') else { return file.to_owned() };
    let folders = folders.split('/').map(|folder| {
        let is_file = folder.rsplit_once('.').is_some_and(|(_, ending)| ending.eq_ignore_ascii_case("html"));
        if is_file { format!("{folder}~") } else { folder.to_owned() }
    });
    format!("{}/{name}", folders.collect::<Vec<_>>().join("/"))
}

fn own_file(page: &str, twins: &[String]) -> String {
    let stem = path::without_page_extension(page);
    let first = twins.first().is_none_or(|first| first == page);
    let key = text::fold_key(stem);
    if first && key == "index" {
        return HOME.to_owned();
    }
    let name = path::file_name(stem);
    let taken = ["index", "404", "all-pages"].contains(&key.as_str());
    if first && !taken && !is_marked(name) && name.len() + ".html".len() <= LONGEST {
        return format!("{stem}.html");
    }
    let digits = text::hex(&ContentHash::of(page.as_bytes()).0[..MARK / 2]);
    let mut room = LONGEST - ".html".len() - MARK - 1;
    while !name.is_char_boundary(room.min(name.len())) {
        room -= 1;
    }
    let name = name.get(..room).unwrap_or(name);
    let folder = path::folder(stem);
    let slash = if folder.is_empty() { "" } else { "/" };
    format!("{folder}{slash}{name}~{digits}.html")
}

/// Whether a name ends like one with a hash appended.
fn is_marked(name: &str) -> bool {
    name.rsplit_once('~')
        .is_some_and(|(_, digits)| digits.len() == MARK && digits.bytes().all(|b| b.is_ascii_hexdigit()))
}

/// As [`page_file`], with the twins from the index.
pub(crate) fn file_of(db: &Connection, page: &str) -> Result<String> {
    let key = text::fold_key(path::without_page_extension(page));
    let named = names::files(db, &text::fold_key(path::page_name(page)))?;
    let twins: Vec<String> = named
        .into_iter()
        .map(|(_, other)| other)
        .filter(|other| text::fold_key(path::without_page_extension(other)) == key)
        .collect();
    Ok(page_file(page, &twins))
}

/// The file of a page that does not collide with anything.
pub(crate) fn plain_file(page: &str) -> String {
    format!("{}.html", path::without_page_extension(page))
}

/// Paths of pages whose file is not [`plain_file`].
pub(crate) fn oddly_placed(db: &Connection) -> Result<HashSet<String>> {
    let paths = pages::paths(db)?;
    let mut first = HashMap::<String, &String>::with_capacity(paths.len());
    let mut odd = HashSet::new();
    for (_, page) in &paths {
        match first.entry(text::fold_key(path::without_page_extension(page))) {
            Entry::Occupied(_) => {
                odd.insert(page.clone());
            }
            Entry::Vacant(place) => {
                place.insert(page);
                if page_file(page, std::slice::from_ref(page)) != plain_file(page) {
                    odd.insert(page.clone());
                }
            }
        }
    }
    Ok(odd)
}

/// The number of the page whose file, relative to the top of the site, is `file`.
pub(crate) fn page_at(db: &Connection, file: &str) -> Result<Option<i64>> {
    let Some(stem) = file.strip_suffix(".html") else { return Ok(None) };
    let name = path::file_name(stem);
    let unmarked = name.rsplit_once('~').filter(|_| is_marked(name)).map(|(name, _)| name);
    let mut found = Vec::new();
    for name in [Some(name), unmarked].into_iter().flatten() {
        found.extend(names::files(db, &text::fold_key(name))?);
    }
    if unmarked.is_some_and(|name| name.len() + ".html".len() + MARK + 4 >= LONGEST) {
        // A long name was truncated, so only its beginning is known.
        found.extend(pages::with_long_paths(db, LONGEST / 4)?);
    }
    for (page, path) in found {
        if file_of(db, &path)? == file {
            return Ok(Some(page));
        }
    }
    Ok(None)
}

/// Paths, relative to the project, of the attachments whose file, relative to the top of the site, may be `file`.
pub fn attachments_at(file: &str, pages_dir: &str) -> Vec<String> {
    let (folders, name) = file.rsplit_once('/').unwrap_or(("", file));
    let own = |folder: &str| match folder.strip_suffix('~') {
        Some(own) if in_folders(&format!("{own}/")) == format!("{folder}/") => own.to_owned(),
        _ => folder.to_owned(),
    };
    let renamed = folders.split('/').map(own).chain([name.to_owned()]).collect::<Vec<_>>().join("/");
    let mut found = Vec::new();
    for file in [file, renamed.trim_start_matches('/')] {
        let outside =
            file.split_once('/').filter(|(top, _)| *top == OUTSIDE).map(|(_, rest)| rest.to_owned());
        found.extend(path::join(pages_dir, file).into_iter().chain(outside));
    }
    found.retain(|attachment| attachment_file(attachment, pages_dir) == file);
    found.dedup();
    found
}

/// The file, relative to the top of the site, of an attachment, whose path is relative to the project.
pub fn attachment_file(attachment: &str, pages_dir: &str) -> String {
    let below = if pages_dir.is_empty() {
        Some(attachment)
    } else {
        attachment.strip_prefix(pages_dir).and_then(|rest| rest.strip_prefix('/'))
    };
    let is_plain = |file: &&str| {
        let top = file.split('/').next().unwrap_or_default();
        text::fold_key(top) != OUTSIDE
    };
    in_folders(&below.filter(is_plain).map_or_else(|| format!("{OUTSIDE}/{attachment}"), str::to_owned))
}

/// A path, percent-encoded for a URL.
pub fn encoded(path: &str) -> String {
    const SET: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~').remove(b'/');
    utf8_percent_encode(path, SET).to_string()
}

/// The name of a place on a page, percent-encoded for a URL, without `#`.
pub(crate) fn encoded_fragment(name: &str) -> String {
    encoded(name).replace("%5E", "^").replace("%3A", ":")
}

/// The relative URL from one file of the site to another.
pub fn relative(from: &str, to: &str) -> String {
    encoded(&path::relative(path::folder(from), to))
}

/// An external address to which a page may link; `None` for all other schemes.
pub(super) fn outside(destination: &str) -> Option<&str> {
    let destination = destination.trim();
    let (scheme, rest) = destination.split_once(':')?;
    let known = ["http", "https", "mailto", "tel"].iter().any(|known| scheme.eq_ignore_ascii_case(known));
    let web = scheme.get(..4).is_some_and(|start| start.eq_ignore_ascii_case("http"));
    let clean = !destination.contains(|c: char| c.is_control() || c.is_whitespace());
    (known && clean && (!web || rest.starts_with("//"))).then_some(destination)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(page: &str, twins: &[&str]) -> String {
        page_file(page, &twins.iter().map(|twin| (*twin).to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn pages_keep_their_names_unless_they_collide() {
        assert_eq!(file("Folder/My Page.md", &["Folder/My Page.md"]), "Folder/My Page.html");
        assert_eq!(file("a.md", &["a.markdown", "a.md"]), "a~fecccc975324.html");
        assert_eq!(file("a.markdown", &["a.markdown", "a.md"]), "a.html");
        assert_eq!(file("index.md", &["index.md"]), "index.html");
        assert_eq!(file("x/index.md", &["x/index.md"]), "x/index.html");
        assert_eq!(file("a.html/b.md", &["a.html/b.md"]), "a.html~/b.html");
        for taken in ["404.md", "All-Pages.md", "x/y~0123456789ab.md"] {
            let file = file(taken, &[taken]);
            assert!(is_marked(path::without_page_extension(&file).trim_end_matches(".html")), "{file}");
        }
        let long = format!("x/{}.md", "認".repeat(84));
        let file = file(&long, &[&long]);
        assert!(path::file_name(&file).len() <= LONGEST, "{file}");
        assert!(file.starts_with("x/認"));
    }

    #[test]
    fn attachments_outside_of_the_pages_folder_are_in_a_separate_folder() {
        assert_eq!(attachment_file("pages/img/x.png", "pages"), "img/x.png");
        assert_eq!(attachment_file("img/x.png", ""), "img/x.png");
        assert_eq!(attachment_file("pagesx/x.png", "pages"), "project-files/pagesx/x.png");
        assert_eq!(attachment_file("Project-Files/x.png", ""), "project-files/Project-Files/x.png");
    }

    #[test]
    fn urls_are_relative_and_encoded() {
        assert_eq!(relative("a/b.html", "a/c d.html"), "c%20d.html");
        assert_eq!(relative("a/b.html", "認証/#?%.html"), "../%E8%AA%8D%E8%A8%BC/%23%3F%25.html");
        assert_eq!(relative("b.html", "a:b.html"), "a%3Ab.html");
        assert_eq!(encoded_fragment("a/b-2"), "a/b-2");
        assert_eq!(encoded_fragment("^id"), "^id");
    }

    #[test]
    fn only_harmless_schemes_are_allowed_in_external_links() {
        assert_eq!(outside(" https://x.y/z "), Some("https://x.y/z"));
        assert_eq!(outside("MAILTO:a@b.c"), Some("MAILTO:a@b.c"));
        for bad in
            ["javascript:alert(1)", "data:text/html,x", "java\nscript:x", "http:x", "vbscript:x", "x", "//x"]
        {
            assert_eq!(outside(bad), None, "{bad}");
        }
    }
}
