//! Embedding models on this machine: the built-in one, those installed in a project or for the user, and known models
//! from a hub.

use std::path::Path;
use std::sync::Arc;
use ubp_core::message;
use ubp_core::message::Message;

use ubp_core::embed::{ModelDescription, ModelFiles};
use ubp_core::ports::{Embedder, TextKind};
use ubp_core::text::hex;
use ubp_core::{Error, Result};

use crate::Environment;
use crate::Project;

pub mod choice;
pub mod endpoint;
pub mod hub;
pub mod install;
pub mod installed;
pub mod known;
pub mod places;
#[cfg(feature = "engines")]
mod shared_weights;
mod transfer;

pub(crate) use transfer::{Route, is_allowed};

use endpoint::EndpointEmbedder;
use installed::InstalledModel;
pub(crate) use known::built_in;
use known::{BUNDLED, known};
use places::Places;

/// Whether this build can run models.
pub const ENGINES: bool = cfg!(feature = "engines");

/// Limit on the tokens of the text that checks a model.
const LONGEST_TRIAL: usize = 1024;

/// An embedder for the model in the project's manifest; `None` in a build without engines. Cheap: tokenizer and weights
/// are read, or the server is asked, when the first text is embedded.
///
/// # Errors
/// [`Error::ModelUnavailable`] if the model is not installed.
pub fn load(project: &Project, environment: &Environment) -> Result<Option<Arc<dyn Embedder>>> {
    if let Some(server) = &project.manifest.embedding_model.endpoint {
        let embedder = EndpointEmbedder::new(&project.manifest.embedding_model, server, environment)?;
        return Ok(Some(Arc::new(embedder)));
    }
    let Some(files) = files(project, environment)? else { return Ok(None) };
    open(files).map(|embedder| Some(Arc::from(embedder)))
}

/// Who vouches for the identity of the project's model: its server, or the project if it has models of its own. Empty for
/// models that come with the program or are the user's.
pub(crate) fn origin(project: &Project) -> String {
    let model = &project.manifest.embedding_model;
    match &model.endpoint {
        Some(server) => server.url.clone(),
        None if built_in(&model.name).is_some() || !places::has_own(project) => String::new(),
        None => project.root.to_string_lossy().into_owned(),
    }
}

/// The files of the model in the project's manifest; `None` if a server runs it, or in a build without engines.
///
/// # Errors
/// [`Error::ModelUnavailable`] if the model is not installed.
pub fn files(project: &Project, environment: &Environment) -> Result<Option<Box<dyn ModelFiles>>> {
    if !ENGINES || project.manifest.embedding_model.endpoint.is_some() {
        return Ok(None);
    }
    let name = project.manifest.embedding_model.name.as_str();
    found(name, &Places::new(Some(project), environment)).map(Some)
}

/// The files of the model `name`, built in or installed.
fn found(name: &str, places: &Places) -> Result<Box<dyn ModelFiles>> {
    // A manifest from other tools may have the repository of the model's authors.
    if let Some(model) = built_in(name) {
        return built_in_files(model.name, places);
    }
    let name = known(name).map_or(name, |known| known.name);
    Ok(Box::new(InstalledModel::find(name, places)?.into_files()))
}

#[cfg(feature = "engines")]
fn built_in_files(name: &str, places: &Places) -> Result<Box<dyn ModelFiles>> {
    Ok(match name {
        known::MULTILINGUAL => {
            Box::new(shared_weights::SharedWeights::new(ubp_engines::MultilingualFiles, places.weights()))
        }
        _ => Box::new(ubp_engines::BundledFiles),
    })
}

#[cfg(not(feature = "engines"))]
fn built_in_files(name: &str, _places: &Places) -> Result<Box<dyn ModelFiles>> {
    Err(no_engines(name))
}

/// Processor for a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Processor {
    /// The CPU.
    Cpu,
    /// The GPU of [`gpu`].
    Gpu,
}

/// Name of the interface of the GPU that this program can use.
///
/// # Errors
/// The reason why there is none.
pub fn gpu() -> std::result::Result<String, String> {
    #[cfg(feature = "engines")]
    return ubp_engines::gpu();
    #[cfg(not(feature = "engines"))]
    Err(ubp_core::word!("this build of ubp cannot run models").into())
}

/// An embedder for the model `name` from any place.
///
/// # Errors
/// [`Error::ModelUnavailable`] if this machine or this build does not have it.
pub fn find_named(name: &str, places: &Places, processor: Processor) -> Result<Arc<dyn Embedder>> {
    open_on(found(name, places)?, processor).map(Arc::from)
}

