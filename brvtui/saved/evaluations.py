"""Converts evaluations to JSON and back, so that they can be baselines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from brvtui import __version__, faults
from brvtui.lab.evaluation.comparing import ChangeLine, Comparison, GateResult
from brvtui.lab.evaluation.results import Evaluation, Metric
from brvtui.saved.rebuilding import PlainError, from_plain
from brvtui.saved.traces import SavedError
from brvtui.trace import to_plain
from brvtui.tree.reading.json_file import LARGEST_NAMED_JSON, read_json

EVALUATION_SCHEMA = 1


def evaluation_as_plain(evaluation: Evaluation, metrics: Sequence[Metric]) -> dict[str, Any]:
    """``evaluation`` as data for JSON: the means of ``metrics``, and each query with its results and metrics."""
    met, expected = evaluation.expectations
    plain = to_plain(evaluation)
    for query, held in zip(evaluation.queries, plain["queries"], strict=True):
        held["metrics"] = {str(metric): query.value(metric) for metric in metrics}
        held["as_expected"], held["first_miss"] = query.as_expected, query.first_miss
    summary = {
        "metrics": {str(metric): evaluation.mean(metric) for metric in metrics},
        "counted": {str(metric): evaluation.count(metric) for metric in metrics},
        "outcomes": evaluation.outcomes,
        "not_covered": evaluation.not_covered,
        "as_expected": met,
        "with_expectation": expected,
        "prompt_tokens": evaluation.prompt_tokens,
        "ms": evaluation.ms,
    }
    return {
        "evaluation_schema": EVALUATION_SCHEMA,
        "saved_by": f"brv-tui {__version__}",
        "summary": summary,
        "evaluation": plain,
    }


def comparison_as_plain(
    comparison: Comparison, name: str, metrics: Sequence[Metric], causes: Mapping[str, Sequence[ChangeLine]]
) -> dict[str, Any]:
    """Returns ``comparison`` as data for JSON: the baseline's ``name``, the means, and the queries that changed."""
    changed = [
        each
        for each in comparison.changes
        if each.changes_outcome or any(each.difference(metric) for metric in metrics)
    ]
    return {
        "baseline": name,
        "compared": len(comparison.changes),
        "metrics": {
            str(metric): {
                "before": comparison.before.mean(metric),
                "difference": comparison.difference(metric),
                "p_value": comparison.p_value(metric),
            }
            for metric in metrics
        },
        "changes": [
            {
                "id": each.now.id,
                "outcome_before": each.before.outcome,
                "outcome": each.now.outcome,
                "differences": {str(metric): each.difference(metric) for metric in metrics},
                "causes": [line.text for line in causes.get(each.now.id, ())],
            }
            for each in changed
        ],
        "left_out": comparison.left_out,
        "notices": [*comparison.unlike, *comparison.notices],
    }


def gates_as_plain(gates: Sequence[GateResult]) -> list[dict[str, Any]]:
    """Returns the results of gates as data for JSON."""
    made: list[dict[str, Any]] = to_plain(tuple(gates))
    return made


def read_evaluation(path: Path) -> Evaluation:
    """Reads an evaluation from the JSON file at ``path``. Raises :class:`brvtui.saved.traces.SavedError`."""
    try:
        value = read_json(path, LARGEST_NAMED_JSON, follow_links=True)
    except OSError as error:
        raise SavedError(f"{path}: cannot be read ({faults.reading_reason(error)})") from error
    except ValueError as error:
        raise SavedError(f"{path}: not JSON, so not a saved evaluation ({error})") from error
    schema = value.get("evaluation_schema") if isinstance(value, dict) else None
    if schema != EVALUATION_SCHEMA:
        hint = "create one with brv-tui eval --format json > FILE"
        raise SavedError(f"{path}: not an evaluation that this version of brv-tui can read; {hint}")
    try:
        return from_plain(Evaluation, value.get("evaluation"), "evaluation")
    except PlainError as error:
        raise SavedError(f"{path} is not a readable evaluation ({error}); create it again") from error
