"""Two results of one answer: the reasons for their order, and the smallest changes that would reverse it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from brvtui.engines.changes import (
    DateSet,
    NoChange,
    Proposal,
    Reworded,
    SignalsSet,
    TimeSet,
    after_hits,
    bisected,
    changed,
    higher_importances,
    higher_maturities,
    lower_importances,
    lower_maturities,
    signals_in_words,
    titles,
)
from brvtui.engines.contract import Context, Engine, Query, TriesRemedies
from brvtui.engines.profile_files import TreeProfile
from brvtui.lab.trace_diff import NoteStanding, best_hits, standing_in
from brvtui.ranking.decay import MS_PER_DAY, age_days, just_before_ms
from brvtui.snapshot.naming import Named
from brvtui.text.analysis import from_utf16, terms, typed_words
from brvtui.trace import Detail, RemedyKind, Trace
from brvtui.wording import counted

# The smallest changes after which one note ranks above another, each tried with the engine.


MOST_HITS = 100
_MOST_DAYS = 3650
"""The maximum age, in days, of an update to try. Older updates have the same effect."""
TRIAL_LENGTH = 1_000
"""For queries longer than this, no changes are tried, because each trial runs the query again."""
_MOST_WORDS = 4
"""The maximum number of missing query words that are added to a title in every combination."""


@dataclass(frozen=True, slots=True)
class TurningChange:
    """The smallest change of one kind that reverses the order of two notes. The change was tried; the next smaller one
    fails.
    """

    text: str
    rank: int
    """The lower note's rank after the change, from 1."""
    other_rank: int | None
    """The other note's rank after the change; None if it is no longer a result."""
    score: float
    other_score: float | None


@dataclass(frozen=True, slots=True)
class RankSwapSearch:
    """Tries changes that would reverse the order of two notes. Writes nothing to disk.

    The changes affect the note ``below``, the signals of the note ``above``, and the query.
    """

    engine: Engine[Any]
    context: Context[Any]
    reading: TreeProfile
    """ByteRover's constants, for reading the tree and computing the effect of a hit."""
    query: Query
    above: str
    below: str

    def smallest(self) -> tuple[TurningChange, ...]:
        """The smallest change of each kind that succeeds; empty if none does, or if the note cannot be changed."""
        snapshot = self.context.snapshot
        place = snapshot.by_path.get(self.below)
        is_long = len(self.query.text) > TRIAL_LENGTH
        if is_long or place is None or not snapshot.kind.has_files or not snapshot.notes[place].is_local:
            return ()
        kinds = [list(self._later_edits(place))]
        choices = [self._all_wordings(place)]
        if not snapshot.spaces:  # signals and titles of spaces cannot be changed here
            kinds += [list(self._later_updated(place)), *self._signals(place)]
            choices.insert(0, self._titles(place))
        changes = [*map(self._smallest, kinds), *map(self._first, choices)]
        return tuple(change for change in changes if change is not None)

    def _smallest(self, steps: Sequence[Proposal]) -> TurningChange | None:
        """The first successful change among ``steps``, which are sorted by size; None if the last one does not succeed.

        The search assumes that a larger change of the same kind never lowers the note or raises the other one. The step
        before the result is always tried.
        """
        last = self._try_change(steps[-1]) if steps else None
        if last is None:
            return None
        return bisected(-1, len(steps) - 1, last, lambda place: self._try_change(steps[place]))[1]

    def _first(self, steps: Iterator[Proposal]) -> TurningChange | None:
        return next((change for step in steps if (change := self._try_change(step)) is not None), None)

    def _try_change(self, step: Proposal) -> TurningChange | None:
        """The result of ``step`` if it reverses the order; otherwise None."""
        try:
            snapshot = changed(replace(self.context, constants=self.reading), step.change)
        except NoChange:
            return None
        query = self.query
        if isinstance(step.change, Reworded):
            query = replace(query, text=step.change.query, reworded=True)
        trace = self.engine.answer(replace(self.context, snapshot=snapshot), query)
        scores = {file: hit.score for file, hit in best_hits(trace).items()}
        ranks = {path: rank for rank, path in enumerate(scores, start=1)}
        rank, other = ranks.get(self.below), ranks.get(self.above)
        if rank is None or (other is not None and other < rank):
            return None
        return TurningChange(step.text, rank, other, scores[self.below], scores.get(self.above))

    def _later_edits(self, place: int) -> Iterator[Proposal]:
        note, now_ms = self.context.snapshot.notes[place], self.context.now_ms
        days = float(age_days(now_ms, note.mtime_ms))
        for left in range(math.ceil(days) - 1, 0, -1):
            text = f"B: edited {counted(left, 'day', 'days')} ago, not {days:.0f}"
            yield Proposal(TimeSet(note.path, round(now_ms - left * MS_PER_DAY)), text)
        if days > 0:
            yield Proposal(TimeSet(note.path, just_before_ms(now_ms)), f"B: edited today, not {days:.0f} days ago")

    def _later_updated(self, place: int) -> Iterator[Proposal]:
        """Yields later values of ``updatedAt``, which determines a note's age in some engines."""
        note, now_ms = self.context.snapshot.notes[place], self.context.now_ms
        written_ms = self.context.snapshot.parsed[note.path].updated_ms
        if written_ms is None or math.isnan(written_ms):
            return
        days = (now_ms - written_ms) / MS_PER_DAY
        for left in range(min(math.ceil(days) - 1, _MOST_DAYS), -1, -1):
            when = f"{counted(left, 'day', 'days')} ago" if left else "today"
            text = f"B: updatedAt {when}, not {days:.0f} days ago"
            yield Proposal(DateSet(note.path, now_ms - left * MS_PER_DAY, note.mtime_ms), text)

    def _signals(self, place: int) -> Iterator[list[Proposal]]:
        """Yields higher signals for the lower note, then lower signals for the note above it if that note is local."""
        snapshot = self.context.snapshot
        path, own = snapshot.notes[place].path, snapshot.signals[place]
        hits = []
        for number, state in enumerate(islice(after_hits(own, self.reading.signals), MOST_HITS), start=1):
            level = f", which makes it {state.maturity}" if state.maturity != own.maturity else ""
            text = f"B: {counted(number, 'more access hit', 'more access hits')}{level}"
            hits.append(Proposal(SignalsSet(path, state), text))
        yield hits
        kinds = [("B", path, own, higher_maturities(own)), ("B", path, own, higher_importances(own))]
        other = snapshot.by_path.get(self.above)
        if other is not None and snapshot.notes[other].is_local:
            stored = snapshot.signals[other]
            kinds += [("A", self.above, stored, lower(stored)) for lower in (lower_maturities, lower_importances)]
        for note, changed_path, before, states in kinds:
            yield [
                Proposal(SignalsSet(changed_path, state), f"{note}: {signals_in_words(before, state, ', not ')}")
                for state in states
            ]

    def _titles(self, place: int) -> Iterator[Proposal]:
        """Yields titles extended by every combination of the first missing query words, fewest words first.

        Each title is tried first with the original file time, then with the current time.
        """
        note = self.context.snapshot.notes[place]
        words = list(map(from_utf16, self._missing(self.query.text, note.title)))
        for mtime_ms, saved in ((note.mtime_ms, ""), (just_before_ms(self.context.now_ms), ", and saved today")):
            for added, change in titles(note, words, mtime_ms):
                yield Proposal(change, f"B: “{added}” added to its title{saved}")

    def _all_wordings(self, place: int) -> Iterator[Proposal]:
        """Yields queries extended by words of the title, then queries that the engine suggests."""
        yield from self._wordings(place)
        if isinstance(self.engine, TriesRemedies):
            trace, named = self.engine.answer(self.context, self.query), Named(self.below, place)
            for remedy in self.engine.remedies(self.context, trace, named, lambda: False):
                if remedy.kind is RemedyKind.WORDING:
                    yield Proposal(Reworded(remedy.query), f"ask “{remedy.query}”")

    def _wordings(self, place: int) -> Iterator[Proposal]:
        """Yields the query extended by each missing word of the title, then by the whole title."""
        title, text = self.context.snapshot.notes[place].title, self.query.text
        for words in (*filter(typed_words, map(from_utf16, self._missing(title, text))), title):
            yield Proposal(Reworded(f"{text} {words}"), f"add “{words}” to the query")

    def _missing(self, text: str, existing: str) -> list[str]:
        """The first words of ``text`` that are neither in ``existing`` nor stop words, in UTF-16 form."""
        skipped = {*terms(existing), *self.reading.stop_words}
        return [word for word in dict.fromkeys(terms(text)) if word not in skipped][:_MOST_WORDS]


