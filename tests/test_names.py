"""Names of classes."""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path

import brvtui


def test_class_names_are_unique() -> None:
    package = Path(brvtui.__file__).parent
    counts = Counter(
        node.name
        for file in package.rglob("*.py")
        for node in ast.parse(file.read_text(encoding="utf-8")).body
        if isinstance(node, ast.ClassDef)
    )
    assert len(counts) > 100
    assert {name for name, count in counts.items() if count > 1} == set()
