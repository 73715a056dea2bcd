"""``brv-tui health``: output, filters and exit codes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Run
from tests.cli.test_code import repository as repository
from tests.cli.test_space import space as space
from tests.support.trees import Tree


@pytest.fixture
def project(tmp_path: Path) -> str:
    """A project with a broken link and an empty template."""
    tree = Tree(tmp_path / "sick")
    tree.note("a/ferries.md", "Ferry bookings", "Ferries are booked by noon. See [the desk](gone.md).")
    tree.note("a/plan.md", "Depot plan", "## Reason\n\n## Narrative\nTODO")
    return str(tree.root)


def answered(run: Run, project: str, *args: str, code: int = 0) -> list[dict[str, Any]]:
    ended, out, _ = run("health", "--project", project, "--format", "json", *args, inside=False)
    assert ended == code
    value = json.loads(out)
    assert value["schema"] == 1
    return list(value["findings"])


def test_json_has_every_finding(run: Run, project: str) -> None:
    findings = answered(run, project)
    assert {(one["kind"], *one["notes"]) for one in findings} >= {
        ("broken_link", "a/ferries.md"),
        ("template_only", "a/plan.md"),
    }
    assert {"kind", "notes", "confidence", "sentence", "cost"} <= findings[0].keys()


@pytest.mark.parametrize(
    ("gate", "code"), [("broken_link", 1), ("high", 1), ("low", 1), ("superseded", 0), ("medium", 1)]
)
def test_gate_ends_with_code_1(run: Run, project: str, gate: str, code: int) -> None:
    answered(run, project, "--fail-on", gate, code=code)


def test_gate_fails_if_nothing_was_read_or_judgments_are_unreadable(run: Run, project: str, tmp_path: Path) -> None:
    file = Path(project) / ".brv/brv-tui/judgments.toml"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("version = [")
    assert run("health", "--project", project, "--fail-on", "gap", inside=False)[0] == 2
    code, _, err = run("health", "--project", project, inside=False)
    assert (code, "judgments.toml" in err) == (0, True)
    empty = Tree(tmp_path / "empty")
    empty.tree.mkdir(parents=True, exist_ok=True)
    assert run("health", "--project", str(empty.root), "--fail-on", "gap", inside=False)[0] == 4
    assert run("health", "--project", str(empty.root), inside=False)[0] == 0


def test_text_and_markdown_name_the_notes(run: Run, project: str) -> None:
    for form in ("text", "md"):
        code, out, _ = run("health", "--project", project, "--format", form, inside=False)
        assert code == 0
        assert "a/ferries.md" in out
        assert "gone.md" in out


def test_unknown_kinds_are_refused(run: Run, project: str) -> None:
    assert run("health", "--project", project, "--fail-on", "illness", inside=False)[0] == 2


@pytest.mark.parametrize("engine", ["baseline", "soleri", "jeffs_brain", "knowing"])
def test_every_engine_for_notes_has_findings(run: Run, project: str, engine: str) -> None:
    assert "broken_link" in {one["kind"] for one in answered(run, project, "--engine", engine)}
