"""The order of equal scores: recorded answers over trees of notes that differ in a word, and the engine itself."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from benchmarks.tie_trees import compare, tie_tree
from brvtui.lab.verification.installed import PACKAGE_VARIABLE
from brvtui.loading import load
from brvtui.tree.reading.project import find_project
from brvtui.tree.reading.signals import SignalLayers, defaults, read_signals_file
from tests.support import recorded
from tests.support.trees import BRV3

FILE = recorded.REPOSITORY / "tests" / "data" / "parity" / "equal-scores.json"
_TREES, _AT_ONCE = 500, 25


def test_recorded_answers(tmp_path: Path) -> None:
    queries = tied = 0
    for name, answers in recorded.read(FILE).items():
        project = tmp_path / name
        recorded.unpack(answers, project)
        signals = SignalLayers((read_signals_file(project / "signals.json", defaults(BRV3.signals)),))
        now_ms = recorded.milliseconds(answers["now"])
        snapshot = load(find_project(project), BRV3, now_ms, signals)
        assert snapshot is not None
        assert recorded.search_differences(snapshot, now_ms, answers) == []
        assert recorded.route_differences(snapshot, now_ms, answers) == []
        queries += len(answers["cases"])
        tied += sum(map(_has_ties, answers["cases"]))
    assert queries > 150
    assert tied > 100


def _has_ties(case: dict[str, Any]) -> bool:
    scores = [one["score"] for one in case["search"]["results"]]
    return len(set(scores)) < len(scores)


def test_generated_trees_are_the_same_each_time() -> None:
    assert tie_tree(7) == tie_tree(7)
    assert tie_tree(7) != tie_tree(8)


@pytest.mark.long
@pytest.mark.skipif(not os.environ.get(PACKAGE_VARIABLE), reason=f"{PACKAGE_VARIABLE} names no package of the engine")
@pytest.mark.parametrize("first", range(1, _TREES + 1, _AT_ONCE))
def test_the_engine_answers_generated_trees_the_same(first: int) -> None:
    queries, differences = compare(range(first, first + _AT_ONCE), Path(os.environ[PACKAGE_VARIABLE]))
    assert queries > 15 * _AT_ONCE
    assert differences == []
