"""The measurements. Contestants take turns query by query, so that other load on the machine hits all of them alike.

A contestant that fails a measurement keeps the reason in its row, and the others go on. One that is too slow stops when
its time for a measurement is used up; its figures then rest on fewer queries.
"""

import random
import string
import sys
import time
from dataclasses import dataclass, field

from children import Failure
from contestants.base import Place
from quality import first_hit, ndcg
from table import ABSENT, NO_SUCH_THING

WARM_UP = 3
# Seconds after which a changed page counts as not found.
PATIENCE = 120


@dataclass
class Row:
    """What one contestant did on one vault."""

    contestant: object
    place: Place = None
    searcher: object = None
    # Figures by name: lists of seconds, bytes, or shares from 0 to 1.
    figures: dict = field(default_factory=dict)
    # Why a measurement has no figure, by the name of the measurement.
    failures: dict = field(default_factory=dict)
    # Seconds used, by the name of the measurement.
    used: dict = field(default_factory=dict)

    def add(self, name, value):
        self.figures.setdefault(name, []).append(value)


@dataclass
class Effort:
    """How much is measured."""

    queries: int
    cold: int
    changes: int
    # Seconds that a contestant may use for one measurement, and the longest that one call may take.
    budget: float
    limit: float


def attempt(row, measurement, task):
    """Runs a task of a row, unless this measurement has failed before or its time is used up."""
    if measurement in row.failures or "build" in row.failures or ABSENT in row.failures:
        return False
    begun = time.monotonic()
    try:
        task()
        return True
    except Failure as failure:
        row.failures[measurement] = str(failure)
    except (ValueError, KeyError, TypeError, AttributeError, OSError) as error:
        # An answer in another form than its documentation says is the row's problem, not the bench's end.
        row.failures[measurement] = f"unexpected answer: {error!r}"[:160]
    finally:
        row.used[measurement] = row.used.get(measurement, 0.0) + time.monotonic() - begun
    print(f"    {row.contestant.name}: {measurement}: {row.failures[measurement]}", file=sys.stderr)
    if row.searcher is not None:
        close(row)
    return False


def turns(rows, measurement, tasks, effort):
    """Gives every row its turn for each task, the first place going round."""
    for number, task in enumerate(tasks):
        for row in rows[number % len(rows) :] + rows[: number % len(rows)]:
            if row.used.get(measurement, 0.0) < effort.budget:
                attempt(row, measurement, lambda row=row, task=task: task(row))


def build(row, vault, scratch, effort):
    """Builds the index from nothing in the contestant's own copy of the vault."""
    folder = scratch / row.contestant.name.replace(" ", "-").replace(",", "")
    row.place = Place(folder / "vault", folder / "state", effort.limit, vault.unspaced)
    vault.copy(row.place.vault)
    row.place.state.mkdir()

    def task():
        cost = row.contestant.build(row.place)
        row.add("build", cost.wall)
        row.add("build cpu", cost.cpu)
        row.add("build peak", cost.peak)
        row.add("size", row.contestant.size(row.place))

    attempt(row, "build", task)


def share_index(row, rows):
    """Uses the index of another contestant that is built in the same way."""
    for other in rows:
        if other.contestant.name == row.contestant.shares:
            row.place = other.place
            if "build" in other.failures:
                row.failures["build"] = other.failures["build"]


def start(row):
    """Starts a server and waits until it has answered some queries."""

    def task():
        begun = time.perf_counter()
        row.searcher = row.contestant.open(row.place)
        row.searcher.search("start")
        row.add("first answer", time.perf_counter() - begun)

    attempt(row, "start", task)


def start_all(rows):
    """Starts the servers that are not running: those of a failed measurement get another chance in the next one."""
    for row in rows:
        if row.place is not None and row.searcher is None:
            start(row)


def ready(row):
    return row.searcher is not None


def close(row):
    row.searcher.close()
    row.searcher = None


def asking(query):
    def task(row):
        if not ready(row):
            return
        cpu = row.searcher.cpu()
        begun = time.perf_counter()
        row.searcher.search(query)
        row.add("warm", time.perf_counter() - begun)
        row.add("warm cpu", row.searcher.cpu() - cpu)

    return task


