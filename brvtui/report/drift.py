"""Drift as lines and as JSON: the metrics by day, and what is lost by when."""

from __future__ import annotations

from typing import Any

from brvtui.lab.evaluation.drift import Drift, first_lost
from brvtui.lab.evaluation.results import Evaluation
from brvtui.paint.line import Line, line
from brvtui.paint.text import wrap
from brvtui.report.evaluation import NONE, about, gate_lines, heading, more_line, number
from brvtui.saved.evaluations import evaluation_as_plain, gates_as_plain
from brvtui.trace import to_plain
from brvtui.wording import counted

DRIFT_SCHEMA = 1
_NAME, _COLUMN = 15, 11
_SHOWN = 100
"""How many losses are listed: the first."""


def drift_lines(drift: Drift, width: int) -> list[Line]:
    """The whole report in ``width`` cells."""
    moments: list[tuple[str, Evaluation]] = [("now", drift.now)]
    moments += [(f"+{point.days:g} d", point.comparison.now) for point in drift.points]
    made = [line(f" {heading(drift.now)}", "bold strong").cut(width), line(f" {about(drift.now)}", "muted").cut(width)]
    made.append(line(" if nobody reads or edits a note meanwhile", "muted").cut(width))
    made += [Line(), _row("", [name for name, _ in moments], "muted").cut(width)]
    for metric in drift.metrics:
        made.append(_row(str(metric), [number(found.mean(metric)) for _, found in moments]).cut(width))
    for outcome in dict.fromkeys(name for _, found in moments for name in found.outcomes):
        made.append(_row(outcome, [str(found.outcomes.get(outcome, 0)) for _, found in moments]).cut(width))
    made += [Line(), *_loss_lines(drift, width)]
    for point in drift.points:
        if point.gates:
            made += [Line(), line(f" in {point.days:g} days", "muted"), *gate_lines(point.gates, width)]
    return made


def drift_as_plain(drift: Drift) -> dict[str, Any]:
    """``drift`` ready for JSON: the evaluation of now, each day's means and gates, and what is lost."""
    return {
        "drift_schema": DRIFT_SCHEMA,
        "now": evaluation_as_plain(drift.now, drift.metrics),
        "days": [
            {
                "days": point.days,
                "clock": point.comparison.now.clock,
                "metrics": {str(metric): point.comparison.now.mean(metric) for metric in drift.metrics},
                "outcomes": point.comparison.now.outcomes,
                "gates": gates_as_plain(point.gates),
            }
            for point in drift.points
        ],
        "losses": to_plain(drift.losses),
        "passed": drift.passed,
    }


def _loss_lines(drift: Drift, width: int) -> list[Line]:
    losses = drift.losses
    queries = len(first_lost(losses))
    of = counted(len(drift.now.queries), "query", "queries")
    said = f"{queries} of {of} lose something or change tier" if queries else f"nothing is lost of {of}"
    made = [line(f" {said}", "muted")]
    for loss in losses[:_SHOWN]:
        shown = Line().gap().fit(f"by +{loss.days:g} d", _COLUMN, "warn").add(f"{loss.query}: ", "bold strong")
        parts = wrap(f"{loss.document} {loss.what}".strip(), max(10, width - shown.width))
        made.append(shown.add(parts[0]).cut(width))
        made += [Line().gap(_COLUMN + 1).add(part).cut(width) for part in parts[1:]]
    if len(losses) > _SHOWN:
        made.append(more_line(len(losses) - _SHOWN, width))
    return made


def _row(name: str, cells: list[str], role: str = "text") -> Line:
    made = line(f" {name:<{_NAME}}", role)
    for cell in cells:
        made.add(f"{cell or NONE:>{_COLUMN}}", role)
    return made
