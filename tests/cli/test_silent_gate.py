"""``brv-tui eval --drift --fail-on-silent``: answers that would come too late for the agent's hook."""

from __future__ import annotations

from pathlib import Path

import pytest

from brvtui.tree.engine_files.query_log import query_log_folder
from brvtui.tree.engine_files.sidecar import project_data
from tests.cli.conftest import Run
from tests.support.agent_session import Session
from tests.support.trees import Tree

GATE = ("eval", "--drift", "700", "--fail-on-silent")


@pytest.fixture(autouse=True)
def judged(run: Run, project: Tree) -> None:
    assert run("judge", "set", "refresh rotation", "rotation=3", now=False)[0] == 0


def test_gate_fails_if_a_slow_tier_will_answer(run: Run, project: Tree, tmp_path: Path) -> None:
    code, out, err = run(*GATE)
    assert (code, "6 s" in out + err) == (1, True)
    assert run("eval", "--fail-on-silent")[0] == 2
    assert run(*GATE, "--engine", "jeffs_brain")[0] == 2
    session = Session(project, tmp_path)
    for number in range(5):
        session.log(f"query {number}", seconds=1, after_s=number, tier=4)
    assert run(*GATE)[0] == 0, "this user's tier 4 is fast"


def test_log_that_cannot_be_read_fails_the_gate(run: Run, project: Tree, tmp_path: Path) -> None:
    Session(project, tmp_path).log()
    log = query_log_folder(project_data(project.root))
    next(log.iterdir()).write_text("{")
    assert run(*GATE)[0] == 4
    for file in log.iterdir():
        file.unlink()
    log.rmdir()
    log.write_text("no folder")
    assert run(*GATE)[0] == 4
