"""An evaluation in files: JSON, Markdown for a pull request, JUnit XML for CI, and a TREC run for other tools."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path

from brvtui.lab.evaluation.assessment import Assessment
from brvtui.lab.evaluation.results import Evaluation
from brvtui.lab.judgments.exchange import trec_name
from brvtui.report.evaluation_junit import junit_of
from brvtui.report.evaluation_markdown import markdown_of
from brvtui.report.saved import ExportError, write_report
from brvtui.saved.evaluations import comparison_as_plain, evaluation_as_plain, gates_as_plain
from brvtui.text.visible import json_line

_TAG = "brv-tui"


class EvaluationForm(StrEnum):
    """The form of a file; its value is the file's ending."""

    JSON = "json"
    MARKDOWN = "md"
    JUNIT = "xml"
    TREC_RUN = "run"


def rendered_evaluation(report: Assessment, form: EvaluationForm) -> bytes:
    """The content of a file of this form, in UTF-8."""
    if form is EvaluationForm.JSON:
        return _json(report)
    if form is EvaluationForm.MARKDOWN:
        return markdown_of(report).encode("utf-8")
    return junit_of(report) if form is EvaluationForm.JUNIT else trec_run(report.evaluation)


def evaluation_form_of(file: Path) -> EvaluationForm:
    """The form that the ending of ``file`` asks for. Raises :class:`brvtui.report.saved.ExportError`."""
    try:
        return EvaluationForm(file.suffix.lower().removeprefix("."))
    except ValueError:
        endings = ", ".join(f".{form}" for form in EvaluationForm)
        raise ExportError(f"{file}: an evaluation is saved as {endings}; give the file one of these endings") from None


def save_evaluation(report: Assessment, file: Path, trees: Sequence[Path]) -> None:
    """Writes ``report`` to ``file`` in the form of its ending, whole or not at all.

    Raises :class:`brvtui.report.saved.ExportError`, also for a file inside one of the context ``trees``.
    """
    write_report(file, rendered_evaluation(report, evaluation_form_of(file)), trees)


def trec_run(evaluation: Evaluation) -> bytes:
    """The results as a TREC run: query, ``Q0``, document, rank, score, tag.

    The score is 1 divided by the rank, not the engine's: tools order by score and break ties in their own way, and an
    engine gives equal scores to results that it orders.
    """
    lines = [
        f"{query.id} Q0 {trec_name(item.path)} {rank} {1 / rank:.9f} {_TAG}-{evaluation.engine}"
        for query in evaluation.queries
        for rank, item in enumerate(query.results, start=1)
    ]
    return "".join(f"{line}\n" for line in lines).encode("utf-8", "surrogateescape")


def _json(report: Assessment) -> bytes:
    made = evaluation_as_plain(report.evaluation, report.metrics)
    if report.comparison is not None:
        made["comparison"] = comparison_as_plain(report.comparison, report.baseline, report.metrics, report.causes)
    return json_line({**made, "gates": gates_as_plain(report.gates), "passed": report.passed})
