"""Everything that is said of one evaluation: its numbers, what changed and why, and which gates it passed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from brvtui.lab.evaluation.comparing import Comparison, QueryChange
from brvtui.lab.evaluation.metrics import Metric
from brvtui.lab.evaluation.results import Evaluation
from brvtui.paint.text import signed

# Gates: conditions that an evaluation must meet for a check in CI to pass.


_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class GateResult:
    """The result of one gate."""

    name: str
    passed: bool
    text: str
    """What was found, in one line."""
    queries: tuple[str, ...]
    """The ids of the queries to look at, the worst first; empty when it passed."""


def gate_under(evaluation: Evaluation, metric: Metric, least: float) -> GateResult:
    """Fails when the mean of ``metric`` is under ``least``; names the queries that are."""
    mean, name = evaluation.mean(metric), f"{metric} at least {least:g}"
    if mean is None:
        return GateResult(name, False, f"no query has a value of {metric}: grade documents first", ())
    if mean >= least - _ROUNDING:
        return GateResult(name, True, f"{metric} is {mean:.4f}", ())
    low = [(value, query.id) for query in evaluation.queries if (value := query.value(metric)) is not None]
    queries = tuple(name for value, name in sorted(low) if value < least)
    return GateResult(name, False, f"{metric} is {mean:.4f}, under {least:g}", queries)


def gate_drop(comparison: Comparison, metric: Metric, most: float) -> GateResult:
    """Fails when the mean of ``metric`` over the compared queries fell by more than ``most``; names those that fell."""
    difference, name = comparison.difference(metric), f"{metric} falls by at most {most:g}"
    if difference is None:
        return GateResult(name, False, f"no query has a value of {metric} on both sides", ())
    if difference >= -most - _ROUNDING:
        return GateResult(name, True, f"{metric} changed by {signed(difference, 4)}", ())
    queries = tuple(change.now.id for change in comparison.worse(metric))
    return GateResult(name, False, f"{metric} fell by {-difference:.4f}, more than {most:g}", queries)


def gate_outcomes(comparison: Comparison) -> GateResult:
    """Fails when the outcome of any query changed, for better or worse."""
    changed, name = comparison.other_outcomes(), "no other tier"
    if not changed:
        return GateResult(name, True, "every query is answered by the same tier", ())
    first = changed[0]
    more = f" and {len(changed) - 1} more" if len(changed) > 1 else ""
    text = f"{first.now.id}: {first.before.outcome} → {first.now.outcome}{more}"
    return GateResult(name, False, text, tuple(change.now.id for change in changed))


@dataclass(frozen=True)
class Assessment:
    """An evaluation, by itself or beside a baseline."""

    evaluation: Evaluation
    metrics: tuple[Metric, ...]
    """Those to show; the first decides the order of queries."""
    comparison: Comparison | None = None
    baseline: str = ""
    """The name of the baseline: a file or a revision."""
    gates: tuple[GateResult, ...] = ()
    causes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Lines that say why a query is answered otherwise than before, by its id."""

    @property
    def passed(self) -> bool:
        """Whether every gate was passed."""
        return all(gate.passed for gate in self.gates)

    @property
    def notices(self) -> tuple[str, ...]:
        """What should be known before the numbers are trusted."""
        return (*self.evaluation.notices, *(self.comparison.notices if self.comparison is not None else ()))

    @property
    def changed(self) -> list[QueryChange]:
        """The queries whose first metric or outcome changed, the greatest loss first."""
        if self.comparison is None:
            return []
        metric = self.metrics[0]
        changed = [each for each in self.comparison.changes if each.changes_outcome or each.difference(metric)]
        return sorted(changed, key=lambda each: each.difference(metric) or 0.0)

    @property
    def to_explain(self) -> list[QueryChange]:
        """:attr:`changed`, and then the other queries that a failed gate names."""
        if self.comparison is None:
            return []
        changed = self.changed
        known = {each.now.id for each in changed}
        failed = {name for gate in self.gates for name in gate.queries} - known
        return [*changed, *(each for each in self.comparison.changes if each.now.id in failed)]
