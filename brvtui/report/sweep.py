"""Shows a sweep as lines: a curve over one axis or a heat map over two, and the points where queries change tier."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from brvtui.lab.whatif.sweep import Sweep
from brvtui.lab.whatif.variant import Control, Value, Variant
from brvtui.paint.bars import eighths
from brvtui.paint.blocks import Block, Text
from brvtui.paint.glyphs import Glyphs
from brvtui.paint.line import Line, line
from brvtui.report.lines import xml_text
from brvtui.wording import counted, profile_text

_BAR, _LEAST_BAR = 30, 8
_BESIDE = 56
"""The total width, in cells, of the columns beside a curve's bar: the value, the mean, and the numbers of queries at
three tiers.
"""
_SHOWN = 50
NONE = "–"


def value_text(value: Value) -> str:
    """Returns ``value`` in the format of a profile. Numbers have six significant digits."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() else f"{value:.6g}"
    return str(value)


def queries_text(sweep: Sweep) -> str:
    """Describes the queries: how many there are, how many count towards the means, and whether they are judged."""
    are_judged = any(each.documents or each.expected for each in sweep.queries)
    judged = "judged " if are_judged else ""
    total = counted(len(sweep.queries), f"{judged}query", f"{judged}queries")
    return total if sweep.measured in (0, len(sweep.queries)) else f"{sweep.measured} of {total}"


def state_text(sweep: Sweep) -> str:
    """Describes the conditions: the time of the queries, and the values that were replaced at every point."""
    others = f", with {sweep.others}" if sweep.others != Variant() else ""
    return f"as of {sweep.clock}{others}"


def control_lines(controls: Sequence[Control]) -> Iterator[Line]:
    """Yields a line for each of ``controls``: its name, its value, and its possible values."""
    cells = max((len(each.key) for each in controls), default=0)
    for each in controls:
        shown = line(f" {each.key:<{cells}}  ").add(f"{value_text(each.base):<12}", "strong")
        span = f"{value_text(each.least)} to {value_text(each.most)}"
        yield shown.add(", ".join(map(value_text, each.choices)) or span, "muted")


def sweep_blocks(sweep: Sweep, width: int, glyphs: Glyphs) -> Iterator[Block]:
    """Yields the whole report for ``width`` cells."""
    names = " × ".join(axis.control.key for axis in sweep.axes)
    yield line(f" {names}: {sweep.metric} of {queries_text(sweep)}", "bold strong")
    bases = ", ".join(f"{axis.control.key} is {value_text(axis.control.base)}" for axis in sweep.axes)
    yield line(f" {sweep.engine}, profile {profile_text(sweep.profile)}; {bases}", "muted")
    yield from (line(f" {state_text(sweep)}", "muted"), Line())
    if all(point.mean is None for point in sweep.points):
        warning = f" {sweep.metric} has no value: no judgment says which notes these queries should find"
        yield from (line(warning, "warn"), Line())
    if len(sweep.axes) == 1:
        yield from _crossings(sweep)
        yield Line()
        yield from _curve(sweep, max(_LEAST_BAR, min(_BAR, width - _BESIDE)), glyphs)
    else:
        yield from _map(sweep, width)


def _curve(sweep: Sweep, cells: int, glyphs: Glyphs) -> Iterator[Line]:
    for point in sweep.points:
        (value,) = point.values
        mark = glyphs.here if value == sweep.axes[0].control.base else " "
        entry = line(f" {mark} ", "accent").fit(value_text(value), 12, "text")
        if point.mean is not None:
            entry.add(f"{point.mean:.3f} ", "strong").add(eighths(point.mean, cells, glyphs), "accent")
        else:
            entry.add(f"    {NONE} ", "faint")
        counts = sweep.outcomes_at(point)
        yield entry.gap(2).add(", ".join(f"{count} {outcome}" for outcome, count in counts.items()), "muted")


