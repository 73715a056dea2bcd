"""Order, gap filter, limit, rounding: which matches are kept."""

from __future__ import annotations

import math

import pytest

from tests.support.trees import BRV3, DAY_MS, DOCS, NOW_MS, Tree, changed, hit_of, part, paths, scores


def test_a_score_by_hand(tree: Tree) -> None:
    tree.note("x/n.md", "Quokka", "quokka", days=10, importance=80, recency=0.3, maturity="validated")
    tree.note("x/m.md", "Other", "other")
    hit = hit_of(tree.search("quokka"), "x/n.md")
    expected = 0.6 * hit.text.raw / (1 + hit.text.raw) + 0.2 * 0.8 * 0.995**10 + 0.2 * math.exp(-10 / 30) + 0.1
    assert hit.score == math.floor(expected * 100 + 0.5) / 100
    assert part(hit, "local bonus") == 0.1
    assert (hit.signals.days, hit.signals.recency_stored) == (10.0, 0.3)
    assert hit.signals.recency == pytest.approx(math.exp(-1 / 3))


def test_at_zero_days_signals_stand_as_stored(tree: Tree) -> None:
    tree.note("x/n.md", "Quokka", importance=80, recency=0.3)
    hit = hit_of(tree.search("quokka"), "x/n.md")
    assert (hit.signals.importance, hit.signals.recency) == (80, 0.3)
    later = hit_of(tree.search("quokka", now_ms=NOW_MS + 1), "x/n.md")
    assert later.signals.recency == pytest.approx(1.0, abs=1e-6)


def test_a_clock_before_the_file_is_zero_days(tree: Tree) -> None:
    tree.note("x/n.md", "Quokka")
    hit = hit_of(tree.search("quokka", now_ms=NOW_MS - 5 * DAY_MS), "x/n.md")
    assert hit.signals.days == 0


def test_the_factor_of_each_maturity(tree: Tree) -> None:
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


def test_capped_scores_are_ordered_by_raw(tree: Tree) -> None:
    tree.note("x/a.md", "Other", "quokka " + "word " * 30, days=3, importance=100, maturity="core")
    tree.note("x/z.md", "Quokka", "quokka quokka", days=3, importance=100, maturity="core")
    tree.notes(40)
    made = tree.search("quokka")
    assert [note.path for note in tree.snapshot().notes if note.path.startswith("x/")] == ["x/a.md", "x/z.md"]
    assert scores(made) == {"x/z.md": 1.0, "x/a.md": 1.0}
    assert paths(made) == ["x/z.md", "x/a.md"]


def test_equal_scores_and_raw_scores_keep_document_order(tree: Tree) -> None:
    """Paths of one form and no shared words: raw scores are equal to the last digit."""
    for name in ("bb", "ee", "aa", "dd"):
        tree.note(f"{name}/q.md", "Quokka", "same words", days=3)
    tree.note("zz/q.md", "Quokka", "same words", days=0.5)
    equal = tree.search("quokka")
    assert len({hit.text.raw for hit in equal.hits if hit.text}) == 1
    assert paths(equal) == ["zz/q.md", "aa/q.md", "bb/q.md", "dd/q.md", "ee/q.md"]


def test_the_gap_filter_uses_unrounded_scores(tree: Tree) -> None:
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


def test_what_the_gap_filter_drops_is_still_found(tree: Tree) -> None:
    tree.note("x/top.md", "Quokka", "quokka", importance=100, maturity="core")
    tree.note("x/low.md", "Thing", "quokka " + "word " * 300, days=100, importance=0)
    made = tree.search("quokka")
    assert (paths(made), made.total_found) == (["x/top.md"], 2)
    miss = made.near_misses[0]
    assert (miss.path, miss.rank, miss.reason) == ("x/low.md", 2, "below 0.7 × top")
    assert made.floor is not None
    assert made.top is not None
    assert made.floor == 0.7 * made.top
    assert miss.short == pytest.approx(made.floor - miss.score)


def test_the_limit(tree: Tree) -> None:
    equal_notes(tree, *(f"x/n{number:02d}.md" for number in range(15)))
    made = tree.search("quokka", limit=4)
    assert (len(made.hits), made.total_found) == (4, 15)
    assert [(miss.rank, miss.reason, miss.short) for miss in made.near_misses[:2]] == [
        (5, "past the limit", 1.0),
        (6, "past the limit", 2.0),
    ]
    assert len(made.near_misses) == 11


def test_at_most_twenty_near_misses(tree: Tree) -> None:
    equal_notes(tree, *(f"x/n{number:02d}.md" for number in range(40)))
    assert len(tree.search("quokka", limit=1).near_misses) == 20


@pytest.mark.parametrize("limit", [0, -1, -5])
def test_a_limit_below_one_gives_nothing_and_counts(tree: Tree, limit: int) -> None:
    equal_notes(tree, *(f"x/n{number}.md" for number in range(4)))
    made = tree.search("quokka", limit=limit)
    assert (made.hits, made.total_found) == ((), 4)


@pytest.mark.parametrize("limit", [0, -1])
@pytest.mark.parametrize("query", ["x", "x/n.md"])
def test_a_path_answer_has_one_result_at_least(tree: Tree, limit: int, query: str) -> None:
    tree.note("x/n.md", "Quokka")
    tree.note("x/o.md", "Zebra")
    assert paths(tree.search(query, limit=limit)) == ["x/n.md"]


def test_a_hundred_results(tree: Tree) -> None:
    equal_notes(tree, *(f"x/n{number:03d}.md" for number in range(110)))
    assert len(tree.search("quokka", limit=100, profile=changed(BRV3, out_of_domain={"min_notes": 1000})).hits) == 100


def test_docs_has_no_bonus(tree: Tree) -> None:
    tree.note("auth/n.md", "Quokka", "quokka", days=2, importance=60, maturity="validated")
    one, other = tree.search("quokka"), tree.search("quokka", profile=DOCS)
    assert part(hit_of(one, "auth/n.md"), "local bonus") == 0.1
    assert part(hit_of(other, "auth/n.md"), "local bonus") == 0
