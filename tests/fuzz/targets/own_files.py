"""The tool's own files: a broken file is treated like a missing one, and no other data is lost."""

from __future__ import annotations

import io
import json
from contextlib import suppress
from pathlib import Path

import numpy as np

from brvtui.engines.byterover.profile import load as profile
from brvtui.store.app_state import History
from brvtui.store.drafts import DraftStore
from brvtui.store.feedback import FeedbackFile
from brvtui.store.kept_index import KeptIndex
from brvtui.store.overlay import Overlay
from brvtui.store.vectors import VectorStore
from brvtui.trace.feedback import Usefulness
from brvtui.tree.reading.signals import defaults
from tests.fuzz.targets.target import QUERY, Target, Wrong, hits, message_form, planted
from tests.support.trees import BRV3

_MANY = 500
"""The number of files in a tree whose index is stored."""
_MOST = 5
_TEXT = b"# T\n\ndraft\n"


def _forget_damaged(file: Path) -> None:
    """Removes the copies of ``file`` that were set aside, because each input leaves one."""
    for aside in file.parent.glob("*.broken"):
        aside.unlink()


class Kept(Target):
    """The stored index of a tree."""

    def __init__(self, folder: Path) -> None:
        self.tree = planted(folder)
        self.tree.notes(_MANY, "filler of many words", folder="many")
        session = self.tree.session()
        self.expected = hits(session.preview(QUERY))
        session.keep(everything=True)
        session.close()
        self.file = KeptIndex(self.tree.tree).folder / "kept"
        self.kept = self.file.read_bytes()

    def seeds(self) -> list[bytes]:
        return [self.kept]

    def run(self, data: bytes) -> str:
        self.file.write_bytes(data)
        info = KeptIndex(self.tree.tree).info()
        session = self.tree.session()
        try:
            trace = session.preview(QUERY)
            if hits(trace) != self.expected:
                raise Wrong("a damaged index changes the results")
            session.keep(everything=True)
            if KeptIndex(self.tree.tree).read(profile("brv-3")) is None:
                raise Wrong("a damaged index is not made anew")
            notices = sorted({message_form(notice) for notice in trace.notices})
            return f"{info.problem and message_form(info.problem)} {notices}"
        finally:
            session.close()


class Vectors(Target):
    """The stored vectors of a model."""

    def __init__(self, folder: Path) -> None:
        self.store = VectorStore(planted(folder).tree, "mini")

    def seeds(self) -> list[bytes]:
        vectors = {f"{number:064x}": np.arange(4, dtype=np.float32) + number for number in range(9)}
        self.store.write(vectors)
        result = [self.store.path.read_bytes()]
        for arrays in ({"names": np.array(["a"])}, {"names": np.array([1]), "vectors": np.ones((1, 2), np.float32)}):
            buffer = io.BytesIO()
            np.savez_compressed(buffer, **arrays)
            result.append(buffer.getvalue())
        return result

    def run(self, data: bytes) -> str:
        self.store.path.parent.mkdir(parents=True, exist_ok=True)
        self.store.path.write_bytes(data)
        found = self.store.read()
        if not all(isinstance(name, str) and np.isfinite(vector).all() for name, vector in found.items()):
            raise Wrong("a vector is not made of numbers")
        return f"{len(found)}"


class OverlayFile(Target):
    """Recorded signals."""

    def __init__(self, folder: Path) -> None:
        self.tree = planted(folder)
        self.overlay = Overlay(self.tree.tree)
        self.overlay.path.parent.mkdir(parents=True, exist_ok=True)
        session = self.tree.session()
        self.expected = hits(session.preview(QUERY))
        session.close()

    def seeds(self) -> list[bytes]:
        value = {"importance": 70.5, "recency": 0.25, "maturity": "core", "accessCount": 4, "updateCount": 2}
        return [json.dumps({"x/good.md": value, "yard/gate.md": value}).encode()]

    def run(self, data: bytes) -> str:
        self.overlay.path.write_bytes(data)
        base = defaults(BRV3.signals)
        found = self.overlay.read(base)
        session = self.tree.session()
        try:
            if not found and hits(session.preview(QUERY)) != self.expected:
                raise Wrong("an overlay of which nothing is used changes the results")
            session.preview(QUERY)
            session.ageing.forecast(30)
            session.recording = True
            for notice in session.run(QUERY).notices:
                message_form(notice)
        finally:
            session.close()
        _forget_damaged(self.overlay.path)
        return f"{sorted(found)[:_MOST]} {len(found)} {len(self.overlay.read(base))}"


class Draft(Target):
    """A draft beside another."""

    def __init__(self, folder: Path) -> None:
        self.drafts = DraftStore(planted(folder).tree)
        self.drafts.keep("x/good.md", _TEXT, None, 1.0)
        (self.file,) = self.drafts.folder.glob("*.json")
        self.kept = self.file.read_bytes()
        self.drafts.keep("x/other.md", _TEXT, None, 1.0)
        self.files = {*self.drafts.folder.iterdir()}

    def seeds(self) -> list[bytes]:
        return [self.kept]

    def run(self, data: bytes) -> str:
        self.file.write_bytes(data)
        found = self.drafts.read("x/good.md")
        every = self.drafts.all()
        if not any(draft.path == "x/other.md" and draft.data == _TEXT for draft in every):
            raise Wrong("another draft is lost")
        for draft in every:
            _ = draft.is_being_edited, draft.is_on("0")
        self.drafts.keep("x/good.md", _TEXT, None, 2.0)
        after = self.drafts.read("x/good.md")
        if after is None or after.data != _TEXT:
            raise Wrong("a draft that is kept is not read")
        for file in self.drafts.folder.iterdir():
            if file not in self.files:
                file.unlink()
        return f"{found and found.path} {len(every)}"


class HistoryFile(Target):
    """The queries that were run."""

    def __init__(self, folder: Path) -> None:
        self.history = History(planted(folder).tree, 20)

    def seeds(self) -> list[bytes]:
        return [b'["quokka", "anchor"]']

    def run(self, data: bytes) -> str:
        self.history.path.parent.mkdir(parents=True, exist_ok=True)
        self.history.path.write_bytes(data)
        before = self.history.read()
        with suppress(UnicodeEncodeError):
            if self.history.add("new")[-1] != "new" or self.history.read()[-1] != "new":
                raise Wrong("a query that is added is not read")
        _forget_damaged(self.history.path)
        return f"{len(before)}"


class Feedback(Target):
    """Feedback of users on results, and an engine that learns from it."""

    def __init__(self, folder: Path) -> None:
        self.tree = planted(folder)
        self.file = FeedbackFile(self.tree.tree, "soleri")
        self.file.path.parent.mkdir(parents=True, exist_ok=True)
        session = self.tree.session()
        self.expected = hits(session.preview(QUERY, engine="soleri"))
        session.close()

    def seeds(self) -> list[bytes]:
        rows = [{"query": "q", "entry": "x/good.md", "usefulness": said, "at_ms": 1.0} for said in Usefulness]
        return [b"\n".join(json.dumps(row).encode() for row in rows)]

    def run(self, data: bytes) -> str:
        self.file.path.write_bytes(data)
        counts = self.file.counts()
        session = self.tree.session()
        try:
            found = hits(session.preview(QUERY, engine="soleri"))
        finally:
            session.close()
        if not counts and found != self.expected:
            raise Wrong("feedback of which nothing is used changes the results")
        return f"{sorted(counts.items())}"
