"""An evaluation as Markdown, for a comment on a pull request. Text of queries and notes stays text."""

from __future__ import annotations

from brvtui.lab.evaluation.assessment import Assessment
from brvtui.lab.evaluation.metrics import Metric
from brvtui.lab.evaluation.results import QueryResult
from brvtui.report.evaluation import (
    about,
    baseline_text,
    change_text,
    compared_text,
    facts,
    heading,
    number,
    worst_first,
)
from brvtui.report.markdown_text import Markdown, bold, joined, paragraph, path, table
from brvtui.report.markdown_text import heading as markdown_heading

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
