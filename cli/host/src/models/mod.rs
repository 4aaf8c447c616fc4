//! Embedding models on this machine: the one inside the program, those installed in a project or for
//! the user, and those that a hub offers by name.

use std::path::Path;
use std::sync::Arc;

use ubp_core::embed::{ModelDescription, ModelFiles};
use ubp_core::ports::{Embedder, TextKind};
use ubp_core::text::hex;
use ubp_core::{Error, Result};

use crate::Environment;
use crate::Project;

pub mod choice;
pub mod hub;
pub mod install;
pub mod installed;
pub mod known;
pub mod places;
mod transfer;

use installed::InstalledModel;
use known::{BUNDLED, inside, known};
use places::Places;

/// Whether this build can run models.
pub const ENGINES: bool = cfg!(feature = "engines");

/// Most tokens of a text that a model is tried with.
const LONGEST_TRIAL: usize = 1024;

/// An embedder of the model that the project's manifest names; `None` in a build without engines.
/// Cheap: tokenizer and weights are read when the first text is embedded.
///
/// # Errors
/// [`Error::ModelUnavailable`] when this machine lacks the model.
pub fn load(project: &Project, environment: &Environment) -> Result<Option<Arc<dyn Embedder>>> {
    if !ENGINES {
        return Ok(None);
    }
    let Some(files) = files(project, environment)? else { return Ok(None) };
    open(files).map(|embedder| Some(Arc::from(embedder)))
}

/// The files of the model that the project's manifest names; `None` in a build without engines.
///
/// # Errors
/// [`Error::ModelUnavailable`] when this machine lacks the model.
pub fn files(project: &Project, environment: &Environment) -> Result<Option<Box<dyn ModelFiles>>> {
    if !ENGINES {
        return Ok(None);
    }
    let name = project.manifest.embedding_model.name.as_str();
    found(name, &Places::new(Some(project), environment)).map(Some)
}

/// The files of the model called `name`, wherever it lies.
fn found(name: &str, places: &Places) -> Result<Box<dyn ModelFiles>> {
    // A manifest made by other tools may have the makers' repository.
    if let Some(model) = inside(name) {
        return files_inside(model.name);
    }
    let name = known(name).map_or(name, |known| known.name);
    Ok(Box::new(InstalledModel::find(name, places)?.into_files()))
}

#[cfg(feature = "engines")]
fn files_inside(name: &str) -> Result<Box<dyn ModelFiles>> {
    Ok(match name {
        known::MULTILINGUAL => Box::new(ubp_engines::MultilingualFiles),
        _ => Box::new(ubp_engines::BundledFiles),
    })
}

#[cfg(not(feature = "engines"))]
fn files_inside(name: &str) -> Result<Box<dyn ModelFiles>> {
    Err(no_engines(name))
}

/// What a model runs on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Processor {
    /// The processor of the machine.
    Cpu,
    /// See [`gpu`].
    Gpu,
}

/// The GPU that this program can use on this machine, by the name of its interface.
///
/// # Errors
/// Why there is none, in words.
pub fn gpu() -> std::result::Result<String, String> {
    #[cfg(feature = "engines")]
    return ubp_engines::gpu();
    #[cfg(not(feature = "engines"))]
    Err("this build of ubp runs no models".into())
}

/// An embedder of the model called `name`, wherever it lies.
///
/// # Errors
/// [`Error::ModelUnavailable`] when this machine or this build lacks it.
pub fn find_named(name: &str, places: &Places, processor: Processor) -> Result<Arc<dyn Embedder>> {
    open_on(found(name, places)?, processor).map(Arc::from)
}

/// An embedder of the model inside the program; `None` in a build without engines.
///
/// # Errors
/// [`Error::Model`] when it cannot be opened.
pub fn load_bundled() -> Result<Option<Arc<dyn Embedder>>> {
    if ENGINES { bundled().map(Some) } else { Ok(None) }
}

#[cfg(feature = "engines")]
fn bundled() -> Result<Arc<dyn Embedder>> {
    ubp_engines::bundled().map(Arc::from)
}

#[cfg(not(feature = "engines"))]
fn bundled() -> Result<Arc<dyn Embedder>> {
    Err(no_engines(BUNDLED))
}

