"""The stored signals of one project from every place that stores some, re-read only where a file changed."""

from __future__ import annotations

from collections.abc import Callable, Collection
from pathlib import Path

from brvtui.ranking.constants import SignalRules
from brvtui.store.overlay import Overlay
from brvtui.tree.engine_files.sidecar import Sidecar, read_sidecar, reread
from brvtui.tree.reading.signals import NoteSignals, SignalLayers, defaults, read_signals_file

_State = tuple[int, int, int] | None


class StoredSignals:
    """Signals from a given file, the tool's own overlay and the engine's sidecar, in this order of precedence."""

    def __init__(self, given: Path | None, overlay: Overlay, sidecar: Path) -> None:
        """Reads nothing before :meth:`layers`."""
        self.sidecar = sidecar
        self._given = given
        self._overlay = overlay
        self._for: SignalRules | None = None
        self._known: dict[Path, tuple[_State, dict[str, NoteSignals]]] = {}
        self._sidecar: Sidecar | None = None

    def layers(self, signals: SignalRules, changed: Collection[str] | None = None) -> SignalLayers:
        """The layers as stored now. ``changed`` are the files of the sidecar that may have changed, None for any.

        An unchanged layer is the same object as before. Raises
        :class:`brvtui.tree.reading.signals.SignalsError` when the signals file is not valid.
        """
        if signals != self._for:
            self._for, self._sidecar = signals, None
            self._known.clear()
        base = defaults(signals)
        made: list[dict[str, NoteSignals]] = []
        if self._given is not None:
            made.append(self._at(self._given, lambda path: read_signals_file(path, base)))
        made.append(self._at(self._overlay.path, lambda _: self._overlay.read(base)))
        if self._sidecar is None or changed is None:
            self._sidecar = read_sidecar(self.sidecar, base)
        elif changed:
            self._sidecar = reread(self._sidecar, self.sidecar, base, changed)
        return SignalLayers((*made, self._sidecar.signals), self._sidecar.broken)

    def _at(self, path: Path, read: Callable[[Path], dict[str, NoteSignals]]) -> dict[str, NoteSignals]:
        state = _state(path)
        known = self._known.get(path)
        if known is None or known[0] != state or state is None:
            known = self._known[path] = (state, read(path))
        return known[1]


def _state(path: Path) -> _State:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino
