"""The smallest changes after which one note stands above another, each tried by asking the engine again."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

from brvtui.engines.byterover.ageing.after_changes import accessed
from brvtui.engines.byterover.counterfactuals.changes import (
    Change,
    DateSet,
    NoChange,
    Reworded,
    SignalsSet,
    TimeSet,
    TitleSet,
    changed,
)
from brvtui.engines.byterover.profile import Profile
from brvtui.engines.contract import Context, Engine, Query, TriesRemedies
from brvtui.ranking.decay import MS_PER_DAY, age_days, just_before_ms
from brvtui.ranking.maturity import LEVELS
from brvtui.snapshot import Snapshot
from brvtui.snapshot.naming import Named
from brvtui.text.analysis import from_utf16, terms
from brvtui.trace import RemedyKind
from brvtui.wording import counted

MOST_HITS = 100
_MOST_IMPORTANCE = 100
_MOST_DAYS = 3650
"""Older dates of an update are as good as this one."""
_NS_PER_MS = 1_000_000
TRIAL_LENGTH = 1_000
"""No change is tried for a query of more characters: each asks the engine again."""
_MOST_WORDS = 4
"""Words of the query of which every choice is tried in a title."""


@dataclass(frozen=True, slots=True)
class TurningChange:
    """The smallest change of one kind that turns two notes round: it was tried, and the next smaller one was not
    enough."""

    text: str
    rank: int
    """The rank of the lower note after it, from 1."""
    other_rank: int | None
    """That of the other note then; None where it is no result any more."""
    score: float
    other_score: float | None


@dataclass(frozen=True, slots=True)
class _Step:
    change: Change
    text: str


@dataclass(frozen=True, slots=True)
class Turner:
    """Tries changes of the note ``below``, of the signals of the note ``above``, and of the query, after which they
    stand the other way round. Writes nothing."""

    engine: Engine[Any]
    context: Context[Any]
    reading: Profile
    """ByteRover's constants, with which the tree is read, and which say what a hit does."""
    query: Query
    above: str
    below: str
    cancelled: Callable[[], bool] = lambda: False

    def smallest(self) -> tuple[TurningChange, ...]:
        """The smallest change of each kind that does it; empty where none does, or the note cannot be changed."""
        snapshot = self.context.snapshot
        place = snapshot.by_path.get(self.below)
        is_long = len(self.query.text) > TRIAL_LENGTH
        if is_long or self.cancelled() or place is None or snapshot.is_code or not snapshot.notes[place].is_local:
            return ()
        if snapshot.spaces:  # whose signals and titles are not changed here
            turned = self._bisected(list(self._younger(place))), self._first(self._all_wordings(place))
            return tuple(made for made in turned if made is not None)
        kinds = [
            self._younger(place),
            self._later_updated(place),
            self._hits(place),
            self._maturities(place),
            self._importances(place),
        ]
        other = snapshot.by_path.get(self.above)
        if other is not None and snapshot.notes[other].is_local:
            kinds += [self._lower_maturities(other), self._lower_importances(other)]
        found = [self._bisected(list(steps)) for steps in kinds]
        found += [self._first(choices) for choices in (self._titles(place), self._all_wordings(place))]
        return tuple(made for made in found if made is not None)

    def _bisected(self, steps: Sequence[_Step]) -> TurningChange | None:
        """The first of ``steps``, the smallest first, that turns them, if the last one does.

        A larger change of one of these kinds does not lower the note, or raise the other, so it does what a smaller one
        does; the step before the one that is found is tried in any case.
        """
        if not steps or self.cancelled():
            return None
        best = self._tried(steps[-1])
        if best is None:
            return None
        low, high = -1, len(steps) - 1
        while high - low > 1:
            if self.cancelled():
                return None
            middle = (low + high) // 2
            tried = self._tried(steps[middle])
            if tried is None:
                low = middle
            else:
                high, best = middle, tried
        return best

    def _first(self, steps: Iterator[_Step]) -> TurningChange | None:
        return next((made for step in steps if (made := self._tried(step)) is not None), None)

    def _tried(self, step: _Step) -> TurningChange | None:
        """The change if it turns them; None otherwise."""
        try:
            snapshot = self._changed(step.change)
        except NoChange:
            return None
        query = self.query
        if isinstance(step.change, Reworded):
            query = replace(query, text=step.change.query, reworded=True)
        trace = self.engine.answer(replace(self.context, snapshot=snapshot), query)
        scores: dict[str, float] = {}
        for hit in trace.hits:
            scores.setdefault(hit.file, hit.score)
        ranks = {path: rank for rank, path in enumerate(scores, start=1)}
        rank, other = ranks.get(self.below), ranks.get(self.above)
        if rank is None or (other is not None and other < rank):
            return None
        return TurningChange(step.text, rank, other, scores[self.below], scores.get(self.above))

    def _changed(self, change: Change) -> Snapshot:
        """The snapshot after ``change``. Raises :class:`NoChange`."""
        snapshot = self.context.snapshot
        if snapshot.spaces and isinstance(change, TimeSet):
            first, *others = snapshot.spaces  # a note that can be changed is of the first
            topics = tuple(
                replace(topic, file=replace(topic.file, mtime_ns=change.mtime_ms * _NS_PER_MS))
                if topic.path == change.path
                else topic
                for topic in first.topics
            )
            return replace(snapshot, spaces=(replace(first, topics=topics), *others))
        return changed(replace(self.context, constants=self.reading), change)

    def _younger(self, place: int) -> Iterator[_Step]:
        note, now_ms = self.context.snapshot.notes[place], self.context.now_ms
        days = float(age_days(now_ms, note.mtime_ms))
        for left in range(math.ceil(days) - 1, 0, -1):
            text = f"B: edited {counted(left, 'day', 'days')} ago, not {days:.0f}"
            yield _Step(TimeSet(note.path, round(now_ms - left * MS_PER_DAY)), text)
        if days > 0:
            yield _Step(TimeSet(note.path, just_before_ms(now_ms)), f"B: edited today, not {days:.0f} days ago")

    def _later_updated(self, place: int) -> Iterator[_Step]:
        """Later values of ``updatedAt``, by which some engines count a note's age."""
        note, now_ms = self.context.snapshot.notes[place], self.context.now_ms
        written_ms = self.context.snapshot.parsed[note.path].updated_ms
        if written_ms is None or math.isnan(written_ms):
            return
        days = (now_ms - written_ms) / MS_PER_DAY
        for left in range(min(math.ceil(days) - 1, _MOST_DAYS), -1, -1):
            when = f"{counted(left, 'day', 'days')} ago" if left else "today"
            text = f"B: updatedAt {when}, not {days:.0f} days ago"
            yield _Step(DateSet(note.path, now_ms - left * MS_PER_DAY, note.mtime_ms), text)

    def _hits(self, place: int) -> Iterator[_Step]:
        path, signals = self.context.snapshot.notes[place].path, self.context.snapshot.signals[place]
        state = signals
        for hits in range(1, MOST_HITS + 1):
            before, state = state, accessed(state, self.reading.signals)
            if (state.importance, state.maturity) == (before.importance, before.maturity):
                return
            level = f", {state.maturity} then" if state.maturity != signals.maturity else ""
            yield _Step(SignalsSet(path, state), f"B: {counted(hits, 'more access hit', 'more access hits')}{level}")

    def _maturities(self, place: int) -> Iterator[_Step]:
        path, signals = self.context.snapshot.notes[place].path, self.context.snapshot.signals[place]
        for level in LEVELS[LEVELS.index(signals.maturity) + 1 :]:
            yield _Step(SignalsSet(path, replace(signals, maturity=level)), f"B: {level}, not {signals.maturity}")

    def _importances(self, place: int) -> Iterator[_Step]:
        path, signals = self.context.snapshot.notes[place].path, self.context.snapshot.signals[place]
        for value in range(math.floor(signals.importance) + 1, _MOST_IMPORTANCE + 1):
            text = f"B: importance {value}, not {signals.importance:g}"
            yield _Step(SignalsSet(path, replace(signals, importance=float(value))), text)

    def _lower_maturities(self, place: int) -> Iterator[_Step]:
        path, signals = self.context.snapshot.notes[place].path, self.context.snapshot.signals[place]
        for level in reversed(LEVELS[: LEVELS.index(signals.maturity)]):
            yield _Step(SignalsSet(path, replace(signals, maturity=level)), f"A: {level}, not {signals.maturity}")

    def _lower_importances(self, place: int) -> Iterator[_Step]:
        path, signals = self.context.snapshot.notes[place].path, self.context.snapshot.signals[place]
        for value in range(math.ceil(signals.importance) - 1, -1, -1):
            text = f"A: importance {value}, not {signals.importance:g}"
            yield _Step(SignalsSet(path, replace(signals, importance=float(value))), text)

    def _titles(self, place: int) -> Iterator[_Step]:
        """Titles with every choice of the first missing words of the query, fewest first.

        First with the file's own time, then as saved now.
        """
        note = self.context.snapshot.notes[place]
        tried = self._missing(self.query.text, note.title)
        choices = [choice for count in range(1, len(tried) + 1) for choice in combinations(tried, count)]
        saved_ms = just_before_ms(self.context.now_ms)
        for mtime_ms, saved in ((note.mtime_ms, ""), (saved_ms, ", and saved today")):
            for words in (" ".join(map(from_utf16, chosen)) for chosen in choices):
                title = TitleSet(note.path, f"{note.title} {words}".strip(), mtime_ms)
                yield _Step(title, f"B: “{words}” added to its title{saved}")

    def _all_wordings(self, place: int) -> Iterator[_Step]:
        """Wordings by its title, then those that the engine has found to help the note by itself."""
        yield from self._wordings(place)
        if isinstance(self.engine, TriesRemedies):
            trace, named = self.engine.answer(self.context, self.query), Named(self.below, place)
            for remedy in self.engine.remedies(self.context, trace, named, self.cancelled):
                if remedy.kind is RemedyKind.WORDING:
                    yield _Step(Reworded(remedy.query), f"ask “{remedy.query}”")

    def _wordings(self, place: int) -> Iterator[_Step]:
        """The query with a word of the title that it lacks, then with the whole title."""
        title, text = self.context.snapshot.notes[place].title, self.query.text
        for words in (*map(from_utf16, self._missing(title, text)), title):
            yield _Step(Reworded(f"{text} {words}"), f"ask with “{words}” added to the query")

    def _missing(self, text: str, held: str) -> list[str]:
        """The first words of ``text`` that ``held`` lacks, in UTF-16 form; no stop words."""
        skipped = {*terms(held), *self.reading.query.stop_words}
        return [word for word in dict.fromkeys(terms(text)) if word not in skipped][:_MOST_WORDS]
