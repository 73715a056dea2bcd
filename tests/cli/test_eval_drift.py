"""``brv-tui eval --drift``: what time alone takes from judged queries, beside single queries at those moments."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from brvtui.lab.judgments.file import JudgmentsFile
from brvtui.lab.judgments.model import JudgedDocument, Judgment
from brvtui.tree.reading.project import find_project
from tests.cli.conftest import NOW, Run
from tests.support.trees import Tree

ROTATION, EXPIRY = "auth/jwt/rotation.md", "auth/jwt/expiry.md"
JUDGED = (
    Judgment("refresh", "refresh token", documents=(JudgedDocument(ROTATION, 3), JudgedDocument(EXPIRY, 1))),
    Judgment("session", "session expiry", documents=(JudgedDocument(EXPIRY, 3),)),
    Judgment("rollback", "rolling back", documents=(JudgedDocument("deploy/rollback.md", 2),)),
    Judgment(
        "kettle",
        "kettle descaling",
        documents=tuple(JudgedDocument(f"kitchen/{name}.md", 1) for name in ("kettle", "descaling", "spare")),
    ),
    Judgment("nginx", "kubernetes nginx", expected="not covered"),
)
DAYS = (3, 7, 14, 25, 35, 60, 400)


@pytest.fixture
def judged(project: Tree) -> Tree:
    project.notes(20)
    project.note("kitchen/kettle.md", "Kettle descaling", "Kettle descaling: descaling a kettle. " * 3, 0)
    project.note("kitchen/descaling.md", "Kettle descaling, weekly", "Descaling a kettle each week.", 2)
    project.note("kitchen/spare.md", "A kettle", "Descaling is for later, when there is one to spare.", 1)
    JudgmentsFile.of(find_project(project.root)).change(lambda _: JUDGED)
    return project


def answered(run: Run, text: str, days: int) -> tuple[str, list[str], set[str]]:
    """Outcome, results and quoted notes of one query that is asked by itself on that day."""
    at = datetime.fromisoformat(NOW).astimezone(UTC) + timedelta(days=days)
    _, out, _ = run("query", text, "--format", "json", "--now", at.isoformat(), now=False)
    trace = json.loads(out)["trace"]
    outcome = f"tier {trace['tier']}" if trace["covered"] else "not covered"
    answer = trace["answer"]
    quoted = answer["prompt"]["prefetched"] if answer["kind"] == "extractive" else answer["sources"]
    return outcome, [hit["file"] for hit in trace["hits"]], set(quoted)


def test_the_losses_are_those_of_the_queries_asked_one_by_one(run: Run, judged: Tree) -> None:
    code, out, _ = run("eval", "--drift", ",".join(map(str, DAYS)), "--format", "json")
    assert code == 0
    value = json.loads(out)
    expected: list[tuple[str, str, str, float]] = []
    for judgment in JUDGED:
        states = [answered(run, judgment.text, days) for days in (0, *DAYS)]
        lost_before: set[tuple[str, str]] = set()
        for days, (outcome, found, quoted) in zip(DAYS, states[1:], strict=True):
            lost = {(f"{states[0][0]} → {outcome}", "")} if outcome != states[0][0] else set()
            for document in judgment.documents:
                path = document.path
                if path in states[0][1] and path not in found:
                    lost.add(("no longer found", path))
                elif path in states[0][2] and path not in quoted:
                    lost.add(("no longer quoted in the answer", path))
            expected += [(judgment.id, what, path, float(days)) for what, path in lost - lost_before]
            lost_before = lost
    made = [(loss["query"], loss["what"], loss["document"], loss["days"]) for loss in value["losses"]]
    assert sorted(made) == sorted(expected)
    assert {what for _, what, _, _ in made} >= {"no longer quoted in the answer", "tier 2 → tier 3"}
    assert [loss["days"] for loss in value["losses"]] == sorted(loss["days"] for loss in value["losses"])


def test_each_day_is_what_eval_says_at_that_moment(run: Run, judged: Tree) -> None:
    value: dict[str, Any] = json.loads(run("eval", "--drift", "60", "--format", "json")[1])
    at = json.loads(run("eval", "--at", "+60d", "--fresh", "--format", "json")[1])
    assert value["days"][0]["metrics"] == at["summary"]["metrics"]
    assert value["days"][0]["outcomes"] == at["summary"]["outcomes"]
    assert value["days"][0]["clock"] == at["evaluation"]["clock"]
    assert value["now"]["summary"] == json.loads(run("eval", "--format", "json")[1])["summary"]


def test_the_table_says_what_is_lost_by_when_and_gates_hold_for_every_day(run: Run, judged: Tree) -> None:
    code, out, _ = run("eval", "--drift", "60,400", "--fail-on-tier-change")
    text = " ".join(out.split())
    assert code == 1
    assert "now +60 d +400 d" in text
    assert "of 5 queries lose something or change tier" in text
    assert "FAILED no other tier: refresh: tier 2 → tier 4" in text
    code, out, _ = run("eval", "--drift", "0.001", "--fail-on-tier-change")
    assert (code, "nothing is lost of 5 queries" in out) == (0, True)


@pytest.mark.parametrize("days", ["x", "", "0", "nan", "inf", "7,,30", "99999999"])
def test_days_that_are_none_are_refused(run: Run, judged: Tree, days: str) -> None:
    code, _, err = run("eval", f"--drift={days}")
    assert (code, "must be numbers of days" in err) == (2, True)


def test_what_does_not_go_together_is_refused(run: Run, judged: Tree) -> None:
    assert run("eval", "--drift", "--baseline-rev", "main")[0] == 2
    assert run("eval", "--drift", "--format", "junit")[0] == 2
    assert run("eval", "--drift", "--save", "x.md")[0] == 2
