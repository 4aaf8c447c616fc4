//! A folder of Markdown documents that is served without being a project: settings in a `config.json`, an index
//! beside them, and nothing to start with but the program and the folder.

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

/// The set of MCP tools that such a folder is asked through.
pub const SET: &str = "documents";

/// How much a message matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// All goes well.
    Info,
    /// It goes on, and something should be looked at.
    Warn,
    /// What was asked for was not done.
    Error,
    /// The process ends.
    Fatal,
}

impl Level {
    /// What a line of a log begins with.
    pub fn label(self) -> &'static str {
        match self {
            Self::Info => "[INFO]",
            Self::Warn => "[WARN]",
            Self::Error => "[ERROR]",
            Self::Fatal => "[FATAL]",
        }
    }
}

/// Hears what people should know.
pub type Log<'a> = dyn Fn(Level, &str) + 'a;

/// What is served.
pub struct Served {
    /// The folder, with its settings, as a project.
    pub project: Project,
    /// Finds the model that the settings ask for.
    pub find_model: Box<FindModel>,
}

/// Opens what the file at `path` says; the usual settings where it says nothing that can be used.
///
/// # Errors
/// [`ubp_core::Error::InvalidParams`] for folders and an index that cannot be as they are set, and for a GPU that is
/// demanded and not there; [`ubp_core::Error::Io`].
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

/// The folder that locks, logs and the trash of what the file at `path` says lie in, below `.ubp`. Made if it is
/// not there.
///
/// # Errors
/// As [`open`].
pub fn root(path: &Path, environment: &Environment) -> Result<PathBuf> {
    let config = Config::read(path).map_or_else(|_| Config::default(), |settings| settings.value);
    let place = Place::of(&config, path, environment)?;
    place.make_documents(&|_, _| {})?;
    place.make_root()
}
