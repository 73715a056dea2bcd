"""An evaluation as lines: the metrics, the outcomes, and every query, worst first; and drift, also as JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from brvtui.engines.registry import DEFAULT, noun_of
from brvtui.lab.evaluation.causes import CAUSE, RANK
from brvtui.lab.evaluation.comparing import Assessment, Drift, GateResult, QueryChange, first_lost
from brvtui.lab.evaluation.results import Evaluation, Metric, QueryResult
from brvtui.lab.judgments.model import NOT_COVERED
from brvtui.paint.line import Line, folded, line
from brvtui.paint.text import column, keeps_whole, plural, signed, wrap
from brvtui.saved.evaluations import evaluation_as_plain, gates_as_plain
from brvtui.text.visible import visible
from brvtui.trace import to_plain
from brvtui.wording import counted, profile_text

_NAME = 15
_VALUE = 8
_OUTCOME = 13
_SHOWN = 50
"""How many queries are listed: the worst."""
_NAMED = 20
"""How many queries a gate names."""
_OF_TIERS = "no other tier"
"""The gate of which tier answers. A change of tier is the first line about a query."""
Causes = Mapping[str, Sequence[str]]
"""Lines about queries by their ids."""
_NO_CAUSES: Causes = {}
AS_EXPECTED = "as expected"
"""Names the queries with the outcome that their judgment expects."""
DECIMALS = 4
"""With how many a metric is shown."""
NONE = "–"
"""What stands for a value that means nothing."""


def evaluation_lines(report: Assessment, width: int) -> list[Line]:
    """The whole report in ``width`` cells."""
    evaluation, metrics = report.evaluation, report.metrics
    made = [line(f" {heading(evaluation)}", "bold strong").cut(width)]
    made += [line(f" {about(evaluation)}", "muted").cut(width)]
    if report.comparison is not None:
        made.append(line(f" compared with {baseline_text(report)}", "muted").cut(width))
    made += [Line(), *summary_lines(report, width)]
    made += [Line(), *query_lines(evaluation.queries, metrics[0], width)]
    if report.comparison is not None:
        made += [Line(), *change_lines(report, width)]
    if report.gates:
        made += [Line(), *gate_lines(report.gates, width, report.causes)]
    return made


def change_lines(report: Assessment, width: int) -> list[Line]:
    """The queries that are answered otherwise than before, each with what happened and what did it."""
    assert report.comparison is not None
    changes = report.changed
    made = [line(f" {len(changes) or 'none'} of {len(report.comparison.changes)} compared queries changed", "muted")]
    for change in changes[:_SHOWN]:
        made.append(line(f" {change.now.id}: {change_text(change, report.metrics[0])}", "bold strong").cut(width))
        for text in report.causes.get(change.now.id, ()):
            made += [line(f"   {part}") for part in wrap(text, width - 3)]
    if len(changes) > _SHOWN:
        made.append(more_line(len(changes) - _SHOWN, width))
    return made


def more_line(count: int, width: int) -> Line:
    """What stands at the end of a list that is cut short."""
    return line(f" … {count} more; --format json holds all", "muted").cut(width)


def change_text(change: QueryChange, metric: Metric) -> str:
    """How a query changed, in a few words."""
    difference = change.difference(metric)
    value = f"{metric} {number(change.before.value(metric))} → {number(change.now.value(metric))}"
    outcome = f"{change.before.outcome} → {change.now.outcome}"
    texts = ([value] if difference else []) + ([outcome] if change.changes_outcome else [])
    return ", ".join(texts)


def gate_lines(gates: Sequence[GateResult], width: int, causes: Causes = _NO_CAUSES) -> list[Line]:
    """Each gate, passed or failed, with the queries to look at, each with what became of its note and what did it."""
    made: list[Line] = []
    for gate in gates:
        word, role = ("passed", "ok") if gate.passed else ("FAILED", "bad")
        made.append(line(f" {word} ", role).add(f"{gate.name}: {gate.text}").cut(width))
        left = f" and {len(gate.queries) - _NAMED} more" if len(gate.queries) > _NAMED else ""
        plain = [name for name in gate.queries[:_NAMED] if not causes.get(name)]
        for name in gate.queries[:_NAMED]:
            if name not in plain:
                made += [
                    line(f"   {part}", "warn") for part in wrap(f"{name}: {main_cause(gate, causes[name])}", width - 3)
                ]
        rest = ", ".join(plain) + left
        made += [line(f"   {part}", "warn") for part in wrap(rest.removeprefix(" "), width - 3)] if rest else []
    return made


def main_cause(gate: GateResult, lines: Sequence[str]) -> str:
    """Of the ``lines`` about one query those that say most of why it fails ``gate``: for one of tiers how it is
    answered now, else the note that fell, by what; and the edit that did it.

    Empty without any.
    """
    said = next((text for text in lines if RANK in text or gate.name == _OF_TIERS), "")
    cause = next((text for text in lines if text.startswith(CAUSE)), "")
    return "; ".join(filter(None, (said, cause))) or next(iter(lines), "")


def baseline_text(report: Assessment) -> str:
    """What is compared with: its name, its notes, its moment; empty without a baseline."""
    if report.comparison is None:
        return ""
    before = report.comparison.before
    return f"{report.baseline}: {plural(before.notes, noun_of(before.engine))}, as of {before.clock}"


def heading(evaluation: Evaluation) -> str:
    """How many queries, by which engine."""
    queries = counted(len(evaluation.queries), "query", "queries")
    return f"{queries}, {evaluation.version or evaluation.engine}, profile {profile_text(evaluation.profile)}"


def about(evaluation: Evaluation) -> str:
    """Over which notes, and when."""
    revision = f" at {evaluation.revision}" if evaluation.revision else ""
    notes = plural(evaluation.notes, noun_of(evaluation.engine))
    return f"{notes} of {evaluation.project}{revision}, as of {evaluation.clock}"


def summary_lines(report: Assessment, width: int) -> list[Line]:
    """The mean of each metric, beside that of the baseline, then outcomes, prompts and time."""
    made = []
    evaluation = report.evaluation
    for metric in report.metrics:
        shown = line(f" {metric!s:<{_NAME}}").add(f"{number(evaluation.mean(metric)):>{_VALUE}}", "bold strong")
        shown.add(f"  of {counted(evaluation.count(metric), 'query', 'queries')}", "muted")
        made.append(shown.add(f"{compared_text(report, metric)}").cut(width))
    for name, text in facts(evaluation):
        parts = wrap(text, max(width - _NAME - 2, 1))
        made += [line(f" {name if place == 0 else '':<{_NAME}} {part}") for place, part in enumerate(parts)]
    return made


def compared_text(report: Assessment, metric: Metric) -> str:
    """How ``metric`` differs from the baseline, and how likely that is chance; empty without a baseline."""
    if report.comparison is None or (difference := report.comparison.difference(metric)) is None:
        return ""
    p_value = report.comparison.p_value(metric)
    return f"  {signed(difference, 4)}" + (f", p = {p_value:.3f}" if p_value is not None else "")


def facts(evaluation: Evaluation) -> list[tuple[str, str]]:
    """What is no metric of ranking, each by its name."""
    met, expected = evaluation.expectations
    outcomes = ", ".join(f"{name}: {count}" for name, count in evaluation.outcomes.items())
    made = [("outcomes", outcomes or NONE), (NOT_COVERED, f"{evaluation.not_covered:.1%}")]
    if expected:
        made.append((AS_EXPECTED, f"{met} of {expected}"))
    if evaluation.engine == DEFAULT:  # the others write no prompt
        made.append(("prompt", f"{evaluation.prompt_tokens:.0f} tokens a query"))
    kept = f"; {evaluation.kept} of {len(evaluation.queries)} kept from before" if evaluation.kept else ""
    return [*made, ("time", f"{evaluation.ms:.1f} ms a query{kept}")]


def query_lines(queries: Sequence[QueryResult], metric: Metric, width: int) -> list[Line]:
    """A line for each query, those that are wrong first: its metric, the first relevant rank, outcome, first miss."""
    shown = worst_first(queries, metric)[:_SHOWN]
    room = max(12, min(36, width // 3 - 2, max((len(query.id) for query in queries), default=0)))
    room = column((visible(query.id) for query in shown), room)
    head = f" {'query':<{room}} {metric!s:>9}  first  {'outcome':<{_OUTCOME}} misses"
    made = [line(head, "muted").cut(width)] if queries else []
    for query in shown:
        role = "bad" if query.as_expected is False else "text"
        row = Line().gap().fit(query.id, room).add(f" {number(query.value(metric)):>9}", "bold strong")
        row.add(f"  {query.first_rank or NONE!s:>5}  ").fit(query.outcome, _OUTCOME, role)
        missed = Line().add(f" expected {query.expected}" if query.as_expected is False else "", role)
        missed.add(f" {query.first_miss}" if query.first_miss else "", "warn")
        if row.width + missed.width <= width or keeps_whole():
            made.append(row.extend(missed.spans))
        else:  # what is missed is what a reader is after: it gets a line of its own
            made += [row.cut(width), *(Line().gap(3).extend(part.spans) for part in folded(missed, width - 3))]
    if len(queries) > _SHOWN:
        made.append(line(f" … {len(queries) - _SHOWN} more, better ones; --format json holds all", "muted").cut(width))
    return made


def worst_first(queries: Sequence[QueryResult], metric: Metric) -> list[QueryResult]:
    """``queries``, those with an unexpected outcome first, then by the value of ``metric``."""

    def key(query: QueryResult) -> tuple[bool, float]:
        value = query.value(metric)
        return query.as_expected is not False, 1.0 if value is None else value

    return sorted(queries, key=key)


def number(value: float | None) -> str:
    """A metric as it is shown."""
    return NONE if value is None else f"{value:.{DECIMALS}f}"


# Drift as lines and as JSON: the metrics by day, and what is lost by when.


DRIFT_SCHEMA = 1
_COLUMN = 11
_LOSSES_SHOWN = 100
"""How many losses are listed: the first."""


def drift_lines(drift: Drift, width: int) -> list[Line]:
    """The whole report in ``width`` cells."""
    moments: list[tuple[str, Evaluation]] = [("now", drift.now)]
    moments += [(f"+{point.days:g} d", point.comparison.now) for point in drift.points]
    made = [line(f" {heading(drift.now)}", "bold strong").cut(width), line(f" {about(drift.now)}", "muted").cut(width)]
    made.append(line(" if nobody reads or edits a note meanwhile", "muted").cut(width))
    made += [Line(), row("", [name for name, _ in moments], "muted").cut(width)]
    for metric in drift.metrics:
        made.append(row(str(metric), [number(found.mean(metric)) for _, found in moments]).cut(width))
    for outcome in dict.fromkeys(name for _, found in moments for name in found.outcomes):
        made.append(row(outcome, [str(found.outcomes.get(outcome, 0)) for _, found in moments]).cut(width))
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
    for loss in losses[:_LOSSES_SHOWN]:
        shown = Line().gap().fit(f"by +{loss.days:g} d", _COLUMN, "warn").add(f"{loss.query}: ", "bold strong")
        parts = wrap(f"{loss.document} {loss.what}".strip(), max(10, width - shown.width))
        made.append(shown.add(parts[0]).cut(width))
        made += [Line().gap(_COLUMN + 1).add(part).cut(width) for part in parts[1:]]
    if len(losses) > _LOSSES_SHOWN:
        made.append(more_line(len(losses) - _LOSSES_SHOWN, width))
    return made


def row(name: str, cells: Sequence[str], role: str = "text", column: int = _COLUMN) -> Line:
    """A line of ``cells``, each in ``column`` cells, behind their ``name``."""
    made = line(f" {name:<{_NAME}}", role)
    for cell in cells:
        made.add(f"{cell or NONE:>{column}}", role)
    return made
