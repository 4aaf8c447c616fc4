//! Rewrites a model with 8-bit linear layers to 32-bit floats. Processors without fast 8-bit products multiply floats
//! faster, in particular because the activations of these layers are quantised twice.
//!
//! Only layers as `core/models/export.py` writes them are rewritten. The floats are the 8-bit weights times their scales,
//! so vectors differ only by what the second quantisation leaves (`engine_tests/agreement.rs`).

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};

use super::wire::{Fields, Value, append, append_number, varint};

/// The weights of the rewritten model, to which its graph refers.
pub(super) const WEIGHTS: &str = "floats.onnx.data";
/// So that numbers of any type are aligned.
const ALIGNMENT: usize = 64;

/// Numbers of fields and types in ONNX.
mod onnx {
    pub const MODEL_GRAPH: u64 = 7;
    pub const GRAPH_NODE: u64 = 1;
    pub const GRAPH_INITIALIZER: u64 = 5;
    pub const GRAPH_OUTPUT: u64 = 12;
    pub const VALUE_NAME: u64 = 1;
    pub const NODE_INPUT: u64 = 1;
    pub const NODE_OUTPUT: u64 = 2;
    pub const NODE_NAME: u64 = 3;
    pub const NODE_KIND: u64 = 4;
    pub const TENSOR_SIZE: u64 = 1;
    pub const TENSOR_TYPE: u64 = 2;
    pub const TENSOR_NAME: u64 = 8;
    pub const TENSOR_RAW: u64 = 9;
    pub const TENSOR_EXTERNAL: u64 = 13;
    pub const TENSOR_LOCATION: u64 = 14;
    pub const ENTRY_KEY: u64 = 1;
    pub const ENTRY_VALUE: u64 = 2;
    pub const FLOAT: u64 = 1;
    pub const INT8: u64 = 3;
    pub const EXTERNAL: u64 = 1;
}

/// A model whose linear layers multiply floats.
pub(super) struct Floats {
    /// The content of `model.onnx`.
    pub model: Vec<u8>,
    /// The content of [`WEIGHTS`]: all weights outside of the graph.
    pub weights: Vec<u8>,
}

/// Rewrites `model`. `files` are its files of weights by name. `None` if it has no 8-bit linear layers of the known form.
pub(super) fn rewritten(model: &[u8], files: &HashMap<String, Cow<'static, [u8]>>) -> Option<Floats> {
    let graph = Graph::parse(content(model, onnx::MODEL_GRAPH)?, files)?;
    let layers: BTreeMap<&[u8], Layer> =
        graph.nodes.iter().filter_map(|node| Some((*node.outputs.first()?, graph.layer(node)?))).collect();
    if layers.is_empty() {
        return None;
    }
    let mut output = Floats { model: Vec::new(), weights: Vec::new() };
    let rewritten = graph.written(&layers, &mut output.weights)?;
    for field in Fields(model) {
        let field = field?;
        match field.number {
            onnx::MODEL_GRAPH => append(&mut output.model, onnx::MODEL_GRAPH, &rewritten),
            _ => output.model.extend_from_slice(field.raw),
        }
    }
    Some(output)
}

#[derive(Default)]
struct Node<'a> {
    kind: &'a [u8],
    inputs: Vec<&'a [u8]>,
    outputs: Vec<&'a [u8]>,
    raw: &'a [u8],
}

struct Tensor<'a> {
    name: &'a [u8],
    sizes: Vec<usize>,
    kind: u64,
    bytes: &'a [u8],
    is_external: bool,
    message: &'a [u8],
    raw: &'a [u8],
}

/// A linear layer without its bias.
struct Layer<'a> {
    input: &'a [u8],
    /// 8-bit integers, `[inputs, outputs]`.
    weights: &'a [u8],
    /// One float per output.
    scales: &'a [u8],
}

