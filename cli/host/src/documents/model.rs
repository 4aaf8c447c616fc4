//! Which model and which processor make the vectors of documents: what the settings ask for where this machine
//! has it, and otherwise what it has, said plainly.

use std::path::Path;

use ubp_core::hint::Commands;
use ubp_core::manifest::EmbeddingModel;
use ubp_core::ports::{Embedder, TextKind};
use ubp_core::{Error, Result};

use super::config::{Config, Device};
use super::{Level, Log};
use crate::Environment;
use crate::models::places::Places;
use crate::models::{self, ENGINES, Processor};
use crate::opening::FindModel;

/// What was chosen.
pub(super) struct Chosen {
    /// As a manifest has it; `None` in a build that runs no models.
    pub described: Option<EmbeddingModel>,
    pub find: Box<FindModel>,
}

/// The model for documents whose `.ubp` lies in `root`.
///
/// # Errors
/// [`Error::InvalidParams`] when the settings demand a GPU and there is none; [`Error::Model`] when the model inside
/// the program cannot be opened.
pub(super) fn choose(
    config: &Config,
    root: &Path,
    environment: &Environment,
    log: &Log<'_>,
) -> Result<Chosen> {
    let processor = processor(config, log)?;
    if !ENGINES {
        log(Level::Warn, "this build of ubp runs no models: documents are searched by words alone");
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
            log(Level::Warn, &format!("{error}: {bundled} is used, which knows Latin script alone{hint}"));
            bundled.to_owned()
        }
    };
    let mut embedder = models::find_named(&name, &places, processor)?;
    let mut processor = processor;
    // Now is the time to hear that a GPU does not run this model, not at the first search.
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
            &format!("model.dimensions is {said}, but vectors of {name} have {found}: {found} is used"),
        );
    }
}

/// What the model runs on.
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
    Err(Error::invalid(format!(
        "compute.device is \"gpu\" and compute.fallback_to_cpu is false, but no GPU is available: {missing}"
    )))
}
