"""A query, and the note that should have answered it directly. Changes are tried by running the router again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from brvtui.engines.ageing.rules import inputs_of
from brvtui.engines.byterover.profile import Context
from brvtui.engines.byterover.route.decision import Decision, QueryResults, decide, entity_words, find_results
from brvtui.engines.byterover.search.lint import filtered_query
from brvtui.engines.byterover.search.matching import match_terms
from brvtui.engines.byterover.search.search import SearchOptions, search
from brvtui.engines.byterover.sections import Search
from brvtui.engines.changes import Cancelled, Change, NoChange, Reworded, SignalsSet, bisected, changed
from brvtui.engines.counterfactuals import Counterfactual, Lever, LeverStatus
from brvtui.ranking.ceiling import ScoreInputs, scores
from brvtui.ranking.compound import round_half_up
from brvtui.ranking.decay import age_days
from brvtui.snapshot import Note
from brvtui.text.analysis import terms
from brvtui.trace import Origin, Trace
from brvtui.trace.routing import Outcome, SearchOutcome
from brvtui.tree.reading.signals import NoteSignals

_NO_CHANGE = "none would change anything"
_ALIKE = 1e-12
LEADING = (Origin.TEXT, Origin.NAME)
"""The origins of a note that is found by its words, not by its path or by the notes in its folder."""
_ULPS = 1e-9
"""The tolerance for a side effect of changes: they can reorder the notes, which changes the last digits of the average
lengths, and so of scores.
"""


@dataclass(frozen=True, slots=True)
class SizedChange:
    """A change, the size of the change, and the highest unrounded score that it can give the note."""

    change: Change
    amount: float
    max_score: float


@dataclass(frozen=True, slots=True)
class Trial:
    """The result of running the router again after a change."""

    answers: bool
    """True if the query is answered at tier 2 with the note first."""
    score: float | None
    """The note's score; None if the note is not among the results."""
    verdict: str


