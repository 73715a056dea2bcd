"""An overview updated from the previous one equals an overview built from scratch."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping

import pytest

from brvtui.app.contents import Branch, Overview
from brvtui.app.overview import OverviewBuilder, changed_between
from brvtui.loading import update
from brvtui.snapshot import Snapshot
from brvtui.tree.reading.signals import NoteSignals, SignalLayers
from tests.support.examples import seeds
from tests.support.trees import BRV3, NOW_MS, Tree, stored

FOLDERS = ("", "a/", "a/b/", "a/b/c/", "a b/", "d/e/", "_archived/a/")
NAMES = (
    *("one.md", "two.md", "context.md", "_index.md"),
    *("one.abstract.md", "one.overview.md", "old.stub.md", "old.full.md"),
)
TITLES = ("b", "B", "one", "a title", "")
LEVELS = ("draft", "validated", "core")


def survey(snapshot: Snapshot) -> Overview:
    """The overview, computed from scratch."""
    return OverviewBuilder().build(snapshot)


def change(tree: Tree, signals: dict[str, NoteSignals], chance: random.Random) -> None:
    """Creates, rewrites, ages or removes one file, stores or drops its signals, or writes the manifest."""
    path = chance.choice(FOLDERS) + chance.choice(NAMES)
    place = tree.tree / path
    match chance.randrange(6):
        case 0:
            place.unlink(missing_ok=True)
        case 1 if place.exists():
            tree.age(path, chance.randrange(90))
        case 2 if chance.random() < 0.2:
            signals[chance.choice(("a", "a/b", "d", "a/nowhere.md"))] = stored(importance=60)
        case 2:
            signals[path] = stored(importance=chance.choice((10, 50, 90)), maturity=chance.choice(LEVELS))
        case 3:
            signals.pop(path, None)
        case 4 if chance.random() < 0.2:
            tree.file("_manifest.json", "{}", chance.randrange(9))
        case _:
            tree.note(path, chance.choice(TITLES), chance.choice(("text", "other")), chance.randrange(90))


def followed(tree: Tree, previous: Snapshot, signals: Mapping[str, NoteSignals]) -> Snapshot | None:
    """The snapshot after ``previous``, which checks every present and past file."""
    now = [str(path.relative_to(tree.tree)) for path in tree.tree.rglob("*.md")]
    return update(previous, {*now, *previous.parsed}, BRV3, NOW_MS, SignalLayers((signals,)))


@pytest.mark.parametrize("follows", [False, True])
@pytest.mark.parametrize("seed", seeds(2, 6))
def test_updated_overview_equals_one_built_from_scratch(tree: Tree, seed: int, follows: bool) -> None:
    chance = random.Random(seed)
    overviews, signals = OverviewBuilder(), dict[str, NoteSignals]()
    snapshot, known = tree.snapshot(signals={}), 0
    for _ in range(40):
        for _ in range(chance.choice((1, 1, 1, 4, 12))):
            change(tree, signals, chance)
        before, result = snapshot, followed(tree, snapshot, dict(signals)) if follows else None
        snapshot = result or tree.snapshot(previous=before, signals=dict(signals))
        known += snapshot.changed_since(before) is not None
        overview = overviews.build(snapshot)
        assert overview == survey(snapshot)
        assert sum(overview.counts) == len(snapshot.notes)
    assert bool(known) == follows


def test_changed_note_reuses_the_branches_of_other_folders(tree: Tree) -> None:
    tree.notes(20)
    tree.note("a/one.md", "One")
    overviews = OverviewBuilder()
    before = overviews.build(first := tree.snapshot())
    tree.note("a/one.md", "Other", days=1)
    after = overviews.build(second := tree.snapshot(previous=first))
    assert changed_between(first, second) == {"a/one.md"}
    assert after.branches["pad"] is before.branches["pad"]
    assert after.branches["a/one.md"].name == "Other"


def test_snapshot_lists_changes_only_since_its_predecessor(tree: Tree) -> None:
    tree.note("a/one.md", "One")
    tree.note("a/two.md", "Two")
    first = tree.snapshot(signals={})
    tree.note("a/one.md", "Other", days=1)
    tree.note("a/three.md", "Three")
    third = followed(tree, first, {})
    assert third is not None
    assert third.changed_since(first) == {"a/one.md", "a/three.md"}
    assert third.changed_since(tree.snapshot()) is None
    assert first.changed_since(first) is None
    assert changed_between(first, third) == {"a/one.md", "a/three.md"}


def test_shared_sources_need_a_full_overview(tree: Tree, make_tree: Callable[[str], Tree]) -> None:
    tree.note("a/one.md", "One")
    lib = make_tree("lib")
    lib.note("pay/c.md", "Shared")
    tree.source(("lib", lib))
    snapshot = tree.snapshot()
    assert changed_between(snapshot, snapshot) is None
    assert isinstance(survey(snapshot).branches["[lib]:pay/c.md"], Branch)