/// An embedder for the model with this identity, which begins with its name; `None` if this machine or this build does not
/// have it, or has another version of it.
///
/// # Errors
/// [`Error::Model`] if it cannot be opened.
pub fn with_identity(identity: &str, places: &Places) -> Result<Option<Arc<dyn Embedder>>> {
    let name = identity.split_once('@').map_or(identity, |(name, _)| name);
    match find_named(name, places, Processor::Cpu) {
        Ok(embedder) => Ok(Some(embedder).filter(|embedder| embedder.model().identity == identity)),
        Err(Error::ModelUnavailable { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

/// An embedder for the built-in model; `None` in a build without engines.
///
/// # Errors
/// [`Error::Model`] if it cannot be opened.
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

/// The error for a model in a build without engines.
pub fn no_engines(model: &str) -> Error {
    Error::ModelUnavailable {
        model: model.into(),
        message: message!("this build of ubp cannot run models; it searches by words alone"),
        remedy: message!("install the published ubp, or build it with its default features"),
    }
}

/// Runs the model once, to report problems now and not at the first search.
///
/// # Errors
/// [`Error::Model`] if a file is damaged, or the vectors do not match `model.json`.
fn check(files: Box<dyn ModelFiles>, description: &ModelDescription) -> Result<()> {
    let wrong = |message: Message| Error::Model { model: description.name.clone(), message };
    let embedder = open(files)?;
    // The second text fills the window, so a model with fewer positions fails.
    let long = "session ".repeat(description.window.min(LONGEST_TRIAL));
    for (kind, text) in [(TextKind::Query, "a"), (TextKind::Passage, &long)] {
        let vectors = embedder.embed(kind, &[text])?;
        let vector = vectors.first().ok_or_else(|| wrong(message!("it returned no vector")))?;
        if vector.len() != description.dimensions {
            return Err(wrong(message!(
                "its vectors have {vector} dimensions, but model.json says {dimensions}",
                vector = vector.len(),
                dimensions = description.dimensions
            )));
        }
        let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
        if !(0.9..1.1).contains(&length) {
            return Err(wrong(message!(
                "a test sentence has a vector of length {length}; expected 1",
                length = length.to_string()
            )));
        }
    }
    Ok(())
}

/// The error for a model that is not installed, with how to install it.
fn missing(name: &str, places: &Places) -> Error {
    let (message, remedy) = match known(name) {
        Some(known) => (message!("not installed on this machine"), by_hand(known, places)),
        None if places::is_plain_name(name) => (
            message!("not installed on this machine"),
            message!(
                "`ubp model use FOLDER` installs it from a folder with model.onnx, tokenizer.json and \
                 model.json; `ubp model use {bundled}` switches to the built-in model",
                bundled = BUNDLED
            ),
        ),
        None => (
            message!("invalid name for an installed model"),
            message!(
                "`ubp model use NAME` chooses another; `ubp model use {bundled}` the built-in one",
                bundled = BUNDLED
            ),
        ),
    };
    Error::ModelUnavailable { model: name.into(), message, remedy }
}

/// How to install a known model, with and without a network.
fn by_hand(known: &known::KnownModel, places: &Places) -> Message {
    let name = known.name;
    message!(
        "`ubp model use {name}` downloads it ({bytes}). Without a network, copy the folder {name} from {user_shown} of a \
         machine that has it, and run `ubp model use FOLDER`",
        name,
        bytes = megabytes(known.bytes()),
        user_shown = places.user_shown()
    )
}

/// The error for an unusable model in `folder`, with how to fix it.
fn damaged(name: &str, folder: &Path, message: Message) -> Error {
    let remedy = if known(name).is_some() {
        message!("`ubp model use {name}` checks it, and downloads it again if necessary", name)
    } else {
        message!("`ubp model use \"{folder}\"` checks and records it", folder = folder.display())
    };
    Error::ModelUnavailable {
        model: name.into(),
        message: message!("{folder}: {message}", folder = folder.display(), message),
        remedy,
    }
}

/// A number of bytes for people.
pub fn megabytes(bytes: u64) -> String {
    match bytes {
        0..1_000 => format!("{bytes} bytes"),
        1_000..1_000_000 => format!("{} kB", bytes / 1_000),
        _ => format!("{} MB", bytes / 1_000_000),
    }
}
