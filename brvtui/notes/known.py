"""What is stored of a note's signals, and where."""

from __future__ import annotations

from dataclasses import dataclass

from brvtui.tree.reading.signals import NoteSignals


@dataclass(frozen=True, slots=True)
class SignalSources:
    """The signals of one note, as each place holds them; None for nothing."""

    sidecar: NoteSignals | None = None
    """The engine's own store."""
    overlay: NoteSignals | None = None
    """The tool's own overlay, which goes before."""
    given: NoteSignals | None = None
    """The signals file that the project was opened with, which goes before both."""
    reads_frontmatter: bool = False
    """Whether the note's frontmatter is read for signals, after all the others."""
