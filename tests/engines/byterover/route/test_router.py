"""The route as a whole: cache, search, entities, out of domain, direct answer, calls."""

from __future__ import annotations

import dataclasses

import pytest

from brvtui.engines.byterover.profile import Context
from brvtui.engines.byterover.route.cache import CacheContents
from brvtui.engines.byterover.route.router import RouteRequest, route
from brvtui.engines.byterover.sections import Search
from brvtui.snapshot import Snapshot
from brvtui.trace import Ladder, State, Trace, adds_up
from brvtui.trace.routing import CacheLook, FingerprintState, Outcome, Route
from tests.support.trees import BRV3, DOCS, NOW_MS, Tree, paths

CORE = {"importance": 100.0, "maturity": "core"}


@pytest.fixture
def snapshot(tree: Tree) -> Snapshot:
    tree.note("x/n.md", "Quokka", "all about the quokka", **CORE)
    tree.note("x/m.md", "Wallaby", "wallaby jumping far")
    tree.note("x/o.md", "Numbat", "numbat", days=300)
    tree.notes(30)
    return tree.snapshot()


def run(
    snapshot: Snapshot, query: str, state: CacheContents, after_ms: float = 0, **options: object
) -> tuple[Trace, CacheContents]:
    return route(Context(snapshot, BRV3, NOW_MS + after_ms), state, RouteRequest(query, run=True, **options))  # type: ignore[arg-type]


def states(trace: Trace) -> dict[str, str]:
    return {step.name: step.state.value for step in trace.steps}


@pytest.mark.parametrize(
    ("query", "tier", "outcome", "taken"),
    [
        ("quokka", 2, "direct", "direct"),
        ("wallaby", 3, "single_call", "single_call"),
        ("numbat", 4, "agentic_loop", "agentic_loop"),
        ("zebra", 2, "not_covered", "out_of_domain"),
    ],
)
def test_every_outcome(snapshot: Snapshot, query: str, tier: int, outcome: str, taken: str) -> None:
    trace, _ = run(snapshot, query, CacheContents())
    assert (trace.tier, trace.section(Route).outcome, trace.section(Route).used) == (tier, outcome, True)
    assert [name for name, state in states(trace).items() if state == "taken"] == [taken]
    assert trace.verdict
    assert [step.expected for step in trace.steps if step.tier is not None] == list(BRV3.router.expected)


def test_asking_again_hits_the_exact_cache_and_still_shows_the_search(snapshot: Snapshot) -> None:
    first, state = run(snapshot, "Quokka facts", CacheContents())
    again, after = run(snapshot, "  QUOKKA   facts ", state, 60_000)
    assert (again.tier, again.section(Route).outcome, again.section(Route).used) == (0, "exact_cache", False)
    assert paths(again) == paths(first)
    assert all("shown, not used" in step.summary for step in again.steps[2:])
    assert all(step.state is State.SKIPPED for step in again.steps[2:])
    assert after.entries == state.entries


def test_the_same_words_hit_the_fuzzy_cache_and_store_nothing(snapshot: Snapshot) -> None:
    first, state = run(snapshot, "quokka jumping facts", CacheContents())
    again, after = run(snapshot, "facts quokka jumping", state)
    assert (again.tier, again.section(Route).outcome) == (1, "fuzzy_cache")
    assert again.answer.text == (first.answer.text or state.entries[0].text)
    assert len(after.entries) == 1
    assert "1.00 similar" in again.verdict


def test_a_minute_later_it_is_asked_anew_and_stands_last(snapshot: Snapshot) -> None:
    _, state = run(snapshot, "quokka", CacheContents())
    _, state = run(snapshot, "wallaby", state)
    again, state = run(snapshot, "quokka", state, 60_001)
    assert again.tier == 2
    assert [entry.key for entry in state.entries] == ["wallaby", "quokka"]


def test_not_covered_is_cached_too(snapshot: Snapshot) -> None:
    _, state = run(snapshot, "zebra crossing", CacheContents())
    assert run(snapshot, "zebra crossing", state)[0].tier == 0
    assert run(snapshot, "crossing zebra", state)[0].tier == 1
    _, blank = run(snapshot, "  ", CacheContents())
    assert [entry.key for entry in blank.entries] == [""]
    assert run(snapshot, "", blank)[0].tier == 0


def test_what_stands_in_for_a_models_answer_is_cached_and_says_so(snapshot: Snapshot) -> None:
    trace, state = run(snapshot, "wallaby", CacheContents())
    assert "Composed without a model" in trace.answer.text
    assert "No model provider" in trace.answer.notice
    again, _ = run(snapshot, "wallaby", state)
    assert again.answer.kind == "cached"
    assert again.answer.text == trace.answer.text