struct Graph<'a> {
    nodes: Vec<Node<'a>>,
    /// Number of the node that computes a value.
    sources: HashMap<&'a [u8], usize>,
    tensors: Vec<Tensor<'a>>,
    /// Number of the tensor with a name.
    named: HashMap<&'a [u8], usize>,
    outputs: Vec<&'a [u8]>,
    message: &'a [u8],
}

impl<'a> Graph<'a> {
    fn parse(message: &'a [u8], files: &'a HashMap<String, Cow<'static, [u8]>>) -> Option<Self> {
        let (mut nodes, mut tensors, mut outputs) = (Vec::new(), Vec::new(), Vec::new());
        for field in Fields(message) {
            let field = field?;
            match (field.number, field.value) {
                (onnx::GRAPH_NODE, Value::Bytes(inside)) => nodes.push(Node::parse(inside, field.raw)?),
                (onnx::GRAPH_INITIALIZER, Value::Bytes(inside)) => {
                    tensors.push(Tensor::parse(inside, field.raw, files)?);
                }
                (onnx::GRAPH_OUTPUT, Value::Bytes(inside)) => {
                    outputs.push(content(inside, onnx::VALUE_NAME)?)
                }
                _ => {}
            }
        }
        let sources = nodes
            .iter()
            .enumerate()
            .flat_map(|(number, node)| node.outputs.iter().map(move |&output| (output, number)))
            .collect();
        let named = tensors.iter().enumerate().map(|(number, tensor)| (tensor.name, number)).collect();
        Some(Self { nodes, sources, tensors, named, outputs, message })
    }

    fn tensor(&self, name: &[u8]) -> Option<&Tensor<'a>> {
        self.tensors.get(*self.named.get(name)?)
    }

    /// The inputs of the node that computes `value`, if it is of this kind and has this number of inputs.
    fn inputs<const N: usize>(&self, value: &[u8], kind: &str) -> Option<[&'a [u8]; N]> {
        let node = self.nodes.get(*self.sources.get(value)?)?;
        if node.kind != kind.as_bytes() {
            return None;
        }
        node.inputs.as_slice().try_into().ok()
    }

    /// The layer whose product is the output of `node`: the sum of the products of the quantised input and of the
    /// quantised rest of it.
    fn layer(&self, node: &Node<'a>) -> Option<Layer<'a>> {
        let &[output] = node.outputs.as_slice() else { return None };
        let [coarse, fine] = self.inputs(output, "Add")?;
        let (coarse, fine) = (self.product(coarse)?, self.product(fine)?);
        let [whole, _] = self.inputs(fine.input, "Sub")?;
        let is_one = whole == coarse.input && fine.weights == coarse.weights && fine.scales == coarse.scales;
        is_one.then_some(coarse)
    }

    /// The layer whose 8-bit product, as floats, is `value`.
    fn product(&self, value: &[u8]) -> Option<Layer<'a>> {
        let [integers, both] = self.inputs(value, "Mul")?;
        let [integers] = self.inputs(integers, "Cast")?;
        let [quantised, weights, _, zero] = self.inputs(integers, "MatMulInteger")?;
        let [_, scales] = self.inputs(both, "Mul")?;
        let [input] = self.inputs(quantised, "DynamicQuantizeLinear")?;
        let is_known = self.tensor(zero)?.bytes.iter().all(|&byte| byte == 0)
            && self.tensor(weights)?.kind == onnx::INT8
            && self.tensor(scales)?.kind == onnx::FLOAT;
        is_known.then_some(Layer { input, weights, scales })
    }

    /// The message of the graph with `layers`, by the values they compute. Appends all weights outside of it to `blob`.
    fn written(&self, layers: &BTreeMap<&[u8], Layer<'a>>, blob: &mut Vec<u8>) -> Option<Vec<u8>> {
        let mut needed: HashSet<&[u8]> = self.outputs.iter().copied().collect();
        let mut nodes = Vec::new();
        // From the last to the first: nodes come after those that compute their inputs.
        for node in self.nodes.iter().rev() {
            if !node.outputs.iter().any(|output| needed.contains(output)) {
                continue;
            }
            if let Some(layer) = node.outputs.first().and_then(|output| layers.get(output)) {
                needed.insert(layer.input);
                nodes.push(Cow::Owned(layer.node(node)));
            } else {
                needed.extend(&node.inputs);
                nodes.push(Cow::Borrowed(node.raw));
            }
        }
        let mut graph: Vec<u8> = nodes.into_iter().rev().collect::<Vec<_>>().concat();
        for field in Fields(self.message) {
            let field = field?;
            if !matches!(field.number, onnx::GRAPH_NODE | onnx::GRAPH_INITIALIZER) {
                graph.extend_from_slice(field.raw);
            }
        }
        for tensor in self.tensors.iter().filter(|tensor| needed.contains(tensor.name)) {
            match tensor.is_external {
                true => append(&mut graph, onnx::GRAPH_INITIALIZER, &tensor.moved(blob)?),
                false => graph.extend_from_slice(tensor.raw),
            }
        }
        for layer in layers.values() {
            let tensor = layer.tensor(self.tensor(layer.weights)?, self.tensor(layer.scales)?, blob)?;
            append(&mut graph, onnx::GRAPH_INITIALIZER, &tensor);
        }
        Some(graph)
    }
}

