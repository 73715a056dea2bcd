"""Access hits as ByteRover would count them, in the tool's own overlay."""

from __future__ import annotations

from dataclasses import replace

from brvtui.engines.byterover.sections import Route, Search
from brvtui.ranking.constants import SignalRules
from brvtui.snapshot import Snapshot
from brvtui.store.overlay import Overlay
from brvtui.trace import Origin, Trace
from brvtui.tree.reading.signals import NoteSignals, Source, defaults


def counts(trace: Trace) -> bool:
    """Whether ByteRover would count access hits for ``trace``: for a search, unless the cache answered."""
    route = trace.find(Route)
    return route is not None and route.used


def record(overlay: Overlay, trace: Trace, snapshot: Snapshot, rules: SignalRules) -> None:
    """Counts a hit for each local note that the search of ``trace`` found by its own text. Raises OSError."""
    from brvtui.engines.changes import accessed

    def counted(recorded: dict[str, NoteSignals]) -> None:
        for file in dict.fromkeys(
            hit.file for hit in trace.section(Search).hits if hit.origin is not Origin.PROPAGATED
        ):
            position = snapshot.by_path.get(file)
            if position is None or not snapshot.notes[position].is_local:
                continue
            stored = recorded.get(file, snapshot.signals[position])
            recorded[file] = replace(accessed(stored, rules), source=Source.OVERLAY)

    overlay.edit(defaults(rules), counted)
