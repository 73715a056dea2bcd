"""Names the temporary files of a save, and removes the ones that a killed process left behind.

The names begin with a dot and do not end in ``.md``, so neither engine sees the files. A file that ends in ``.part`` is
still being written. A file that ends in ``.whole`` is complete, or contains the note as it was before the save. Each
name contains the process id, the first digits of the SHA-256 of the new text (``n``) and of the old text (``o``), and
as much of the note's name as fits.
"""

from __future__ import annotations

import os
import re
import secrets
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from brvtui.disk.locks import is_running, locked
from brvtui.disk.walking import walk
from brvtui.tree.saving.file_version import read_version

OLD_SECONDS = 600
"""The age in seconds from which a leftover is abandoned, even if a process with its id exists. A save takes
milliseconds, so that process is a different one.
"""
_PREFIX = ".brv-tui-"
_NOTE = ".md"
_DIGITS = 32
_LONGEST_NAME = 120
"""The maximum length in bytes of the note's name in a leftover's name. File systems allow 255 for a whole name."""
_MOST, _MOST_BYTES = 200, 64 * 1_048_576
"""The maximum number and total size in bytes of the files that are removed when a tree is opened. The others wait for
the next time.
"""
_PATTERN = re.compile(
    rf"\.brv-tui-(\d+)-[0-9a-f]{{8}}(?:-n([0-9a-f]{{{_DIGITS}}}))?(?:-o([0-9a-f]{{{_DIGITS}}}))?\.(.+)\.(part|whole)",
    re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class UnsavedText:
    """A text of the note at ``path`` that a killed save left behind.

    ``base`` is the SHA-256 of the note's text on disk if the save would have replaced that text, empty if it would have
    replaced a different text, and None for a new note. ``at_ms`` is the time when the text was written, in milliseconds
    since 1970. ``is_whole`` is True if the text is complete, as far as is known.
    """

    path: str
    data: bytes
    base: str | None
    at_ms: float
    process: int
    is_whole: bool


@dataclass(frozen=True, slots=True)
class ClearedLeftovers:
    """The paths of leftovers, relative to the tree. ``kept`` ones contain texts that exist nowhere else."""

    removed: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Name:
    """The parts of a leftover's name. ``note`` is the beginning of the note's name, without its extension."""

    process: int
    new: str
    old: str
    note: str
    is_part: bool


def part_name(note: str, new: str, old: str = "") -> str:
    """Returns a new name for a temporary file that is being written.

    ``new`` is the digest of the text of ``note``, and ``old`` the digest of the text that it will replace.
    """
    return _made_name(note, new, old, "part")


def whole_name(note: str, new: str = "", old: str = "") -> str:
    """Returns an unused name for a complete temporary file of ``note``.

    The file contains the text with the digest ``new``, which is not in the note yet, or the previous text with the
    digest ``old``. Digests are SHA-256.
    """
    return _made_name(note, new, old, "whole")


def _made_name(note: str, new: str, old: str, ending: str) -> str:
    texts = "".join(f"-{kind}{sha256[:_DIGITS]}" for kind, sha256 in (("n", new), ("o", old)) if sha256)
    name = os.fsdecode(os.fsencode(note.removesuffix(_NOTE))[:_LONGEST_NAME])
    return f"{_PREFIX}{os.getpid()}-{secrets.token_hex(4)}{texts}.{name}.{ending}"


def is_leftover(name: str) -> bool:
    """True if a file with this name is a temporary file of a save."""
    return name.startswith(_PREFIX) and _PATTERN.fullmatch(name) is not None


def clear_leftovers(tree: Path, now_s: float, keep: Callable[[UnsavedText], bool]) -> ClearedLeftovers:
    """Removes files that killed saves left below ``tree``.

    First passes each text that no note contains to ``keep``, which returns True if it has stored the text. If it
    returns False, the file remains. Ends after 200 removed or kept files; the others wait for the next time. Takes the
    tree's lock, and does nothing while a save holds it. ``now_s`` is the time of the system's clock in seconds. Follows
    no symlinks to folders, skips files that cannot be read or removed, and raises no errors.
    """
    found = list(_leftovers(tree))
    removed: list[str] = []
    kept: list[str] = []
    size = 0
    if not found:
        return ClearedLeftovers()
    with suppress(OSError), locked(tree, patience_s=0):
        for file, name in found:
            if _MOST in (len(removed), len(kept)):
                break
            with suppress(OSError):
                state = file.lstat()
                if state.st_uid != os.geteuid() or not _is_abandoned(name, state, now_s):
                    continue
                size += state.st_size
                cleared = removed if size <= _MOST_BYTES and _clear(tree, file, name, keep) else kept
                cleared.append(file.relative_to(tree).as_posix())
    return ClearedLeftovers(tuple(sorted(removed)), tuple(sorted(kept)))


def _is_abandoned(name: _Name, state: os.stat_result, now_s: float) -> bool:
    # A rename updates the inode's change time, which no program can set to an earlier time.
    return now_s - state.st_ctime >= OLD_SECONDS or not is_running(name.process)


def _leftovers(tree: Path) -> Iterator[tuple[Path, _Name]]:
    for entry, _ in walk(tree, enters=lambda folder, _: not folder.name.startswith(".")):
        if entry.name.startswith(_PREFIX) and (found := _PATTERN.fullmatch(entry.name)):
            process, new, old, note, ending = found.groups("")
            yield Path(entry.path), _Name(int(process), new, old, note, ending == "part")


def _clear(tree: Path, file: Path, name: _Name, keep: Callable[[UnsavedText], bool]) -> bool:
    """Removes ``file``. Returns False if it must be kept. Raises OSError."""
    folder = os.open(file.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        left = read_version(folder, file.name, ask_busy=True)
        if left.busy:
            return False
        note = _note_of(folder, name.note)
        there = None
        with suppress(OSError):
            there = read_version(folder, note)
        digits = left.version.sha256[:_DIGITS]
        if left.data and digits != name.old and (there is None or there.data != left.data):
            base = None if not name.old else ""
            if there and there.version.sha256[:_DIGITS] == name.old:
                base = there.version.sha256
            path = (file.parent / note).relative_to(tree).as_posix()
            is_whole = not name.is_part or digits == name.new
            if not keep(UnsavedText(path, left.data, base, left.stat.st_mtime * 1000, name.process, is_whole)):
                return False
        os.unlink(file.name, dir_fd=folder)
    finally:
        os.close(folder)
    return True


def _note_of(folder: int, begins: str) -> str:
    """Returns the name of the note in ``folder`` whose name begins with ``begins``."""
    if len(os.fsencode(begins)) == _LONGEST_NAME:
        names = [name for name in os.listdir(folder) if name.endswith(_NOTE)]
        names = [name for name in names if os.fsencode(name).startswith(os.fsencode(begins))]
        if len(names) == 1:
            return names[0]
    return f"{begins}{_NOTE}"