def asking_anew(query):
    def task(row):
        cost = row.contestant.cold(row.place, query)
        row.add("cold", cost.wall)
        row.add("cold cpu", cost.cpu)

    return task


def following_back(page, expected):
    def task(row):
        if not ready(row):
            return
        begun = time.perf_counter()
        found = row.searcher.backlinks(page)
        if found is None:
            row.failures["backlinks"] = NO_SUCH_THING
            return
        row.add("backlinks", time.perf_counter() - begun)
        row.add("backlinks right", float(found - {page} == expected))

    return task


def changing(page, word):
    """Adds a sentence with a new word to a page, and asks for the word until the page is found. Then takes it back."""

    def task(row):
        if not ready(row):
            return
        file = row.place.vault / page
        before = file.read_bytes()
        try:
            file.write_bytes(before + f"\n\nThe answer is {word} today.\n".encode())
            begun = time.perf_counter()
            row.searcher.update()
            while page not in row.searcher.search(word):
                if time.perf_counter() - begun > PATIENCE:
                    raise Failure(f"the change was not found after {PATIENCE} s")
                time.sleep(0.005)
            row.add("changed", time.perf_counter() - begun)
        finally:
            file.write_bytes(before)

    return task


def judging(question):
    def task(row):
        if not ready(row):
            return
        ranking = row.searcher.search(question.text)
        row.add("ndcg", ndcg(ranking, question.grades))
        row.add("hit", first_hit(ranking, question.grades))

    return task


def measure(vault, contestants, scratch, effort):
    """All measurements on one vault; returns a row for each contestant."""
    print(f"{vault.name}", file=sys.stderr)
    rows = [Row(contestant) for contestant in contestants]
    for row in rows:
        if row.contestant.absent is not None:
            row.failures[ABSENT] = row.contestant.absent
        elif row.contestant.shares is None:
            print(f"  building: {row.contestant.name}", file=sys.stderr)
            build(row, vault, scratch, effort)
    for row in rows:
        if row.contestant.shares is not None:
            share_index(row, rows)
    chance = random.Random(vault.name)
    timed = [row for row in rows if not row.contestant.ranking_only] if vault.timed else []
    asked = [question.text for question in vault.questions]
    queries = chance.sample(asked, min(effort.queries, len(asked)))
    try:
        if timed:
            print("  new processes", file=sys.stderr)
            turns(timed, "cold", [asking_anew(query) for query in queries[: effort.cold]], effort)
        start_all(rows)
        if timed:
            for query in queries[:WARM_UP]:
                turns(timed, "warm up", [lambda row, query=query: ready(row) and row.searcher.search(query)], effort)
            print("  searches", file=sys.stderr)
            turns(timed, "warm", [asking(query) for query in queries], effort)
        print("  ranking", file=sys.stderr)
        start_all(rows)
        turns(rows, "ranking", [judging(question) for question in vault.questions], effort)
        if timed and vault.backlinks:
            print("  backlinks", file=sys.stderr)
            start_all(rows)
            pages = chance.sample(sorted(vault.backlinks), min(effort.queries, len(vault.backlinks)))
            turns(timed, "backlinks", [following_back(page, vault.backlinks[page]) for page in pages], effort)
        for row in timed:
            if ready(row):
                row.add("server peak", row.searcher.peak())
        if timed:
            print("  changes", file=sys.stderr)
            start_all(rows)
            pages = chance.sample(vault.pages(), min(effort.changes, len(vault.pages())))
            word = lambda: "".join(chance.choices(string.ascii_lowercase, k=14))
            turns(timed, "changed", [changing(page, word()) for page in pages], effort)
    finally:
        for row in rows:
            if ready(row):
                close(row)
    return rows


def record(vault, rows):
    """The rows as JSON, with every single measurement."""
    return {
        "vault": vault.name,
        "pages": len(vault.pages()),
        "questions": len(vault.questions),
        "rows": [{"name": row.contestant.name, "figures": row.figures, "failures": row.failures} for row in rows],
    }
