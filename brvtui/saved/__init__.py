"""Saved traces: traces written to files, which can be opened again without the tree."""

from __future__ import annotations

from pathlib import Path

ENDING = ".json"


def is_saved(path: Path) -> bool:
    """True if ``path`` should be opened as a saved trace, not as a project: a file whose name
    ends in :data:`ENDING`.
    """
    try:
        return path.suffix.lower() == ENDING and path.is_file()
    except OSError:
        return False
