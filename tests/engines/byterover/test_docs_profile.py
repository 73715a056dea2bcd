"""The profile ``docs`` follows the two documents where the engine, and therefore ``brv-3``, differs from them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from brvtui.engines.byterover.profile import Context, Profile, load
from brvtui.engines.byterover.route.cache import CacheContents
from brvtui.engines.byterover.route.gates import gate_steps
from brvtui.engines.byterover.route.router import RouteRequest, route
from brvtui.engines.byterover.search.scoring import propagate
from brvtui.engines.byterover.search.search import domain_checks
from brvtui.engines.byterover.sections import EntityStep, Search
from brvtui.paint.glyphs import UNICODE
from brvtui.ranking.compound import round_half_up, unrounded_threshold
from brvtui.ranking.decay import decayed_recency
from brvtui.ranking.maturity import LEVELS, after_access, levels_of, promoted_from
from brvtui.report.query import trace_lines
from brvtui.session import Session
from brvtui.trace import Hit, Kind, NearMiss, Origin, State, TextScore
from tests.support.recorded import REPOSITORY
from tests.support.trees import BRV3, DOCS, NOW_MS, Tree, changed, hit_of, part, paths, scores, stored

FILES = (
    ("a/n.md", True, True),
    ("a/new.md", True, True),
    ("_archived/a/o.stub.md", True, True),
    ("a/n.abstract.md", True, True),
    ("a/_index.md", False, True),
    ("a/n.overview.md", False, True),
    ("_archived/a/o.full.md", False, True),
    ("a/n.txt", False, False),
)
"""Files, and whether changing them changes the fingerprint of ``brv-3`` and of ``docs``."""


def asked_twice(tree: Tree, profile: Profile, path: str) -> list[int | None]:
    """The tiers of a query and of the same query a minute later; in between, the file at ``path`` is saved."""
    state, tiers = CacheContents(), []
    for wait in (0, 40_000):
        if wait:
            tree.file(path, "---\ntype: summary\ncondensation_order: 1\n---\nnew", -0.0001)
        context = Context(tree.snapshot(profile), profile, NOW_MS + wait)
        trace, state = route(context, state, RouteRequest("quokka facts", run=True))
        tiers.append(trace.tier)
    return tiers


@pytest.mark.parametrize(("path", "in_engine", "in_docs"), FILES)
def test_fingerprint_covers_every_markdown_file(quokkas: Tree, path: str, in_engine: bool, in_docs: bool) -> None:
    if path != "a/new.md":
        quokkas.file(path, "old", 3)
    for profile, changes in ((BRV3, in_engine), (DOCS, in_docs)):
        quokkas.age(path, 3) if path != "a/new.md" else (quokkas.tree / path).unlink(missing_ok=True)
        tiers = asked_twice(quokkas, profile, path)
        assert (tiers[1] != 0) == changes, profile.name


def test_removed_summary_changes_only_the_docs_fingerprint(quokkas: Tree) -> None:
    quokkas.summary("x")
    before = [quokkas.snapshot(profile).fingerprint for profile in (BRV3, DOCS)]
    (quokkas.tree / "x" / "_index.md").unlink()
    after = [quokkas.snapshot(profile).fingerprint for profile in (BRV3, DOCS)]
    assert [one == other for one, other in zip(before, after, strict=True)] == [True, False]


def test_stale_answer_names_the_changed_summary(quokkas: Tree) -> None:
    quokkas.summary("x", days=3)
    session = quokkas.session(profile="docs")
    session.run("quokka facts")
    quokkas.age("x/_index.md", 1)
    session.load()
    assert session.cache_now("x").changes["quokka facts"].changed == ("x/_index.md",)


def test_cached_answer_mentions_newer_derived_files(quokkas: Tree) -> None:
    quokkas.summary("x", days=3)
    session = quokkas.session()
    session.run("quokka facts")
    quokkas.age("x/_index.md", 1)
    session.load()
    sentence = "".join(line.plain for line in trace_lines(session.preview("quokka facts"), {}, 200, UNICODE)[:3])
    assert "no note's file time or signals have changed" in sentence
    assert "no file is newer" not in sentence


def hit(score: float, path: str = "a/n.md", relevance: float = 0.5) -> Hit:
    """A text match with this score."""
    text = TextScore(1.0, 1, 1.0, relevance)
    return Hit(path, path, path, Kind.CONTEXT, Origin.TEXT, score, (), text, None, None)


@pytest.mark.parametrize(
    ("score", "rounded", "passes"),
    [
        (0.84513, 0.85, False),
        (0.85, 0.85, True),
        (0.849999999, 0.85, False),
        (0.8500001, 0.85, True),
        (0.845, 0.85, False),
    ],
)
def test_gates_compare_unrounded_scores(score: float, rounded: float, passes: bool) -> None:
    assert round_half_up(score, BRV3.score.decimals) == rounded
    seen = round_half_up(score, DOCS.score.decimals)
    assert seen == score
    assert (gate_steps([hit(seen)], DOCS, True)[0].state is State.TAKEN) == passes
    assert gate_steps([hit(rounded)], BRV3, True)[0].state is State.TAKEN


def test_score_just_below_a_threshold_shows_enough_digits() -> None:
    step = gate_steps([hit(0.84999)], DOCS, True)[0]
    assert step.summary == "top score 0.84999 is 1e-05 short of 0.85"
    assert gate_steps([hit(0.7)], DOCS, True)[0].summary == "top score 0.70 is 0.15 short of 0.85"


@given(st.floats(0.001, 1.2))
def test_threshold_for_unrounded_scores_is_unchanged(threshold: float) -> None:
    assert unrounded_threshold(threshold, DOCS.score.decimals) == threshold


@pytest.mark.parametrize(("maturity", "boost"), [("core", 1.15), ("validated", 1.0), ("draft", 0.85)])
def test_score_follows_the_documented_formula(tree: Tree, maturity: str, boost: float) -> None:
    tree.note("x/n.md", "Quokka", "quokka", importance=100, maturity=maturity)
    tree.notes(40)
    found = hit_of(tree.search("quokka", profile=DOCS), "x/n.md")
    assert found.score == pytest.approx((0.6 * found.text.relevance + 0.2 + 0.2) * boost, rel=1e-15)
    assert part(found, "cap") == 0
    assert [one.name for one in found.parts if one.name == "rounding"] == []
    assert (found.score > 1) == (maturity == "core")


def test_docs_profile_shows_unrounded_scores(tree: Tree) -> None:
    tree.note("x/n.md", "Quokka", "quokka", importance=100, maturity="core")
    tree.notes(40)
    trace = tree.ask("quokka", profile=DOCS)
    assert (trace.scale.decimals, trace.scale.full) == (4, 1.15)
    assert f"{trace.hits[0].score:.4f}" in "\n".join(line.plain for line in trace_lines(trace, {}, 100, UNICODE))
    assert (tree.ask("quokka").scale.decimals, tree.ask("quokka").scale.full) == (2, 1.0)


@pytest.mark.parametrize("recency", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("days", [0.0, 1e-9, 7.0])
def test_recency_depends_only_on_age(recency: float, days: float) -> None:
    assert float(decayed_recency(recency, days, DOCS.decay)) == pytest.approx(np.exp(-days / 30))
    assert float(decayed_recency(recency, 0.0, BRV3.decay)) == recency


@pytest.mark.parametrize(
    ("importance", "maturity", "then", "in_engine"),
    [
        (82, "draft", "validated", "core"),
        (97, "draft", "validated", "core"),
        (100, "draft", "validated", "core"),
        (82, "validated", "core", "core"),
        (62, "draft", "validated", "validated"),
        (61, "draft", "draft", "draft"),
        (90, "core", "core", "core"),
    ],
)
def test_draft_becomes_validated_before_core(importance: float, maturity: str, then: str, in_engine: str) -> None:
    for profile, expected in ((DOCS, then), (BRV3, in_engine)):
        _, levels = after_access(np.asarray([float(importance)]), levels_of([maturity]), profile.signals)
        assert LEVELS[levels[0]] == expected, profile.name


def test_draft_is_promoted_at_65_even_if_core_begins_lower() -> None:
    assert promoted_from(DOCS.signals)[:2] == (65, 85)
    assert promoted_from(changed(DOCS, signals={"core_from": 50}).signals)[:2] == (65, 50)
    assert promoted_from(changed(BRV3, signals={"core_from": 50}).signals)[:2] == (50, 50)


LIFTING = {"gap_ratio": 0.1}
"""A gap filter that lets folders appear under the documents' factor."""


