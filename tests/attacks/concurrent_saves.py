"""Several processes save the same note at once, with or without a foreign program that also writes the note.

Each saver works like the editor: it reads the note, adds a line and saves; after a conflict, it reads the note again.
Every *acknowledged* save must be in the note at the end. The foreign program ignores locks. It writes into the open
file, or replaces the file and keeps what the note contained, so that the lines that it destroyed itself are known.
Every other line, from the foreign program or a saver, must be in the note, in a reported conflict, in a file that a
message names, or in a draft that is listed when the project is opened again.

``python -m tests.attacks.concurrent_saves --processes 2,4,8 --saves 2000 --folder DIR`` sets the saves per process.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from brvtui.session import Session
from brvtui.store.drafts import DraftStore
from brvtui.tree.saving.exchange import exchange
from brvtui.tree.saving.leftovers import is_leftover
from brvtui.tree.saving.note_files import Conflict, SaveError, read_note_file
from tests.attacks.harness import Probe
from tests.docs.pages import ROOT

NOTE = "yard/gate.md"
_QUICK_PROCESSES, _QUICK_SAVES = (4,), 50
_MOST_OPENINGS = 20
_BETWEEN_WRITES_S = 0.002
_LIMIT_S = 3600


@dataclass
class Tried:
    """The result of one run, and the lines that were lost."""

    processes: int
    foreign: bool
    saved: int = 0
    conflicts: int = 0
    refused: list[str] = field(default_factory=list)
    foreign_texts: int = 0
    named_files: int = 0
    drafts: int = 0
    lost: list[str] = field(default_factory=list)
    unnamed: list[str] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def problem(self) -> str:
        """The violations; empty if there are none."""
        lost = f"{len(self.lost)} lines are nowhere: {self.lost[:5]}" if self.lost else ""
        return lost or (f"files that nobody names: {self.unnamed[:5]}" if self.unnamed else "")


def run(folder: Path, processes: int, saves: int, foreign: bool) -> Tried:
    """Lets each of ``processes`` processes save ``saves`` times in a new project in ``folder``, and looks for every
    line.
    """
    tree = folder / ".brv" / "context-tree"
    note = tree / NOTE
    note.parent.mkdir(parents=True)
    (folder / ".brv" / "config.json").write_text("{}")
    note.write_text("# Gate\n")
    tried, began = Tried(processes, foreign), time.monotonic()
    savers = [_started("save", folder, str(number), str(saves)) for number in range(processes)]
    writers = [_started("write", folder)] if foreign else []
    for process in (*savers, *writers):
        assert process.stdout
        assert process.stdout.readline() == "ready\n"
    for process in (*savers, *writers):
        assert process.stdin
        print("go", file=process.stdin, flush=True)
    reports = [_ended(process) for process in (*savers, *writers)]
    tried.seconds = time.monotonic() - began
    result: set[str] = set()
    named: set[str] = set()
    acknowledged: list[str] = []
    for report in reports:
        acknowledged += report["lines"]
        result.update(report["told"])
        named.update(report["named"])
        tried.conflicts += report["conflicts"]
        tried.refused += report["refused"]
    tried.saved = processes * saves
    tried.foreign_texts = len(acknowledged) - tried.saved
    tried.named_files = len(named)
    held = result | {line for path in named if (tree / path).is_file() for line in _lines((tree / path).read_bytes())}
    for _ in range(_MOST_OPENINGS):  # each opening clears only a limited number of files
        opened = _ended(_started("open", folder))
        left = [file.relative_to(tree).as_posix() for file in tree.rglob(".*") if is_leftover(file.name)]
        if not left:
            break
    tried.unnamed = [path for path in left if not any(notice.startswith(path) for notice in opened["notices"])]
    tried.drafts = opened["drafts"]
    held.update(opened["drafted"])
    in_note = Counter(_lines(note.read_bytes()))
    tried.lost = [line for line in acknowledged if line not in in_note and (not foreign or line not in held)]
    return tried


def _started(act: str, folder: Path, *words: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", __spec__.name if __spec__ else __name__, act, str(folder), *words],
        cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        env={**os.environ, **{name: str(folder / "own") for name in ("HOME", "BRV_TUI_DATA_DIR", "BRV_DATA_DIR")}},
    )  # fmt: skip


def _ended(process: subprocess.Popen[str]) -> dict[str, Any]:
    """Ends the input of a process, which stops the foreign program, and returns the report of the process."""
    out, _ = process.communicate(timeout=_LIMIT_S)
    assert process.returncode == 0, out
    result: dict[str, Any] = json.loads(out)
    return result


def _lines(data: bytes) -> Iterable[str]:
    return data.decode("utf-8", "replace").splitlines()


# Functions that run in separate processes


def save(folder: Path, number: str, saves: str) -> dict[str, object]:
    """Saves repeatedly, and returns the acknowledged lines and the reported conflicts."""
    session = Session.open(folder)
    session.load()
    _wait_for_the_others()
    tree = session.project.tree
    lines: list[str] = []
    result: set[str] = set()
    named: list[str] = []
    conflicts = 0
    refused: list[str] = []
    while len(lines) < int(saves):
        line = f"{number}:{len(lines)}"
        try:
            data, version = read_note_file(tree, NOTE)
            done = session.notes.save(NOTE, data + f"{line}\n".encode(), version)
        except SaveError as error:
            refused.append(str(error))
            continue
        if done.kept:
            named.append(done.kept)
        if isinstance(done, Conflict):
            conflicts += 1
            result.update(_lines(done.theirs or b""))
            continue
        lines.append(line)
    session.close()
    return {"lines": lines, "told": sorted(result), "named": named, "conflicts": conflicts, "refused": refused}


def write(folder: Path) -> dict[str, object]:
    """Writes like other programs until its input ends. Returns the lines that it wrote, and those that it removed."""
    _wait_for_the_others()
    os.set_blocking(0, False)
    note = folder / ".brv" / "context-tree" / NOTE
    other = note.with_name("theirs.tmp")
    lines: list[str] = []
    took: set[str] = set()
    while _has_input():
        line = f"foreign:{len(lines)}"
        text = b"" if len(lines) % 10 == 9 else None
        with suppress(FileNotFoundError):  # the savers never leave a moment without the file
            out = _into(note, line, text) if len(lines) % 2 else _in_place(note, other, line, text)
            took.update(_lines(out))
            lines.append(line)
        time.sleep(_BETWEEN_WRITES_S)
    return {"lines": lines, "told": sorted(took), "named": [], "conflicts": 0, "refused": []}


def _wait_for_the_others() -> None:
    print("ready", flush=True)
    assert input() == "go"


def _has_input() -> bool:
    """True if the input has not ended yet."""
    try:
        return bool(os.read(0, 1))
    except BlockingIOError:
        return True


def _into(note: Path, line: str, text: bytes | None) -> bytes:
    """Writes into the file itself, as ``open(note, "w")`` does; returns the previous content."""
    with note.open("r+b", buffering=0) as file:
        before = file.read()
        file.seek(0)
        file.truncate()
        file.write((before if text is None else text) + f"{line}\n".encode())
    return before


def _in_place(note: Path, other: Path, line: str, text: bytes | None) -> bytes:
    """Replaces the note with another file by an exchanging rename; returns the previous content."""
    other.write_bytes((note.read_bytes() if text is None else text) + f"{line}\n".encode())
    folder = os.open(note.parent, os.O_RDONLY)
    try:
        assert exchange(folder, other.name, note.name)
    finally:
        os.close(folder)
    return other.read_bytes()


def open_anew(folder: Path) -> dict[str, object]:
    """Opens the project as the next start would; returns its notices, and the lines of all drafts of the note."""
    session = Session.open(folder)
    session.load()
    session.close()
    drafts = DraftStore(session.project.tree).all()
    drafted = {line for draft in drafts if draft.path == NOTE for line in _lines(draft.data)}
    return {"notices": session.snapshot.notices, "drafts": len(drafts), "drafted": sorted(drafted)}


# the attack


def _attack(folder: Path, processes: int, foreign: bool) -> str:
    return run(folder, processes, _QUICK_SAVES, foreign).problem


ATTACKS = tuple(
    Probe(f"{count} processes save a note{' that a foreign program writes' if foreign else ''}",
          partial(_attack, processes=count, foreign=foreign))
    for count in _QUICK_PROCESSES for foreign in (False, True)
)  # fmt: skip


def main(words: list[str]) -> int:
    """Runs the attacks named in ``words``, the command line, and prints the attempts and the successes."""
    acts = {"save": save, "write": write, "open": open_anew}
    if words and words[0] in acts:
        print(json.dumps(acts[words[0]](Path(words[1]), *words[2:])))  # type: ignore[operator]
        return 0
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--processes", default=",".join(map(str, _QUICK_PROCESSES)), help="such as 2,4,8")
    parser.add_argument("--saves", type=int, default=_QUICK_SAVES, help="acknowledged saves of each process")
    parser.add_argument("--folder", type=Path, help="on the file system to try")
    options = parser.parse_args(words)
    through = tried = 0
    for count in map(int, options.processes.split(",")):
        for foreign in (False, True):
            folder = Path(tempfile.mkdtemp(dir=options.folder))
            try:
                made = run(folder, count, options.saves, foreign)
            finally:
                shutil.rmtree(folder)
            tried += 1
            through += bool(made.problem)
            print(
                f"{count} processes{', a foreign program' if foreign else ''}: {made.saved} saves acknowledged, "
                f"{made.conflicts} conflicts told, {len(made.refused)} refused, {made.foreign_texts} foreign texts, "
                f"{made.named_files} files named, {made.drafts} drafts listed, {made.seconds:.0f} s: "
                f"{made.problem or 'held'}",
                *sorted(set(made.refused)),
                sep="\n  refused: ",
                flush=True,
            )
    print(f"tried: {tried}, got through: {through}")
    return through


if __name__ == "__main__":
    sys.exit(bool(main(sys.argv[1:])))
