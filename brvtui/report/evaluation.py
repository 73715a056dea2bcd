"""Shows an evaluation (metrics, outcomes and all queries, worst first) and drift, as lines and in other formats."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from brvtui.engines.contract import CompletingEngine
from brvtui.engines.registry import has, kind_of
from brvtui.lab.evaluation.comparing import Assessment, ChangeLine, Drift, GateResult, LineKind, QueryChange, first_lost
from brvtui.lab.evaluation.results import Evaluation, Metric, QueryResult
from brvtui.lab.judgments.exchange import trec_name
from brvtui.lab.judgments.model import NOT_COVERED
from brvtui.paint.blocks import Block, Text
from brvtui.paint.line import Line, folded, line
from brvtui.paint.text import column, keeps_whole, plural, signed, wrap
from brvtui.report.markdown_text import Markdown, bold, joined, paragraph, path, table
from brvtui.report.markdown_text import heading as markdown_heading
from brvtui.report.saved import ExportError, write_report
from brvtui.saved.evaluations import comparison_as_plain, evaluation_as_plain, gates_as_plain
from brvtui.text.visible import json_line, visible
from brvtui.trace import to_plain
from brvtui.wording import counted, profile_text

_NAME = 15
_VALUE = 8
_OUTCOME = 13
_SHOWN = 50
"""The maximum number of queries in a list. The worst queries come first."""
_NAMED = 20
"""The maximum number of queries that are listed for a gate."""
_OF_TIERS = "no tier change"
"""The name of the gate that fails if tiers change. It shows the change in a query's tier as the main cause."""
Causes = Mapping[str, Sequence[ChangeLine]]
"""Lines about the causes of each query's changes, keyed by the query's id."""
_NO_CAUSES: Causes = {}
AS_EXPECTED = "as expected"
"""The label for the number of queries with the outcome that their judgment expects."""
DECIMALS = 4
"""The number of decimals of a metric."""
NONE = "–"
"""The placeholder for a value that does not exist."""


def evaluation_blocks(report: Assessment, width: int) -> Iterator[Block]:
    """Yields the whole report for ``width`` cells."""
    evaluation = report.evaluation
    yield from (line(f" {heading(evaluation)}", "bold strong"), line(f" {about(evaluation)}", "muted"))
    if report.comparison is not None:
        yield line(f" compared with {baseline_text(report)}", "muted")
    yield Line()
    yield from _summary(report)
    yield Line()
    yield from _query_lines(evaluation.queries, report.metrics[0], width)
    if report.comparison is not None:
        yield Line()
        yield from _change_blocks(report, len(report.comparison.changes))
    if report.gates:
        yield Line()
        yield from _gate_blocks(report.gates, report.causes)


def _change_blocks(report: Assessment, compared: int) -> Iterator[Block]:
    """Yields the queries whose answers changed, each with the change and its causes."""
    changes = report.changed
    yield line(f" {len(changes) or 'none'} of {compared} compared queries changed", "muted")
    for change in changes[:_SHOWN]:
        yield line(f" {change.now.id}: {change_text(change, report.metrics[0])}", "bold strong")
        yield from (Text(cause.text, "text", "   ", 0) for cause in report.causes.get(change.now.id, ()))
    if len(changes) > _SHOWN:
        yield _more(len(changes) - _SHOWN)


def _more(count: int) -> Line:
    """Returns the last line of a shortened list, with the number of items that are not shown."""
    return line(f" … {count} more; --format json shows all", "muted")


def change_text(change: QueryChange, metric: Metric) -> str:
    """Describes the change in a query's answer in a few words."""
    difference = change.difference(metric)
    value = f"{metric} {number(change.before.value(metric))} → {number(change.now.value(metric))}"
    outcome = f"{change.before.outcome} → {change.now.outcome}"
    texts = ([value] if difference else []) + ([outcome] if change.changes_outcome else [])
    return ", ".join(texts)


def _gate_blocks(gates: Sequence[GateResult], causes: Causes = _NO_CAUSES) -> Iterator[Block]:
    """Yields each gate, passed or failed, with the queries that failed it, the changes to notes, and their causes."""
    for gate in gates:
        word, role = ("passed", "ok") if gate.passed else ("FAILED", "bad")
        yield line(f" {word} ", role).add(f"{gate.name}: {gate.text}")
        named = gate.queries[:_NAMED]
        left = f" and {len(gate.queries) - _NAMED} more" if len(gate.queries) > _NAMED else ""
        texts = [f"{name}: {main_cause(gate, causes[name])}" for name in named if causes.get(name)]
        rest = ", ".join(name for name in named if not causes.get(name)) + left
        yield from (Text(text, "warn", "   ", 0) for text in filter(None, (*texts, rest.removeprefix(" "))))


