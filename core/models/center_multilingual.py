#!/usr/bin/env python3
"""Finds what the vectors of all texts have in common, so that export_multilingual.py can take it away.

    python core/models/center_multilingual.py UNPACKED

UNPACKED is the folder that `export_multilingual.py --unpacked --uncentered` wrote. Any two texts have a
cosine of about 0.8 in this model, because a large part of every vector is the same. Without that part a
cosine says more: unrelated texts have one of 0.3 to 0.4, as with other models, and the order of near
texts is a little better too. Writes multilingual-center.json: the mean vector of random frequent words
in all languages of wordfreq. The result is committed, because floating point sums differ a little between
processors and export_multilingual.py must not. Needs what export_multilingual.py needs, and onnxruntime.
"""

import json
import pathlib
import random
import sys

import numpy as np
import onnxruntime
import wordfreq
from tokenizers import Tokenizer

from export_multilingual import DESCRIPTION
from trim_vocabulary import LEFT_OUT, UNSPACED

WORDS, LENGTH = 3000, 30
# One question and two passages per language.
KINDS = ["query", "passage", "passage"]


def texts():
    chance = random.Random(7)
    for language in sorted(wordfreq.available_languages("best")):
        if language not in LEFT_OUT:
            words = wordfreq.top_n_list(language, WORDS)
            for kind in KINDS:
                chosen = chance.choices(words, weights=[1 / (i + 10) for i in range(len(words))], k=LENGTH)
                yield DESCRIPTION["prefixes"][kind] + ("" if language in UNSPACED else " ").join(chosen)


def main():
    folder = pathlib.Path(sys.argv[1])
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    session = onnxruntime.InferenceSession(str(folder / "model.onnx"))
    means = []
    for text in texts():
        (hidden,) = session.run(None, {"input_ids": np.array([tokenizer.encode(text).ids], dtype=np.int64)})
        means.append(hidden[0].mean(axis=0))
    center = [round(float(value), 4) for value in np.mean(means, axis=0)]
    pathlib.Path(__file__).with_name("multilingual-center.json").write_text(json.dumps(center) + "\n")


if __name__ == "__main__":
    main()
