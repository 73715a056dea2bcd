"""Where a note stands once it is saved: what a new modification time does, and what keeping the old one does."""

from __future__ import annotations

import os

import pytest

from brvtui.engines.ageing.board import Board
from brvtui.engines.byterover.preview import preview
from brvtui.engines.byterover.profile import Context
from brvtui.engines.previews import Preview
from tests.support.trees import BRV3, DAY_MS, NOW_MS, Tree

_TEXT = b"# Rollback\n\nby hand\n"


def after_save(tree: Tree, path: str, data: bytes) -> Preview:
    return preview(Context(tree.snapshot(), BRV3, NOW_MS), "rollback hand", "", path, data, keep_mtime=False)


@pytest.fixture
def grown(tree: Tree) -> Tree:
    """An old note among others."""
    tree.note("ops/rollback.md", "Rollback", "by alias", days=40, importance=70, recency=1.0)
    tree.note("ops/other.md", "Other", days=3)
    return tree


def test_a_new_time_makes_a_note_young_and_keeping_it_does_not(grown: Tree) -> None:
    found = after_save(grown, "ops/rollback.md", _TEXT)
    assert found.now.recency is not None
    assert found.now.recency < 0.5
    assert found.renewed.recency == pytest.approx(1.0)
    assert found.kept.recency == found.now.recency
    assert found.renewed.ceiling is not None
    assert found.kept.ceiling is not None
    assert found.renewed.ceiling > found.kept.ceiling == found.now.ceiling


@pytest.mark.parametrize("keeps", [False, True])
def test_it_comes_true_when_the_file_is_written(grown: Tree, keeps: bool) -> None:
    found = after_save(grown, "ops/rollback.md", _TEXT)
    grown.file("ops/rollback.md", _TEXT, 40 if keeps else 1 / DAY_MS)
    after = grown.snapshot()
    written = Board(after, BRV3.ageing, NOW_MS).row(after.by_path["ops/rollback.md"])
    foreseen = found.kept if keeps else found.renewed
    assert (foreseen.recency, foreseen.ceiling, foreseen.own.signals.importance) == (
        written.recency, written.ceiling, written.importance,
    )  # fmt: skip


def test_a_new_note_has_no_now(grown: Tree) -> None:
    found = after_save(grown, "ops/new.md", _TEXT)
    assert (found.now.recency, found.now.ceiling) == (None, None)
    assert found.renewed.recency is not None
    assert (found.kept.recency, found.kept.ceiling) == (found.renewed.recency, found.renewed.ceiling)


def test_what_the_engine_would_not_read_stands_nowhere(grown: Tree) -> None:
    found = after_save(grown, "ops/rollback.md", b"# A\0B")
    assert found.now.ceiling is not None
    assert [(state.recency, state.ceiling) for state in (found.renewed, found.kept)] == [(None, None)] * 2


def test_nothing_is_written(grown: Tree) -> None:
    place = grown.tree / "ops/rollback.md"
    before = os.stat(place).st_ctime_ns, place.read_bytes()
    after_save(grown, "ops/rollback.md", _TEXT)
    assert (os.stat(place).st_ctime_ns, place.read_bytes()) == before