def test_a_touched_note_changes_the_fingerprint_not_the_ranking(snapshot: Snapshot) -> None:
    first, state = run(snapshot, "quokka", CacheContents())
    later, _ = run(snapshot, "quokka", state, 30_000, touched={"x/n.md": NOW_MS + 30_000})
    assert later.tier == 2
    assert later.section(FingerprintState).value != first.section(FingerprintState).value
    days = [hit.signals.days for hit in later.hits if hit.signals]
    assert days[0] == pytest.approx(30_000 / 86_400_000)


def test_while_the_fingerprint_is_held_a_touch_goes_unnoticed(snapshot: Snapshot) -> None:
    _, state = run(snapshot, "quokka", CacheContents())
    held, _ = run(snapshot, "quokka", state, 29_999, touched={"x/n.md": NOW_MS})
    assert held.tier == 0
    assert held.section(FingerprintState).held


def test_the_router_searches_with_limit_5(tree: Tree) -> None:
    for number in range(8):
        tree.note(f"x/{number}.md", "Quokka", "same")
    trace = tree.ask("quokka")
    assert (trace.section(Search).limit, len(trace.section(Search).hits), trace.section(Search).total_found) == (
        5,
        5,
        8,
    )


def test_an_empty_tree(tree: Tree) -> None:
    trace = tree.ask("quokka")
    assert (trace.tier, trace.section(Route).outcome, trace.section(FingerprintState).value) == (
        2,
        "not_covered",
        "empty",
    )


def test_docs_says_not_covered_before_entities(snapshot: Snapshot) -> None:
    trace, _ = route(Context(snapshot, DOCS, NOW_MS), CacheContents(), RouteRequest("zebra crossing"))
    assert trace.section(Route).outcome == "not_covered"
    assert states(trace)["entity_search"] == "not_reached"


def test_the_ladder_keeps_its_place(snapshot: Snapshot) -> None:
    trace, _ = run(snapshot, "quokka", CacheContents())
    assert trace.section(Ladder).state is State.NOT_REACHED
    assert trace.section(Ladder).why == "the search itself found notes"


def test_the_ladder_is_advice_beside_the_route(tree: Tree) -> None:
    tree.note("x/rotation.md", "Burrows", "deep under the ground")
    tree.notes(60)
    trace = tree.ask("rotationalize")
    assert trace.section(Route).outcome is Outcome.NOT_COVERED
    assert trace.section(Ladder).state is State.HIT
    assert trace.section(Ladder).strategy == "trigram_fuzzy"
    assert trace.section(Ladder).found == ("x/rotation.md",)
    assert not trace.section(Ladder).in_route
    assert trace.hits == ()
    assert all(adds_up(hit) for hit in trace.section(Ladder).hits)


def test_the_combined_profile_uses_what_the_ladder_finds(tree: Tree) -> None:
    tree.note("x/rotation.md", "Burrows", "deep under the ground")
    tree.notes(60)
    session = tree.session("combined")
    trace = session.probe("rotationalize")
    assert trace.section(Ladder).in_route
    assert paths(trace) == ["x/rotation.md"]
    assert trace.hits[0].found_by == "trigram_fuzzy"
    assert trace.section(Route).outcome is not Outcome.NOT_COVERED
    assert [step.name for step in trace.steps][2:5] == ["retry_ladder", "out_of_domain", "entity_search"]


def test_a_trace_names_what_it_was_made_on(snapshot: Snapshot) -> None:
    trace, _ = run(snapshot, "quokka", CacheContents())
    assert trace.snapshot.clock == "2026-11-20T12:00:00.000Z"
    assert (trace.snapshot.project, trace.snapshot.notes) == ("project", 33)
    assert (trace.profile, trace.engine, trace.version) == ("brv-3", "byterover", "ByteRover 3.14.0")
    assert dataclasses.is_dataclass(trace)


def test_a_short_margin_is_told(tree: Tree) -> None:
    tree.note("x/quokka.md", "Quokka", "quokka quokka", days=1)
    tree.notes(48)
    trace = tree.ask("quokka")
    top = trace.hits[0].score
    assert (trace.tier, top) == (3, 0.84)
    assert trace.verdict == "top score 0.84 needs 0.85: short 0.01"


def test_a_cached_answer_lasts_until_it_or_what_hides_another_tree_expires(snapshot: Snapshot, tree: Tree) -> None:
    first, state = run(snapshot, "quokka", CacheContents())
    assert _lasts_s(first) is None
    cached, _ = run(snapshot, "quokka", state, 10_000)
    assert (cached.tier, _lasts_s(cached)) == (0, 50.0)
    tree.note("x/new.md", "Quokkas", "quokka", days=-1)
    hidden, _ = run(tree.snapshot(), "quokka", state, 10_000)
    assert (hidden.tier, _lasts_s(hidden)) == (0, 20.0)
    later, _ = run(tree.snapshot(), "quokka", state, 31_000)
    assert (later.tier, _lasts_s(later)) == (2, None)


def _lasts_s(trace: Trace) -> float | None:
    return trace.section(CacheLook).lasts_s(trace.section(FingerprintState))
