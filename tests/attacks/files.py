"""Endless, blocking and oversized files, in every place from which the program reads a file."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from brvtui.tree.engine_files.sidecar import project_folder_name, signals_folder
from tests.attacks.harness import Attack, report

_SPARSE_BYTES = 1 << 30
_PLACES = (
    ".brv/config.json",
    ".brv/sources.json",
    ".brv/brv-tui.toml",
    ".brv/context-tree/yard/more.md",
    ".brv/context-tree/yard/_index.md",
    "own/config/config.toml",
)


def _pipe(path: Path) -> None:
    os.mkfifo(path)


def _sparse(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(_SPARSE_BYTES)


def _link_to(target: str) -> Callable[[Path], None]:
    return lambda path: path.symlink_to(target)


def _lists(path: Path) -> None:
    path.write_bytes(b"[" + b"[]," * 20_000_000 + b"[]]")


KINDS: dict[str, Callable[[Path], None]] = {
    "a pipe": _pipe,
    "a sparse file of 1 GB": _sparse,
    "a link to /dev/zero": _link_to("/dev/zero"),
    "a link to /proc/kmsg": _link_to("/proc/kmsg"),
    "60 MB of lists": _lists,
}


def _query(folder: Path, *more: str | Path) -> Sequence[str | Path]:
    return ["query", "gate", "--project", folder, *more]


def _project(folder: Path) -> Path:
    tree = folder / ".brv" / "context-tree"
    (tree / "yard").mkdir(parents=True)
    (tree / "yard" / "gate.md").write_text("# North gate\n\nopens at six\n")
    (folder / ".brv" / "config.json").write_text("{}")
    return tree


def _in_project(place: str, kind: Callable[[Path], None]) -> Callable[[Path], Sequence[str | Path]]:
    def prepare(folder: Path) -> Sequence[str | Path]:
        _project(folder)
        made = folder / place
        made.parent.mkdir(parents=True, exist_ok=True)
        made.unlink(missing_ok=True)
        kind(made)
        return _query(folder)

    return prepare


def _in_engine_data(kind: Callable[[Path], None]) -> Callable[[Path], Sequence[str | Path]]:
    """Puts the hostile file in place of the engine's own signals of a note."""

    def prepare(folder: Path) -> Sequence[str | Path]:
        _project(folder)
        data = folder / "own" / "projects" / project_folder_name(folder)
        made = signals_folder(data) / "yard" / "gate.md.json"
        made.parent.mkdir(parents=True)
        kind(made)
        return _query(folder)

    return prepare


def _marker(kind: Callable[[Path], None]) -> Callable[[Path], Sequence[str | Path]]:
    def prepare(folder: Path) -> Sequence[str | Path]:
        kind(folder / ".brv")
        return _query(folder)

    return prepare


def _named(kind: Callable[[Path], None], *arguments: str) -> Callable[[Path], Sequence[str | Path]]:
    """Passes the hostile file as the last of the ``arguments`` of a query."""

    def prepare(folder: Path) -> Sequence[str | Path]:
        _project(folder)
        kind(folder / "given")
        return _query(folder, *arguments, folder / "given")

    return prepare


def _opened(kind: Callable[[Path], None], *command: str) -> Callable[[Path], Sequence[str | Path]]:
    def prepare(folder: Path) -> Sequence[str | Path]:
        _project(folder)
        kind(folder / "given.json")
        return [*command, folder / "given.json"]

    return prepare


def _judged(kind: Callable[[Path], None], *arguments: str) -> Callable[[Path], Sequence[str | Path]]:
    """Uses the hostile file as the project's judgments, or as the last of the ``arguments`` of a valid evaluation."""

    def prepare(folder: Path) -> Sequence[str | Path]:
        _project(folder)
        own = folder / ".brv" / "brv-tui" / "judgments.toml"
        own.parent.mkdir()
        own.write_text('[[query]]\nid = "gate"\ntext = "gate"\n')
        made = folder / "given.json" if arguments else own
        made.unlink(missing_ok=True)
        kind(made)
        return ["eval", "--project", folder, *arguments, *([made] if arguments else ())]

    return prepare


def _all() -> Iterator[Attack]:
    for what, kind in KINDS.items():
        yield Attack(f".brv is {what}", _marker(kind))
        for place in _PLACES:
            yield Attack(f"{place} is {what}", _in_project(place, kind))
        yield Attack(f"stored signals are {what}", _in_engine_data(kind))
        yield Attack(f"--aliases names {what}", _named(kind, "--engine", "jeffs_brain", "--aliases"))
        yield Attack(f"--signals names {what}", _named(kind, "--signals"))
        yield Attack(f"--profile names {what}", _named(kind, "--profile"))
        yield Attack(f"show opens {what}", _opened(kind, "show"))
        yield Attack(f"the judgments are {what}", _judged(kind))
        yield Attack(f"--judgments names {what}", _judged(kind, "--judgments"))
        yield Attack(f"--baseline names {what}", _judged(kind, "--baseline"))
        yield Attack(f"replay reads {what}", _opened(kind, "replay", "--queries"))


ATTACKS = tuple(_all())

if __name__ == "__main__":
    sys.exit(bool(report(ATTACKS)))
