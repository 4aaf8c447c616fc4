#!/usr/bin/env python3
"""Tests the bench itself with small programs that answer, hang, crash and change their answers: `python3 tests.py`."""

import math
import pathlib
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))

import quality
import rounds
import table
import vaults
from children import Failure, Session, run
from contestants.base import Searcher, terms
from contestants.fts5 import Fts5

EFFORT = rounds.Effort(queries=4, cold=2, changes=1, budget=60, limit=20)


def python(code):
    return [sys.executable, "-c", code]


class Children(unittest.TestCase):
    def test_a_command_reports_time_and_memory(self):
        done = run(python("import time; b = bytearray(50_000_000); time.sleep(0.3); print('ok')"), 20)
        self.assertEqual(done.output, "ok\n")
        self.assertGreaterEqual(done.wall, 0.3)
        if pathlib.Path("/proc/self/status").exists():
            self.assertTrue(50e6 < done.peak < 200e6, done.peak)

    def test_a_command_that_hangs_is_killed(self):
        begun = time.monotonic()
        with self.assertRaisesRegex(Failure, "hung: not finished after 1 s"):
            run(python("import time; time.sleep(60)"), 1)
        self.assertLess(time.monotonic() - begun, 15)

    def test_crashes_and_errors_say_what_happened(self):
        with self.assertRaisesRegex(Failure, "crashed: SIGABRT"):
            run(python("import os; os.abort()"), 20)
        with self.assertRaisesRegex(Failure, "status 3: no such index"):
            run(python("import sys; print('no such index', file=sys.stderr); sys.exit(3)"), 20)
        with self.assertRaisesRegex(Failure, "cannot be started"):
            run(["/no/such/program"], 20)

    def test_a_server_that_ends_or_hangs_is_a_failure(self):
        server = Session(python("import sys; input(); print('out of luck', file=sys.stderr); sys.exit(7)"), 20)
        with self.assertRaisesRegex(Failure, "the server ended with status 7: out of luck"):
            server.ask("search", {})
        server.close()
        with self.assertRaisesRegex(Failure, "hung: no answer to search after 1 s"):
            Session(python("import time; time.sleep(60)"), 1).ask("search", {})

    def test_a_server_may_write_other_lines_before_its_answer(self):
        code = 'input(); print("log"); print(\'{"method": "note"}\'); print(\'{"id": 1, "result": 5}\', flush=True); input()'
        server = Session(python(code), 20)
        self.assertEqual(server.ask("x", {}), 5)
        server.close()


    def test_a_tool_may_answer_with_json_and_a_remark(self):
        answer = {"id": 1, "result": {"content": [{"type": "text", "text": "[5]"}, {"type": "text", "text": "1 of 9"}]}}
        server = Session(python(f"import json; input(); print(json.dumps({answer!r}), flush=True); input()"), 20)
        self.assertEqual(server.call("find"), [5])
        server.close()


class Quality(unittest.TestCase):
    def test_ndcg_is_that_of_trec_eval(self):
        self.assertEqual(quality.ndcg(["a", "b"], {"a": 1, "b": 1}), 1)
        self.assertAlmostEqual(quality.ndcg(["x", "a"], {"a": 1}), 1 / math.log2(3))
        self.assertAlmostEqual(quality.ndcg(["b", "a"], {"a": 2, "b": 1}), (1 + 2 / math.log2(3)) / (2 + 1 / math.log2(3)))
        self.assertEqual(quality.ndcg(list("bcdefghijka"), {"a": 1}), 0)

    def test_a_page_that_is_listed_twice_counts_once(self):
        self.assertAlmostEqual(quality.ndcg(["x", "x", "a"], {"a": 1}), 1 / math.log2(3))

    def test_only_the_first_page_is_a_first_hit(self):
        self.assertEqual([quality.first_hit(ranking, {"a": 1}) for ranking in (["a", "b"], ["b", "a"], [])], [1, 0, 0])


