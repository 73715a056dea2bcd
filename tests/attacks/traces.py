"""Saved traces with one text of 7 MB, or with very many texts, shown in every form and in the app; huge titles."""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any

from brvtui.saved.traces import as_json
from tests.attacks.harness import Attack, report
from tests.support.trees import Tree

_PIECE = "quokka [red]\n* gate _x_ ` 漢\u0301 "
_HUGE = _PIECE * 220_000
_LONG = _PIECE * 340
"""9,860 characters, just below the length at which texts are cut."""
_WORDS = "refresh [red]\n* tokens _x_ ` "
_SPACE = "22222222-2222-4222-8222-222222222222"
_APP_SECONDS, _TOPIC_SECONDS = 8.0, 10.0
"""Limits on CPU time: for the app, most of which is its start, and for topics of 22 MB, most of which is the search."""

Place = tuple[str | int, ...]
PLACES: dict[str, Place] = {
    "title": ("trace", "hits", 0, "title"),
    "path": ("trace", "hits", 0, "path"),
    "file": ("trace", "hits", 0, "file"),
    "entity": ("trace", "hits", 0, "found_by"),
    "matched word": ("trace", "hits", 0, "words", 0, "word"),
    "word of the query": ("trace", "hits", 0, "words", 0, "query"),
    "field of a word": ("trace", "hits", 0, "words", 0, "fields", 0),
    "name of a part": ("trace", "hits", 0, "parts", 0, "name"),
    "note of a part": ("trace", "hits", 0, "parts", 0, "note"),
    "source of signals": ("trace", "hits", 0, "signals", "source"),
    "maturity": ("trace", "hits", 0, "signals", "maturity"),
    "label of a step": ("trace", "steps", 0, "label"),
    "summary of a step": ("trace", "steps", 0, "summary"),
    "note of a check": ("trace", "steps", -4, "checks", 0, "note"),
    "name of a stage": ("trace", "stages", 0, "name"),
    "message": ("trace", "notices", 0),
    "verdict": ("trace", "verdict"),
    "version": ("trace", "version"),
    "profile": ("trace", "profile"),
    "name of an engine": ("trace", "engine"),
    "scope": ("trace", "scope_option"),
    "project": ("trace", "snapshot", "project"),
    "answer": ("trace", "answer", "text"),
    "source of an answer": ("trace", "answer", "sources", 0),
    "program that saved it": ("saved_by",),
}
_IN_APP = (
    "title",
    "path",
    "file",
    "matched word",
    "name of a part",
    "summary of a step",
    "message",
    "project",
    "answer",
)


@cache
def _saved() -> bytes:
    """A saved trace of a direct answer."""
    with tempfile.TemporaryDirectory() as folder:
        tree = Tree(Path(folder))
        tree.note("x/good.md", "Quokka", "all about the quokka and its anchor", 45, importance=70, maturity="core")
        tree.note("yard/gate.md", "Gate", "the gate opens north", 90)
        tree.notes(8)
        session = tree.session()
        return as_json(session.explainer.saved(session.run("quokka anchor")))


def with_text(place: Place, text: str) -> dict[str, Any]:
    """A saved trace with ``text`` at ``place``, which must contain a string; an empty list gets an entry."""
    plain: dict[str, Any] = json.loads(_saved())
    held: Any = plain
    for key in place[:-1]:
        held = held[key]
    if isinstance(held, list) and not held:
        held.append("")
    assert isinstance(held[place[-1]], str)
    held[place[-1]] = text
    return plain


def _many(change: Callable[[dict[str, Any]], None]) -> dict[str, Any]:
    plain: dict[str, Any] = json.loads(_saved())
    change(plain["trace"])
    return plain


def _notices(trace: dict[str, Any]) -> None:
    trace["notices"] = [f"n{number}" for number in range(700_000)]


def _hits(trace: dict[str, Any]) -> None:
    trace["hits"] = [{**trace["hits"][0], "title": _LONG} for _ in range(450)]


