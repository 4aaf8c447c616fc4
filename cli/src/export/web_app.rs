//! The web app that shows a site: inside of the program, or a folder that it was built in.

use std::borrow::Cow;
use std::fs;
use std::path::{Path, PathBuf};

use ubp_core::{Error, Result};

/// The page that all pages of a site are made from.
pub(crate) const TEMPLATE: &str = "index.html";

/// Where the web app comes from.
pub(crate) enum WebApp {
    Inside,
    Folder(PathBuf),
}

#[cfg(web_app)]
mod inside {
    /// What `web-viewer/dist` held when the program was built.
    #[derive(rust_embed::RustEmbed)]
    #[folder = "../web-viewer/dist"]
    pub(super) struct Files;
}

impl WebApp {
    /// That of the program, unless another one is named.
    ///
    /// # Errors
    /// [`Error::InvalidParams`] for a program that was built without it.
    pub(crate) fn find(folder: Option<PathBuf>) -> Result<Self> {
        match folder {
            Some(folder) => Ok(Self::Folder(folder)),
            None if cfg!(web_app) => Ok(Self::Inside),
            None => Err(Error::invalid(
                "this ubp was built without the web app. Use the published ubp, or build it: `npm ci && npm run build` \
                 in web-viewer, then `cargo clean -p ubp-cli && cargo build --release`",
            )),
        }
    }

    /// Paths of its files, `/`-separated, sorted.
    ///
    /// # Errors
    /// [`Error::Io`] when its folder cannot be read.
    pub(crate) fn paths(&self) -> Result<Vec<String>> {
        let mut paths = match self {
            Self::Inside => inside_paths(),
            Self::Folder(folder) => {
                let mut paths = Vec::new();
                list(folder, "", &mut paths)?;
                paths
            }
        };
        paths.sort_unstable();
        Ok(paths)
    }

    /// One of its files.
    ///
    /// # Errors
    /// [`Error::Io`] when it is not there or cannot be read.
    pub(crate) fn read(&self, path: &str) -> Result<Cow<'static, [u8]>> {
        match self {
            Self::Inside => inside_file(path)
                .ok_or_else(|| Error::io(path, std::io::Error::from(std::io::ErrorKind::NotFound))),
            Self::Folder(folder) => {
                let place = folder.join(path);
                fs::read(&place)
                    .map(Cow::Owned)
                    .map_err(|error| Error::io(place.display().to_string(), error))
            }
        }
    }
}

#[cfg(web_app)]
fn inside_paths() -> Vec<String> {
    inside::Files::iter().map(Cow::into_owned).collect()
}

#[cfg(web_app)]
fn inside_file(path: &str) -> Option<Cow<'static, [u8]>> {
    <inside::Files as rust_embed::RustEmbed>::get(path).map(|file| file.data)
}

#[cfg(not(web_app))]
fn inside_paths() -> Vec<String> {
    Vec::new()
}

#[cfg(not(web_app))]
fn inside_file(_path: &str) -> Option<Cow<'static, [u8]>> {
    None
}

fn list(folder: &Path, below: &str, paths: &mut Vec<String>) -> Result<()> {
    let failed = |error| Error::io(folder.display().to_string(), error);
    for entry in fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let Some(name) = entry.file_name().to_str().map(str::to_owned) else { continue };
        let path = format!("{below}{name}");
        if entry.file_type().map_err(failed)?.is_dir() {
            list(&entry.path(), &format!("{path}/"), paths)?;
        } else {
            paths.push(path);
        }
    }
    Ok(())
}
