"""``brv-tui terms``: the terms of notes and topics, one term, and the tokens of a text."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Run
from tests.cli.test_space import space as space
from tests.support.trees import Tree


def answered(run: Run, *args: str, code: int = 0, inside: bool = True) -> dict[str, Any]:
    ended, out, _ = run("terms", *args, "--format", "json", inside=inside)
    assert ended == code
    value: dict[str, Any] = json.loads(out) if out else {}
    return value


def test_json_has_every_term_with_its_numbers(run: Run) -> None:
    value = answered(run)
    assert (value["schema"], value["notes"], value["count"]) == (1, 4, len(value["terms"]))
    rows = {row["term"]: row for row in value["terms"]}
    assert set(rows["refresh"]) == {"term", "df", "cf", "idf", "fields"}
    assert (rows["refresh"]["df"], rows["refresh"]["cf"]) == (2, 4)
    assert rows["refresh"]["fields"] == ["title", "content"]
    assert [row["df"] for row in value["terms"]] == sorted((row["df"] for row in value["terms"]), reverse=True)


def test_filter_and_order(run: Run) -> None:
    terms = [row["term"] for row in answered(run, "RO", "--sort", "term")["terms"]]
    assert terms == sorted(terms)
    assert {"rollback", "rolling"} < set(terms)
    assert answered(run, "--only", "rare")["terms"][0]["df"] == 1
    assert not answered(run, "zyxw", code=1)["terms"]


def test_one_term_has_notes_neighbours_and_variants(run: Run, project: Tree) -> None:
    project.file("ops/split.md", "# Roll back\n\nA rollback is a roll back; refreshed.\n")
    value = answered(run, "--term", "Rollback")
    assert sorted(value["paths"]) == ["deploy/rollback.md", "ops/split.md"]
    assert [one["spelling"] for one in value["variants"]] == ["roll back"]
    [neighbour] = [one for one in answered(run, "--term", "refresh")["neighbours"] if one["term"] == "refreshed"]
    assert (neighbour["kind"], neighbour["distance"], neighbour["df"]) == ("prefix", 2, 1)
    assert 0 < neighbour["weight"] < 1
    code, out, _ = run("terms", "--term", "rollback")
    assert code == 0
    assert "refreshed" in run("terms", "--term", "refresh")[1]
    assert {"roll back", "deploy/rollback.md"} <= {part.strip() for row in out.splitlines() for part in row.split("  ")}
    assert answered(run, "--term", "zyxw", code=1)["terms"] == []


def test_tokens_are_listed_for_every_engine(run: Run) -> None:
    value = answered(run, "--tokens", "auth Refresh-tokens the zyxw")
    engines = {row["engine"]: {step["name"]: step["tokens"] for step in row["steps"]} for row in value["engines"]}
    assert list(engines) == ["byterover", "jeffs_brain", "soleri", "knowing", "baseline"]
    assert all("zyxw" in steps["unmatched"] for steps in engines.values())
    assert engines["byterover"]["scope"] == ["auth"]
    assert engines["byterover"]["terms"] == ["refresh", "tokens", "zyxw"]
    assert engines["soleri"]["stems"] == ["auth", "refresh", "token", "the", "zyxw"]
    [only] = answered(run, "--tokens", "x y", "--engine", "soleri")["engines"]
    assert only["engine"] == "soleri"
    code, out, _ = run("terms", "--tokens", "\x1b[31mzyxw")
    assert code == 0
    assert "\x1b" not in out


def test_topics_of_a_space(run: Run, space: Path) -> None:
    where = ("--project", str(space))
    rows = answered(run, "--sort", "idf", *where, inside=False)["terms"]
    term = rows[0]["term"]
    assert answered(run, "--term", term, *where, inside=False)["paths"]
    [row] = answered(run, "--tokens", f"{term} 日本語", *where, inside=False)["engines"]
    steps = {step["name"]: step["tokens"] for step in row["steps"]}
    assert steps["terms"] == [term, "日本", "本語"]
    assert steps["unmatched"] == ["日本", "本語"]


@pytest.mark.parametrize("options", [("word", "--term", "x"), ("--term", "x", "--tokens", "y"), ("--term", "")])
def test_options_that_exclude_each_other_are_refused(run: Run, options: tuple[str, ...]) -> None:
    code, out, err = run("terms", *options)
    assert (code, out) == (2, "")
    assert err.startswith("brv-tui: ")
