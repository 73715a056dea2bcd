"""Snapshots for what-if: one edited file, or other stored signals. Nothing is written."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace

from brvtui.loading import EditedFile, load, update
from brvtui.ranking.decay import just_before_ms
from brvtui.snapshot import Snapshot
from brvtui.tree.constants import TreeConstants
from brvtui.tree.reading.contents import Unseen, read_bytes
from brvtui.tree.reading.signals import NoteSignals, SignalLayers

_NS_PER_MS = 1_000_000
UNPUBLISHED = 0
"""The generation of a snapshot that is not published."""


def edit_after_save(snapshot: Snapshot, now_ms: float, path: str, data: bytes, keep_mtime: bool) -> EditedFile:
    """The file at ``path`` after a save of ``data`` at ``now_ms``; with ``keep_mtime`` it keeps its modification
    time.
    """
    known = snapshot.parsed.get(path)
    saved_ns = just_before_ms(now_ms) * _NS_PER_MS
    return EditedFile(path, data, known.mtime_ns if known and keep_mtime else saved_ns)


def edited(snapshot: Snapshot, constants: TreeConstants, now_ms: float, edit: EditedFile) -> Snapshot:
    """``snapshot`` after ``edit``, as of ``now_ms``, with the generation :data:`UNPUBLISHED`.

    The file may be new. A path that the engine does not read (dot names, other endings) changes nothing. Updates only
    what the edit changes where that is possible, else looks at every file of the tree.
    """
    if not edit.path.endswith(".md") or any(part.startswith(".") for part in edit.path.split("/")):
        return _unpublished(snapshot, snapshot.edited)
    _ = snapshot.orders  # computed once, for the next preview too
    before = replace(snapshot, postings=snapshot.postings.detached())
    made = update(before, [edit.path], constants, now_ms, snapshot.stored, edit)
    if made is None:
        made = load(snapshot.project, constants, now_ms, snapshot.stored, before, edits=[edit])
    assert made is not None  # nobody cancels
    text: dict[str, str] = {}
    with suppress(Unseen):
        text = {edit.path: read_bytes(edit.data, constants.limits).text}
    return _unpublished(made, text)


def with_signals(
    snapshot: Snapshot, constants: TreeConstants, now_ms: float, signals: Mapping[str, NoteSignals]
) -> Snapshot:
    """``snapshot`` with other stored signals of some files, as of ``now_ms``, with the generation :data:`UNPUBLISHED`.

    They are put into the first layer of stored signals, so they have precedence. Where the engine ignores stored
    signals, it ignores these too.
    """
    first, *others = snapshot.stored.layers or ({},)
    stored = SignalLayers(({**first, **signals}, *others), snapshot.stored.broken)
    made = update(snapshot, (), constants, now_ms, stored)
    if made is None:
        made = load(snapshot.project, constants, now_ms, stored, snapshot)
    assert made is not None  # nobody cancels
    return _unpublished(made, {})


def _unpublished(made: Snapshot, text: Mapping[str, str]) -> Snapshot:
    return replace(made, generation=UNPUBLISHED, edited=dict(text))
