"""Shows a trace as lines: the reason, the results, the route, the first result's score, and the answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from rich.console import RenderableType

from brvtui.engines.advice import extent, remarks, side_effects
from brvtui.engines.presentation import Presentation
from brvtui.engines.registry import kind_of, presentation
from brvtui.paint.answers import completion_blocks, kind_of_answer, sandbox_text
from brvtui.paint.attempts import strategy_text
from brvtui.paint.blocks import lines_of
from brvtui.paint.glyphs import Glyphs, for_terminal
from brvtui.paint.hits import ResultRow, added_rule, hit_lines, miss_title_room, near_miss_lines, title_room
from brvtui.paint.line import Line, badge, flowed, folded, line, rule
from brvtui.paint.score import score_lines, ticks_of, title_line
from brvtui.paint.sentence import headline_lines, split_at_semicolons, told_apart
from brvtui.paint.steps import notices
from brvtui.paint.text import column, wrap
from brvtui.report.lines import rich_lines
from brvtui.text.visible import bounded, visible
from brvtui.trace import Detail, Explanation, Hit, Ladder, Remedy, RemedySearch, Trace
from brvtui.wording import counted, profile_text

if TYPE_CHECKING:
    from brvtui.engines.counterfactuals import Counterfactuals


_SHOWN_MISSES = 3
_SHORT = 6
"""The maximum number of rows in a short report: results first, then near misses."""
MOST_HITS = 500
"""The maximum number of results to show; engines return fewer, but a saved trace may contain any number."""
_FULL = "--full also shows the decision, the search, the score of the first result, and the answer"
_STRATEGY = 20
_SENTENCE_LINES = 99
_POINT = 3
"""The indentation, in cells, of a clause on its own line."""
_SHOWN_ANSWER_LINES = 24


def trace_report(trace: Trace, details: Mapping[str, Detail], width: int, is_short: bool = False) -> RenderableType:
    """Returns the decision for ``width`` columns, with the scores of the first hit and of the hits in ``details``.

    ``details`` contains the details of hits by their ``file``. A short report ends after the first results and the
    interpretation of the query.
    """
    return rich_lines(trace_lines(trace, details, width, for_terminal(), is_short))


def trace_lines(
    trace: Trace, details: Mapping[str, Detail], width: int, glyphs: Glyphs, is_short: bool = False
) -> list[Line]:
    """Returns the lines of :func:`trace_report`."""
    trace, details = bounded((trace, details))
    shown = presentation(trace.engine)
    lines = headline_of(trace, width)
    snapshot = trace.snapshot
    noun = kind_of(trace.engine, snapshot).noun
    notes = counted(snapshot.notes, noun, f"{noun}s")
    facts = f" {trace.version}, profile {profile_text(trace.profile)}, {notes} in {snapshot.project}"
    lines += [rule(width, shown.counts(trace), dash=glyphs.dash), *result_lines(trace, width, glyphs, is_short)]
    lines += [Line(), line(facts, "muted").cut(width), *_reading(trace, shown, width, glyphs)]
    lines += notices(trace.notices, width, glyphs)
    if is_short:
        return [*lines, *(line(f" {part}", "muted") for part in wrap(_FULL, width - 1))]
    route = [*shown.decision(trace, glyphs), *shown.flow(trace, glyphs)]
    lines += [Line(), *lines_of(route, width, glyphs)]
    lines += ladder_lines(trace, width, glyphs)
    ticks, left = ticks_of(trace), dict(details)
    for place, hit in enumerate(trace.hits[:MOST_HITS]):
        if place == 0 or hit.file in left:
            lines.append(rule(width, f"score of result {place + 1}", dash=glyphs.dash))
            lines += _score(hit, trace, left.pop(hit.file, None), ticks, width, glyphs)  # a trace may repeat a file
    return lines + _answer(trace, shown, width, glyphs)


def headline_of(trace: Trace, width: int, timed: bool = True) -> list[Line]:
    """Returns the badge of the answer with its reason, followed by the other clauses, each on separate lines.

    If ``timed``, adds the time in milliseconds.
    """
    shown = presentation(trace.engine).headline(trace)
    reason, *others = split_at_semicolons(shown.sentence)
    total_ms = trace.timings.get("total", 0.0) if timed else 0.0
    lines = headline_lines(replace(shown, sentence=reason), total_ms, "", width + 1, _SENTENCE_LINES)
    for other in others:
        rows = flowed(Line().extend(span for one in other for span in one.spans), width - _POINT, width - _POINT)
        lines += [line(" " * _POINT if place else " · ", "muted").extend(row.spans) for place, row in enumerate(rows)]
    return lines


def ladder_lines(trace: Trace, width: int, glyphs: Glyphs) -> list[Line]:
    """Returns the searches of the retry ladder, each with its strategy, query and number of hits; empty if none ran."""
    ladder = trace.find(Ladder)
    ran = [rung for rung in ladder.rungs if rung.ran] if ladder is not None else []
    if not any(rung.number for rung in ran):
        return []
    lines = [Line(), rule(width, "retry ladder", dash=glyphs.dash)]
    for rung in ran:
        left = Line().gap().fit(strategy_text(rung), _STRATEGY, "muted").add(f"“{rung.query}”", "text")
        lines.append(left.right(width, Line().add(counted(rung.hits, "hit", "hits"), "strong")))
    return lines


def result_lines(trace: Trace, width: int, glyphs: Glyphs, is_short: bool = False) -> list[Line]:
    """Returns the lines for the hits and for the first near misses; of at most six of them if ``is_short``."""
    most = _SHORT if is_short else MOST_HITS
    shown = presentation(trace.engine)
    lines: list[Line] = []
    min_room = title_room(trace.scale, width)
    hits = trace.hits[:most]
    room = column((visible(hit.title) for hit in hits), min_room)
    titles = told_apart([hit.title for hit in hits], room)
    for rank, (hit, title) in enumerate(zip(hits, titles, strict=True), start=1):
        maturity = hit.signals.maturity if hit.signals else ""
        row = ResultRow(title, maturity, shown.remark(trace, hit), "", selected=True)
        lines += added_rule(hit, trace.hits[rank - 2].found_by if rank > 1 else "", width, glyphs)
        lines += hit_lines(hit, rank, row, trace.scale, width + room - min_room, glyphs)
    lines += [line(f" {more}", "muted")] if (more := more_results(trace, is_short)) else []
    reason = ""
    results = {hit.file for hit in trace.hits}
    misses = [miss for miss in trace.near_misses if miss.file not in results]
    misses = misses[: min(_SHOWN_MISSES, most - len(hits))]
    min_room = miss_title_room(trace.scale, width)
    room = column((visible(miss.title) for miss in misses), min_room)
    titles = told_apart([miss.title for miss in misses], room)
    for miss, title in zip(misses, titles, strict=True):
        if miss.reason != reason:
            reason = miss.reason
            lines.append(rule(width, shown.behind(trace, reason), dash=glyphs.dash))
        row = ResultRow(title, "", shown.lack(miss, glyphs)[1], "", selected=True)
        lines += near_miss_lines(miss, row, trace.scale, width + room - min_room, glyphs)
    if not lines:
        lines = [line(" nothing was found", "bold strong"), *shown.nothing(trace, width)]
    return lines


def more_results(trace: Trace, is_short: bool = False) -> str:
    """Returns the line with the number of results that are not shown; empty if all are shown."""
    more = len(trace.hits) - (_SHORT if is_short else MOST_HITS)
    if more <= 0:
        return ""
    option = "--full" if is_short else "--format json"
    return f"… {counted(more, 'more result', 'more results')}; {option} shows all"


def _reading(trace: Trace, shown: Presentation, width: int, glyphs: Glyphs) -> list[Line]:
    """Returns the engine's interpretation of the query, on as many lines as necessary."""
    lines = [Line()]
    for _, spans in shown.reading(trace, glyphs):
        group = Line().gap(1).extend(spans)
        if lines[-1].width and lines[-1].width + 2 + group.width > width:
            lines.append(Line())
        lines[-1].gap(2 if lines[-1].width else 0).extend(group.spans)
    return [entry for one in lines for entry in folded(one, width)]


