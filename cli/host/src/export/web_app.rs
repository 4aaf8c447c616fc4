//! The web app of a site: built into the program, or from a folder.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use lzma_rust2::LzmaReader;
use ubp_core::message;
use ubp_core::{Error, Result};

/// Template of all pages of a site.
pub const TEMPLATE: &str = "index.html";

/// Source of the web app.
pub enum WebApp {
    /// Built into the program.
    Inside,
    /// From a folder with a build of the app.
    Folder(PathBuf),
}

/// Files of `web-viewer/dist` at build time: paths and contents, compressed by LZMA. Empty if the app could not be built, and in
/// development builds.
const INSIDE: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/web_app.rs"));

/// If it is empty, the reason and what to do.
const MISSING: &str = env!("UBP_WEB_APP_MISSING");

/// Path of the engine for browsers, without the hash in its name.
const ENGINE: &str = "assets/ubp_base_bg";

impl WebApp {
    /// The app in `folder`, by default the built-in one.
    ///
    /// # Errors
    /// [`Error::InvalidParams`] if the program was built without it.
    pub fn find(folder: Option<PathBuf>) -> Result<Self> {
        match folder {
            Some(folder) => Ok(Self::Folder(folder)),
            None if !INSIDE.is_empty() => Ok(Self::Inside),
            None => {
                Err(Error::invalid(message!("this ubp has no viewer, because {missing}", missing = MISSING)))
            }
        }
    }

    /// Fails without the engine for browsers, which exported sites need and servers do not.
    ///
    /// # Errors
    /// [`Error::InvalidParams`] in that case; [`Error::Io`] if the folder cannot be read.
    pub fn require_engine(&self) -> Result<()> {
        if self.paths()?.iter().any(|path| path.starts_with(ENGINE) && path.ends_with(".wasm")) {
            return Ok(());
        }
        Err(Error::invalid(message!(
            "this ubp cannot export sites: it was built without the engine for browsers. In a clone, with \
             clang and Node, run `bindings-wasm/build.sh --setup && bindings-wasm/build.sh && cargo build --release`"
        )))
    }

    /// Sorted paths of its files, `/`-separated.
    ///
    /// # Errors
    /// [`Error::Io`] if its folder cannot be read.
    pub fn paths(&self) -> Result<Vec<String>> {
        let mut paths = match self {
            Self::Inside => INSIDE.iter().map(|(path, _)| (*path).to_owned()).collect(),
            Self::Folder(folder) => {
                let mut paths = Vec::new();
                list(folder, "", &mut paths)?;
                paths
            }
        };
        paths.sort_unstable();
        Ok(paths)
    }

    /// Reads a file.
    ///
    /// # Errors
    /// [`Error::Io`] if it does not exist or cannot be read.
    pub fn read(&self, path: &str) -> Result<Vec<u8>> {
        match self {
            Self::Inside => {
                let (_, packed) = INSIDE
                    .iter()
                    .find(|(known, _)| *known == path)
                    .ok_or_else(|| Error::io(path, std::io::Error::from(std::io::ErrorKind::NotFound)))?;
                let failed = |error: std::io::Error| Error::Internal(format!("{path}: {error}"));
                let mut bytes = Vec::new();
                let mut reader = LzmaReader::new_mem_limit(*packed, u32::MAX, None).map_err(failed)?;
                reader.read_to_end(&mut bytes).map_err(failed)?;
                Ok(bytes)
            }
            Self::Folder(folder) => {
                let place = folder.join(path);
                fs::read(&place).map_err(|error| Error::io(place.display().to_string(), error))
            }
        }
    }
}

fn list(folder: &Path, below: &str, paths: &mut Vec<String>) -> Result<()> {
    let failed = |error| Error::io(folder.display().to_string(), error);
    for entry in fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let Some(name) = entry.file_name().to_str().map(str::to_owned) else { continue };
        // Hidden files belong to git.
        if name.starts_with('.') {
            continue;
        }
        let path = format!("{below}{name}");
        if entry.file_type().map_err(failed)?.is_dir() {
            list(&entry.path(), &format!("{path}/"), paths)?;
        } else {
            paths.push(path);
        }
    }
    Ok(())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn an_app_without_the_engine_cannot_be_exported() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("assets")).unwrap();
        fs::write(folder.path().join(TEMPLATE), "x").unwrap();
        let app = WebApp::find(Some(folder.path().into())).unwrap();
        let words = app.require_engine().unwrap_err().to_string();
        let repository = Path::new("../..");
        let command = words.split('`').nth(1).unwrap();
        let scripts: Vec<&str> = command
            .split(" && ")
            .filter_map(|part| part.split(' ').next().filter(|word| word.contains('/')))
            .collect();
        assert_eq!(scripts.len(), 2, "{command}");
        for script in scripts {
            let usage = fs::read_to_string(repository.join(script)).unwrap();
            assert!(usage.contains("--setup"), "{script}");
        }
        fs::write(folder.path().join("assets/ubp_base_bg-x.wasm"), "x").unwrap();
        app.require_engine().unwrap();
    }

    #[test]
    fn hidden_files_are_not_part_of_the_web_app() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("assets")).unwrap();
        for name in [".gitignore", TEMPLATE, "assets/app.js"] {
            fs::write(folder.path().join(name), "x").unwrap();
        }
        let app = WebApp::find(Some(folder.path().into())).unwrap();
        assert_eq!(app.paths().unwrap(), ["assets/app.js", TEMPLATE]);
    }
}
