"""Access hits in the tool's own overlay."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from brvtui.store.state_file import read_state
from brvtui.trace import Origin
from brvtui.trace.routing import Route
from tests.support.trees import Tree, paths
from tests.support.untouched import state_of

Make = Callable[[str], Tree]


def test_recording_goes_to_the_tools_own_overlay(quokkas: Tree, own_data_folders: Path) -> None:
    before = state_of(quokkas.root, own_data_folders / "engine")
    session = quokkas.session()
    session.recording = True
    session.probe("quokka")
    assert not (own_data_folders / "tool").exists()
    trace = session.run("quokka")
    assert "x/n.md" in paths(trace)
    written = [path for path in (own_data_folders / "tool").rglob("*") if path.is_file()]
    assert [path.name for path in written] == ["overlay.json"]
    recorded = read_state(written[0])
    assert recorded["x/n.md"] == {
        "accessCount": 5,
        "importance": 64,
        "maturity": "draft",
        "recency": 1,
        "updateCount": 0,
    }
    assert state_of(quokkas.root, own_data_folders / "engine") == before
    position = session.snapshot.by_path["x/n.md"]
    assert (session.snapshot.signals[position].importance, session.snapshot.signals[position].source) == (64, "overlay")
    session.engines.clear_caches()
    session.run("quokka")
    assert read_state(written[0])["x/n.md"]["maturity"] == "validated"


def test_a_cached_answer_records_nothing(quokkas: Tree, own_data_folders: Path) -> None:
    session = quokkas.session()
    session.run("quokka")
    session.recording = True
    assert not session.run("quokka").section(Route).used
    assert not (own_data_folders / "tool").exists()


def test_shared_and_propagated_hits_are_not_recorded(tree: Tree, make_tree: Make, own_data_folders: Path) -> None:
    other = make_tree("other")
    other.note("pay/c.md", "Quokka", "quokka")
    other.file("pay/context.md", "# Pay")
    tree.note("x/n.md", "Quokka", "quokka")
    tree.file("x/context.md", "# Quokka\nquokka")
    tree.source(("lib", other))
    tree.notes(30)
    session = tree.session()
    session.recording = True
    trace = session.run("quokka")
    assert any(hit.shared_source for hit in trace.hits)
    assert {hit.path for hit in trace.hits if hit.origin is Origin.PROPAGATED} >= {"x"}
    overlay = next((own_data_folders / "tool").rglob("overlay.json"))
    recorded = read_state(overlay)
    assert set(recorded) == {"x/n.md", "x/context.md"}
    assert {entry["importance"] for entry in recorded.values()} == {53}


def test_a_record_that_fails_keeps_the_answer(quokkas: Tree, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    blocked = tmp_path / "blocked"
    blocked.write_text("a file where the data folder should be")
    monkeypatch.setenv("BRV_TUI_DATA_DIR", str(blocked))
    session = quokkas.session()
    session.recording = True
    trace = session.run("quokka")
    assert trace.hits
    assert "cannot be recorded" in trace.notices[-1]


def test_a_recorded_hit_reaches_the_next_ranking(quokkas: Tree) -> None:
    session = quokkas.session()
    session.recording = True
    trace = session.run("quokka")
    file = trace.hits[0].file
    position = session.snapshot.by_path[file]
    assert session.snapshot.signals[position].source == "overlay"
