"""The overlay: signals that the tool records on request. They are stored separately from the engine's own signals."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from brvtui.disk import writing
from brvtui.disk.locks import locked
from brvtui.store.folders import tree_folder
from brvtui.store.state_file import read_state_or_none, write_state
from brvtui.tree.reading.signals import NoteSignals, Source, from_mapping

_FILE = "overlay.json"


class Overlay:
    """The overlay of one context tree, stored as a JSON file ``{path: signals}`` in the tool's data folder."""

    def __init__(self, tree: Path) -> None:
        """Manages the overlay of ``tree``. The file need not exist."""
        self.path = tree_folder(tree) / _FILE

    def read(self, base: NoteSignals) -> dict[str, NoteSignals]:
        """Returns the recorded signals, keyed by note path; empty if nothing was recorded or the file is broken."""
        value = read_state_or_none(self.path)
        entries = value.items() if isinstance(value, dict) else ()
        found = {path: from_mapping(entry, Source.OVERLAY, base, partial=False) for path, entry in entries}
        return {path: signals for path, signals in found.items() if signals is not None}

    def clear(self) -> None:
        """Removes the overlay if there is one. Raises OSError if it cannot be removed."""
        writing.remove(self.path)

    def edit(self, base: NoteSignals, change: Callable[[dict[str, NoteSignals]], None]) -> None:
        """Passes the recorded signals to ``change``, which modifies them, and writes the result.

        Holds a lock that excludes other writers. Raises OSError, and the exceptions of ``change``; in both cases,
        nothing is written.
        """
        writing.make_folder(self.path.parent)
        with locked(self.path.parent):
            signals = self.read(base)
            change(signals)
            self.write(signals)

    def write(self, signals: Mapping[str, NoteSignals]) -> None:
        """Replaces the overlay. Raises OSError if the data folder is not writable."""
        write_state(self.path, {path: signals[path].to_mapping() for path in sorted(signals)})
