"""Deep, wide, looped and changing folder trees, wherever the program walks through folders."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.attacks.harness import Attack, report

_SPACE = "11111111-1111-4111-8111-111111111111"
_DEEP, _BEYOND_PATHS, _WIDE = 1_000, 3_000, 5_000


def nest(folder: Path, depth: int, name: str, text: str, part: str = "d") -> None:
    """Makes ``depth`` nested folders below ``folder``, with the file ``name`` in the innermost one."""
    folder.mkdir(parents=True, exist_ok=True)
    inside = os.open(folder, os.O_RDONLY)
    for _ in range(depth):
        os.mkdir(part, dir_fd=inside)
        below = os.open(part, os.O_RDONLY, dir_fd=inside)
        os.close(inside)
        inside = below
    file = os.open(name, os.O_WRONLY | os.O_CREAT, dir_fd=inside)
    os.write(file, text.encode())
    os.close(file)
    os.close(inside)


def deep(folder: Path, name: str, text: str) -> None:
    nest(folder, _DEEP, name, text)


def _beyond_paths(folder: Path, name: str, text: str) -> None:
    """Makes folders so deep that the path of the innermost one is longer than the system accepts."""
    nest(folder, _BEYOND_PATHS, name, text)


def _long_names(folder: Path, name: str, text: str) -> None:
    nest(folder, 40, name, text, "d" * 250)


def _deep_often(folder: Path, name: str, text: str) -> None:
    for number in range(5):
        nest(folder / f"{number}", 300, name, text)


def _wide(folder: Path, name: str, text: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(_WIDE):
        (folder / f"{number}").mkdir()
    (folder / "0" / name).write_text(text)


def _looped(folder: Path, name: str, text: str) -> None:
    (folder / "in").mkdir(parents=True, exist_ok=True)
    (folder / "in" / name).write_text(text)
    for number in range(100):
        (folder / "in" / f"{number}").symlink_to(folder)
    (folder / "itself").symlink_to("itself")


def _odd(folder: Path, name: str, text: str) -> None:
    """Creates entries with odd names and of odd types, like those found in /tmp."""
    (folder / "a\nb\x1b]0;x\x07").mkdir(parents=True)
    os.mkdir(os.fsencode(folder) + b"/\xff\xfe")
    os.mkfifo(folder / name.replace(".", "-pipe."))
    os.mkfifo(folder / "pipe")
    (folder / name).symlink_to("/dev/zero")
    (folder / "closed").mkdir(0o000)
    (folder / f"closed{name}").write_text(text)
    (folder / f"closed{name}").chmod(0o000)


KINDS = {
    "1,000 folders in one another": deep,
    "3,000 folders in one another, beyond any path": _beyond_paths,
    "40 folders with names of 250 letters in one another": _long_names,
    "5 times 300 folders in one another": _deep_often,
    "5,000 folders": _wide,
    "folders that lead to themselves": _looped,
    "pipes, closed folders and odd names": _odd,
}
Kind = Callable[[Path, str, str], None]


@dataclass
class _Prepared:
    """Prepares a project, and removes its folders, because pytest removes recursively and fails on Python 3.11."""

    kind: Kind
    place: str
    name: str
    arguments: Callable[[Path], Sequence[str | Path]]
    folders: list[Path] = field(default_factory=list)

    def __call__(self, folder: Path) -> Sequence[str | Path]:
        self.folders.append(folder)
        tree = folder / ".brv" / "context-tree"
        (tree / "yard").mkdir(parents=True)
        (tree / "yard" / "gate.md").write_text("# North gate\n\nopens at six\n")
        (folder / ".brv" / "config.json").write_text("{}")
        topics = folder / _SPACE / "context-tree"
        topics.mkdir(parents=True)
        (topics / "gate.html").write_text('<bv-topic title="North gate">opens at six</bv-topic>')
        (folder / "gate.py").write_text("def north_gate():\n    pass\n")
        self.kind(folder / self.place, self.name, "# Deep\n\nnorth gate\n")
        return self.arguments(folder)

    def removed(self) -> str:
        for folder in self.folders:
            subprocess.run(["rm", "-rf", *folder.iterdir()], check=True)
        return ""


_APP = """
import asyncio, sys
from pathlib import Path
from brvtui.app.app import BrvTui
from brvtui.app.project.opening import Opening

async def run():
    app = BrvTui(Opening(Path(sys.argv[-1]), None, 0.0, None))
    async with app.run_test(size=(100, 30)) as pilot:
        for key in (*"gate", "enter", "escape", "f2", "j", "f3", "f4", "f5", "f6"):
            await pilot.press(key)
            await asyncio.sleep(0.1)
        for toast in app._notifications:
            print(toast.message)