#[cfg(feature = "engines")]
fn open(files: Box<dyn ModelFiles>) -> Result<Box<dyn Embedder>> {
    ubp_engines::open(ubp_engines::Engine::Fastest, files)
}

#[cfg(feature = "engines")]
fn open_on(files: Box<dyn ModelFiles>, processor: Processor) -> Result<Box<dyn Embedder>> {
    use ubp_engines::Engine;
    let engine = match processor {
        Processor::Cpu => Engine::Fastest,
        Processor::Gpu => Engine::Gpu,
    };
    ubp_engines::open(engine, files)
}

#[cfg(not(feature = "engines"))]
fn open_on(_files: Box<dyn ModelFiles>, _processor: Processor) -> Result<Box<dyn Embedder>> {
    Err(no_engines("any"))
}

#[cfg(not(feature = "engines"))]
fn open(_files: Box<dyn ModelFiles>) -> Result<Box<dyn Embedder>> {
    Err(no_engines("any"))
}

/// That this build cannot run `model`, or any other.
pub fn no_engines(model: &str) -> Error {
    Error::ModelUnavailable {
        model: model.into(),
        message: "this build of ubp runs no models; it searches by words alone".into(),
        remedy: "install the published ubp, or build it with its default features".into(),
    }
}

/// Runs the model once, so that trouble shows now and not at the first search.
///
/// # Errors
/// [`Error::Model`] when a file is damaged, or the vectors are not what `model.json` says.
fn check(files: Box<dyn ModelFiles>, description: &ModelDescription) -> Result<()> {
    let wrong = |message: String| Error::Model { model: description.name.clone(), message };
    let embedder = open(files)?;
    // The second text fills the window: a model with fewer positions than that fails at once.
    let long = "session ".repeat(description.window.min(LONGEST_TRIAL));
    for (kind, text) in [(TextKind::Query, "a"), (TextKind::Passage, &long)] {
        let vectors = embedder.embed(kind, &[text])?;
        let vector = vectors.first().ok_or_else(|| wrong("it answers with no vector".into()))?;
        if vector.len() != description.dimensions {
            return Err(wrong(format!(
                "its vectors have {} dimensions, but model.json says {}",
                vector.len(),
                description.dimensions
            )));
        }
        let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
        if !(0.9..1.1).contains(&length) {
            return Err(wrong(format!("a test sentence gives a vector of length {length}, expected 1")));
        }
    }
    Ok(())
}

/// That nothing called `name` is installed, and how to change that.
fn missing(name: &str, places: &Places) -> Error {
    let (message, remedy) = match known(name) {
        Some(known) => ("not installed on this machine", by_hand(known, places)),
        None if places::is_plain_name(name) => (
            "not installed on this machine",
            format!(
                "`ubp model use FOLDER` installs it from a folder with model.onnx, tokenizer.json and \
                 model.json; `ubp model use {BUNDLED}` goes back to the model inside ubp"
            ),
        ),
        None => (
            "this cannot be the name of an installed model",
            format!("`ubp model use NAME` chooses another; `ubp model use {BUNDLED}` the one inside ubp"),
        ),
    };
    Error::ModelUnavailable { model: name.into(), message: message.into(), remedy }
}

/// How to get a known model, with a network and without.
fn by_hand(known: &known::KnownModel, places: &Places) -> String {
    let name = known.name;
    format!(
        "`ubp model use {name}` downloads it ({}). Without a network, copy the folder {name} from {} of a \
         machine that has it, and run `ubp model use FOLDER`",
        megabytes(known.bytes()),
        places.user_shown(),
    )
}

/// That what lies in `folder` cannot be used, and how to mend it.
fn damaged(name: &str, folder: &Path, message: String) -> Error {
    let remedy = if known(name).is_some() {
        format!("`ubp model use {name}` checks it, and downloads it again if it has to")
    } else {
        format!("`ubp model use \"{}\"` checks what is there and records it", folder.display())
    };
    Error::ModelUnavailable {
        model: name.into(),
        message: format!("{}: {message}", folder.display()),
        remedy,
    }
}

/// Bytes in words.
pub fn megabytes(bytes: u64) -> String {
    match bytes {
        0..1_000 => format!("{bytes} bytes"),
        1_000..1_000_000 => format!("{} kB", bytes / 1_000),
        _ => format!("{} MB", bytes / 1_000_000),
    }
}