@pytest.mark.parametrize(("levels", "value"), [(1, 0.44), (2, 0.242), (3, 0.1331)])
def test_parent_score_falls_by_a_factor_per_level(tree: Tree, levels: int, value: float) -> None:
    tree.file("a/b/c/n.md", "# N")
    for folder in ("a", "a/b", "a/b/c"):
        tree.summary(folder)
    context = Context(tree.snapshot(DOCS), DOCS, NOW_MS)
    _, summaries = propagate(context, [hit(0.8, "a/b/c/n.md")], 0.0)
    assert summaries[levels - 1].score == pytest.approx(value)
    assert summaries[levels - 1].score == 0.8 * 0.55**levels


def test_summary_signals_do_not_change_its_propagated_score(tree: Tree) -> None:
    tree.note("a/n.md", "Quokka", "quokka")
    tree.summary("a")
    tree.signals["a/_index.md"] = stored(importance=100, maturity="core")
    made = tree.search("quokka", profile=changed(DOCS, search=LIFTING))
    assert scores(made)["a"] == scores(made)["a/n.md"] * 0.55


@pytest.mark.parametrize("index", [True, False])
def test_only_folders_with_a_summary_are_lifted(tree: Tree, index: bool) -> None:
    tree.note("a/n.md", "Quokka", "quokka")
    tree.file("a/context.md", "# Other\n\nother")
    if index:
        tree.summary("a")
    made = tree.search("quokka", profile=changed(DOCS, search=LIFTING))
    assert ("a" in paths(made)) == index
    assert made.lifts[0].why == ("reaches the floor" if index else "no _index.md summary")


