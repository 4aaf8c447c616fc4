#!/usr/bin/env python3
"""Makes two tiny encoders with random weights, one in the style of BERT and one of XLM-RoBERTa.

    python core/models/make_tiny.py

Writes tiny/<style>/ with model.onnx, tokenizer.json, model.json and expected.json: what ONNX Runtime
and Hugging Face's tokenizers make of some texts, so that the engines' tests can compare. Needs numpy,
onnx, onnxruntime and tokenizers.
"""

import json
import pathlib

import numpy as np
import onnxruntime
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

HERE = pathlib.Path(__file__).parent / "tiny"
WIDTH, HEADS, WINDOW = 8, 2, 24
LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789"
TEXTS = [
    "",
    "login page",
    "The login page, explained: who may log in?",
    "Ünïcödé and 認証フロー。",
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen",
]


class Graph:
    def __init__(self, seed):
        self.nodes, self.initializers, self.random = [], [], np.random.default_rng(seed)

    def constant(self, name, value, dtype=np.float32):
        self.initializers.append(numpy_helper.from_array(np.asarray(value, dtype), name))
        return name

    def weight(self, name, *shape):
        return self.constant(name, self.random.standard_normal(shape))

    def op(self, kind, inputs, name, **attributes):
        self.nodes.append(helper.make_node(kind, inputs, [name], name=f"{name}/node", **attributes))
        return name

    def linear(self, x, name, size=WIDTH):
        product = self.op("MatMul", [x, self.weight(f"{name}/weight", size, WIDTH)], f"{name}/product")
        return self.op("Add", [product, self.weight(f"{name}/bias", WIDTH)], name)

    def norm(self, x, name):
        parameters = [self.constant(f"{name}/scale", np.ones(WIDTH)), self.constant(f"{name}/bias", np.zeros(WIDTH))]
        return self.op("LayerNormalization", [x, *parameters], name, axis=-1, epsilon=1e-5)

    def attention(self, x, output):
        self.constant("split", [0, 0, HEADS, WIDTH // HEADS], np.int64)
        self.constant("join", [0, 0, WIDTH], np.int64)
        parts = []
        for name, perm in (("query", [0, 2, 1, 3]), ("key", [0, 2, 3, 1]), ("value", [0, 2, 1, 3])):
            split = self.op("Reshape", [self.linear(x, name), "split"], f"{name}/split")
            parts.append(self.op("Transpose", [split], f"{name}/heads", perm=perm))
        mask = self.op("Cast", ["attention_mask"], "mask/float", to=TensorProto.FLOAT)
        mask = self.op("Sub", [self.constant("one", 1.0), mask], "mask/inverse")
        mask = self.op("Mul", [mask, self.constant("far", -1e4)], "mask/scaled")
        mask = self.op("Unsqueeze", [mask, self.constant("axes", [1, 2], np.int64)], "mask")
        scores = self.op("Add", [self.op("MatMul", parts[:2], "scores"), mask], "scores/masked")
        attention = self.op("Softmax", [scores], "attention", axis=-1)
        context = self.op("MatMul", [attention, parts[2]], "context/heads")
        context = self.op("Reshape", [self.op("Transpose", [context], "context", perm=[0, 2, 1, 3]), "join"], "joined")
        return self.norm(self.op("Add", [self.linear(context, "out"), x], "sum"), output)

    def model(self, inputs, outputs):
        shape = ["batch", "sequence"]
        graph = helper.make_graph(
            self.nodes,
            "tiny",
            [helper.make_tensor_value_info(name, TensorProto.INT64, shape) for name in inputs],
            [helper.make_tensor_value_info(name, TensorProto.FLOAT, dims) for name, dims in outputs.items()],
            self.initializers,
        )
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8, producer_name="ubp")


def bert(vocabulary):
    g = Graph(1)
    words = g.op("Gather", [g.weight("words", vocabulary, WIDTH), "input_ids"], "words/rows")
    kinds = g.op("Gather", [g.weight("kinds", 2, WIDTH), "token_type_ids"], "kinds/rows")
    length = g.op("Shape", ["input_ids"], "shape", start=1)
    positions = [g.weight("positions", WINDOW, WIDTH), g.constant("zero", [0], np.int64), length]
    positions = g.op("Slice", [*positions, "zero"], "positions/rows")
    x = g.op("Add", [g.op("Add", [words, kinds], "words/kinds"), positions], "embeddings")
    hidden = g.attention(g.norm(x, "embeddings/norm"), "last_hidden_state")
    first = g.op("Gather", [hidden, g.constant("first", 0, np.int64)], "first/row", axis=1)
    g.op("Tanh", [g.linear(first, "pooler")], "pooler_output")
    outputs = {"last_hidden_state": ["batch", "sequence", WIDTH], "pooler_output": ["batch", WIDTH]}
    return g.model(["input_ids", "attention_mask", "token_type_ids"], outputs)


def xlmr(vocabulary):
    """Positions are counted from the tokens that are no padding, as RoBERTa does."""
    g = Graph(2)
    words = g.op("Gather", [g.weight("words", vocabulary, WIDTH), "input_ids"], "words/rows")
    padding = g.op("Equal", ["input_ids", g.constant("padding", 1, np.int64)], "is_padding")
    real = g.op("Cast", [g.op("Not", [padding], "is_real")], "real", to=TensorProto.INT32)
    count = g.op("CumSum", [real, g.constant("axis", 1, np.int64)], "count")
    count = g.op("Cast", [g.op("Mul", [count, real], "count/real")], "count/long", to=TensorProto.INT64)
    positions = g.op("Add", [count, "padding"], "positions")
    positions = g.op("Gather", [g.weight("positions/table", WINDOW + 2, WIDTH), positions], "positions/rows")
    x = g.op("Add", [words, positions], "embeddings")
    hidden = g.attention(g.norm(x, "embeddings/norm"), "token_embeddings")
    g.op("ReduceMean", [hidden], "sentence_embedding", axes=[1], keepdims=0)
    outputs = {"sentence_embedding": ["batch", WIDTH], "token_embeddings": ["batch", "sequence", WIDTH]}
    return g.model(["input_ids", "attention_mask"], outputs)


def wordpiece():
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *",.:?!", *LETTERS, *(f"##{c}" for c in LETTERS)]
    words += ["login", "page", "the", "##in", "one", "two", "##een"]
    tokenizer = Tokenizer(models.WordPiece({word: i for i, word in enumerate(words)}, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    special = [("[CLS]", 2), ("[SEP]", 3)]
    tokenizer.post_processor = processors.TemplateProcessing("[CLS] $A [SEP]", special_tokens=special)
    tokenizer.add_special_tokens(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"])
    return tokenizer


def unigram():
    words = [("<s>", 0.0), ("<pad>", 0.0), ("</s>", 0.0), ("<unk>", 0.0), ("▁", -3.0)]
    words += [(c, -5.0) for c in LETTERS + ",.:?!。フロー"]
    words += [("▁login", -4.0), ("▁page", -4.0), ("in", -4.5), ("▁認証", -4.0), ("認証", -4.2), ("een", -4.4)]
    tokenizer = Tokenizer(models.Unigram(words, unk_id=3, byte_fallback=False))
    tokenizer.normalizer = normalizers.Sequence([normalizers.NFKC(), normalizers.Lowercase()])
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    special = [("<s>", 0), ("</s>", 2)]
    tokenizer.post_processor = processors.TemplateProcessing("<s> $A </s>", special_tokens=special)
    tokenizer.add_special_tokens(["<s>", "<pad>", "</s>", "<unk>"])
    return tokenizer


def write(style, tokenizer, build, description):
    folder = HERE / style
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "model.onnx").write_bytes(build(tokenizer.get_vocab_size()).SerializeToString(deterministic=True))
    (folder / "tokenizer.json").write_text(tokenizer.to_str(pretty=False), encoding="utf-8")
    (folder / "model.json").write_text(json.dumps(description, indent=2) + "\n")
    session = onnxruntime.InferenceSession(str(folder / "model.onnx"))
    tokenizer.enable_truncation(WINDOW)
    output = "last_hidden_state" if style == "bert" else "token_embeddings"
    expected = []
    for kind in ("query", "passage"):
        for text in TEXTS:
            encoding = tokenizer.encode(description.get("prefixes", {}).get(kind, "") + text)
            feeds = {"input_ids": encoding.ids, "attention_mask": encoding.attention_mask, "token_type_ids": encoding.type_ids}
            wanted = {value.name for value in session.get_inputs()}
            feeds = {name: np.array([row], dtype=np.int64) for name, row in feeds.items() if name in wanted}
            (hidden,) = session.run([output], feeds)
            vector = hidden[0].mean(axis=0) if description["pooling"] == "mean" else hidden[0][0]
            vector = (vector / np.linalg.norm(vector)).tolist()
            expected.append({"kind": kind, "text": text, "ids": encoding.ids, "vector": [round(x, 6) for x in vector]})
    lines = ",\n".join(json.dumps(entry, ensure_ascii=False, separators=(",", ":")) for entry in expected)
    (folder / "expected.json").write_text(f"[\n{lines}\n]\n", encoding="utf-8")


def main():
    shared = {"window": WINDOW, "dimensions": WIDTH}
    write("bert", wordpiece(), bert, {"name": "tiny-bert", "pooling": "cls", **shared, "scripts": ["Latin"]})
    prefixes = {"query": "query: ", "passage": "p: "}
    write("xlmr", unigram(), xlmr, {"name": "tiny-xlmr", "pooling": "mean", "prefixes": prefixes, **shared})


if __name__ == "__main__":
    main()
