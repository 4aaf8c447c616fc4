#!/usr/bin/env python3
"""Records what the reference implementations make of golden/texts.json, for the engines' tests.

    python core/models/make_golden.py FOLDER_WITH_ORIGINAL

Writes golden/tokens.json (per text the token ids by Hugging Face's tokenizers with the original
tokenizer.json, and the byte range of every token where the text was not cut) and golden/vectors.bin
(per text two unit vectors as little-endian i16 of 1/32767: ONNX Runtime on the int8 model as
committed, and on the float model). Needs onnxruntime and tokenizers besides what export.py needs.
"""

import json
import pathlib
import sys
import tempfile

import numpy as np
import onnxruntime
from safetensors.numpy import load_file
from tokenizers import Tokenizer

import export

HERE = pathlib.Path(__file__).parent
GOLDEN = HERE / "golden"


def texts():
    """All texts; one marked REPEAT: stands for a text that is longer than the model's window."""
    for text in json.loads((GOLDEN / "texts.json").read_text()):
        yield text.removeprefix("REPEAT:") * 300 if text.startswith("REPEAT:") else text


def vectors(folder, ids):
    session = onnxruntime.InferenceSession(str(folder / "model.onnx"))
    for row in ids:
        (hidden,) = session.run(None, {"input_ids": np.array([row], dtype=np.int64)})
        vector = hidden[0].mean(axis=0)
        yield vector / np.linalg.norm(vector)


def byte_ranges(text, encoding):
    starts = np.cumsum([0] + [len(c.encode()) for c in text]).tolist()
    inner = [offsets for offsets, special in zip(encoding.offsets, encoding.special_tokens_mask) if not special]
    return [starts[at] for offsets in inner for at in offsets]


def main():
    original = pathlib.Path(sys.argv[1])
    tokenizer = Tokenizer.from_file(str(original / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(export.WINDOW)
    encodings = [tokenizer.encode(text) for text in texts()]
    ids = [encoding.ids for encoding in encodings]
    tokens = [
        {"ids": encoding.ids, "ranges": [] if encoding.overflowing else byte_ranges(text, encoding)}
        for text, encoding in zip(texts(), encodings)
    ]
    lines = ",\n".join(json.dumps(entry, separators=(",", ":")) for entry in tokens)
    (GOLDEN / "tokens.json").write_text(f"[\n{lines}\n]\n")

    model, blob = export.Encoder(load_file(original / "model.safetensors"), None).build()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "model.onnx").write_bytes(model.SerializeToString())
        (folder / export.WEIGHTS).write_bytes(blob)
        floats = list(vectors(folder, ids))
    integers = list(vectors(HERE / export.DESCRIPTION["name"], ids))
    table = np.stack([integers, floats], axis=1)
    (GOLDEN / "vectors.bin").write_bytes(np.rint(table * 32767).astype("<i2").tobytes())
    cosines = (table[:, 0] * table[:, 1]).sum(axis=1)
    print(f"cosine of int8 and float: mean {cosines.mean():.4f}, least {cosines.min():.4f}")


if __name__ == "__main__":
    main()
