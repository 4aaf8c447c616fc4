#!/usr/bin/env python3
"""Records what the reference implementations make of golden/texts.json with the multilingual model.

    python core/models/make_golden_multilingual.py UNPACKED

UNPACKED is the folder that `export_multilingual.py --unpacked` wrote. Writes golden/multilingual-tokens.json
(per text, with the prefix of passages, the token ids by Hugging Face's tokenizers) and
golden/multilingual-vectors.bin (per text a unit vector as little-endian i16 of 1/32767, by ONNX Runtime).
"""

import json
import pathlib
import sys

import numpy as np
from tokenizers import Tokenizer

from export_multilingual import DESCRIPTION
from make_golden import GOLDEN, texts, vectors


def main():
    folder = pathlib.Path(sys.argv[1])
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.enable_truncation(DESCRIPTION["window"])
    ids = [tokenizer.encode(DESCRIPTION["prefixes"]["passage"] + text).ids for text in texts()]
    lines = ",\n".join(json.dumps(row, separators=(",", ":")) for row in ids)
    (GOLDEN / "multilingual-tokens.json").write_text(f"[\n{lines}\n]\n")
    table = np.stack(list(vectors(folder, ids)))
    (GOLDEN / "multilingual-vectors.bin").write_bytes(np.rint(table * 32767).astype("<i2").tobytes())


if __name__ == "__main__":
    main()
