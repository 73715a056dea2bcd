"""Summaries of a log, and comparisons of logged queries with their current answers."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Any

import pytest

from brvtui.lab.log_comparison import UntieredAnswers, causes, compare, summarise
from brvtui.trace import Trace
from brvtui.tree.engine_files.query_log import ENGINE, OURS, LoggedQuery
from tests.support.trees import NOW_MS, Tree

ENTRY = LoggedQuery(10.0, "rollback", ENGINE, "completed", 2, 5.0, 0.9, 1, ("deploy/rollback.md",))
DAY_MS = 86_400_000
UNSEEN = (
    "the signals, the settings, earlier runs, the engine's version, or a note whose file time is unchanged or older now"
)


def test_unchanged_answer_has_no_differences(tree: Tree) -> None:
    tree.note("deploy/rollback.md", "Rollback", "rollback rollback", importance=90, maturity="core")
    trace = tree.session().preview("rollback")
    entry = replace(
        ENTRY, tier=trace.tier, top_score=trace.hits[0].score, paths=tuple(hit.path for hit in trace.hits), who=OURS
    )
    assert compare(entry, trace).differences == ()


@pytest.mark.parametrize("who", [OURS, ENGINE])
@pytest.mark.parametrize(("status", "message"), [("error", "run failed"), ("cancelled", "run was stopped")])
def test_unanswered_run_differs_from_any_answer(tree: Tree, status: str, message: str, who: str) -> None:
    tree.note("deploy/rollback.md", "Rollback", "rollback rollback", importance=90, maturity="core")
    trace = tree.session().preview("rollback")
    (difference,) = compare(LoggedQuery(1.0, "rollback", who, status), trace).differences
    assert message in difference


def test_differences_from_the_logged_answer_are_reported(tree: Tree) -> None:
    tree.note("deploy/rollback.md", "Rollback", "rollback rollback", days=200)
    session = tree.session()
    trace = session.preview("rollback")
    other = replace(ENTRY, tier=trace.tier + 1, top_score=0.1, paths=("gone.md",))
    assert [line.split()[0] for line in compare(other, trace).differences] == ["tier", "number", "gone.md"]
    result = compare(replace(other, not_covered=True), trace)
    assert [line.split()[0] for line in result.differences] == ["not", "number", "gone.md"], "no note had a tier then"
    assert compare(replace(ENTRY, tier=0), trace).cached.startswith(
        "it came from the cache; with an empty cache it is "
    )
    nothing = session.preview("zebra quagga")
    assert "covered then, not covered now" in compare(ENTRY, nothing).differences


def test_small_scores_are_compared_on_the_engines_scale(tree: Tree) -> None:
    tree.note("deploy/rollback.md", "Rollback", "rollback rollback")
    trace = tree.session().preview("rollback", engine="jeffs_brain")
    score = trace.hits[0].score
    entry = LoggedQuery(
        10.0, "rollback", OURS, "completed", None, 5.0, score, 1, ("deploy/rollback.md",), engine="jeffs_brain"
    )
    assert compare(entry, trace).differences == ()
    assert compare(entry, trace).decimals == 4
    (difference,) = compare(replace(entry, top_score=score - 0.002), trace).differences
    assert difference == f"number 1 scored {score - 0.002:.4f} then, {score:.4f} now"


def logged(trace: Trace, **changes: Any) -> LoggedQuery:
    """The entry of the engine's log for ``trace``."""
    at_ms = datetime.fromisoformat(trace.snapshot.clock).timestamp() * 1000
    paths = tuple(hit.path for hit in trace.hits)
    result = LoggedQuery(at_ms, trace.query, ENGINE, "completed", trace.tier, 5.0, trace.hits[0].score, 1, paths)
    return replace(result, **changes)


def test_ageing_is_identified_by_running_at_the_logged_time(tree: Tree) -> None:
    tree.note("deploy/rollback.md", "Rollback", "rollback rollback", days=90)
    tree.note("deploy/other.md", "Other", "other things", days=90)
    before = tree.session(now_ms=NOW_MS - 60 * DAY_MS).preview("rollback")
    compared = tree.session().explainer.compare_logged(logged(before))
    assert compared.differences
    only_time = ("only time has passed: as of that moment, today's notes give the logged answer",)
    assert compared.causes == only_time
    tree.age("deploy/other.md", 1)
    assert tree.session().explainer.compare_logged(logged(before)).causes == only_time, "another note is no cause then"


