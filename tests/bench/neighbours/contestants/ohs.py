"""obsidian-hybrid-search: full text only, because its model comes from a hub. Written from its documentation, see docs/benchmarks.md."""

import json

from children import run
from contestants.base import WANTED, Contestant, Searcher, bytes_of, need, with_pages


class Ohs(Contestant):
    name = "obsidian-hybrid-search"
    setting = "`--mode fulltext`"

    def __init__(self, node, modules):
        self.command = [node, modules / "obsidian-hybrid-search/dist/src/cli.js"]
        self.server = [node, modules / "obsidian-hybrid-search/dist/src/server.js"]

    def version(self):
        return run([*map(str, self.command), "--version"], 60).output.split()[-1]

    def build(self, place):
        place.env["OBSIDIAN_VAULT_PATH"] = str(place.vault)
        return place.run(*self.command, "reindex")

    def size(self, place):
        return bytes_of((place.vault, ".obsidian-hybrid-search.db*"))

    def cold(self, place, query):
        finished = place.run(*self.command, query, "--mode", "fulltext", "--limit", WANTED, "--json")
        answer = json.loads(finished.output)
        return with_pages(finished, pages(answer))

    def open(self, place):
        return Server(place, place.session(*self.server).initialize())


class Server(Searcher):
    def search(self, query):
        return pages(self.session.call("search", query=query, mode="fulltext", limit=WANTED))

    def backlinks(self, page):
        answer = self.session.call("read", path=page)
        note = answer[0] if isinstance(answer, list) else answer
        return set(need(note, "backlinks"))


def pages(answer):
    rows = answer if isinstance(answer, list) else need(answer, "results")
    return [need(row, "path") for row in rows]