impl<'a> Node<'a> {
    fn parse(message: &'a [u8], raw: &'a [u8]) -> Option<Self> {
        let mut node = Self { raw, ..Self::default() };
        for field in Fields(message) {
            let field = field?;
            match (field.number, field.value) {
                (onnx::NODE_INPUT, Value::Bytes(name)) => node.inputs.push(name),
                (onnx::NODE_OUTPUT, Value::Bytes(name)) => node.outputs.push(name),
                (onnx::NODE_KIND, Value::Bytes(kind)) => node.kind = kind,
                _ => {}
            }
        }
        Some(node)
    }
}

impl<'a> Tensor<'a> {
    fn parse(
        message: &'a [u8],
        raw: &'a [u8],
        files: &'a HashMap<String, Cow<'static, [u8]>>,
    ) -> Option<Self> {
        let mut tensor =
            Self { name: b"", sizes: Vec::new(), kind: 0, bytes: b"", is_external: false, message, raw };
        let (mut file, mut offset, mut length) = (None, 0, None);
        for field in Fields(message) {
            let field = field?;
            match (field.number, field.value) {
                (onnx::TENSOR_SIZE, Value::Varint(size)) => tensor.sizes.push(usize::try_from(size).ok()?),
                (onnx::TENSOR_SIZE, Value::Bytes(mut sizes)) => {
                    while !sizes.is_empty() {
                        tensor.sizes.push(usize::try_from(varint(&mut sizes)?).ok()?);
                    }
                }
                (onnx::TENSOR_TYPE, Value::Varint(kind)) => tensor.kind = kind,
                (onnx::TENSOR_NAME, Value::Bytes(name)) => tensor.name = name,
                (onnx::TENSOR_RAW, Value::Bytes(bytes)) => tensor.bytes = bytes,
                (onnx::TENSOR_LOCATION, Value::Varint(place)) => tensor.is_external = place == onnx::EXTERNAL,
                (onnx::TENSOR_EXTERNAL, Value::Bytes(entry)) => {
                    let value = std::str::from_utf8(content(entry, onnx::ENTRY_VALUE)?).ok()?;
                    match content(entry, onnx::ENTRY_KEY)? {
                        b"location" => file = Some(files.get(value)?),
                        b"offset" => offset = value.parse().ok()?,
                        b"length" => length = Some(value.parse::<usize>().ok()?),
                        _ => {}
                    }
                }
                _ => {}
            }
        }
        if tensor.is_external {
            let rest = file?.get(offset..)?;
            tensor.bytes = rest.get(..length.unwrap_or(rest.len()))?;
        }
        Some(tensor)
    }

