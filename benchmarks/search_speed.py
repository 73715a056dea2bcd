"""Measures searches over one tree in this process: by brv-tui with their traces, by other programs without one, and by
the real engine.

Each program runs the same queries, first once to warm up and then in three passes. SQLite's FTS5, tantivy and bm25s
search the texts of the notes for any of the words and return ten: a lower bound for the time of a search.
"""

from __future__ import annotations

import gc
import json
import os
import re
import sqlite3
import subprocess
import time
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from benchmarks.many_terms import time_of
from benchmarks.timings import peak_mb, percentile

_PASSES = 3
_LIMIT = 10
_WORDS = re.compile(r"\w+")


def brv_tui(tree: Path, queries: Path, profile: Path) -> dict[str, dict[str, float]]:
    """The times of ByteRover's search, of whole answers and of opening the tree, and the memory. Each pass computes
    everything again.
    """
    from brvtui.session import Session

    begun = time.perf_counter()
    session = Session.open(tree, str(profile), time_of(tree), tree / "signals.json")
    session.load()
    opened_ms = (time.perf_counter() - begun) * 1000
    forget = session.snapshot.postings.forget
    return {
        "search": _latency(queries, lambda query: session.search(query, _LIMIT), forget),
        "answer": _latency(queries, session.preview, forget),
        "process": {"open": opened_ms, "mb": peak_mb()},
    }


def fts5(tree: Path, queries: Path) -> dict[str, float]:
    """The times of SQLite's FTS5."""
    database = sqlite3.connect(":memory:")
    database.execute("CREATE VIRTUAL TABLE notes USING fts5(text)")
    database.executemany("INSERT INTO notes VALUES (?)", ((text,) for text in _texts(tree)))
    select = f"SELECT rowid FROM notes WHERE notes MATCH ? ORDER BY rank LIMIT {_LIMIT}"

    def search(query: str) -> object:
        return database.execute(select, (" OR ".join(f'"{word}"' for word in _WORDS.findall(query)),)).fetchall()

    return _latency(queries, search)


def tantivy(tree: Path, queries: Path) -> dict[str, float]:
    """The times of tantivy alone."""
    from tantivy import Document, Index, SchemaBuilder

    builder = SchemaBuilder()
    builder.add_text_field("text")
    index = Index(builder.build())
    writer = index.writer()
    for text in _texts(tree):
        writer.add_document(Document(text=text))
    writer.commit()
    index.reload()
    searcher = index.searcher()
    return _latency(queries, lambda query: searcher.search(index.parse_query(query, ["text"]), _LIMIT).hits)


def bm25s(tree: Path, queries: Path) -> dict[str, float] | None:
    """The times of bm25s; None if it is not installed."""
    if find_spec("bm25s") is None:
        return None
    import bm25s as library  # type: ignore[import-not-found,unused-ignore]

    index = library.BM25()
    index.index(library.tokenize(list(_texts(tree)), show_progress=False), show_progress=False)

    def search(query: str) -> object:
        return index.retrieve(library.tokenize(query, show_progress=False), k=_LIMIT, show_progress=False)

    return _latency(queries, search)


def engine(tree: Path, queries: Path, package: Path, oracle: Path) -> dict[str, float]:
    """The times of the real engine, and its memory, printed by ``oracle``, a script that drives ``package``."""
    command = ["node", str(oracle), str(tree), "--time", "--queries", str(queries)]
    env = {**os.environ, "BRV_PKG": str(package)}
    printed: dict[str, Any] = json.loads(subprocess.run(command, env=env, capture_output=True, check=True).stdout)
    latency = printed["latency_ms"]
    return {"p50": latency["p50"], "p95": latency["p95"], "open": printed["build_ms"], "mb": printed["rss_mb"]}


def _texts(tree: Path) -> Iterator[str]:
    return (file.read_text(encoding="utf-8") for file in sorted((tree / ".brv" / "context-tree").rglob("*.md")))


def _latency(
    queries: Path, search: Callable[[str], object], forget: Callable[[], None] | None = None
) -> dict[str, float]:
    """The median and the 95th percentile of ``search`` in milliseconds."""
    asked = [row["query"] for row in json.loads(queries.read_text(encoding="utf-8"))]
    gc.collect()
    gc.freeze()  # as in the app after a tree was read
    times = list[float]()
    for number in range(1 + _PASSES):
        if forget is not None:
            forget()
        for query in asked:
            begun = time.perf_counter()
            search(query)
            if number:
                times.append((time.perf_counter() - begun) * 1000)
    return {"p50": percentile(times, 0.5), "p95": percentile(times, 0.95)}
