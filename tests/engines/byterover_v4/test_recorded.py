"""Answers recorded from ByteRover V4's own scripts over a generated space, and ours: all agree, none is skipped."""

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
from brvtui.tree.spaces.cloud import readable_spaces
from brvtui.tree.spaces.locating import find_space
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

RECORDED = recorded_space(Path(__file__).parents[2] / "data" / "byterover_v4" / "space.json.gz")
NOW = milliseconds(RECORDED["now"])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("recorded") / "space"
    unpack_space(RECORDED, place)
    return place


@pytest.fixture(scope="module")
def space(folder: Path) -> RankedSpace:
    return opened(find_space(folder / "project", folder / "data"))


def test_every_query(space: RankedSpace) -> None:
    assert len(RECORDED["cases"]) == 318
    for case in RECORDED["cases"]:
        answer = printed(space, arguments(case, RECORDED["limit"]), NOW)
        assert same(answer, case["answer"]), f"{case['id']} {case['kind']}: {case['query']}"


def test_every_recall(space: RankedSpace) -> None:
    asked = [case for case in RECORDED["cases"] if "recall" in case]
    assert len(asked) == 32
    for case in asked:
        answer = recall(space, CommandLine((case["query"],)), NOW, V4)
        assert same(answer["matchedDocs"], case["recall"]["matchedDocs"]), case["query"]
        assert hashlib.sha256(answer["content"].encode()).hexdigest() == case["recall"]["content_sha256"]


def test_signals_after_each_step_of_the_sequence(space: RankedSpace) -> None:
    assert len(RECORDED["sequence"]) == 56
    state, clock = UNCHANGED, NOW
    for step in RECORDED["sequence"]:
        clock += step["wait"] * 1000
        if step["touch"]:
            state = replace(state, mtimes_ms={**state.mtimes_ms, step["touch"]: clock})
        line = read_command_line(arguments(step, RECORDED["sequence_limit"]))
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


@pytest.mark.parametrize("fault", RECORDED["faults"], ids=lambda fault: fault["name"])
def test_every_fault(fault: dict[str, Any], folder: Path) -> None:
    identity = find_space(folder / "project", folder / "data").id
    with broken(folder, identity, fault, NOW):
        given = [word.replace("<at>", str(folder)) for word in fault["argv"]]
        at = folder / fault.get("cwd", "project")
        answer = run_script(fault.get("script", "query.mjs"), given, at, NOW)
    assert same(json.loads(json.dumps(answer).replace(str(folder), "<at>")), fault["answer"])


def test_there_are_all_faults() -> None:
    assert len(RECORDED["faults"]) == 37


def test_several_spaces(folder: Path) -> None:
    spaces = [opened(place) for place in readable_spaces(folder / "cloud")]
    assert len(spaces) == 2
    assert len(RECORDED["aggregate"]) == 6
    for asked in RECORDED["aggregate"]:
        line = read_command_line(arguments(asked, RECORDED["limit"]))
        answer = {"exit": 0, "echoed": line.query, **query_spaces(spaces, line, NOW, V4).plain()}
        assert same(answer, asked["answer"]), asked["query"]