@dataclass(frozen=True, eq=False)
class Case:
    """A trace, and the note at ``position`` that should lead a direct answer to the query."""

    context: Context
    trace: Trace
    position: int
    cancelled: Callable[[], bool]
    folder_file: str = ""
    """The file that represents the note's folder, if the folder should lead the answer instead of the note."""

    @property
    def file(self) -> str:
        """The file that should lead the answer."""
        return self.folder_file or self.note.path

    @cached_property
    def note(self) -> Note:
        """The note at ``position``."""
        return self.context.snapshot.notes[self.position]

    @cached_property
    def signals(self) -> NoteSignals:
        """The note's stored signals."""
        return self.context.snapshot.signals[self.position]

    @cached_property
    def days(self) -> float:
        """The number of days since the note was modified."""
        return float(age_days(self.context.now_ms, self.note.mtime_ms))

    @cached_property
    def relevance(self) -> float:
        """The highest text relevance of the note in any search for the query; 0 if no word matches it.

        Changes of signals and times do not affect the relevance, so it limits the score that they can give the note.
        The result is 1 if the route uses the retry ladder, because the similarity of a name can then replace the
        relevance.
        """
        if self.context.constants.retry.in_route:
            return 1.0
        context = self.context
        tables = (match_terms(context.snapshot, terms(text), context.constants.text) for text in self._searched())
        return max(table.text_scores([self.position])[0].relevance for table in tables)

    def _searched(self) -> set[str]:
        """Every text that may be searched to answer the query, regardless of the signals."""
        limits, scope = self.context.constants.entities, self.trace.scope_option
        words = entity_words(self.trace.query, self.context.constants)[: limits.searches]
        options = SearchOptions(limits.limit, scope=scope)
        searches = [search(self.context, word, options) for word in words]
        texts = {attempt.query for result in (self.trace.section(Search), *searches) for attempt in result.attempts}
        # The last two kinds of text are searched only if a scope turns out to be empty.
        return texts | {filtered_query(text, self.context.constants) for text in (self.trace.query, *words)}

    @cached_property
    def ignores_signals(self) -> bool:
        """True if the engine ignores all stored signals of this tree."""
        other = 0.0 if self.signals.importance else 1.0
        wanted = NoteSignals(other, 1.0, self.signals.maturity, 0, 0, self.signals.source)
        snapshot = changed(self.context, SignalsSet(self.note.path, wanted))
        position = snapshot.by_path.get(self.note.path)
        return position is None or snapshot.signals[position].importance != other

    @cached_property
    def inputs(self) -> ScoreInputs:
        """The inputs of the note's score, except text relevance and age."""
        return inputs_of([self.signals], self.note.is_local, self.context.constants.score)

    def max_score(self, days: float | None = None, relevance: float = 1.0) -> float:
        """The note's highest unrounded score with ``relevance`` at the age ``days`` (by default, its current age)."""
        return float(self.max_scores(self.inputs, np.asarray([self.days if days is None else days]), relevance)[0])

    def max_scores(self, inputs: ScoreInputs, days: NDArray[np.float64], relevance: float) -> NDArray[np.float64]:
        """The highest unrounded scores, as in :meth:`max_score`, for the given ``inputs`` and ``days``."""
        return scores(relevance, days, inputs, self.context.constants).score

    def seen(self, score: float) -> float:
        """The highest rounded score that the gates may get for the unrounded ``score``."""
        return round_half_up(score + _ULPS, self.context.constants.score.decimals)

    def reaches(self, score: float) -> bool:
        """True if a note with the unrounded ``score`` can lead a direct answer."""
        return self.seen(score) >= self.context.constants.direct.min_top

    def ask(self, change: Change) -> tuple[QueryResults, Decision]:
        """The router's results and decision after ``change``. Raises :class:`Cancelled` and :class:`NoChange`."""
        if self.cancelled():
            raise Cancelled
        after = replace(self.context, snapshot=changed(self.context, change))
        query = change.query if isinstance(change, Reworded) else self.trace.query
        results = find_results(after, query, self.trace.scope_option)
        return results, decide(after, results)

    def try_change(self, change: Change, origins: tuple[Origin, ...] = LEADING) -> Trial:
        """Runs the router again after ``change``. The trial succeeds only if the note is found by one of ``origins``.

        Raises :class:`Cancelled`.
        """
        try:
            results, decision = self.ask(change)
        except NoChange as reason:
            return Trial(False, None, str(reason))
        first = next(iter(decision.prefetched), None)
        leads = first is not None and first.file == self.note.path and first.origin in origins
        own = (hit for hit in results.hits if hit.file == self.note.path and hit.origin is not Origin.PROPAGATED)
        direct = decision.outcome is Outcome.DIRECT
        why = decision.why
        if first is not None and not leads:
            why = f"“{first.title}” still {'answers' if direct else 'comes first'}: {why}"
        return Trial(direct and leads, next((hit.score for hit in own), None), why)

    @cached_property
    def is_monotonic(self) -> bool:
        """True if a higher score of the note can never prevent a direct answer.

        There are two conditions. First, no other result may depend on the note's signals: folders must inherit
        relevance instead of scores, and the note must not be its folder's summary. Second, a single search must
        determine the answer. If a search is restricted to a scope, or an out-of-domain rule drops its results, another
        search may replace it, and the note may be more relevant there.
        """
        search, constants = self.trace.section(Search), self.context.constants
        is_large = len(self.context.snapshot.notes) >= constants.out_of_domain.min_notes
        return not (
            constants.search.lift_source == "score"
            or self.summarises(self.note.path)
            or any(attempt.scope for attempt in search.attempts)
            or search.outcome is not SearchOutcome.MATCHES
            or (is_large and search.and_failed)
        )

    def summarises(self, path: str) -> bool:
        """True if the file at ``path`` is the summary of its folder."""
        return any(summary.file == path for summary in self.context.snapshot.summaries.values())

    def too_low(self, lever: Lever, max_score: float, what: str) -> Counterfactual:
        """The result for ``lever`` if ``max_score``, the highest unrounded score that it can give, is too low for a
        direct answer.
        """
        needed, seen = self.context.constants.direct.min_top, self.seen(max_score)
        return impossible(lever, f"{what}: {seen:.2f} at most, but {needed:g} is needed", seen)

    def smallest(
        self,
        lever: Lever,
        candidates: Sequence[SizedChange],
        what: str,
        in_words: Callable[[SizedChange], str],
        is_monotonic: bool,
    ) -> Counterfactual:
        """The result for the first of ``candidates`` (smallest first) after which the query is answered at tier 2.

        Candidates that cannot reach the needed score are not tried. ``is_monotonic`` means that if a candidate
        succeeds, so does every larger candidate with at least the same score. Then the smallest one is found by
        bisection; otherwise, each candidate is tried. ``what`` begins the sentence that is shown if none succeeds.
        Raises :class:`Cancelled`.
        """
        if not candidates:
            return impossible(lever, f"{what}: {_NO_CHANGE}")
        near = [candidate for candidate in candidates if self.reaches(candidate.max_score)]
        if not near:
            return self.too_low(lever, max(candidate.max_score for candidate in candidates), what)

        def answering(place: int) -> Trial | None:
            trial = self.try_change(near[place].change)
            return trial if trial.answers else None

        last = len(near) - 1
        place, trial = 0, self.try_change(near[0].change)
        rises = is_monotonic and all(one.max_score <= other.max_score + _ALIKE for one, other in pairwise(near))
        if rises and last and not trial.answers:
            place, trial = last, self.try_change(near[last].change)
            place, trial = bisected(0, last, trial, answering) if trial.answers else (place, trial)
        while not trial.answers and place < last:
            place += 1
            trial = self.try_change(near[place].change)
        if not trial.answers:
            return impossible(lever, f"{what}: {trial.verdict}", trial.score, trial.verdict)
        return verified(lever, near[place].change, trial, in_words(near[place]), near[place].amount)


def verified(lever: Lever, change: Change, trial: Trial, text: str, amount: float | None = None) -> Counterfactual:
    """The result for ``lever`` if ``change``, of size ``amount``, succeeded in ``trial``."""
    return Counterfactual(lever, LeverStatus.VERIFIED, text, change, amount, trial.score, trial.verdict)


def impossible(lever: Lever, text: str, score: float | None = None, verdict: str = "") -> Counterfactual:
    """The result for ``lever`` if no change of its kind succeeds."""
    return Counterfactual(lever, LeverStatus.IMPOSSIBLE, text, score=score, verdict=verdict)