asyncio.run(run())
"""
_WATCH = """
import sys
from pathlib import Path
from brvtui.tree.watching.watch import Watcher
for folder in (Path(sys.argv[-1]) / ".brv/context-tree", Path(sys.argv[-1])):
    watcher = Watcher([folder], lambda places: None)
    print(watcher.start())
    watcher.stop()
"""
_VANISHING = """
import os, sys, threading
from pathlib import Path
from brvtui.session import Session
folder = Path(sys.argv[-1])
top, running = folder / ".brv/context-tree", True

def change():
    while running:
        for number in range(200):
            os.makedirs(top / f"v{number}/a/b", exist_ok=True)
            (top / f"v{number}/a/b/n.md").write_text("# x")
        for number in range(200):
            (top / f"v{number}/a/b/n.md").unlink(missing_ok=True)
            for path in ("a/b", "a", ""):
                os.rmdir(top / f"v{number}" / path)

changing = threading.Thread(target=change)
changing.start()
try:
    for _ in range(8):
        session = Session.open(folder)
        session.load()
        assert session.preview("north gate").hits
        session.close()
finally:
    running = False
    changing.join()
"""
_MOVE = """
import errno, sys
from pathlib import Path
from brvtui.tree.saving.folders import is_empty_folder, move_folder
from brvtui.tree.saving.note_files import SaveError
from brvtui.disk.scratch import copy_folder, remove_copy, scratch_folder
from brvtui.store.kept_index import KeptIndex
from brvtui.disk.writing import close_to_others
tree = Path(sys.argv[-1]) / ".brv/context-tree"
is_empty_folder(tree, "deep")
try:
    move_folder(tree, "yard", "deep")
except SaveError as error:
    print(error)
with scratch_folder() as folder:
    try:
        copy_folder(tree, folder / "copy")
        assert (folder / "copy/yard/gate.md").is_file()
    except OSError as error:  # the copy's paths are longer
        assert error.errno == errno.ENAMETOOLONG
    remove_copy(folder / "copy")
close_to_others(tree)
"""


def _all() -> Iterator[Attack]:
    tree = ".brv/context-tree/deep"
    for what, kind in KINDS.items():
        uses: tuple[tuple[str, str, str, Callable[[Path], Sequence[str | Path]], str], ...] = (
            ("notes, asked", tree, "n.md", lambda folder: ["query", "north gate", "--project", folder], ""),
            ("notes, explained", tree, "n.md", lambda folder: ["explain", "gate", "gate", "--project", folder], ""),
            ("notes, migrated", tree, "n.md", lambda folder: ["migrate", "--dry-run", "--project", folder, "gate"], ""),
            ("notes in a fleet", tree, "n.md", lambda folder: ["fleet", "query", "gate", "--over", folder], ""),
            ("notes in the app", tree, "n.md", lambda folder: [folder], _APP),
            ("notes that are watched", tree, "n.md", lambda folder: [folder], _WATCH),
            ("notes that are moved and copied", tree, "n.md", lambda folder: [folder], _MOVE),
            ("topics", f"{_SPACE}/context-tree/deep", "n.html",
             lambda folder: ["query", "gate", "--root", folder / _SPACE / "context-tree"], ""),
            ("signals of topics", f"{_SPACE}/state/signals/deep", "n.html.json",
             lambda folder: ["query", "gate", "--root", folder / _SPACE / "context-tree"], ""),
            ("source", "src", "n.py", lambda folder: ["code", "north gate", "--repo", folder], ""),
            ("files beside a project", "src", "n.md", lambda folder: ["query", "x", "--project", folder / "src"], ""),
        )  # fmt: skip
        for where, place, name, arguments, program in uses:
            prepared = _Prepared(kind, place, name, arguments)
            standard = Attack.__dataclass_fields__["program"].default
            yield Attack(f"{what}: {where}", prepared, program or standard, prepared.removed)
    prepared = _Prepared(_looped, tree, "n.md", lambda folder: [folder])
    yield Attack("folders that vanish while notes are read", prepared, _VANISHING, prepared.removed)
    yield Attack("the folder for temporary files as a project", lambda _: ["query", "x", "--project", "/tmp"])
    yield Attack("the folder for temporary files as a repository", lambda _: ["code", "x", "--repo", "/tmp"])


ATTACKS = tuple(_all())

if __name__ == "__main__":
    sys.exit(bool(report(ATTACKS)))
