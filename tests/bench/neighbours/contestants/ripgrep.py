"""ripgrep: no index and no ranking. Pages are ordered by their number of matches, as a script around it would do."""

import re

from children import Finished, run
from contestants.base import WANTED, Contestant, Searcher, terms, with_pages


class Ripgrep(Contestant):
    name = "ripgrep"
    setting = "a process for each question: any of its words, pages ordered by number of matches"

    def __init__(self, program):
        self.program = program

    def version(self):
        return run([str(self.program), "--version"], 60).output.split()[1]

    def build(self, place):
        return Finished(0.0, 0.0, None)

    def size(self, place):
        return 0

    def cold(self, place, query):
        words = [part for word in terms(query) for part in ("-e", word)]
        flags = ["--no-config", "--count-matches", "--fixed-strings", "--ignore-case", "--null", "--glob", "*.md"]
        # Status 1 means that nothing matches.
        finished = place.run(self.program, *flags, *words, ".", accept=(0, 1))
        counts = [line.rpartition("\0") for line in finished.output.splitlines()]
        ranked = sorted(counts, key=lambda row: (-int(row[2]), row[0]))
        return with_pages(finished, [row[0].removeprefix("./") for row in ranked[:WANTED]])

    def open(self, place):
        return Processes(self, place)


class Processes(Searcher):
    """Answers with a new process each time: ripgrep has no server."""

    def __init__(self, contestant, place):
        super().__init__(place, None)
        self.contestant = contestant
        self.used = 0.0
        self.largest = None

    def search(self, query):
        return self.count(self.contestant.cold(self.place, query)).output

    def backlinks(self, page):
        folder, _, name = page.removesuffix(".md").rpartition("/")
        folder = f"({re.escape(folder)}/)?" if folder else ""
        pattern = rf"\[\[{folder}{re.escape(name)}(\.md)?([#|][^\]]*)?\]\]"
        command = [self.contestant.program, "--no-config", "--files-with-matches", "--glob", "*.md", "-e", pattern, "."]
        found = self.count(self.place.run(*command, accept=(0, 1))).output
        return {line.removeprefix("./") for line in found.splitlines()}

    def count(self, finished):
        self.used += finished.cpu
        self.largest = max(filter(None, (self.largest, finished.peak)), default=None)
        return finished

    def cpu(self):
        return self.used

    def peak(self):
        return self.largest

    def close(self):
        pass
