"""Saved traces, which are written to files and opened again without the tree."""

from __future__ import annotations

from pathlib import Path

ENDING = ".json"


def is_saved(path: Path) -> bool:
    """True if ``path`` should be opened as a saved trace instead of a project: a file that ends in :data:`ENDING`."""
    try:
        return path.suffix.lower() == ENDING and path.is_file()
    except OSError:
        return False
