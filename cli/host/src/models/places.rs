//! Where models lie: in the project, or in the folder that all projects of a user share.

use std::fs;
use std::path::{Path, PathBuf};

use ubp_core::{Error, Result};

use crate::{Environment, Project, user_data};

/// The project's models, relative to it.
const PROJECT_MODELS: &str = ".ubp/models";

/// A place for models.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// `.ubp/models` of the project.
    Project,
    /// The user's own folder.
    User,
}

impl Place {
    /// The word in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Project => "project",
            Self::User => "user",
        }
    }
}

/// The folders that models are looked for in. Neither needs to exist.
#[derive(Debug, Clone)]
pub struct Places {
    project: Option<PathBuf>,
    user: Option<PathBuf>,
}

impl Places {
    /// Those of `project`, if there is one, and of the user.
    pub fn new(project: Option<&Project>, environment: &Environment) -> Self {
        Self { user: user_folder(environment), ..Self::below(project.map(|project| project.root.as_path())) }
    }

    /// Those of the project whose folder is `root`, and of the user.
    pub fn at(root: &Path, environment: &Environment) -> Self {
        Self { user: user_folder(environment), ..Self::below(Some(root)) }
    }

    fn below(root: Option<&Path>) -> Self {
        Self { project: root.map(|root| root.join(PROJECT_MODELS)), user: None }
    }

    /// Both, the nearest first.
    pub fn all(&self) -> impl Iterator<Item = (Place, &Path)> {
        let project = self.project.as_deref().map(|folder| (Place::Project, folder));
        let user = self.user.as_deref().map(|folder| (Place::User, folder));
        project.into_iter().chain(user)
    }

    /// The project's folder, made if needed.
    ///
    /// # Errors
    /// [`Error::Io`] when it is a link (a clone could make UBP write elsewhere) or cannot be made.
    pub fn project(&self) -> Result<&Path> {
        let folder = self
            .project
            .as_deref()
            .ok_or_else(|| Error::Internal("models of a project were asked for without one".into()))?;
        refuse_link(folder)?;
        make(folder)
    }

    /// The user's folder, made if needed.
    ///
    /// # Errors
    /// [`Error::InvalidParams`] when the environment names none, [`Error::Io`] when it cannot be made.
    pub fn user(&self) -> Result<&Path> {
        make(self.user.as_deref().ok_or_else(|| {
            Error::invalid("no folder for models is known: set UBP_MODELS to one that you can write to")
        })?)
    }

    /// How to name the user's folder to people.
    pub fn user_shown(&self) -> String {
        self.user
            .as_deref()
            .map_or_else(|| "the folder in UBP_MODELS".into(), |path| path.display().to_string())
    }
}

fn make(folder: &Path) -> Result<&Path> {
    fs::create_dir_all(folder).map_err(|error| Error::io(folder.to_string_lossy(), error))?;
    Ok(folder)
}

/// Refuses a symbolic link at `path`.
///
/// # Errors
/// [`Error::Io`] when there is one.
pub fn refuse_link(path: &Path) -> Result<()> {
    match fs::symlink_metadata(path) {
        Ok(metadata) if metadata.is_symlink() => {
            let words = "a symbolic link; models inside a project must be real files";
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

/// Whether `name` can be the name of a model: also that of a folder, on every system.
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
    fn names_that_could_lead_elsewhere_are_refused() {
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
    fn the_variable_comes_first() {
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