def _score(
    hit: Hit, trace: Trace, detail: Detail | None, ticks: Mapping[str, float], width: int, glyphs: Glyphs
) -> list[Line]:
    maturity = hit.signals.maturity if hit.signals else ""
    head = title_line(trace, hit, maturity, "", width, glyphs)
    place = lines_of(presentation(trace.engine).place(trace, hit.file, glyphs), width, glyphs)
    return [head, *score_lines(trace, hit, detail, ticks, width, glyphs), *place]


def _answer(trace: Trace, shown: Presentation, width: int, glyphs: Glyphs) -> list[Line]:
    lines = [rule(width, f"answer · {kind_of_answer(trace.answer)}", dash=glyphs.dash)]
    lines += _first(lines_of(shown.answer(trace), width, glyphs), _SHOWN_ANSWER_LINES)
    lines += lines_of(completion_blocks(trace.answer.completion, glyphs), width, glyphs)
    if trace.answer.prompt is not None:
        lines.append(rule(width, "prompt", dash=glyphs.dash))
        prompt = trace.answer.prompt
        parts = ", ".join(f"{section.name} {section.tokens}" for section in prompt.sections)
        lanes = ", ".join(f"{lane.name} {lane.tokens}/{lane.budget}" for lane in prompt.lanes)
        texts = (
            f"{prompt.tokens} tokens: {parts}",
            f"at most {prompt.max_tokens} tokens out, temperature {prompt.temperature:g}, "
            f"{prompt.max_iterations} iterations",
            f"manifest {prompt.manifest}: {lanes}",
            sandbox_text(prompt),
            f"quoted: {', '.join(prompt.prefetched) or 'nothing'}; --format json shows the whole prompt",
        )
        lines += [line(f" {part}", "muted") for text in texts for part in wrap(text, width - 1)]
    return lines


