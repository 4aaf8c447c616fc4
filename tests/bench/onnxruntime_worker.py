"""ONNX Runtime with the protocol of core/engines/examples/engine.rs: the reference of tests/bench/engines.

The argument is the folder of a model. `{"do":"arrange","threads":T,"sessions":S,"batch":B,"model":FOLDER}` sets
how texts run: S sessions in parallel with T threads each, batches of up to B texts with the same number of tokens
(the bundled models have no attention mask), and another form of the model. Answers to `all` also contain `model_seconds`, the time without
the tokenizer.
Exit status 3: this Python has no onnxruntime, tokenizers or numpy.
"""

import concurrent.futures
import json
import pathlib
import sys
import time

try:
    import numpy as np
    import onnxruntime as ort
    from tokenizers import Tokenizer
except ImportError as error:
    print(error, file=sys.stderr)
    sys.exit(3)

folder = pathlib.Path(sys.argv[1])
description = json.loads((folder / "model.json").read_text())


class Worker:
    def __init__(self):
        self.threads, self.sessions, self.batch, self.model = 0, 1, 1, folder
        self.session = self.pool = None
        self.texts = []

    def first(self, text):
        self.tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self.tokenizer.enable_truncation(description["window"])
        self.open()
        self.vectors(self.tokenizer.encode_batch([text]))

    def open(self):
        options = ort.SessionOptions()
        options.intra_op_num_threads = self.threads
        options.inter_op_num_threads = 1
        self.session = ort.InferenceSession(self.model / "model.onnx", options, providers=["CPUExecutionProvider"])
        self.inputs = [given.name for given in self.session.get_inputs()]
        self.pool = concurrent.futures.ThreadPoolExecutor(self.sessions) if self.sessions > 1 else None

    def arrange(self, threads, sessions, batch, model):
        self.threads, self.sessions, self.batch, self.model = threads, sessions, batch, pathlib.Path(model)
        self.open()

    def encodings(self, texts, request):
        prefix = description.get("prefixes", {}).get("query" if request.get("query") else "passage", "")
        return self.tokenizer.encode_batch([prefix + text for text in texts])

    def vectors(self, encodings):
        """Unit vectors, in order."""
        ids = [encoding.ids for encoding in encodings]
        batches, open_batches = [], {}
        for index in sorted(range(len(ids)), key=lambda index: -len(ids[index])):
            batch = open_batches.get(len(ids[index]))
            if batch is None or len(batch) == self.batch:
                batch = open_batches[len(ids[index])] = []
                batches.append(batch)
            batch.append(index)
        vectors = [None] * len(ids)

        def run(batch):
            rows = np.array([ids[index] for index in batch], np.int64)
            values = {"input_ids": rows, "attention_mask": np.ones_like(rows), "token_type_ids": np.zeros_like(rows)}
            feed = {name: values[name] for name in self.inputs}
            for index, hidden in zip(batch, self.session.run(None, feed)[0]):
                vector = hidden[0] if description.get("pooling") == "cls" else hidden.mean(axis=0)
                vectors[index] = vector / np.linalg.norm(vector)

        for _ in self.pool.map(run, batches) if self.pool else map(run, batches):
            pass
        return vectors

    def answer(self, request):
        begun = time.perf_counter()
        answer = {}
        match request["do"]:
            case "first":
                self.first(request.get("text", "a query"))
            case "arrange":
                self.arrange(request["threads"], request["sessions"], request["batch"], request["model"])
            case "texts":
                self.texts = request["texts"]
                answer["tokens"] = sum(len(encoding.ids) for encoding in self.encodings(self.texts, request))
            case "all":
                encodings = self.encodings(self.texts, request)
                cut = time.perf_counter()
                self.vectors(encodings)
                answer["model_seconds"] = time.perf_counter() - cut
            case "each":
                answer["times"] = []
                for text in self.texts:
                    at = time.perf_counter()
                    self.vectors(self.encodings([text], request))
                    answer["times"].append(time.perf_counter() - at)
            case "release":
                pass
            case "tokens":
                self.encodings(self.texts, request)
            case "vectors":
                vectors = self.vectors(self.encodings(self.texts, request))
                answer["vectors"] = [vector.tolist() for vector in vectors]
            case other:
                raise ValueError(f"unknown request {other}")
        return answer | {"seconds": time.perf_counter() - begun}


worker = Worker()
for line in sys.stdin:
    print(json.dumps(worker.answer(json.loads(line))), flush=True)
