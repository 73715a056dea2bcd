"""The complete route, and its gates: cache, search, entities, out of domain, direct answer, calls."""

from __future__ import annotations

import dataclasses

import pytest

from brvtui.engines.byterover.presentation import ByteRoverPresentation
from brvtui.engines.byterover.profile import Context, Profile
from brvtui.engines.byterover.route.cache import CacheContents
from brvtui.engines.byterover.route.decision import entity_words
from brvtui.engines.byterover.route.gates import gate_steps, prefetched
from brvtui.engines.byterover.route.router import RouteRequest, route
from brvtui.engines.byterover.sections import EntityStep, Search
from brvtui.snapshot import Snapshot
from brvtui.trace import Hit, Kind, Ladder, Origin, Part, State, Step, Trace, adds_up
from brvtui.trace.routing import CacheLook, FingerprintState, Outcome, Route
from tests.support.trees import BRV3, DOCS, NOW_MS, Tree, changed, paths

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
def test_each_outcome_has_its_tier_and_step(
    snapshot: Snapshot, query: str, tier: int, outcome: str, taken: str
) -> None:
    trace, _ = run(snapshot, query, CacheContents())
    assert (trace.tier, trace.section(Route).outcome, trace.section(Route).used) == (tier, outcome, True)
    assert [name for name, state in states(trace).items() if state == "taken"] == [taken]
    assert trace.verdict
    assert [step.expected for step in trace.steps if step.tier is not None] == list(BRV3.router.expected)


def test_repeated_query_hits_the_exact_cache_and_still_shows_the_search(snapshot: Snapshot) -> None:
    first, state = run(snapshot, "Quokka facts", CacheContents())
    again, after = run(snapshot, "  QUOKKA   facts ", state, 60_000)
    assert (again.tier, again.section(Route).outcome, again.section(Route).used) == (0, "exact_cache", False)
    assert paths(again) == paths(first)
    assert all("shown, not used" in step.summary for step in again.steps[2:])
    assert all(step.state is State.SKIPPED for step in again.steps[2:])
    assert after.entries == state.entries


def test_same_words_hit_the_fuzzy_cache_and_store_nothing(snapshot: Snapshot) -> None:
    first, state = run(snapshot, "quokka jumping facts", CacheContents())
    again, after = run(snapshot, "facts quokka jumping", state)
    assert (again.tier, again.section(Route).outcome) == (1, "fuzzy_cache")
    assert again.answer.text == (first.answer.text or state.entries[0].text)
    assert len(after.entries) == 1
    assert "1.00 similar" in again.verdict


def test_expired_query_runs_again_and_moves_to_the_end(snapshot: Snapshot) -> None:
    _, state = run(snapshot, "quokka", CacheContents())
    _, state = run(snapshot, "wallaby", state)
    again, state = run(snapshot, "quokka", state, 60_001)
    assert again.tier == 2
    assert [entry.key for entry in state.entries] == ["wallaby", "quokka"]


def test_not_covered_answer_is_cached(snapshot: Snapshot) -> None:
    _, state = run(snapshot, "zebra crossing", CacheContents())
    assert run(snapshot, "zebra crossing", state)[0].tier == 0
    assert run(snapshot, "crossing zebra", state)[0].tier == 1
    _, blank = run(snapshot, "  ", CacheContents())
    assert [entry.key for entry in blank.entries] == [""]
    assert run(snapshot, "", blank)[0].tier == 0


def test_extractive_substitute_for_a_model_is_cached_and_marked(snapshot: Snapshot) -> None:
    trace, state = run(snapshot, "wallaby", CacheContents())
    assert "Composed without a model" in trace.answer.text
    assert "No model is set" in trace.answer.notice
    again, _ = run(snapshot, "wallaby", state)
    assert again.answer.kind == "cached"
    assert again.answer.text == trace.answer.text


def test_touched_note_changes_the_fingerprint_but_not_the_ranking(snapshot: Snapshot) -> None:
    first, state = run(snapshot, "quokka", CacheContents())
    later, _ = run(snapshot, "quokka", state, 30_000, touched={"x/n.md": NOW_MS + 30_000})
    assert later.tier == 2
    assert later.section(FingerprintState).value != first.section(FingerprintState).value
    days = [hit.signals.days for hit in later.hits if hit.signals]
    assert days[0] == pytest.approx(30_000 / 86_400_000)


def test_touch_is_unnoticed_while_the_fingerprint_is_cached(snapshot: Snapshot) -> None:
    _, state = run(snapshot, "quokka", CacheContents())
    held, _ = run(snapshot, "quokka", state, 29_999, touched={"x/n.md": NOW_MS})
    assert held.tier == 0
    assert held.section(FingerprintState).held


