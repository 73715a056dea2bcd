"""Finds the note that a user names by a path, a part of a path, or a title."""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from brvtui.snapshot import Snapshot
from brvtui.tree.editing.archive import archived_as
from brvtui.tree.reading.files import CONTEXT_FILE, SUMMARY_FILE

_LONGEST_IN_MESSAGE = 120
"""The maximum number of characters of a name that are shown in a message."""
CONTEXT_TREE = ".brv/context-tree"
_LONGEST_NAME = 1_000
_MOST_NEAR = 3
_LEAST_TELLING = 3
"""The minimum length of a significant word. Shorter words occur in nearly every path and identify no note."""
_ALIKE = 0.65
"""The minimum similarity (0 to 1, from difflib) between a name and an existing name that is suggested instead."""


class UnknownNote(LookupError):
    """Raised if a name matches no note, or several. The message lists similar notes, or the matching ones."""

    def __init__(self, line: str, near: Sequence[str] = (), meant: Sequence[str] = ()) -> None:
        """``near`` are paths of notes with similar names; ``meant`` are the paths of all notes that match the name."""
        super().__init__(line)
        self.near, self.meant = tuple(near), tuple(meant)


@dataclass(frozen=True, slots=True)
class Named:
    """A file of the tree. ``position`` is its index among the searchable notes; None if the file is not searchable."""

    path: str
    position: int | None


def find_note(snapshot: Snapshot, name: str) -> Named:
    """The file called ``name``, which may be a path (with or without ``.md`` or ``.html``), the end of a path, a folder
    or a title.

    A path may begin at the tree, at the project, or at the filesystem root, and may contain backslashes. If no file has
    exactly this name, case and Unicode form are ignored. Does not read the disk. Raises :class:`UnknownNote` if
    ``name`` matches no file, or several.
    """
    files = [*snapshot.by_path, *(file.path for file in snapshot.files), *(file.path for file in snapshot.unseen)]
    known = dict.fromkeys(files)
    wanted, meant = path_inside(snapshot, name.strip()), list[str]()
    ways: tuple[Callable[[str], str], ...] = (str, _loosely)
    for alike in ways:
        for candidate_name in dict.fromkeys((name.strip(), wanted)):
            meant = meant or _meant(snapshot, {path: alike(path) for path in known}, alike(candidate_name))
    if len(meant) == 1:
        return Named(meant[0], snapshot.by_path.get(meant[0]))
    if meant:
        raise UnknownNote(f"{name} could be {', '.join(meant[:4])}: give the whole path", meant=meant)
    quoted = name if len(name) <= _LONGEST_IN_MESSAGE else f"{name[:_LONGEST_IN_MESSAGE]}…"
    near = _near(snapshot, wanted)
    if ".." in wanted.split("/") or (name.startswith("/") and not near):
        raise UnknownNote(f"{quoted} points outside the tree; choose a note in {snapshot.project.tree}")
    hint = f"; near: {', '.join(near)}" if near else "; give its path, the end of its path, or its title"
    named = f"{snapshot.kind.noun} {quoted}"
    raise UnknownNote(f"no {named} in {snapshot.project.tree}{hint}", near)


def path_inside(snapshot: Snapshot, name: str) -> str:
    """The path below the tree to which ``name`` refers, if ``name`` is a path in any accepted form."""
    path = name.replace("\\", "/").removeprefix(f"{snapshot.project.tree.as_posix()}/")
    path = path if path.startswith("/") else path.rpartition(f"{CONTEXT_TREE}/")[2]
    return "/".join(part for part in path.split("/") if part not in ("", ".")) if path.strip("/.") else path


def _loosely(name: str) -> str:
    return unicodedata.normalize("NFC", name[:_LONGEST_NAME]).casefold()


def _meant(snapshot: Snapshot, known: Mapping[str, str], wanted: str) -> list[str]:
    """The paths that match ``wanted``. ``known`` maps each path to its form for comparisons."""
    for candidate in (wanted, f"{wanted}.md", f"{wanted}.html", f"{wanted}/{CONTEXT_FILE}"):
        if found := [path for path, one in known.items() if one == candidate]:
            return found
        if candidate.endswith(".md") and archived_as(candidate).stub in known:
            return [candidate]
    ends = [path for path, one in known.items() if one.endswith((f"/{wanted}", f"/{wanted}.md", f"/{wanted}.html"))]
    titled = [note.path for note in snapshot.notes if _loosely(note.title) == _loosely(wanted)]
    return ends or titled or [path for path, one in known.items() if one == f"{wanted}/{SUMMARY_FILE}"]


def _near(snapshot: Snapshot, wanted: str) -> list[str]:
    """The paths of up to three notes that ``wanted`` may mean, because their names contain its words or
    similar words.
    """
    names = {note.path: f"{_stem(note.path)} {note.title}".lower() for note in snapshot.notes}
    words = re.findall(r"\w+", wanted.lower())
    telling = any(len(word) >= _LEAST_TELLING for word in words)
    holding = [path for path, name in names.items() if telling and all(word in name for word in words)]
    stems = {_stem(path).rpartition("/")[2]: path for path in names}
    titles = {note.title.lower(): note.path for note in snapshot.notes}
    alike = difflib.get_close_matches(wanted.lower(), [*names, *stems, *titles], _MOST_NEAR, _ALIKE)
    by_name = {**{path: path for path in names}, **stems, **titles}
    return list(dict.fromkeys([*sorted(holding, key=len), *(by_name[name] for name in alike)]))[:_MOST_NEAR]


def _stem(path: str) -> str:
    """``path`` without a note's or topic's extension."""
    return path.removesuffix(".md").removesuffix(".html")
