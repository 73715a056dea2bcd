"""Two answers to one query, and the causes of their differences.

The causes add up to the change of each score (``docs/how-to/compare-answers.md``).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property
from typing import Any

from brvtui.engines.contract import Context, Engine, Query
from brvtui.engines.options import options_of_file
from brvtui.lab.judgments.model import outcome_of
from brvtui.lab.trace_diff import (
    SAME,
    NoteStanding,
    TraceDiff,
    diff_traces,
    near_misses,
    part_changes,
    standing_in,
    standings,
)
from brvtui.loading import EditedFile
from brvtui.loading.revised import Difference, revised
from brvtui.paint.text import signed
from brvtui.snapshot import Snapshot
from brvtui.snapshot.naming import Named
from brvtui.trace import Contribution, Trace
from brvtui.tree.constants import TreeConstants
from brvtui.tree.reading.frontmatter import parse
from brvtui.tree.reading.signals import SignalLayers

# Two states to run a query in, and mixtures of the two.


class CauseKind(StrEnum):
    """The kinds of causes of a difference between two answers, in the order of application."""

    NOTES = "notes and signals"
    """The notes and signals of a saved answer, which are no longer available."""
    OWN_TEXT = "its own text"
    FRONTMATTER = "its frontmatter"
    """Reported instead of :attr:`OWN_TEXT` if the rest of the note is the same."""
    OTHER_TEXTS = "other notes' texts"
    AGE = "age"
    SIGNALS = "signals"
    CONSTANTS = "constants"


@dataclass(frozen=True)
class AskedState:
    """One of two compared states: files, signals, time and constants."""

    name: str
    context: Context[Any]
    """The constants, time and services of the state. The snapshot is the one on disk; both compared states are derived
    from it.
    """
    reading: TreeConstants
    """The constants used to read the files of this state."""
    difference: Difference
    """The files that differ from the files on disk, with their times."""
    stored: SignalLayers

    @cached_property
    def paths(self) -> frozenset[str]:
        """The paths of the files that differ from the files on disk."""
        return frozenset(self.difference.paths)


@dataclass(frozen=True)
class StateMixer:
    """Builds every mixture of the states ``then`` and ``now``, each only once. Writes nothing to disk."""

    then: AskedState
    now: AskedState
    _snapshots: dict[tuple[str, frozenset[CauseKind]], Snapshot] = field(default_factory=dict)

    @cached_property
    def kinds(self) -> tuple[CauseKind, ...]:
        """The kinds of differences between the two states."""
        return tuple(kind for kind in CauseKind if self._differs(kind))

    @cached_property
    def changed_files(self) -> frozenset[str]:
        """The files whose contents differ or that exist in only one state, including unreadable files."""
        paths = self.then.paths | self.now.paths
        only_one = self.then.difference.removed ^ self.now.difference.removed
        return only_one | {path for path in paths if self._content(path, self.then) != self._content(path, self.now)}

    def own_kind(self, path: str) -> CauseKind:
        """The kind of the change to the note at ``path``: to its text, or only to its frontmatter."""
        then, now = (self._content(path, state) for state in (self.then, self.now))
        if then is None or now is None or self.then.context.snapshot.kind.is_html:
            return CauseKind.OWN_TEXT
        bodies = {text[parse(text).body_start :] for text in (each.decode("utf-8", "replace") for each in (then, now))}
        return CauseKind.OWN_TEXT if len(bodies) > 1 else CauseKind.FRONTMATTER

    def mixed(self, taken: Collection[CauseKind], path: str = "") -> Context[Any]:
        """The context with the ``taken`` kinds of data from ``now``, and everything else from ``then``.

        :attr:`CauseKind.OWN_TEXT` is the text of the note at ``path``, and :attr:`CauseKind.OTHER_TEXTS` is the text of
        all other notes.
        """
        wanted = frozenset(taken) & frozenset(self.kinds)
        own = path if path in self.changed_files else ""
        if not own:
            wanted -= {CauseKind.OWN_TEXT}
        if wanted >= {CauseKind.OWN_TEXT, CauseKind.OTHER_TEXTS}:
            own = ""  # all texts are taken, so every note has the same snapshot
        constants = self._state_for(CauseKind.CONSTANTS, wanted).context
        of_moment = self._state_for(CauseKind.AGE, wanted).context
        key = (own, wanted)
        if key not in self._snapshots:
            self._snapshots[key] = self._snapshot(path, wanted)
        return replace(constants, snapshot=self._snapshots[key], now_ms=of_moment.now_ms)

    def _state_for(self, kind: CauseKind, taken: Collection[CauseKind]) -> AskedState:
        return self.now if kind in taken else self.then

    def _differs(self, kind: CauseKind) -> bool:
        then, now = self.then, self.now
        match kind:
            case CauseKind.NOTES | CauseKind.FRONTMATTER:
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
        times, signals = self._state_for(CauseKind.AGE, taken), self._state_for(CauseKind.SIGNALS, taken)
        reading, moment = self._state_for(CauseKind.CONSTANTS, taken).reading, times.context.now_ms
        edits: dict[str, EditedFile] = {}
        removed = set()
        for each in self.then.paths | self.now.paths:
            kind = CauseKind.OWN_TEXT if each == path else CauseKind.OTHER_TEXTS
            texts = self._state_for(kind, taken)
            mtime_ns = self._time(each, times) or self._time(each, texts)
            if each not in texts.paths and mtime_ns == self._time(each, texts):
                continue  # unchanged on disk
            data = self._content(each, texts)
            if data is None:
                removed.add(each)
                continue
            edits[each] = EditedFile(each, data, mtime_ns)
        removed &= base.parsed.keys() | self.then.difference.removed | self.now.difference.removed
        unread = self._state_for(CauseKind.OTHER_TEXTS, taken).difference.unread
        difference = Difference(edits, frozenset(removed), unread)
        is_as_on_disk = not difference.paths and signals.stored is base.stored
        if is_as_on_disk and moment == self.then.context.now_ms and reading == self.then.reading:
            return base
        if not base.kind.can_vary:
            return base  # none of these kinds affects its files or the order of its notes
        return revised(base, reading, moment, difference, signals.stored)

    def _content(self, path: str, state: AskedState) -> bytes | None:
        """The bytes of the file at ``path``; None if the file does not exist in ``state``."""
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
        """The modification time of the file at ``path`` in ``state``, in ns since 1970; 0 if it does not exist."""
        edit = state.difference.edits.get(path)
        if edit is not None:
            return edit.mtime_ns
        known = state.context.snapshot.parsed.get(path)
        return 0 if path in state.difference.removed or known is None else known.mtime_ns


def in_order(kinds: Collection[CauseKind]) -> Iterator[tuple[CauseKind, frozenset[CauseKind]]]:
    """Yields each of ``kinds`` in order, with the set of all kinds up to and including that one."""
    taken: frozenset[CauseKind] = frozenset()
    for kind in CauseKind:
        if kind in kinds:
            taken |= {kind}
            yield kind, taken


# The differences between two answers to one query, as frozen data.


_SEEN = 0.00005


@dataclass(frozen=True, slots=True)
class PartChange:
    """The change of one part of a score."""

    name: str
    change: float


@dataclass(frozen=True, slots=True)
class Cause:
    """The effect of one replacement on a note's score, measured by running the query before and after replacing."""

    kind: CauseKind
    change: float
    score: float | None
    """The score after the replacement; None if the note does not match or does not exist."""
    rank: int | None
    """The rank after the replacement, from 1; None if the note is not a result."""
    parts: tuple[PartChange, ...]
    """The changed parts of the score, largest change first."""
    through: tuple[PartChange, ...] = ()
    """For changes to the text of other notes, the parts due to ``idf``, ``length`` (the average note length) and
    ``matches`` (terms that match in only one state); empty for engines whose score is not a sum over terms.
    """
    reason: str = ""
    """The reason why the replacement removed the note from the results; empty if it did not."""


