"""Saying what became of a result, and dropping what was said."""

from __future__ import annotations

from tests.cli.conftest import Run

SAID = ("feedback", "rollback", "deploy/rollback.md", "accepted")


def test_feedback_is_kept_and_forgotten(run: Run) -> None:
    code, out, _ = run(*SAID, "--engine", "soleri")
    assert code == 0
    assert "1 of 30 rows of feedback" in out
    _, out, _ = run("forget", now=False)
    assert "dropped 1 row of feedback" in out


def test_an_engine_that_does_not_learn_says_so(run: Run) -> None:
    code, _, err = run(*SAID)
    assert code == 2
    assert "ByteRover does not learn from feedback" in err


def test_a_note_that_is_none_is_named(run: Run) -> None:
    code, _, err = run("feedback", "rollback", "nowhere", "accepted", "--engine", "soleri")
    assert code == 3
    assert "no note nowhere" in err


def test_a_note_that_is_no_result_is_refused(run: Run) -> None:
    code, _, err = run("feedback", "rolling", "billing/invoices/rounding.md", "accepted", "--engine", "soleri")
    assert code == 2
    assert "is not a result of this query" in err
