"""How a judged query came out in the columns of the Lab: what it loses, whether it is answered otherwise."""

from __future__ import annotations

from collections.abc import Sequence

from brvtui.app.states import LabCell, LabColumn, LabState
from brvtui.lab.evaluation.comparing import QueryChange
from brvtui.lab.judgments.model import NOT_COVERED
from brvtui.paint.headline import NO_ANSWER, tier_role

_SAME = 5e-4


def loss_of(columns: Sequence[LabColumn], query: str, metric: int) -> float:
    """How much the query loses in the worst of the other columns, from 0 to 1; with one column alone, what it lacks.

    Another answer that the metric does not see counts a little.
    """
    if not columns or query not in columns[0].cells:
        return 0.0
    first = columns[0].cells[query]
    now = first.values[metric]
    if len(columns) == 1:
        return (0.0 if now is None else 1.0 - now) + (2.0 if first.result.as_expected is False else 0.0)
    losses = [0.0]
    for column in columns[1:]:
        cell = column.cells.get(query)
        if cell is None:
            continue
        value = cell.values[metric]
        change = 0.0 if now is None or value is None else value - now
        losses.append(change if column.variant.is_earlier else -change)
        losses.append(_SAME if _differs(first, cell, column) else 0.0)
    return max(losses)


def is_otherwise(lab: LabState, column: LabColumn, query: str) -> bool:
    """Whether ``query`` is answered otherwise in ``column`` than in the present."""
    now, there = lab.columns[0].cells.get(query), column.cells.get(query)
    return now is not None and there is not None and _differs(now, there, column)


def _differs(now: LabCell, there: LabCell, column: LabColumn) -> bool:
    change = QueryChange(now.result, there.result, column.variant.paths_now)
    return change.changes_outcome if column.variant.engine else change.is_otherwise


def value_of(columns: Sequence[LabColumn], query: str, metric: int) -> float:
    """The value of a metric in the first column; 2, which is above all, where it has none."""
    cell = columns[0].cells.get(query) if columns else None
    value = cell.values[metric] if cell is not None else None
    return 2.0 if value is None else value


def short_outcome(outcome: str) -> str:
    """The outcome in at most 4 cells."""
    if outcome == NOT_COVERED:
        return "none"
    return outcome.replace("tier ", "T") if outcome.startswith("tier ") else "yes" if outcome else ""


def tier_role_of(outcome: str) -> str:
    """The role of an outcome."""
    number = outcome.removeprefix("tier ")
    return NO_ANSWER if outcome == NOT_COVERED else tier_role(int(number)) if number.isdigit() else "text"
