"""What a log says as a whole, and whether a query would be answered the same now."""

from __future__ import annotations

from dataclasses import replace

import pytest

from brvtui.lab.log_summary import UntieredAnswers, compare, summarise
from brvtui.tree.engine_files.query_log import ENGINE, OURS, LoggedQuery
from tests.support.trees import Tree

ENTRY = LoggedQuery(10.0, "rollback", ENGINE, "completed", 2, 5.0, 0.9, 1, ("deploy/rollback.md",))


def test_a_summary_counts_what_ended() -> None:
    entries = [
        replace(ENTRY, at_ms=9, tier=0, took_ms=1.0),
        replace(ENTRY, at_ms=8, tier=4, took_ms=900.0, query="slow"),
        replace(ENTRY, at_ms=7, not_covered=True, query="Nothing"),
        replace(ENTRY, at_ms=6, not_covered=True, query="nothing "),
        replace(ENTRY, at_ms=5, status="error", tier=None, took_ms=None),
        replace(ENTRY, at_ms=4, status="processing", tier=None),
    ]
    made = summarise(entries)
    assert made.queries == 6
    assert made.tiers == (1, 0, 2, 0, 1)
    assert made.cached == 0.25
    assert [entry.at_ms for entry in made.not_covered] == [7]
    assert made.failed == 1
    assert made.slowest[0].query == "slow"
    assert summarise([]).cached is None


def test_engines_without_tiers_are_counted_by_what_they_found() -> None:
    other = replace(ENTRY, tier=None, engine="jeffs_brain", took_ms=700.0)
    made = summarise([ENTRY, other, other, replace(other, not_covered=True, query="nothing")])
    assert made.tiers == (0, 0, 1, 0, 0)
    assert made.untiered == (UntieredAnswers("jeffs_brain", 2, 1),)
    assert made.cached == 0.0
    assert made.slowest[0].engine == "jeffs_brain"


def test_a_query_that_is_answered_the_same(tree: Tree) -> None:
    tree.note("deploy/rollback.md", "Rollback", "rollback rollback", importance=90, maturity="core")
    trace = tree.session().probe("rollback")
    entry = replace(
        ENTRY, tier=trace.tier, top_score=trace.hits[0].score, paths=tuple(hit.path for hit in trace.hits), who=OURS
    )
    assert compare(entry, trace).differences == ()


@pytest.mark.parametrize("who", [OURS, ENGINE])
@pytest.mark.parametrize(("status", "said"), [("error", "failed then"), ("cancelled", "was stopped then")])
def test_a_run_that_was_not_answered_is_not_answered_the_same(tree: Tree, status: str, said: str, who: str) -> None:
    tree.note("deploy/rollback.md", "Rollback", "rollback rollback", importance=90, maturity="core")
    trace = tree.session().probe("rollback")
    (difference,) = compare(LoggedQuery(1.0, "rollback", who, status), trace).differences
    assert said in difference


def test_what_is_different_is_said(tree: Tree) -> None:
    tree.note("deploy/rollback.md", "Rollback", "rollback rollback", days=200)
    session = tree.session()
    trace = session.probe("rollback")
    made = compare(replace(ENTRY, tier=trace.tier + 1, top_score=0.1, paths=("gone.md",), not_covered=True), trace)
    assert [line.split()[0] for line in made.differences] == ["tier", "not", "top", "gone.md"]
    assert compare(replace(ENTRY, tier=0), trace).differences[0].startswith("it came from the cache")
    nothing = session.probe("zebra quagga")
    assert "covered then, not covered now" in compare(ENTRY, nothing).differences


def test_small_scores_are_compared_on_their_own_scale(tree: Tree) -> None:
    tree.note("deploy/rollback.md", "Rollback", "rollback rollback")
    trace = tree.session().probe("rollback", engine="jeffs_brain")
    score = trace.hits[0].score
    entry = LoggedQuery(
        10.0, "rollback", OURS, "completed", None, 5.0, score, 1, ("deploy/rollback.md",), engine="jeffs_brain"
    )
    assert compare(entry, trace).differences == ()
    assert compare(entry, trace).decimals == 4
    (difference,) = compare(replace(entry, top_score=score - 0.002), trace).differences
    assert difference == f"top score {score - 0.002:.4f} then, {score:.4f} now"
