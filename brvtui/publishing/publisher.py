"""The one writer of a project's snapshots. Readers take the newest, and hold no lock."""

from __future__ import annotations

import os
import threading
import time
from collections import deque
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from brvtui.loading import Progress, follow, load
from brvtui.publishing import heap
from brvtui.publishing.stored_signals import StoredSignals
from brvtui.snapshot import Known, Parsed, Snapshot
from brvtui.store.kept_index import KeptIndex, Unusable
from brvtui.tree.constants import TreeConstants
from brvtui.tree.reading.project import FoundProject
from brvtui.tree.reading.signals import SignalLayers
from brvtui.tree.saving.leftovers import remove_leftovers

if TYPE_CHECKING:  # watchdog is for those alone who watch
    from brvtui.tree.watching.watch import Watcher, Watching

WORTH_KEEPING = 500
"""A smaller tree is read as fast as a kept index is."""
_FEW, _ONE_IN = 20, 100
"""So many files, or one in so many, are read anew rather than that the index is written again."""
_REMEMBERED_SNAPSHOTS = 3
"""Snapshots whose traces can still be asked for details."""
_TIDIED_EVERY = 32
"""So many snapshots, each made from the last one, leave enough behind in the heap to look for it."""


class Publisher:
    """Reads a project and publishes snapshots, each made from the last one. Methods may be called from any thread."""

    def __init__(self, project: FoundProject, stored: StoredSignals, index: KeptIndex) -> None:
        """Nothing is read before :meth:`load`."""
        self.project = project
        self._stored = stored
        self._index = index
        self._kept: Mapping[str, Parsed] = {}
        """What the kept index holds, as far as this process knows."""
        self._newest: Snapshot | None = None
        self._recent: deque[Snapshot] = deque(maxlen=_REMEMBERED_SNAPSHOTS)
        self._untidied = 0
        self._writing = threading.Lock()
        self._noticing = threading.Lock()
        self._noticed: frozenset[str] | None = None
        self._watcher: Watcher | None = None

    @property
    def newest(self) -> Snapshot | None:
        """The newest snapshot; None before the first :meth:`load`."""
        return self._newest

    def of_generation(self, generation: int) -> Snapshot:
        """One of the last snapshots. Raises KeyError when it is gone."""
        for snapshot in reversed(self._recent):
            if snapshot.generation == generation:
                return snapshot
        raise KeyError(f"the snapshot {generation} is gone")

    def load(
        self,
        constants: TreeConstants,
        now_ms: float,
        progress: Progress | None = None,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> bool:
        """Looks at every file and publishes a snapshot; False when cancelled or nothing had changed.

        The first call also removes what killed saves left in the tree. Raises
        :class:`brvtui.tree.reading.signals.SignalsError` when the signals file is not valid.
        """
        with self._writing:
            kept = None
            if self._newest is None:
                self._clean()
                kept = self._read_kept(constants)
            self._take_noticed()
            stored = self._stored.layers(constants.signals)
            return self._load(constants, now_ms, stored, kept, progress, cancelled)

    def refresh(self, constants: TreeConstants, now_ms: float, places: Collection[Path] = ()) -> bool:
        """Publishes a snapshot of what watching noticed, or of ``places`` too; False when nothing had changed.

        Looks at every file where it is not known what changed. Raises as :meth:`load`.
        """
        with self._writing:
            noticed = self._take_noticed()
            before = self._newest
            if noticed is None or before is None:
                return self._load(constants, now_ms, self._stored.layers(constants.signals))
            noticed = noticed | {str(place) for place in places}
            stored = self._stored.layers(constants.signals, _below(self._stored.sidecar, noticed))
            inside = _below(self.project.tree, noticed)
            tree = self.project.tree
            made = None
            if inside is not None:
                files = [path.removeprefix(f"{tree}{os.sep}") for path in inside]
                made = follow(before, files, constants, now_ms, stored)
            if made is None:
                return self._load(constants, now_ms, stored)
            if made is before:
                return False
            self._publish(made)
            self._tidy(1)
            return True

    def keep(self, constants: TreeConstants, everything: bool = False) -> bool:
        """Keeps the newest snapshot for the next process where that saves it work; whether it was written.

        A few changed files are no reason unless ``everything`` is to be kept. Raises OSError when the tool's cache
        folder cannot be written.
        """
        with self._writing:
            newest = self._newest
            if newest is None or len(newest.parsed) < WORTH_KEEPING:
                return False
            anew = sum(1 for path, entry in newest.parsed.items() if self._kept.get(path) is not entry)
            anew += len(self._kept.keys() - newest.parsed.keys())
            if anew <= (0 if everything else max(_FEW, len(newest.parsed) // _ONE_IN)):
                return False
            written = self._index.write(newest, constants)
            if written:
                self._kept = newest.parsed
            return written

    def close(self) -> None:
        """Ends watching, and lets another process write the kept index."""
        self.unwatch()
        self._index.close()

    def watch(self, changed: Callable[[], None], told: Callable[[Watching], None] = lambda _: None) -> Watching:
        """Calls ``changed``, from another thread, after each burst of changes of the tree or of signals.

        ``told`` is called when the system's own events are given up for polling later on.
        """
        from brvtui.tree.watching.watch import Watcher

        self.unwatch()
        trees = [self.project.tree, *(source.tree for source in self.project.sources)]

        def noticed(places: frozenset[str] | None) -> None:
            with self._noticing:
                known = self._noticed
                self._noticed = None if places is None or known is None else known | places
            changed()

        with self._noticing:
            self._noticed = None  # what changed before watching began is not known
        self._watcher = Watcher([*trees, self._stored.sidecar], noticed, told)
        return self._watcher.start()

    def unwatch(self) -> None:
        """Ends watching."""
        if self._watcher:
            self._watcher.stop()
            self._watcher = None

    def _load(
        self,
        constants: TreeConstants,
        now_ms: float,
        stored: SignalLayers,
        kept: Known | None = None,
        progress: Progress | None = None,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> bool:
        made = load(self.project, constants, now_ms, stored, self._newest, kept, progress, cancelled)
        if made is None:
            return False
        if self._newest is not None and _same(self._newest, made):
            self._prepare(self._newest)
            self._tidy(_TIDIED_EVERY)
            return False
        self._publish(made)
        self._tidy(_TIDIED_EVERY)
        return True

    def _publish(self, made: Snapshot) -> None:
        made.warm()
        self._recent.append(made)
        self._newest = made
        if made.postings.wants_folding:
            self._recent[-1] = self._newest = replace(made, postings=made.postings.folded())
        self._prepare(self._newest)

    def _prepare(self, snapshot: Snapshot) -> None:
        """Makes what the next change is put into, which takes as long as the tree is large."""
        if self._watcher is not None:
            _ = snapshot.hierarchy, snapshot.orders

    def _tidy(self, left_behind: int) -> None:
        """Gives freed memory back, once enough was left behind, in a process that stays."""
        self._untidied += left_behind
        if self._watcher is not None and self._untidied >= _TIDIED_EVERY:
            self._untidied = 0
            heap.give_back()

    def _take_noticed(self) -> frozenset[str] | None:
        """What was noticed since the last call; None when it is not known what changed."""
        with self._noticing:
            noticed, self._noticed = self._noticed, frozenset()
        return noticed if self._watcher is not None else None

    def _read_kept(self, constants: TreeConstants) -> Known | None:
        try:
            kept = self._index.read(constants)
        except Unusable as reason:
            self._say(f"the kept index is made anew: {reason}")
            return None
        if kept is not None:
            self._kept = kept.parsed
        return kept

    def _clean(self) -> None:
        kept = remove_leftovers(self.project.tree, time.time()).kept
        for path in kept:
            self._say(f"{path}: another program's text, caught in a save that was killed; read it, then remove it")

    def _say(self, notice: str) -> None:
        self.project = replace(self.project, notices=(*self.project.notices, notice))


def _below(folder: Path, places: Iterable[str]) -> list[str] | None:
    """Those of ``places`` that lie below ``folder``; None when the folder itself, or one above it, was exchanged."""
    here = f"{folder}{os.sep}"
    if any(here.startswith(f"{place}{os.sep}") for place in places):
        return None
    return [place for place in places if place.startswith(here) and place != here]


def _same(old: Snapshot, new: Snapshot) -> bool:
    return (
        old.limits == new.limits
        and old.frontmatter_defaults == new.frontmatter_defaults
        and old.files == new.files
        and old.unseen == new.unseen
        and old.signals == new.signals
        and old.summary_signals == new.summary_signals
        and old.notices == new.notices
        and old.parsed.keys() == new.parsed.keys()
        and all(old.parsed[path] is parsed for path, parsed in new.parsed.items())
    )
