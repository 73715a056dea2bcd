"""Answers recorded from ByteRover 3.14 on this repository's own sample tree."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from brvtui.config import configure
from brvtui.config.profile_choice import chosen_profile
from brvtui.engines.byterover.profile import Context
from brvtui.engines.byterover.route.cache import CacheContents
from brvtui.engines.byterover.route.router import RouteRequest, route
from brvtui.engines.byterover.sections import Search
from brvtui.loading import load
from brvtui.snapshot import Snapshot
from brvtui.trace import Ladder
from brvtui.tree.reading.project import find_project
from tests.support import recorded
from tests.support.trees import BRV3

SAMPLE = recorded.REPOSITORY / "sample-tree"
ANSWERS = recorded.REPOSITORY / "tests" / "data" / "parity" / "sample-tree.json"


@pytest.fixture(scope="module")
def answers() -> dict[str, Any]:
    return recorded.read(ANSWERS)


@pytest.fixture(scope="module")
def now_ms(answers: dict[str, Any]) -> float:
    return recorded.milliseconds(answers["tree"]["now"])


@pytest.fixture(scope="module")
def copied(answers: dict[str, Any], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample tree as of the recording."""
    place = tmp_path_factory.mktemp("sample") / "sample-tree"
    shutil.copytree(SAMPLE, place)
    stamp = [sys.executable, str(SAMPLE / "restamp.py"), "--tree", str(place), "--now", answers["tree"]["now"]]
    subprocess.run(stamp, check=True, capture_output=True, timeout=60)
    return place


@pytest.fixture(scope="module")
def snapshot(copied: Path, now_ms: float) -> Snapshot:
    """The sample with signals from frontmatter, as its settings require; the engine was given the same signals."""
    profile = chosen_profile(configure(copied))
    assert (profile.name, profile.signals.frontmatter) == ("brv-3*", True)
    result = load(find_project(copied), profile, now_ms)
    assert result is not None
    return result


def test_tree_matches_the_recording(answers: dict[str, Any], snapshot: Snapshot) -> None:
    assert len(snapshot.notes) == answers["documents"]
    assert len(snapshot.postings.vocabulary) == answers["terms"]
    assert len(answers["cases"]) == len(answers["sequence"]) == 42


def test_every_sample_file_has_an_age(copied: Path, now_ms: float) -> None:
    ages = json.loads((SAMPLE / "ages.json").read_text())
    tree = copied / ".brv" / "context-tree"
    files = {path.relative_to(tree).as_posix() for path in tree.rglob("*.md")}
    assert files == set(ages)
    for path, days in ages.items():
        assert (tree / path).stat().st_mtime_ns // 1_000_000 == now_ms - round(days * 86_400_000)


def test_recorded_searches_match(answers: dict[str, Any], snapshot: Snapshot, now_ms: float) -> None:
    assert recorded.search_differences(snapshot, now_ms, answers) == []


def test_recorded_raw_scores_match(answers: dict[str, Any], snapshot: Snapshot) -> None:
    assert sum(len(case["raw"]) for case in answers["cases"]) > 30
    assert recorded.raw_differences(snapshot, answers) == []


def test_recorded_tiers_results_and_repeats_match(answers: dict[str, Any], snapshot: Snapshot, now_ms: float) -> None:
    assert recorded.route_differences(snapshot, now_ms, answers) == []


def test_recorded_sequence_on_one_cache_matches(answers: dict[str, Any], snapshot: Snapshot, now_ms: float) -> None:
    assert recorded.sequence_differences(snapshot, now_ms, answers) == []


def test_signals_are_defaults_without_the_sample_setting(copied: Path, now_ms: float) -> None:
    """The engine gives these answers if it receives only the files."""
    answers = recorded.read(ANSWERS.with_name("sample-tree-defaults.json"))
    result = load(find_project(copied), BRV3, now_ms)
    assert result is not None
    assert len(answers["cases"]) == len(answers["sequence"]) == 42
    assert recorded.search_differences(result, now_ms, answers) == []
    assert recorded.raw_differences(result, answers) == []
    assert recorded.route_differences(result, now_ms, answers) == []
    assert recorded.sequence_differences(result, now_ms, answers) == []


def test_sample_queries_reach_every_tier(answers: dict[str, Any]) -> None:
    assert {step["tier"] for step in answers["sequence"]} == {0, 1, 2, 3, 4}


def test_each_ladder_step_finds_notes_missed_by_the_search(snapshot: Snapshot, now_ms: float) -> None:
    """This excludes ``refreshed_strongest``, which uses the word that ``strongest_term`` searched for or skipped."""
    questions = json.loads((SAMPLE / "queries.json").read_text(encoding="utf-8"))
    lost = [question for question in questions if "rung" in question]
    for question in lost:
        outcome, _ = route(Context(snapshot, BRV3, now_ms), CacheContents(), RouteRequest(question["query"]))
        assert outcome.section(Search).hits == (), question
        (found,) = (rung for rung in outcome.section(Ladder).rungs if rung.listed)
        assert found.strategy == question["rung"], question
        assert question["finds"] in [result.file for result in found.listed], question
    by_step = Counter(question["rung"] for question in lost)
    assert by_step == {"strongest_term": 3, "refreshed_sanitised": 2, "trigram_fuzzy": 8}


def test_log_has_the_engines_answers() -> None:
    check = [sys.executable, str(recorded.REPOSITORY / "tools" / "make_sample_log.py"), "--check"]
    assert subprocess.run(check, check=False, timeout=60).returncode == 0
    entries = json.loads((SAMPLE / "query-log.json").read_text(encoding="utf-8"))
    assert {entry["tier"] for entry in entries} == {0, 1, 2, 3, 4}
    assert {len(entry["transcript"]) for entry in entries} == {0, 3, 4}
    assert [entry["query"] for entry in entries if entry.get("matchedDocs") == []] == [
        "kubernetes ingress nginx",
        "Istio Envoy sidecar certificate",
        "what about my pension",
    ]
