"""Two evaluations of the same judged queries beside each other, query by query."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from brvtui.lab.evaluation.metrics import Metric
from brvtui.lab.evaluation.results import Evaluation, QueryResult, mean_of
from brvtui.lab.evaluation.significance import FEWEST, randomisation_test

_SAME = 1e-9


@dataclass(frozen=True, slots=True)
class QueryChange:
    """One query, now and before."""

    now: QueryResult
    before: QueryResult
    paths_now: Mapping[str, str] = field(default_factory=dict)
    """Where notes that are known to have moved since are now, by their paths before."""

    @property
    def changes_outcome(self) -> bool:
        """Whether another tier answers it, or it is covered now and was not, or the other way round."""
        return self.now.outcome != self.before.outcome

    @property
    def all_paths_now(self) -> dict[str, str]:
        """Where notes that moved since are now, by their paths before: those that are judged, and the known."""
        now, before = self.now.relevant, self.before.relevant
        judged = zip(now, before, strict=True) if len(now) == len(before) else ()
        return {**self.paths_now, **{old: path for path, old in judged if path != old}}

    @property
    def is_otherwise(self) -> bool:
        """Whether the answer is another one: its outcome, its first note, the notes that it quotes, or the rank of a
        judged note; where none is judged and none is quoted, the rank of any. A note that moved is the same."""
        now, before, moved = self.now, self.before, self.all_paths_now

        def named(paths: tuple[str, ...]) -> tuple[str, ...]:
            return tuple(moved.get(path, path) for path in paths)

        if self.changes_outcome or now.ranking[:1] != named(before.ranking[:1]):
            return True
        if set(now.quoted) != set(named(before.quoted)):
            return True
        if now.relevant or before.relevant:
            return [now.rank_of(path) for path in now.relevant] != [before.rank_of(path) for path in before.relevant]
        return not (now.quoted or before.quoted) and now.ranking != named(before.ranking)

    def difference(self, metric: Metric) -> float | None:
        """How much ``metric`` rose; negative where it fell, None where it has no value."""
        now, before = self.now.value(metric), self.before.value(metric)
        return None if now is None or before is None else now - before

    def is_worse(self, metric: Metric) -> bool:
        """Whether ``metric`` fell."""
        difference = self.difference(metric)
        return difference is not None and difference < -_SAME


@dataclass(frozen=True)
class Comparison:
    """An evaluation beside an earlier one."""

    now: Evaluation
    before: Evaluation
    changes: tuple[QueryChange, ...]
    """Every query of both, also one that did not change."""
    notices: tuple[str, ...]
    """Why queries are not compared."""

    def difference(self, metric: Metric) -> float | None:
        """The mean difference of ``metric`` over the compared queries."""
        return mean_of(change.difference(metric) for change in self.changes)

    def p_value(self, metric: Metric) -> float | None:
        """How likely chance alone gives such a difference; None for fewer than 25 queries, where nothing is said."""
        differences = [found for change in self.changes if (found := change.difference(metric)) is not None]
        return randomisation_test(differences) if len(differences) >= FEWEST else None

    def worse(self, metric: Metric) -> list[QueryChange]:
        """The queries whose ``metric`` fell, the greatest loss first."""
        fallen = [change for change in self.changes if change.is_worse(metric)]
        return sorted(fallen, key=lambda change: change.difference(metric) or 0.0)

    def other_outcomes(self) -> list[QueryChange]:
        """The queries whose outcome changed."""
        return [change for change in self.changes if change.changes_outcome]


def compare_evaluations(now: Evaluation, before: Evaluation) -> Comparison:
    """``now`` beside ``before``; queries are the same by id, text and scope, if their grades are the same too."""
    known = {query.id: query for query in before.queries}
    changes: list[QueryChange] = []
    notices: list[str] = []
    for query in now.queries:
        old = known.pop(query.id, None)
        if old is None:
            notices.append(f"{query.id}: not in the baseline, so it is not compared")
        elif (old.text, old.scope) != (query.text, query.scope):
            notices.append(f"{query.id}: another query in the baseline, so it is not compared")
        elif sorted(old.grades.values()) != sorted(query.grades.values()):
            notices.append(f"{query.id}: judged otherwise in the baseline, so it is not compared")
        else:
            changes.append(QueryChange(query, old))
    notices += [f"{name}: only in the baseline, so it is not compared" for name in known]
    if (now.engine, now.profile) != (before.engine, before.profile):
        notices.append(f"the baseline is of {before.engine} with profile {before.profile}")
    return Comparison(now, before, tuple(changes), tuple(notices))
