"""The matches that are kept: order, gap filter, limit, rounding, and out of domain."""

from __future__ import annotations

import math

import pytest

from brvtui.engines.byterover.sections import Search
from brvtui.trace.routing import Route, SearchOutcome
from tests.support.trees import BRV3, DAY_MS, DOCS, NOW_MS, Tree, changed, hit_of, part, paths, scores


def test_score_equals_a_manual_calculation(tree: Tree) -> None:
    tree.note("x/n.md", "Quokka", "quokka", days=10, importance=80, recency=0.3, maturity="validated")
    tree.note("x/m.md", "Other", "other")
    hit = hit_of(tree.search("quokka"), "x/n.md")
    expected = 0.6 * hit.text.raw / (1 + hit.text.raw) + 0.2 * 0.8 * 0.995**10 + 0.2 * math.exp(-10 / 30) + 0.1
    assert hit.score == math.floor(expected * 100 + 0.5) / 100
    assert part(hit, "local bonus") == 0.1
    assert (hit.signals.days, hit.signals.recency_stored) == (10.0, 0.3)
    assert hit.signals.recency == pytest.approx(math.exp(-1 / 3))


def test_signals_are_unchanged_at_age_zero(tree: Tree) -> None:
    tree.note("x/n.md", "Quokka", importance=80, recency=0.3)
    hit = hit_of(tree.search("quokka"), "x/n.md")
    assert (hit.signals.importance, hit.signals.recency) == (80, 0.3)
    later = hit_of(tree.search("quokka", now_ms=NOW_MS + 1), "x/n.md")
    assert later.signals.recency == pytest.approx(1.0, abs=1e-6)


def test_file_newer_than_the_clock_has_age_zero(tree: Tree) -> None:
    tree.note("x/n.md", "Quokka")
    hit = hit_of(tree.search("quokka", now_ms=NOW_MS - 5 * DAY_MS), "x/n.md")
    assert hit.signals.days == 0


def test_each_maturity_multiplies_the_score_by_its_factor(tree: Tree) -> None:
    for maturity in ("draft", "validated", "core"):
        tree.note(f"x/{maturity}.md", "Quokka", "same", days=40, maturity=maturity)
    factors = {
        hit.path: part(hit, "maturity") / sum(part(hit, name) for name in ("relevance", "importance", "recency"))
        for hit in tree.search("quokka").hits
    }
    assert factors == {
        "x/core.md": pytest.approx(0.15),
        "x/validated.md": pytest.approx(0.0),
        "x/draft.md": pytest.approx(-0.15),
    }


def equal_notes(tree: Tree, *names: str, days: float = 3.0) -> None:
    for name in names:
        tree.note(name, "Quokka", "same words", days=days)


def test_capped_scores_are_ordered_by_raw_score(tree: Tree) -> None:
    tree.note("x/a.md", "Other", "quokka " + "word " * 30, days=3, importance=100, maturity="core")
    tree.note("x/z.md", "Quokka", "quokka quokka", days=3, importance=100, maturity="core")
    tree.notes(40)
    made = tree.search("quokka")
    assert [note.path for note in tree.snapshot().notes if note.path.startswith("x/")] == ["x/a.md", "x/z.md"]
    assert scores(made) == {"x/z.md": 1.0, "x/a.md": 1.0}
    assert paths(made) == ["x/z.md", "x/a.md"]


def test_equal_scores_and_raw_scores_keep_document_order(tree: Tree) -> None:
    """Paths of the same form without shared words have identical raw scores."""
    for name in ("bb", "ee", "aa", "dd"):
        tree.note(f"{name}/q.md", "Quokka", "same words", days=3)
    tree.note("zz/q.md", "Quokka", "same words", days=0.5)
    equal = tree.search("quokka")
    assert len({hit.text.raw for hit in equal.hits if hit.text}) == 1
    assert paths(equal) == ["zz/q.md", "aa/q.md", "bb/q.md", "dd/q.md", "ee/q.md"]


def test_gap_filter_uses_unrounded_scores(tree: Tree) -> None:
    tree.note("x/top.md", "Quokka", "quokka", importance=100, maturity="validated")
    tree.note("x/low.md", "Thing", "quokka " + "word " * 300, days=100)
    everything = changed(BRV3, search={"gap_ratio": 0.0})
    made = tree.search("quokka", profile=everything)
    misses = {
        miss.path: miss for miss in tree.search("quokka", profile=changed(BRV3, search={"gap_ratio": 1.0})).near_misses
    }
    low = misses["x/low.md"].score
    assert made.top is not None
    ratio = low / made.top
    while ratio * made.top < low:
        ratio = math.nextafter(ratio, 2)
    while ratio * made.top > low:
        ratio = math.nextafter(ratio, 0)
    at = changed(BRV3, search={"gap_ratio": ratio})
    over = changed(BRV3, search={"gap_ratio": math.nextafter(math.nextafter(ratio, 2), 2)})
    assert "x/low.md" in paths(tree.search("quokka", profile=at))
    assert "x/low.md" not in paths(tree.search("quokka", profile=over))


