"""Changes that make a query answer directly: one test for each lever, and random trees on disk."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from brvtui.engines.byterover.counterfactuals.find import find_counterfactuals
from brvtui.engines.byterover.profile import Context, Profile
from brvtui.engines.changes import (
    NoChange,
    Reworded,
    SignalsSet,
    TimeSet,
    TitleSet,
    after_hits,
    changed,
    retitled,
)
from brvtui.engines.counterfactuals import Counterfactual, Counterfactuals, Lever, LeverStatus
from brvtui.snapshot import Snapshot
from brvtui.trace import Trace, to_plain
from brvtui.trace.routing import Outcome, Route
from tests.soak.counterfactuals import run
from tests.support.ceilings import ceiling_of
from tests.support.counterfactuals import asked
from tests.support.trees import BRV3, DAY_MS, DOCS, NOW_MS, Tree, stored
from tests.support.trees import changed as overlaid

LIMITS = BRV3.limits
QUERY = "quokka island"


def takes_of(tree: Tree, query: str, path: str = "", profile: Profile = BRV3) -> Counterfactuals:
    snapshot = tree.snapshot(profile)
    made = find_counterfactuals(Context(snapshot, profile, NOW_MS), asked(snapshot, profile, query, NOW_MS), path)
    assert [way.lever for way in made.ways] == list(Lever)
    for way in made.ways:
        assert (way.change is not None) is way.is_verified
        if way.change is not None:
            assert _after(snapshot, profile, query, way).section(Route).outcome is Outcome.DIRECT
    return made


def _after(snapshot: Snapshot, profile: Profile, query: str, way: Counterfactual) -> Trace:
    assert way.change is not None
    text = way.change.query if isinstance(way.change, Reworded) else query
    return asked(changed(Context(snapshot, profile, NOW_MS), way.change), profile, text, NOW_MS)


def way_of(takes: Counterfactuals, lever: Lever) -> Counterfactual:
    return next(way for way in takes.ways if way.lever is lever)


@pytest.fixture
def old(tree: Tree) -> Tree:
    """A note whose words match well, but which is too old to answer directly."""
    tree.note("x/n.md", "Quokka island", "all about the quokka island " * 5, days=10, importance=56)
    tree.notes(30)
    return tree


def test_every_lever_is_tried_for_an_old_note(old: Tree) -> None:
    made = takes_of(old, QUERY)
    assert (made.outcome, made.path, made.title, made.needed) == (Outcome.SINGLE_CALL, "x/n.md", "Quokka island", 0.85)
    hits, age, maturity, importance = (
        way_of(made, lever) for lever in (Lever.HITS, Lever.AGE, Lever.MATURITY, Lever.IMPORTANCE)
    )
    assert hits.text.startswith(f"{hits.amount:g} more hits: importance ")
    assert isinstance(hits.change, SignalsSet)
    assert hits.change.signals == list(after_hits(old.signals["x/n.md"], BRV3.signals))[int(hits.amount or 0) - 1]
    assert maturity.text == "validated instead of draft"
    assert importance.text == f"importance {importance.amount:g} instead of 56"
    assert isinstance(age.change, TimeSet)
    assert age.text == f"edited within the last {age.amount:g} days, not 10.0 days ago"
    assert math.isclose((NOW_MS - age.change.mtime_ms) / DAY_MS, age.amount or 0)
    assert all(way.score is not None and way.score >= 0.85 for way in (hits, age, maturity, importance))
    assert len(made.verified) == sum(way.is_verified for way in made.ways)


def test_other_wordings_never_exceed_the_ceiling_of_a_note(tree: Tree) -> None:
    tree.note("x/n.md", "Quokka", "all about the quokka", days=20)
    tree.notes(30)
    made = takes_of(tree, "quokka")
    ceiling = ceiling_of(20, 50, 1, "draft", True, BRV3)
    wording = way_of(made, Lever.WORDING)
    assert made.ceiling == ceiling
    assert wording.standing is LeverStatus.IMPOSSIBLE
    why = "only a query that names its path would work: with any other, its best possible score today is"
    assert wording.text == f"{why} {ceiling:.2f}"
    path = way_of(made, Lever.PATH)
    assert (path.text, path.score) == ("“x/n.md”", 1.0)


def test_only_other_wordings_help_a_weakly_matching_note(tree: Tree) -> None:
    tree.note("x/n.md", "Marsupials", "the quokka lives on rottnest island", days=1)
    for number in range(12):
        tree.note(f"y/{number}.md", "Other", "the quokka again and again, and many words beside it, at length")
    made = takes_of(tree, "quokka lives", "x/n.md")
    title, wording = way_of(made, Lever.TITLE), way_of(made, Lever.WORDING)
    assert title.is_verified or wording.is_verified
    assert isinstance(wording.change, Reworded)
    assert wording.text.startswith(f"“{wording.change.query}”: ")


def test_title_change_keeps_the_file_time_if_sufficient(tree: Tree) -> None:
    tree.note("x/n.md", "Notes", "on the quokka", days=30, maturity="core", importance=50)
    for number in range(20):
        tree.note(f"y/{number}.md", "Quokka", "a quokka", days=300)
    made = takes_of(tree, "quokka", "x/n.md")
    title = way_of(made, Lever.TITLE)
    if title.is_verified:
        assert isinstance(title.change, TitleSet)
        assert title.change.title == "Notes quokka"


def test_close_runner_up_must_be_overtaken(tree: Tree) -> None:
    tree.note("x/first.md", "Quokka", "quokka quokka quokka", days=1, importance=90)
    tree.note("x/second.md", "Quokka", "quokka quokka quokka", days=1, importance=86)
    tree.notes(30)
    made = takes_of(tree, "quokka")
    assert made.path == "x/first.md"
    way = way_of(made, Lever.RUNNER_UP)
    assert way.is_verified
    assert isinstance(way.change, SignalsSet)
    assert way.change.path == "x/second.md"
    assert way.text == f"Quokka: importance {way.change.signals.importance:g} instead of 86"
    snapshot = tree.snapshot()
    nearer = SignalsSet("x/second.md", stored(importance=way.change.signals.importance + 1))
    again = asked(changed(Context(snapshot, BRV3, NOW_MS), nearer), BRV3, "quokka", NOW_MS)
    assert again.section(Route).outcome is Outcome.SINGLE_CALL


def test_runner_up_is_not_blamed_for_a_low_score(old: Tree) -> None:
    way = way_of(takes_of(old, QUERY), Lever.RUNNER_UP)
    assert way.standing is LeverStatus.IMPOSSIBLE
    assert way.text.startswith("the note's own score is too low: 0.")


def test_ignored_signals_cannot_be_changed(old: Tree) -> None:
    old.note("x/odd:name.md", "Odd", "nothing")
    made = takes_of(old, QUERY)
    for lever in (Lever.HITS, Lever.MATURITY, Lever.IMPORTANCE):
        way = way_of(made, lever)
        assert way.standing is LeverStatus.IMPOSSIBLE
        assert way.text.endswith("the engine ignores all stored signals of this tree")
    assert way_of(made, Lever.AGE).is_verified


def test_shared_note_cannot_be_changed(make_tree: object, tmp_path: Path) -> None:
    shared, own = Tree(tmp_path / "shared"), Tree(tmp_path / "own")
    shared.note("x/n.md", "Quokka", "all about the quokka")
    own.notes(20)
    own.source(("lib", shared))
    made = takes_of(own, "quokka")
    assert made.path == "[lib]:x/n.md"
    assert {way.standing for way in made.ways[:6]} == {LeverStatus.IMPOSSIBLE}
    assert made.ways[0].text == "the shared source lib is read-only"
    assert way_of(made, Lever.WORDING).text.startswith(
        "only a query that names its path would work: with any other, its best possible score today is 0.7"
    )


def test_query_without_matches_has_no_note_to_change(tree: Tree) -> None:
    tree.note("x/n.md", "Quokka", "all about it", maturity="validated")
    tree.notes(60)
    made = takes_of(tree, "zzzzzzzz")
    assert (made.path, made.score, made.ceiling) == ("", None, None)
    assert way_of(made, Lever.HITS).text == "no note matches any word of the query"
    named = takes_of(tree, "zzzzzzzz", "x/n.md")
    assert (named.score, named.title) == (None, "Quokka")
    assert way_of(named, Lever.HITS).text == "no word of the query matches the note"
    assert way_of(named, Lever.TITLE).text.startswith("“zzzzzzzz” added to its title")


def test_broken_tree_has_no_helpful_changes(old: Tree) -> None:
    old.file("context.md", "# Root")
    made = takes_of(old, QUERY, "x/n.md")
    assert {(way.standing, way.text) for way in made.ways} == {
        (LeverStatus.IMPOSSIBLE, "the engine cannot search this tree")
    }


def test_answered_query_needs_no_change(tree: Tree) -> None:
    tree.note("x/n.md", "Quokka", "all about the quokka", maturity="core", importance=90)
    tree.note("x/m.md", "Wombat", "a wombat, no quokka", maturity="draft", importance=50, days=5)
    tree.notes(30)
    snapshot = tree.snapshot()
    trace = asked(snapshot, BRV3, "quokka", NOW_MS)
    assert trace.section(Route).outcome is Outcome.DIRECT
    assert find_counterfactuals(Context(snapshot, BRV3, NOW_MS), trace) is None
    assert find_counterfactuals(Context(snapshot, BRV3, NOW_MS), trace, "x/n.md") is None
    other = find_counterfactuals(Context(snapshot, BRV3, NOW_MS), trace, "x/m.md")
    assert other.path == "x/m.md"


def test_cancelled_search_returns_no_result(old: Tree) -> None:
    snapshot = old.snapshot()
    trace = asked(snapshot, BRV3, QUERY, NOW_MS)
    calls = iter((False, False, True))
    assert find_counterfactuals(Context(snapshot, BRV3, NOW_MS), trace, cancelled=lambda: next(calls)) is None
    assert next(calls, None) is None


def test_search_changes_neither_files_nor_the_snapshot(old: Tree) -> None:
    snapshot = old.snapshot()
    files = {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in old.tree.rglob("*.md")}
    before = (snapshot.notes, snapshot.signals, list(snapshot.postings.ids.terms), snapshot.generation)
    trace = asked(snapshot, BRV3, "quokka zebra", NOW_MS)
    find_counterfactuals(Context(snapshot, BRV3, NOW_MS), trace)
    assert before == (snapshot.notes, snapshot.signals, snapshot.postings.ids.terms, snapshot.generation)
    assert files == {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in old.tree.rglob("*.md")}
    assert asked(snapshot, BRV3, "quokka zebra", NOW_MS).hits == trace.hits


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("# Old\n\ntext\n", "# New title\n\ntext\n"),
        ("---\na: 1\n---\ntext\r\n# Old\r\n", "---\na: 1\n---\ntext\r\n# New title\r\n"),
        ("---\na: 1\n---\ntext\n", "---\na: 1\n---\n# New title\n\ntext\n"),
        ("", "# New title\n\n"),
        ("\ufeff# Old\n", "# New title\n\n\ufeff# Old\n"),
        ("line\n" * 2_000 + "# Too late\n", "# New title\n\n" + "line\n" * 2_000 + "# Too late\n"),
    ],
)
def test_new_title_replaces_the_heading(before: str, after: str) -> None:
    assert retitled(before.encode(), "n.md", "New title", LIMITS) == after.encode()


def test_new_title_keeps_all_other_bytes() -> None:
    data = b"x" * LIMITS.probe_bytes + b"\n# Old\n\xff\xfe"
    assert retitled(data, "n.md", "New", LIMITS) == b"x" * LIMITS.probe_bytes + b"\n# New\n\xff\xfe"


def test_invalid_title_change_is_refused() -> None:
    with pytest.raises(NoChange, match="its title cannot be changed"):
        retitled(b"# Old\n", "n.md", " blank ends ", LIMITS)
    with pytest.raises(NoChange, match="its title cannot be changed"):
        retitled(b"\0", "n.md", "New", LIMITS)


def test_change_of_a_removed_file_is_refused(old: Tree) -> None:
    snapshot = old.snapshot()
    (old.tree / "x" / "n.md").unlink()
    with pytest.raises(NoChange, match="its file cannot be read"):
        changed(Context(snapshot, BRV3, NOW_MS), TimeSet("x/n.md", NOW_MS))


def test_stored_recency_counts_only_at_zero_days(tree: Tree) -> None:
    tree.note("x/n.md", "Quokka island", "all about the quokka island " * 5, recency=0.3)
    tree.notes(30)
    made = takes_of(tree, QUERY)
    age, title = way_of(made, Lever.AGE), way_of(made, Lever.TITLE)
    assert age.text == "a moment later: its stored recency 0.3 is used unchanged only at exactly 0 days"
    assert title.standing is LeverStatus.IMPOSSIBLE
    assert (
        title.text == "if you edit it today, it needs no more words; with its old date, its best possible score is 0.75"
    )


def test_unsearched_file_has_no_helpful_changes(old: Tree) -> None:
    made = takes_of(old, QUERY, "x/none.md")
    assert (made.path, made.title, made.ceiling) == ("x/none.md", "none.md", None)
    assert {(way.standing, way.text) for way in made.ways} == {(LeverStatus.IMPOSSIBLE, "the file is not searched")}


def test_path_change_of_a_root_note_or_folder_is_explained(tree: Tree) -> None:
    tree.file("n.md", "# Quokka\n\nall about it", 30)
    tree.file("x/context.md", "# Wombats\n\nall about them", 30)
    tree.file("y/context.md", "# Echidnas\n\nall about them", 30)
    tree.summary("y")
    assert way_of(takes_of(tree, "quokka"), Lever.PATH).text == "“/n.md”"
    assert way_of(takes_of(tree, "wombats"), Lever.PATH).text == "“x/context.md”"
    summarised = way_of(takes_of(tree, "echidnas", "y/context.md"), Lever.PATH)
    assert summarised.standing is LeverStatus.IMPOSSIBLE
    assert summarised.text == "its path represents its folder, and y/_index.md is shown as that folder's result"


def test_simulated_hits_stop_when_nothing_changes() -> None:
    states = list(after_hits(stored(importance=50), BRV3.signals))
    assert (len(states), states[-1].importance, states[-1].maturity) == (17, 100, "core")
    assert not [*after_hits(states[-1], BRV3.signals)]
    assert not [*after_hits(stored(importance=50), overlaid(BRV3, signals={"access_gain": 0}).signals)]


def test_counterfactuals_convert_to_json(old: Tree) -> None:
    plain = to_plain(takes_of(old, QUERY))
    assert plain["ways"][0]["lever"] == "more hits"
    assert plain["ways"][0]["change"]["path"] == "x/n.md"


@pytest.mark.parametrize(("profile", "cases"), [(BRV3, 2), (DOCS, 1)], ids=["brv-3", "docs"])
def test_predictions_match_random_trees_on_disk(profile: Profile, cases: int, tmp_path: Path) -> None:
    """A short form of ``python -m tests.soak.counterfactuals`` with 200 cases."""
    tried = run(cases, tmp_path, profile, per_tree=1, most_smaller=10)
    assert (tried.cases, tried.made > 0, tried.smaller > 0) == (cases, True, True)
