"""The stored index: damaged before a process reads it, or truncated and exchanged while a process uses it."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from tests.attacks.harness import Attack, report

_NOTES = 600
_USE = """
import os, sys
from pathlib import Path
from brvtui.session import Session

def opened():
    session = Session.open(Path(sys.argv[-1]))
    session.load()
    return session

first = opened()
expected = [hit.path for hit in first.preview("north gate").hits]
assert expected and first.keep()
first.close()
(kept,) = Path(os.environ["BRV_TUI_DATA_DIR"]).rglob("kept")
"""
_SAME = """
assert [hit.path for hit in session.preview("north gate").hits] == expected
session.refresh()
session.close()
"""
_DAMAGES = {
    "is cut to nothing": "os.truncate(kept, 0)",
    "is cut to half": "os.truncate(kept, kept.stat().st_size // 2)",
    "is filled with zeros": "kept.write_bytes(bytes(kept.stat().st_size))",
    "has one flipped bit": "data = bytearray(kept.read_bytes()); data[len(data) // 2] ^= 1; kept.write_bytes(data)",
    "grows to 1 GB": "os.truncate(kept, 1 << 30)",
    "is gone": "kept.unlink()",
    "is a pipe": "kept.unlink(); os.mkfifo(kept)",
    "is a link to /dev/zero": "kept.unlink(); kept.symlink_to('/dev/zero')",
}


def _project(folder: Path) -> Sequence[str | Path]:
    tree = folder / ".brv" / "context-tree" / "yard"
    tree.mkdir(parents=True)
    (folder / ".brv" / "config.json").write_text("{}")
    for number in range(_NOTES):
        (tree / f"gate{number}.md").write_text(f"# Gate {number}\n\nnorth gate {number} opens\n")
    return [folder]


def _before(damage: str) -> str:
    return f"{_USE}{damage}\nsession = opened()\n{_SAME}"


def _during(damage: str) -> str:
    return f"{_USE}session = opened()\n{damage}\n{_SAME}"


ATTACKS = tuple(
    Attack(f"the index {what} {when}", _project, program(damage))
    for when, program in (("before it is read", _before), ("while it is used", _during))
    for what, damage in _DAMAGES.items()
)

if __name__ == "__main__":
    sys.exit(bool(report(ATTACKS)))
