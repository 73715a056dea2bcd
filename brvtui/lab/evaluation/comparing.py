"""Compares two evaluations of the same judged queries, measures drift over time, and provides gates for CI."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from posixpath import basename
from typing import NamedTuple

import numpy as np

from brvtui.lab.evaluation.results import DEFAULT_METRICS, Evaluation, Metric, QueryResult, mean_of
from brvtui.lab.judgments.model import FAILED
from brvtui.paint.text import signed
from brvtui.wording import counted, first_of

# The paired randomisation test: the probability of such a difference by chance.


FEWEST = 25
"""The minimum number of queries for the significance test. With fewer, the result of the test means little."""
_MOST_EXACT = 16
"""Up to this number of differences, all ``2 ** n`` sign assignments are tried."""
_SAMPLES, _AT_ONCE, _SEED = 20_000, 2_000, 17
_ROUNDING = 1e-12


def randomisation_test(differences: Sequence[float]) -> float:
    """The two-sided p-value of the mean of paired ``differences``, by Fisher's randomisation of their signs.

    The p-value is the share of sign assignments whose sum is at least as far from 0. It is exact for up to 16 nonzero
    differences. For more, it is estimated from 20,000 random assignments with a fixed seed; one is added to numerator
    and denominator, so that the p-value is never 0. Returns 1 if there are no differences.
    """
    values = np.asarray([value for value in differences if value], dtype=np.float64)
    if not len(values):
        return 1.0
    threshold = abs(float(values.sum())) - _ROUNDING * float(np.abs(values).sum())
    if len(values) <= _MOST_EXACT:
        numbers = np.arange(2 ** len(values))[:, None] >> np.arange(len(values))
        sums = (1 - 2 * (numbers & 1)) @ values
        return float(np.mean(np.abs(sums) >= threshold))
    draw = np.random.default_rng(_SEED)
    as_far = 0
    for _ in range(_SAMPLES // _AT_ONCE):
        signs = draw.integers(0, 2, (_AT_ONCE, len(values)), dtype=np.int8) * 2 - 1
        as_far += int(np.count_nonzero(np.abs(signs @ values) >= threshold))
    return (as_far + 1) / (_SAMPLES + 1)


_SAME = 1e-9
_MOST_NAMED = 3


@dataclass(frozen=True, slots=True)
class QueryChange:
    """One query's current and earlier results."""

    now: QueryResult
    before: QueryResult
    paths_now: Mapping[str, str] = field(default_factory=dict)
    """The current paths of notes known to have moved, by their earlier paths."""

    @property
    def changes_outcome(self) -> bool:
        """True if the tier or the coverage changed."""
        return self.now.outcome != self.before.outcome

    @property
    def all_paths_now(self) -> dict[str, str]:
        """The current paths of moved notes (judged notes and notes in ``paths_now``), by their earlier paths."""
        now, before = self.now.relevant, self.before.relevant
        judged = zip(now, before, strict=True) if len(now) == len(before) else ()
        return {**self.paths_now, **{old: path for path, old in judged if path != old}}

    @property
    def differences(self) -> tuple[str, ...]:
        """The differences of the answer, each in a few words: the outcome, the first note, the ranks of judged notes,
        and the notes that are no longer or now quoted.

        If no note is judged or quoted, the ranks of all notes are compared. A moved note is treated as the same note.
        """
        now, before, moved = self.now, self.before, self.all_paths_now
        parts = [f"{before.outcome} → {now.outcome}"] if self.changes_outcome else []
        was, quoted = ([moved.get(path, path) for path in paths] for paths in (before.ranking, before.quoted))
        if was[:1] != list(now.ranking[:1]):
            first = [basename((*ranking, "no result")[0]) for ranking in (before.ranking, now.ranking)]
            parts.append(f"first {' → '.join(first)}")
        compared = before.relevant, now.relevant
        if not any(compared) and not (quoted or now.quoted):
            compared = before.ranking, now.ranking
        ranks = {moved.get(path, path): before.rank_of(path) for path in compared[0]}
        for path in {**dict.fromkeys(compared[1]), **ranks}:
            then, there = ranks.get(path), now.rank_of(path)
            parts += [f"{basename(path)}: {then or 'not found'} → {there or 'not found'}"] if then != there else []
        parts += [f"{basename(path)} no longer quoted" for path in quoted if path not in now.quoted]
        return (*parts, *(f"{basename(path)} now quoted" for path in now.quoted if path not in quoted))

    @property
    def summary(self) -> str:
        """The first three of :attr:`differences` in one line; empty if there are none."""
        parts, more = self.differences[:_MOST_NAMED], len(self.differences) - _MOST_NAMED
        return ", ".join(parts) + (f" and {more} more" if more > 0 else "")

    @property
    def is_otherwise(self) -> bool:
        """True if the answer has any of :attr:`differences`."""
        return bool(self.differences)

    def difference(self, metric: Metric) -> float | None:
        """The change of ``metric``, negative if it fell; None if ``metric`` has no value in one of the results."""
        now, before = self.now.value(metric), self.before.value(metric)
        return None if now is None or before is None else now - before

    def is_worse(self, metric: Metric) -> bool:
        """True if ``metric`` fell."""
        difference = self.difference(metric)
        return difference is not None and difference < -_SAME

    @property
    def is_misleading(self) -> bool:
        """True if the outcome changed and a wrong note is first now; False if one was first in a lower tier before."""
        tiers = (self.before.outcome, self.now.outcome)
        was_as_wrong = self.before.misleads and min(tiers) >= "tier 0" and tiers[0] < tiers[1]  # lower tiers quote it
        return self.changes_outcome and self.now.misleads and not was_as_wrong

    @property
    def is_loss(self) -> bool:
        """True if the first default metric fell, the expected outcome was lost, or :attr:`is_misleading`."""
        lost = self.before.as_expected is True and self.now.as_expected is False
        return lost or self.is_misleading or self.is_worse(DEFAULT_METRICS[0])


