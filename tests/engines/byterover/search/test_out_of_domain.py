"""Out of domain: 50 notes or more, the floor, and the rule of unmatched words."""

from __future__ import annotations

import pytest

from brvtui.engines.byterover.sections import Search
from brvtui.trace.routing import Route, SearchOutcome
from tests.support.trees import BRV3, DOCS, Tree, changed, paths

OLD = 400.0


@pytest.mark.parametrize(("notes", "outcome"), [(49, SearchOutcome.MATCHES), (50, SearchOutcome.BELOW_FLOOR)])
def test_trees_of_50_notes_or_more_have_a_floor(tree: Tree, notes: int, outcome: SearchOutcome) -> None:
    tree.note("x/n.md", "N", "quokkas " + "word " * 200, days=OLD)
    tree.notes(notes - 1, "quokka filler")
    profile = changed(BRV3, out_of_domain={"floor": 0.999})
    made = tree.search("quokkas", profile=profile)
    assert made.outcome is outcome
    assert made.total_found == (notes if outcome is SearchOutcome.MATCHES else 0)


def test_the_floor_is_reached_by_equality(tree: Tree) -> None:
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


def test_all_indexed_notes_count_whatever_the_scope(tree: Tree) -> None:
    tree.note("x/n.md", "N", "quokka", days=OLD)
    tree.notes(60)
    profile = changed(BRV3, out_of_domain={"floor": 0.99})
    scoped = tree.search("x quokka", profile=profile)
    assert scoped.outcome is SearchOutcome.BELOW_FLOOR


@pytest.fixture
def many(tree: Tree) -> Tree:
    """Sixty notes; ``kubernetes`` in one that stands apart from ``refresh`` and ``token``."""
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
def test_words_that_nothing_matches(many: Tree, query: str, unmatched: tuple[str, ...]) -> None:
    made = many.search(query)
    assert made.unmatched_words == unmatched
    assert made.outcome is (SearchOutcome.UNMATCHED_WORDS if unmatched else SearchOutcome.MATCHES)
    assert bool(made.hits) == (not unmatched)
    assert made.total_found == (0 if unmatched else 2)


def test_only_when_and_failed(many: Tree) -> None:
    assert many.search("kubernetes? cluster").outcome is SearchOutcome.MATCHES  # AND: the tokens match one note
    assert many.search("kubernetes?").outcome is SearchOutcome.MATCHES  # one word: OR, which is no failure


def test_an_empty_answer_is_not_covered(many: Tree) -> None:
    trace = many.ask("kubernetes? zz")
    assert (trace.tier, trace.section(Route).outcome, trace.hits) == (2, "not_covered", ())
    assert "kubernetes?" in trace.verdict
    assert trace.section(Search).near_misses[0].path == "x/k.md"


def test_a_good_top_escapes(many: Tree) -> None:
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
def test_the_first_ten_of_all_matches_are_looked_at(tree: Tree, rank: int, outcome: SearchOutcome, limit: int) -> None:
    for number in range(rank - 1):
        tree.note(f"x/better{number:02d}.md", f"Refresh {number}", "refresh", days=20)
    tree.note("x/worse.md", "Other", "kubernetes " + "word " * 300, days=90)
    tree.notes(60)
    made = tree.search("refresh kubernetes", limit=limit)
    assert made.outcome is outcome
    assert made.unmatched_words == (() if outcome is SearchOutcome.MATCHES else ("kubernetes",))


def test_docs_compares_token_with_token(many: Tree) -> None:
    assert many.search("kubernetes? refresh", profile=DOCS).outcome is SearchOutcome.MATCHES
    assert many.search("kubernetes refresh zzzzzz?", profile=DOCS).unmatched_words == ("zzzzzz",)


def test_small_trees_are_never_out_of_domain(tree: Tree) -> None:
    tree.note("x/k.md", "Cluster", "kubernetes", days=300)
    made = tree.search("kubernetes zzzzzz")
    assert paths(made) == ["x/k.md"]
    assert [check.name for check in made.out_of_domain] == ["tree size"]
