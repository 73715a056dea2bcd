"""Two answers compared: ranks, scores, the part that changed most, and the sentence about it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from brvtui.engines.byterover.profile import Context
from brvtui.engines.byterover.route.cache import CacheContents
from brvtui.engines.byterover.route.router import RouteRequest, cached_answer, route
from brvtui.lab.trace_diff import Shift, TraceDiff, diff_traces, difference_sentence
from brvtui.paint.sentence import plain
from brvtui.trace import Check, Hit, NearMiss, Part, State, Trace
from tests.support.trees import BRV3, DAY_MS, NOW_MS, Tree


@pytest.fixture
def tree(tree: Tree) -> Tree:
    tree.note("deploy/rollback.md", "Rollback", "roll back by alias", days=1, importance=88, maturity="core")
    tree.note("deploy/freeze.md", "Freeze window", "no rollback on Friday", days=30, importance=60)
    tree.note("deploy/alias.md", "Alias", "an alias names an image; rollback moves it", days=9, importance=70)
    return tree


def sentence(compared: TraceDiff) -> str:
    """The differences as text."""
    return plain(difference_sentence(compared))


def hit(base: Hit, file: str, score: float, **parts: float) -> Hit:
    """A result with these parts."""
    result = tuple(Part(name, value) for name, value in parts.items())
    return replace(base, path=file, file=file, title=file, score=score, parts=result)


@pytest.fixture
def pinned(tree: Tree) -> Trace:
    """A tier 2 answer with two results."""
    trace = tree.session().preview("rollback")
    base = trace.hits[0]
    hits = (hit(base, "a", 0.91, relevance=0.6, recency=0.31), hit(base, "b", 0.8, relevance=0.5, recency=0.3))
    return replace(trace, tier=2, covered=True, hits=hits, near_misses=())


def test_equal_answers_have_no_difference(tree: Tree) -> None:
    session = tree.session()
    compared = diff_traces(session.preview("rollback"), session.preview("rollback"))
    assert not compared.differs
    assert compared.settings == ()
    assert {one.moved for one in compared.results} == {Shift.SAME}
    assert sentence(compared) == "Nothing differs: the same outcome, notes, ranks and scores."


def test_sentence_names_the_part_that_changed_most(pinned: Trace) -> None:
    first, second = pinned.hits
    aged = hit(first, "a", 0.83, relevance=0.602, recency=0.228)
    compared = diff_traces(pinned, replace(pinned, tier=3, hits=(aged, second)))
    assert sentence(compared) == "Changed from tier 2 to tier 3: “a” fell from 0.91 to 0.83, recency −0.08."
    changed, same = compared.results
    assert (changed.moved, changed.scored, same.differs) == (Shift.SAME, Shift.WORSE, False)
    assert changed.part == ("recency", pytest.approx(-0.082))


def test_sentence_names_the_gate_that_changed_the_tier(pinned: Trace) -> None:
    direct = next(step for step in pinned.steps if step.name == "direct")
    passed = replace(direct, state=State.TAKEN, checks=(gate(0.08, True),))
    short = replace(direct, state=State.FAILED, checks=(gate(0.05, False),))
    first, second = pinned.hits
    before = replace(pinned, steps=(passed,))
    after = replace(pinned, tier=3, steps=(short,), hits=(first, hit(second, "b", 0.86, relevance=0.56, recency=0.3)))
    assert sentence(diff_traces(before, after)) == (
        "Changed from tier 2 to tier 3 (lead over the next 0.05 < .08): “b” rose from 0.80 to 0.86, relevance +0.06; "
        "the first is unchanged."
    )
    assert sentence(diff_traces(after, before)).startswith(
        "Changed from tier 3 (lead over the next 0.05 < .08) to tier 2: “b” fell from 0.86 to 0.80"
    )


def test_sentence_names_no_gate_if_an_answer_is_cached(tree: Tree) -> None:
    tree.note("zoo/zebra.md", "Zebra", "zebra stripes")
    tree.note("zoo/other.md", "Zebra too", "zebra stripes", days=1)
    tree.notes(60)
    context = Context(tree.snapshot(), BRV3, NOW_MS)
    request = RouteRequest("zebra stripes", run=True)
    routed, cache = route(context, CacheContents(), request)
    cached, _ = route(context, cache, request)
    assert (routed.tier, cached.tier) == (3, 0)
    assert sentence(diff_traces(routed, cached)) == "Changed from tier 3 to tier 0 (from the cache)."
    assert sentence(diff_traces(cached, routed)) == "Changed from tier 0 (from the cache) to tier 3."
    (tree.tree / "zoo/other.md").unlink()
    direct, _ = route(Context(tree.snapshot(), BRV3, NOW_MS), CacheContents(), request)
    assert direct.tier == 2
    assert sentence(diff_traces(direct, routed)).startswith("Changed from tier 2 to tier 3 (lead over the next")


def test_cached_answer_is_distinguished_from_new_ranks(pinned: Trace) -> None:
    first, second = pinned.hits
    cached = replace(pinned, tier=1, hits=(second, first), answer=cached_answer("text", 3))
    assert sentence(diff_traces(pinned, cached)) == (
        "Changed from tier 2 to tier 1 (from the cache); in a new search, “b” is first now; "
        "“a” fell from rank 1 to 2; 2 moved of 2 results."
    )
    uncovered = replace(cached, covered=False)
    assert "to tier 1 (from the cache, not covered); in" in sentence(diff_traces(pinned, uncovered))


def gate(value: float, passed: bool) -> Check:
    """The result of the gate on the lead of a direct answer."""
    return Check("lead over the next", value, "≥", 0.08, passed, value - 0.08, "direct.min_gap", "the-tiers")


def test_difference_hidden_by_rounding_is_ignored(pinned: Trace) -> None:
    first, second = pinned.hits
    hidden = hit(first, "a", 0.914, relevance=0.604, recency=0.31)
    assert not diff_traces(pinned, replace(pinned, hits=(hidden, second))).differs
    seen = hit(first, "a", 0.916, relevance=0.606, recency=0.31)
    assert diff_traces(pinned, replace(pinned, hits=(seen, second))).results[0].scored is Shift.BETTER


def test_sentence_names_the_new_and_the_previous_first_note(pinned: Trace) -> None:
    first, second = pinned.hits
    new = hit(first, "c", 0.95, relevance=0.95)
    swapped = diff_traces(pinned, replace(pinned, hits=(hit(second, "b", 0.97, relevance=0.97), first)))
    assert sentence(swapped) == "Tier 2 both times: “b” is first now; “a” fell from rank 1 to 2; 2 moved of 2 results."
    taken = diff_traces(pinned, replace(pinned, hits=(new,)))
    assert [(one.now.path, one.then.rank, one.now.rank, one.moved) for one in taken.results] == [
        ("c", None, 1, Shift.NEW),
        ("a", 1, None, Shift.GONE),
        ("b", 2, None, Shift.GONE),
    ]
    assert sentence(taken) == (
        "Tier 2 both times: “c” is new and ranks first; “a” is no longer a result; 1 new, 2 gone of 3 results."
    )


def test_lost_result_keeps_its_near_miss_score_and_reason(pinned: Trace) -> None:
    first, second = pinned.hits
    miss = NearMiss("a", "a", "a", first.kind, "draft", 2, 0.55, "below 70 % of the first score", 0.01)
    compared = diff_traces(pinned, replace(pinned, hits=(second,), near_misses=(miss,)))
    lost = compared.results[1]
    assert (lost.moved, lost.scored, lost.now.score, lost.now.reason) == (Shift.GONE, Shift.WORSE, 0.55, miss.reason)
    assert "“a” is no longer a result, 0.91 then, 0.55 now" in sentence(compared)


def test_difference_below_the_first_result_is_reported(pinned: Trace) -> None:
    first, second = pinned.hits
    compared = diff_traces(pinned, replace(pinned, hits=(first, hit(second, "b", 0.7, relevance=0.4, recency=0.3))))
    assert (
        sentence(compared) == "Tier 2 both times: “b” fell from 0.80 to 0.70, relevance −0.10; the first is unchanged."
    )


def test_higher_rank_with_a_lower_score_is_reported(pinned: Trace) -> None:
    first, second = pinned.hits
    third = hit(second, "c", 0.7, relevance=0.5, recency=0.2)
    now = replace(pinned, hits=(first, hit(second, "c", 0.6, relevance=0.4, recency=0.2)))
    compared = diff_traces(replace(pinned, hits=(first, second, third)), now)
    assert sentence(compared) == (
        "Tier 2 both times: “c” rose from rank 3 to 2, its score fell from 0.70 to 0.60, relevance −0.10; "
        "the first is unchanged; 1 gone, 1 moved of 3 results."
    )


def test_answer_without_results_is_compared(pinned: Trace) -> None:
    nothing = replace(pinned, hits=(), covered=False)
    lost = sentence(diff_traces(pinned, nothing))
    assert lost.startswith("Changed from tier 2 to tier 2 (not covered): “a” is gone, and nothing else was found")
    assert "“a” is found now; nothing was found before" in sentence(diff_traces(nothing, pinned))
    assert diff_traces(nothing, nothing).results == ()


def test_differences_in_time_wording_and_scope_are_named(tree: Tree) -> None:
    then = tree.session().preview("rollback")
    now = tree.session(now_ms=NOW_MS + 60 * DAY_MS).preview("rollback alias", "deploy")
    named = {one.name: (one.then, one.now) for one in diff_traces(then, now).settings}
    assert named == {
        "wording": ("rollback", "rollback alias"),
        "scope": ("whole tree", "deploy"),
        "moment": ("2026-11-20 12:00", "2027-01-19 12:00"),
    }


def test_ageing_is_attributed_to_score_parts(tree: Tree) -> None:
    then = tree.session().preview("freeze")
    now = tree.session(now_ms=NOW_MS + 60 * DAY_MS).preview("freeze")
    (only,) = diff_traces(then, now).results
    assert (only.moved, only.scored) == (Shift.SAME, Shift.WORSE)
    assert only.part[0] in ("recency", "importance")
    assert only.part[1] < 0


@pytest.mark.parametrize("engine", ["jeffs_brain", "soleri"])
def test_two_engines_are_compared_only_by_rank(tree: Tree, engine: str) -> None:
    session = tree.session()
    then, now = session.preview("rollback"), session.preview("rollback", engine=engine)
    compared = diff_traces(then, now)
    assert not compared.by_score
    assert compared.differs
    assert {one.then.score for one in compared.results} | {one.now.score for one in compared.results} == {None}
    assert [one.now.rank for one in compared.results if one.now.rank] == list(range(1, len(now.hits) + 1))
    assert [one.name for one in compared.settings] == ["engine"]
    assert "Changed from ByteRover tier" in sentence(compared)


def test_ranks_count_results_or_documents(pinned: Trace) -> None:
    first, second = pinned.hits
    twice = replace(pinned, hits=(first, replace(first, path="folder"), second))
    assert [one.now.rank for one in diff_traces(twice, twice).results] == [1, 2, 3]
    assert twice.place_of(second.file)[0] == 3
    assert [one.now.rank for one in diff_traces(twice, twice, by_document=True).results] == [1, 2]