# Two notes for one query: the parts of both scores, whose differences sum to the gap between the scores.


@dataclass(frozen=True, slots=True)
class PartPair:
    """A score part with its values for both notes; 0 for a note whose score has no part of this name."""

    name: str
    above: float
    below: float

    @property
    def difference(self) -> float:
        """The part's contribution to the gap between the scores."""
        return self.above - self.below


@dataclass(frozen=True)
class PairComparison:
    """A comparison of two scored notes; the note with the better rank comes first."""

    above: NoteStanding
    below: NoteStanding
    trace: Trace
    turning: tuple[TurningChange, ...] = ()
    """The smallest change of each kind that puts the lower note above the other. Each change was tried."""

    @property
    def parts(self) -> tuple[PartPair, ...]:
        """The parts of both scores, in the engine's order. Their differences add up to :attr:`gap`."""
        return _part_pairs(self.above.parts, self.below.parts)

    @property
    def words(self) -> tuple[PartPair, ...]:
        """Each query word's contribution to the sum over words, before the sum is scaled to a relevance.

        Empty for engines whose score is not such a sum.
        """
        return _part_pairs(_words(self.above.detail), _words(self.below.detail))

    @property
    def gap(self) -> float:
        """The score of the first note minus the score of the second."""
        return (self.above.score or 0.0) - (self.below.score or 0.0)


class NotScored(ValueError):
    """A note has no score for the query. The message is the one-line reason."""


def compare_pair(engine: Engine[Any], context: Context[Any], trace: Trace, one: Named, other: Named) -> PairComparison:
    """Compares ``one`` and ``other`` for the query of ``trace``. The note with the better rank comes first.

    Raises :class:`NotScored`.
    """
    places = [standing_in(engine, context, trace, named) for named in (one, other)]
    for named, place in zip((one, other), places, strict=True):
        if place.score is None:
            reason = engine.why(context, trace, named).reason
            message = reason.text if reason is not None else "no word of the query matches it"
            raise NotScored(f"{named.path} has no score for this query: {message}")
    above, below = sorted(places, key=lambda each: (each.rank is None, each.rank or 0, -(each.score or 0.0)))
    return PairComparison(above, below, trace)


def _words(detail: Detail | None) -> dict[str, float]:
    sums: dict[str, float] = {}
    for one in detail.contributions if detail is not None else ():
        sums[one.query_term] = sums.get(one.query_term, 0.0) + one.value
    return sums


def _part_pairs(above: Mapping[str, float], below: Mapping[str, float]) -> tuple[PartPair, ...]:
    return tuple(PartPair(name, above.get(name, 0.0), below.get(name, 0.0)) for name in {**above, **below})
