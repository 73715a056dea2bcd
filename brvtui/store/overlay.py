"""The overlay: signals that the tool records on request, apart from the engine's sidecar."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping
from pathlib import Path

from brvtui.regular_files import LARGEST
from brvtui.store import atomic
from brvtui.store.folders import tree_folder
from brvtui.tree.reading.json_file import read_json, read_json_or_none
from brvtui.tree.reading.signals import NoteSignals, Source, from_mapping

_FILE = "overlay.json"


class Overlay:
    """The overlay of one context tree, as a JSON file ``{path: signals}`` in the tool's data folder."""

    def __init__(self, tree: Path) -> None:
        """The file of the overlay need not exist."""
        self.path = tree_folder(tree) / _FILE
        self._editing = threading.Lock()

    def read(self, base: NoteSignals) -> dict[str, NoteSignals]:
        """Recorded signals by note path; empty when nothing was recorded or the file is broken."""
        value = read_json_or_none(self.path, LARGEST)
        entries = value.items() if isinstance(value, dict) else ()
        made = {path: from_mapping(entry, Source.OVERLAY, base, partial=False) for path, entry in entries}
        return {path: signals for path, signals in made.items() if signals is not None}

    def clear(self) -> None:
        """Removes the overlay; nothing happens when there is none. Raises OSError when it cannot be removed."""
        self.path.unlink(missing_ok=True)

    def edit(self, base: NoteSignals, change: Callable[[dict[str, NoteSignals]], None]) -> None:
        """Has ``change`` modify the recorded signals, and writes them, while nobody else can write.

        Raises OSError, and what ``change`` raises; then it writes nothing.
        """
        with self._editing, atomic.locked(self.path):
            self._set_aside_if_broken()
            signals = self.read(base)
            change(signals)
            self.write(signals)

    def _set_aside_if_broken(self) -> None:
        """Renames a broken file instead of overwriting it. Raises OSError when it cannot be read."""
        try:
            broken = not isinstance(read_json(self.path, LARGEST), dict)
        except FileNotFoundError:
            return
        except ValueError:
            broken = True
        if broken:
            self.path.replace(self.path.with_suffix(".broken"))

    def write(self, signals: Mapping[str, NoteSignals]) -> None:
        """Replaces the overlay. Raises OSError when the data folder cannot be written."""
        value = {path: entry.to_mapping() for path, entry in signals.items()}
        atomic.write(self.path, json.dumps(value, indent=1, sort_keys=True))
