"""Recorded answers over trees whose notes differ in one word, and to queries that contain only stop words."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from benchmarks.tie_trees import compare, tie_tree
from brvtui.engines.verification.installed import PACKAGE_VARIABLE
from brvtui.loading import load
from brvtui.tree.reading.project import find_project
from brvtui.tree.reading.signals import SignalLayers, defaults, read_signals_file
from tests.support import recorded
from tests.support.trees import BRV3

FOLDER = recorded.REPOSITORY / "tests" / "data" / "parity"
_TREES, _AT_ONCE = 500, 25
_PACKAGE = os.environ.get(PACKAGE_VARIABLE, "")


def differences(answers: dict[str, Any], project: Path) -> list[str]:
    recorded.unpack(answers, project)
    signals = SignalLayers((read_signals_file(project / "signals.json", defaults(BRV3.signals)),))
    now_ms = recorded.milliseconds(answers["now"])
    snapshot = load(find_project(project), BRV3, now_ms, signals)
    assert snapshot is not None
    found = recorded.search_differences(snapshot, now_ms, answers)
    return found + recorded.route_differences(snapshot, now_ms, answers)


def test_recorded_answers_with_equal_scores_match(tmp_path: Path) -> None:
    trees = recorded.read(FOLDER / "equal-scores.json")
    for name, answers in trees.items():
        assert differences(answers, tmp_path / name) == []
    cases = [case for answers in trees.values() for case in answers["cases"]]
    assert len(cases) > 150
    assert sum(map(_has_ties, cases)) > 100


def test_recorded_answers_to_blank_queries_match(tmp_path: Path) -> None:
    answers = recorded.read(FOLDER / "blank-queries.json")
    assert differences(answers, tmp_path / "project") == []
    assert sum(not case["search"]["results"] for case in answers["cases"]) > 100
    assert any(case["search"]["results"] for case in answers["cases"])


def _has_ties(case: dict[str, Any]) -> bool:
    scores = [one["score"] for one in case["search"]["results"]]
    return len(set(scores)) < len(scores)


def test_generated_trees_are_reproducible() -> None:
    assert tie_tree(7) == tie_tree(7)
    assert tie_tree(7) != tie_tree(8)


@pytest.mark.long
@pytest.mark.skipif(not _PACKAGE, reason=f"{PACKAGE_VARIABLE} names no package of the engine")
@pytest.mark.parametrize("first", range(1, _TREES + 1, _AT_ONCE))
def test_installed_engine_matches_ours_on_generated_trees(first: int) -> None:
    queries, differences = compare(range(first, first + _AT_ONCE), Path(_PACKAGE))
    assert queries > 15 * _AT_ONCE
    assert differences == []
