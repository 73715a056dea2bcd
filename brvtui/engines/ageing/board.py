"""The state of every note: stored and decayed signals, the best possible score, and ageing events.

See ``docs/reference/byterover.md``, "What ageing brings". All values are arrays indexed by position in the snapshot, so
that computing ten thousand notes takes milliseconds. :meth:`Board.row` returns the values of one note.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from brvtui.engines.ageing.events import ARCHIVE, BELOW_MATURITY, PRUNING, Event
from brvtui.engines.ageing.rules import AgeingRules, inputs_at
from brvtui.ranking.ceiling import ScoreInputs, days_until_below, scores
from brvtui.ranking.compound import unrounded_threshold
from brvtui.ranking.decay import MS_PER_DAY, age_days, days_since, days_until_importance, decayed_importance
from brvtui.ranking.maturity import LEVELS, after_access, demoted_below, hits_until_promotion, promoted_from
from brvtui.snapshot import Note, Snapshot
from brvtui.tree.reading import files
from brvtui.tree.reading.signals import NoteSignals

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Levels = NDArray[np.int8]

_SOON = 1e-3
"""The smallest number of days until a future event, because 0 means that the event has occurred."""


@dataclass(frozen=True, eq=False)
class BoardState:
    """The state of every note at one time, if nothing but the time changes until then."""

    days: Floats
    """The number of days since each note was modified."""
    importance: Floats
    recency: Floats
    ceiling: Floats
    archive_importance: Floats
    """The importance after decay since ``updatedAt``; NaN if ``updatedAt`` is not a date."""
    has_come: Mapping[Event, Bools]


@dataclass(frozen=True, slots=True)
class BoardRow:
    """One note of a board. Importance is in 0..100; recency and ceiling are in 0..1. Stored values are before decay."""

    position: int
    path: str
    title: str
    note: Note
    maturity: str
    importance_stored: float
    importance: float
    recency_stored: float
    recency: float
    ceiling: float
    access_count: int
    update_count: int
    days: float
    updated_days: float | None
    """The days since the date in the note's ``updatedAt``; None if the field is missing, NaN if it is not a date."""
    archive_importance: float
    """The importance after ``updated_days`` of decay, which decides about the archive; NaN if there is no date."""
    promoted_from: float | None
    """The minimum stored importance for a hit to promote the note; None for core."""
    demoted_below: float | None
    """The stored importance below which a hit demotes the note; None for a draft."""
    hits_to_promotion: int | None
    """The number of access hits until the note is promoted; None if it is never promoted."""
    after_one_hit: str
    """The note's maturity after one access hit."""
    has_come: tuple[Event, ...]
    source: str

    @property
    def to_promotion(self) -> float | None:
        """The stored importance that is missing for a promotion; 0 if the next hit is certain to promote the note."""
        return None if self.promoted_from is None else max(0.0, self.promoted_from - self.importance_stored)

    @property
    def to_demotion(self) -> float | None:
        """The stored importance minus the threshold for a demotion; negative if a hit may demote the note."""
        return None if self.demoted_below is None else self.importance_stored - self.demoted_below


