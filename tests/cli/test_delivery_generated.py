"""Outcomes of generated turns: 500 in all forms of transcripts and logs, and 100 prompts without evidence."""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

from brvtui.tree.engine_files.query_log import query_log_folder
from brvtui.tree.engine_files.sidecar import project_data
from tests.cli.conftest import Run
from tests.support.conversations import Expectations, ExpectedTurn
from tests.support.transcripts import generate
from tests.support.trees import Tree

NORMAL, LONG = range(1, 3), range(3, 13)
SEEDS = [*NORMAL, *(pytest.param(seed, marks=pytest.mark.long) for seed in LONG)]
NEAR_MS = 15_000
"""The largest difference between the times of a prompt and its turn."""


class Listed:
    """The turns in the command's output; a turn is handed out once."""

    def __init__(self, turns: list[dict[str, Any]]) -> None:
        self.left: dict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
        for turn in turns:
            text = turn["prompt"] if turn["channel"] == "hook" else turn["query"]
            self.left[turn["channel"], text.strip()].append(turn)

    def take(self, turn: ExpectedTurn) -> dict[str, Any] | None:
        """The listed turn that belongs to an expected one."""
        found = self.left[turn.channel, turn.text.strip()]
        for listed in found:
            if listed["session"] == turn.session and abs(listed["time"] - turn.at_ms) < NEAR_MS:
                found.remove(listed)
                return listed
        return None

    def rest(self) -> list[dict[str, Any]]:
        """The turns that have not been handed out."""
        return [turn for turns in self.left.values() for turn in turns]


def wrong_outcomes(turns: list[ExpectedTurn], listed: Listed, may_be_absent: bool = False) -> list[str]:
    wrong = []
    for turn in turns:
        found = listed.take(turn)
        if not found and may_be_absent:
            continue
        outcome, why = (found["outcome"], found["evidence"]) if found else ("not listed", "")
        if outcome != turn.outcome:
            wrong.append(f"{turn.case}: {turn.outcome} expected, {outcome}: {turn.text!r} in {turn.session} ({why})")
    return wrong


@pytest.fixture
def expected(project: Tree, tmp_path: Path, seed: int) -> Expectations:
    return generate(seed, project.root, tmp_path / "transcripts", query_log_folder(project_data(project.root)))


@pytest.mark.parametrize("seed", SEEDS)
def test_generated_turns_get_expected_outcomes(run: Run, tmp_path: Path, expected: Expectations) -> None:
    assert (len(expected.turns), len(expected.without_evidence)) == (500, 100)
    options = ("--transcripts", str(tmp_path / "transcripts"), "--most", "10000", "--format", "json")
    code, out, err = run("delivery", *options, now=False)
    assert code == 0, err
    output = json.loads(out)
    listed = Listed(output["turns"])
    wrong = wrong_outcomes(expected.turns, listed)
    wrong += wrong_outcomes(expected.without_evidence, listed, may_be_absent=True)
    assert not wrong, "\n".join(wrong)
    assert [turn for turn in listed.rest() if turn["outcome"] != "unknown"] == [], "no other turn has an outcome"
    assert not {turn.text for turn in expected.elsewhere} & {turn["query"] for turn in output["turns"]}
    assert {entry["query"] for entry in output["unmatched_log"]} == expected.lone_entries
    assert output["unknown_rows"] > 0
