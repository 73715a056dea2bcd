"""What made cached answers stale, and the windows in which they would be served all the same."""

from __future__ import annotations

import pytest

from brvtui.engines.byterover.route.cache import SeenTrees, changes_between
from brvtui.session import Session
from brvtui.trace.routing import TreeChanges
from tests.support.trees import NOW_MS, Tree


@pytest.fixture
def clock() -> list[float]:
    return [float(NOW_MS)]


@pytest.fixture
def session(tree: Tree, clock: list[float]) -> Session:
    tree.note("x/n.md", "Quokka", "all about the quokka", days=2)
    tree.note("x/gone.md", "Wallaby", days=2)
    tree.notes(12, days=2)
    made = Session.open(tree.root)
    made.clock = lambda: clock[0]
    made.load()
    return made


def test_an_answer_is_served_while_the_old_fingerprint_is_held(
    session: Session, tree: Tree, clock: list[float]
) -> None:
    session.run("quokka facts")
    assert session.cache_now("quokka facts").changes == {}
    assert session.cache_now("quokka facts").index_left_s == 0
    clock[0] += 10_000
    tree.note("x/n.md", "Quokka", "other text", days=1)
    tree.note("x/new.md", "New")
    (tree.tree / "x/gone.md").unlink()
    session.load()
    clock[0] += 2_000
    now = session.cache_now("quokka facts")
    wanted = TreeChanges(("x/n.md",), ("x/new.md",), ("x/gone.md",))
    assert now.changes == {"quokka facts": wanted}
    assert now.look.exact.value == "hit", "the fingerprint of before is held for 30 s"
    assert (now.fingerprint.held, now.fingerprint.left_s) == (True, 18.0)
    assert now.index_left_s == 3.0
    clock[0] += 19_000
    now = session.cache_now("quokka facts")
    assert now.look.exact.value != "hit"
    assert (now.changes, now.index_left_s) == ({"quokka facts": wanted}, 0.0)


def test_what_the_fingerprint_does_not_see_makes_nothing_stale(session: Session, tree: Tree) -> None:
    session.run("quokka facts")
    tree.summary("x")
    session.load()
    now = session.cache_now("quokka facts")
    assert (now.changes, now.index_left_s) == ({}, 0.0)


def test_a_tree_that_is_as_it_was_again_makes_nothing_stale(session: Session, tree: Tree) -> None:
    session.run("quokka facts")
    tree.age("x/n.md", 1)
    session.load()
    assert session.cache_now("x").changes["quokka facts"].changed == ("x/n.md",)
    tree.age("x/n.md", 2)
    session.load()
    assert session.cache_now("x").changes == {}


def test_only_the_last_trees_are_remembered(tree: Tree) -> None:
    tree.note("x/n.md", "Quokka")
    seen = SeenTrees()
    first = tree.snapshot()
    seen.see(first)
    for days in range(1, 9):
        tree.age("x/n.md", days)
        seen.see(tree.snapshot())
    assert seen.since(first.fingerprint) is None
    assert seen.since("never seen") is None


def test_a_clock_that_is_set_back_ends_the_window(tree: Tree) -> None:
    seen = SeenTrees()
    for days in (1, 2):
        tree.note("x/n.md", "Quokka", days=days)
        seen.see(tree.snapshot())
    assert seen.index_left_s(NOW_MS + 1_000, 5) == 4.0
    assert seen.index_left_s(NOW_MS - 1_000, 5) == 0.0


def test_nothing_differs_from_itself(tree: Tree) -> None:
    tree.notes(3)
    files = tree.snapshot().files
    assert changes_between(files, files) == TreeChanges()