@dataclass(frozen=True, slots=True)
class NoteDiff:
    """One note in both answers. The causes add up to the change of the note's score; a missing score is taken as 0."""

    path: str
    title: str
    rank_then: int | None
    rank_now: int | None
    score_then: float | None
    score_now: float | None
    causes: tuple[Cause, ...]
    reason: str = ""
    """The reason why the note is not a current result; empty if it is one."""
    reason_then: str = ""
    """The reason why the note was not a result in the earlier answer; empty if it was one."""

    @property
    def change(self) -> float:
        """The change of the note's score."""
        return (self.score_now or 0.0) - (self.score_then or 0.0)

    @property
    def summary(self) -> str:
        """The note's scores and the causes that do not round to 0: ``0.9000 → 0.5898: its own text −0.3100, …``."""
        then, now = ("–" if score is None else f"{score:.4f}" for score in (self.score_then, self.score_now))
        visible = [f"{cause.kind} {signed(cause.change, 4)}" for cause in self.causes if abs(cause.change) >= _SEEN]
        return f"{then} → {now}" + (f": {', '.join(visible)}" if visible else "")


@dataclass(frozen=True, slots=True)
class OutcomeStep:
    """The query's outcome after one kind of data was replaced in all notes."""

    what: str
    outcome: str


@dataclass(frozen=True)
class AnswerDiff:
    """Two answers to one query, and the causes of their differences."""

    query: str
    traces: TraceDiff
    then_name: str
    now_name: str
    outcomes: tuple[OutcomeStep, ...]
    """The outcome after each replacement. The text of all notes is replaced in one step."""
    notes: tuple[NoteDiff, ...]
    """The notes whose rank or score changed, by current rank, followed by the notes that are no longer results."""
    left_out: int
    """The number of changed notes that are left out."""
    times: str = ""
    """A sentence about the sources of a revision's file times; empty if all times are those on disk."""

    @property
    def differs(self) -> bool:
        """True if the outcome or a rank changed. Scores are ignored, because they change every second."""
        then, now = self.traces.outcomes
        return then != now or any(note.rank_then != note.rank_now for note in self.notes)