def _words(trace: dict[str, Any]) -> None:
    first = trace["hits"][0]
    first["words"] = [{**first["words"][0], "word": _LONG} for _ in range(450)]


def _paths(trace: dict[str, Any]) -> None:
    paths = [f"{_LONG}{number}" for number in range(300)]
    trace["hits"] = [{**trace["hits"][0], "path": path, "file": path} for path in paths]


def _one_time(trace: dict[str, Any]) -> None:
    trace["timings"][_HUGE] = 1.0


def _times(trace: dict[str, Any]) -> None:
    trace["timings"] |= {f"{_LONG}{number}": 1.0 for number in range(700)}


_MANY = {
    "700,000 messages": _notices,
    "450 long titles": _hits,
    "450 long words": _words,
    "300 long paths": _paths,
    "7 MB in one name of a time": _one_time,
    "700 long names of times": _times,
}
_APP = """
import asyncio, sys
from pathlib import Path
from brvtui.app.app import BrvTui
from brvtui.app.project.opening import Opening
from tests.app import waiting

async def run():
    app = BrvTui(Opening(Path(sys.argv[-1]), None, None, None))
    async with app.run_test(size=(80, 24)) as pilot:
        await asyncio.wait_for(waiting.at_rest(app), 30)
        assert app.store.shown.answered is not None
        for key in ("j", "f2", "f3", "f4", "f5", "f6", "f7", "f8", "ctrl+q"):
            await pilot.press(key)

asyncio.run(run())
"""


def _show(plain: Callable[[], dict[str, Any]], *options: str) -> Callable[[Path], Sequence[str | Path]]:
    def prepare(folder: Path) -> Sequence[str | Path]:
        file = folder / "saved.json"
        file.write_text(json.dumps(plain(), ensure_ascii=False), "utf-8")
        return ["show", *options, file]

    return prepare


def _titled(command: Sequence[str], start: str) -> Callable[[Path], Sequence[str | Path]]:
    """A space of 12 topics of almost 2 MB, each of which is a long text after ``start`` and a number."""

    def prepare(folder: Path) -> Sequence[str | Path]:
        tree = folder / _SPACE / "context-tree"
        tree.mkdir(parents=True)
        for number in range(12):
            text = f'<bv-topic {start}gate {number} {_WORDS * 63_000}"><bv-fact>gate</bv-fact></bv-topic>'
            (tree / f"x{number}.html").write_text(text, "utf-8")
        return [*command, "--root", tree]

    return prepare


_TOPICS = {"title": 'title="', "summary": 'title="Gate" summary="'}
_COMMANDS = (
    ("query", "north gate"),
    ("query", "north gate", "--save", "x.svg", "--save", "x.md"),
    ("explain", "north gate", "x3.html"),
    ("why", "north gate", "x3.html", "x4.html"),
)


def _all() -> Iterator[Attack]:
    shown: dict[str, Callable[[], dict[str, Any]]] = {
        f"7 MB in one {name}": partial(with_text, place, _HUGE) for name, place in PLACES.items()
    }
    shown |= {name: partial(_many, change) for name, change in _MANY.items()}
    for form in ("text", "md", "svg"):
        for name, plain in shown.items():
            yield Attack(f"a trace with {name}, as {form}", _show(plain, "--format", form))
    for name in (*(f"7 MB in one {name}" for name in _IN_APP), *_MANY):
        yield Attack(f"a trace with {name}, in the app", _show(shown[name]), _APP, cpu_seconds=_APP_SECONDS)
    for command in _COMMANDS:
        for name, start in _TOPICS.items():
            prepare = _titled(command, start)
            yield Attack(f"12 topics with 2 MB in the {name}: {' '.join(command)}", prepare, cpu_seconds=_TOPIC_SECONDS)


ATTACKS = tuple(_all())

if __name__ == "__main__":
    sys.exit(bool(report(ATTACKS)))