class Questions(unittest.TestCase):
    def test_terms_are_words_without_stop_words_and_groups_of_characters(self):
        self.assertEqual(terms("How does the Index know?"), ["index", "know"])
        self.assertEqual(terms("認証サーバー"), ["認証サ", "証サー", "サーバ", "ーバー"])
        self.assertEqual(terms("to be"), ["to", "be"])

    def test_a_written_vault_asks_for_names_headings_and_texts_of_links(self):
        with vault({"Login.md": "# Login\n\n## Signing in again\n\nx", "b.md": "# B\n\n[[Login|the entrance]] [[gone|lost]]"}) as folder:
            found = {one.text: list(one.grades) for one in vaults.written("v", folder, 30).questions}
        self.assertEqual(found, {"Login": ["Login.md"], "b": ["b.md"], "Signing in again": ["Login.md"], "the entrance": ["Login.md"]})


class Rows(unittest.TestCase):
    def test_a_contestant_that_fails_gets_a_row_and_the_others_go_on(self):
        pages = {f"page-{number}.md": f"# Page {number}\n\nword{number} text\n" for number in range(8)}
        with vault(pages) as folder, tempfile.TemporaryDirectory() as scratch:
            asked = [vaults.Question(f"word{number}", {f"page-{number}.md": 1}) for number in range(8)]
            measured = vaults.Vault("v", folder, asked, {"page-1.md": set()})
            contestants = [Fts5(), Crashing(), Hanging(), Strange(), absent(Crashing())]
            record = rounds.record(measured, rounds.measure(measured, contestants, pathlib.Path(scratch), EFFORT))
        fts5, crashing, hanging, strange, missing = record["rows"]
        self.assertEqual(fts5["figures"]["ndcg"], [1.0] * 8)
        self.assertEqual([len(fts5["figures"][name]) for name in ("build", "cold", "warm", "changed")], [1, 2, 4, 1])
        self.assertIn("status 9", crashing["failures"]["build"])
        self.assertIn("hung: no answer", " ".join(hanging["failures"].values()))
        self.assertIn("unexpected answer", strange["failures"]["ranking"])
        self.assertEqual(missing["failures"], {"not installed": "not in the registry"})
        shown = table.speed(record) + table.ranking([record]) + "\n".join(table.remarks([record]))
        for expected in ("| SQLite FTS5 | ", "1.000 / 1.00", "crashing | failed", "missing | not installed", "hung", "not in the registry"):
            self.assertIn(expected, shown)

    def test_a_slow_contestant_stops_when_its_time_is_used_up(self):
        row = rounds.Row(Fts5())
        tasks = [lambda row: (time.sleep(0.05), row.add("warm", 1))] * 100
        rounds.turns([row], "warm", tasks, rounds.Effort(1, 1, 1, budget=0.2, limit=1))
        self.assertTrue(3 <= len(row.figures["warm"]) <= 5, row.figures)


class Crashing(Fts5):
    name = "crashing"

    def build(self, place):
        return place.run(*python("import sys; sys.exit(9)"))


class Hanging(Fts5):
    name = "hanging"

    def open(self, place):
        place.limit = 1
        code = "print('{\"id\": 1, \"result\": []}', flush=True)\nimport time\ntime.sleep(60)"
        return Asking(place, place.session(*python(code)))


class Strange(Fts5):
    name = "strange"

    def open(self, place):
        code = 'import json, sys\nfor n, line in enumerate(sys.stdin, 1): print(json.dumps({"id": n, "result": 5}), flush=True)'
        return Asking(place, place.session(*python(code)))


class Asking(Searcher):
    def search(self, query):
        return self.session.ask("search", {})


def absent(contestant):
    contestant.name, contestant.absent = "missing", "not in the registry"
    return contestant


class vault:
    """A temporary folder with these pages."""

    def __init__(self, pages):
        self.pages = pages

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory()
        for name, text in self.pages.items():
            (pathlib.Path(self.folder.name) / name).write_text(text)
        return pathlib.Path(self.folder.name)

    def __exit__(self, *_):
        self.folder.cleanup()


if __name__ == "__main__":
    result = unittest.main(exit=False).result
    failed = len(result.failures) + len(result.errors)
    print(f"{result.testsRun - failed} passed, {failed} failed")
    sys.exit(failed > 0)