def test_rewritten_result_is_named_even_if_time_explains_the_answer(tree: Tree) -> None:
    tree.note("deploy/rollback.md", "Rollback", "rollback rollback", days=90)
    tree.note("deploy/other.md", "Rollback drills", "rollback", days=90)
    before, now = (tree.session(now_ms=NOW_MS - days * DAY_MS).preview("rollback") for days in (60, 0))
    written = {"deploy/rollback.md": 0.0, "deploy/other.md": NOW_MS - DAY_MS}
    passed = "time has passed: as of that moment, today's notes give the logged answer"
    result = causes(logged(before), now, lambda _: before, written, False, NOW_MS)
    assert result == (passed, "deploy/other.md was also written")


def test_later_note_is_the_cause_and_time_has_no_effect(tree: Tree) -> None:
    """At the logged time, a note written later has no age, so running at that time is no evidence."""
    tree.note("deploy/rollback.md", "Rollback", "rollback rollback", days=90)
    before, now = (tree.session(now_ms=NOW_MS - days * DAY_MS).preview("rollback") for days in (60, 0))
    entry, written = logged(before), {"deploy/rollback.md": NOW_MS - 1_000.0}
    result = causes(entry, now, lambda at_ms: before if at_ms == entry.at_ms else now, written, False, NOW_MS)
    assert result == ("deploy/rollback.md was written",)


def test_time_and_later_notes_are_both_named(tree: Tree) -> None:
    tree.note("deploy/rollback.md", "Rollback", "rollback rollback", days=90)
    tree.note("deploy/other.md", "Other", "rollback of other things", days=90)
    then_ms = NOW_MS - 60 * DAY_MS
    before = tree.session(now_ms=then_ms).preview("rollback")
    tree.note("deploy/other.md", "Other", "other things", days=1)
    edited = tree.session(now_ms=then_ms).preview("rollback")
    given = f"deploy/rollback.md as number 1 with {edited.hits[0].score:.2f}, tier {edited.tier}"
    passed = f"time has passed: as of that moment, today's notes give {given}"
    assert tree.session().explainer.compare_logged(logged(before)).causes == (
        passed,
        "1 other note was written",
        f"if that is not the cause, another cause may be {UNSEEN}",
    )
    tree.note("deploy/other.md", "Other", "other things", days=90)
    assert tree.session().explainer.compare_logged(logged(before)).causes == (
        passed,
        f"no note's file is newer: another cause may be {UNSEEN}",
    )


def test_clock_earlier_than_the_log_is_reported(tree: Tree) -> None:
    tree.note("deploy/rollback.md", "Rollback", "rollback rollback", days=9)
    later = tree.session(now_ms=NOW_MS + 60 * DAY_MS).preview("rollback")
    assert tree.session().explainer.compare_logged(logged(later)).causes == (
        "only the clock is earlier now: as of that moment, today's notes give the logged answer",
    )


def test_time_before_a_note_was_written_has_no_effect_on_it(tree: Tree) -> None:
    tree.note("deploy/rollback.md", "Rollback", "rollback rollback", days=90, recency=0.5)
    entry = logged(tree.session(now_ms=NOW_MS - 60 * DAY_MS).preview("rollback"))
    written = "deploy/rollback.md was written"
    tree.note("deploy/rollback.md", "Rollback", "rollback rollback", days=0, recency=0.5)
    assert tree.session().explainer.compare_logged(entry).causes == (written,)
    edited = tree.session(now_ms=NOW_MS + 1).preview("rollback")
    soon = tree.session(now_ms=NOW_MS + 4_000).explainer.compare_logged(entry)
    assert soon.causes == (written,), "the stored recency, which counts at 0 days, is no later score"
    later = tree.session(now_ms=NOW_MS + 60 * DAY_MS).explainer.compare_logged(entry)
    given = f"deploy/rollback.md as number 1 with {edited.hits[0].score:.2f}, tier {edited.tier}"
    assert later.causes == (
        written,
        f"time has passed: as of the last change to deploy/rollback.md, today's notes give {given}",
    )


def test_notes_written_or_removed_in_the_meantime_are_named(tree: Tree) -> None:
    tree.note("deploy/rollback.md", "Rollback", "rollback rollback", days=9)
    tree.note("deploy/other.md", "Other", "other things", days=1)
    trace = tree.session(now_ms=NOW_MS - 5 * DAY_MS).preview("rollback")
    entry = logged(trace, paths=("deploy/gone.md", *(hit.path for hit in trace.hits)), top_score=0.1)
    given = f"deploy/rollback.md as number 1 with {trace.hits[0].score:.2f}, tier {trace.tier}"
    assert tree.session().explainer.compare_logged(entry).causes == (
        "deploy/gone.md is no longer in the tree",
        f"time has passed: as of that moment, today's notes give {given}",
    ), "another note, which was also written, is only a guess"
    tree.age("deploy/rollback.md", 1)
    assert "deploy/rollback.md was written" in tree.session().explainer.compare_logged(entry).causes


