//! Opening a project's engine: what one command and a server that runs for days do alike when the
//! index is damaged, cannot be written, or the model is missing.

use std::sync::Arc;

use ubp_core::index::{Index, SetAside};
use ubp_core::ops::Engine;
use ubp_core::ports::Embedder;
use ubp_core::{Error, Result};

use crate::host::{GitHistory, Project, SystemClock};
use crate::{Environment, models};

/// An engine, and what was remarkable about opening it.
pub(crate) struct Opening {
    pub engine: Engine,
    /// Whether the index lives in memory, because the project cannot be written to.
    pub in_memory: bool,
    /// The index that could not be used.
    pub aside: Option<SetAside>,
    /// Why there is no model, where there should be one.
    pub no_model: Option<Error>,
}

impl Opening {
    /// That the former index could not be used.
    pub(crate) fn aside_words(&self) -> Option<String> {
        let aside = self.aside.as_ref()?;
        Some(format!(
            "the index could not be used ({}); it was moved to {} and is made anew",
            aside.reason,
            aside.path.display()
        ))
    }

    /// That there is no model.
    pub(crate) fn no_model_words(&self) -> Option<String> {
        Some(format!("{}; searching by words alone", self.no_model.as_ref()?))
    }
}

/// Opens index, files, history and model of `project`.
///
/// # Errors
/// [`Error::Database`] when there can be no index, not even in memory.
pub(crate) fn open(project: &Project, environment: &Environment) -> Result<Opening> {
    let (index, aside, in_memory) = match Index::open(&project.database) {
        Err(error) if error.is_unwritable_index() => (Index::in_memory()?, None, true),
        opened => {
            let (index, aside) = opened?;
            (index, aside, false)
        }
    };
    let (embedder, no_model): (Option<Arc<dyn Embedder>>, _) = match models::load(project, environment) {
        Ok(embedder) => (embedder, None),
        Err(error) => (None, Some(error)),
    };
    let engine = Engine {
        index,
        source: Box::new(project.source()),
        history: Box::new(GitHistory::new(&project.root)),
        clock: Box::new(SystemClock::default()),
        embedder,
        manifest: project.manifest.clone(),
    };
    Ok(Opening { engine, in_memory, aside, no_model })
}
