"""kill -9 after a system call while the index is written: the stored index is the old or the new one, complete.

With FAULTS_IN_FULL=1, there is a kill after every call; otherwise, after one call in several dozen.
"""

from __future__ import annotations

import random
import sys
from pathlib import Path

import pytest

from brvtui.loading import load
from brvtui.snapshot import Snapshot
from brvtui.store.kept_index import KeptIndex
from brvtui.tree.reading.project import find_project
from tests.faults.test_storms import IN_FULL
from tests.support.generated import generated
from tests.support.tracing import CannotTrace, Child
from tests.support.trees import BRV3, NOW_MS, Tree
from tests.test_loading import edit, same

pytestmark = [pytest.mark.long, pytest.mark.skipif(sys.platform != "linux", reason="Linux's ptrace is needed")]
KILLS = 6


def writing(tree: Tree, snapshot: Snapshot) -> Child:
    """A process that writes the index of ``snapshot`` and exits."""

    def act() -> int:
        return 0 if KeptIndex(tree.tree).write(snapshot, BRV3) else 1

    return Child(act)


def from_kept(tree: Tree) -> Snapshot:
    """The tree as a new process reads it from a usable index."""
    known = KeptIndex(tree.tree).read(BRV3)
    assert known is not None
    result = load(find_project(tree.root), BRV3, NOW_MS, tree.layers(), kept=known)
    assert result is not None
    return result


def test_killed_writer_leaves_the_old_or_the_new_index(tmp_path: Path) -> None:
    pick = random.Random(7)
    tree = generated(tmp_path / "project", 7)
    index = KeptIndex(tree.tree)
    assert index.write(tree.snapshot(), BRV3)
    index.close()
    for _ in range(3):
        edit(tree, pick)
    snapshot = tree.snapshot()
    try:
        whole = writing(tree, snapshot)
        calls = sum(1 for _ in whole.calls())
    except CannotTrace as reason:
        pytest.skip(str(reason))
    assert whole.exit_code == 0
    assert calls > 30
    for number in range(1, calls + 1) if IN_FULL else sorted(pick.sample(range(1, calls + 1), KILLS)):
        child = writing(tree, snapshot)
        for count in child.calls():
            if count == number:
                child.kill()
                break
        assert from_kept(tree).fingerprint == snapshot.fingerprint, number
        assert not KeptIndex(tree.tree).info().problem, number
    same(from_kept(tree), snapshot, pick)
    again = KeptIndex(tree.tree)
    assert again.write(snapshot, BRV3)
    again.close()
    assert {place.name for place in again.folder.iterdir()} == {"kept", "lock"}
    same(from_kept(tree), snapshot, pick)
