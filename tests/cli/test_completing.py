"""What the shell completes beside commands and options."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.shell_completion import BashComplete

from brvtui.cli.program import cli
from brvtui.engines import registry
from tests.support.trees import Tree


def completed(*words: str) -> list[str]:
    """What is offered for the last of ``words``."""
    *before, typed = words
    return [item.value for item in BashComplete(cli, {}, "brv-tui", "_COMPLETE").get_completions(before, typed)]


def test_engines() -> None:
    assert set(completed("query", "x", "--engine", "")) == set(registry.names())
    assert completed("query", "x", "--engine", "so") == ["soleri"]


def test_profiles_and_modes_are_those_of_the_engine_that_is_named() -> None:
    assert completed("query", "x", "--engine", "soleri", "--profile", "") == ["soleri", "soleri-code"]
    assert set(completed("query", "x", "--profile", "")) > {"brv-3", "soleri"}
    assert completed("query", "x", "--engine", "soleri", "--mode", "s") == ["scan"]
    assert completed("query", "x", "--engine", "nobodys", "--profile", "") == []


def test_events_are_those_of_the_engine_that_is_named() -> None:
    assert completed("maturity", "--event", "leaves") == ["leaves-prompt", "leaves-tier-2"]
    assert completed("maturity", "--engine", "soleri", "--event", "a") == ["age-halves"]
    assert completed("maturity", "--engine", "knowing", "--event", "") == []


def test_folders_and_notes_of_the_project_that_is_named(project: Tree) -> None:
    project.file("auth/jwt/.hidden.md", "# Hidden")
    named = ("--project", str(project.root))
    assert completed("query", "x", *named, "--scope", "auth/") == ["auth/jwt"]
    assert "auth/jwt/rotation.md" in completed("explain", *named, "x", "auth")
    assert completed("explain", *named, "x", "rota") == ["rotation.md"]
    assert not any("hidden" in name for name in completed("explain", *named, "x", ""))


def test_without_a_project_nothing_is_offered_and_nothing_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert completed("explain", "x", "") == []
    assert capfd.readouterr() == ("", "")
