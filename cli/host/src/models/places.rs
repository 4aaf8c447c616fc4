//! Folders for models: in the project, or shared by all projects of a user.

use std::fs;
use std::path::{Path, PathBuf};

use ubp_core::message;
use ubp_core::message::Message;
use ubp_core::word;
use ubp_core::{Error, Result};

use crate::{Environment, Project, shared_vectors, user_data};

/// The folder of a project's models, relative to the project.
const PROJECT_MODELS: &str = ".ubp/models";

/// Kind of folder for models.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// `.ubp/models` of the project.
    Project,
    /// The user's folder.
    User,
}

impl Place {
    /// The name in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Project => "project",
            Self::User => "user",
        }
    }
}

/// The folders to search for models. They need not exist.
#[derive(Debug, Clone)]
pub struct Places {
    project: Option<PathBuf>,
    user: Option<PathBuf>,
    /// For weights that processes share.
    #[cfg_attr(not(feature = "engines"), expect(dead_code))]
    weights: Option<PathBuf>,
}

impl Places {
    /// The folders of `project`, if any, and of the user.
    pub fn new(project: Option<&Project>, environment: &Environment) -> Self {
        Self::beside(project.map(|project| project.root.as_path()), environment)
    }

    /// The folders of the project in `root`, and of the user.
    pub fn at(root: &Path, environment: &Environment) -> Self {
        Self::beside(Some(root), environment)
    }

    fn beside(root: Option<&Path>, environment: &Environment) -> Self {
        Self {
            user: user_folder(environment),
            weights: shared_vectors::folder(environment),
            ..Self::below(root)
        }
    }

    fn below(root: Option<&Path>) -> Self {
        Self { project: root.map(|root| root.join(PROJECT_MODELS)), user: None, weights: None }
    }

    /// The user's folder for weights that processes share, if there is one.
    #[cfg(feature = "engines")]
    pub(super) fn weights(&self) -> Option<&Path> {
        self.weights.as_deref()
    }

    /// All folders; the project's comes first.
    pub fn all(&self) -> impl Iterator<Item = (Place, &Path)> {
        let project = self.project.as_deref().map(|folder| (Place::Project, folder));
        let user = self.user.as_deref().map(|folder| (Place::User, folder));
        project.into_iter().chain(user)
    }

    /// The project's folder, created if missing.
    ///
    /// # Errors
    /// [`Error::Io`] if it is a symbolic link (with which a clone could make UBP write elsewhere) or cannot be created.
    pub fn project(&self) -> Result<&Path> {
        let folder = self
            .project
            .as_deref()
            .ok_or_else(|| Error::Internal("models of a project were requested without a project".into()))?;
        refuse_link(folder)?;
        make(folder)
    }

    /// The user's folder, created if missing.
    ///
    /// # Errors
    /// [`Error::InvalidParams`] if the environment has none, [`Error::Io`] if it cannot be created.
    pub fn user(&self) -> Result<&Path> {
        make(self.user.as_deref().ok_or_else(|| {
            Error::invalid(message!("no folder for models: set UBP_MODELS to a writable folder"))
        })?)
    }

    /// The user's folder for messages.
    pub fn user_shown(&self) -> Message {
        match &self.user {
            Some(path) => Message::verbatim(path.display().to_string()),
            None => message!("the folder in UBP_MODELS"),
        }
    }
}

/// Whether the project has a folder of models.
pub(super) fn has_own(project: &Project) -> bool {
    fs::symlink_metadata(project.root.join(PROJECT_MODELS)).is_ok()
}

fn make(folder: &Path) -> Result<&Path> {
    fs::create_dir_all(folder).map_err(|error| Error::io(folder.to_string_lossy(), error))?;
    Ok(folder)
}

/// Refuses a symbolic link at `path`.
///
/// # Errors
/// [`Error::Io`] if there is one.
pub fn refuse_link(path: &Path) -> Result<()> {
    match fs::symlink_metadata(path) {
        Ok(metadata) if metadata.is_symlink() => {
            let words = word!("a symbolic link; models inside a project must be real files");
            let error = std::io::Error::new(std::io::ErrorKind::InvalidInput, words);
            Err(Error::io(path.to_string_lossy(), error))
        }
        _ => Ok(()),
    }
}

fn user_folder(environment: &Environment) -> Option<PathBuf> {
    if let Some(named) = environment.get("UBP_MODELS").filter(|value| !value.is_empty()) {
        return std::path::absolute(named).ok();
    }
    user_data::folder(environment).map(|data| data.join("models"))
}

/// Whether `name` is a valid name of a model, which must be a valid folder name on every system.
pub fn is_plain_name(name: &str) -> bool {
    let reserved = ["con", "prn", "aux", "nul"];
    let stem = name.split('.').next().unwrap_or_default().to_ascii_lowercase();
    let device =
        matches!(stem.strip_prefix("com").or(stem.strip_prefix("lpt")), Some(rest) if rest.len() == 1);
    name.len() <= 100
        && name.starts_with(|c: char| c.is_ascii_alphanumeric())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'))
        && !name.ends_with('.')
        && !device
        && !reserved.contains(&stem.as_str())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn names_that_are_not_plain_folder_names_are_refused() {
        for good in ["ruri-v3-30m", "a", "Model_2.1", "com", "common"] {
            assert!(is_plain_name(good), "{good}");
        }
        for bad in [
            "",
            ".",
            "..",
            ".hidden",
            "a/b",
            "a\\b",
            "../x",
            "a b",
            "モデル",
            "nul",
            "NUL.txt",
            "com1",
            "x.",
            "-x",
        ] {
            assert!(!is_plain_name(bad), "{bad}");
        }
        assert!(!is_plain_name(&"x".repeat(101)));
    }

    #[test]
    fn the_environment_variable_takes_precedence() {
        let folder = std::env::temp_dir();
        let home = folder.to_str().unwrap();
        let of = |variables: &[(&str, &str)]| user_folder(&Environment::with(variables.iter().copied()));
        let named = folder.join("m");
        assert_eq!(of(&[("UBP_MODELS", named.to_str().unwrap()), ("HOME", "/h")]), Some(named));
        assert_eq!(of(&[]), None);
        if cfg!(all(unix, not(target_os = "macos"))) {
            assert_eq!(of(&[("HOME", home)]), Some(folder.join(".local/share/ubp/models")));
            assert_eq!(of(&[("HOME", "/h"), ("XDG_DATA_HOME", home)]), Some(folder.join("ubp/models")));
            assert_eq!(
                of(&[("HOME", home), ("XDG_DATA_HOME", "relative")]),
                Some(folder.join(".local/share/ubp/models"))
            );
        }
        if cfg!(target_os = "macos") {
            assert_eq!(of(&[("HOME", home)]), Some(folder.join("Library/Application Support/ubp/models")));
        }
        if cfg!(windows) {
            assert_eq!(of(&[("LOCALAPPDATA", home)]), Some(folder.join("ubp").join("models")));
        }
    }
}
