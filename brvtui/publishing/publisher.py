"""Publishes a project's snapshots. Readers get the newest snapshot without a lock."""

from __future__ import annotations

import os
import threading
import time
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Generic, TypeVar

from brvtui.garbage import release_freed_memory
from brvtui.loading import Progress, load, update
from brvtui.ranking.constants import SignalRules
from brvtui.snapshot import Parsed, Reusable, Snapshot
from brvtui.store.kept_index import KeptIndex, Unusable
from brvtui.store.overlay import Overlay
from brvtui.store.tidying import tidy
from brvtui.tree.constants import TreeConstants
from brvtui.tree.engine_files.sidecar import Sidecar, read_sidecar, reread
from brvtui.tree.reading.project import FoundProject
from brvtui.tree.reading.signals import NoteSignals, SignalLayers, defaults, read_signals_file

if TYPE_CHECKING:
    from brvtui.tree.watching.watch import Debouncer, Watcher, Watching

# Reads the stored signals of a project from every place that stores any. A place is read again only if a file changed.

_State = tuple[int, int, int] | None


class StoredSignals:
    """The signals of a project from three places: a given file, the tool's overlay and the engine's own store.

    The first place that contains a note's signals wins.
    """

    def __init__(self, given: Path | None, overlay: Overlay, sidecar: Path) -> None:
        """Does not read anything before :meth:`layers`."""
        self.sidecar = sidecar
        self._given = given
        self._overlay = overlay
        self._for: SignalRules | None = None
        self._known: dict[Path, tuple[_State, dict[str, NoteSignals]]] = {}
        self._sidecar: Sidecar | None = None

    def layers(self, signals: SignalRules, changed: Collection[str] | None = None) -> SignalLayers:
        """Returns the current signals from each place.

        ``changed`` lists the files of the engine's store that may have changed; None means any file. A layer that has
        not changed is the same object as before. Raises :class:`brvtui.tree.reading.signals.SignalsError` if the
        signals file is invalid.
        """
        if signals != self._for:
            self._for, self._sidecar = signals, None
            self._known.clear()
        base = defaults(signals)
        layers: list[dict[str, NoteSignals]] = []
        if self._given is not None:
            layers.append(self._at(self._given, lambda path: read_signals_file(path, base)))
        layers.append(self._at(self._overlay.path, lambda _: self._overlay.read(base)))
        if self._sidecar is None or changed is None:
            self._sidecar = read_sidecar(self.sidecar, base)
        elif changed:
            self._sidecar = reread(self._sidecar, self.sidecar, base, changed)
        return SignalLayers((*layers, self._sidecar.signals), self._sidecar.broken)

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


WORTH_KEEPING = 500
"""The minimum number of files for which storing an index saves time. A smaller tree is read as fast as its index."""
_FEW, _ONE_IN = 20, 100
"""The index is written again if more than 20 files, and more than one file in 100, have changed."""
_RELEASED_EVERY = 32
"""The number of incremental snapshots after which freed memory is returned to the system."""

S = TypeVar("S", bound=Snapshot)


