#!/usr/bin/env python3
"""Finds the factors that even out the activations before they are quantised (SmoothQuant).

    python core/models/calibrate.py FOLDER_WITH_ORIGINAL

Runs the float model over golden/texts.json, looks at the magnitude of every channel, and writes
calibration.json: per quantised activation the exponent of each channel's factor, in quarters of an
octave. The result is committed, because floating point sums differ a little between processors and
export.py must not. Needs onnxruntime and tokenizers besides what export.py needs.
"""

import json
import pathlib
import sys
import tempfile

import numpy as np
import onnx
import onnxruntime
from safetensors.numpy import load_file
from tokenizers import Tokenizer

import export
from make_golden import texts

# How much of the range goes from the activations to the weights: every quantised activation gets the
# share that spoils its products least.
SHARES = np.arange(0.3, 1.0, 0.05)


def sites():
    """Quantised activation -> (its tensor in the float graph, the weights that read it)."""
    for i in range(export.LAYERS):
        at, source = f"layer{i}", f"encoder.layer.{i}"
        before = "embeddings" if i == 0 else f"layer{i - 1}/norm"
        reads = [f"{source}.attention.self.{name}" for name in ("query", "key", "value")]
        yield f"{at}/attention/input", before, reads
        yield f"{at}/inner/input", f"{at}/attention/norm", [f"{source}.intermediate.dense"]
        yield f"{at}/gelu", f"{at}/gelu", [f"{source}.output.dense"]


def exponents(activations, weights, share):
    """Factors that give the weights `share` of the difference between channels, as exponents."""
    largest = np.mean([np.abs(rows).max(axis=0) for rows in activations], axis=0)
    factors = np.log2(np.maximum(largest, 1e-6)) * share - np.log2(np.abs(weights).max(axis=1)) * (1 - share)
    return np.rint((factors - factors.mean()) * export.STEPS_PER_OCTAVE).astype(int)


def error(activations, weights, choice):
    """Mean relative error of the products, with everything quantised as it will be."""
    factors = 2.0 ** (choice / export.STEPS_PER_OCTAVE)
    integers, scales = export.quantize(weights * factors[:, None], export.WEIGHT_LIMIT)
    errors = []
    for rows in activations:
        even = rows / factors
        low, high = min(even.min(), 0), max(even.max(), 0)
        step = (high - low) / 255
        zero = np.rint(-low / step)
        rounded = (np.clip(np.rint(even / step) + zero, 0, 255) - zero) * step
        wanted = rows @ weights
        errors.append(np.linalg.norm(rounded @ (integers * scales) - wanted) / np.linalg.norm(wanted))
    return np.mean(errors)


def main():
    original = pathlib.Path(sys.argv[1])
    tensors = load_file(original / "model.safetensors")
    tokenizer = Tokenizer.from_file(str(original / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(export.WINDOW)
    model, blob = export.Encoder(tensors, None).build()
    watched = sorted({tensor for _, tensor, _ in sites()})
    model.graph.output.extend(onnx.helper.make_tensor_value_info(name, 1, None) for name in watched)
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "model.onnx"
        path.write_bytes(model.SerializeToString())
        path.with_name(export.WEIGHTS).write_bytes(blob)
        session = onnxruntime.InferenceSession(str(path))
    seen = {name: [] for name in watched}
    for text in texts():
        ids = np.array([tokenizer.encode(text).ids], dtype=np.int64)
        for name, value in zip(watched, session.run(watched, {"input_ids": ids})):
            seen[name].append(value[0])
    calibration = {}
    for name, tensor, reads in sites():
        weights = np.concatenate([tensors[f"{read}.weight"].T for read in reads], axis=1)
        choices = [exponents(seen[tensor], weights, share) for share in SHARES]
        errors = [error(seen[tensor], weights, choice) for choice in choices]
        calibration[name] = choices[int(np.argmin(errors))].tolist()
        print(f"{name}: share {SHARES[np.argmin(errors)]:.2f}, error {min(errors):.4f}")
    lines = ",\n".join(f"{json.dumps(name)}:{json.dumps(value, separators=(',', ':'))}" for name, value in calibration.items())
    pathlib.Path(__file__).with_name("calibration.json").write_text(f"{{\n{lines}\n}}\n")


if __name__ == "__main__":
    main()
