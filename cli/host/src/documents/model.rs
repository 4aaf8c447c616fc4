//! Chooses the model and processor for the vectors of documents: those in the settings if this machine has them,
//! otherwise available ones, with a warning.

use std::path::Path;

use ubp_core::hint::Commands;
use ubp_core::manifest::EmbeddingModel;
use ubp_core::message;
use ubp_core::ports::{Embedder, TextKind};
use ubp_core::{Error, Result};

use super::config::{Config, Device};
use super::{Level, Log};
use crate::Environment;
use crate::models::places::Places;
use crate::models::{self, ENGINES, Processor};
use crate::opening::FindModel;

/// The chosen model.
pub(super) struct Chosen {
    /// As in a manifest; `None` in a build without engines.
    pub described: Option<EmbeddingModel>,
    pub find: Box<FindModel>,
}

/// The model for documents with `.ubp` in `root`.
///
/// # Errors
/// [`Error::InvalidParams`] if the settings require a GPU and there is none; [`Error::Model`] if the built-in model
/// cannot be opened.
pub(super) fn choose(
    config: &Config,
    root: &Path,
    environment: &Environment,
    log: &Log<'_>,
) -> Result<Chosen> {
    let processor = processor(config, log)?;
    if !ENGINES {
        log(Level::Warn, "this build of ubp cannot run models: documents are searched by words alone");
        return Ok(Chosen { described: None, find: Box::new(|_, _| Ok(None)) });
    }
    let places = Places::at(root, environment);
    let name = match models::find_named(&config.model.name, &places, processor) {
        Ok(embedder) => {
            say_dimensions(config, embedder.as_ref(), log);
            config.model.name.clone()
        }
        Err(error) => {
            let bundled = models::known::BUNDLED;
            let hint = error.hint().map(|hint| format!("; {}", hint.told(&Commands))).unwrap_or_default();
            log(Level::Warn, &format!("{error}: using {bundled}, which supports only Latin script{hint}"));
            bundled.to_owned()
        }
    };
    let mut embedder = models::find_named(&name, &places, processor)?;
    let mut processor = processor;
    // Report now, not at the first search, if the GPU cannot run this model.
    if processor == Processor::Gpu
        && let Err(error) = embedder.embed(TextKind::Query, &["a"])
    {
        if config.compute.device == Device::Gpu && !config.compute.fallback_to_cpu {
            return Err(error);
        }
        log(Level::Warn, &format!("the GPU cannot run the model, fallback to CPU ({error})"));
        processor = Processor::Cpu;
        embedder = models::find_named(&name, &places, processor)?;
    }
    let model = embedder.model();
    let described =
        EmbeddingModel { name: name.clone(), dimensions: model.dimensions, ..EmbeddingModel::default() };
    let find =
        move |_: &crate::Project, _: &Environment| models::find_named(&name, &places, processor).map(Some);
    Ok(Chosen { described: Some(described), find: Box::new(find) })
}

fn say_dimensions(config: &Config, embedder: &dyn Embedder, log: &Log<'_>) {
    let (said, found) = (config.model.dimensions, embedder.model().dimensions);
    if said != found {
        let name = &config.model.name;
        log(
            Level::Warn,
            &format!("model.dimensions is {said}, but vectors of {name} have {found}: using {found}"),
        );
    }
}

/// The processor to run the model on.
fn processor(config: &Config, log: &Log<'_>) -> Result<Processor> {
    let device = config.compute.device;
    if device == Device::Cpu {
        log(Level::Info, "using CPU");
        return Ok(Processor::Cpu);
    }
    let missing = match models::gpu() {
        Ok(gpu) => {
            log(Level::Info, &format!("GPU detected, using GPU ({gpu})"));
            return Ok(Processor::Gpu);
        }
        Err(why) => why,
    };
    if device == Device::Auto {
        log(Level::Info, &format!("No GPU, using CPU ({missing})"));
        return Ok(Processor::Cpu);
    }
    if config.compute.fallback_to_cpu {
        log(Level::Warn, &format!("GPU requested but unavailable, fallback to CPU ({missing})"));
        return Ok(Processor::Cpu);
    }
    log(Level::Error, "GPU required but unavailable");
    Err(Error::invalid(message!(
        "compute.device is \"gpu\" and compute.fallback_to_cpu is false, but no GPU is available: {missing}",
        missing
    )))
}
