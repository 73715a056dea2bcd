"""A comparison of the answer with the pinned answer: a sentence, the changed settings, and a row for each result."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from rich.cells import cell_len

from brvtui.app.states import PinState
from brvtui.app.widgets.lines import wrapped
from brvtui.lab.trace_diff import ResultChange, Shift, TraceDiff, diff_traces, difference_sentence
from brvtui.paint.glyphs import Glyphs
from brvtui.paint.line import Line, line, rule
from brvtui.paint.sentence import sentence_lines, told_apart
from brvtui.paint.text import number, signed, wrap
from brvtui.trace import Trace

if TYPE_CHECKING:
    from brvtui.lab.answer_diff import AnswerDiff

_SENTENCE_ROWS = 6
_TEXT_WIDTH = 100
"""The width in columns of a comparison when it is copied."""
_SEEN = 0.5
"""The smallest change that is shown, in units of the last decimal place."""
_NO_CAUSES: Mapping[str, str] = {}
_RANKS = 9
"""The number of cells for the mark and the ranks before a title."""
_ROLES = {Shift.SAME: "faint", Shift.BETTER: "ok", Shift.WORSE: "warn", Shift.NEW: "accent", Shift.GONE: "bad"}


def pinned_lines(pin: PinState, now: Trace | None, width: int, glyphs: Glyphs, key: str) -> list[Line]:
    """Returns the comparison of ``now`` with the pinned answer, or a hint with the ``key`` that unpins it."""
    then = pin.trace
    assert then is not None  # the tab exists only while an answer is pinned
    if now is None:
        return wrapped(f"the answer to ‘{then.query}’ is pinned. Type a query to compare the two answers", width)
    if now is then:
        hint = "this is the pinned answer: change the query, or edit a note"
        return wrapped(f"{hint}, and the differences appear here. {key} unpins it", width)
    causes = _causes(pin.diff, now.scale.decimals) if pin.diff is not None else {}
    return comparison_lines(diff_traces(then, now), width, glyphs, causes)


def compared_text(pin: PinState, now: Trace | None, glyphs: Glyphs) -> str:
    """Returns the comparison with the pinned answer as text; empty if there is nothing to compare."""
    if pin.trace is None or now in (None, pin.trace):
        return ""
    return "".join(f"{one.plain.rstrip()}\n" for one in pinned_lines(pin, now, _TEXT_WIDTH, glyphs, ""))


def _causes(diff: AnswerDiff, decimals: int) -> dict[str, str]:
    """Returns the causes of visible score changes, and the reason why a note is not a result, keyed by note path."""
    causes = {}
    for note in diff.notes:
        seen = [cause for cause in note.causes if abs(cause.change) * 10**decimals >= _SEEN]
        changes = ", ".join(f"{cause.kind} {signed(cause.change, decimals)}" for cause in seen)
        causes[note.path] = "; ".join(filter(None, (changes, note.reason)))
    return causes


def comparison_lines(
    compared: TraceDiff, width: int, glyphs: Glyphs, causes: Mapping[str, str] = _NO_CAUSES
) -> list[Line]:
    """Returns a sentence, the changed settings and a table of all results, with ``causes`` keyed by note path."""
    room = max(width - 2, 1)
    sentence = sentence_lines(difference_sentence(compared), (room, room), _SENTENCE_ROWS)
    lines = [Line().gap().extend(row.spans) for row in sentence]
    if compared.now.answer.kind == "cached":
        lines += wrapped("the current answer is from the cache; below is a new search", width)
    for setting in compared.settings:
        lines += wrapped(f"{setting.name}: {setting.then} → {setting.now}", width)
    if not compared.results:
        return lines + wrapped("neither answer has results", width)
    lines.append(rule(width, "then → now" if compared.by_score else "then → now, by rank", dash=glyphs.dash))
    cells = _score_cells(compared)
    title_room = max(width - _RANKS - _both_cells(cells), 1)
    titles = told_apart([one.title for one in compared.results], title_room)
    for one, title in zip(compared.results, titles, strict=True):
        lines += _row(one, title, cells, width, glyphs, causes.get(one.now.path, ""))
    return (
        lines
        if compared.by_score
        else lines + wrapped("scores of different engines are not comparable, but ranks are", width)
    )


def _row(one: ResultChange, title: str, cells: int, width: int, glyphs: Glyphs, causes: str) -> list[Line]:
    """Returns the mark, ranks, title and both scores of a result, and below these the causes or the largest change."""
    role = _ROLES[one.moved]
    head = line(f" {_mark(one.moved, glyphs)} ", f"bold {role}")
    head.add(f"{_rank(one.then.rank):>2}→{_rank(one.now.rank):<2} ", role if one.moved is not Shift.SAME else "muted")
    head.fit(title, width - _RANKS - _both_cells(cells), "strong" if one.differs else "text")
    if cells:
        then, now = number(one.then.score, one.decimals), number(one.now.score, one.decimals)
        head.add(f" {then:>{cells}}→{now:<{cells}} ", "strong" if one.scored is not Shift.SAME else "muted")
        head.add(_mark(one.scored, glyphs) if one.scored is not Shift.SAME else " ", f"bold {_ROLES[one.scored]}")
    why = causes if causes and not one.now.reason else _why(one)
    why_lines = wrap(why, max(width - _RANKS, 1)) if why else []
    return [head.cut(width), *(Line().gap(_RANKS).add(part, "muted") for part in why_lines)]


def _why(one: ResultChange) -> str:
    name, change = one.part
    if name:
        return f"mostly: {name} {signed(change, one.decimals)}"
    return f"now a near miss: {one.now.reason}" if one.now.reason else ""


def _mark(shift: Shift, glyphs: Glyphs) -> str:
    match shift:
        case Shift.BETTER:
            return glyphs.up
        case Shift.WORSE:
            return glyphs.down
        case Shift.GONE:
            return glyphs.minus
        case _:
            return "+" if shift is Shift.NEW else "="


def _rank(rank: int | None) -> str:
    return "–" if rank is None else str(rank)


def _score_cells(compared: TraceDiff) -> int:
    """Returns the width of one score in cells; 0 if scores are not compared."""
    if not compared.by_score:
        return 0
    scores = [(one.then.score, one.now.score, one.decimals) for one in compared.results]
    return max(cell_len(number(score, decimals)) for then, now, decimals in scores for score in (then, now))


def _both_cells(cells: int) -> int:
    """Returns the width in cells of both scores, with the arrow between them and the mark."""
    return 2 * cells + 4 if cells else 0
