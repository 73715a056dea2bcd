"""The app on a disk that stops responding: every read or save of a file named ``hung.md`` blocks forever.

python -m tests.support.hung_files PROJECT
"""

from __future__ import annotations

import os
import sys
import threading
from pathlib import Path
from typing import Any

from brvtui import regular_files
from brvtui.cli.program import main
from brvtui.tree.saving import note_files

NAME = "hung.md"
_READ, _SAVE = regular_files.read_open, note_files.save


def _wait() -> None:
    threading.Event().wait()


def _read(descriptor: int, found: os.stat_result, name: str, most: int) -> bytes:
    if name.endswith(NAME):
        _wait()
    return _READ(descriptor, found, name, most)


def _save(tree: Path, path: str, *rest: Any, **named: Any) -> object:
    if path == os.environ.get("HANGS_ON_SAVING"):
        _wait()
    return _SAVE(tree, path, *rest, **named)


if __name__ == "__main__":
    vars(regular_files)["read_open"] = _read
    vars(note_files)["save"] = _save
    sys.exit(main())
