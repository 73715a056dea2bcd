"""An evaluation in files: JSON, Markdown for a pull request, JUnit XML for CI, and a TREC run for other tools."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from xml.etree import ElementTree

from brvtui.lab.evaluation.comparing import Assessment
from brvtui.lab.evaluation.results import Evaluation, Metric, QueryResult
from brvtui.lab.judgments.exchange import trec_name
from brvtui.report.evaluation import (
    about,
    baseline_text,
    change_text,
    compared_text,
    facts,
    heading,
    main_cause,
    number,
    worst_first,
)
from brvtui.report.markdown_text import Markdown, bold, joined, paragraph, path, table
from brvtui.report.markdown_text import heading as markdown_heading
from brvtui.report.saved import ExportError, write_report
from brvtui.saved.evaluations import comparison_as_plain, evaluation_as_plain, gates_as_plain
from brvtui.text.visible import json_line, visible

# An evaluation as Markdown, for a comment on a pull request. Text of queries and notes stays text.


_SHOWN = 50
"""How many queries a table holds: a comment has room for so many."""


def markdown_of(report: Assessment) -> str:
    """The verdict and what to look at, the queries that changed, the metrics, and the queries that miss something."""
    verdict = "" if not report.gates else " passed" if report.passed else " failed"
    blocks: list[str] = [markdown_heading(2, f"Memory check{verdict}")]
    for gate in report.gates:
        if not gate.passed:
            named = f" Look at: {', '.join(gate.queries)}." if gate.queries else ""
            blocks.append(paragraph(f"{gate.name}: {gate.text}.{named}"))
    blocks += [_changes(report), _metrics(report), table(("", ""), facts(report.evaluation)), _misses(report)]
    blocks.append(paragraph(f"{heading(report.evaluation)}; {about(report.evaluation)}."))
    if report.comparison is not None:
        blocks.append(paragraph(f"Compared with {baseline_text(report)}."))
    return joined(blocks)


def _changes(report: Assessment) -> Markdown:
    rows = []
    for change in report.changed[:_SHOWN]:
        why = " ".join(f"{text}." for text in report.causes.get(change.now.id, ()))
        rows.append((bold(change.now.id), change.now.text, change_text(change, report.metrics[0]), why))
    return table(("query", "words", "change", "why"), rows)


def _metrics(report: Assessment) -> Markdown:
    evaluation = report.evaluation
    rows = [
        (str(metric), number(evaluation.mean(metric)), str(evaluation.count(metric)), compared_text(report, metric))
        for metric in report.metrics
    ]
    if report.comparison is None:
        return table(("metric", "mean", "queries"), [row[:3] for row in rows], ("mean", "queries"))
    return table(("metric", "mean", "queries", "change"), rows, ("mean", "queries"))


def _misses(report: Assessment) -> Markdown:
    metric = report.metrics[0]
    queries = worst_first(report.evaluation.queries, metric)
    wrong = [query for query in queries if query.first_miss or query.as_expected is False]
    header = ("query", str(metric), "outcome", "expected", "misses")
    return table(header, [_miss(query, metric) for query in wrong[:_SHOWN]], (str(metric),))


def _miss(query: QueryResult, metric: Metric) -> tuple[str, ...]:
    missing = path(query.first_miss) if query.first_miss else ""
    return bold(query.id), number(query.value(metric)), query.outcome, query.expected, missing


# An evaluation as JUnit XML, which systems for CI show as tests.


_MS = 1000


def junit_of(report: Assessment) -> bytes:
    """A test case for each gate and each query, in UTF-8.

    A query fails when a failed gate names it, or when its outcome is not the expected one.
    """
    evaluation = report.evaluation
    failures = _failures(report)
    lost = sum(not gate.passed for gate in report.gates) + len(failures)
    seconds = f"{sum(query.ms for query in evaluation.queries) / _MS:.3f}"
    totals = {"tests": str(len(report.gates) + len(evaluation.queries)), "failures": str(lost), "errors": "0"}
    root = ElementTree.Element("testsuites", {"name": "brv-tui eval", **totals, "time": seconds})
    suite = ElementTree.SubElement(root, "testsuite", {"name": visible(evaluation.project), **totals, "time": seconds})
    for gate in report.gates:
        named = (f"{name}: {main_cause(gate, report.causes.get(name, ()))}".removesuffix(": ") for name in gate.queries)
        lines = () if gate.passed else (gate.text, *named)
        _add(suite, {"classname": "gates", "name": gate.name, "time": "0"}, lines)
    for query in evaluation.queries:
        name, time = visible(f"{query.id}: {query.text}"), f"{query.ms / _MS:.4f}"
        _add(suite, {"classname": "queries", "name": name, "time": time}, _lines(report, query, failures))
    ElementTree.indent(root)
    made: bytes = ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)
    return made + b"\n"


def _failures(report: Assessment) -> dict[str, list[str]]:
    """Why each failing query fails, by its id."""
    made: dict[str, list[str]] = {}
    for gate in report.gates:
        for name in gate.queries:
            made.setdefault(name, []).append(f"{gate.name}: {gate.text}")
    for query in report.evaluation.queries:
        if query.as_expected is False:
            made.setdefault(query.id, []).append(f"expected {query.expected}, got {query.outcome}")
    return made


def _lines(report: Assessment, query: QueryResult, failures: Mapping[str, Sequence[str]]) -> Sequence[str]:
    if query.id not in failures:
        return ()
    changed = [change_text(each, report.metrics[0]) for each in report.changed if each.now.id == query.id]
    return (*failures[query.id], *changed, *report.causes.get(query.id, ()), query.sentence)


def _add(suite: ElementTree.Element, attributes: Mapping[str, str], failure: Sequence[str]) -> None:
    case = ElementTree.SubElement(suite, "testcase", dict(attributes))
    if failure:
        made = ElementTree.SubElement(case, "failure", {"message": visible(failure[0])})
        made.text = "\n".join(visible(text) for text in dict.fromkeys(failure) if text)


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