def test_results_dropped_by_the_gap_filter_count_as_found(tree: Tree) -> None:
    tree.note("x/top.md", "Quokka", "quokka", importance=100, maturity="core")
    tree.note("x/low.md", "Thing", "quokka " + "word " * 300, days=100, importance=0)
    made = tree.search("quokka")
    assert (paths(made), made.total_found) == (["x/top.md"], 2)
    miss = made.near_misses[0]
    assert (miss.path, miss.rank, miss.reason) == ("x/low.md", 2, "below 70 % of the first score")
    assert made.floor is not None
    assert made.top is not None
    assert made.floor == 0.7 * made.top
    assert miss.short == pytest.approx(made.floor - miss.score)


def test_results_past_the_limit_become_near_misses(tree: Tree) -> None:
    equal_notes(tree, *(f"x/n{number:02d}.md" for number in range(15)))
    made = tree.search("quokka", limit=4)
    assert (len(made.hits), made.total_found) == (4, 15)
    assert [(miss.rank, miss.reason, miss.short) for miss in made.near_misses[:2]] == [
        (5, "past the limit", 1.0),
        (6, "past the limit", 2.0),
    ]
    assert len(made.near_misses) == 11


def test_near_misses_are_limited_to_twenty(tree: Tree) -> None:
    equal_notes(tree, *(f"x/n{number:02d}.md" for number in range(40)))
    assert len(tree.search("quokka", limit=1).near_misses) == 20


@pytest.mark.parametrize("limit", [0, -1, -5])
def test_limit_below_one_returns_only_counts(tree: Tree, limit: int) -> None:
    equal_notes(tree, *(f"x/n{number}.md" for number in range(4)))
    made = tree.search("quokka", limit=limit)
    assert (made.hits, made.total_found) == ((), 4)


@pytest.mark.parametrize("limit", [0, -1])
@pytest.mark.parametrize("query", ["x", "x/n.md"])
def test_path_query_returns_one_result_even_with_limit_zero(tree: Tree, limit: int, query: str) -> None:
    tree.note("x/n.md", "Quokka")
    tree.note("x/o.md", "Zebra")
    assert paths(tree.search(query, limit=limit)) == ["x/n.md"]


def test_limit_of_100_returns_100_results(tree: Tree) -> None:
    equal_notes(tree, *(f"x/n{number:03d}.md" for number in range(110)))
    assert len(tree.search("quokka", limit=100, profile=changed(BRV3, out_of_domain={"min_notes": 1000})).hits) == 100


def test_docs_profile_has_no_local_bonus(tree: Tree) -> None:
    tree.note("auth/n.md", "Quokka", "quokka", days=2, importance=60, maturity="validated")
    one, other = tree.search("quokka"), tree.search("quokka", profile=DOCS)
    assert part(hit_of(one, "auth/n.md"), "local bonus") == 0.1
    assert part(hit_of(other, "auth/n.md"), "local bonus") == 0


OLD = 400.0


@pytest.mark.parametrize(("notes", "outcome"), [(49, SearchOutcome.MATCHES), (50, SearchOutcome.BELOW_FLOOR)])
def test_trees_of_50_notes_or_more_have_a_floor(tree: Tree, notes: int, outcome: SearchOutcome) -> None:
    tree.note("x/n.md", "N", "quokkas " + "word " * 200, days=OLD)
    tree.notes(notes - 1, "quokka filler")
    profile = changed(BRV3, out_of_domain={"floor": 0.999})
    made = tree.search("quokkas", profile=profile)
    assert made.outcome is outcome
    assert made.total_found == (notes if outcome is SearchOutcome.MATCHES else 0)


def test_score_equal_to_the_floor_is_kept(tree: Tree) -> None:
    tree.note("x/n.md", "N", "quokka", days=OLD)
    tree.notes(60)
    top = tree.search("quokka").top
    assert top is not None
    at = tree.search("quokka", profile=changed(BRV3, out_of_domain={"floor": top}))
    above = tree.search("quokka", profile=changed(BRV3, out_of_domain={"floor": top * (1 + 1e-12)}))
    assert (at.outcome, above.outcome) == (SearchOutcome.MATCHES, SearchOutcome.BELOW_FLOOR)
    assert above.near_misses[0].path == "x/n.md"
    assert above.near_misses[0].short == pytest.approx(top * 1e-12, rel=1e-2)
    assert above.out_of_domain[1].passed is False


def test_floor_applies_to_scoped_searches_by_total_note_count(tree: Tree) -> None:
    tree.note("x/n.md", "N", "quokka", days=OLD)
    tree.notes(60)
    profile = changed(BRV3, out_of_domain={"floor": 0.99})
    scoped = tree.search("x quokka", profile=profile)
    assert scoped.outcome is SearchOutcome.BELOW_FLOOR


