"""``brv-tui maturity``: what the coming days will do to notes."""

from __future__ import annotations

import json

from tests.cli.conftest import Run
from tests.support.trees import Tree


def test_maturity_command_lists_and_counts_events(run: Run) -> None:
    code, out, err = run("maturity", "--days", "30")
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0].startswith(" 4 notes in ")
    assert "from today to 2026-12-20, if nobody touches them" in lines[0]
    assert "4 have left tier 2 by then, 2 of them in the next 30 days  (leaves-tier-2)" in out
    assert "2026-11-23   3.4 d  ○ auth/jwt/rotation.md  leaves tier 2\n" in out


def test_event_option_lists_notes_with_that_event(run: Run) -> None:
    code, out, _ = run("maturity", "--days", "60", "--event", "prune")
    assert code == 0
    assert "prunable by then" in out
    assert "out of tier 2" not in out
    assert "deploy/rollback.md" not in out, "it has come before"
    _, out, _ = run("maturity", "--days", "60", "--event", "prune", "--all")
    assert "before today        ○ deploy/rollback.md" in out


def test_json_output_lists_the_notes_with_an_event(run: Run) -> None:
    code, out, _ = run("maturity", "--days", "30", "--event", "leaves-tier-2", "--format", "json")
    assert code == 0
    made = json.loads(out)
    assert (made["engine"], made["days"], made["event"], made["ranked"]) == ("byterover", 30, "leaves-tier-2", 4)
    assert [document["path"] for document in made["documents"]] == [
        "billing/invoices/rounding.md",
        "auth/jwt/rotation.md",
    ]
    assert {event["kind"] for document in made["documents"] for event in document["events"]} == {"leaves-tier-2"}
    assert made["counts"][0]["in_span"] == 2


def test_maturity_command_without_events_is_a_negative_answer(run: Run) -> None:
    code, out, _ = run("maturity", "--days", "0")
    assert code == 1
    assert " no notes\n --all also lists the notes whose event is in the past" in out
    assert run("maturity", "--event", "archive", "--days", "1", "--format", "json")[0] == 1


def test_invalid_maturity_options_are_refused(run: Run) -> None:
    code, out, err = run("maturity", "--event", "archived")
    assert (code, out) == (2, "")
    assert err == "brv-tui: ByteRover has no event archived; did you mean archive?\n"
    code, _, err = run("maturity", "--engine", "knowing")
    assert code == 2
    assert err.startswith(
        "brv-tui: knowing has no forecasts, because time alone does not change its scores; engines with forecasts"
    )
    assert run("maturity", "--days", "-1")[0] == 2
    assert run("maturity", "--project", "/nowhere", inside=False)[0] == 3


def test_maturity_command_lists_another_engines_events(run: Run) -> None:
    code, out, _ = run("maturity", "--engine", "soleri", "--days", "400", "--event", "age-halves")
    assert code == 0
    assert "with an age factor that has halved by then, 4 of them in the next 400 days  (age-halves)" in out


def test_unranked_notes_are_counted_separately(run: Run, project: Tree) -> None:
    project.file("_archived/old/note.stub.md", "stub text")
    out = run("maturity", "--engine", "soleri")[1]
    assert out.startswith(" 4 of 5 notes in ")
    assert run("maturity")[1].startswith(" 5 notes in ")
