"""Restores the ages of the notes in a copied tree. Version control and packages do not keep modification times."""

from __future__ import annotations

import json
import os
from pathlib import Path

from brvtui.regular_files import read_regular

AGES = "ages.json"
"""The name of a project's file that maps the path of each note to its age in days."""
_LARGEST = 1_048_576
_MS_PER_DAY = 86_400_000


def stamp(project: Path, now_ms: float) -> int:
    """Sets each note's modification time to ``now_ms`` minus its age from the file :data:`AGES`.

    The times are in whole milliseconds. Returns the number of notes; skips missing ones. Raises OSError.
    """
    tree, count = project / ".brv" / "context-tree", 0
    for path, days in json.loads(read_regular(project / AGES, _LARGEST)).items():
        if (tree / path).is_file():
            time_ns = (int(now_ms) - round(days * _MS_PER_DAY)) * 1_000_000
            os.utime(tree / path, ns=(time_ns, time_ns))
            count += 1
    return count
