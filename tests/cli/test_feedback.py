"""Recording and removing feedback on results."""

from __future__ import annotations

from pathlib import Path

import pytest

from brvtui.store.feedback import FeedbackFile
from tests.cli.conftest import Run
from tests.corpus.code.making import write
from tests.support.trees import Tree

SAID = ("feedback", "rollback", "deploy/rollback.md", "accepted")


def test_feedback_is_stored_and_forgotten(run: Run) -> None:
    code, out, _ = run(*SAID, "--engine", "soleri")
    assert code == 0
    assert "1 of 30 feedback rows" in out
    _, out, _ = run("forget", now=False)
    assert "removed 1 feedback record" in out


def test_feedback_on_code_is_stored_and_forgotten(run: Run, tmp_path: Path) -> None:
    repository = write(tmp_path / "shop", {"jobs.py": "def process(job): pass\n"})
    where = ("--repo", str(repository))
    for _ in range(2):
        assert (
            run("feedback", "process job", "process", "accepted", "--engine", "knowing", *where, inside=False)[0] == 0
        )
    code, out, _ = run("query", "process job", "--engine", "knowing", *where, inside=False)
    assert (code, "process" in out) == (0, True)
    (repository / "jobs.py").rename(repository / "tasks.py")
    code, _, err = run("code", "process job", *where, inside=False)
    assert code == 0
    assert err.startswith("brv-tui: feedback on 1 symbol that cannot be found here does not count: jobs.py/process;")
    (repository / "tasks.py").unlink()
    repository.rmdir()
    assert "removed 2 feedback records" in run("forget", *where, inside=False, now=False)[1], "also of one that is gone"
    code, _, err = run("forget", *where, inside=False, now=False)
    assert (code, "no such folder" in err) == (3, True)
    assert run("forget", *where, "--project", ".", inside=False, now=False)[0] == 2


def test_engine_that_does_not_learn_refuses_feedback(run: Run) -> None:
    code, _, err = run(*SAID)
    assert code == 2
    assert "ByteRover does not learn from feedback" in err


def test_unknown_note_is_reported(run: Run) -> None:
    code, _, err = run("feedback", "rollback", "nowhere", "accepted", "--engine", "soleri")
    assert code == 3
    assert "no note nowhere" in err


def test_feedback_on_a_note_outside_the_results_is_refused(run: Run) -> None:
    code, _, err = run("feedback", "rolling", "billing/invoices/rounding.md", "accepted", "--engine", "soleri")
    assert code == 2
    assert "is not a result of this query" in err


@pytest.mark.parametrize("engine", ["soleri", "knowing"])
def test_oversized_feedback_log_is_reported(run: Run, project: Tree, engine: str) -> None:
    assert run(*SAID, "--engine", engine)[0] == 0
    with FeedbackFile(project.tree, engine).path.open("ab") as log:
        log.write(b" " * 10_000_000)
    code, out, _ = run(*SAID, "--engine", engine)
    assert (code, out.startswith("stored, but the feedback cannot be read")) == (0, True)
    assert "larger than 10000000 bytes; brv-tui forget removes it" in out
