"""Shows the answers of several engines side by side, as lines and as JSON."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from brvtui.engines.registry import presentation
from brvtui.lab.engine_comparison import (
    ALPHA,
    PERSISTENCE,
    BestEngine,
    EngineAnswer,
    EngineAnswers,
    JudgedEngines,
    Overlap,
)
from brvtui.lab.evaluation.comparing import FEWEST
from brvtui.paint.blocks import Block, Text
from brvtui.paint.line import Line, line
from brvtui.paint.text import column
from brvtui.report.evaluation import AS_EXPECTED, DECIMALS, NONE, about, facts, number, row
from brvtui.text.visible import bounded, visible
from brvtui.trace import to_plain
from brvtui.wording import counted, difference_as_shown

COMPARISON_SCHEMA = 1
_RANK, _LEAST_COLUMN, _MOST_COLUMN, _NAME = 4, 16, 40, 15
_EXPECTATIONS = f"{AS_EXPECTED}: an expected tier counts only for engines with tiers, “not covered” for all engines."


def answers_blocks(found: EngineAnswers, width: int) -> Iterator[Block]:
    """Yields tables with the ranked results of each engine, and the number of engines per result."""
    found = bounded(found)
    yield line(f" {found.query}", "bold strong")
    if found.scope:
        yield line(f" scope {found.scope}", "muted")
        for answer in found.answers:
            if answer.about_scope:
                yield Text(f"{answer.title}: {answer.about_scope}", "warn")
    answered = found.answered
    fitting = max(1, (width - _RANK - 1) // _LEAST_COLUMN)
    beside = math.ceil(len(answered) / max(1, math.ceil(len(answered) / fitting)))  # spreads the columns evenly
    for start in range(0, len(answered), max(1, beside)):
        yield from _table(answered[start : start + beside], found, width)
    if not any(answer.results for answer in answered):
        yield line(f" {'no engine found anything' if len(answered) > 1 else 'nothing was found'}", "muted")
    for answer in found.answers:
        if answer.problem:
            yield line(f" {answer.engine}: {answer.problem}", "warn")
    yield from _overlap_lines(found.overlaps)


def judged_blocks(found: JudgedEngines) -> Iterator[Block]:
    """Yields the metrics of every engine, the best engine by the first metric, and the overlap of their results."""
    names = [each.engine for each in found.evaluations]
    yield from (line(f" {problem}", "warn") for problem in found.problems)
    if not found.evaluations:
        return
    first = found.evaluations[0]
    queries = counted(len(first.queries), "query", "queries")
    yield from (line(f" {queries}, {about(first)}", "muted"), Line())
    yield row("", [presentation(name).title for name in names], "bold strong", _NAME)
    for metric in found.metrics:
        best = found.best(metric)
        shown = line(f" {metric!s:<{_NAME}}")
        for each in found.evaluations:
            is_best = best is not None and each.engine == best.engine
            shown.add(f"{number(each.mean(metric)):>{_NAME}}", "ok" if is_best else "text")
        if first.count(metric) < len(first.queries):  # queries without a relevant document are not part of the mean
            shown.add(f"  of {counted(first.count(metric), 'query', 'queries')}", "muted")
        yield shown
    for name, _ in facts(first):
        cells = [dict(facts(each)).get(name, NONE).partition(";")[0] for each in found.evaluations]
        if name != "outcomes":
            yield row(name, [cell.removesuffix(" a query") for cell in cells], column=_NAME)
    if len({each.expectations[1] for each in found.evaluations}) > 1:
        yield Text(_EXPECTATIONS, "muted")
    best = found.best(found.metrics[0])
    if best is not None and best.rivals:
        yield from (Line(), Text(best_text(best)))
    yield from _overlap_lines(found.overlaps)


def best_text(best: BestEngine) -> str:
    """Names the best engine by a metric and its lead, and says whether the lead may be due to chance."""
    text = f"By {best.metric}, {presentation(best.engine).title} is best with {number(best.mean)}."
    for rival in best.rivals:
        name = presentation(rival.engine).title
        sure = "" if rival.is_significant else ", which may be chance"
        p_value = "" if rival.p_value is None else f" (p = {rival.p_value:.3f}{sure})"
        behind = difference_as_shown(best.mean, best.mean - rival.behind, DECIMALS)
        text += f" {name} is {number(behind)} behind{p_value}."
    few = any(rival.p_value is None for rival in best.rivals)
    return text + (f" With fewer than {FEWEST} queries, that may be chance." if few else "")


def answers_as_plain(found: EngineAnswers) -> dict[str, Any]:
    """Returns ``found`` as plain data for JSON."""
    plain: dict[str, Any] = to_plain(found)
    return {"comparison_schema": COMPARISON_SCHEMA, **plain, "overlaps": to_plain(found.overlaps)}


def judged_as_plain(found: JudgedEngines) -> dict[str, Any]:
    """Returns ``found`` as plain data for JSON: means, overlaps, and by each metric the best engine and its rivals."""
    bests = [best for metric in found.metrics if (best := found.best(metric)) is not None]
    return {
        "comparison_schema": COMPARISON_SCHEMA,
        "engines": [
            {
                "engine": each.engine,
                "version": each.version,
                "profile": each.profile,
                "metrics": {str(metric): each.mean(metric) for metric in found.metrics},
                "outcomes": each.outcomes,
                "prompt_tokens": each.prompt_tokens,
                "ms": each.ms,
            }
            for each in found.evaluations
        ],
        "queries": len(found.evaluations[0].queries) if found.evaluations else 0,
        "best": [{**to_plain(best), "metric": str(best.metric)} for best in bests],
        "significant_below": ALPHA,
        "overlaps": to_plain(found.overlaps),
        "problems": list(found.problems),
    }


class _Column(NamedTuple):
    """A column with the answer of one engine."""

    answer: EngineAnswer
    outcome: str
    finders: tuple[int, ...]
    """The number of engines that found each result."""
    rows: tuple[str, ...]
    cells: int

    @classmethod
    def of(cls, answer: EngineAnswer, found: EngineAnswers, cells: int) -> _Column:
        """Returns a column for ``answer`` that is ``cells`` wide, or wider if a text that cannot be cut is longer."""
        finders = tuple(found.finders(item.path) for item in answer.results)
        rows = tuple(f"{count}× {visible(item.title)}" for count, item in zip(finders, answer.results, strict=True))
        outcome = f"{answer.outcome}, {answer.ms:.0f} ms"
        return cls(answer, outcome, finders, rows, column((answer.title, outcome, *rows), cells))


def _table(answers: Sequence[EngineAnswer], found: EngineAnswers, width: int) -> Iterator[Line]:
    cells = max(_LEAST_COLUMN, min(_MOST_COLUMN, (width - _RANK - 1) // len(answers))) - 1
    columns = [_Column.of(answer, found, cells) for answer in answers]
    head, outcomes = Line().gap(_RANK + 1), Line().gap(_RANK + 1)
    for each in columns:
        head.fit(each.answer.title, each.cells, "bold strong").gap()
        outcomes.fit(each.outcome, each.cells, "muted").gap()
    yield from (Line(), head, outcomes)
    for place in range(max(len(answer.results) for answer in answers)):
        yield _rank_line(columns, place, len(found.answered))


def _rank_line(columns: Sequence[_Column], place: int, engines: int) -> Line:
    result = Line().gap().fit(f"{place + 1}", _RANK, "muted")
    for each in columns:
        if place >= len(each.rows):
            result.gap(each.cells + 1)
            continue
        count = each.finders[place]
        role = "ok" if count == engines > 1 else "text" if count > 1 else "muted"
        result.fit(each.rows[place], each.cells, role).gap()
    return result


def _overlap_lines(overlaps: Sequence[Overlap]) -> Iterator[Line]:
    if all(each.value is None for each in overlaps):
        return
    yield from (Line(), line(f" rank-biased overlap, 0 to 1 (persistence {PERSISTENCE:g})", "muted"))
    for each in sorted(overlaps, key=lambda one: -1.0 if one.value is None else one.value, reverse=True):
        names = f"{presentation(each.one).title} and {presentation(each.other).title}"
        shown = line(f" {NONE if each.value is None else f'{each.value:.3f}':<5}", "bold strong").add(f"  {names}")
        yield shown.add("  neither found anything" if each.value is None else "", "muted")
