"""What a log says as a whole."""

from __future__ import annotations

from dataclasses import replace

from brvtui.lab.log_comparison import UntieredAnswers, summarise
from brvtui.tree.engine_files.query_log import ENGINE, LoggedQuery

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
    assert made.tiers == (1, 0, 0, 0, 1)
    assert made.uncovered == 2
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