@dataclass(frozen=True)
class Comparison:
    """A comparison of an evaluation with an earlier one."""

    now: Evaluation
    before: Evaluation
    changes: tuple[QueryChange, ...]
    """All queries in both evaluations, including unchanged ones."""
    notices: tuple[str, ...]
    """The reasons why some queries are not compared."""
    left_out: str = ""
    """A line about queries of the baseline that are missing or judged differently now; empty if there are none."""
    added: frozenset[str] = frozenset()
    """The ids of queries that had no judgment at the revision of the baseline."""
    unlike: tuple[str, ...] = ()
    """A line for each file, such as the settings, that differs at the revision. The baseline used the current file."""

    @property
    def judged_before(self) -> list[QueryChange]:
        """The compared queries without :attr:`added`, which would dilute a loss."""
        return [change for change in self.changes if change.now.id not in self.added]

    def difference(self, metric: Metric) -> float | None:
        """The mean difference of ``metric`` over the compared queries, except added ones."""
        return mean_of(change.difference(metric) for change in self.judged_before)

    def p_value(self, metric: Metric) -> float | None:
        """The probability that a difference of this size arises by chance; None for fewer than 25 queries."""
        differences = [
            difference for change in self.judged_before if (difference := change.difference(metric)) is not None
        ]
        return randomisation_test(differences) if len(differences) >= FEWEST else None

    def worse(self, metric: Metric) -> list[QueryChange]:
        """The queries whose ``metric`` fell, largest loss first."""
        fallen = [change for change in self.judged_before if change.is_worse(metric)]
        return sorted(fallen, key=lambda change: change.difference(metric) or 0.0)

    def other_outcomes(self) -> list[QueryChange]:
        """The queries whose outcome changed."""
        return [change for change in self.changes if change.changes_outcome]


