"""The two states in which a query is asked, and those in between: some things of the one, the rest of the other."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

from brvtui.engines.contract import Context
from brvtui.loading import EditedFile
from brvtui.loading.revised import Difference, revised
from brvtui.snapshot import Snapshot
from brvtui.tree.constants import TreeConstants
from brvtui.tree.reading.signals import SignalLayers


class CauseKind(StrEnum):
    """What can make two answers differ, in the order in which one is replaced after the other."""

    NOTES = "notes and signals"
    """Of an answer that was saved: its notes are not at hand."""
    OWN_TEXT = "its own text"
    OTHER_TEXTS = "other notes' texts"
    AGE = "age"
    SIGNALS = "signals"
    CONSTANTS = "constants"


@dataclass(frozen=True)
class AskedState:
    """One of the two states: what its files, signals, moment and constants are."""

    name: str
    context: Context[Any]
    """Its constants, moment and services; the snapshot is that on disk, which both states begin with."""
    reading: TreeConstants
    """The constants that its files are read with."""
    difference: Difference
    """The files that are otherwise than on disk, their times included."""
    stored: SignalLayers

    @property
    def paths(self) -> frozenset[str]:
        """The paths of the files that are otherwise than on disk."""
        return frozenset(self.difference.paths)


@dataclass(frozen=True)
class StateMixer:
    """Makes every state between ``then`` and ``now``, each once. Writes nothing."""

    then: AskedState
    now: AskedState
    _snapshots: dict[tuple[str, frozenset[CauseKind]], Snapshot] = field(default_factory=dict)

    @property
    def kinds(self) -> tuple[CauseKind, ...]:
        """What differs at all between the two states."""
        return tuple(kind for kind in CauseKind if self._differs(kind))

    @property
    def changed_files(self) -> frozenset[str]:
        """The files whose content is not the same in both."""
        paths = self.then.paths | self.now.paths
        return frozenset(path for path in paths if self._content(path, self.then) != self._content(path, self.now))

    def mixed(self, taken: Collection[CauseKind], path: str = "") -> Context[Any]:
        """The context that has of ``now`` what is ``taken``, and everything else of ``then``.

        ``path`` is the note of :attr:`CauseKind.OWN_TEXT`; the texts of all others are its other notes' texts.
        """
        wanted = frozenset(taken) & frozenset(self.kinds)
        own = path if path in self.changed_files else ""
        if not own:
            wanted -= {CauseKind.OWN_TEXT}
        if wanted >= {CauseKind.OWN_TEXT, CauseKind.OTHER_TEXTS}:
            own = ""  # the texts of all: the same snapshot for every note
        constants = self._of(CauseKind.CONSTANTS, wanted).context
        of_moment = self._of(CauseKind.AGE, wanted).context
        key = (own, wanted)
        if key not in self._snapshots:
            self._snapshots[key] = self._snapshot(path, wanted)
        return replace(constants, snapshot=self._snapshots[key], now_ms=of_moment.now_ms)

    def _of(self, kind: CauseKind, taken: Collection[CauseKind]) -> AskedState:
        return self.now if kind in taken else self.then

    def _differs(self, kind: CauseKind) -> bool:
        then, now = self.then, self.now
        match kind:
            case CauseKind.NOTES:
                return False
            case CauseKind.OWN_TEXT | CauseKind.OTHER_TEXTS:
                return bool(self.changed_files)
            case CauseKind.AGE:
                times = any(self._time(path, then) != self._time(path, now) for path in then.paths | now.paths)
                return times or then.context.now_ms != now.context.now_ms
            case CauseKind.SIGNALS:
                return bool(now.stored.changed_since(then.stored)) or now.stored.broken != then.stored.broken
            case CauseKind.CONSTANTS:
                return then.context.constants != now.context.constants or then.reading != now.reading

    def _snapshot(self, path: str, taken: frozenset[CauseKind]) -> Snapshot:
        base = self.then.context.snapshot
        times, signals = self._of(CauseKind.AGE, taken), self._of(CauseKind.SIGNALS, taken)
        reading, moment = self._of(CauseKind.CONSTANTS, taken).reading, times.context.now_ms
        edits: dict[str, EditedFile] = {}
        removed = set()
        for each in self.then.paths | self.now.paths:
            kind = CauseKind.OWN_TEXT if each == path else CauseKind.OTHER_TEXTS
            texts = self._of(kind, taken)
            data = self._content(each, texts)
            if data is None:
                removed.add(each)
                continue
            mtime_ns = self._time(each, times) or self._time(each, texts)
            if each not in texts.paths and mtime_ns == self._time(each, texts):
                continue  # as it is on disk
            edits[each] = EditedFile(each, data, mtime_ns)
        difference = Difference(edits, frozenset(removed & base.parsed.keys()))
        is_as_on_disk = not difference.paths and signals.stored is base.stored
        if is_as_on_disk and moment == self.then.context.now_ms and reading == self.then.reading:
            return base
        if base.spaces or base.is_code:
            return base  # neither files nor the order of notes depend on what can be taken here
        return revised(replace(base, stored=signals.stored), reading, moment, difference)

    def _content(self, path: str, state: AskedState) -> bytes | None:
        """The bytes of the file at ``path``; None where that state has none."""
        edit = state.difference.edits.get(path)
        if edit is not None:
            return edit.data
        known = state.context.snapshot.parsed.get(path)
        if path in state.difference.removed or known is None:
            return None
        try:
            return state.context.snapshot.read(path)
        except OSError:
            return None

    def _time(self, path: str, state: AskedState) -> int:
        """When the file at ``path`` was changed, in ns since 1970; 0 where that state has none."""
        edit = state.difference.edits.get(path)
        if edit is not None:
            return edit.mtime_ns
        known = state.context.snapshot.parsed.get(path)
        return 0 if path in state.difference.removed or known is None else known.mtime_ns


def in_order(kinds: Collection[CauseKind]) -> Iterator[tuple[CauseKind, frozenset[CauseKind]]]:
    """Each of ``kinds`` in the stated order, with everything that is replaced by then."""
    taken: frozenset[CauseKind] = frozenset()
    for kind in CauseKind:
        if kind in kinds:
            taken |= {kind}
            yield kind, taken
