//! The user's data folder, and the project in it for personal memories.

use std::fs;
use std::path::{Path, PathBuf};
use ubp_core::message;

use ubp_core::manifest::FrontMatterMode;
use ubp_core::ports::Clock;
use ubp_core::{Error, Result};

use super::{InitOptions, init};
use crate::Environment;

/// The user's folder for application data, by the conventions of the system; `None` without a home folder.
pub fn folder(environment: &Environment) -> Option<PathBuf> {
    let data = if cfg!(windows) {
        absolute(environment, "LOCALAPPDATA")
    } else if cfg!(target_os = "macos") {
        absolute(environment, "HOME").map(|home| home.join("Library/Application Support"))
    } else {
        absolute(environment, "XDG_DATA_HOME")
            .or_else(|| absolute(environment, "HOME").map(|home| home.join(".local/share")))
    };
    data.map(|data| data.join("ubp"))
}

/// The user's folder for what can be computed again; `None` without a home folder.
pub fn cache_folder(environment: &Environment) -> Option<PathBuf> {
    if cfg!(windows) {
        absolute(environment, "LOCALAPPDATA").map(|data| data.join("ubp").join("cache"))
    } else if cfg!(target_os = "macos") {
        absolute(environment, "HOME").map(|home| home.join("Library/Caches/ubp"))
    } else {
        absolute(environment, "XDG_CACHE_HOME")
            .or_else(|| absolute(environment, "HOME").map(|home| home.join(".cache")))
            .map(|cache| cache.join("ubp"))
    }
}

fn absolute(environment: &Environment, name: &str) -> Option<PathBuf> {
    let value = environment.get(name).filter(|value| !value.is_empty())?;
    Some(PathBuf::from(value)).filter(|path| path.is_absolute())
}

/// The project of personal memories, created on first use.
///
/// # Errors
/// [`Error::InvalidParams`] if the user has no data folder; errors of [`init`].
pub fn memory_project(environment: &Environment, clock: &dyn Clock) -> Result<PathBuf> {
    let no_home =
        || message!("personal memories need a folder: set HOME, or XDG_DATA_HOME to an absolute path");
    let root = folder(environment).ok_or_else(|| Error::invalid(no_home()))?.join("memory");
    if !root.join(ubp_core::manifest::MANIFEST_PATH).exists() {
        make_private(&root).map_err(|error| Error::io(root.to_string_lossy(), error))?;
        let options = InitOptions {
            pages_dir: Some(".".into()),
            frontmatter: Some(FrontMatterMode::Preserved),
            ..InitOptions::default()
        };
        init(&root, &options, clock)?;
    }
    Ok(root)
}

/// Creates a folder that only its owner can read.
#[cfg(unix)]
pub(crate) fn make_private(root: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    if let Some(above) = root.parent() {
        fs::create_dir_all(above)?;
    }
    match fs::DirBuilder::new().mode(0o700).create(root) {
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => Ok(()),
        made => made,
    }
}

#[cfg(not(unix))]
pub(crate) fn make_private(root: &Path) -> std::io::Result<()> {
    fs::create_dir_all(root)
}
