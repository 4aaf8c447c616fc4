//! Serves a folder of Markdown documents that is not a project, with settings in a `config.json` and an index beside
//! it.

use std::path::{Path, PathBuf};

use ubp_core::Result;

use crate::Environment;
use crate::Project;
use crate::opening::FindModel;

mod config;
mod model;
mod place;

use config::Config;
use place::Place;

/// The set of MCP tools for such a folder.
pub const SET: &str = "documents";

/// Severity of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// Normal operation.
    Info,
    /// A problem that needs attention; operation continues.
    Warn,
    /// A request failed.
    Error,
    /// The process ends.
    Fatal,
}

impl Level {
    /// Prefix of log lines.
    pub fn label(self) -> &'static str {
        match self {
            Self::Info => "[INFO]",
            Self::Warn => "[WARN]",
            Self::Error => "[ERROR]",
            Self::Fatal => "[FATAL]",
        }
    }
}

/// Receives messages for people.
pub type Log<'a> = dyn Fn(Level, &str) + 'a;

/// Opened documents.
pub struct Served {
    /// The folder, with its settings, as a project.
    pub project: Project,
    /// Finds the model in the settings.
    pub find_model: Box<FindModel>,
}

/// Opens the documents with the settings at `path`, or default settings if those are missing or invalid.
///
/// # Errors
/// [`ubp_core::Error::InvalidParams`] for unusable folder or index paths, and for a required GPU that is missing;
/// [`ubp_core::Error::Io`].
pub fn open(path: &Path, environment: &Environment, log: &Log<'_>) -> Result<Served> {
    let config = Config::load(path, log);
    let place = Place::of(&config, path, environment)?;
    place.make_documents(log)?;
    place.refuse_foreign_index()?;
    let chosen = model::choose(&config, &place.root, environment, log)?;
    let manifest = place.manifest(&config, chosen.described)?;
    let project = Project::with_settings(&place.root, manifest, place.database.clone())?;
    let (documents, database) = (place.documents.display(), place.database.display());
    log(Level::Info, &format!("documents: {documents}; index: {database}"));
    Ok(Served { project, find_model: chosen.find })
}

/// The folder whose `.ubp` has locks, logs and trash for the settings at `path`. Created if missing.
///
/// # Errors
/// As [`open`].
pub fn root(path: &Path, environment: &Environment) -> Result<PathBuf> {
    let config = Config::read(path).map_or_else(|_| Config::default(), |settings| settings.value);
    let place = Place::of(&config, path, environment)?;
    place.make_documents(&|_, _| {})?;
    place.make_root()
}