@dataclass(frozen=True, eq=False)
class Board:
    """The state of every note in ``snapshot`` at ``now_ms``."""

    snapshot: Snapshot
    rules: AgeingRules
    now_ms: float

    def __len__(self) -> int:
        return len(self.snapshot.notes)

    @property
    def events(self) -> tuple[Event, ...]:
        """The ageing events that can occur."""
        return self.rules.events

    @property
    def _gates(self) -> dict[Event, float]:
        """For each event that means that a note can no longer pass a gate, the ceiling below which it occurs."""
        decimals = self.rules.score.decimals
        return {event: unrounded_threshold(gate, decimals) for event, gate in self.rules.gates.items()}

    @cached_property
    def today(self) -> BoardState:
        """The current state of every note."""
        return self.after(0.0)

    def after(self, days: float) -> BoardState:
        """The state of every note in ``days`` days, if nothing but the time changes until then."""
        columns, rules = self.snapshot.columns, self.rules
        at_ms = self.now_ms + days * MS_PER_DAY
        age = age_days(at_ms, columns.mtime_ms)
        result = scores(1.0, age, self._inputs, rules)
        by_date = decayed_importance(columns.importance, age_days(at_ms, columns.updated_ms), rules.decay)
        come = {
            **{event: result.score < gate for event, gate in self._gates.items()},
            ARCHIVE: self._archivable & (by_date < rules.signals.archive_below),
            PRUNING: age >= self._pruned_from,
            BELOW_MATURITY: result.importance < self._demoted_below,
        }
        come = {event: come[event] for event in self.events}
        return BoardState(age, result.importance, result.recency, result.score, by_date, come)

    @cached_property
    def days_until(self) -> Mapping[Event, Floats]:
        """The days until each event occurs for each note: 0 if it has already occurred, infinite if it never will."""
        columns, rules, decay = self.snapshot.columns, self.rules, self.rules.decay
        stored, age = columns.importance, days_since(self.now_ms, columns.mtime_ms)
        since_update = days_since(self.now_ms, columns.updated_ms)
        archived = np.where(self._archivable, rules.signals.archive_below, -np.inf)
        rested = np.nan_to_num(since_update, nan=-np.inf, neginf=-np.inf)
        days_by_event = {
            ARCHIVE: days_until_importance(archived, stored, decay) - rested,
            PRUNING: self._pruned_from - age,
            BELOW_MATURITY: days_until_importance(self._demoted_below, stored, decay) - age,
        }
        come = self.today.has_come
        until = {
            event: np.where(come[event], 0.0, np.maximum(days, _SOON))
            for event, days in days_by_event.items()
            if event in come
        }
        left = days_until_below(list(self._gates.values()), age, self._inputs, rules)
        until.update(zip(self._gates, left, strict=True))
        return {event: until[event] for event in self.events}

    @cached_property
    def after_one_hit(self) -> Levels:
        """The maturity of each note after one access hit, as an index into :data:`brvtui.ranking.maturity.LEVELS`."""
        columns = self.snapshot.columns
        return after_access(columns.importance, columns.maturity, self.rules.signals)[1]

    @cached_property
    def hits_to_promotion(self) -> Floats:
        """The number of access hits (at least 1) until each note is promoted; infinite if it is never promoted."""
        columns = self.snapshot.columns
        return hits_until_promotion(columns.importance, columns.maturity, self.rules.signals)

    @cached_property
    def path_ranks(self) -> NDArray[np.int64]:
        """The rank of each note when notes are sorted by path."""
        return _ranks([note.path for note in self.snapshot.notes])

    @cached_property
    def title_ranks(self) -> NDArray[np.int64]:
        """The rank of each note when notes are sorted by title, ignoring case."""
        return _ranks([note.title.casefold() for note in self.snapshot.notes])

    def row(self, position: int) -> BoardRow:
        """The row for the note at ``position`` in the snapshot."""
        note, stored = self.snapshot.notes[position], self.snapshot.signals[position]
        level = int(self.snapshot.columns.maturity[position])
        updated = float(self.snapshot.columns.updated_ms[position])
        hits = float(self.hits_to_promotion[position])
        return BoardRow(
            position=position,
            path=note.path,
            title=note.title,
            note=note,
            maturity=stored.maturity,
            importance_stored=stored.importance,
            importance=float(self.today.importance[position]),
            recency_stored=stored.recency,
            recency=float(self.today.recency[position]),
            ceiling=float(self.today.ceiling[position]),
            access_count=stored.access_count,
            update_count=stored.update_count,
            days=float(self.today.days[position]),
            updated_days=None if np.isposinf(updated) else float(days_since(self.now_ms, updated)),
            archive_importance=float(self.today.archive_importance[position]),
            promoted_from=_finite(promoted_from(self.rules.signals)[level]),
            demoted_below=_finite(demoted_below(self.rules.signals)[level]),
            hits_to_promotion=int(hits) if np.isfinite(hits) else None,
            after_one_hit=LEVELS[self.after_one_hit[position]],
            has_come=tuple(event for event in self.events if self.today.has_come[event][position]),
            source=str(stored.source),
        )

    @cached_property
    def _inputs(self) -> ScoreInputs:
        return inputs_at(self.snapshot, slice(None), self.rules.score)

    @cached_property
    def _demoted_below(self) -> Floats:
        return np.asarray(demoted_below(self.rules.signals))[self.snapshot.columns.maturity]

    @cached_property
    def _archivable(self) -> Bools:
        """A mask of the drafts in the project's own tree that are not archived yet."""
        notes, signals = self.snapshot.notes, self.snapshot.signals
        return np.asarray([_archivable(*pair) for pair in zip(notes, signals, strict=True)], dtype=np.bool_)

    @cached_property
    def _pruned_from(self) -> Floats:
        """The minimum age in days for the engine to suggest pruning each note; infinite if it never does."""
        rules = self.rules.pruning
        days = np.asarray([rules.draft_days, rules.validated_days, rules.core_days])[self.snapshot.columns.maturity]
        walked = np.asarray([_pruned(note) for note in self.snapshot.notes], dtype=np.bool_)
        return np.where(walked & (days > 0), days, np.inf)


def _archivable(note: Note, signals: NoteSignals) -> bool:
    if note.alias or signals.maturity != LEVELS[0]:
        return False
    return files.ARCHIVE not in note.file.split("/")


def _pruned(note: Note) -> bool:
    """True if the engine may prune ``note``: no file or folder name begins with an underscore."""
    return not note.alias and not note.file.startswith("_") and "/_" not in note.file


def _ranks(names: list[str]) -> NDArray[np.int64]:
    ranks = np.empty(len(names), dtype=np.int64)
    ranks[sorted(range(len(names)), key=names.__getitem__)] = np.arange(len(names))
    return ranks


def _finite(value: float) -> float | None:
    return value if np.isfinite(value) else None