def cause_of(kind: CauseKind, before: NoteStanding, after: NoteStanding) -> Cause:
    """The effect of a replacement of the given kind on a note, from its standings ``before`` and ``after``."""
    through: tuple[PartChange, ...] = ()
    if kind is CauseKind.OTHER_TEXTS and before.detail is not None and after.detail is not None:
        through = through_terms(before.detail.contributions, after.detail.contributions)
    reason = after.reason if before.rank is not None and after.rank is None else ""
    change = (after.score or 0.0) - (before.score or 0.0)
    return Cause(kind, change, after.score, after.rank, _largest(part_changes(before, after)), through, reason)


def through_terms(before: Iterable[Contribution], after: Iterable[Contribution]) -> tuple[PartChange, ...]:
    """The changes in an unchanged note's sum over terms after the text of other notes changed.

    A term's value is proportional to its idf, so the change due to ``idf`` is the old value scaled to the new idf,
    minus the old value. The rest is due to the average ``length``. ``matches`` is due to terms found in only one state.
    """
    old, new = {_term(each): each for each in before}, {_term(each): each for each in after}
    idf = length = matches = 0.0
    for key in {**old, **new}:
        was, is_now = old.get(key), new.get(key)
        if was is None or is_now is None:
            matches += (is_now.value if is_now else 0.0) - (was.value if was else 0.0)
            continue
        with_idf = was.value * is_now.idf / was.idf if was.idf else 0.0
        idf += with_idf - was.value
        length += is_now.value - with_idf
    return _largest({"idf": idf, "length": length, "matches": matches})


def _term(each: Contribution) -> tuple[str, str, str]:
    return each.query_term, each.term, each.field


def _largest(changes: dict[str, float]) -> tuple[PartChange, ...]:
    parts = (PartChange(name, change) for name, change in changes.items() if abs(change) > SAME)
    return tuple(sorted(parts, key=lambda part: (-abs(part.change), part.name)))


# Finds the causes of a difference: replaces one kind of data after another, and repeats the query each time.


MOST_NOTES = 20
"""The maximum number of notes that are explained, best-ranked first."""
_TEXTS = "texts of notes"


