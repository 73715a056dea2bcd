"""Fixtures for tests of commands: a project with four notes, and a function that runs commands in this process."""

from __future__ import annotations

import sys
from collections.abc import Callable

import pytest

from brvtui.cli.program import main
from tests.support.trees import Tree

NOW = "2026-11-20T12:00:00Z"
Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def project(tree: Tree) -> Tree:
    """Four notes: one that answers directly, one similar to it, one unrelated, and one in a folder with a summary."""
    tree.note("auth/jwt/rotation.md", "Refresh rotation", "Each use of a refresh token gives a new one.", 0.1)
    tree.note("auth/jwt/expiry.md", "Session expiry", "Sessions end; a refresh moves the end.", 20)
    tree.note("billing/invoices/rounding.md", "Invoice rounding", "Cents are rounded half up.", 3)
    tree.note("deploy/rollback.md", "Rolling back", "One command takes the last release back.", 70)
    tree.summary("auth")
    return tree


@pytest.fixture
def run(project: Tree, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]) -> Run:
    """Runs the command in this process with its output in a pipe; returns exit code, output and errors."""
    monkeypatch.delenv("COLUMNS", raising=False)  # pytest's worker processes set it

    def called(*args: str, inside: bool = True, now: bool = True) -> tuple[int, str, str]:
        where = ["--project", str(project.root), *(("--now", NOW) if now else ())] if inside else []
        monkeypatch.setattr(sys, "argv", ["brv-tui", *args, *where])
        with pytest.raises(SystemExit) as ended:
            main()
        out, err = capfdbinary.readouterr()
        return int(ended.value.code or 0), out.decode(), err.decode()

    return called
