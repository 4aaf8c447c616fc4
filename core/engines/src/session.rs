//! What every inference engine offers to the encoder, and what they have in common: which inputs a
//! sentence encoder takes, and where in its outputs the vectors are.

use ubp_core::embed::ModelFiles;

/// A result whose error says in words what is wrong with the model; the encoder adds its name.
pub(super) type Outcome<T> = Result<T, String>;

/// An engine with a model loaded.
pub(super) trait Session: Send + Sync {
    /// Runs the model over one text.
    fn run(&self, tokens: &Tokens, cores: Cores) -> Outcome<Hidden>;
}

/// Loads a model into an engine; the error says what is wrong with it.
pub(super) type Load = fn(&dyn ModelFiles) -> Outcome<Box<dyn Session>>;

/// One text as the model sees it, special tokens included.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Tokens {
    /// Rows of the vocabulary.
    pub ids: Vec<u32>,
    /// Which segment each belongs to, for models that ask.
    pub types: Vec<u32>,
}

/// How much of the machine a run may use.
#[derive(Debug, Clone, Copy)]
pub(super) enum Cores {
    /// All of it: one text alone.
    All,
    /// One core, which this number tells apart from those used at the same time.
    One(#[cfg_attr(not(feature = "rten"), allow(dead_code))] usize),
}

/// What the model made of one text: `[1, tokens, dimensions]`, or `[1, dimensions]` when the model
/// pools by itself.
#[derive(Debug)]
pub(super) struct Hidden {
    pub values: Vec<f32>,
    pub shape: Vec<usize>,
}

/// The meaning of one input of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Input {
    Ids,
    Mask,
    Types,
    Positions,
}

impl Input {
    /// What to feed for `tokens`: as many values as there are tokens.
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

/// The meanings of a model's inputs, in its order.
pub(super) fn inputs<'a>(names: impl IntoIterator<Item = &'a str>) -> Outcome<Vec<Input>> {
    let inputs = names
        .into_iter()
        .map(|name| match name {
            "input_ids" => Ok(Input::Ids),
            "attention_mask" => Ok(Input::Mask),
            "token_type_ids" => Ok(Input::Types),
            "position_ids" => Ok(Input::Positions),
            _ => Err(format!(
                "model.onnx wants an input '{name}', which a sentence encoder does not have; \
                 export the encoder alone (inputs input_ids, attention_mask, token_type_ids)"
            )),
        })
        .collect::<Result<Vec<_>, _>>()?;
    if inputs.contains(&Input::Ids) {
        Ok(inputs)
    } else {
        Err("model.onnx has no input 'input_ids', so it is not a text encoder".into())
    }
}

/// Index of the output that holds the vectors: by its usual names, or else the first.
pub(super) fn output<'a>(names: impl IntoIterator<Item = &'a str>) -> Outcome<usize> {
    let names: Vec<&str> = names.into_iter().collect();
    if names.is_empty() {
        return Err("model.onnx has no output".into());
    }
    let usual = ["last_hidden_state", "token_embeddings"];
    Ok(usual.iter().find_map(|usual| names.iter().position(|name| name == usual)).unwrap_or(0))
}

/// Runs `f`, which calls into an engine, and turns a panic in there into an error: damaged files
/// must not take the process down.
pub(super) fn guarded<T>(f: impl FnOnce() -> Outcome<T>) -> Outcome<T> {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(f)).unwrap_or_else(|panic| {
        let said = panic
            .downcast_ref::<&str>()
            .map(|text| (*text).to_owned())
            .or_else(|| panic.downcast_ref::<String>().cloned())
            .unwrap_or_default();
        Err(format!("the engine gave up on it ({said}); the file is damaged or unsupported"))
    })
}
