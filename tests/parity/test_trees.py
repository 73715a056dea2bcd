"""Answers recorded from ByteRover 3.14 on trees stored beside them as files, on any machine and Python version."""

from __future__ import annotations

from typing import Any

import pytest

from brvtui.loading import load
from brvtui.snapshot import Snapshot
from brvtui.tree.reading.project import find_project
from brvtui.tree.reading.signals import SignalLayers, Source, defaults, read_signals_file
from tests.support import recorded
from tests.support.trees import BRV3, READS_FRONTMATTER

FOLDER = recorded.REPOSITORY / "tests" / "data" / "parity"
FRONTMATTER = "frontmatter-tree"


@pytest.fixture(scope="module", params=["generated-tree", FRONTMATTER])
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def answers(name: str) -> dict[str, Any]:
    return recorded.read(FOLDER / f"{name}.json")


@pytest.fixture(scope="module")
def now_ms(answers: dict[str, Any]) -> float:
    return recorded.milliseconds(answers["now"])


@pytest.fixture(scope="module")
def snapshots(
    answers: dict[str, Any], now_ms: float, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Snapshot, Snapshot]:
    """The tree as ``brv-3`` reads it, and with signals read from frontmatter too."""
    project = tmp_path_factory.mktemp("recorded") / "project"
    recorded.unpack(answers, project)
    signals = SignalLayers((read_signals_file(project / "signals.json", defaults(BRV3.signals)),))
    one, other = (load(find_project(project), profile, now_ms, signals) for profile in (BRV3, READS_FRONTMATTER))
    assert one is not None
    assert other is not None
    return one, other


@pytest.fixture(scope="module")
def snapshot(snapshots: tuple[Snapshot, Snapshot]) -> Snapshot:
    return snapshots[0]


def test_tree_matches_the_recording(answers: dict[str, Any], snapshot: Snapshot) -> None:
    assert len(snapshot.notes) == answers["documents"] > 50
    assert len(snapshot.postings.vocabulary) == answers["terms"]
    assert len(answers["cases"]) > 150
    assert len(answers["sequence"]) > 20


def test_recording_covers_every_kind_of_answer(answers: dict[str, Any]) -> None:
    assert {case["query_run"]["tier"] for case in answers["cases"]} == {2, 3, 4}
    assert {step["tier"] for step in answers["sequence"]} >= {0, 1, 2, 3}
    results = [result for case in answers["cases"] for result in case["search"]["results"]]
    assert {result["kind"] for result in results} == {"context", "summary", "archive_stub"}
    assert any(not case["search"]["results"] for case in answers["cases"])


def test_recorded_searches_match(answers: dict[str, Any], snapshot: Snapshot, now_ms: float) -> None:
    assert recorded.search_differences(snapshot, now_ms, answers) == []


def test_recorded_raw_scores_match(answers: dict[str, Any], snapshot: Snapshot) -> None:
    assert sum(len(case["raw"]) for case in answers["cases"]) > 300
    assert recorded.raw_differences(snapshot, answers) == []


def test_recorded_tiers_results_and_repeats_match(answers: dict[str, Any], snapshot: Snapshot, now_ms: float) -> None:
    assert recorded.route_differences(snapshot, now_ms, answers) == []


def test_recorded_sequence_on_one_cache_matches(answers: dict[str, Any], snapshot: Snapshot, now_ms: float) -> None:
    assert recorded.sequence_differences(snapshot, now_ms, answers) == []


def test_engine_ignores_signals_in_frontmatter(
    name: str, answers: dict[str, Any], snapshots: tuple[Snapshot, Snapshot], now_ms: float
) -> None:
    """Reading them would change many of the recorded answers."""
    one, other = snapshots
    assert one.frontmatter_count == 0
    if name != FRONTMATTER:
        assert other.signals == one.signals
        return
    assert {signals.source for signals in one.signals} == {Source.DEFAULT}
    assert other.frontmatter_count > 30
    assert len(recorded.search_differences(other, now_ms, answers)) > 50


def test_query_for_a_context_file_returns_its_folder(name: str, answers: dict[str, Any]) -> None:
    if name == FRONTMATTER:
        (case,) = (case for case in answers["cases"] if case["query"] == "pipeline/context")
        first, second, *_ = case["search"]["results"]
        assert (first["path"], first["title"], first["score"]) == ("pipeline", "pipeline", 1)
        assert second["score"] == 0.9
