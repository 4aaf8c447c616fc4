"""Unified Blueprint: the program of this repository, with and without vectors."""

import json
import os

from children import Failure, run
from contestants.base import WANTED, Contestant, Searcher, bytes_of, need, with_pages


class Ubp(Contestant):
    name = "ubp"
    setting = "hybrid search (the default): words, meaning and links; `ubp add`, then `ubp mcp-server`"
    meaning = True
    mode = "hybrid"

    def __init__(self, program):
        self.program = program

    def version(self):
        if not os.access(self.program, os.X_OK):
            raise Failure("not built: run cargo build --release, or name a program with --ubp")
        return run([str(self.program), "--version"], 60).output.split()[-1]

    def build(self, place):
        init = place.run(self.program, "init", "--pages-dir", ".", "--yes", "--quiet")
        return init.plus(place.run(self.program, "add", "--quiet"))

    def size(self, place):
        return bytes_of((place.vault / ".ubp", "metadata.db*"))

    def cold(self, place, query):
        command = [self.program, "search", "--mode", self.mode, "--limit", WANTED, "--json", "--", query]
        finished = place.run(*command)
        return with_pages(finished, pages(json.loads(finished.output)))

    def open(self, place):
        return Server(place, place.session(self.program, "mcp-server").initialize(), self.mode)


class UbpWords(Ubp):
    name = "ubp, words"
    setting = "`--mode fulltext`: words and links, without a model"
    meaning = False
    mode = "fulltext"

    def build(self, place):
        init = place.run(self.program, "init", "--pages-dir", ".", "--yes", "--quiet")
        manifest = place.vault / ".ubp/manifest.json"
        settings = json.loads(manifest.read_text())
        # A model that is not installed: UBP then computes no vectors, neither now nor in the background.
        settings["embedding_model"] = {"name": "none", "version": "1", "dimensions": 384}
        manifest.write_text(json.dumps(settings))
        return init.plus(place.run(self.program, "rebuild", "--quiet"))


class Server(Searcher):
    def __init__(self, place, session, mode):
        super().__init__(place, session)
        self.mode = mode

    def search(self, query):
        return pages(self.session.call("ubp_search", query=query, limit=WANTED, mode=self.mode))

    def backlinks(self, page):
        answer = self.session.call("ubp_get_page", page=page, max_tokens=20000)
        return {link["filepath"] for link in need(answer, "backlinks")}


def pages(answer):
    return [one["filepath"] for one in need(answer, "results") + answer.get("nearby", [])][:WANTED]