class SnapshotKeeper(ABC, Generic[S]):
    """Publishes a project's snapshots, each derived from the last one. Methods are thread-safe."""

    def __init__(self, project: FoundProject, remembered: int = 3, signals: Path | None = None) -> None:
        """Does not read anything before :meth:`load`. Keeps the last ``remembered`` snapshots for questions about their
        traces.

        ``signals`` is the folder with the engine's signals, which is watched in addition to the trees.
        """
        self.project = project
        self._signals = [signals] if signals is not None else []
        self._newest: S | None = None
        self._recent: deque[S] = deque(maxlen=remembered)
        self._writing = threading.Lock()
        self._watcher: Watcher | Debouncer | None = None
        self._is_closed = False

    @property
    def newest(self) -> Snapshot | None:
        """The newest snapshot; None before the first one is published."""
        return self._newest

    def of_generation(self, generation: int) -> Snapshot:
        """Returns the snapshot with the number ``generation``. Raises KeyError if it is not among the last few."""
        for snapshot in reversed(tuple(self._recent)):
            if snapshot.generation == generation:
                return snapshot
        raise KeyError(f"the snapshot {generation} is gone")

    def load(self, constants: TreeConstants, now_ms: float, progress: Progress | None = None) -> bool:
        """Checks every file and publishes a snapshot. Returns False if nothing changed.

        The first call also tidies up (:func:`brvtui.store.tidying.tidy`), except for code. Raises
        :class:`brvtui.tree.reading.signals.SignalsError` if the signals file is invalid. For code, raises OSError if
        the folder cannot be read, and :class:`brvtui.tree.reading.project.ProjectError` if a grammar is missing.
        """
        with self._as_writer():
            return self._load(constants, now_ms, progress)

    @contextmanager
    def _as_writer(self) -> Iterator[None]:
        """Holds the writer lock. After an error, the next load reads all changes again."""
        with self._writing:
            try:
                yield
            except BaseException:
                self._notice(None)
                raise

    @abstractmethod
    def _load(self, constants: TreeConstants, now_ms: float, progress: Progress | None) -> bool:
        """Does the work of :meth:`load`. The caller must hold the writer lock."""

    def refresh(self, constants: TreeConstants, now_ms: float, places: Collection[Path] = ()) -> bool:
        """Publishes a snapshot with the changes that the watcher reported, and those at ``places``.

        Returns False if nothing changed. Checks every file if the changes are unknown. Raises the same exceptions as
        :meth:`load`.
        """
        return self.load(constants, now_ms)

    def keep(self, constants: TreeConstants, everything: bool = False) -> bool:
        """Stores the data for the next process if this saves enough work. Returns True if data was written.

        With ``everything``, a single changed file is enough. Raises OSError if the tool's cache folder is not writable.
        """
        return False

    def watch(self, changed: Callable[[], None], on_fallback: Callable[[Watching], None]) -> Watching:
        """Calls ``changed``, from another thread, after each batch of changes to the trees or to signals.

        Calls ``on_fallback`` if the watcher later has to poll because events are no longer available.
        """
        from brvtui.tree.watching.watch import Watcher

        self._unwatch()

        def noticed(places: frozenset[str] | None) -> None:
            self._notice(places)
            changed()

        self._notice(None)  # changes made before watching began are unknown
        project = self.project if self._newest is None else self._newest.project  # excludes sources left out
        watcher = self._watcher = Watcher([*project.trees, *self._signals], noticed, on_fallback)
        if self._is_closed:  # closed by another thread while the project was being opened
            self._unwatch()
        return watcher.start()

    def _notice(self, places: frozenset[str] | None) -> None:
        """Records that ``places`` changed; None means that the changed places are unknown."""

    def close(self) -> None:
        """Stops watching permanently."""
        self._is_closed = True
        self._unwatch()

    def _unwatch(self) -> None:
        watcher, self._watcher = self._watcher, None
        if watcher is not None:
            watcher.stop()

    def _tidy(self) -> None:
        """Tidies up before the first snapshot. Adds a notice about each file that the user should check."""
        if self._newest is None:
            self._add_notices(*tidy(self.project.tree, time.time()))

    def _add_notices(self, *notices: str) -> None:
        self.project = replace(self.project, notices=(*self.project.notices, *notices))

    def _publish(self, snapshot: S) -> None:
        snapshot.warm()
        self._recent.append(snapshot)
        self._newest = snapshot


class SpacePublisher(SnapshotKeeper[Snapshot]):
    """Publishes snapshots of a ByteRover V4 space. No index is stored for spaces."""

    def __init__(self, project: FoundProject, given: Path | None, sidecar: Path) -> None:
        """Does not read anything before :meth:`load`. ``given`` is a signals file; it is checked, but not used."""
        super().__init__(project, signals=sidecar)
        self._given = given

    def _load(self, constants: TreeConstants, now_ms: float, progress: Progress | None) -> bool:
        from brvtui.loading.spaces import load_space  # a context tree does not need it

        self._tidy()
        if self._given is not None:
            read_signals_file(self._given, defaults(constants.signals))
            self._given = None
        snapshot = load_space(self.project, constants, now_ms, self._newest, progress)
        if snapshot is self._newest:
            return False
        self._publish(snapshot)
        return True