def test_note_archived_since_is_reported(tree: Tree) -> None:
    tree.note("deploy/rollback.md", "Rollback", "rollback rollback", days=9)
    entry = logged(tree.session(now_ms=NOW_MS - 5 * DAY_MS).preview("rollback"))
    session = tree.session()
    session.notes.apply(session.notes.plan_archive("deploy/rollback.md"))
    session.load()
    stub = "_archived/deploy/rollback.stub.md"
    assert session.explainer.compare_logged(entry).causes == (
        f"deploy/rollback.md is archived: restoring its stub {stub} brings it back",
    )


def test_already_packed_context_is_not_a_difference(tree: Tree) -> None:
    tree.note("deploy/rollback.md", "Rollback", "rollback rollback", days=9)
    session = tree.session()
    first = session.run("rollback", engine="knowing")
    again = session.preview("rollback", engine="knowing")
    assert again.hits[0].score > first.hits[0].score, "what was packed weighs more for some minutes"
    compared = session.explainer.compare_logged(logged(first, engine="knowing", tier=None))
    assert compared.differences == ()
    assert compared.top_score == first.hits[0].score


def test_another_profile_or_cause_outside_the_tree_is_named(tree: Tree) -> None:
    tree.note("deploy/rollback.md", "Rollback", "rollback rollback", days=9)
    trace = tree.session().preview("rollback")
    (cause,) = tree.session().explainer.compare_logged(logged(trace, top_score=0.1)).causes
    assert cause == f"no note's file is newer: the cause may be {UNSEEN}"
    (cause,) = tree.session().explainer.compare_logged(logged(trace, top_score=0.1, profile="docs")).causes
    assert cause == "the profile was docs then, and is brv-3 now"
    assert tree.session().explainer.compare_logged(logged(trace)).causes == ()
    tree.note("deploy/other.md", "Other", "other things", days=-1)
    written, guessed = tree.session().explainer.compare_logged(logged(trace, top_score=0.1)).causes
    assert written == "1 other note was written"
    assert guessed == f"if that is not the cause, the cause may be {UNSEEN}"


def test_signals_ignored_by_the_engine_are_named(tree: Tree) -> None:
    tree.note("deploy/rollback.md", "Rollback", "rollback rollback", days=9)
    entry = logged(tree.session().preview("rollback"))
    tree.file("deploy/rollback.md", "---\nmaturity: core\n---\n# Rollback\n\nrollback rollback\n", 9)
    tree.read_frontmatter()
    (cause,) = tree.session().explainer.compare_logged(entry).causes
    assert cause.startswith(
        "1 note has signals that ByteRover does not read: to ignore them, set signals.frontmatter = false"
    )
    tree.age("deploy/rollback.md", -1)
    assert tree.session().explainer.compare_logged(entry).causes[0] == "deploy/rollback.md was written"
    assert not any("signals" in one for one in tree.session().explainer.compare_logged(entry).causes)
    here = tree.session().explainer.compare_logged(replace(entry, who=OURS))
    assert not any("ByteRover does not read" in one for one in here.causes)


def test_summary_counts_completed_queries() -> None:
    entries = [
        replace(ENTRY, at_ms=9, tier=0, took_ms=1.0),
        replace(ENTRY, at_ms=8, tier=4, took_ms=900.0, query="slow"),
        replace(ENTRY, at_ms=7, not_covered=True, query="Nothing"),
        replace(ENTRY, at_ms=6, not_covered=True, query="nothing "),
        replace(ENTRY, at_ms=5, status="error", tier=None, took_ms=None),
        replace(ENTRY, at_ms=4, status="processing", tier=None),
    ]
    result = summarise(entries)
    assert result.queries == 6
    assert result.tiers == (1, 0, 0, 0, 1)
    assert result.uncovered == 2
    assert result.cached == 0.25
    assert [entry.at_ms for entry in result.not_covered] == [7]
    assert result.failed == 1
    assert result.slowest[0].query == "slow"
    assert summarise([]).cached is None


def test_engines_without_tiers_are_counted_by_results() -> None:
    other = replace(ENTRY, tier=None, engine="jeffs_brain", took_ms=700.0)
    result = summarise([ENTRY, other, other, replace(other, not_covered=True, query="nothing")])
    assert result.tiers == (0, 0, 1, 0, 0)
    assert result.untiered == (UntieredAnswers("jeffs_brain", 2, 1),)
    assert result.cached == 0.0
    assert result.slowest[0].engine == "jeffs_brain"


def test_logged_options_cannot_name_a_file(tree: Tree) -> None:
    tree.note("deploy/rollback.md", "Rollback", "rollback rollback")
    entry = replace(ENTRY, engine="soleri", tier=None, options={"memories": "secret.json"})
    (difference,) = tree.session().explainer.compare_logged(entry).differences
    assert difference.startswith("memories: a file cannot name another file")