def _first(lines: list[Line], limit: int) -> list[Line]:
    left = len(lines) - limit
    return lines if left <= 0 else [*lines[:limit], line(f" … {left} more lines; --format json shows all", "muted")]


# Shows, as lines, why a document is or is not in an answer, and changes that make a model unnecessary.


NEEDS_NOTHING = "no change is needed: the query is answered without a model"
_LABEL = 9


def explain_report(explanation: Explanation, width: int) -> RenderableType:
    """Returns the explanation for ``width`` columns: the note's part in the answer, then the reason for the answer."""
    return rich_lines(explain_lines(explanation, width, for_terminal()))


def explain_lines(explanation: Explanation, width: int, glyphs: Glyphs) -> list[Line]:
    """Returns the lines of :func:`explain_report`."""
    explanation = bounded(explanation)
    lines: list[Line] = []
    if explanation.found:
        lines += [
            badge("IN THE RESULTS", "ok")
            .add(f" rank {explanation.rank}: ", "text")
            .add(explanation.path, "bold strong")
        ]
        lines += _labelled("use", explanation.use, "text", width)
    else:
        lost = "NOT FOUND BY A NEW SEARCH" if explanation.use else "NOT IN THE ANSWER"
        lines += [badge(lost, "bad").add(" ").add(explanation.path, "bold strong")]
        lines += _labelled("use", explanation.use, "text", width)
        if explanation.reason is not None:
            lines += _labelled("why", explanation.reason.text, "bold strong", width)
        lines += _labelled("numbers", explanation.numbers, "text", width)
        remedy = explanation.remedy
        if remedy is not None and not explanation.remedies:
            checked = " (tried)" if remedy.verified else ""
            lines += _labelled("remedy", f"{remedy.text}{checked}", "ok" if remedy.verified else "text", width)
            lines += _labelled("ask", f"“{remedy.query}”" if remedy.query else "", "text", width)
    lines += _labelled("note", explanation.notice, "warn", width)
    for remedy in explanation.remedies:
        lines += _remedy_lines("helps", explanation, remedy, width)
    hit, trace = explanation.hit, explanation.trace
    lines += [line(" the whole answer:", "muted"), *headline_of(trace, width), *ladder_lines(trace, width, glyphs)]
    if hit is not None:
        if not explanation.found:
            lines.append(line(" its score if it were a result:", "muted"))
        lines += _score(hit, trace, explanation.detail, ticks_of(trace), width, glyphs)
    return lines


def _remedy_lines(label: str, explanation: Explanation, remedy: Remedy, width: int) -> list[Line]:
    rank = f"rank {remedy.rank}" if remedy.rank is not None else "not in the answer"
    tier = f"tier {remedy.tier}" if remedy.tier is not None else ""
    score = f"{remedy.score:.{explanation.trace.scale.decimals}f}" if remedy.score is not None else ""
    how = ": ".join(filter(None, (remedy.kind, remedy.how)))
    then = ", ".join(filter(None, (rank, tier, score)))
    but = "".join(f"; {each}" for each in filter(None, (*remarks(explanation, remedy), side_effects(remedy))))
    return _labelled(label, f"{remedy.text} → {then}{but}{f' ({how})' if how else ''}", "ok", width)


def lowering_report(explanation: Explanation, search: RemedySearch, width: int) -> RenderableType:
    """Returns the changes in ``search`` that lower the note of ``explanation``, or the kinds of changes tried."""
    search = bounded(search)
    lines = _labelled("note", search.notice, "warn", width)
    for remedy in search.remedies:
        lines += _remedy_lines("lowers", explanation, remedy, width)
    nothing = "" if search.kinds else "it is not a result, so nothing can lower it"
    return rich_lines([*lines, *_labelled("lowers", extent(search) or nothing, "text", width)])


def _labelled(label: str, text: str, role: str, width: int) -> list[Line]:
    """Returns ``label`` followed by the wrapped ``text``; empty if the text is empty."""
    parts = wrap(text, width - _LABEL - 1) if text else []
    return [
        Line().gap().fit(label if place == 0 else "", _LABEL, "muted").add(part, role)
        for place, part in enumerate(parts)
    ]


def counterfactuals_report(found: Counterfactuals | None, of_note: bool, width: int) -> RenderableType:
    """Returns, for each kind of change, the smallest change that avoids a model call, or why there is none.

    If ``found`` is None, the report says that no change is needed. ``of_note`` is True if the changes should put one
    named note first in the answer.
    """
    if found is None:
        return rich_lines([line(NEEDS_NOTHING, "muted")])
    from brvtui.engines.counterfactuals import counterfactual_blocks

    glyphs = for_terminal()
    aim = "this note answers without a model" if of_note else "no model is needed"
    head = rule(width, f"changes so that {aim}", dash=glyphs.dash)
    return rich_lines([head, *lines_of(counterfactual_blocks(found, glyphs), width, glyphs)])
