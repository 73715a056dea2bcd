"""Evaluations as JSON, and back from it: a baseline for a later evaluation to be compared with."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from brvtui import __version__, faults
from brvtui.lab.evaluation.metrics import Metric
from brvtui.lab.evaluation.results import Evaluation
from brvtui.saved.rebuilding import PlainError, from_plain
from brvtui.saved.traces import SavedError
from brvtui.trace import to_plain
from brvtui.tree.reading.json_file import LARGEST_NAMED_JSON, read_json

EVALUATION_SCHEMA = 1


def evaluation_as_plain(evaluation: Evaluation, metrics: Sequence[Metric]) -> dict[str, Any]:
    """``evaluation`` ready for JSON, with the means of ``metrics`` and each query's values beside its results."""
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


def read_evaluation(path: Path) -> Evaluation:
    """The evaluation in the JSON file at ``path``. Raises :class:`brvtui.saved.traces.SavedError`."""
    try:
        value = read_json(path, LARGEST_NAMED_JSON, follow_links=True)
    except OSError as error:
        raise SavedError(f"{path}: cannot be read ({faults.reason(error)})") from error
    except ValueError as error:
        raise SavedError(f"{path}: not JSON, so no saved evaluation ({error})") from error
    schema = value.get("evaluation_schema") if isinstance(value, dict) else None
    if schema != EVALUATION_SCHEMA:
        made = "brv-tui eval --format json > FILE makes one"
        raise SavedError(f"{path}: not an evaluation that this version of brv-tui reads; {made}")
    try:
        return from_plain(Evaluation, value.get("evaluation"), "evaluation")
    except PlainError as error:
        raise SavedError(f"{path}: not an evaluation that can be read: {error}; make it anew") from error
