"""Checks that files were not touched."""

from __future__ import annotations

import hashlib
from pathlib import Path


def state_of(*folders: Path) -> dict[str, tuple[int, int, str]]:
    """The mode, modification time and content of every file and folder below ``folders``."""
    found = {}
    for folder in folders:
        for path in sorted([folder, *folder.rglob("*")]):
            stat = path.lstat()
            content = hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""
            found[str(path)] = (stat.st_mode, stat.st_mtime_ns, content)
    return found