def test_router_searches_with_limit_5(tree: Tree) -> None:
    for number in range(8):
        tree.note(f"x/{number}.md", "Quokka", "same")
    trace = tree.ask("quokka")
    assert (trace.section(Search).limit, len(trace.section(Search).hits), trace.section(Search).total_found) == (
        5,
        5,
        8,
    )


def test_empty_tree_is_not_covered(tree: Tree) -> None:
    trace = tree.ask("quokka")
    assert (trace.tier, trace.section(Route).outcome, trace.section(FingerprintState).value) == (
        2,
        "not_covered",
        "empty",
    )


def test_docs_profile_ends_at_not_covered_before_entity_search(snapshot: Snapshot) -> None:
    trace, _ = route(Context(snapshot, DOCS, NOW_MS), CacheContents(), RouteRequest("zebra crossing"))
    assert trace.section(Route).outcome == "not_covered"
    assert states(trace)["entity_search"] == "not_reached"


def test_ladder_step_is_listed_even_if_unused(snapshot: Snapshot) -> None:
    trace, _ = run(snapshot, "quokka", CacheContents())
    assert trace.section(Ladder).state is State.NOT_REACHED
    assert trace.section(Ladder).why == "the search itself found notes"


def test_ladder_results_are_advice_outside_the_route(tree: Tree) -> None:
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


def test_combined_profile_uses_the_ladder_results(tree: Tree) -> None:
    tree.note("x/rotation.md", "Burrows", "deep under the ground")
    tree.notes(60)
    session = tree.session("combined")
    trace = session.preview("rotationalize")
    assert trace.section(Ladder).in_route
    assert paths(trace) == ["x/rotation.md"]
    assert trace.hits[0].found_by == "trigram_fuzzy"
    assert trace.section(Route).outcome is not Outcome.NOT_COVERED
    assert [step.name for step in trace.steps][2:5] == ["retry_ladder", "out_of_domain", "entity_search"]


def test_trace_names_its_inputs(snapshot: Snapshot) -> None:
    trace, _ = run(snapshot, "quokka", CacheContents())
    assert trace.snapshot.clock == "2026-11-20T12:00:00.000Z"
    assert (trace.snapshot.project, trace.snapshot.notes) == ("project", 33)
    assert (trace.profile, trace.engine, trace.version) == ("brv-3", "byterover", "ByteRover 3.14.0")
    assert dataclasses.is_dataclass(trace)


def test_small_margin_is_reported(tree: Tree) -> None:
    tree.note("x/quokka.md", "Quokka", "quokka quokka", days=1)
    tree.notes(48)
    trace = tree.ask("quokka")
    top = trace.hits[0].score
    assert (trace.tier, top) == (3, 0.84)
    assert trace.verdict == "top score 0.84 is 0.01 short of 0.85"


def test_cached_answer_is_valid_until_it_or_the_fingerprint_expires(snapshot: Snapshot, tree: Tree) -> None:
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


def hits(*scores: float) -> list[Hit]:
    return [
        Hit(
            f"x/{n}.md", f"x/{n}.md", f"T{n}", Kind.CONTEXT, Origin.TEXT, score, (Part("all", score),), None, None, None
        )
        for n, score in enumerate(scores)
    ]


def steps(*scores: float, profile: Profile = BRV3) -> tuple[Step, Step, Step]:
    """The three gates in order; each is run only if no earlier gate took the query."""
    direct, single, loop = gate_steps(hits(*scores), profile, reached=True)
    return direct, single, loop


def tier(*scores: float, profile: Profile = BRV3) -> int | None:
    return next(step for step in steps(*scores, profile=profile) if step.took).tier


@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        ((0.85,), 2),
        ((0.84,), 3),
        ((0.70,), 3),
        ((0.69,), 4),
        ((), 4),
        ((0.6999999999,), 4),
        ((0.85, 0.69), 2),
        ((0.93, 0.93), 2),
        ((0.92, 0.92), 3),
        ((1.0, 1.0), 2),
        ((0.84, 0.2), 3),
    ],
)
def test_scores_determine_the_tier(scores: tuple[float, ...], expected: int) -> None:
    assert tier(*scores) == expected


@pytest.mark.parametrize("top", [0.85, 0.86, 0.87, 0.88, 0.89])
def test_displayed_gap_of_008_fails_below_090(top: float) -> None:
    """As an IEEE double, this gap is 0.07999999999999996."""
    second = round(top - 0.08, 2)
    assert top - second < 0.08
    assert tier(top, second) == 3
    assert tier(top, round(second - 0.01, 2)) == 2


