"""Writes a model with 8-bit linear layers as a model of 32-bit floats with the same weights, for tests/bench/engines.

    python tests/bench/float_model.py FOLDER OUT

This is the model that ONNX Runtime runs fastest on processors without fast 8-bit products. It does not use UBP's own
rewriting (core/engines/src/floats.rs), so that the answers of the two can be compared.
Exit status 3: this Python has no onnx.
"""

import pathlib
import shutil
import sys

try:
    import numpy as np
    import onnx
    from onnx import helper, numpy_helper
except ImportError as error:
    print(error, file=sys.stderr)
    sys.exit(3)


def floats(model):
    """Replaces each sum of two 8-bit products (core/models/export.py) by a product of floats."""
    graph = model.graph
    values = {tensor.name: numpy_helper.to_array(tensor) for tensor in graph.initializer}
    source = {output: node for node in graph.node for output in node.output}
    nodes, weights = [], {}
    for node in graph.node:
        if node.op_type == "Add" and node.name.endswith("/product"):
            scaled = source[node.input[0]]
            product = source[source[scaled.input[0]].input[0]]
            name, scale = product.input[1], source[scaled.input[1]].input[1]
            weights[f"{name}/floats"] = values[name].astype(np.float32) * values[scale]
            whole = source[product.input[0]].input[0]
            node = helper.make_node("MatMul", [whole, f"{name}/floats"], node.output, name=node.name)
        nodes.append(node)
    if not weights:
        raise SystemExit("the model has no 8-bit linear layers of the known form")
    needed, kept = {output.name for output in graph.output}, []
    for node in reversed(nodes):
        if needed & set(node.output):
            kept.append(node)
            needed |= set(node.input)
    tensors = [tensor for tensor in graph.initializer if tensor.name in needed]
    tensors += [numpy_helper.from_array(array, name) for name, array in weights.items()]
    del graph.node[:], graph.initializer[:]
    graph.node.extend(reversed(kept))
    graph.initializer.extend(tensors)


folder, out = map(pathlib.Path, sys.argv[1:])
out.mkdir(parents=True, exist_ok=True)
for name in ("model.json", "tokenizer.json"):
    shutil.copy(folder / name, out / name)
model = onnx.load(folder / "model.onnx")
floats(model)
onnx.save(model, out / "model.onnx", save_as_external_data=True, location="model.onnx.data")
