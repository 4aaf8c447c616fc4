"""SQLite FTS5 as a programmer would use it in an afternoon: the sqlite3 module of Python, one row for each page."""

import json
import pathlib
import sqlite3
import sys

from contestants.base import WANTED, Contestant, Searcher, bytes_of, with_pages

WORKER = pathlib.Path(__file__).parent / "fts5_worker.py"


class Fts5(Contestant):
    name = "SQLite FTS5"
    setting = "Python's sqlite3 module, `porter unicode61` (`trigram` for Japanese), any of the question's words, `bm25`"

    def version(self):
        return sqlite3.sqlite_version

    def command(self, place, *more):
        tokenizer = "trigram" if place.unspaced else "porter unicode61"
        return [sys.executable, WORKER, place.state / "index.db", tokenizer, *more]

    def build(self, place):
        return place.run(*self.command(place, "update"))

    def size(self, place):
        return bytes_of((place.state, "index.db*"))

    def cold(self, place, query):
        finished = place.run(*self.command(place, "search", query, WANTED))
        return with_pages(finished, json.loads(finished.output))

    def open(self, place):
        return Worker(place, place.session(*self.command(place, "serve")))


class Worker(Searcher):
    def search(self, query):
        return self.session.ask("search", {"query": query, "limit": WANTED})

    def update(self):
        self.session.ask("update", {})
