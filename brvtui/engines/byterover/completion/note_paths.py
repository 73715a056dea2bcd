"""Files of a snapshot by names that nobody vouches for: a model's, a note's. None leads out of its tree."""

from __future__ import annotations

import os

from brvtui import faults
from brvtui.engines.byterover.route.prompt import TREE_PREFIX
from brvtui.regular_files import open_regular, read_open
from brvtui.snapshot import Snapshot
from brvtui.tree.reading.contents import Unseen, read_bytes
from brvtui.tree.reading.files import CONTEXT_FILE
from brvtui.tree.reading.inside import PathError, entry_in, folder_parts_of
from brvtui.wording import nearest


class PathRefused(Exception):
    """A name that leads nowhere, or where it must not; the message says why in one line."""


def bare(name: str) -> str:
    """``name`` without what answers put before paths, and without a slash at its end."""
    return name.strip().removeprefix("./").removeprefix(TREE_PREFIX).rstrip("/")


def found(snapshot: Snapshot, name: str) -> str | None:
    """The path of the file that ``name`` means: a path of the tree, or a folder, for which a file stands."""
    path = bare(name)
    for file in (path, f"{path}/{CONTEXT_FILE}"):
        if file in snapshot.parsed:
            return file
    summary = snapshot.summaries.get(path)
    return None if summary is None else summary.file


def note_at(snapshot: Snapshot, name: str) -> str:
    """:func:`found`, but raises :class:`PathRefused` where there is none."""
    file = found(snapshot, name)
    if file is not None:
        return file
    path = bare(name)
    try:
        folder_parts_of(path)
    except PathError as error:
        raise PathRefused(str(error)) from None
    compared = len(snapshot.parsed) < _FEW and len(path) < _LONG
    raise PathRefused(f"{path}: no such note{nearest(path, snapshot.parsed) if compared else ''}")


def text_of(snapshot: Snapshot, path: str) -> str:
    """The text of the file at ``path`` (one of :attr:`Snapshot.parsed`) as the engine reads it.

    It is opened folder by folder, so that no symlink that was put there since leads out. Raises :class:`PathRefused`.
    """
    if path in snapshot.edited:
        return snapshot.edited[path]
    entry = snapshot.parsed[path]
    trees = {"": snapshot.project.tree, **{source.alias: source.tree for source in snapshot.project.sources}}
    try:
        with entry_in(trees[entry.alias], entry.file) as place:
            opened = open_regular(place.name, place.folder)
            try:
                data = read_open(opened, os.fstat(opened), path, snapshot.limits.max_file_bytes)
            finally:
                os.close(opened)
        return read_bytes(data, snapshot.limits).text
    except (OSError, PathError, Unseen) as error:
        why = faults.reason(error) if isinstance(error, OSError) else str(error)
        raise PathRefused(f"{path}: cannot be read ({why})") from None


_FEW = 2_000
"""Names among which a misspelt one is looked for: that compares it with each of them."""
_LONG = 500
"""Characters of a name for which no similar one is looked for."""
