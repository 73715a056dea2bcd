"""Fixtures shared by tests of the session."""

from __future__ import annotations

import pytest

from tests.support.trees import Tree


@pytest.fixture
def quokkas(tree: Tree) -> Tree:
    tree.note("x/n.md", "Quokka", "all about the quokka")
    tree.note("x/m.md", "Wallaby", "wallaby jumping far", days=5)
    tree.summary("x", "Animals")
    tree.sidecar_file("x/n.md", {"importance": 61, "maturity": "draft", "accessCount": 4})
    tree.notes(20)
    return tree