class Publisher(SnapshotKeeper[Snapshot]):
    """Publishes snapshots of a context tree, and stores an index for the next process."""

    def __init__(self, project: FoundProject, stored: StoredSignals, index: KeptIndex) -> None:
        """Does not read anything before :meth:`load`."""
        super().__init__(project, signals=stored.sidecar)
        self._stored = stored
        self._index = index
        self._kept: Mapping[str, Parsed] = {}
        """The entries of the stored index as this process last read or wrote it."""
        self._since_release = 0
        self._noticed_lock = threading.Lock()
        self._noticed: frozenset[str] | None = None

    def refresh(self, constants: TreeConstants, now_ms: float, places: Collection[Path] = ()) -> bool:
        """Like :meth:`SnapshotKeeper.refresh`."""
        with self._as_writer():
            noticed, before, tree = self._take_noticed(), self._newest, self.project.tree
            if noticed is None or before is None:
                return self._load(constants, now_ms)
            noticed = noticed | {str(place) for place in places}
            stored = self._stored.layers(constants.signals, _below(self._stored.sidecar, noticed))
            inside = _below(tree, noticed)
            snapshot = None
            if inside is not None:
                files = [path.removeprefix(f"{tree}{os.sep}") for path in inside]
                snapshot = update(before, files, constants, now_ms, stored)
            if snapshot is None:
                return self._load(constants, now_ms, changed=())
            if snapshot is before:
                return False
            self._publish(snapshot)
            self._release_memory(1)
            return True

    def keep(self, constants: TreeConstants, everything: bool = False) -> bool:
        """Like :meth:`SnapshotKeeper.keep`."""
        with self._writing:
            newest = self._newest
            if newest is None or len(newest.parsed) < WORTH_KEEPING:
                return False
            changed = sum(1 for path, entry in newest.parsed.items() if self._kept.get(path) is not entry)
            changed += len(self._kept.keys() - newest.parsed.keys())
            if changed <= (0 if everything else max(_FEW, len(newest.parsed) // _ONE_IN)):
                return False
            written = self._index.write(newest, constants)
            if written:
                self._kept = newest.parsed
            return written

    def close(self) -> None:
        """Stops watching, and allows other processes to write the stored index."""
        super().close()
        self._index.close()

    def _notice(self, places: frozenset[str] | None) -> None:
        with self._noticed_lock:
            noticed = self._noticed
            self._noticed = None if places is None or noticed is None else noticed | places

    def _load(
        self,
        constants: TreeConstants,
        now_ms: float,
        progress: Progress | None = None,
        changed: Collection[str] | None = None,
    ) -> bool:
        """Does the work of :meth:`load`.

        ``changed`` lists the files of the engine's store that may have changed; None means any file.
        """
        self._tidy()
        kept = self._read_kept(constants) if self._newest is None else None
        if changed is None:  # everything is read, which includes these changes
            self._take_noticed()
        stored = self._stored.layers(constants.signals, changed)
        snapshot = load(self.project, constants, now_ms, stored, self._newest, kept, progress)
        is_new = snapshot is not self._newest
        (self._publish if is_new else self._prepare)(snapshot)
        self._release_memory(_RELEASED_EVERY)
        return is_new

    def _publish(self, snapshot: Snapshot) -> None:
        if snapshot.postings.wants_folding:
            snapshot = replace(snapshot, postings=snapshot.postings.folded())
        super()._publish(snapshot)
        self._prepare(snapshot)

    def _prepare(self, snapshot: Snapshot) -> None:
        """Computes the data that the next incremental load needs. This takes longer for a larger tree."""
        if self._watcher is not None:
            _ = snapshot.hierarchy, snapshot.orders

    def _release_memory(self, snapshots: int) -> None:
        """Returns freed memory to the system after every few ``snapshots``, if the process keeps watching."""
        self._since_release += snapshots
        if self._watcher is not None and self._since_release >= _RELEASED_EVERY:
            self._since_release = 0
            release_freed_memory()

    def _take_noticed(self) -> frozenset[str] | None:
        """Returns the paths that changed since the last call; None if they are unknown."""
        with self._noticed_lock:
            noticed, self._noticed = self._noticed, frozenset()
        return noticed if self._watcher is not None else None

    def _read_kept(self, constants: TreeConstants) -> Reusable | None:
        try:
            kept = self._index.read(constants)
        except Unusable as reason:
            self._add_notices(f"the saved index is rebuilt: {reason}")
            return None
        if kept is not None:
            self._kept = kept.parsed
        return kept


def _below(folder: Path, places: Iterable[str]) -> list[str] | None:
    """Returns the ``places`` below ``folder``; None if the folder itself, or one above it, was replaced."""
    here = f"{folder}{os.sep}"
    if any(here.startswith(f"{place}{os.sep}") for place in places):
        return None
    return [place for place in places if place.startswith(here) and place != here]
