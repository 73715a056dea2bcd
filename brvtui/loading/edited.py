"""A snapshot with a file, or with stored signals, as they would be: what a reload would publish. Nothing is written."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace

from brvtui.loading import EditedFile, follow, load
from brvtui.snapshot import Snapshot
from brvtui.tree.constants import TreeConstants
from brvtui.tree.reading.contents import Unseen, read_bytes
from brvtui.tree.reading.signals import NoteSignals, SignalLayers

_NS_PER_MS = 1_000_000
OVERLAY = 0
"""The generation of a snapshot that nobody publishes."""


def saved(snapshot: Snapshot, now_ms: float, path: str, data: bytes, keep_mtime: bool) -> EditedFile:
    """The file at ``path`` after a save of ``data`` at ``now_ms``, with that time or the one that it has."""
    known = snapshot.parsed.get(path)
    return EditedFile(path, data, known.mtime_ns if known and keep_mtime else round(now_ms) * _NS_PER_MS)


def edited(snapshot: Snapshot, constants: TreeConstants, now_ms: float, edit: EditedFile) -> Snapshot:
    """``snapshot`` after ``edit``, as of ``now_ms``; its generation is :data:`OVERLAY`.

    The file may be new. A path that the engine does not walk to (dot names, other endings) changes nothing. Costs what
    the edit changes where one snapshot can follow another, else a look at every file of the tree.
    """
    if not edit.path.endswith(".md") or any(part.startswith(".") for part in edit.path.split("/")):
        return _renamed(snapshot, snapshot.edited)
    _ = snapshot.orders  # made once, for the next preview too
    before = replace(snapshot, postings=snapshot.postings.apart())
    made = follow(before, [edit.path], constants, now_ms, snapshot.stored, edit)
    if made is None:
        made = load(snapshot.project, constants, now_ms, snapshot.stored, before, edit=edit)
    assert made is not None  # nobody cancels
    text: dict[str, str] = {}
    with suppress(Unseen):
        text = {edit.path: read_bytes(edit.data, constants.limits).text}
    return _renamed(made, text)


def signalled(
    snapshot: Snapshot, constants: TreeConstants, now_ms: float, signals: Mapping[str, NoteSignals]
) -> Snapshot:
    """``snapshot`` with other stored signals of some files, as of now; its generation is :data:`OVERLAY`.

    They stand where the first layer of stored signals does, so they win. What makes the engine ignore stored signals
    makes it ignore these too.
    """
    first, *others = snapshot.stored.layers or ({},)
    stored = SignalLayers(({**first, **signals}, *others), snapshot.stored.broken)
    made = follow(snapshot, (), constants, now_ms, stored)
    if made is None:
        made = load(snapshot.project, constants, now_ms, stored, snapshot)
    assert made is not None  # nobody cancels
    return _renamed(made, {})


def _renamed(made: Snapshot, text: Mapping[str, str]) -> Snapshot:
    return replace(made, generation=OVERLAY, edited=dict(text))
