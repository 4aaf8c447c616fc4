"""qmd: keyword search only, because its three models (2 GB) come from a hub that a package registry is not."""

import json

from children import run
from contestants.base import WANTED, Contestant, Searcher, bytes_of, need, terms, with_pages

# Sub-queries that one call may have.
MOST = 10


class Qmd(Contestant):
    name = "qmd"
    setting = "keyword search (`qmd search`, sub-query `lex`), the question as typed: a page must contain every word"

    def __init__(self, node, modules):
        self.command = [node, modules / "@tobilu/qmd/bin/qmd"]

    def version(self):
        return run([*map(str, self.command), "--version"], 60).output.split()[1]

    def build(self, place):
        return place.run(*self.command, "collection", "add", place.vault, "--name", "vault")

    def size(self, place):
        return bytes_of((place.state / "cache/qmd", "index.sqlite*"))

    def cold(self, place, query):
        finished = place.run(*self.command, "search", query, "--json", "-n", WANTED)
        start = finished.output.find("[")
        found = json.loads(finished.output[start:]) if start >= 0 else []
        return with_pages(finished, [path(one["file"]) for one in found])

    def open(self, place):
        return Server(self, place, place.session(*self.command, "mcp").initialize())

    def queries(self, query):
        return [query]


class QmdWordByWord(Qmd):
    name = "qmd, word by word"
    setting = "keyword search, the question and each of its words as sub-queries (at most ten), as an agent may ask"
    shares = "qmd"
    ranking_only = True

    def queries(self, query):
        # The first sub-query counts twice. Long words tell most about a page.
        return [query, *sorted(terms(query), key=len, reverse=True)[: MOST - 1]]


class Server(Searcher):
    def __init__(self, contestant, place, session):
        super().__init__(place, session)
        self.contestant = contestant

    def search(self, query):
        searches = [{"type": "lex", "query": one} for one in self.contestant.queries(query)]
        answer = self.session.call("query", searches=searches, rerank=False, limit=WANTED)
        return [path(one["file"]) for one in need(answer, "results")]

    def update(self):
        self.place.run(*self.contestant.command, "update")


def path(name):
    """`qmd://vault/folder/page.md` or `vault/folder/page.md`, relative to the vault."""
    return name.removeprefix("qmd://").removeprefix("vault/")
