"""An evaluation as lines: the metrics, the outcomes, and every query, worst first."""

from __future__ import annotations

from collections.abc import Sequence

from brvtui.lab.evaluation.metrics import Metric
from brvtui.lab.evaluation.results import Evaluation, QueryResult
from brvtui.lab.judgments.model import NOT_COVERED
from brvtui.paint.line import Line, line
from brvtui.wording import counted

_NAME = 15
_VALUE = 8
_OUTCOME = 13
NONE = "–"
"""What stands for a value that means nothing."""


def evaluation_lines(evaluation: Evaluation, metrics: Sequence[Metric], width: int) -> list[Line]:
    """The whole evaluation in ``width`` cells."""
    made = [line(f" {heading(evaluation)}", "bold strong").cut(width)]
    made += [line(f" {about(evaluation)}", "muted").cut(width), Line()]
    made += summary_lines(evaluation, metrics, width)
    return [*made, Line(), *query_lines(evaluation.queries, metrics[0], width)]


def heading(evaluation: Evaluation) -> str:
    """How many queries, by which engine."""
    queries = counted(len(evaluation.queries), "query", "queries")
    return f"{queries}, {evaluation.version or evaluation.engine}, profile {evaluation.profile}"


def about(evaluation: Evaluation) -> str:
    """Over which notes, and when."""
    revision = f" at {evaluation.revision}" if evaluation.revision else ""
    notes = counted(evaluation.notes, "note", "notes")
    return f"{notes} of {evaluation.project}{revision}, as of {evaluation.clock}"


def summary_lines(evaluation: Evaluation, metrics: Sequence[Metric], width: int) -> list[Line]:
    """The mean of each metric, then outcomes, prompts and time."""
    made = []
    for metric in metrics:
        shown = line(f" {metric!s:<{_NAME}}").add(f"{number(evaluation.mean(metric)):>{_VALUE}}", "bold strong")
        made.append(shown.add(f"  of {counted(evaluation.count(metric), 'query', 'queries')}", "muted").cut(width))
    return [*made, *(line(f" {name:<{_NAME}} {text}").cut(width) for name, text in facts(evaluation))]


def facts(evaluation: Evaluation) -> list[tuple[str, str]]:
    """What is no metric of ranking, each by its name."""
    met, expected = evaluation.expectations
    outcomes = ", ".join(f"{name}: {count}" for name, count in evaluation.outcomes.items())
    made = [("outcomes", outcomes or NONE), (NOT_COVERED, f"{evaluation.not_covered:.1%}")]
    if expected:
        made.append(("as expected", f"{met} of {expected}"))
    made.append(("prompt", f"{evaluation.prompt_tokens:.0f} tokens a query"))
    return [*made, ("time", f"{evaluation.ms:.1f} ms a query")]


def query_lines(queries: Sequence[QueryResult], metric: Metric, width: int) -> list[Line]:
    """A line for each query, those that are wrong first: its metric, the first relevant rank, outcome, first miss."""
    room = max(12, min(36, max((len(query.id) for query in queries), default=0)))
    head = f" {'query':<{room}} {metric!s:>9}  first  {'outcome':<{_OUTCOME}} misses"
    made = [line(head, "muted").cut(width)] if queries else []
    for query in worst_first(queries, metric):
        role = "bad" if query.as_expected is False else "text"
        shown = Line().gap().fit(query.id, room).add(f" {number(query.value(metric)):>9}", "bold strong")
        shown.add(f"  {query.first_rank or NONE!s:>5}  ").fit(query.outcome, _OUTCOME, role)
        if query.as_expected is False:
            shown.add(f" expected {query.expected}", role)
        shown.gap().add(query.first_miss, "warn")
        made.append(shown.cut(width))
    return made


def worst_first(queries: Sequence[QueryResult], metric: Metric) -> list[QueryResult]:
    """``queries``, those with an unexpected outcome first, then by the value of ``metric``."""

    def key(query: QueryResult) -> tuple[bool, float]:
        value = query.value(metric)
        return query.as_expected is not False, 1.0 if value is None else value

    return sorted(queries, key=key)


def number(value: float | None) -> str:
    """A metric as it is shown, with four decimals."""
    return NONE if value is None else f"{value:.4f}"
