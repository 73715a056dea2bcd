"""Fixtures shared by tests of notes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from brvtui.notes.applying import PlanTarget
from brvtui.store.overlay import Overlay
from brvtui.tree.reading.signals import defaults
from tests.support.trees import BRV3, Tree

Files = dict[str, tuple[bytes, int]]


@pytest.fixture
def place(tree: Tree) -> PlanTarget:
    return PlanTarget(tree.tree, Overlay(tree.tree), defaults(BRV3.signals))


@pytest.fixture
def files(tree: Tree) -> Callable[[], Files]:
    """Every file of the tree: its bytes and its modification time."""
    return lambda: files_of(tree.tree)


def files_of(root: Path) -> Files:
    return {
        path.relative_to(root).as_posix(): (path.read_bytes(), path.stat().st_mtime_ns)
        for path in sorted(root.rglob("*"))
        if path.is_file()
    }
