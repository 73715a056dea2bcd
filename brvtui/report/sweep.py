"""A sweep as lines: a curve over one axis, a heat map over two, and the points at which queries change their tier."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from brvtui.lab.whatif.sweep import Sweep
from brvtui.lab.whatif.variant import Control, Value, Variant
from brvtui.paint.bars import eighths
from brvtui.paint.glyphs import Glyphs
from brvtui.paint.line import Line, line
from brvtui.paint.text import wrap
from brvtui.wording import counted, profile_text

_BAR, _LEAST_BAR = 30, 8
_BESIDE = 56
"""The cells beside the bar of a curve: value, mean, and how many queries each of three tiers answers."""
_SHOWN = 50
NONE = "–"


def value_text(value: Value) -> str:
    """``value`` as it is written in a profile, a number to six digits."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() else f"{value:.6g}"
    return str(value)


def queries_text(made: Sweep) -> str:
    """How many queries were asked, of how many of them the means are, and whether they are judged."""
    are_judged = any(each.documents or each.expected for each in made.queries)
    judged = "judged " if are_judged else ""
    asked = counted(len(made.queries), f"{judged}query", f"{judged}queries")
    return asked if made.measured in (0, len(made.queries)) else f"{made.measured} of {asked}"


def state_text(made: Sweep) -> str:
    """The moment as of which queries were asked, and what was replaced at every point."""
    others = f", with {made.others}" if made.others != Variant() else ""
    return f"as of {made.clock}{others}"


def control_lines(controls: Sequence[Control], width: int) -> list[Line]:
    """A line for each of ``controls``: its name, its value, the values that it can take."""
    cells = max((len(each.key) for each in controls), default=0)
    return [
        line(f" {each.key:<{cells}}  ", "text")
        .add(f"{value_text(each.base):<12}", "strong")
        .add(
            ", ".join(map(value_text, each.choices)) or f"{value_text(each.least)} to {value_text(each.most)}", "muted"
        )
        .cut(width)
        for each in controls
    ]


def sweep_lines(made: Sweep, width: int, glyphs: Glyphs) -> list[Line]:
    """The whole report in ``width`` cells."""
    names = " × ".join(axis.control.key for axis in made.axes)
    queries = queries_text(made)
    lines = [line(f" {names}: {made.metric} of {queries}", "bold strong").cut(width)]
    bases = ", ".join(f"{axis.control.key} is {value_text(axis.control.base)}" for axis in made.axes)
    lines.append(line(f" {made.engine}, profile {profile_text(made.profile)}; {bases}", "muted").cut(width))
    lines += [line(f" {state_text(made)}", "muted").cut(width), Line()]
    if all(point.mean is None for point in made.points):
        said = f" {made.metric} means nothing here: nothing says which notes these queries should find"
        lines += [line(said, "warn").cut(width), Line()]
    if len(made.axes) == 1:
        return [*lines, *_crossings(made, width), Line(), *_curve(made, width, glyphs)]
    return [*lines, *_map(made, width)]


def _curve(made: Sweep, width: int, glyphs: Glyphs) -> list[Line]:
    lines = []
    base, cells = made.axes[0].control.base, max(_LEAST_BAR, min(_BAR, width - _BESIDE))
    for point in made.points:
        (value,) = point.values
        mark = glyphs.here if value == base else " "
        entry = line(f" {mark} ", "accent").fit(value_text(value), 12, "text")
        if point.mean is not None:
            entry.add(f"{point.mean:.3f} ", "strong").add(eighths(point.mean, cells, glyphs), "accent")
        else:
            entry.add(f"    {NONE} ", "faint")
        counts = made.outcomes_at(point)
        said = ", ".join(f"{count} {outcome}" for outcome, count in counts.items())
        lines.append(entry.gap(2).add(said, "muted").cut(width))
    return lines


def _map(made: Sweep, width: int) -> list[Line]:
    """Rows of the first axis, columns of the second: the mean in hundredths."""
    first, second = made.axes
    names = [value_text(value) for value in first.values]
    left = max(len(name) for name in names) + 2
    cell = max(5, *(len(value_text(value)) + 1 for value in second.values))
    shown = second.values[: max((width - left - 1) // cell, 1)]
    lines = [line(f" {first.control.key} down, {second.control.key} across", "muted").cut(width)]
    lines.append(Line().gap(left).add("".join(f"{value_text(value):>{cell}}" for value in shown), "muted"))
    best = max((point.mean for point in made.points if point.mean is not None), default=None)
    for row, name in enumerate(names):
        entry = line(f" {name}".ljust(left), "muted")
        for column in range(len(shown)):
            mean = made.points[row * len(second.values) + column].mean
            role = "faint" if mean is None else "bold ok" if mean == best else "text"
            entry.add(f"{NONE if mean is None else f'{mean:.2f}':>{cell}}", role)
        lines.append(entry)
    left_out = len(second.values) - len(shown)
    return [*lines, line(f" {left_out} more columns; --format json holds all", "muted")] if left_out else lines


def _where(value: Value) -> str:
    """How the place of a crossing between values such as ``value`` is called."""
    if isinstance(value, (bool, str)):
        return "with this value, and not with the one before it"
    return "from this value on" if isinstance(value, int) else "past this value"


def _in_order(at: Value, values: tuple[Value, ...]) -> float:
    return values.index(at) if isinstance(at, (bool, str)) else at


def _crossings(made: Sweep, width: int) -> list[Line]:
    if not made.crossings:
        return [line(" no query is answered by another tier anywhere on the grid", "muted").cut(width)]
    values = made.axes[0].values
    lines = [line(f" {_where(values[0])}, the query is answered by another tier", "muted").cut(width)]
    texts = {each.id: each.text for each in made.queries}
    for crossing in sorted(made.crossings, key=lambda each: _in_order(each.at, values)):
        how = "" if crossing.is_solved or not isinstance(crossing.at, float) else "  (found by bisection)"
        entry = line(f"   {value_text(crossing.at):<10}", "strong").add(
            f"{crossing.before} → {crossing.after}", "accent"
        )
        lines.append(entry.add(f"  {texts[crossing.query]}", "text").add(how, "muted").cut(width))
    left_out = len(lines) - 1 - _SHOWN
    more = [line(f"   {left_out} more values; --format json holds all", "muted")] if left_out > 0 else []
    kept = "what changes between two of the values below and changes back is not seen"
    return [*lines[: _SHOWN + 1], *more, *(line(f" {part}", "faint") for part in wrap(kept, width - 2))]


def sweep_as_plain(made: Sweep) -> dict[str, Any]:
    """``made`` as JSON values."""
    return {
        "engine": made.engine,
        "profile": made.profile,
        "clock": made.clock,
        "others": str(made.others) if made.others != Variant() else "",
        "metric": str(made.metric),
        "axes": [
            {"name": axis.control.key, "now": axis.control.base, "values": list(axis.values)} for axis in made.axes
        ],
        "queries": [each.id for each in made.queries],
        "measured": made.measured,
        "points": [
            {"values": list(point.values), "mean": point.mean, "outcomes": list(point.outcomes)}
            for point in made.points
        ],
        "crossings": [
            {
                "query": each.query,
                "before": each.before,
                "after": each.after,
                "at": each.at,
                "solved": each.is_solved,
            }
            for each in made.crossings
        ],
    }
