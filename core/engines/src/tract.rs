//! The tract engine: pure Rust, slower than rten, but with more operators. It runs models that rten cannot load, and
//! tests check that both give the same vectors.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use tract_onnx::pb::{ModelProto, TensorProto};
use tract_onnx::prelude::*;
use tract_onnx::tract_hir::internal::*;
use ubp_core::embed::{MODEL_FILE, ModelFiles};
use ubp_core::{reported, word};

use super::session::{Cores, Hidden, Input, Outcome, Session, Tokens, guarded, inputs, output};
use super::wire;

struct TractSession {
    plan: Plan,
    inputs: Vec<(Input, DatumType)>,
}

/// The runnable model.
enum Plan {
    Cpu(Arc<TypedRunnableModel>),
    #[cfg(any(feature = "cuda", feature = "metal"))]
    Gpu(Box<dyn Runnable>),
}

impl Plan {
    fn run(&self, values: TVec<TValue>) -> TractResult<TVec<TValue>> {
        match self {
            Self::Cpu(plan) => plan.run(values),
            #[cfg(any(feature = "cuda", feature = "metal"))]
            Self::Gpu(plan) => plan.run(values),
        }
    }
}

/// Makes a model runnable.
type Prepare = fn(InferenceModel) -> TractResult<Plan>;

/// Loads the model; the weights are copied.
pub(super) fn load(files: &dyn ModelFiles) -> Outcome<Arc<dyn Session>> {
    load_for(files, |model| Ok(Plan::Cpu(model.into_optimized()?.into_runnable()?)))
}

/// Loads the model on a GPU.
#[cfg(any(feature = "cuda", feature = "metal"))]
pub(super) fn load_on_gpu(files: &dyn ModelFiles) -> Outcome<Arc<dyn Session>> {
    load_for(files, |model| {
        let runtime = gpu::runtime()?;
        Ok(Plan::Gpu(runtime.prepare(model.into_typed()?.into_decluttered()?)?))
    })
}

/// tract's GPU backends, which register themselves when linked.
#[cfg(any(feature = "cuda", feature = "metal"))]
mod gpu {
    #[cfg(all(feature = "cuda", any(target_os = "linux", target_os = "windows")))]
    use tract_cuda as _;
    #[cfg(all(feature = "metal", target_os = "macos"))]
    use tract_metal as _;
    use tract_onnx::prelude::*;
    use tract_onnx::tract_core::runtime::{Runtime, runtime_for_name};

    /// The backend that works on this machine.
    pub(super) fn runtime() -> TractResult<&'static dyn Runtime> {
        runtime_for_name("gpu")?
            .ok_or_else(|| TractError::msg(ubp_core::word!("this build has no GPU backend")))
    }
}

/// tract's name for the GPU of this machine.
///
/// # Errors
/// The reason, if there is none.
#[cfg(any(feature = "cuda", feature = "metal"))]
pub(super) fn gpu() -> Outcome<String> {
    guarded(|| gpu::runtime().map(|runtime| runtime.name().to_string()).map_err(|error| format!("{error:#}")))
}

fn load_for(files: &dyn ModelFiles, plan: Prepare) -> Outcome<Arc<dyn Session>> {
    let bytes = files.read(MODEL_FILE).map_err(|error| error.to_string())?;
    wire::check(&bytes)?;
    guarded(|| {
        let wrong = |error: TractError| {
            reported!("{file} cannot be loaded: {reason}", file = MODEL_FILE, reason = format!("{error:#}"))
        };
        let onnx = onnx();
        let mut proto = onnx.proto_model_for_read(&mut bytes.as_ref()).map_err(wrong)?;
        inline_weights(&mut proto, files)?;
        let names: Vec<&str> =
            proto.graph.iter().flat_map(|graph| &graph.output).map(|value| value.name.as_str()).collect();
        let output = output(names)?;
        let model = onnx.model_for_proto_model(&proto).map_err(wrong)?;
        drop(proto);
        prepare(model, output, plan).map_err(wrong)?
    })
}

/// The inner result has errors of the model, the outer one tract's own errors.
fn prepare(
    mut model: InferenceModel,
    output: usize,
    plan: Prepare,
) -> TractResult<Outcome<Arc<dyn Session>>> {
    let names: Vec<String> = model.inputs.iter().map(|input| model.node(input.node).name.clone()).collect();
    let roles = match inputs(names.iter().map(String::as_str)) {
        Ok(roles) => roles,
        Err(message) => return Ok(Err(message)),
    };
    let length = model.symbols.sym("length").to_dim();
    let mut inputs = Vec::new();
    for (index, role) in roles.into_iter().enumerate() {
        let kind = model.input_fact(index)?.datum_type.concretize().unwrap_or_else(i64::datum_type);
        model.set_input_fact(index, InferenceFact::dt_shape(kind, tvec![1.to_dim(), length.clone()]))?;
        inputs.push((role, kind));
    }
    let outlet = *model.outputs.get(output).context(word!("an output is missing"))?;
    model.select_output_outlets(&[outlet])?;
    let plan = plan(model)?;
    Ok(Ok(Arc::new(TractSession { plan, inputs })))
}

/// Loads weights from separate files into the model; tract would look for them on disk.
fn inline_weights(proto: &mut ModelProto, files: &dyn ModelFiles) -> Outcome<()> {
    let Some(graph) = proto.graph.as_mut() else {
        return Err(reported!("{file} contains no model", file = MODEL_FILE));
    };
    let mut contents: BTreeMap<String, Cow<'static, [u8]>> = BTreeMap::new();
    for tensor in graph.initializer.iter_mut().filter(|tensor| !tensor.external_data.is_empty()) {
        let location = external(tensor, "location").unwrap_or_default().to_owned();
        if !contents.contains_key(&location) {
            contents.insert(location.clone(), files.read(&location).map_err(|error| error.to_string())?);
        }
        let all = contents.get(&location).map(AsRef::as_ref).unwrap_or_default();
        let number = |key| external(tensor, key).and_then(|value| value.parse::<usize>().ok());
        let start = number("offset").unwrap_or(0);
        let end = number("length").map_or(Some(all.len()), |length| start.checked_add(length));
        let part = end.and_then(|end| all.get(start..end)).ok_or_else(|| {
            reported!("{location} is shorter than {file} says; download it again", file = MODEL_FILE)
        })?;
        tensor.raw_data = part.to_vec();
        tensor.external_data.clear();
        tensor.data_location = None;
    }
    Ok(())
}

fn external<'a>(tensor: &'a TensorProto, key: &str) -> Option<&'a str> {
    tensor.external_data.iter().find(|entry| entry.key == key).map(|entry| entry.value.as_str())
}

impl Session for TractSession {
    fn run(&self, tokens: &Tokens, _cores: Cores) -> Outcome<Hidden> {
        let run = || -> TractResult<Hidden> {
            let mut values = tvec![];
            for &(input, kind) in &self.inputs {
                let row = input.values(tokens);
                let tensor = Tensor::from_shape(&[1, row.len()], &row)?;
                values.push(tensor.cast_to_dt(kind)?.into_owned().into());
            }
            let outputs = self.plan.run(values)?;
            let tensor = outputs.first().context(word!("the model has no output"))?.cast_to::<f32>()?;
            let values = tensor.to_plain_array_view::<f32>()?.iter().copied().collect();
            Ok(Hidden { shape: tensor.shape().to_vec(), values })
        };
        guarded(|| {
            run().map_err(|error| {
                reported!("{file} cannot be run: {reason}", file = MODEL_FILE, reason = format!("{error:#}"))
            })
        })
    }
}
