"""Every class of the package has a name of its own."""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path

import brvtui

LEFT_IN_THE_APP = {"Place"}
"""Names that two classes of ``brvtui.app`` still share. It can only shrink: no name may be added."""


def test_no_class_name_occurs_twice() -> None:
    package = Path(brvtui.__file__).parent
    classes = [
        (node.name, file.relative_to(package).parts[0])
        for file in package.rglob("*.py")
        for node in ast.parse(file.read_text(encoding="utf-8")).body
        if isinstance(node, ast.ClassDef)
    ]
    counts = Counter(name for name, _ in classes)
    twice = {name for name, count in counts.items() if count > 1}
    assert twice == LEFT_IN_THE_APP
    assert {room for name, room in classes if name in twice} <= {"app"}
