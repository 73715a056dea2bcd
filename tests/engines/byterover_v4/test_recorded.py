"""Answers recorded from ByteRover V4's own scripts, and notes as its migration converts them."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from brvtui.engines.byterover_v4.command_line import CommandLine, read_command_line
from brvtui.engines.byterover_v4.scripts import RankedSpace, query_space, query_spaces, recall, state_after
from brvtui.engines.byterover_v4.search import UNCHANGED
from brvtui.tree.spaces.locating import find_space
from brvtui.tree.spaces.project import readable_spaces
from tests.support.recorded import milliseconds
from tests.support.spaces import (
    V4,
    arguments,
    broken,
    opened,
    printed,
    recorded_space,
    run_script,
    same,
    unpack_space,
)

DATA = Path(__file__).parents[2] / "data" / "byterover_v4"


SPACES = {name: recorded_space(DATA / f"space-{name}.json.gz") for name in ("21", "22")}


COUNTS = {"cases": 318, "sequence": 56, "faults": 37, "aggregate": 6}


FAULTS = [
    pytest.param(name, fault, id=f"{name}-{fault['name']}") for name in SPACES for fault in SPACES[name]["faults"]
]


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    places = {}
    for name, recorded in SPACES.items():
        places[name] = tmp_path_factory.mktemp("recorded") / "space"
        unpack_space(recorded, places[name])
    return places


@pytest.fixture(scope="module", params=SPACES)
def recorded(request: pytest.FixtureRequest) -> dict[str, Any]:
    return {**SPACES[request.param], "name": request.param}


@pytest.fixture(scope="module")
def folder(recorded: dict[str, Any], unpacked: dict[str, Path]) -> Path:
    return unpacked[recorded["name"]]


@pytest.fixture(scope="module")
def space(folder: Path) -> RankedSpace:
    return opened(find_space(folder / "project", folder / "data"))


def test_recording_has_the_expected_counts(recorded: dict[str, Any]) -> None:
    assert {part: len(recorded[part]) for part in COUNTS} == COUNTS


def test_every_recorded_query_has_the_same_answer(space: RankedSpace, recorded: dict[str, Any]) -> None:
    now = milliseconds(recorded["now"])
    for case in recorded["cases"]:
        answer = printed(space, arguments(case, recorded["limit"]), now)
        assert same(answer, case["answer"]), f"{case['id']} {case['kind']}: {case['query']}"


def test_every_recorded_recall_has_the_same_documents(space: RankedSpace, recorded: dict[str, Any]) -> None:
    now = milliseconds(recorded["now"])
    asked = [case for case in recorded["cases"] if "recall" in case]
    assert len(asked) == 32
    for case in asked:
        answer = recall(space, CommandLine((case["query"],)), now, V4)
        assert same(answer["matchedDocs"], case["recall"]["matchedDocs"]), case["query"]
        assert hashlib.sha256(answer["content"].encode()).hexdigest() == case["recall"]["content_sha256"]


def test_recorded_signals_match_after_each_step(space: RankedSpace, recorded: dict[str, Any]) -> None:
    now = milliseconds(recorded["now"])
    state, clock = UNCHANGED, now
    for step in recorded["sequence"]:
        clock += step["wait"] * 1000
        if step["touch"]:
            state = replace(state, mtimes_ms={**state.mtimes_ms, step["touch"]: clock})
        line = read_command_line(arguments(step, recorded["sequence_limit"]))
        answer = query_space(space, line, clock, V4, state)
        state = state_after(answer, state, V4)
        hits = [hit.printed for hit in answer.hits]
        made = {
            "hits": [{"path": hit.path, "score": hit.score, "confidence": hit.confidence} for hit in hits],
            "signals": {hit.path: state.signals[hit.path].to_mapping() for hit in hits},
            "should_cite": answer.should_cite,
            "citation_block": answer.citation_block,
        }
        assert all(same(made[name], step[name]) for name in made), step["step"]


@pytest.mark.parametrize(("name", "fault"), FAULTS)
def test_every_recorded_fault_has_the_same_error(name: str, fault: dict[str, Any], unpacked: dict[str, Path]) -> None:
    folder, now = unpacked[name], milliseconds(SPACES[name]["now"])
    identity = find_space(folder / "project", folder / "data").id
    with broken(folder, identity, fault, now):
        given = [word.replace("<at>", str(folder)) for word in fault["argv"]]
        at = folder / fault.get("cwd", "project")
        answer = run_script(fault.get("script", "query.mjs"), given, at, now)
    assert same(json.loads(json.dumps(answer).replace(str(folder), "<at>")), fault["answer"])


def test_recorded_queries_over_several_spaces_have_the_same_answers(folder: Path, recorded: dict[str, Any]) -> None:
    now = milliseconds(recorded["now"])
    spaces = [opened(place) for place in readable_spaces(folder / "cloud")]
    assert len(spaces) == 2
    for asked in recorded["aggregate"]:
        line = read_command_line(arguments(asked, recorded["limit"]))
        answer = {"exit": 0, "echoed": line.query, **query_spaces(spaces, line, now, V4).plain()}
        assert same(answer, asked["answer"]), asked["query"]
