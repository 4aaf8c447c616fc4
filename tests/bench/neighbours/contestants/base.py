"""What the bench needs from a program: build an index, answer in a new process, and answer in a process that stays."""

import os
import pathlib
import re
import time
from dataclasses import dataclass, field

from children import Failure, Finished, Session, run

# Pages asked for in every search.
WANTED = 10

STOP_WORDS = frozenset(
    "a about after all an and any are as at be been before but by can could did do does for from had has have how i if in into is"
    " it its may more most no not of on or other should so some such than that the their them then there these they this to was"
    " were what when where which while who why will with would you your".split()
)
# Scripts that are written without spaces.
UNSPACED = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f"


def terms(query):
    """The words of a question for programs that leave this to their caller, without English stop words.

    Text without spaces becomes overlapping groups of three characters.
    """
    found = []
    for run_of in re.findall(rf"[{UNSPACED}]+|[^\W_{UNSPACED}]+", query):
        if re.match(f"[{UNSPACED}]", run_of):
            found += [run_of[at : at + 3] for at in range(max(1, len(run_of) - 2))]
        elif run_of.lower() not in STOP_WORDS:
            found.append(run_of.lower())
    return list(dict.fromkeys(found)) or query.split()


@dataclass
class Place:
    """A contestant's own copy of a vault, and a folder for everything else that it writes."""

    vault: pathlib.Path
    state: pathlib.Path
    limit: float
    unspaced: bool = False
    env: dict = field(default_factory=dict)

    def __post_init__(self):
        # No settings, models or indexes of the person who runs the bench are read or changed, and nothing is downloaded.
        home = {"HOME": str(self.state)}
        for name in ("CACHE", "CONFIG", "DATA", "STATE"):
            home[f"XDG_{name}_HOME"] = str(self.state / name.lower())
        home["PWD"] = str(self.vault)
        self.env = {**os.environ, **home, "NO_COLOR": "1", "UBP_OFFLINE": "1", "HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1"}
        for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
            self.env.pop(name, None)

    def run(self, *command, accept=(0,)):
        return run([str(part) for part in command], self.limit, self.vault, self.env, accept)

    def session(self, *command):
        return Session([str(part) for part in command], self.limit, self.vault, self.env)


class Contestant:
    """One program in one setting. A method raises `Failure` if the program does not do its task."""

    # Short name in tables and in `--only`.
    name = ""
    # Its setting, in a sentence for the notes.
    setting = ""
    # Builds the same index as the contestant of this name, which is then used for both.
    shares = None
    # Compared in ranking only.
    ranking_only = False
    # Its version, and why it cannot take part; None if it can.
    told = "–"
    absent = None
    # Ranks by vectors too, so that building takes much longer.
    meaning = False

    def version(self):
        """The version that is installed."""
        raise NotImplementedError

    def build(self, place):
        """Builds everything that a first answer needs; returns what it cost."""
        raise NotImplementedError

    def size(self, place):
        """Bytes of the index on disk."""
        raise NotImplementedError

    def cold(self, place, query):
        """Answers in a new process; returns what it cost, with `output` replaced by the pages found."""
        raise NotImplementedError

    def open(self, place):
        """A `Searcher` that is ready to answer."""
        raise NotImplementedError


class Searcher:
    """A program that stays in memory and answers."""

    def __init__(self, place, session):
        self.place = place
        self.session = session

    def search(self, query):
        """Paths of the pages found, best first."""
        raise NotImplementedError

    def backlinks(self, page):
        """Paths of the pages that link to a page, or None if the program does not know links."""
        return None

    def update(self):
        """Does what a user has to do after a page has changed. Programs that notice it themselves do nothing."""

    def cpu(self):
        return self.session.cpu()

    def peak(self):
        return self.session.peak()

    def close(self):
        self.session.close()


def bytes_of(*patterns):
    """Size of the files that match; each pattern is a folder and a glob."""
    return sum(file.stat().st_size for folder, glob in patterns for file in folder.glob(glob) if file.is_file())


def with_pages(finished, pages):
    """The cost of a command, with the pages that it found."""
    return Finished(finished.wall, finished.cpu, finished.peak, pages)


def first_answer(contestant, place, query="start"):
    """The cost of starting a server and getting its first answer, for programs that keep their index in memory."""
    begun = time.perf_counter()
    searcher = contestant.open(place)
    try:
        searcher.search(query)
        return Finished(time.perf_counter() - begun, searcher.cpu(), searcher.peak())
    finally:
        searcher.close()


def need(answer, key):
    """A field of an answer; a missing one means that the program's interface differs from what the bench knows."""
    if not isinstance(answer, dict) or key not in answer:
        raise Failure(f"unexpected answer: no '{key}' in {str(answer)[:80]}")
    return answer[key]
