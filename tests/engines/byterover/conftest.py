"""Fixtures for tests of ByteRover."""

from __future__ import annotations

import pytest

from tests.support.trees import Tree


@pytest.fixture
def quokkas(tree: Tree) -> Tree:
    tree.note("x/n.md", "Quokka", "all about the quokka", days=2)
    tree.notes(30)
    return tree
