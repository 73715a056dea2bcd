"""Commands that read notes at a revision: a tree behind a link has no history, as it has no notes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from brvtui.tree.reading.project import find_project
from tests.cli.conftest import Run
from tests.tree.test_linked_trees import LINKED, committed


@pytest.mark.parametrize("arguments", [("diff", "harbor", "--rev", "HEAD"), ("eval", "--baseline-rev", "HEAD")])
@pytest.mark.parametrize("make", LINKED)
def test_commands_read_no_history_of_a_linked_tree(
    make: Callable[[Path], Path], arguments: Sequence[str], run: Run, tmp_path: Path
) -> None:
    found = find_project(make(tmp_path))
    committed(found.tree)
    judgments = tmp_path / "judgments.toml"
    documents = '[{ path = "dom/topic/a.md", grade = 2 }]'
    judgments.write_text(f'version = 1\n[[query]]\nid = "a"\ntext = "harbor"\ndocuments = {documents}\n')
    given = ("--judgments", str(judgments)) if arguments[0] == "eval" else ()
    code, output, problem = run(*arguments, *given, "--project", str(found.root), inside=False)
    assert code == 2
    assert "is a link that leads" in problem
    assert "harbor" not in output.lower()
