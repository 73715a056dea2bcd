"""What is gathered on demand lies in a cache beside the snapshot, and is handed on to the next one."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, replace

import pytest

from brvtui.engines.byterover.search.search import names_of
from brvtui.lab.backlinks import names_of as file_names_of
from brvtui.loading import update
from brvtui.snapshot.state import ABSTRACTS, EARLIER_INDEX, FINGERPRINT, HIERARCHY, ORDERS, SUMMARY_FILES
from tests.support.trees import BRV3, NOW_MS, Tree


def test_nothing_can_be_written_into_a_snapshot(tree: Tree) -> None:
    snapshot = tree.snapshot()
    assert not hasattr(snapshot, "__dict__")
    with pytest.raises((FrozenInstanceError, AttributeError, TypeError)):
        snapshot.hierarchy = None  # type: ignore[misc,assignment]
    with pytest.raises((FrozenInstanceError, AttributeError, TypeError)):
        snapshot.fresh = 1  # type: ignore[attr-defined]


def test_snapshots_of_the_same_notes_share_what_is_gathered(tree: Tree) -> None:
    tree.notes(3)
    snapshot = tree.snapshot()
    other = replace(snapshot, generation=9)
    assert other.hierarchy is snapshot.hierarchy
    assert names_of(other) is names_of(snapshot)
    assert file_names_of(other) is file_names_of(snapshot)


def test_the_next_snapshot_takes_over_what_was_gathered(tree: Tree) -> None:
    tree.notes(3)
    tree.summary("pad")
    tree.file("pad/p000.abstract.md", "short")
    before = tree.snapshot()
    _ = before.hierarchy, before.abstracts, before.summary_files, before.index, names_of(before), before.domains
    tree.file("pad/p001.abstract.md", "shorter")
    (tree.tree / "pad" / "p000.abstract.md").unlink()
    (tree.tree / "pad" / "_index.md").unlink()
    tree.summary("other")
    tree.note("other/new.md", "New")
    places = ["pad/p001.abstract.md", "pad/p000.abstract.md", "pad/_index.md", "other/_index.md", "other/new.md"]
    made = update(before, places, BRV3, NOW_MS, tree.layers())
    fresh = tree.snapshot()
    assert made.derived.known(ABSTRACTS) == fresh.abstracts == {"pad/p001.md": len("shorter")}
    assert made.derived.known(SUMMARY_FILES) == fresh.summary_files == {"other/_index.md"}
    assert made.derived.known(FINGERPRINT) == fresh.fingerprint
    assert made.derived.known(ORDERS) is not None
    handed = made.derived.known(HIERARCHY)
    assert [*handed.walk()] == [*fresh.hierarchy.walk()]
    earlier = made.derived.known(EARLIER_INDEX)
    assert earlier[0] is before.index
    assert [place < 0 for place in earlier[1]] == [note.path == "other/new.md" for note in made.notes]
    assert made.domains.keys() == {"pad", "other"}
    assert names_of(made) is not names_of(before)


def test_what_nobody_asked_for_is_not_handed_on(tree: Tree) -> None:
    tree.notes(3)
    before = tree.snapshot()
    tree.note("pad/p001.md", "Edited")
    made = update(before, ["pad/p001.md"], BRV3, NOW_MS, tree.layers())
    assert [made.derived.known(key) for key in (ABSTRACTS, SUMMARY_FILES, HIERARCHY, EARLIER_INDEX)] == [None] * 4
    assert made.changed_since(before) == {"pad/p001.md"}
    assert made.changed_since(replace(before)) is None