def main_cause(gate: GateResult, lines: Sequence[ChangeLine]) -> str:
    """Returns the best explanation why ``gate`` failed for one query: a change, and the edit that caused it.

    For a gate on tiers, this is the change of tier; for other gates, it is the drop of a note. Empty without ``lines``.
    """
    effect = next((each.text for each in lines if each.kind is LineKind.RANK or gate.name == _OF_TIERS), "")
    cause = next((each.text for each in lines if each.kind is LineKind.CAUSE), "")
    return "; ".join(filter(None, (effect, cause))) or next((each.text for each in lines), "")


def baseline_text(report: Assessment) -> str:
    """Describes the baseline of the comparison: its name, number of notes and time. Empty if there is none."""
    if report.comparison is None:
        return ""
    before = report.comparison.before
    return f"{report.baseline}: {plural(before.notes, kind_of(before.engine).noun)}, as of {before.clock}"


def heading(evaluation: Evaluation) -> str:
    """Describes the evaluation: the number of queries, the engine and the profile."""
    queries = counted(len(evaluation.queries), "query", "queries")
    return f"{queries}, {evaluation.version or evaluation.engine}, profile {profile_text(evaluation.profile)}"


def about(evaluation: Evaluation) -> str:
    """Describes the evaluated project: its number of notes, its name and the time."""
    revision = f" at {evaluation.revision}" if evaluation.revision else ""
    notes = plural(evaluation.notes, kind_of(evaluation.engine).noun)
    return f"{notes} in {evaluation.project}{revision}, as of {evaluation.clock}"


def _summary(report: Assessment) -> Iterator[Block]:
    """Yields the mean of each metric with its change from the baseline, then outcomes, prompts and time."""
    evaluation = report.evaluation
    for metric in report.metrics:
        shown = line(f" {metric!s:<{_NAME}}").add(f"{number(evaluation.mean(metric)):>{_VALUE}}", "bold strong")
        shown.add(f"  of {counted(evaluation.count(metric), 'query', 'queries')}", "muted")
        yield shown.add(compared_text(report, metric))
    yield from (Text(text, before=f" {name:<{_NAME}} ", after=0) for name, text in facts(evaluation))


def compared_text(report: Assessment, metric: Metric) -> str:
    """Returns the difference of ``metric`` from the baseline with its p-value; empty if there is no baseline."""
    if report.comparison is None or (difference := report.comparison.difference(metric)) is None:
        return ""
    p_value = report.comparison.p_value(metric)
    return f"  {signed(difference, 4)}" + (f", p = {p_value:.3f}" if p_value is not None else "")


def facts(evaluation: Evaluation) -> list[tuple[str, str]]:
    """Returns the facts that are not ranking metrics, as pairs of name and value."""
    met, expected = evaluation.expectations
    outcomes = ", ".join(f"{name}: {count}" for name, count in evaluation.outcomes.items())
    pairs = [("outcomes", outcomes or NONE), (NOT_COVERED, f"{evaluation.not_covered:.1%}")]
    if expected:
        pairs.append((AS_EXPECTED, f"{met} of {expected}"))
    if has(evaluation.engine, CompletingEngine):  # only such engines write a prompt
        pairs.append(("prompt", f"{evaluation.prompt_tokens:.0f} tokens a query"))
    kept = f"; {evaluation.kept} of {len(evaluation.queries)} reused from an earlier run" if evaluation.kept else ""
    return [*pairs, ("time", f"{evaluation.ms:.1f} ms a query{kept}")]


