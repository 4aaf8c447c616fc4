"""The program behind the contestant "SQLite FTS5": `fts5_worker.py DATABASE TOKENIZER update|search|serve [QUERY LIMIT]`.

It works on the Markdown files of the current folder. It is a program of its own so that its time and memory can be measured
as those of the others.
"""

import json
import os
import pathlib
import re
import sqlite3
import sys


def connect(path, tokenizer):
    database = sqlite3.connect(path)
    database.execute("PRAGMA journal_mode = WAL")
    database.execute("CREATE TABLE IF NOT EXISTS files (id INTEGER PRIMARY KEY, path TEXT UNIQUE, stamp TEXT)")
    database.execute(f"CREATE VIRTUAL TABLE IF NOT EXISTS pages USING fts5(title, body, tokenize = '{tokenizer}')")
    return database


def files():
    for folder, folders, names in os.walk("."):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for name in names:
            if name.endswith(".md"):
                yield os.path.join(folder, name)[2:]


def update(database):
    """Indexes new and changed pages, and drops deleted ones."""
    known = {path: (number, stamp) for number, path, stamp in database.execute("SELECT id, path, stamp FROM files")}
    with database:
        for path in files():
            about = os.stat(path)
            stamp = f"{about.st_mtime_ns} {about.st_size}"
            number, before = known.pop(path, (None, None))
            if stamp == before:
                continue
            if number is not None:
                database.execute("DELETE FROM pages WHERE rowid = ?", (number,))
            text = pathlib.Path(path).read_text(encoding="utf-8", errors="replace")
            heading = re.search(r"^# +(.+)$", text, re.MULTILINE)
            title = heading[1] if heading else pathlib.Path(path).stem
            row = database.execute("INSERT OR REPLACE INTO files (id, path, stamp) VALUES (?, ?, ?)", (number, path, stamp))
            database.execute("INSERT INTO pages (rowid, title, body) VALUES (?, ?, ?)", (row.lastrowid, title, text))
        for number, _ in known.values():
            database.execute("DELETE FROM pages WHERE rowid = ?", (number,))
            database.execute("DELETE FROM files WHERE id = ?", (number,))


def search(database, tokenizer, query, limit):
    words = re.findall(r"\w+", query)
    if tokenizer == "trigram":
        words = [word[at : at + 3] for word in words for at in range(max(1, len(word) - 2))]
        words = [word for word in words if len(word) == 3]
    match = " OR ".join(f'"{word}"' for word in dict.fromkeys(words))
    if not match:
        return []
    sql = "SELECT path FROM pages JOIN files ON files.id = pages.rowid WHERE pages MATCH ? ORDER BY bm25(pages) LIMIT ?"
    return [path for path, in database.execute(sql, (match, limit))]


def serve(database, tokenizer):
    for line in sys.stdin:
        request = json.loads(line)
        if request["method"] == "update":
            answer = update(database)
        else:
            answer = search(database, tokenizer, **request["params"])
        print(json.dumps({"id": request["id"], "result": answer}), flush=True)


if __name__ == "__main__":
    place, kind, task, *more = sys.argv[1:]
    opened = connect(place, kind)
    if task == "update":
        update(opened)
    elif task == "search":
        print(json.dumps(search(opened, kind, more[0], int(more[1]))))
    else:
        serve(opened, kind)