def compare_evaluations(
    now: Evaluation, before: Evaluation, is_there: Callable[[str], bool] = lambda path: False
) -> Comparison:
    """Compares ``now`` with ``before``. Two queries match if their ids, texts, scopes and grades are equal.

    If the path of a judged note differs, the note is assumed to have moved, unless ``is_there`` finds its earlier path.
    """
    known = {query.id: query for query in before.queries}
    changes: list[QueryChange] = []
    notices: list[str] = []
    for query in now.queries:
        old = known.pop(query.id, None)
        if old is None:
            notices.append(f"{query.id}: not in the baseline, so it is not compared")
        elif (old.text, old.scope) != (query.text, query.scope):
            notices.append(f"{query.id}: a different query in the baseline, so it is not compared")
        elif sorted(old.grades.values()) != sorted(query.grades.values()) or any(
            is_there(path) and query.grades.get(path) != grade for path, grade in old.grades.items()
        ):
            notices.append(f"{query.id}: judged differently in the baseline, so it is not compared")
        else:
            changes.append(QueryChange(query, old))
    notices += [f"{name}: only in the baseline, so it is not compared" for name in known]
    if (now.engine, now.profile) != (before.engine, before.profile):
        notices.append(f"the baseline was measured with {before.engine}, profile {before.profile}")
    compared = {change.now.id for change in changes}
    lost = [query.id for query in before.queries if query.id not in compared]
    left_out = ""
    if lost:
        queries = counted(len(lost), "of the baseline's queries is", "of the baseline's queries are")
        left_out = f"{queries} missing or judged differently now: {first_of(lost)}; a new baseline accepts that"
    return Comparison(now, before, tuple(changes), tuple(notices), left_out)


# Drift: the effect of time on the answers to judged queries while no note changes.


NO_LONGER_QUOTED, FALLS_OUT, FALLS_BEHIND = "no longer quoted in the answer", "no longer found", "ranked lower"


@dataclass(frozen=True, slots=True)
class LostByDay:
    """A loss for a judged query on a later day."""

    query: str
    """The id of the query."""
    what: str
    """The loss: ``tier 2 → tier 3``, or the change of ``document``."""
    document: str
    """The path of the lost relevant note; empty if the loss is a change of the outcome."""
    days: float
    """The first tested day with this loss, in days from now."""


@dataclass(frozen=True)
class DriftPoint:
    """The results for the judged queries after ``days`` days, compared with the current results."""

    days: float
    comparison: Comparison
    gates: tuple[GateResult, ...] = ()


@dataclass(frozen=True)
class Drift:
    """The results for the judged queries now and on later days."""

    now: Evaluation
    metrics: tuple[Metric, ...]
    points: tuple[DriftPoint, ...]
    """The points in time, earliest first."""
    gates_now: tuple[GateResult, ...] = ()
    """The gates on the current results."""

    @property
    def losses(self) -> tuple[LostByDay, ...]:
        """All losses up to the last day, sorted by day and query."""
        known: set[tuple[str, str, str]] = set()
        losses = []
        for point in self.points:
            found = {loss for change in point.comparison.changes for loss in losses_of(change)}
            named = [each.now.id for each in point.comparison.changes]
            for query, what, document in sorted(found - known, key=lambda loss: (named.index(loss[0]), loss)):
                losses.append(LostByDay(query, what, document, point.days))
            known = found
        return tuple(losses)

    @property
    def gates(self) -> tuple[GateResult, ...]:
        """The gates for today and for each following day."""
        return (*self.gates_now, *(gate for point in self.points for gate in point.gates))

    @property
    def passed(self) -> bool:
        """True if every gate passed on every day."""
        return all(gate.passed for gate in self.gates)


