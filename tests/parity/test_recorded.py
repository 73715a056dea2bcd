"""Answers recorded from ByteRover 3.14 on trees of docstrings, rebuilt here (100 %)."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
import uuid
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from brvtui.loading import load
from brvtui.snapshot import Snapshot
from brvtui.tree.reading.project import find_project
from brvtui.tree.reading.signals import SignalLayers, defaults, read_signals_file
from tests.support import recorded
from tests.support.trees import BRV3

SEEDS = (11, *(pytest.param(seed, marks=pytest.mark.long) for seed in (12, 13)))
PYTHON = "3.11.7"
MAKER = recorded.SHARED / "tools" / "make_tree.py"


pytestmark = pytest.mark.skipif(
    not MAKER.is_file(), reason=f"needs the recorded answers beside the repository: no {recorded.SHARED}"
)


@cache
def tree_python() -> str:
    """The path of the Python whose docstrings the trees are made of: this one, or one on the path; else empty."""
    if platform.python_version() == PYTHON:
        return sys.executable
    asked = "import platform; print(platform.python_version())"
    for path in filter(None, map(shutil.which, ("python3.11", "python3"))):
        done = subprocess.run([path, "-Ic", asked], capture_output=True, text=True, timeout=60)
        if done.stdout.strip() == PYTHON:
            return path
    return ""


@pytest.fixture(scope="module", params=SEEDS)
def answers(request: pytest.FixtureRequest) -> dict[str, Any]:
    return recorded.read(recorded.SHARED / "parity" / f"tree-{request.param}.json")


@pytest.fixture(scope="module")
def now_and_snapshot(answers: dict[str, Any], tmp_path_factory: pytest.TempPathFactory) -> tuple[float, Snapshot]:
    if not tree_python():
        pytest.skip(f"the trees are made of the docstrings of Python {PYTHON}, which is not installed")
    own = tmp_path_factory.getbasetemp()
    root = rebuilt(answers["tree"], own.parent if "PYTEST_XDIST_WORKER" in os.environ else own)
    now_ms = recorded.milliseconds((root / "now.txt").read_text())
    signals = read_signals_file(root / "signals.json", defaults(BRV3.signals))
    snapshot = load(find_project(root), BRV3, now_ms, SignalLayers((signals,)))
    assert snapshot is not None
    return now_ms, snapshot


def rebuilt(tree: dict[str, Any], folder: Path) -> Path:
    """The tree described in a file's header, built by the first worker that needs it."""
    place = folder / f"recorded-tree-{tree['seed']}"
    if not place.is_dir():
        draft = folder / f"draft-{uuid.uuid4().hex}"
        result = [
            tree_python(),
            "-I",
            str(MAKER),
            str(draft),
            "--notes",
            str(tree["notes"]),
            "--seed",
            str(tree["seed"]),
        ]
        subprocess.run(result, check=True, capture_output=True, timeout=60)
        try:
            draft.rename(place)
        except OSError:  # another worker built it first
            shutil.rmtree(draft)
    return place


def test_tree_matches_the_recording(answers: dict[str, Any], now_and_snapshot: tuple[float, Snapshot]) -> None:
    snapshot = now_and_snapshot[1]
    assert len(snapshot.notes) == answers["documents"]
    assert len(snapshot.postings.vocabulary) == answers["terms"]
    assert len(answers["cases"]) > 200
    assert len(answers["sequence"]) > 100


def test_recorded_searches_match(answers: dict[str, Any], now_and_snapshot: tuple[float, Snapshot]) -> None:
    now_ms, snapshot = now_and_snapshot
    assert recorded.search_differences(snapshot, now_ms, answers) == []


def test_recorded_raw_scores_match(answers: dict[str, Any], now_and_snapshot: tuple[float, Snapshot]) -> None:
    assert sum(len(case["raw"]) for case in answers["cases"]) > 500
    assert recorded.raw_differences(now_and_snapshot[1], answers) == []


def test_recorded_tiers_results_and_repeats_match(
    answers: dict[str, Any], now_and_snapshot: tuple[float, Snapshot]
) -> None:
    now_ms, snapshot = now_and_snapshot
    assert recorded.route_differences(snapshot, now_ms, answers) == []


def test_recorded_sequence_on_one_cache_matches(
    answers: dict[str, Any], now_and_snapshot: tuple[float, Snapshot]
) -> None:
    now_ms, snapshot = now_and_snapshot
    assert recorded.sequence_differences(snapshot, now_ms, answers) == []