@given(st.floats(0, 1.15), st.integers(1, 6), st.floats(0.001, 1.15))
def test_documented_constants_never_let_a_folder_appear(score: float, levels: int, top: float) -> None:
    """0.55 × a score cannot reach 0.7 × the top score."""
    top = max(top, score)
    assert score * DOCS.search.lift_factor**levels < DOCS.search.gap_ratio * top


def test_docs_profile_finds_no_folder_for_sample_queries() -> None:
    import json

    session = Session.open(REPOSITORY / "sample-tree", "docs", NOW_MS)
    session.load()
    queries = [item["query"] for item in json.loads((REPOSITORY / "sample-tree" / "queries.json").read_text())]
    found = [session.preview(query) for query in queries]
    assert len(found) == 42
    assert [one.query for one in found if any(each.origin is Origin.PROPAGATED for each in one.hits)] == []


@pytest.fixture
def fruit(tree: Tree) -> Tree:
    tree.note("auth/jwt/n.md", "Tokens", "refresh", days=3)
    tree.note("billing/b.md", "Rotation", "rotation of invoices", days=3)
    tree.note("billing/c.md", "Billing", "refresh of billing", days=3)
    return tree


@pytest.mark.parametrize(
    ("query", "scope"),
    [
        ("auth/jwt refresh rotation", ""),
        ("auth refresh rotation", ""),
        ("auth jwt refresh rotation", ""),
        ("refresh rotation", "auth"),
        ("auth refresh billing", ""),
    ],
)
def test_entity_searches_stay_in_the_scope(fruit: Tree, query: str, scope: str) -> None:
    trace = fruit.ask(query, profile=DOCS, scope=scope)
    assert trace.section(EntityStep).searches
    assert paths(trace) == ["auth/jwt/n.md"]
    assert any(path.startswith("billing/") for path in paths(fruit.ask(query, scope=scope)))


@pytest.mark.parametrize("query", ["auth rotation invoices", "auth/jwt rotation"])
def test_query_without_results_in_its_scope_is_not_covered(fruit: Tree, query: str) -> None:
    assert paths(fruit.ask(query, profile=DOCS)) == []
    assert "billing/b.md" in paths(fruit.ask(query))


@pytest.mark.parametrize(
    ("query", "found"), [("auth/jwt rotatoin", []), ("auth/jwt wheelgear", ["auth/jwt/gearwheel.md"])]
)
def test_retry_ladder_stays_in_the_scope(fruit: Tree, query: str, found: list[str]) -> None:
    for path in ("auth/jwt/gearwheel.md", "billing/gearwheel.md", "billing/rotation.md"):
        fruit.note(path, "Other", "nothing", days=3)
    assert paths(fruit.ask(query, profile=load("combined"))) == found
    anywhere = changed(load("combined"), paths={"leave_scope": True})
    assert len(paths(fruit.ask(query, profile=anywhere))) > len(found)


def test_path_outside_the_scope_option_is_not_an_answer(fruit: Tree) -> None:
    assert paths(fruit.ask("billing", scope="auth", profile=DOCS)) == []
    assert "auth/jwt/n.md" in paths(fruit.ask("auth/jwt", scope="auth", profile=DOCS))
    assert paths(fruit.ask("billing", profile=DOCS)) == ["billing/c.md", "billing/b.md"]


def test_single_word_is_searched_as_an_entity(tree: Tree) -> None:
    tree.note("x/n.md", "Banana", "banana", days=3)
    found = tree.ask("the banana?", profile=DOCS).section(EntityStep)
    assert [one.entity for one in found.searches] == ["banana?"]


def test_significant_words_are_compared_with_the_whole_index(tree: Tree) -> None:
    for number in range(12):
        tree.note(f"x/better{number:02d}.md", f"Refresh {number}", "refresh", days=20)
    tree.note("x/worse.md", "Other", "kubernetes " + "word " * 300, days=90)
    tree.notes(60)
    assert tree.search("refresh kubernetes").unmatched_words == ("kubernetes",)
    assert tree.search("refresh kubernetes", profile=DOCS).unmatched_words == ()
    assert tree.search("refresh zzzzzz", profile=DOCS).unmatched_words == ("zzzzzz",)


@pytest.mark.parametrize(("top", "covered"), [(0.4499999, False), (0.45, True)])
def test_top_score_below_the_threshold_is_out_of_domain(top: float, covered: bool) -> None:
    _, _, outcome = domain_checks(DOCS, "refresh", 60, top, False, {"refresh"})
    assert (outcome == "matches") == covered


def test_near_miss_below_the_floor_is_reported(tree: Tree) -> None:
    tree.note("x/a.md", "Quokka", "quokka", days=1)
    tree.note("x/b.md", "Other", "quokka " + "word " * 400, days=90)
    made = tree.search("quokka", profile=DOCS)
    misses: tuple[NearMiss, ...] = made.near_misses
    assert [miss.reason for miss in misses] == ["below 70 % of the first score"]
    assert isinstance(made, Search)
