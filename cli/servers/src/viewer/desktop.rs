//! `POST /desktop`: opens files of the project on the desktop, for browsers on this machine.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use serde::Deserialize;
use tokio_util::sync::CancellationToken;
use ubp_core::{Error, Result, message, path};

use super::Viewer;
use super::answer::Refusal;
use super::api::parameters;
use super::language::voice;

/// Limit on the bytes of a request: a path.
const LONGEST: usize = 1024 * 1024;

/// The programs of the user's desktop.
pub trait Desktop: std::fmt::Debug + Send + Sync {
    /// Name of the user's editor, if it opens a window of its own.
    fn editor(&self) -> Option<String>;

    /// Whether [`Self::show`] has something to show files in.
    fn has_file_manager(&self) -> bool;

    /// Opens a file in the editor, at a line counted from 1.
    ///
    /// # Errors
    /// [`Error::Io`] if the editor cannot be started.
    fn edit(&self, file: &Path, line: usize) -> Result<()>;

    /// Shows a file or folder in the file manager.
    ///
    /// # Errors
    /// [`Error::Io`] if it cannot be started.
    fn show(&self, path: &Path) -> Result<()>;
}

/// What to do, and with what.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Wanted {
    action: Action,
    /// Relative to the project.
    path: String,
    #[serde(default = "first_line")]
    line: usize,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Action {
    Edit,
    Show,
}

fn first_line() -> usize {
    1
}

pub(super) async fn open(
    State((viewer, _)): State<(Arc<Viewer>, CancellationToken)>,
    headers: HeaderMap,
    body: axum::body::Body,
) -> std::result::Result<StatusCode, Refusal> {
    let voice = voice(&headers, &viewer.app.languages);
    let body = parameters(&headers, body, LONGEST, &voice).await?;
    viewer
        .work(move |viewer, _| {
            let wanted: Wanted =
                serde_json::from_slice(&body).map_err(|error| Error::invalid(message!("{error}", error)))?;
            let desktop = viewer.desktop().ok_or_else(|| {
                Error::invalid(message!("only a browser on the machine of the viewer can open files there"))
            })?;
            let found = find(&viewer.root, &wanted.path)?;
            match wanted.action {
                Action::Edit if found.is_dir() => {
                    Err(Error::invalid(message!("{path} is a folder", path = wanted.path)))
                }
                Action::Edit => desktop.edit(&found, wanted.line.max(1)),
                Action::Show => desktop.show(&found),
            }
        })
        .await
        .map_err(|error| Refusal::told(&error, &voice))?;
    Ok(StatusCode::NO_CONTENT)
}

/// The file or folder of the project at `wanted`; none that is private or outside.
fn find(root: &Path, wanted: &str) -> Result<PathBuf> {
    let outside = || Error::OutsideProject { path: wanted.to_owned(), folder: "project".into() };
    let is_inside = wanted.is_empty() || (path::is_inside(wanted) && path::is_normal(wanted));
    if !is_inside || path::is_private(wanted) {
        return Err(outside());
    }
    let found = std::fs::canonicalize(root.join(wanted)).map_err(|error| Error::io(wanted, error))?;
    if found.starts_with(root) { Ok(found) } else { Err(outside()) }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn only_files_of_the_project_are_found() {
        let folder = tempfile::tempdir().unwrap();
        let root = std::fs::canonicalize(folder.path()).unwrap();
        std::fs::create_dir_all(root.join("pages/notes")).unwrap();
        std::fs::create_dir_all(root.join(".ubp")).unwrap();
        std::fs::write(root.join("pages/a.md"), "# A\n").unwrap();
        for found in ["", "pages", "pages/notes", "pages/a.md"] {
            assert_eq!(find(&root, found).unwrap(), root.join(found), "{found}");
        }
        #[cfg(unix)]
        std::os::unix::fs::symlink("/etc", root.join("pages/out")).unwrap();
        for other in
            ["..", "pages/../..", "/etc", "pages//a.md", ".ubp", ".git/config", "pages/out", "none.md"]
        {
            assert!(find(&root, other).is_err(), "{other}");
        }
    }
}
