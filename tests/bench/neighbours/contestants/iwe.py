"""IWE: `iwe` on the command line, `iwec` as a server. It keeps its graph and its BM25 index in memory, not on disk."""

from children import run
from contestants.base import WANTED, Contestant, Searcher, first_answer, need, with_pages


class Iwe(Contestant):
    name = "IWE"
    setting = "BM25 (`lexical`); it has no vectors and keeps no index: each process reads all pages"

    def __init__(self, programs):
        self.iwe, self.iwec = programs / "iwe", programs / "iwec"

    def version(self):
        return run([str(self.iwe), "--version"], 60).output.split()[-1]

    def build(self, place):
        return place.run(self.iwe, "init", "--auto").plus(first_answer(self, place))

    def size(self, place):
        return 0

    def cold(self, place, query):
        finished = place.run(self.iwe, "find", "--lexical", query, "--limit", WANTED, "--format", "keys")
        return with_pages(finished, [f"{key}.md" for key in finished.output.splitlines() if key])

    def open(self, place):
        return Server(place, place.session(self.iwec).initialize())


class Server(Searcher):
    def search(self, query):
        return self.find(lexical=query, limit=WANTED)

    def backlinks(self, page):
        return set(self.find(refs_to=page.removesuffix(".md")))

    def find(self, **conditions):
        answer = self.session.call("iwe_find", project="key=$key", **conditions)
        rows = need(answer, "results") if isinstance(answer, dict) else answer
        return [f"{need(row, 'key')}.md" for row in rows]
