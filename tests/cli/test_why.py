"""Reasons why a note ranks above another or an answer changed, matured notes, and feedback on an answer."""

from __future__ import annotations

import json
import re

import pytest

from tests.cli.conftest import Run
from tests.support.trees import Tree

QUERY = "session refresh"


def test_why_command_shows_the_parts_of_two_notes_in_columns(run: Run, project: Tree) -> None:
    code, out, err = run("why", QUERY, "expiry", "rotation")
    assert (code, err) == (0, "")
    text = " ".join(out.split())
    assert re.search(r"A Session expiry rank 1, [\d.]+ auth/jwt/expiry.md", text)
    assert "part A B A − B" in text
    code, out, _ = run("why", QUERY, "expiry", "rotation", "--format", "json")
    value = json.loads(out)
    assert (value["above"]["path"], value["below"]["path"]) == ("auth/jwt/expiry.md", "auth/jwt/rotation.md")
    assert sum(part["difference"] for part in value["parts"]) == pytest.approx(value["gap"], abs=1e-9)
    assert value["gap"] == pytest.approx(value["above"]["score"] - value["below"]["score"])


@pytest.mark.parametrize("engine", ["soleri", "jeffs_brain", "knowing"])
def test_parts_of_every_engine_sum_to_the_gap(run: Run, project: Tree, engine: str) -> None:
    code, out, _ = run("why", QUERY, "expiry", "rotation", "--engine", engine, "--format", "json")
    value = json.loads(out)
    assert code == 0
    assert sum(part["difference"] for part in value["parts"]) == pytest.approx(value["gap"], abs=1e-9)


def test_why_command_compares_a_note_with_a_folder(run: Run, project: Tree) -> None:
    project.note("ops/one.md", "Quokka gates", "quokka gates", importance=90, maturity="core")
    project.note("ops/two.md", "Quokka", "quokka", importance=90, maturity="core")
    project.summary("ops")
    code, out, _ = run("why", "quokka gates", "ops/one.md", "ops/_index.md")
    assert code == 0
    assert re.search(r"^ B  ops  rank \d, [\d.]+  ops/_index.md$", out, re.MULTILINE)
    assert "B is its folder's summary: whatever raises the notes in the folder raises B" in out


def test_invalid_comparison_is_refused_in_one_line(run: Run, project: Tree) -> None:
    code, _, err = run("why", QUERY, "rotation", "nosuch")
    assert (code, "no note nosuch" in err) == (3, True)
    code, _, err = run("why", QUERY, "rotation", "rollback")
    assert (code, "deploy/rollback.md has no score for this query" in err) == (1, True)
    code, _, err = run("why", QUERY, "rotation", "rotation")
    assert (code, "name two different notes" in err) == (2, True)
    assert run("why", QUERY, "rotation")[0] == 2
