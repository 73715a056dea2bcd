"""Results of the real engine for hits, updates and notes to archive (``benchmarks/record_maturity.py``)."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from brvtui.engines.ageing.board import Board
from brvtui.engines.ageing.events import ARCHIVE, PRUNING, Event
from brvtui.engines.ageing.forecast import after_hits, after_updates
from brvtui.tree.reading.signals import NoteSignals, Source, defaults, from_mapping
from tests.support.recorded import REPOSITORY
from tests.support.trees import BRV3, Tree

RECORDED: dict[str, Any] = json.loads(
    (REPOSITORY / "tests" / "data" / "parity" / "maturity.json").read_text(encoding="utf-8")
)


@pytest.fixture(autouse=True)
def utc(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Sets the time zone of the recordings, because times without a zone are local."""
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def signals(value: Any) -> NoteSignals:
    result = from_mapping(value, Source.SIDECAR, defaults(BRV3.signals), partial=False)
    assert result is not None
    return result


@pytest.mark.parametrize("case", RECORDED["hits"])
def test_recorded_effects_of_access_hits_match(case: dict[str, Any]) -> None:
    result = after_hits(signals(case["before"]), 1.0, True, case["times"], BRV3.ageing)
    then = signals(case["after"])
    assert (result.signals.importance, result.signals.maturity, result.signals.recency) == (
        then.importance,
        then.maturity,
        then.recency,
    )
    assert (result.signals.access_count, result.signals.update_count) == (then.access_count, then.update_count)


@pytest.mark.parametrize("case", RECORDED["updates"])
def test_recorded_effects_of_updates_match(case: dict[str, Any]) -> None:
    result = after_updates(signals(case["before"]), 1.0, True, case["times"], BRV3.ageing)
    then = signals(case["after"])
    assert (result.signals.importance, result.signals.maturity, result.signals.recency) == (
        then.importance,
        then.maturity,
        then.recency,
    )
    assert (result.signals.access_count, result.signals.update_count) == (then.access_count, then.update_count)


@pytest.mark.parametrize("case", RECORDED["trees"])
def test_recorded_archiving_and_pruning_candidates_match(case: dict[str, Any], tmp_path: Path) -> None:
    tree = Tree(tmp_path / "project")
    now_ms = RECORDED["now_ms"]
    for note in case["notes"]:
        tree.file(note["path"], note["text"], (now_ms - note["mtime_ms"]) / 86_400_000)
        if "signals" in note:
            tree.signals[note["path"]] = signals(note["signals"])
    board = Board(tree.snapshot(), BRV3.ageing, now_ms)
    assert offered(board, ARCHIVE) == case["archive"]
    assert offered(board, PRUNING) == case["pruning"]


def offered(board: Board, event: Event) -> list[str]:
    return sorted(board.snapshot.notes[place].path for place in np.flatnonzero(board.today.has_come[event]).tolist())


def test_recording_covers_every_kind_of_change() -> None:
    assert sum(len(tree["archive"]) for tree in RECORDED["trees"]) > 20
    assert sum(len(tree["pruning"]) for tree in RECORDED["trees"]) > 20
    moves = {(case["before"]["maturity"], case["after"]["maturity"]) for case in RECORDED["hits"]}
    assert {("draft", "validated"), ("validated", "core"), ("draft", "core"), ("core", "validated")} <= moves