def losses_of(change: QueryChange) -> Iterator[tuple[str, str, str]]:
    """Yields the losses of one query, each as the query's id, the loss, and the path of the affected relevant note.

    Yields only the worst loss of each note: no longer found, no longer quoted, or ranked lower.
    """
    now, before = change.now, change.before
    if change.changes_outcome:
        yield now.id, f"{before.outcome} → {now.outcome}", ""
    for path in now.relevant:
        if path in before.ranking and path not in now.ranking:
            yield now.id, FALLS_OUT, path
        elif path in before.quoted and path not in now.quoted:
            yield now.id, NO_LONGER_QUOTED, path
        elif path in before.ranking and now.ranking.index(path) > before.ranking.index(path):
            yield now.id, FALLS_BEHIND, path


def first_lost(losses: Sequence[LostByDay]) -> dict[str, float]:
    """The first day with a loss for each affected query, keyed by the query's id."""
    days: dict[str, float] = {}
    for loss in losses:
        days.setdefault(loss.query, loss.days)
    return days


# Gates: conditions on an evaluation for a CI check to pass.


@dataclass(frozen=True, slots=True)
class GateResult:
    """The result of one gate."""

    name: str
    passed: bool
    text: str
    """The measured value in one line."""
    queries: tuple[str, ...]
    """The ids of the queries to look at, worst first; empty if the gate passed."""


def gate_under(evaluation: Evaluation, metric: Metric, minimum: float) -> GateResult:
    """A gate that fails if the mean of ``metric`` is below ``minimum``. The result lists the queries below it."""
    mean, name = evaluation.mean(metric), f"{metric} at least {minimum:g}"
    if mean is None:
        return GateResult(name, False, f"no query has a value for {metric}: grade documents first", ())
    if mean >= minimum - _SAME:
        return GateResult(name, True, f"{metric} is {mean:.4f}", ())
    low = [(value, query.id) for query in evaluation.queries if (value := query.value(metric)) is not None]
    queries = tuple(name for value, name in sorted(low) if value < minimum)
    return GateResult(name, False, f"{metric} is {mean:.4f}, below {minimum:g}", queries)


def gate_drop(comparison: Comparison, metric: Metric, limit: float) -> GateResult:
    """A gate that fails if the mean of ``metric`` over the compared queries, except added ones, fell by more than
    ``limit``. The result lists the queries that became worse.
    """
    difference, name = comparison.difference(metric), f"{metric} falls by at most {limit:g}"
    if difference is None:
        return GateResult(name, False, f"no query has a value for {metric} in both evaluations", ())
    if difference >= -limit - _SAME:
        return GateResult(name, True, f"{metric} changed by {signed(difference, 4)}", ())
    queries = tuple(change.now.id for change in comparison.worse(metric))
    return GateResult(name, False, f"{metric} fell by {-difference:.4f}, more than {limit:g}", queries)


def gate_outcomes(comparison: Comparison) -> GateResult:
    """A gate that fails if any query's outcome changed, for better or worse."""
    changed, name = comparison.other_outcomes(), "no tier change"
    if not comparison.changes:
        return GateResult(name, False, "no query is in both evaluations", ())
    if not changed:
        return GateResult(name, True, "no query changed tier", ())
    first = changed[0]
    more = f" and {len(changed) - 1} more" if len(changed) > 1 else ""
    text = f"{first.now.id}: {first.before.outcome} → {first.now.outcome}{more}"
    return GateResult(name, False, text, tuple(change.now.id for change in changed))


def gate_silent(evaluation: Evaluation, slow: frozenset[str], limit_s: float) -> GateResult:
    """A gate that fails if a query has one of the ``slow`` outcomes, whose answers usually take over ``limit_s``."""
    late = tuple(query.id for query in evaluation.queries if query.outcome in slow)
    if not late:
        return GateResult(_IN_TIME, True, f"answers usually take no more than {limit_s:g} s", ())
    return GateResult(
        _IN_TIME, False, f"{len(late)} of {len(evaluation.queries)} usually take over {limit_s:g} s", late
    )