@dataclass(frozen=True)
class CauseSearch:
    """Runs a query with ``engine`` in the states built by ``mixer``."""

    engine: Engine[Any]
    mixer: StateMixer
    query: Query
    _answers: dict[tuple[int, int, float], tuple[Context[Any], Trace]] = field(default_factory=dict)
    """The answers, keyed by the identity of snapshot and constants, so that equal states are queried once."""

    def diff(self, limit: int = MOST_NOTES) -> AnswerDiff:
        """Compares both answers, with causes for the first ``limit`` changed notes."""
        traces = diff_traces(self._answer(())[1], self._answer(CauseKind)[1], by_document=True)
        names = self.mixer.then.name, self.mixer.now.name
        return _explained(self.query.text, traces, names, tuple(self._outcomes()), self.note, limit)

    def note(self, path: str) -> NoteDiff:
        """The note at ``path`` in both answers, with the causes of its change."""
        kinds = [
            kind for kind in self.mixer.kinds if kind is not CauseKind.OWN_TEXT or path in self.mixer.changed_files
        ]
        steps = [
            (self.mixer.own_kind(path) if kind is CauseKind.OWN_TEXT else kind, self._standing(taken, path))
            for kind, taken in in_order(kinds)
        ]
        return _note_diff(self._standing((), path), steps)

    def _outcomes(self) -> Iterable[OutcomeStep]:
        for kind, taken in in_order(self.mixer.kinds):
            if kind is not CauseKind.OWN_TEXT:
                what = _TEXTS if kind is CauseKind.OTHER_TEXTS else str(kind)
                yield OutcomeStep(what, outcome_of(self._answer(taken)[1]))

    def _answer(self, taken: Iterable[CauseKind], path: str = "") -> tuple[Context[Any], Trace]:
        context = self.mixer.mixed(tuple(taken), path)
        key = id(context.snapshot), id(context.constants), context.now_ms
        if key not in self._answers:
            self._answers[key] = context, self.engine.answer(context, self.query)
        return self._answers[key]

    def _standing(self, taken: Iterable[CauseKind], path: str) -> NoteStanding:
        return _titled_standing(self.engine, *self._answer(taken, path), path)


def _explained(
    query: str,
    traces: TraceDiff,
    names: tuple[str, str],
    outcomes: tuple[OutcomeStep, ...],
    note: Callable[[str], NoteDiff],
    limit: int,
) -> AnswerDiff:
    """An answer diff of ``traces``; ``note(path)`` explains each of the first ``limit`` changed notes."""
    changed = [each.now.path for each in traces.results if each.is_changed]
    notes = tuple(note(path) for path in changed[:limit])
    return AnswerDiff(query, traces, *names, outcomes, notes, max(0, len(changed) - limit))


def _note_diff(then: NoteStanding, steps: Sequence[tuple[CauseKind, NoteStanding]]) -> NoteDiff:
    """The diff of a note from its standing ``then`` and its standing after each of ``steps``."""
    places = [then, *(place for _, place in steps)]
    causes = tuple(cause_of(kind, before, after) for before, (kind, after) in zip(places, steps, strict=False))
    now = places[-1]
    title = (then if now.rank is None else now).title
    return NoteDiff(then.path, title, then.rank, now.rank, then.score, now.score, causes, now.reason, then.reason)


def _titled_standing(engine: Engine[Any], context: Context[Any], trace: Trace, path: str) -> NoteStanding:
    """The standing of the note at ``path`` in ``trace``, with the title from the snapshot if the note is there."""
    place = context.snapshot.by_path.get(path)
    if path not in context.snapshot.parsed and path not in standings(trace):
        return NoteStanding(path, "", None, None, {}, "no such note")
    standing = standing_in(engine, context, trace, Named(path, place))
    return standing if place is None else replace(standing, title=context.snapshot.notes[place].title)


# Comparison with a saved answer. Its time and constants are known, but its notes are not.


Replacements = Sequence[tuple[CauseKind, Context[Any]]]
"""Replacements in order, each with the context after the replacement. The last context is the current one."""


def diff_with_saved(engine: Engine[Any], saved: Trace, name: str, replacements: Replacements) -> AnswerDiff:
    """Compares the answer ``saved``, called ``name``, with the current answer, and finds the causes for the first
    changed notes.

    Because the old notes and signals are not available, everything that cannot be replaced separately is part of the
    first replacement.
    """
    now = replacements[-1][1]
    query = replace(Query.repeating(saved), options=options_of_file(engine, now.constants, saved.options))
    answers = [(kind, context, engine.answer(context, query)) for kind, context in replacements]
    outcomes = tuple(OutcomeStep(str(kind), outcome_of(trace)) for kind, _, trace in answers)
    there = {**near_misses(saved), **standings(saved)}
    titles = {**standings(saved), **standings(answers[-1][2])}

    def note(path: str) -> NoteDiff:
        then = there.get(path) or NoteStanding(path, "", None, None, {}, "not among the saved results")
        steps = [(kind, _titled_standing(engine, context, trace, path)) for kind, context, trace in answers]
        return replace(_note_diff(then, steps), title=titles[path].title)

    traces = diff_traces(saved, answers[-1][2], by_document=True)
    return _explained(saved.query, traces, (name, "now"), outcomes, note, MOST_NOTES)
