"""``brv-tui health``: output, filters and exit codes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from brvtui.session import health
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


def alike(tmp_path: Path, title: str, disagrees: bool) -> str:
    """A project with 20 notes that are alike, and perhaps two that disagree."""
    tree = Tree(tmp_path / "alike")
    for number in range(10):
        words = " ".join(f"w{chr(97 + number)}{chr(97 + place)}" for place in range(40))
        tree.note(f"other/{number}.md", f"Filler {chr(97 + number)}", words)
    for number in range(20):
        name = f"r{chr(97 + number)}"
        text = "Entry written by the release bot after the nightly pipeline finished with status green and artifacts."
        tree.note(f"log/{number}.md", title.format(number=number, name=name), f"{text} Run {name} handled it.")
    if disagrees:
        text = "The session timeout of the checkout service is {} minutes for all customers."
        tree.note("a.md", "Session timeout", text.format(30), days=90)
        tree.note("b.md", "Checkout session timeout", text.format(45), days=1)
    return str(tree.root)


@pytest.mark.parametrize(("title", "is_cut"), [("Daily log number {number}", False), ("Daily log of {name}", True)])
def test_many_alike_notes_hide_no_contradiction(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, title: str, is_cut: bool
) -> None:
    monkeypatch.setattr(health, "_MOST_PAIRS", 25)
    project = alike(tmp_path, title, True)
    findings = answered(run, project, "--fail-on", "superseded", code=1)
    assert ["a.md", "b.md"] in [one["notes"] for one in findings if one["kind"] == "superseded"]
    uncompared = json.loads(run("health", "--project", project, "--format", "json", inside=False)[1])["uncompared"]
    assert (uncompared > 0) == is_cut
    assert ("not compared" in run("health", "--project", project, inside=False)[1]) == is_cut


@pytest.mark.parametrize(("gate", "code"), [("not_found_by_title", 1), ("orphan", 0)])
def test_gate_fails_if_not_all_titles_were_searched_for(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, gate: str, code: int
) -> None:
    tree = Tree(tmp_path / "shop")
    for number in range(8):
        tree.note(f"log/{number}.md", "Release log", f"Version {number} was released by team {chr(97 + number) * 3}.")
    project = str(tree.root)
    assert run("health", "--project", project, "--fail-on", gate, inside=False)[0] == 0
    monkeypatch.setattr(health, "_MOST_SEARCHES", 5)
    assert run("health", "--project", project, "--fail-on", gate, inside=False)[0] == code
    report = json.loads(run("health", "--project", project, "--format", "json", inside=False)[1])
    assert report["unsearched"] == ["not_found_by_title"]


@pytest.mark.parametrize(("gate", "code"), [("superseded", 1), ("near_duplicate", 1), ("high", 1), ("orphan", 0)])
def test_gate_of_pairs_fails_if_some_were_not_compared(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, gate: str, code: int
) -> None:
    monkeypatch.setattr(health, "_MOST_PAIRS", 25)
    project = alike(tmp_path, "Daily log of {name}", False)
    ended, _, err = run("health", "--project", project, "--fail-on", gate, inside=False)
    assert (ended, err.count("not all pairs of notes were compared")) == (code, code)
