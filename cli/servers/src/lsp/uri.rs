//! Addresses of files, and their paths.

use std::path::{Component, Path, PathBuf};

use lsp_types::Uri;
use percent_encoding::{AsciiSet, CONTROLS, percent_decode_str, utf8_percent_encode};

/// What must be escaped in the path of an address.
const ESCAPED: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'#')
    .add(b'%')
    .add(b'<')
    .add(b'>')
    .add(b'?')
    .add(b'[')
    .add(b'\\')
    .add(b']')
    .add(b'^')
    .add(b'`')
    .add(b'{')
    .add(b'|')
    .add(b'}');

/// The path of a file on this machine, without `.` and `..`; `None` for other addresses.
pub(crate) fn path_of(uri: &str) -> Option<PathBuf> {
    let rest = uri.strip_prefix("file://")?;
    let rest = rest.split(['?', '#']).next().unwrap_or(rest);
    let rest = rest.strip_prefix("localhost").unwrap_or(rest);
    let path = percent_decode_str(rest).decode_utf8().ok()?.into_owned();
    if cfg!(windows) {
        // `/c:/folder` is a drive, `server/share` a share.
        let path = match path.strip_prefix('/') {
            Some(drive) if drive.as_bytes().get(1) == Some(&b':') => drive.to_owned(),
            Some(_) => return None,
            None => format!("//{path}"),
        };
        return Some(without_dots(Path::new(&path.replace('/', "\\"))));
    }
    path.starts_with('/').then(|| without_dots(Path::new(&path)))
}

/// Resolves `.` and `..`, also those that were escaped: otherwise a path would seem to be in a folder that it leaves.
fn without_dots(path: &Path) -> PathBuf {
    let mut resolved = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(resolved.pop()),
            Component::CurDir => {}
            other => resolved.push(other),
        }
    }
    resolved
}

/// The address of a file; `None` if its path is not Unicode.
pub(super) fn uri_of(path: &Path) -> Option<Uri> {
    let text = path.to_str()?;
    let address = if cfg!(windows) { after_scheme(text) } else { text.to_owned() };
    format!("file://{}", utf8_percent_encode(&address, ESCAPED)).parse().ok()
}

/// What follows `file://` in the address of a path of Windows.
fn after_scheme(path: &str) -> String {
    let path = path.replace('\\', "/");
    let plain = path.strip_prefix("//?/").unwrap_or(&path);
    match plain.strip_prefix("UNC/").or_else(|| plain.strip_prefix("//")) {
        Some(share) => share.to_owned(),
        None => format!("/{plain}"),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests_of_windows {
    use super::*;

    #[test]
    fn paths_of_windows_have_addresses() {
        for (path, address) in [
            (r"C:\a\b.md", "/C:/a/b.md"),
            (r"\\?\C:\a\b.md", "/C:/a/b.md"),
            (r"\\server\share\b.md", "server/share/b.md"),
            (r"\\?\UNC\server\share\b.md", "server/share/b.md"),
        ] {
            assert_eq!(after_scheme(path), address, "{path}");
        }
    }

    #[cfg(windows)]
    #[test]
    fn addresses_have_paths_of_windows() {
        for (uri, path) in [
            ("file:///c%3A/a/../b.md", r"c:\b.md"),
            ("file:///C:/a%20b/%C3%BC.md", "C:\\a b\\\u{fc}.md"),
            ("file://localhost/c:/b.md", r"c:\b.md"),
            ("file://server/share/b.md", r"\\server\share\b.md"),
        ] {
            assert_eq!(path_of(uri).unwrap(), Path::new(path), "{uri}");
        }
        assert_eq!(path_of("file:///b.md"), None);
        assert_eq!(path_of("untitled:Untitled-1"), None);
    }
}

#[cfg(test)]
#[cfg(unix)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn paths_survive_the_way_there_and_back() {
        for path in ["/a/b.md", "/a b/ü#1?.md", "/日本/100%.md", "/x/[y]{z}|^`\\\"<>.md", "/"] {
            let uri = uri_of(Path::new(path)).unwrap();
            assert_eq!(path_of(uri.as_str()).unwrap(), Path::new(path), "{}", uri.as_str());
        }
    }

    #[test]
    fn dots_are_resolved() {
        for (uri, path) in [
            ("file:///a/../b/./c.md", "/b/c.md"),
            ("file:///a/..%2f..%2Fb.md", "/b.md"),
            ("file:///a/%2e%2e/b.md", "/b.md"),
            ("file:///a/b/..", "/a"),
        ] {
            assert_eq!(path_of(uri).unwrap(), Path::new(path), "{uri}");
        }
    }

    #[test]
    fn only_files_have_paths() {
        assert_eq!(path_of("file:///a%20b%C3%BC.md").unwrap(), Path::new("/a bü.md"));
        assert_eq!(path_of("file://localhost/a.md").unwrap(), Path::new("/a.md"));
        for other in ["untitled:Untitled-1", "https://example.org/a.md", "file:relative", "file:///%FF", ""] {
            assert_eq!(path_of(other), None, "{other}");
        }
    }
}
