"""Gates: conditions that an evaluation must meet for a check in CI to pass."""

from __future__ import annotations

from dataclasses import dataclass

from brvtui.lab.evaluation.comparing import Comparison
from brvtui.lab.evaluation.metrics import Metric
from brvtui.lab.evaluation.results import Evaluation
from brvtui.paint.text import signed

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