def _map(sweep: Sweep, width: int) -> Iterator[Line]:
    """Yields a row per value of the first axis and a column per value of the second, in hundredths."""
    first, second = sweep.axes
    names = [value_text(value) for value in first.values]
    left = max(len(name) for name in names) + 2
    cell = max(5, *(len(value_text(value)) + 1 for value in second.values))
    shown = second.values[: max((width - left - 1) // cell, 1)]
    yield line(f" {first.control.key} down, {second.control.key} across", "muted")
    yield Line().gap(left).add("".join(f"{value_text(value):>{cell}}" for value in shown), "muted")
    best = max((point.mean for point in sweep.points if point.mean is not None), default=None)
    for row, name in enumerate(names):
        entry = line(f" {name}".ljust(left), "muted")
        for column in range(len(shown)):
            mean = sweep.points[row * len(second.values) + column].mean
            role = "faint" if mean is None else "bold ok" if mean == best else "text"
            entry.add(f"{NONE if mean is None else f'{mean:.2f}':>{cell}}", role)
        yield entry
    if left_out := len(second.values) - len(shown):
        yield line(f" {left_out} more columns; --format json shows all", "muted")


def _where(value: Value) -> str:
    """Describes where, between two values of the same type as ``value``, a query changes tier."""
    if isinstance(value, (bool, str)):
        return "with this value, but not with the one before it"
    return "from this value on" if isinstance(value, int) else "above this value"


def _in_order(at: Value, values: tuple[Value, ...]) -> float:
    return values.index(at) if isinstance(at, (bool, str)) else at


def _crossings(sweep: Sweep) -> Iterator[Block]:
    if not sweep.crossings:
        yield line(" no query changes tier at any of the values below", "muted")
        return
    values = sweep.axes[0].values
    yield line(f" {_where(values[0])}, a different tier answers the query", "muted")
    texts = {each.id: each.text for each in sweep.queries}
    for crossing in sorted(sweep.crossings, key=lambda each: _in_order(each.at, values))[:_SHOWN]:
        how = "" if crossing.is_solved or not isinstance(crossing.at, float) else "  (found by bisection)"
        entry = line(f"   {value_text(crossing.at):<10}", "strong").add(
            f"{crossing.before} → {crossing.after}", "accent"
        )
        yield entry.add(f"  {texts[crossing.query]}", "text").add(how, "muted")
    left_out = len(sweep.crossings) - _SHOWN
    if left_out > 0:
        yield line(f"   {left_out} more values; --format json shows all", "muted")
    yield Text("a change that reverts between two of the values below is not detected", "faint")


def sweep_as_plain(sweep: Sweep) -> dict[str, Any]:
    """Returns ``sweep`` as plain data for JSON."""
    return {
        "engine": sweep.engine,
        "profile": sweep.profile,
        "clock": sweep.clock,
        "others": str(sweep.others) if sweep.others != Variant() else "",
        "metric": str(sweep.metric),
        "axes": [
            {"name": axis.control.key, "now": axis.control.base, "values": list(axis.values)} for axis in sweep.axes
        ],
        "queries": [each.id for each in sweep.queries],
        "measured": sweep.measured,
        "points": [
            {"values": list(point.values), "mean": point.mean, "outcomes": list(point.outcomes)}
            for point in sweep.points
        ],
        "crossings": [
            {"query": each.query, "before": each.before, "after": each.after, "at": each.at, "solved": each.is_solved}
            for each in sweep.crossings
        ],
    }


# Draws a sweep as a picture: a curve with the values at which tiers change, or a heat map.


_WIDTH, _HEIGHT = 720, 434
_LEFT, _RIGHT, _TOP, _BOTTOM = 70, 20, 64, 60
_TICKS = 6
_INK, _MUTED, _LINE, _CROSSING = "#222222", "#767676", "#2c6fbb", "#c2571a"


def sweep_svg(sweep: Sweep) -> str:
    """Returns an SVG document with a curve or a heat map."""
    names = " × ".join(axis.control.key for axis in sweep.axes)
    title = f"{sweep.metric} of {queries_text(sweep)} over {names}, {sweep.engine} {sweep.profile}"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" width="{_WIDTH}" '
        'font-family="sans-serif" font-size="12">',
        f"<title>{xml_text(title)}</title>",
        f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="#ffffff"/>',
        _text(_LEFT, 20, title, _INK),
        _text(_LEFT, 37, state_text(sweep)),
        _text(_LEFT, 53, _legend(sweep)),
        *(_svg_curve(sweep) if len(sweep.axes) == 1 else _svg_map(sweep)),
        "</svg>\n",
    ]
    return "\n".join(parts)


def _legend(sweep: Sweep) -> str:
    now = ", ".join(f"{axis.control.key} {value_text(axis.control.base)}" for axis in sweep.axes)
    if len(sweep.axes) == 2:
        is_shown = all(axis.control.base in axis.values for axis in sweep.axes)
        return f"now: {now}{' (framed)' if is_shown else ''}"
    (axis,) = sweep.axes
    shown = " (grey line)" if _is_within(axis.values, axis.control.base) else ""
    return f"now: {now}{shown}{'; dashed: another tier answers a query' if sweep.crossings else ''}"


def _text(x: float, y: float, text: str, fill: str = _MUTED, anchor: str = "start") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" fill="{fill}" text-anchor="{anchor}">{xml_text(text)}</text>'


def _places(values: tuple[Value, ...]) -> list[float]:
    """Returns the position of each value on an axis, from 0 to 1: proportional for numbers, evenly spaced otherwise."""
    numbers = [each for each in values if not isinstance(each, (bool, str))]
    if len(numbers) == len(values) and numbers[-1] > numbers[0]:
        return [(each - numbers[0]) / (numbers[-1] - numbers[0]) for each in numbers]
    return [place / max(len(values) - 1, 1) for place in range(len(values))]


def _svg_curve(sweep: Sweep) -> Iterator[str]:
    (axis,) = sweep.axes
    wide, high = _WIDTH - _LEFT - _RIGHT, _HEIGHT - _TOP - _BOTTOM
    places = _places(axis.values)
    for number in range(_TICKS):
        y = _TOP + high * (1 - number / (_TICKS - 1))
        yield f'<line x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{y:.1f}" y2="{y:.1f}" stroke="#e4e4e4"/>'
        yield _text(_LEFT - 8, y + 4, f"{number / (_TICKS - 1):.1f}", anchor="end")
    every = max(len(axis.values) // 8, 1)
    for value, place in list(zip(axis.values, places, strict=True))[::every]:
        yield _text(_LEFT + wide * place, _HEIGHT - _BOTTOM + 18, value_text(value), anchor="middle")
    yield _text(_LEFT + wide / 2, _HEIGHT - 14, axis.control.key, _INK, "middle")
    now = axis.control.base
    if _is_within(axis.values, now):
        x = _LEFT + wide * _between(axis.values, places, now)
        yield f'<line x1="{x:.2f}" x2="{x:.2f}" y1="{_TOP}" y2="{_TOP + high}" stroke="{_MUTED}"/>'
    for crossing in sweep.crossings:
        x = _LEFT + wide * _between(axis.values, places, crossing.at)
        text = f"{value_text(crossing.at)}: {crossing.query}, {crossing.before} → {crossing.after}"
        ends = f'x1="{x:.2f}" x2="{x:.2f}" y1="{_TOP}" y2="{_TOP + high}"'
        yield f'<line {ends} stroke="{_CROSSING}" stroke-dasharray="3 3">'
        yield f"<title>{xml_text(text)}</title></line>"
    dots = [
        (_LEFT + wide * place, _TOP + high * (1 - point.mean))
        for place, point in zip(places, sweep.points, strict=True)
        if point.mean is not None
    ]
    points = " ".join(f"{x:.1f},{y:.1f}" for x, y in dots)
    yield f'<polyline points="{points}" fill="none" stroke="{_LINE}" stroke-width="2"/>'
    yield from (f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{_LINE}"/>' for x, y in dots)


def _is_within(values: tuple[Value, ...], value: Value) -> bool:
    numbers = [each for each in (values[0], value, values[-1]) if not isinstance(each, (bool, str))]
    return value in values or (len(numbers) == 3 and numbers == sorted(numbers))


def _between(values: tuple[Value, ...], places: list[float], at: Value) -> float:
    if at in values:
        return places[values.index(at)]
    assert not isinstance(at, (bool, str))
    first, last = values[0], values[-1]
    assert not isinstance(first, (bool, str))
    assert not isinstance(last, (bool, str))
    return (at - first) / (last - first)


def _svg_map(sweep: Sweep) -> Iterator[str]:
    first, second = sweep.axes
    wide = (_WIDTH - _LEFT - _RIGHT) / len(second.values)
    high = (_HEIGHT - _TOP - _BOTTOM) / len(first.values)
    means = [point.mean for point in sweep.points if point.mean is not None]
    low, span = min(means, default=0.0), (max(means, default=0.0) - min(means, default=0.0)) or 1.0
    for number, point in enumerate(sweep.points):
        row, column = divmod(number, len(second.values))
        x, y = _LEFT + column * wide, _TOP + row * high
        share = (point.mean - low) / span if point.mean is not None else 0.0
        shade = f"rgb({round(235 - 191 * share)},{round(242 - 131 * share)},{round(250 - 63 * share)})"
        fill = "#eeeeee" if point.mean is None else shade
        text = ", ".join(
            f"{axis.control.key} {value_text(value)}" for axis, value in zip(sweep.axes, point.values, strict=True)
        )
        mean = "–" if point.mean is None else f"{point.mean:.3f}"
        yield f'<rect x="{x:.1f}" y="{y:.1f}" width="{wide:.1f}" height="{high:.1f}" fill="{fill}">'
        yield f"<title>{xml_text(f'{text}: {mean}')}</title></rect>"
        ink = "#ffffff" if share > 0.6 else _INK
        if point.values == tuple(axis.control.base for axis in sweep.axes):
            corners = f"{x + 2:.1f},{y + 2:.1f} h{wide - 4:.1f} v{high - 4:.1f} h{4 - wide:.1f} z"
            yield f'<path d="M{corners}" fill="none" stroke="{_CROSSING}" stroke-width="2"/>'
        yield _text(x + wide / 2, y + high / 2 + 4, "–" if point.mean is None else f"{point.mean:.2f}", ink, "middle")
    for row, value in enumerate(first.values):
        yield _text(_LEFT - 8, _TOP + (row + 0.5) * high + 4, value_text(value), anchor="end")
    for column, value in enumerate(second.values):
        yield _text(_LEFT + (column + 0.5) * wide, _HEIGHT - _BOTTOM + 18, value_text(value), anchor="middle")
    yield _text(_LEFT + (_WIDTH - _LEFT - _RIGHT) / 2, _HEIGHT - 14, second.control.key, _INK, "middle")
    yield _text(8, _TOP - 8, first.control.key, _INK)
