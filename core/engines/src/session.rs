//! The interface of inference engines, and their common parts: the inputs of a sentence encoder, and the output with
//! the vectors.

use std::sync::Arc;

use ubp_core::embed::ModelFiles;
use ubp_core::{reported, word};

/// A result whose error describes what is wrong with the model; the encoder adds the model's name.
pub(super) type Outcome<T> = Result<T, String>;

/// An engine with a loaded model.
pub(super) trait Session: Send + Sync {
    /// Runs the model on one text.
    fn run(&self, tokens: &Tokens, cores: Cores) -> Outcome<Hidden>;
}

/// Loads a model into an engine; the error describes what is wrong with it.
pub(super) type Load = fn(&dyn ModelFiles) -> Outcome<Arc<dyn Session>>;

/// Loads a model so that it runs many texts faster, but needs more memory; `None` if this is not possible.
pub(super) type LoadForMany = fn(&dyn ModelFiles) -> Outcome<Option<Arc<dyn Session>>>;

/// Ways to load a model.
#[derive(Clone, Copy)]
pub(super) struct Loads {
    /// The first that can load the model runs it.
    pub any: &'static [Load],
    /// Runs a few texts, if there is a way that needs less memory, and more time for each text.
    pub few: Option<Load>,
    /// Runs many texts, if there is a faster way.
    pub many: Option<LoadForMany>,
}

/// The tokens of one text, including special tokens.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Tokens {
    /// Token ids.
    pub ids: Vec<u32>,
    /// Segment of each token, for models that need it.
    pub types: Vec<u32>,
}

/// The cores that a run may use.
#[derive(Debug, Clone, Copy)]
pub(super) enum Cores {
    /// All cores, for a single text.
    All,
    /// One core; its number differs from those of the runs at the same time.
    One(#[cfg_attr(not(feature = "rten"), allow(dead_code))] usize),
}

/// Output for one text: `[1, tokens, dimensions]`, or `[1, dimensions]` if the model does the pooling.
#[derive(Debug)]
pub(super) struct Hidden {
    pub values: Vec<f32>,
    pub shape: Vec<usize>,
}

/// The role of an input of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Input {
    Ids,
    Mask,
    Types,
    Positions,
}

impl Input {
    /// The values of this input for `tokens`, one per token.
    pub fn values(self, tokens: &Tokens) -> Vec<i64> {
        let count = tokens.ids.len();
        match self {
            Self::Ids => tokens.ids.iter().map(|&id| i64::from(id)).collect(),
            Self::Mask => vec![1; count],
            Self::Types => tokens.types.iter().map(|&kind| i64::from(kind)).collect(),
            Self::Positions => (0..).take(count).collect(),
        }
    }
}

/// The roles of a model's inputs, in the model's order.
pub(super) fn inputs<'a>(names: impl IntoIterator<Item = &'a str>) -> Outcome<Vec<Input>> {
    let inputs = names
        .into_iter()
        .map(|name| match name {
            "input_ids" => Ok(Input::Ids),
            "attention_mask" => Ok(Input::Mask),
            "token_type_ids" => Ok(Input::Types),
            "position_ids" => Ok(Input::Positions),
            _ => Err(reported!(
                "model.onnx needs an input '{name}', which a sentence encoder does not have; \
                 export the encoder alone (inputs input_ids, attention_mask, token_type_ids)"
            )),
        })
        .collect::<Result<Vec<_>, _>>()?;
    if inputs.contains(&Input::Ids) {
        Ok(inputs)
    } else {
        Err(word!("model.onnx has no input 'input_ids', so it is not a text encoder").into())
    }
}

/// Index of the output with the vectors: the first with a usual name, otherwise the first.
pub(super) fn output<'a>(names: impl IntoIterator<Item = &'a str>) -> Outcome<usize> {
    let names: Vec<&str> = names.into_iter().collect();
    if names.is_empty() {
        return Err(word!("model.onnx has no output").into());
    }
    let usual = ["last_hidden_state", "token_embeddings"];
    Ok(usual.iter().find_map(|usual| names.iter().position(|name| name == usual)).unwrap_or(0))
}

/// Runs `f`, which calls into an engine, and converts panics to errors: damaged files must not crash the process.
pub(super) fn guarded<T>(f: impl FnOnce() -> Outcome<T>) -> Outcome<T> {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(f)).unwrap_or_else(|panic| {
        let said = panic
            .downcast_ref::<&str>()
            .map(|text| (*text).to_owned())
            .or_else(|| panic.downcast_ref::<String>().cloned())
            .unwrap_or_default();
        Err(reported!("the engine panicked ({said}); the file is damaged or unsupported"))
    })
}