    /// The message of the same tensor, with its numbers in `blob`.
    fn moved(&self, blob: &mut Vec<u8>) -> Option<Vec<u8>> {
        let mut message = Vec::new();
        for field in Fields(self.message) {
            let field = field?;
            if field.number != onnx::TENSOR_EXTERNAL {
                message.extend_from_slice(field.raw);
            }
        }
        place(&mut message, blob, |blob| blob.extend_from_slice(self.bytes));
        Some(message)
    }
}

impl Layer<'_> {
    /// The name of its weights as floats.
    fn name(&self) -> Vec<u8> {
        [self.weights, b"/floats"].concat()
    }

    /// The node that replaces `sum`, as a field of the graph.
    fn node(&self, sum: &Node) -> Vec<u8> {
        let (mut node, mut field) = (Vec::new(), Vec::new());
        append(&mut node, onnx::NODE_INPUT, self.input);
        append(&mut node, onnx::NODE_INPUT, &self.name());
        for output in &sum.outputs {
            append(&mut node, onnx::NODE_OUTPUT, output);
            append(&mut node, onnx::NODE_NAME, output);
        }
        append(&mut node, onnx::NODE_KIND, b"MatMul");
        append(&mut field, onnx::GRAPH_NODE, &node);
        field
    }

    /// The message of its weights as floats, with their numbers in `blob`.
    fn tensor(&self, weights: &Tensor, scales: &Tensor, blob: &mut Vec<u8>) -> Option<Vec<u8>> {
        let &[inputs, outputs] = weights.sizes.as_slice() else { return None };
        let scales: Vec<f32> = scales
            .bytes
            .chunks_exact(4)
            .map(|bytes| Some(f32::from_le_bytes(bytes.try_into().ok()?)))
            .collect::<Option<_>>()?;
        if scales.len() != outputs || weights.bytes.len() != inputs.checked_mul(outputs)? {
            return None;
        }
        let mut message = Vec::new();
        for size in [inputs, outputs] {
            append_number(&mut message, onnx::TENSOR_SIZE, size as u64);
        }
        append_number(&mut message, onnx::TENSOR_TYPE, onnx::FLOAT);
        append(&mut message, onnx::TENSOR_NAME, &self.name());
        append_number(&mut message, onnx::TENSOR_LOCATION, onnx::EXTERNAL);
        place(&mut message, blob, |blob| {
            for row in weights.bytes.chunks_exact(outputs.max(1)) {
                let row = row.iter().zip(&scales);
                blob.extend(
                    row.flat_map(|(byte, scale)| {
                        (f32::from(i8::from_le_bytes([*byte])) * scale).to_le_bytes()
                    }),
                );
            }
        });
        Some(message)
    }
}

/// Appends numbers to `blob`, and to the message of a tensor where they are.
fn place(tensor: &mut Vec<u8>, blob: &mut Vec<u8>, numbers: impl FnOnce(&mut Vec<u8>)) {
    let offset = blob.len().next_multiple_of(ALIGNMENT);
    blob.resize(offset, 0);
    numbers(blob);
    let length = blob.len() - offset;
    for (key, value) in
        [("location", WEIGHTS.to_owned()), ("offset", offset.to_string()), ("length", length.to_string())]
    {
        let mut entry = Vec::new();
        append(&mut entry, onnx::ENTRY_KEY, key.as_bytes());
        append(&mut entry, onnx::ENTRY_VALUE, value.as_bytes());
        append(tensor, onnx::TENSOR_EXTERNAL, &entry);
    }
}

/// The content of the field `number`, if the message has one.
fn content(message: &[u8], number: u64) -> Option<&[u8]> {
    Fields(message).flatten().find_map(|field| match field.value {
        Value::Bytes(inside) if field.number == number => Some(inside),
        _ => None,
    })
}
