"""A sweep as a picture: a curve with the values at which tiers change, or a heat map."""

from __future__ import annotations

from collections.abc import Iterator

from brvtui.lab.whatif.sweep import Sweep
from brvtui.lab.whatif.variant import Value
from brvtui.report.svg import xml_text
from brvtui.report.sweep import queries_text, state_text, value_text

_WIDTH, _HEIGHT = 720, 434
_LEFT, _RIGHT, _TOP, _BOTTOM = 70, 20, 64, 60
_TICKS = 6
_INK, _MUTED, _LINE, _CROSSING = "#222222", "#767676", "#2c6fbb", "#c2571a"


def sweep_svg(made: Sweep) -> str:
    """The text of an SVG file."""
    names = " × ".join(axis.control.key for axis in made.axes)
    title = f"{made.metric} of {queries_text(made)} over {names}, {made.engine} {made.profile}"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" width="{_WIDTH}" '
        'font-family="sans-serif" font-size="12">',
        f"<title>{xml_text(title)}</title>",
        f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="#ffffff"/>',
        _text(_LEFT, 20, title, _INK),
        _text(_LEFT, 37, state_text(made)),
        _text(_LEFT, 53, _legend(made)),
        *(_curve(made) if len(made.axes) == 1 else _map(made)),
        "</svg>\n",
    ]
    return "\n".join(parts)


def _legend(made: Sweep) -> str:
    now = ", ".join(f"{axis.control.key} {value_text(axis.control.base)}" for axis in made.axes)
    if len(made.axes) == 2:
        is_shown = all(axis.control.base in axis.values for axis in made.axes)
        return f"now: {now}{' (framed)' if is_shown else ''}"
    (axis,) = made.axes
    shown = " (grey line)" if _is_within(axis.values, axis.control.base) else ""
    return f"now: {now}{shown}{'; dashed: another tier answers a query' if made.crossings else ''}"


def _text(x: float, y: float, text: str, fill: str = _MUTED, anchor: str = "start") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" fill="{fill}" text-anchor="{anchor}">{xml_text(text)}</text>'


def _places(values: tuple[Value, ...]) -> list[float]:
    """Where the values stand on an axis, from 0 to 1: by their size, or evenly where they are no numbers."""
    numbers = [each for each in values if not isinstance(each, (bool, str))]
    if len(numbers) == len(values) and numbers[-1] > numbers[0]:
        return [(each - numbers[0]) / (numbers[-1] - numbers[0]) for each in numbers]
    return [place / max(len(values) - 1, 1) for place in range(len(values))]


def _curve(made: Sweep) -> Iterator[str]:
    (axis,) = made.axes
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
    for crossing in made.crossings:
        x = _LEFT + wide * _between(axis.values, places, crossing.at)
        said = f"{value_text(crossing.at)}: {crossing.query}, {crossing.before} → {crossing.after}"
        ends = f'x1="{x:.2f}" x2="{x:.2f}" y1="{_TOP}" y2="{_TOP + high}"'
        yield f'<line {ends} stroke="{_CROSSING}" stroke-dasharray="3 3">'
        yield f"<title>{xml_text(said)}</title></line>"
    dots = [
        (_LEFT + wide * place, _TOP + high * (1 - point.mean))
        for place, point in zip(places, made.points, strict=True)
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


def _map(made: Sweep) -> Iterator[str]:
    first, second = made.axes
    wide = (_WIDTH - _LEFT - _RIGHT) / len(second.values)
    high = (_HEIGHT - _TOP - _BOTTOM) / len(first.values)
    means = [point.mean for point in made.points if point.mean is not None]
    low, span = min(means, default=0.0), (max(means, default=0.0) - min(means, default=0.0)) or 1.0
    for number, point in enumerate(made.points):
        row, column = divmod(number, len(second.values))
        x, y = _LEFT + column * wide, _TOP + row * high
        share = (point.mean - low) / span if point.mean is not None else 0.0
        shade = f"rgb({round(235 - 191 * share)},{round(242 - 131 * share)},{round(250 - 63 * share)})"
        fill = "#eeeeee" if point.mean is None else shade
        said = ", ".join(
            f"{axis.control.key} {value_text(value)}" for axis, value in zip(made.axes, point.values, strict=True)
        )
        mean = "–" if point.mean is None else f"{point.mean:.3f}"
        yield f'<rect x="{x:.1f}" y="{y:.1f}" width="{wide:.1f}" height="{high:.1f}" fill="{fill}">'
        yield f"<title>{xml_text(f'{said}: {mean}')}</title></rect>"
        ink = "#ffffff" if share > 0.6 else _INK
        if point.values == tuple(axis.control.base for axis in made.axes):
            corners = f"{x + 2:.1f},{y + 2:.1f} h{wide - 4:.1f} v{high - 4:.1f} h{4 - wide:.1f} z"
            yield f'<path d="M{corners}" fill="none" stroke="{_CROSSING}" stroke-width="2"/>'
        yield _text(x + wide / 2, y + high / 2 + 4, "–" if point.mean is None else f"{point.mean:.2f}", ink, "middle")
    for row, value in enumerate(first.values):
        yield _text(_LEFT - 8, _TOP + (row + 0.5) * high + 4, value_text(value), anchor="end")
    for column, value in enumerate(second.values):
        yield _text(_LEFT + (column + 0.5) * wide, _HEIGHT - _BOTTOM + 18, value_text(value), anchor="middle")
    yield _text(_LEFT + (_WIDTH - _LEFT - _RIGHT) / 2, _HEIGHT - 14, second.control.key, _INK, "middle")
    yield _text(8, _TOP - 8, first.control.key, _INK)
