"""Measures the app in a pseudo-terminal of 120 x 36: its memory, and the time from an edit on disk to the panes.

An edit gives a new title to a note that the query on the screen finds. The time ends with the last byte that the panes
write about it (painting counts as finished after 150 ms of silence), and excludes the time for which the app waits for
further changes.
"""

from __future__ import annotations

import os
import re
import sys
import time
from pathlib import Path
from statistics import median

from benchmarks.app_in_pty import ESCAPES, Terminal, start
from benchmarks.app_memory import resident_mb
from benchmarks.first_paint import Screen
from benchmarks.panes_beside import until

_COUNTED = re.compile(rb"\d notes")
_EDITS = 3
_WORD, _TITLE = "zzquokka", "Wombat"
_HEADING = re.compile(r"^(title: |# ).*", re.MULTILINE)
_LONGEST_SECONDS = 120.0
_CALM_SECONDS = 0.03
"""The app counts as calm if it uses less processor time than this within a second."""


def measure(tree: Path, profile: Path, python: Path = Path(sys.executable)) -> dict[str, float]:
    """The median time of several edits in ms, and the memory in MB before and after them."""
    from brvtui.tree.watching.watch import QUIET_SECONDS

    note = min((tree / ".brv" / "context-tree").glob("[!_]*/[!_]*/[!_c]*.md"))  # no _index.md, and no context.md
    before, stat, size = note.read_text(encoding="utf-8"), note.stat(), (120, 36)
    signals = tree / "signals.json"
    options = ["--profile", str(profile), *(["--signals", str(signals)] if signals.exists() else [])]
    note.write_text(f"{before}\n{_WORD}\n", encoding="utf-8")
    terminal = start(tree, *size, options=options, python=python, source=profile.parent)
    try:
        _open(terminal)
        for letter in _WORD:
            terminal.key(letter)
        _calm(terminal)
        edits, memory = [], resident_mb(terminal.pid)
        for number in range(_EDITS):
            title, written = f"{_TITLE} {number}", time.perf_counter()
            text = _HEADING.sub(rf"\g<1>{title}", before)
            note.write_text(f"{text}\n{_WORD}\n", encoding="utf-8")
            shown = until(terminal, Screen(*size), title)
            edits.append((max(shown, terminal.settle()) - written - QUIET_SECONDS) * 1000)
            _calm(terminal)
        return {"edited": median(edits), "memory": memory, "memory, edited": resident_mb(terminal.pid)}
    finally:
        terminal.end()
        note.write_text(before, encoding="utf-8")
        os.utime(note, ns=(stat.st_atime_ns, stat.st_mtime_ns))


def _open(terminal: Terminal) -> None:
    """Waits until the app shows the number of notes."""
    seen, end = b"", terminal.began + _LONGEST_SECONDS
    while not _COUNTED.search(ESCAPES.sub(b"", seen)):
        if time.perf_counter() > end:
            raise SystemExit(f"the app did not open the tree within {_LONGEST_SECONDS:.0f} s")
        seen += terminal.read(0.05)
    terminal.settle()


def _calm(terminal: Terminal) -> None:
    """Waits until the app has nothing to do, not even in the background."""
    end = time.perf_counter() + _LONGEST_SECONDS
    spent = -1.0
    while terminal.cpu_seconds() - spent > _CALM_SECONDS and time.perf_counter() < end:
        spent = terminal.cpu_seconds()
        since = time.perf_counter()
        while time.perf_counter() - since < 1:
            terminal.read(0.1)
