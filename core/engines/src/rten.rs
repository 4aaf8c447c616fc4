//! The rten engine: pure Rust, quick to build and load, with 8-bit kernels; the first choice.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt::Display;
use std::sync::{Arc, OnceLock};

use rten::{Model, ModelOptions, NodeId, RunOptions, ThreadPool, Value, ValueOrView};
use rten_tensor::prelude::*;
use rten_tensor::{NdTensor, Tensor};
use ubp_core::embed::{MODEL_FILE, ModelFiles};
use ubp_core::{reported, word};

use super::arithmetic::has_fast_integers;
use super::floats::{self, Floats};
use super::session::{Cores, Hidden, Input, LoadForMany, Outcome, Session, Tokens, guarded, inputs, output};
use super::{parallel, wire};

/// Builds a program with a second engine, which may support a model that rten does not.
const WITH_SECOND_ENGINE: &str =
    concat!("cargo install --locked --features tract --git ", env!("CARGO_PKG_REPOSITORY"), " ubp-cli");

fn cannot_be_loaded(reason: impl Display) -> String {
    match cfg!(feature = "tract") {
        true => reported!("{file} cannot be loaded: {reason}", file = MODEL_FILE),
        false => reported!(
            "{file} cannot be loaded: {reason}; a build with a second engine may support it: {command}",
            file = MODEL_FILE,
            command = WITH_SECOND_ENGINE
        ),
    }
}

struct RtenSession {
    model: Model,
    inputs: Vec<(NodeId, Input)>,
    output: NodeId,
    /// Threads for a single text.
    all: OnceLock<Arc<ThreadPool>>,
    /// One pool with one thread for each text that is embedded in parallel.
    ones: Vec<OnceLock<Arc<ThreadPool>>>,
}

/// Loads the model. Static weights in separate files are used without copying.
pub(super) fn load(files: &dyn ModelFiles) -> Outcome<Arc<dyn Session>> {
    let (model, weights) = read(files)?;
    session(model, weights, Packing::Once)
}

/// Loads the model without a copy of its weights in the order of the kernels.
pub(super) fn load_small(files: &dyn ModelFiles) -> Outcome<Arc<dyn Session>> {
    let (model, weights) = read(files)?;
    session(model, weights, Packing::ForEachText)
}

/// Loads the model with floats instead of 8-bit integers, if it has any.
pub(super) fn load_floats(files: &dyn ModelFiles) -> Outcome<Arc<dyn Session>> {
    load_floats_only(files)?.map_or_else(|| load(files), Ok)
}

/// How to load a model for many texts, if there is a faster way than [`load`] on this processor.
pub(super) fn for_many() -> Option<LoadForMany> {
    (!has_fast_integers()).then_some(load_floats_only)
}

fn load_floats_only(files: &dyn ModelFiles) -> Outcome<Option<Arc<dyn Session>>> {
    let (model, weights) = read(files)?;
    let Some(Floats { model, weights }) = floats::rewritten(&model, &weights) else { return Ok(None) };
    let weights = [(floats::WEIGHTS.to_owned(), weights.into())].into();
    session(model.into(), weights, Packing::Once).map(Some)
}

type Weights = HashMap<String, Cow<'static, [u8]>>;

/// The graph, and its separate files of weights: `model.onnx.data`, `model.onnx_data` and the like.
fn read(files: &dyn ModelFiles) -> Outcome<(Cow<'static, [u8]>, Weights)> {
    let read = |name: &str| files.read(name).map_err(|error| error.to_string());
    let names = files.names().into_iter().filter(|name| name.contains(".onnx") && !name.ends_with(".onnx"));
    let weights = names.map(|name| read(&name).map(|bytes| (name, bytes))).collect::<Outcome<_>>()?;
    let model = read(MODEL_FILE)?;
    wire::check(&model)?;
    Ok((model, weights))
}

/// When weights are put in the order of the kernels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Packing {
    /// When the model is loaded, as a copy.
    Once,
    /// While a text is run.
    ForEachText,
}

fn session(model: Cow<'static, [u8]>, weights: Weights, packing: Packing) -> Outcome<Arc<dyn Session>> {
    let mut options = ModelOptions::with_all_ops();
    options.prepack_weights(packing == Packing::Once);
    for (name, bytes) in weights {
        match bytes {
            Cow::Borrowed(bytes) => options.external_data_static(&name, bytes),
            Cow::Owned(bytes) => options.external_data(&name, bytes),
        };
    }
    guarded(move || {
        let model = match model {
            Cow::Borrowed(bytes) => options.load_static_slice(bytes),
            Cow::Owned(bytes) => options.load(bytes),
        }
        .map_err(cannot_be_loaded)?;
        let name_of = |&id: &NodeId| {
            model.node_info(id).and_then(|node| node.name().map(str::to_owned)).unwrap_or_default()
        };
        let input_names: Vec<String> = model.input_ids().iter().map(name_of).collect();
        let output_names: Vec<String> = model.output_ids().iter().map(name_of).collect();
        let roles = inputs(input_names.iter().map(String::as_str))?;
        let inputs = model.input_ids().iter().copied().zip(roles).collect();
        let output = output(output_names.iter().map(String::as_str))?;
        let output = model.output_ids().get(output).copied().ok_or(word!("model.onnx has no output"))?;
        let ones = (0..parallel::cores()).map(|_| OnceLock::new()).collect();
        Ok(Arc::new(RtenSession { model, inputs, output, all: OnceLock::new(), ones }) as Arc<dyn Session>)
    })
}

impl RtenSession {
    fn pool(&self, cores: Cores) -> Arc<ThreadPool> {
        let (slot, threads) = match cores {
            Cores::One(core) => (self.ones.get(core % self.ones.len().max(1)).unwrap_or(&self.all), 1),
            Cores::All => (&self.all, parallel::cores()),
        };
        slot.get_or_init(|| Arc::new(ThreadPool::with_num_threads(threads))).clone()
    }
}

impl Session for RtenSession {
    fn run(&self, tokens: &Tokens, cores: Cores) -> Outcome<Hidden> {
        guarded(|| {
            let inputs: Vec<(NodeId, ValueOrView)> = self
                .inputs
                .iter()
                .map(|&(node, input)| {
                    let values: Vec<i32> = input
                        .values(tokens)
                        .into_iter()
                        .map(|value| i32::try_from(value).unwrap_or(i32::MAX))
                        .collect();
                    (node, NdTensor::from_data([1, values.len()], values).into())
                })
                .collect();
            let mut options = RunOptions::default();
            options.thread_pool = Some(self.pool(cores));
            let [value]: [Value; 1] =
                self.model.run_n(inputs, [self.output], Some(options)).map_err(|error| {
                    reported!("{file} cannot be run: {reason}", file = MODEL_FILE, reason = error)
                })?;
            let tensor: Tensor<f32> = value.try_into().map_err(|_| {
                reported!("the output of {file} does not consist of 32-bit floats", file = MODEL_FILE)
            })?;
            Ok(Hidden { shape: tensor.shape().to_vec(), values: tensor.to_vec() })
        })
    }
}
