"""Every remedy has the promised effect on disk. If no remedy is offered, no change that could be offered helps."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path

import pytest

from brvtui.engines.byterover.counterfactuals.case import Case as Tried
from brvtui.engines.byterover.counterfactuals.find import near_wordings
from brvtui.engines.byterover.profile import Context
from brvtui.engines.byterover.reasons.remedies import TIME_KEPT, _edit, remedies
from brvtui.engines.byterover.reasons.why_not import without_words
from brvtui.engines.byterover.sections import Search
from brvtui.engines.changes import Change, Combined, Reworded, SignalsSet, TimeSet, TitleSet, updated
from brvtui.ranking.maturity import LEVELS
from brvtui.snapshot.naming import Named
from brvtui.text.analysis import from_utf16, terms
from brvtui.trace import Remedy, RemedyKind, Trace
from tests.support.counterfactuals import EngineRequest, answered, asked
from tests.support.generated import generated, query
from tests.support.trees import BRV3, NOW_MS, Tree

NOTES = 14
FEW, MANY, TREES = 10, 200, 8


@dataclass(frozen=True)
class Case(EngineRequest):
    """A note, and the remedies for it."""

    path: str
    offered: tuple[Remedy, ...]


def cases(folder: Path, seed: int, most: int) -> Iterator[Case]:
    """Random queries with notes or folders: hits, and some outside the answer."""
    pick = random.Random(seed)
    tree = generated(folder, seed, NOTES)
    snapshot = tree.snapshot(BRV3)
    for _ in range(most):
        trace = asked(snapshot, BRV3, query(pick), NOW_MS)
        found = [hit.file for hit in trace.hits]
        files = [*(note.path for note in snapshot.notes), *(one.file for one in snapshot.summaries.values())]
        path = pick.choice(found) if found and pick.random() < 0.5 else pick.choice(files)
        named = Named(path, snapshot.by_path.get(path))
        made = remedies(Context(snapshot, BRV3, NOW_MS), trace, named, lambda: False)
        yield Case(tree, snapshot, BRV3, NOW_MS, trace, path, made)


def place(trace: Trace, path: str) -> tuple[float, float, float]:
    """The position among the quoted notes, the tier and the rank; lower is better."""
    assert trace.tier is not None
    quoted = [hit.file for hit in trace.hits if hit.score >= BRV3.direct.prefetch][: BRV3.direct.max_notes]
    rank = next((rank for rank, hit in enumerate(trace.hits, start=1) if hit.file == path), math.inf)
    return (quoted.index(path) + 1, trace.tier, rank) if path in quoted else (math.inf, math.inf, rank)


def change_of(case: Case, remedy: Remedy) -> Change:
    """Applies ``remedy`` as a user would."""
    if remedy.kind is RemedyKind.WORDING:
        return Reworded(remedy.query)
    own = case.snapshot.signals[case.snapshot.by_path[case.path]]
    match remedy.kind:
        case RemedyKind.EDIT:
            return TimeSet(case.path, int(NOW_MS) - 1)
        case RemedyKind.UPDATE:
            return Combined(SignalsSet(case.path, updated(own, BRV3.signals)), TimeSet(case.path, int(NOW_MS) - 1))
        case RemedyKind.MATURITY:
            return SignalsSet(case.path, replace(own, maturity=remedy.maturity))
        case _:
            old = int(case.snapshot.parsed[case.path].mtime_ms)
            return TitleSet(case.path, remedy.title, old if TIME_KEPT in remedy.text else int(NOW_MS) - 1)


def every_change(case: Case) -> Iterator[Change]:
    """Changes of every kind, generated without the code that offers remedies."""
    words = list(dict.fromkeys(map(from_utf16, terms(case.trace.query))))
    position = case.snapshot.by_path.get(case.path)
    for dropped in range(len(words)):
        yield Reworded(" ".join(words[:dropped] + words[dropped + 1 :]) or case.trace.query)
    if position is None:
        folder = case.path.rpartition("/")[0]
        inside = [note for note in case.snapshot.notes if folder and note.path.startswith(f"{folder}/")]
        child = next((lift.child for lift in case.trace.section(Search).lifts if lift.summary_file == case.path), "")
        for below in [note for note in inside if note.result_path == child] or inside[:4]:
            yield Reworded(f"{case.trace.query} {below.title}")
            yield Reworded(below.title)
        return
    note, own = case.snapshot.notes[position], case.snapshot.signals[position]
    yield TimeSet(case.path, int(NOW_MS) - 1)
    yield Combined(SignalsSet(case.path, updated(own, BRV3.signals)), TimeSet(case.path, int(NOW_MS) - 1))
    for level in LEVELS[LEVELS.index(own.maturity) + 1 :]:
        yield SignalsSet(case.path, replace(own, maturity=level))
    for size in range(1, min(len(words), 3) + 1):
        for chosen in combinations(words, size):
            yield TitleSet(case.path, " ".join([note.title, *chosen]), int(NOW_MS) - 1)
    yield Reworded(f"{case.trace.query} {note.title}")
    yield Reworded(note.title)


def check(case: Case, copy: Path) -> None:
    """Applies each offered change on disk; if there are none, applies every change."""
    now = place(case.trace, case.path)
    for remedy in case.offered:
        after = answered(case, change_of(case, remedy), copy)
        then = place(after, case.path)
        assert (remedy.rank, remedy.tier) == (then[2], after.tier), (case.trace.query, case.path, remedy)
        assert remedy.is_used == (then[0] < math.inf)
        assert remedy.score == after.hits[(remedy.rank or 0) - 1].score
        assert then < now
        assert then[2] <= now[2]
    costly = [case.trace.tier == 2 < (remedy.tier or 0) for remedy in case.offered]
    late = [(costs, one.kind is RemedyKind.MATURITY) for costs, one in zip(costly, case.offered, strict=True)]
    assert late == sorted(late), "changes that cost the direct answer come last, after those that only hits make"
    if not case.offered:
        for change in every_change(case):
            after = answered(case, change, copy)
            then = place(after, case.path)
            # the change would cost the note its place in a direct answer
            loses = then[2] == now[2] and now[1] <= 2 < then[1]
            assert then >= now or then[2] > now[2] or loses, (case.trace.query, case.path, change)


def test_applied_remedies_reach_the_promised_rank(tmp_path: Path) -> None:
    kinds = set()
    for number, case in enumerate(cases(tmp_path / "tree", 1, FEW)):
        check(case, tmp_path / f"copy{number}")
        kinds |= {remedy.kind for remedy in case.offered}
    assert len(kinds) >= 3


@pytest.mark.long
@pytest.mark.parametrize("seed", range(TREES))
def test_200_random_remedies_reach_the_promised_rank(tmp_path: Path, seed: int) -> None:
    offered: list[bool] = []
    for number, case in enumerate(cases(tmp_path / "tree", 100 + seed, MANY // TREES)):
        check(case, tmp_path / f"copy{number}")
        offered.append(bool(case.offered))
    assert len(offered) == MANY // TREES
    assert any(offered)


def of(tree: Tree, text: str, path: str) -> tuple[Remedy, ...]:
    snapshot = tree.snapshot()
    named = Named(path, snapshot.by_path.get(path))
    return remedies(Context(snapshot, BRV3, NOW_MS), asked(snapshot, BRV3, text, NOW_MS), named, lambda: False)


def test_first_note_of_a_direct_answer_needs_no_remedy(tree: Tree) -> None:
    tree.note("a/one.md", "Anchor banner", "anchor banner", importance=90, maturity="core")
    assert of(tree, "anchor banner", "a/one.md") == ()


def test_unsearched_file_has_no_remedy(tree: Tree) -> None:
    tree.note("a/one.md", "Anchor")
    tree.file("a/one.abstract.md", "Anchor")
    assert of(tree, "anchor", "a/one.abstract.md") == ()


@pytest.mark.parametrize("text", ["anchor", "unheard"])
def test_folder_is_helped_only_by_other_words(tree: Tree, text: str) -> None:
    tree.note("a/one.md", "Banner rules", "the anchor model", days=40)
    tree.note("b/two.md", "Anchor", "anchor")
    tree.note("b/three.md", "Anchor things", "anchor")
    tree.summary("a")
    offered = of(tree, text, "a/_index.md")
    assert {remedy.kind for remedy in offered} == {RemedyKind.WORDING}
    again = asked(tree.snapshot(), BRV3, offered[0].query, NOW_MS)
    assert again.hits[(offered[0].rank or 0) - 1].file == "a/_index.md"


def test_only_other_wordings_help_a_shared_note(tree: Tree, make_tree: object) -> None:
    assert callable(make_tree)
    other = make_tree("other")
    other.note("x/far.md", "Anchor banner", "anchor", days=300)
    tree.note("a/one.md", "Anchor", "anchor anchor", importance=90, maturity="core")
    tree.source(("lib", other))
    offered = of(tree, "anchor", "[lib]:x/far.md")
    assert {remedy.kind for remedy in offered} <= {RemedyKind.WORDING}
    assert offered


def test_remedy_uses_the_spelling_in_the_note(tree: Tree) -> None:
    tree.note("a/one.md", "Anchor rules", "the banner model of anchors", days=45, importance=50, maturity="core")
    tree.notes(60)
    wordings = [remedy.text for remedy in of(tree, "Bannr modl", "a/one.md") if remedy.kind is RemedyKind.WORDING]
    assert wordings[0] == "“banner model”: spell the words as in the note"


_MESSY = """---
keywords: [zyx]
related: [a/two.md]
createdAt: '2025-10-06'
---
# {title}

