"""Reasons why one note ranks above another: parts that sum to the gap, and changes that are verified on disk."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from brvtui.engines import registry
from brvtui.engines.changes import accessed
from brvtui.engines.contract import Context, Query
from brvtui.lab.pair import NotScored, PairComparison, RankSwapSearch, compare_pair
from brvtui.snapshot.naming import Named
from tests.support.trees import BRV3, NOW_MS, Tree, stored

A, B = "auth/a.md", "auth/b.md"
QUERY = Query("refresh token rotation")
TEXT = "Refresh token rotation: each refresh token is used once.\n"


def ask(tree: Tree, engine: str = "byterover") -> tuple[Any, Context[Any], Any]:
    asked = registry.load(engine)
    context = Context(tree.snapshot(), asked.constants(""), NOW_MS)
    return asked, context, asked.answer(context, QUERY)


def pair_of(tree: Tree, engine: str = "byterover", one: str = A, other: str = B) -> PairComparison:
    asked, context, trace = ask(tree, engine)
    named = [Named(path, context.snapshot.by_path.get(path)) for path in (one, other)]
    return compare_pair(asked, context, trace, named[0], named[1])


@pytest.fixture
def two(tree: Tree) -> Tree:
    """Two notes with similar words; B is older and less important than A."""
    tree.notes(20)
    tree.note(A, "Refresh token rotation", TEXT, 6, importance=41, maturity="validated")
    tree.note(B, "Rotation of tokens", TEXT * 2, 12, importance=38, maturity="validated")
    return tree


@pytest.mark.parametrize("engine", ["byterover", "soleri", "jeffs_brain", "knowing"])
def test_differences_of_parts_sum_to_the_gap(two: Tree, engine: str) -> None:
    pair = pair_of(two, engine)
    assert pair == replace(pair_of(two, engine, B, A), trace=pair.trace)  # the order of the names does not matter
    _, _, trace = ask(two, engine)
    scores = {hit.file: hit.score for hit in trace.hits}
    assert pair.gap == pytest.approx(scores[pair.above.path] - scores[pair.below.path], abs=1e-12)
    assert sum(part.difference for part in pair.parts) == pytest.approx(pair.gap, abs=1e-9)
    files = [hit.file for hit in trace.hits]
    assert (pair.above.rank, pair.below.rank) == (files.index(pair.above.path) + 1, files.index(pair.below.path) + 1)


def test_suggested_wording_gives_the_promised_rank(tree: Tree) -> None:
    tree.notes(20)
    tree.note(A, "Refresh token rotation", TEXT, 6, importance=90, maturity="core")
    tree.note(B, "Refresh token rotation", f"{TEXT} wombat wombat", 120, importance=10)
    engine, context, _ = ask(tree)
    turned = RankSwapSearch(engine, context, BRV3, QUERY, A, B).smallest()
    (wording,) = (one for one in turned if one.text.startswith("ask"))
    asked = engine.answer(context, Query(wording.text.partition("“")[2].partition("”")[0]))
    assert [hit.file for hit in asked.hits].index(B) + 1 == wording.rank


def test_word_contributions_sum_to_the_text_score(two: Tree) -> None:
    pair, (engine, context, trace) = pair_of(two), ask(two)
    for note, side in ((pair.above, "above"), (pair.below, "below")):
        detail = engine.detail(context, trace, note.path)
        assert sum(getattr(word, side) for word in pair.words) == pytest.approx(detail.score.term_sum, abs=1e-9)
    assert {word.name for word in pair.words} == {"refresh", "token", "rotation"}


def test_note_outside_the_results_has_a_hypothetical_score(two: Tree) -> None:
    two.note("other/c.md", "Unlike", "A token.", 80)
    pair = pair_of(two, one="other/c.md", other=A)
    assert (pair.above.path, pair.below.rank) == (A, None)
    assert pair.below.reason
    assert sum(part.difference for part in pair.parts) == pytest.approx(pair.gap, abs=1e-9)
    with pytest.raises(NotScored, match="no word of the query matches"):
        pair_of(two, one="pad/p001.md")


def stands_above(tree: Tree) -> bool:
    """True if B ranks before A in the files on disk."""
    files = [hit.file for hit in ask(tree)[2].hits]
    return B in files and (A not in files or files.index(B) < files.index(A))


def test_each_change_is_the_smallest_that_swaps_the_notes(two: Tree) -> None:
    engine, context, _ = ask(two)
    found = RankSwapSearch(engine, context, BRV3, QUERY, A, B).smallest()
    kinds = set()
    before = {path: two.signals[path] for path in (A, B)}
    for change in found:
        assert change.other_rank is None or change.rank < change.other_rank
        text, note = change.text, A if change.text.startswith("A: ") else B
        signals = before[note]
        if number := re.search(r"importance (\d+), not", text):
            steps = [int(number[1]), int(number[1]) + (1 if note == A else -1)]
            states = [replace(signals, importance=float(value)) for value in steps]
            kinds.add(f"importance of {note}")
        elif number := re.search(r"(\d+) more access hit", text):
            states = [signals]
            for _ in range(int(number[1])):
                states.insert(0, accessed(states[0], BRV3.signals))
            kinds.add("hits")
        elif level := re.search(r": (\w+), not (\w+)$", text):
            states = [replace(signals, maturity=level[1])]
            kinds.add(f"maturity of {note}")
        else:
            continue
        for number_of_state, state in enumerate(states[:2]):
            two.signals[note] = state
            assert stands_above(two) == (number_of_state == 0), text
        two.signals.update(before)
    ages = [change for change in found if "edited" in change.text]
    assert len(ages) == 1
    days = int(match[1]) if (match := re.search(r"edited (\d+) day", ages[0].text)) else 0
    for age, turned in ((days or 1e-9, True), (days + 1, False)):
        two.age(B, age)
        assert stands_above(two) == turned
    two.age(B, 12)
    assert not stands_above(two)
    assert kinds >= {"hits", f"importance of {B}"}, kinds


def test_words_added_to_the_title_swap_the_order_of_the_notes(tree: Tree) -> None:
    tree.notes(20)
    tree.note(A, "Refresh rotation", TEXT, 1)
    tree.note(B, "Tokens", TEXT, 1)
    engine, context, _ = ask(tree)
    (change,) = [one for one in RankSwapSearch(engine, context, BRV3, QUERY, A, B).smallest() if "title" in one.text]
    words = re.search("“(.*)”", change.text)
    tree.note(B, f"Tokens {words[1]}", TEXT, 1)
    assert stands_above(tree)


def test_title_change_may_require_a_new_file_time_too(tree: Tree) -> None:
    tree.notes(20)
    tree.note(A, "Refresh token rotation", TEXT, 1)
    tree.note(B, "Drills", TEXT, 300)
    engine, context, _ = ask(tree)
    (change,) = [one for one in RankSwapSearch(engine, context, BRV3, QUERY, A, B).smallest() if "title" in one.text]
    found = re.search("“(.*)” added to its title, and saved today", change.text)
    tree.note(B, f"Drills {found[1]}", TEXT, 300)
    assert not stands_above(tree)
    tree.note(B, f"Drills {found[1]}", TEXT, 0.0001)
    assert stands_above(tree)


def test_title_word_added_to_the_query_swaps_the_notes(tree: Tree) -> None:
    tree.notes(20)
    tree.note(A, "Refresh token rotation", TEXT, 1)
    tree.note(B, "Tokens of drills", TEXT, 1)
    engine, context, _ = ask(tree)
    (change,) = [
        one for one in RankSwapSearch(engine, context, BRV3, QUERY, A, B).smallest() if " to the query" in one.text
    ]
    words = re.search("“(.*)”", change.text)
    files = [hit.file for hit in engine.answer(context, Query(f"{QUERY.text} {words[1]}")).hits]
    assert (files.index(B) + 1, change.rank) == (change.rank, files.index(B) + 1)
    assert files.index(B) < files.index(A)


def test_later_updated_at_swaps_notes_for_engines_that_use_it(tree: Tree) -> None:
    tree.notes(20)
    tree.file(A, f"---\nupdatedAt: {_written(30)}\n---\n# Refresh token rotation\n\n{TEXT}", 1)
    tree.file(B, f"---\nupdatedAt: {_written(90)}\n---\n# Refresh token rotation\n\n{TEXT}", 1)
    engine, context, _ = ask(tree, "soleri")
    found = RankSwapSearch(engine, context, BRV3, QUERY, A, B).smallest()
    (change,) = [one for one in found if one.text.startswith("B: updatedAt ")]
    days = re.search(r"updatedAt (\d+) days ago, not 90 days ago", change.text)
    for age, turned in ((int(days[1]), True), (int(days[1]) + 1, False)):
        tree.file(B, f"---\nupdatedAt: {_written(age)}\n---\n# Refresh token rotation\n\n{TEXT}", 1)
        files = [hit.file for hit in ask(tree, "soleri")[2].hits]
        assert (files.index(B) < files.index(A)) == turned


def _written(days: int) -> str:
    return datetime.fromtimestamp(NOW_MS / 1000 - days * 86_400, UTC).isoformat()


def test_missing_note_has_no_changes(two: Tree) -> None:
    engine, context, _ = ask(two)
    assert RankSwapSearch(engine, context, BRV3, QUERY, A, "nowhere.md").smallest() == ()
    assert stored(importance=1).importance == 1
