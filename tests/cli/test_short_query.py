"""The short and the full output of ``brv-tui query``."""

from __future__ import annotations

import json

import pytest

from tests.cli.conftest import Run
from tests.support.trees import Tree


@pytest.fixture
def project(tree: Tree) -> Tree:
    """Twenty notes about one subject."""
    for number in range(20):
        tree.note(f"heron/colony_{number:02}.md", f"Heron colony {number}", "Herons nest in colonies of trees.", number)
    return tree


ENGINES = ("byterover", "jeffs_brain", "soleri", "knowing", "baseline")


@pytest.mark.parametrize("engine", ENGINES)
def test_query_command_shows_the_reason_and_the_first_results_in_25_lines(
    run: Run, monkeypatch: pytest.MonkeyPatch, engine: str
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    _, out, _ = run("query", "which trees hold a nest", "--engine", engine)
    _, full, _ = run("query", "which trees hold a nest", "--engine", engine, "--full")
    short = out.splitlines()
    assert len(short) <= 25
    assert "--full also shows" in out
    assert "Heron colony" in out
    assert "=nest" in out
    assert "score of result 1" in full
    assert "answer ·" in full
    assert "score of result 1" not in out
    assert len(full.splitlines()) > len(short)
    results = json.loads(run("query", "which trees hold a nest", "--engine", engine, "--format", "json")[1])["trace"][
        "hits"
    ]
    for hit in results[:5]:
        assert hit["path"] in out
    left = len(results) - 6
    assert (f"{left} more result" in out) == (left > 0)


def test_detail_and_limit_show_everything(run: Run) -> None:
    full = run("query", "which trees hold a nest", "--full")[1].splitlines()
    assert len(run("query", "which trees hold a nest", "--detail")[1].splitlines()) > len(full)
    assert "the search on its own, with limit 2" in run("query", "which trees hold a nest", "--limit", "2")[1]


def test_json_does_not_depend_on_full(run: Run) -> None:
    def told(*options: str) -> dict[str, object]:
        value: dict[str, object] = json.loads(run("query", "which trees hold a nest", "--format", "json", *options)[1])
        trace = value["trace"]
        assert isinstance(trace, dict)
        del trace["timings"]
        return value

    assert told() == told("--full")
