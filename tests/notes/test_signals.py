"""Storing signals where the user chose; the engine's sidecar is never written."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from brvtui.notes.plan import NoteError
from brvtui.notes.signals import SignalTarget
from brvtui.store.overlay import Overlay
from brvtui.tree.reading.signals import NoteSignals, Source, defaults
from tests.notes.conftest import Files
from tests.support.trees import BRV3, Tree, stored

BASE = defaults(BRV3.signals)
NEW = stored(importance=72.5, recency=0.5, maturity="validated", access_count=3, update_count=1)
NOTE = "---\r\ntitle:   North # kept\r\nimportance: 10\r\n---\r\n# North\r\n"


@pytest.fixture
def yard(tree: Tree) -> Tree:
    tree.file("yard/gates/north.md", NOTE, days=5)
    tree.read_frontmatter()
    return tree


def test_in_the_overlay(yard: Tree, files: Callable[[], Files]) -> None:
    before = files()
    session = yard.session()
    done = session.notes.apply(session.notes.plan_signals("yard/gates/north.md", NEW, SignalTarget.OVERLAY))
    said = "only this tool reads its overlay; ByteRover's own store is not written"
    assert done.notices == (f"yard/gates/north.md: {said}",)
    assert files() == before
    assert session.snapshot.signals == (replace(NEW, source=Source.OVERLAY),)
    session.notes.undo()
    assert session.snapshot.signals[0].source is Source.FRONTMATTER
    assert Overlay(yard.tree).read(BASE) == {}


def test_in_the_frontmatter(yard: Tree, files: Callable[[], Files]) -> None:
    before = files()
    session = yard.session()
    plan = session.notes.plan_signals("yard/gates/north.md", NEW, SignalTarget.FRONTMATTER)
    done = session.notes.apply(plan)
    assert done.notices == (
        "yard/gates/north.md: ByteRover 3.14 does not read signals from frontmatter; this tool does, by "
        "signals.frontmatter",
    )
    data, mtime = files()["yard/gates/north.md"]
    assert data.decode() == (
        "---\r\ntitle:   North # kept\r\nimportance: 72.5\r\nrecency: 0.5\r\nmaturity: validated\r\naccessCount: 3\r\n"
        "updateCount: 1\r\n---\r\n# North\r\n"
    )
    assert mtime == before["yard/gates/north.md"][1]
    assert session.snapshot.signals == (replace(NEW, source=Source.FRONTMATTER),)
    session.notes.undo()
    assert files() == before


def test_in_the_frontmatter_that_nobody_reads(yard: Tree) -> None:
    yard.settings("")
    session = yard.session()
    done = session.notes.apply(session.notes.plan_signals("yard/gates/north.md", NEW, SignalTarget.FRONTMATTER))
    assert done.notices == (
        "yard/gates/north.md: neither ByteRover 3.14 nor this tool reads signals from frontmatter, unless "
        "signals.frontmatter is on",
    )
    assert session.snapshot.signals[0].source is Source.DEFAULT


def test_a_note_can_become_young(yard: Tree, files: Callable[[], Files]) -> None:
    before = files()
    notes = yard.session().notes
    notes.apply(notes.plan_signals("yard/gates/north.md", NEW, SignalTarget.FRONTMATTER, keep_mtime=False))
    assert files()["yard/gates/north.md"][1] > before["yard/gates/north.md"][1]


@pytest.mark.parametrize(("overlay", "winner"), [(True, "this tool's overlay"), (False, "ByteRover's own store")])
def test_signals_that_win_are_told(yard: Tree, overlay: bool, winner: str) -> None:
    kept = yard.sidecar_file("yard/gates/north.md", {"importance": 61})
    before = kept.read_bytes()
    if overlay:
        Overlay(yard.tree).write({"yard/gates/north.md": replace(NEW, source=Source.OVERLAY)})
    notes = yard.session().notes
    done = notes.apply(notes.plan_signals("yard/gates/north.md", stored(importance=80), SignalTarget.FRONTMATTER))
    assert done.notices[-1] == f"yard/gates/north.md: {winner} has signals of it too, and these win"
    assert kept.read_bytes() == before


@pytest.mark.parametrize(
    ("signals", "notices"),
    [
        (stored(importance=50, maturity="validated"), ()),
        (
            stored(importance=50, maturity="core"),
            ("the next access hit makes it validated: core is kept from an importance of 60 on",),
        ),
        (
            stored(importance=64, maturity="draft"),
            ("the next access hit makes it validated: draft is promoted from an importance of 65 on",),
        ),
    ],
)
def test_what_the_next_access_hit_makes_of_it_is_told(yard: Tree, signals: NoteSignals, notices: tuple[str]) -> None:
    plan = yard.session().notes.plan_signals("yard/gates/north.md", signals, SignalTarget.OVERLAY)
    assert plan.notices[:-1] == notices


@pytest.mark.parametrize("where", list(SignalTarget))
def test_a_signals_file_wins_over_both_places(yard: Tree, tmp_path: Path, where: SignalTarget) -> None:
    given = tmp_path / "given.json"
    given.write_text(json.dumps({"yard/gates/north.md": {"importance": 30}}), encoding="utf-8")
    session = yard.session(signals_file=given)
    done = session.notes.apply(session.notes.plan_signals("yard/gates/north.md", NEW, where))
    assert done.notices[1:] == ("yard/gates/north.md: the signals file has signals of it too, and these win",)
    assert session.snapshot.signals[0].importance == 30


@pytest.mark.parametrize(
    "signals",
    [
        stored(importance=100.5),
        stored(importance=-1),
        stored(importance=float("nan")),
        stored(recency=1.5),
        stored(maturity="old"),
        stored(access_count=-1),
        stored(update_count=1.5),
    ],
)
@pytest.mark.parametrize("where", list(SignalTarget))
def test_what_is_no_signal(yard: Tree, signals: NoteSignals, where: SignalTarget, files: Callable[[], Files]) -> None:
    before = files()
    with pytest.raises(NoteError, match="these are not signals"):
        yard.session().notes.plan_signals("yard/gates/north.md", signals, where)
    assert files() == before


@pytest.mark.parametrize("text", ["---\ntitle: [\n---\n", "---\na: &x 1\nimportance: *x\n---\n", b"\0binary"])
def test_notes_that_cannot_be_written_so(yard: Tree, text: str | bytes) -> None:
    yard.file("yard/bad.md", text)
    with pytest.raises(NoteError, match=r"^yard/bad\.md: "):
        yard.session().notes.plan_signals("yard/bad.md", NEW, SignalTarget.FRONTMATTER)
    with pytest.raises(NoteError, match=r"^gone\.md: "):
        yard.session().notes.plan_signals("gone.md", NEW, SignalTarget.FRONTMATTER)
