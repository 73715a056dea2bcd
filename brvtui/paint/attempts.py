"""Shows the attempts at one answer as rows: the engine's attempts, extra searches, and steps of the retry ladder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from brvtui.paint.glyphs import STATE_ROLES, STATE_WORDS, Glyphs, glyph_of
from brvtui.paint.line import Line, Span, line
from brvtui.paint.text import ms, plural, wrap
from brvtui.trace import Kind, Ladder, Listed, Rung, Scale, State
from brvtui.wording import shortened

_SCORE = "score"
_TIMED = 40
_NARROW = 30
_SHORTER = (("whole tree", "whole"), (" searches", ""), ("retry ladder · advice", "ladder: advice"), (" found", ""))
RUNG = "rung:"
"""The prefix of the ids of a retry ladder's steps."""


@dataclass(frozen=True, slots=True)
class Attempted:
    """One attempt, or the heading of a group of attempts. ``id`` is unique within a trace."""

    id: str
    name: str
    state: State
    found: str
    """The outcome in words; empty if the state says enough."""
    why: str
    query: str = ""
    scope: str = ""
    results: tuple[Listed, ...] = ()
    total: int = 0
    """The number of notes found. :attr:`results` may contain fewer."""
    unit: str = _SCORE
    took_ms: float | None = None
    depth: int = 0


def opened_first(rows: tuple[Attempted, ...]) -> str:
    """Returns the id of the row that is open at first: the ladder's successful step, if earlier steps found nothing."""
    found = (row.id for row in rows if row.id.startswith(RUNG) and row.results and row.state is State.HIT)
    return next((identity for identity in found if identity != f"{RUNG}0"), "")


def strategy_text(rung: Rung) -> str:
    """Describes the strategy of a ladder's step."""
    return rung.strategy.replace("_", " ")


def rung_row(rung: Rung, times: Mapping[str, float], depth: int = 0) -> Attempted:
    """Returns the row for a ladder's step. ``times`` contains durations in milliseconds, keyed by name."""
    return Attempted(
        id=f"{RUNG}{rung.number}",
        name=strategy_text(rung),
        state=rung.state,
        found=f"{rung.hits} found" if rung.ran else "",
        why=rung.why,
        query=rung.query,
        results=rung.listed,
        total=rung.hits,
        unit=rung.unit,
        took_ms=times.get(rung.timed_by),
        depth=depth,
    )


def ladder_rows(ladder: Ladder, times: Mapping[str, float]) -> tuple[Attempted, ...]:
    """Returns the rows for a ladder: its heading, then its steps."""
    name = "retry ladder" if ladder.in_route else "retry ladder · advice"
    found = f"{len(ladder.found)} found" if ladder.state is State.HIT else ""
    head = Attempted("ladder", name, ladder.state, found, ladder.why)
    return (head, *(rung_row(rung, times, depth=1) for rung in ladder.rungs))


def attempts_in_short(rows: Sequence[Attempted], ladder: Ladder) -> list[Span]:
    """Summarizes the retry ladder and the steps that ran or, if none ran, the results of each search."""
    rungs = [row for row in rows if row.id.startswith(RUNG) and row.id != f"{RUNG}0" and row.found]
    ran = rungs or [row for row in rows if row.found and not (row.depth or row.id == "ladder")]
    best = next((row for row in ran if row.state is State.HIT), None)
    advice = "" if ladder.in_route else " (advice only)"
    if ladder.state is State.FAILED or not (rungs or best):
        head = ladder.why or "no rung applies"
    elif best is None:
        head = f"no other wording found a note{advice}" if rungs else f"no note found{advice}"
    else:
        head = f"“{shortened(best.query, 40)}” found {plural(best.total, 'note')}{advice}" if rungs else "not needed"
    outcome = (head, "strong" if best else "text")
    if not ran or (best is not None and len(rungs) == 1):
        return [outcome]
    names = (f"“{shortened(row.query, 24)}”" if rungs else row.name for row in ran)
    counts = ", ".join(f"{name} {row.found}" for name, row in zip(names, ran, strict=True))
    return [outcome, (f"{'tried' if rungs else 'searches'}: {counts}", "muted")]


def head_line(row: Attempted, width: int, glyphs: Glyphs, opened: bool) -> Line:
    """Returns the first line of a row: the attempt and its outcome."""
    state = row.state.value
    reached = row.state not in (State.NOT_REACHED, State.SKIPPED, State.NOT_RUN)
    name, found = row.name, row.found or STATE_WORDS[state]
    if width < _NARROW:
        found = row.found
        for long, short in _SHORTER:
            name, found = name.replace(long, short), found.replace(long, short)
    left = Line().gap(row.depth).add(f"{glyphs.state[state]} ", STATE_ROLES[state])
    left.add(name, ("bold strong" if opened else "text") if reached else "faint")
    right = Line().add(found, "strong" if reached else "faint")
    if row.took_ms is not None and width >= _TIMED:
        right.add(f" {ms(row.took_ms):>8}", "muted")
    return left.right(width, right)


def reason_lines(row: Attempted, width: int, short: bool = False) -> list[Line]:
    """Returns the query, scope and reason of a row. If ``short``, each has one line, so that more results fit."""
    indent = 2 + row.depth
    lines = []
    if row.query:
        lines.append(Line().gap(indent).add("“", "faint").add(row.query, "text").add("”", "faint").cut(width))
    if row.scope:
        lines.append(Line().gap(indent).add("in ", "faint").add(row.scope, "muted").cut(width))
    if short:
        return [*lines, line(" " * indent + row.why, "muted").cut(width)] if row.why else lines
    return lines + [line(" " * indent + part, "muted") for part in wrap(row.why, width - indent - 1) if row.why]


def score_text(result: Listed, row: Attempted, scale: Scale) -> str:
    """Formats the score of a result in ``row``: by ``scale``, or with two decimals if it has another unit."""
    return f"{result.score:.{scale.decimals if row.unit == _SCORE else 2}f}"


def result_line(
    result: Listed, row: Attempted, scale: Scale, maturity: str, here: bool, width: int, glyphs: Glyphs
) -> Line:
    """Returns the line for a result with its score and ``maturity``. ``here`` is True for the selected result."""
    sign, role = glyph_of(result.kind or Kind.CONTEXT, maturity, glyphs)
    value = score_text(result, row, scale)
    if row.unit != _SCORE and width >= _TIMED:
        value = f"{row.unit} {value}"
    left = Line().gap(1 + row.depth).add(glyphs.here if here else " ", "accent").add(f"{sign} ", role)
    return left.add(result.title, "text").right(width, Line().add(value, "strong"))


def rest_of(row: Attempted) -> str:
    """Returns the line below a row's results: the number of further results, or a remark that there are none."""
    more = row.total - len(row.results)
    if not row.results:
        return "the scope of the searches below" if row.total else "no results"
    return f"… {more} more" if more > 0 else ""