@pytest.mark.parametrize("top", [0.90, 0.91, 0.92])
def test_displayed_gap_of_008_passes_from_090(top: float) -> None:
    second = round(top - 0.08, 2)
    assert top - second >= 0.08
    assert tier(top, second) == 2
    assert tier(top, round(second + 0.01, 2)) == 3


def checks(*scores: float) -> list[tuple[str, bool | None]]:
    return [(check.name, check.passed) for check in steps(*scores)[0].checks]


def test_skipped_steps_are_reported() -> None:
    assert checks(0.8) == [("top score", False), ("sure top", None), ("lead over the next", None)]
    assert checks(0.9) == [("top score", True), ("notes to choose from", True)]
    assert checks(0.95, 0.94) == [("top score", True), ("sure top", True)]
    assert checks(0.9, 0.85) == [("top score", True), ("sure top", False), ("lead over the next", False)]


def test_checks_have_margins_and_constants() -> None:
    direct, single, _ = steps(0.84, 0.8)
    assert direct.checks[0].margin == pytest.approx(-0.01)
    assert direct.checks[0].constant == "direct.min_top"
    assert single.checks[0].margin == pytest.approx(0.14)
    assert steps()[1].checks[0].value is None


def test_exactly_one_step_answers_a_query() -> None:
    for scores in ((0.9,), (0.84, 0.8), (0.2,), ()):
        assert [step.took for step in steps(*scores)].count(True) == 1


def test_gate_uses_the_first_result_above_the_prefetch_threshold() -> None:
    """Results of entity searches are appended, so a better result may follow a worse one."""
    assert tier(0.6, 0.9) == 2
    assert tier(0.75, 0.95) == 3
    assert tier(0.86, 0.95) == 3


def test_gates_use_only_five_results() -> None:
    found = hits(0.8, 0.79, 0.78, 0.77, 0.76, 0.75, 0.74)
    assert len(prefetched(found, BRV3)) == 5
    step = gate_steps(found, BRV3, reached=True)[1]
    assert step.checks[0].note.startswith("7 ")
    assert step.summary == "5 of the 7 results that reach 0.7 are quoted"
    assert gate_steps(found[:5], BRV3, reached=True)[1].summary == "5 notes reach 0.7"


def test_thresholds_come_from_the_profile() -> None:
    lax = changed(BRV3, direct={"min_top": 0.5, "prefetch": 0.4, "min_gap": 0.0})
    assert tier(0.5, 0.5, profile=lax) == 2
    assert tier(0.39, profile=lax) == 4


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("How is the token rotated?", ("token", "rotated?")),
        ("what are tokens", ("are", "tokens")),
        ("is it up", ()),
        ("a of with", ()),
        ("go api v2", ("api",)),
        ("refresh-token, (jwt)", ("refresh-token,", "(jwt)")),
        ("🎉a x", ("🎉a",)),
        ("token token", ("token", "token")),
    ],
)
def test_entity_words_leave_out_stop_words(query: str, words: tuple[str, ...]) -> None:
    assert entity_words(query, BRV3) == words


@pytest.fixture
def fruit(tree: Tree) -> Tree:
    for name in ("banana", "apple", "cherry", "melon"):
        tree.note(f"{name}s/n.md", name.title(), f"{name} {name}", days=3)
    tree.notes(30)
    return tree


def test_three_results_skip_the_entity_search(fruit: Tree) -> None:
    for number in range(3):
        fruit.note(f"x/{number}.md", "Kiwi", "kiwi quince", days=3)
    trace = fruit.ask("kiwi quince")
    assert trace.section(Search).total_found == 3
    assert (trace.section(EntityStep).state, trace.section(EntityStep).check.passed) == (State.SKIPPED, False)


def test_two_results_run_the_entity_search(fruit: Tree) -> None:
    for number in range(2):
        fruit.note(f"x/{number}.md", "Kiwi", "kiwi quince", days=3)
    trace = fruit.ask("kiwi quince")
    assert trace.section(Search).total_found == 2
    assert trace.section(EntityStep).check.passed
    assert [entity.entity for entity in trace.section(EntityStep).searches] == ["kiwi", "quince"]


