"""Files of the tool's own state: no changed bit goes unnoticed, and what was damaged is kept and named."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from brvtui.logbook import SessionLog
from brvtui.session import Session
from brvtui.store.app_state import History, LayoutStore
from brvtui.store.drafts import DraftStore
from brvtui.store.feedback import FeedbackFile
from brvtui.store.overlay import Overlay
from brvtui.store.state_file import read_state, set_aside, write_state
from brvtui.store.vectors import VectorStore
from brvtui.trace.feedback import Feedback, Usefulness
from brvtui.tree.engine_files.query_log import LoggedQuery
from brvtui.tree.reading.signals import defaults
from tests.support.trees import BRV3, NOW_MS, Tree, stored

BASE = defaults(BRV3.signals)


def test_a_state_comes_back_and_one_without_a_checksum_too(tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    write_state(file, {"a\udce9": [1, "é"]})
    assert read_state(file) == {"a\udce9": [1, "é"]}
    file.write_text('{"of an earlier version": 1}')
    assert read_state(file) == {"of an earlier version": 1}


@pytest.mark.parametrize("text", ['{"a": 1', "[1]", '{"a": 1}\nsha256:00\n', "[" * 100_000])
def test_what_is_damaged_is_not_overwritten(tmp_path: Path, text: str) -> None:
    file = tmp_path / "a.json"
    file.write_text(text)
    write_state(file, {"a": 2})
    assert read_state(file) == {"a": 2}
    assert [kept.read_text() for kept in set_aside(tmp_path)] == [text]
    write_state(file, {"a": 3})
    assert len(set_aside(tmp_path)) == 1


KINDS: dict[str, tuple[Callable[[Path], Any], Callable[[Path], Any]]] = {
    "overlay.json": (lambda t: Overlay(t).write({"a.md": stored()}), lambda t: Overlay(t).read(BASE)),
    "history.json": (lambda t: History(t, 9).add("where?"), lambda t: History(t, 9).read()),
    "layout.json": (lambda t: LayoutStore(t).write({"Query": {}}), lambda t: LayoutStore(t).read()),
    "drafts/*.json": (lambda t: DraftStore(t).keep("a.md", b"text", None, 1), lambda t: DraftStore(t).all()),
}


@pytest.mark.parametrize("name", KINDS)
def test_a_flipped_bit_is_noticed_and_told_and_what_was_there_is_kept(tree: Tree, name: str) -> None:
    tree.note("a.md", "A")
    write, read = KINDS[name]
    write(tree.tree)
    (file,) = DraftStore(tree.tree).folder.parent.glob(name)
    whole, known = file.read_bytes(), read(tree.tree)
    empty = type(known)()
    for place in range(0, len(whole) * 8, 5):
        changed = bytearray(whole)
        changed[place // 8] ^= 1 << place % 8
        file.write_bytes(changed)
        assert read(tree.tree) == empty, f"bit {place}"
    session = tree.session()
    (kept,) = set_aside(file.parent)
    assert kept.read_bytes() == bytes(changed)
    assert not file.exists()
    told = f"{kept}: damaged, and counts as missing; save what you need, then remove it"
    assert session.snapshot.notices == (told,)
    assert session.probe("a").notices[0] == told
    write(tree.tree)
    assert len(read(tree.tree)) == 1
    kept.unlink()
    assert tree.session().snapshot.notices == ()


def test_a_flipped_bit_in_a_line_costs_that_line(tree: Tree) -> None:
    log, feedback = SessionLog(tree.tree), FeedbackFile(tree.tree, "byterover")
    for _ in range(2):
        log.add(LoggedQuery(float(NOW_MS), "where?", "brv-tui", "completed"))
        feedback.add(Feedback("where?", "a.md", next(iter(Usefulness)), float(NOW_MS)))
    for file, count in ((log.path, lambda: len(log.read(9))), (feedback.path, lambda: feedback.counts().total())):
        whole = file.read_bytes()
        assert count() == 2
        first = whole.index(b"\n")
        for place in range(0, first * 8, 3):
            changed = bytearray(whole)
            changed[place // 8] ^= 1 << place % 8
            file.write_bytes(changed)
            assert count() == 1, f"bit {place}"


def test_flipped_bits_in_vectors_mean_that_there_are_none(tree: Tree) -> None:
    import numpy as np

    store = VectorStore(tree.tree, "model")
    store.write({"a": np.ones(3, dtype=np.float32)})
    whole = store.path.read_bytes()
    assert store.read().keys() == {"a"}
    for place in range(0, len(whole) * 8, 7):
        changed = bytearray(whole)
        changed[place // 8] ^= 1 << place % 8
        store.path.write_bytes(changed)
        assert store.read() == {}, f"bit {place}"


def test_damaged_files_stop_no_command(tree: Tree) -> None:
    """Each of them in turn, and all at once."""
    tree.note("a.md", "Quokka", "all about the quokka")
    for write, _ in KINDS.values():
        write(tree.tree)
    folder = DraftStore(tree.tree).folder.parent
    for file in [*folder.glob("*.json"), *folder.glob("drafts/*.json")]:
        file.write_bytes(b"\xff" + file.read_bytes())
    session = Session.open(tree.root)
    session.load()
    session.recording = True
    assert session.run("quokka").hits
    session.history.add("quokka")
    assert session.history.read() == ["quokka"]
    assert session.forget() == 1
    assert session.layouts.read() == {}
    session.close()
