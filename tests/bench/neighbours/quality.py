"""How good a ranking is: nDCG@10 and hit@1, as trec_eval computes them."""

import math

# Ranks that count.
DEPTH = 10


def ndcg(ranking, grades):
    """nDCG@10 of a ranking of pages. `grades` maps each relevant page to its grade, which is its gain."""

    def gain(values):
        return sum(value / math.log2(rank + 2) for rank, value in enumerate(values))

    best = gain(sorted(grades.values(), reverse=True)[:DEPTH])
    return gain(grades.get(page, 0) for page in unique(ranking)[:DEPTH]) / best if best else 0.0


def first_hit(ranking, grades):
    """1 if the first page is relevant, else 0."""
    return int(bool(ranking) and grades.get(ranking[0], 0) > 0)


def unique(ranking):
    """The ranking with every page at its best rank only: some programs list sections."""
    return list(dict.fromkeys(ranking))
