"""What is stored of a note's signals, and where."""

from __future__ import annotations

from dataclasses import dataclass

from brvtui.tree.signals import NoteSignals


@dataclass(frozen=True, slots=True)
class KnownSignals:
    """The signals of one note: what the engine's sidecar holds, what the tool's own overlay holds; None for nothing."""

    sidecar: NoteSignals | None = None
    overlay: NoteSignals | None = None