@pytest.fixture
def many(tree: Tree) -> Tree:
    """Sixty notes; ``kubernetes`` occurs in one that is separate from ``refresh`` and ``token``."""
    tree.note("x/k.md", "Cluster", "kubernetes cluster authentication", days=20)
    tree.note("x/r.md", "Refresh", "refresh of a token", days=20)
    tree.notes(60, days=20)
    return tree


@pytest.mark.parametrize(
    ("query", "unmatched"),
    [
        ("kubernetes refresh", ()),
        ("kubernetes refresh zzzzzz", ("zzzzzz",)),
        ("kubernetes? refresh", ("kubernetes?",)),
        ("kubernetes refresh-token", ("refresh-token",)),
        ("KUBERNETES refresh", ()),
        ("kubernetez refresh", ()),
        ("authent refresh", ()),
        ("netes refresh", ("netes",)),
        ("(kubernetes) refresh", ("(kubernetes)",)),
        ("-kubernetes refresh", ("-kubernetes",)),
        ("kubernetes refresh ....", ("....",)),
        ("kubernetes refresh ...", ()),
        ("kubernetes refresh zzz", ()),
        ("kubernetes refresh 中中中", ()),
        ("kubernetes refresh 中中中中", ("中中中中",)),
        ("kubernetes refresh 🎉🎉", ("🎉🎉",)),
        ("kubernetes refresh 🎉a", ()),
        ("kubernetes refresh ab-c", ("ab-c",)),
    ],
)
def test_unmatched_significant_words_empty_the_answer(many: Tree, query: str, unmatched: tuple[str, ...]) -> None:
    made = many.search(query)
    assert made.unmatched_words == unmatched
    assert made.outcome is (SearchOutcome.UNMATCHED_WORDS if unmatched else SearchOutcome.MATCHES)
    assert bool(made.hits) == (not unmatched)
    assert made.total_found == (0 if unmatched else 2)


def test_escape_applies_only_if_the_and_search_fails(many: Tree) -> None:
    # AND succeeds, because one note matches both tokens
    assert many.search("kubernetes? cluster").outcome is SearchOutcome.MATCHES
    assert many.search("kubernetes?").outcome is SearchOutcome.MATCHES  # a single word uses OR, so AND has not failed


def test_empty_answer_is_not_covered(many: Tree) -> None:
    trace = many.ask("kubernetes? zz")
    assert (trace.tier, trace.section(Route).outcome, trace.hits) == (2, "not_covered", ())
    assert "kubernetes?" in trace.verdict
    assert trace.section(Search).near_misses[0].path == "x/k.md"


def test_top_score_at_the_escape_threshold_keeps_results(many: Tree) -> None:
    query = "kubernetes refresh zzzzzz"
    top = many.search(query, profile=changed(BRV3, out_of_domain={"min_notes": 1000})).top
    assert top is not None
    assert top < 0.85
    at = changed(BRV3, out_of_domain={"escape": top})
    above = changed(BRV3, out_of_domain={"escape": top * (1 + 1e-12)})
    assert many.search(query, profile=at).outcome is SearchOutcome.MATCHES
    assert many.search(query, profile=above).outcome is SearchOutcome.UNMATCHED_WORDS


@pytest.mark.parametrize(("rank", "outcome"), [(10, SearchOutcome.MATCHES), (11, SearchOutcome.UNMATCHED_WORDS)])
@pytest.mark.parametrize("limit", [1, 5, 50])
def test_only_the_first_ten_matches_are_checked_for_words(
    tree: Tree, rank: int, outcome: SearchOutcome, limit: int
) -> None:
    for number in range(rank - 1):
        tree.note(f"x/better{number:02d}.md", f"Refresh {number}", "refresh", days=20)
    tree.note("x/worse.md", "Other", "kubernetes " + "word " * 300, days=90)
    tree.notes(60)
    made = tree.search("refresh kubernetes", limit=limit)
    assert made.outcome is outcome
    assert made.unmatched_words == (() if outcome is SearchOutcome.MATCHES else ("kubernetes",))


def test_docs_profile_compares_words_without_punctuation(many: Tree) -> None:
    assert many.search("kubernetes? refresh", profile=DOCS).outcome is SearchOutcome.MATCHES
    assert many.search("kubernetes refresh zzzzzz?", profile=DOCS).unmatched_words == ("zzzzzz",)


def test_small_trees_are_never_out_of_domain(tree: Tree) -> None:
    tree.note("x/k.md", "Cluster", "kubernetes", days=300)
    made = tree.search("kubernetes zzzzzz")
    assert paths(made) == ["x/k.md"]
    assert [check.name for check in made.out_of_domain] == ["tree size"]