_IN_TIME = "every answer reaches the agent in time"
SERVICES = "every service answers"
"""The name of the gate on services."""


def gate_doubts(evaluation: Evaluation, comparison: Comparison | None) -> Iterator[GateResult]:
    """Yields a failed gate for each reason not to trust the other gates: a failed engine or service, a judged note that
    may be a different note, a query of the baseline that is not compared, or a file that differs at the baseline's
    revision.
    """
    doubts = [(SERVICES, line) for line in evaluation.failures]
    doubts += [(_ANSWERS, _failing(evaluation)), ("every judged note is known", evaluation.guesses)]
    if comparison is not None:
        again = "a service failed when the baseline was measured; measure it again"
        doubts += [(SERVICES, again if comparison.before.failures else "")]
        failed = _failing(comparison.before)
        doubts += [(_ANSWERS, f"in the baseline, {failed}" if failed else "")]
        doubts += [("every query in the baseline is compared", comparison.left_out)]
        doubts += [("the baseline has the same settings and sources", line) for line in comparison.unlike]
    yield from (GateResult(name, False, line, ()) for name, line in doubts if line)


_ANSWERS = "the engine answers every query"


def _failing(evaluation: Evaluation) -> str:
    """The reason why the engine could not answer the first failed query; empty if no query failed."""
    return next((query.sentence or FAILED for query in evaluation.queries if query.outcome == FAILED), "")


# The full report on one evaluation: numbers, changes, causes and gates.


class LineKind(StrEnum):
    """The subject of a line about a changed query."""

    RANK = "rank"
    """A note whose rank changed, or that is missing."""
    CAUSE = "cause"
    """The edit that caused the change."""
    OTHER = "other"


class ChangeLine(NamedTuple):
    """A line about a changed query."""

    text: str
    kind: LineKind = LineKind.OTHER

    @classmethod
    def of_cause(cls, text: str) -> ChangeLine:
        """A line that names ``text`` as the cause."""
        return cls(f"cause: {text}", LineKind.CAUSE)

    @classmethod
    def of_rank(cls, path: str, change: str) -> ChangeLine:
        """A line about the rank change of the note at ``path``."""
        return cls(f"{path}: rank {change}", LineKind.RANK)


@dataclass(frozen=True)
class Assessment:
    """An evaluation, with or without a baseline."""

    evaluation: Evaluation
    metrics: tuple[Metric, ...]
    """The metrics to show. The first determines the order of queries."""
    comparison: Comparison | None = None
    baseline: str = ""
    """The name of the baseline: a file or a revision."""
    gates: tuple[GateResult, ...] = ()
    causes: Mapping[str, tuple[ChangeLine, ...]] = field(default_factory=dict)
    """Lines about the causes of changed queries, keyed by query id."""

    @property
    def passed(self) -> bool:
        """True if every gate passed."""
        return all(gate.passed for gate in self.gates)

    @property
    def notices(self) -> tuple[str, ...]:
        """Caveats for the numbers."""
        if self.comparison is None:
            return self.evaluation.notices
        left_out = (self.comparison.left_out,) if self.comparison.left_out else ()
        return (*left_out, *self.comparison.unlike, *self.evaluation.notices, *self.comparison.notices)

    @property
    def changed(self) -> list[QueryChange]:
        """The queries whose first metric or outcome changed, largest loss first."""
        if self.comparison is None:
            return []
        metric = self.metrics[0]
        changed = [each for each in self.comparison.changes if each.changes_outcome or each.difference(metric)]
        return sorted(changed, key=lambda each: each.difference(metric) or 0.0)

    @property
    def to_explain(self) -> list[QueryChange]:
        """:attr:`changed`, followed by the other queries of failed gates."""
        if self.comparison is None:
            return []
        changed = self.changed
        known = {each.now.id for each in changed}
        failed = {name for gate in self.gates for name in gate.queries} - known
        return [*changed, *(each for each in self.comparison.changes if each.now.id in failed)]