Harmed by 4f0de1, see a/two.md or `curl -s` for anchor.

{headings}
```sh
# step one: quokka
```
"""


@pytest.mark.parametrize(
    ("title", "headings", "words"),
    [
        ("One gimlet for retry_after, doesn't it", "## Velvet rules", ["gimlet", "one", "velvet"]),
        ("The 2024", "## Velvet\n## Notes", ["velvet"]),
        ("x86", "## Notes", ["harmed", "see"]),
    ],
)
def test_added_words_are_words_that_a_person_would_type(
    tree: Tree, title: str, headings: str, words: list[str]
) -> None:
    path = "a/one.md"
    tree.file(path, _MESSY.format(title=title, headings=headings), 40)
    for number in range(4):
        tree.note(f"b/{number}.md", f"Notes {number}", "notes on anchor rules, one retry")
    snapshot = tree.snapshot()
    context = Context(snapshot, BRV3, NOW_MS)
    tried = Tried(context, asked(snapshot, BRV3, "anchor", NOW_MS), snapshot.by_path[path], lambda: False)
    queries = [one.query for one in near_wordings(tried)]
    assert queries == [f"anchor {word}" for word in words]


def test_shorter_wording_does_not_end_with_a_stop_word() -> None:
    made = [(one.text, one.query) for one in without_words(["rotate", "all", "of", "the", "keys"])]
    assert ("leave out “all of the keys”", "rotate") in made
    assert not [query for _, query in made if query.endswith(("of", "the", "all"))]


def test_maturity_remedy_explains_how_the_engine_promotes_notes(tree: Tree) -> None:
    tree.note("a/one.md", "Anchor banner", "anchor", days=5, importance=60)
    tree.note("a/two.md", "Anchor banner", "anchor", days=5, importance=62)
    first = next(remedy for remedy in of(tree, "anchor", "a/one.md") if remedy.kind is RemedyKind.MATURITY)
    by_hits, by_hand = first.how.split("; ")
    assert by_hits == "in ByteRover, 2 more hits make it validated"
    assert by_hand.startswith("setting it in the signals file, which")
    assert by_hand.endswith("changes only brv-tui")


@pytest.mark.parametrize("most", [0, 1, 2, 4, 8])
def test_cancelled_search_returns_changes_found_until_then(tree: Tree, most: int) -> None:
    tree.note("a/one.md", "Anchor banner", "anchor", days=5, importance=60)
    tree.note("a/two.md", "Anchor banner", "anchor", days=5, importance=62)
    tried = itertools.count(1)
    snapshot = tree.snapshot()
    context, trace = Context(snapshot, BRV3, NOW_MS), asked(snapshot, BRV3, "anchor", NOW_MS)
    named = Named("a/one.md", snapshot.by_path["a/one.md"])
    found = remedies(context, trace, named, lambda: next(tried) > most)
    assert {one.text for one in found} <= {one.text for one in of(tree, "anchor", "a/one.md")}
    assert bool(found) == (most > 1)


@pytest.mark.parametrize(
    ("days", "said"),
    [
        (3.2, "edited today, not 3 days ago"),
        (1.2, "edited today, not 1 day ago"),
        (0.2, "edited now, not 5 hours ago"),
        (-1.0, "edited a moment ago, not now or later: at 0 days, its stored recency 0.4 is used unchanged"),
    ],
)
def test_note_age_has_a_readable_unit(tree: Tree, days: float, said: str) -> None:
    path = tree.note("fruit/kumquat.md", "Kumquat", "kumquat", days=days, recency=0.4)
    snapshot = tree.snapshot(BRV3)
    context = Context(snapshot, BRV3, NOW_MS)
    trace = asked(snapshot, BRV3, "kumquat", NOW_MS)
    assert _edit(Tried(context, trace, snapshot.by_path[path], lambda: False)).text == said