def _query_lines(queries: Sequence[QueryResult], metric: Metric, width: int) -> Iterator[Line]:
    """Yields a line for each query, worst first: metric, rank of the first relevant result, outcome, and first miss."""
    shown = worst_first(queries, metric)[:_SHOWN]
    room = max(12, min(36, width // 3 - 2, max((len(query.id) for query in queries), default=0)))
    room = column((visible(query.id) for query in shown), room)
    if queries:
        yield line(f" {'query':<{room}} {metric!s:>9}  first  {'outcome':<{_OUTCOME}} misses", "muted")
    for query in shown:
        role = "bad" if query.as_expected is False else "text"
        row = Line().gap().fit(query.id, room).add(f" {number(query.value(metric)):>9}", "bold strong")
        row.add(f"  {query.first_rank or NONE!s:>5}  ").fit(query.outcome, _OUTCOME, role)
        missed = Line().add(f" expected {query.expected}" if query.as_expected is False else "", role)
        missed.add(f" {query.first_miss}" if query.first_miss else "", "warn")
        if row.width + missed.width <= width or keeps_whole():
            yield row.extend(missed.spans)
        else:  # the missed document is the most useful part, so it has its own line
            yield row
            yield from (Line().gap(3).extend(part.spans) for part in folded(missed, width - 3))
    if len(queries) > _SHOWN:
        yield line(f" … {len(queries) - _SHOWN} more with better values; --format json shows all", "muted")


def worst_first(queries: Sequence[QueryResult], metric: Metric) -> list[QueryResult]:
    """Sorts ``queries`` by ascending ``metric``. All queries with an unexpected outcome come first."""

    def key(query: QueryResult) -> tuple[bool, float]:
        value = query.value(metric)
        return query.as_expected is not False, 1.0 if value is None else value

    return sorted(queries, key=key)


def number(value: float | None) -> str:
    """Formats the value of a metric; None becomes a placeholder."""
    return NONE if value is None else f"{value:.{DECIMALS}f}"


# Shows drift as lines and as JSON: the metrics on each day, and the losses with their days.


DRIFT_SCHEMA = 1
_COLUMN = 11
_LOSSES_SHOWN = 100
"""The maximum number of losses in a list. The earliest come first."""


def drift_blocks(drift: Drift, width: int) -> Iterator[Block]:
    """Yields the whole report for ``width`` cells."""
    moments: list[tuple[str, Evaluation]] = [("now", drift.now)]
    moments += [(f"+{point.days:g} d", point.comparison.now) for point in drift.points]
    yield from (line(f" {heading(drift.now)}", "bold strong"), line(f" {about(drift.now)}", "muted"))
    yield from (line(" if nobody reads or edits a note until then", "muted"), Line())
    yield row("", [name for name, _ in moments], "muted")
    for metric in drift.metrics:
        yield row(str(metric), [number(evaluation.mean(metric)) for _, evaluation in moments])
    for outcome in dict.fromkeys(name for _, evaluation in moments for name in evaluation.outcomes):
        yield row(outcome, [str(evaluation.outcomes.get(outcome, 0)) for _, evaluation in moments])
    yield Line()
    yield from _loss_lines(drift, width)
    for moment, gates in (("now", drift.gates_now), *((f"in {each.days:g} days", each.gates) for each in drift.points)):
        if gates:
            yield from (Line(), line(f" {moment}", "muted"))
            yield from _gate_blocks(gates)


def drift_as_plain(drift: Drift) -> dict[str, Any]:
    """Returns ``drift`` as plain data for JSON: today's evaluation, each day's means and gates, and the losses."""
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
        "gates": gates_as_plain(drift.gates_now),
        "losses": to_plain(drift.losses),
        "passed": drift.passed,
    }


def _loss_lines(drift: Drift, width: int) -> Iterator[Line]:
    losses = drift.losses
    queries = len(first_lost(losses))
    of = counted(len(drift.now.queries), "query", "queries")
    yield line(
        f" {queries} of {of} lose a result or change tier" if queries else f" none of {of} loses anything", "muted"
    )
    for loss in losses[:_LOSSES_SHOWN]:
        shown = Line().gap().fit(f"by +{loss.days:g} d", _COLUMN, "warn").add(f"{loss.query}: ", "bold strong")
        parts = wrap(f"{loss.document} {loss.what}".strip(), max(10, width - shown.width))
        yield shown.add(parts[0])
        yield from (Line().gap(_COLUMN + 1).add(part) for part in parts[1:])
    if len(losses) > _LOSSES_SHOWN:
        yield _more(len(losses) - _LOSSES_SHOWN)


def row(name: str, cells: Sequence[str], role: str = "text", column: int = _COLUMN) -> Line:
    """Returns a line with ``name`` and ``cells``. Each of them is ``column`` cells wide."""
    result = line(f" {name:<{_NAME}}", role)
    for cell in cells:
        result.add(f"{cell or NONE:>{column}}", role)
    return result


# Shows an evaluation as Markdown, for a comment on a pull request. Texts of queries and notes are escaped.


_LISTED = 50
"""The maximum number of queries in a table, so that the report fits into a comment."""


def markdown_of(report: Assessment) -> str:
    """Returns a Markdown report.

    It contains the verdict with failed gates, the changed queries, the metrics, and the queries that miss something.
    """
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
    for change in report.changed[:_LISTED]:
        why = " ".join(f"{cause.text}." for cause in report.causes.get(change.now.id, ()))
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
    return table(header, [_miss(query, metric) for query in wrong[:_LISTED]], (str(metric),))


def _miss(query: QueryResult, metric: Metric) -> tuple[str, ...]:
    missing = path(query.first_miss) if query.first_miss else ""
    return bold(query.id), number(query.value(metric)), query.outcome, query.expected, missing


# Shows an evaluation as JUnit XML, which CI systems display as tests.


_MS = 1000


def junit_of(report: Assessment) -> bytes:
    """Returns JUnit XML with a test case for each gate and each query, in UTF-8.

    A query fails if a failed gate names it, or if its outcome is not the expected one.
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
    xml: bytes = ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)
    return xml + b"\n"


def _failures(report: Assessment) -> dict[str, list[str]]:
    """Returns the reasons why queries fail, keyed by query id."""
    reasons: dict[str, list[str]] = {}
    for gate in report.gates:
        for name in gate.queries:
            reasons.setdefault(name, []).append(f"{gate.name}: {gate.text}")
    for query in report.evaluation.queries:
        if query.as_expected is False:
            reasons.setdefault(query.id, []).append(f"expected {query.expected}, got {query.outcome}")
    return reasons


def _lines(report: Assessment, query: QueryResult, failures: Mapping[str, Sequence[str]]) -> Sequence[str]:
    if query.id not in failures:
        return ()
    changed = [change_text(each, report.metrics[0]) for each in report.changed if each.now.id == query.id]
    causes = (cause.text for cause in report.causes.get(query.id, ()))
    return (*failures[query.id], *changed, *causes, query.sentence)


def _add(suite: ElementTree.Element, attributes: Mapping[str, str], failure: Sequence[str]) -> None:
    case = ElementTree.SubElement(suite, "testcase", dict(attributes))
    if failure:
        element = ElementTree.SubElement(case, "failure", {"message": visible(failure[0])})
        element.text = "\n".join(visible(text) for text in dict.fromkeys(failure) if text)


# Writes an evaluation to a file: JSON, Markdown for a pull request, JUnit XML for CI, or a TREC run for other tools.


_TAG = "brv-tui"


class EvaluationForm(StrEnum):
    """The formats of a file. The value of each is the file's ending."""

    JSON = "json"
    MARKDOWN = "md"
    JUNIT = "xml"
    TREC_RUN = "run"


def rendered_evaluation(report: Assessment, form: EvaluationForm) -> bytes:
    """Returns the content of a file in the format ``form``, in UTF-8."""
    if form is EvaluationForm.JSON:
        return _json(report)
    if form is EvaluationForm.MARKDOWN:
        return markdown_of(report).encode("utf-8")
    return junit_of(report) if form is EvaluationForm.JUNIT else trec_run(report.evaluation)


def evaluation_form_of(file: Path) -> EvaluationForm:
    """Returns the format for the ending of ``file``.

    Raises :class:`brvtui.report.saved.ExportError` for an unknown ending.
    """
    try:
        return EvaluationForm(file.suffix.lower().removeprefix("."))
    except ValueError:
        endings = ", ".join(f".{form}" for form in EvaluationForm)
        raise ExportError(
            f"{file}: an evaluation is saved as {endings}; give the file one of these extensions"
        ) from None


def save_evaluation(report: Assessment, file: Path, trees: Sequence[Path]) -> None:
    """Writes ``report`` to ``file`` in the format for its ending. If this fails, the file is unchanged.

    Raises :class:`brvtui.report.saved.ExportError`, for example if the file is inside one of the context ``trees``.
    """
    write_report(file, rendered_evaluation(report, evaluation_form_of(file)), trees)


def trec_run(evaluation: Evaluation) -> bytes:
    """Returns the results as a TREC run, with one line per result: query, ``Q0``, document, rank, score, tag.

    The score is 1 divided by the rank, because tools sort by score and break ties in their own way. With the engine's
    own scores, results with equal scores could change order.
    """
    lines = [
        f"{query.id} Q0 {trec_name(item.path)} {rank} {1 / rank:.9f} {_TAG}-{evaluation.engine}"
        for query in evaluation.queries
        for rank, item in enumerate(query.results, start=1)
    ]
    return "".join(f"{line}\n" for line in lines).encode()


def _json(report: Assessment) -> bytes:
    plain = evaluation_as_plain(report.evaluation, report.metrics)
    if report.comparison is not None:
        plain["comparison"] = comparison_as_plain(report.comparison, report.baseline, report.metrics, report.causes)
    return json_line({**plain, "gates": gates_as_plain(report.gates), "passed": report.passed})
