"""Access hits as ByteRover would count them, in the tool's own overlay."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from brvtui.ranking.constants import SignalRules
from brvtui.snapshot import Snapshot
from brvtui.store.overlay import Overlay
from brvtui.tree.reading.signals import NoteSignals, Source, defaults


def record(overlay: Overlay, files: Iterable[str], snapshot: Snapshot, rules: SignalRules) -> None:
    """Counts a hit for each local note among ``files``. Raises OSError."""
    from brvtui.engines.changes import accessed

    def counted(recorded: dict[str, NoteSignals]) -> None:
        for file in files:
            position = snapshot.by_path.get(file)
            if position is None or not snapshot.notes[position].is_local:
                continue
            stored = recorded.get(file, snapshot.signals[position])
            recorded[file] = replace(accessed(stored, rules), source=Source.OVERLAY)

    overlay.edit(defaults(rules), counted)