def test_first_search_stop_word_that_becomes_an_entity_is_named(fruit: Tree) -> None:
    fruit.note("x/n.md", "Kiwi", "kiwi", days=3)
    fruit.note("x/after.md", "After", "after", days=3)
    said = fruit.ask("kiwi after banana").section(EntityStep).why
    assert said.endswith("added by after; unlike the first search, these use the stop word after")
    assert fruit.ask("kiwi quince").section(EntityStep).why == "nothing added by kiwi, quince"
    said = fruit.ask("kiwi after before").section(EntityStep).why
    assert said.endswith("; unlike the first search, these use the stop words after, before")


def test_stop_words_in_both_searches_are_not_named(fruit: Tree) -> None:
    """A query of only stop words keeps all of them."""
    assert fruit.ask("after before").section(EntityStep).why == "nothing added by after, before"


def test_entity_search_needs_two_words(fruit: Tree) -> None:
    trace = fruit.ask("the banana")
    assert trace.section(EntityStep).state is State.SKIPPED
    assert "1 word, 2 needed" in trace.section(EntityStep).why


def test_entity_results_are_appended_unsorted(fruit: Tree) -> None:
    fruit.note("x/both.md", "Thing", "banana apple " + "word " * 80, days=90)
    trace = fruit.ask("banana apple")
    assert paths(trace.section(Search)) == ["x/both.md"]
    assert paths(trace)[0] == "x/both.md"
    assert {"bananas/n.md", "apples/n.md"} <= set(paths(trace))
    assert len(paths(trace)) == len(set(paths(trace)))
    added = {hit.path: hit.found_by for hit in trace.hits}
    assert (added["x/both.md"], added["bananas/n.md"], added["apples/n.md"]) == ("", "banana", "apple")
    assert trace.section(EntityStep).state is State.HIT
    prompt = trace.answer.prompt
    if prompt:
        assert prompt.variables["totalFound"] == 1 + len(trace.hits) - len(trace.section(Search).hits)


def test_entity_search_uses_three_words_with_three_results_each(fruit: Tree) -> None:
    for number in range(5):
        fruit.note(f"kiwi{number}/n.md", "Kiwi", "kiwi", days=3)
    fruit.note("x/rest.md", "Thing", "kiwi melon cherry apple", days=90)
    trace = fruit.ask("kiwi melon cherry apple")
    assert [entity.entity for entity in trace.section(EntityStep).searches] == ["kiwi", "melon", "cherry"]
    assert {entity.search.limit for entity in trace.section(EntityStep).searches} == {3}
    assert all(len(entity.search.hits) <= 3 for entity in trace.section(EntityStep).searches)


def test_domain_name_lists_its_folder(fruit: Tree) -> None:
    trace = fruit.ask("bananas cherries")
    listed = next(entity for entity in trace.section(EntityStep).searches if entity.entity == "bananas")
    assert listed.search.outcome == "path_folder"


def test_profile_decides_order_of_entity_and_domain_steps(tree: Tree) -> None:
    tree.note("x/k.md", "Cluster", "kubernetes cluster", days=20)
    tree.note("x/r.md", "Refresh", "refresh", days=20)
    tree.notes(60)
    query = "kubernetes refresh zzzzzz"
    trace = tree.ask(query)
    assert trace.section(Search).outcome == "unmatched_words"
    assert trace.section(Route).outcome != "not_covered"
    assert {"x/k.md", "x/r.md"} <= set(paths(trace))
    by_docs = tree.ask(query, profile=DOCS)
    assert (by_docs.section(Route).outcome, by_docs.section(EntityStep).state) == ("not_covered", State.NOT_REACHED)
    names = [
        [step.name for step in made.steps if step.name in ("entity_search", "out_of_domain")]
        for made in (trace, by_docs)
    ]
    assert names == [["entity_search", "out_of_domain"], ["out_of_domain", "entity_search"]]


def test_entity_searches_have_separate_timings(fruit: Tree) -> None:
    fruit.note("x/0.md", "Kiwi", "kiwi quince", days=3)
    trace = fruit.ask("kiwi quince")
    assert [entity.timed_by for entity in trace.section(EntityStep).searches] == ["entity.kiwi", "entity.quince"]
    assert {"entity.kiwi", "entity.quince"} <= trace.timings.keys()


def test_stop_word_searched_as_an_entity_is_reported(fruit: Tree) -> None:
    fruit.note("x/0.md", "Kiwi", "kiwi, where there are some", days=3)
    rows = ByteRoverPresentation().attempts(fruit.ask("are kiwi"))
    why = {row.name: row.why for row in rows if row.id.startswith("entity:")}
    assert why.keys() == {"“are”", "“kiwi”"}
    assert [name for name, said in why.items() if "stop word" in said] == ["“are”"]
