"""Where a note stands once it is saved: what a new modification time does, and what keeping the old one does."""

from __future__ import annotations

from dataclasses import dataclass

from brvtui.engines.byterover.ageing.board import Board, Row
from brvtui.engines.byterover.context import Context
from brvtui.loading.edited import edited, saved


@dataclass(frozen=True, slots=True)
class Standings:
    """The note as it is, saved with a new modification time, and saved with the one that it has; None: no note."""

    now: Row | None
    renewed: Row | None
    kept: Row | None


def standings(context: Context, path: str, data: bytes) -> Standings:
    """Where the note at ``path`` stands now, and once its file holds ``data``. Nothing is written."""
    snapshot, profile, now_ms = context.snapshot, context.constants, context.now_ms
    renewed, kept = (
        edited(snapshot, profile, now_ms, saved(snapshot, now_ms, path, data, keep)) for keep in (False, True)
    )
    return Standings(*(_row(Context(state, profile, now_ms), path) for state in (snapshot, renewed, kept)))


def _row(context: Context, path: str) -> Row | None:
    snapshot, profile, now_ms = context.snapshot, context.constants, context.now_ms
    position = snapshot.by_path.get(path)
    return None if position is None else Board(snapshot, profile, now_ms).row(position)
