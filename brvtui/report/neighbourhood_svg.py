"""Draws the links around one node of a graph as an SVG without external resources. Heavier links are thicker."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from xml.sax.saxutils import escape, quoteattr

from rich.cells import cell_len

from brvtui.paint.neighbourhood import HEAVY, LEAST_TOLD, LIGHT, Neighbour, Neighbourhood
from brvtui.paint.text import wrap
from brvtui.report.lines import xml_text

_INK, _MUTED, _LINK, _SEED, _GROUND = "#1d2430", "#5b6675", "#2f6f9f", "#b4540a", "#ffffff"
_CELL = 7.4
"""The width of a character in pixels."""
_ROW = 18
"""The height of a line of text in pixels."""
_BOX_CELLS, _PAD, _GAP = 26, 12, 16
_SPAN = 160
"""The width of the space between the centre and its neighbours, in pixels."""
_THICKEST, _THINNEST = 7.0, 1.2
ColouredText = tuple[str, str]
"""A line of text and its colour."""
_TEXT = 'font-family="DejaVu Sans Mono, Menlo, Consolas, monospace" font-size="12"'


def neighbourhood_svg(shown: Neighbourhood) -> str:
    """Draws ``shown`` as SVG: the centre in the middle, places that point to it on the left, other places on the right.

    Seeds have a double frame and the word "seed". A link with little weight is dotted.
    """
    sides = _sides(shown.neighbours)
    boxes = [[_texts(one) for one in side] for side in sides]
    centre = _centre_texts(shown)
    heights = [sum(_height(texts) + _GAP for texts in side) - _GAP for side in boxes]
    height = max(*heights, _height(centre)) + 2 * _PAD + 2 * _ROW
    wide = _BOX_CELLS * _CELL + 2 * _PAD
    width = 3 * wide + 2 * _SPAN + 2 * _PAD
    middle_x, middle_y = width / 2, (height - _ROW) / 2
    parts: list[str] = []
    for number, (side, own_boxes, tall) in enumerate(zip(sides, boxes, heights, strict=True)):
        x = _PAD if not number else width - _PAD - wide
        y = middle_y - tall / 2
        for one, texts in zip(side, own_boxes, strict=True):
            own = _height(texts)
            inner, outer = (x + wide, middle_x - wide / 2) if not number else (x, middle_x + wide / 2)
            parts += _link(one, (outer, middle_y), (inner, y + own / 2))
            parts += _box(texts, (x, y, wide, own), one.is_seed, is_centre=False)
            y += own + _GAP
    own = _height(centre)
    parts += _box(centre, (middle_x - wide / 2, middle_y - own / 2, wide, own), shown.is_seed, is_centre=True)
    legend = f"thick: weight {HEAVY} or more; dotted: below {LIGHT}; double frame: seed of the walk"
    parts.append(_line(legend, _PAD, height - _PAD, _MUTED))
    return "\n".join((*_head(shown, width, height), *parts, "</svg>", ""))


def _head(shown: Neighbourhood, width: float, height: float) -> Iterator[str]:
    yield f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}">'
    yield f"<title>{escape(xml_text(f'Links of {shown.title}'))}</title>"
    # on a transparent background, a viewer with a dark theme would hide the dark lines
    yield f'<rect width="100%" height="100%" fill="{_GROUND}"/>'


def _sides(neighbours: Sequence[Neighbour]) -> tuple[list[Neighbour], list[Neighbour]]:
    """Returns the places that point to the centre, and the others. If one group is empty, splits the other in two."""
    left, right = [one for one in neighbours if not one.leads_away], [one for one in neighbours if one.leads_away]
    if not left or not right:
        left, right = list(neighbours[1::2]), list(neighbours[::2])
    return left, right


def _texts(one: Neighbour) -> list[ColouredText]:
    """Returns the texts for a neighbour: its title, its kind, and the weight of its link with its share of the walk."""
    what = ", ".join(filter(None, (one.kind, f"result {one.rank}" if one.rank else "", "seed" if one.is_seed else "")))
    share = f", {one.share:.0%} of the walk" if one.share >= LEAST_TOLD else ""
    return [*_wrapped(one.title, _INK), *_wrapped(what, _INK), *_wrapped(f"{one.words} {one.weight:.2g}{share}", _LINK)]


def _centre_texts(shown: Neighbourhood) -> list[ColouredText]:
    return [*_wrapped(shown.title, _INK), *_wrapped(shown.about, _MUTED)]


def _wrapped(text: str, colour: str) -> list[ColouredText]:
    return [(part, colour) for part in wrap(xml_text(text), _BOX_CELLS)] if text else []


def _height(texts: Sequence[ColouredText]) -> float:
    return len(texts) * _ROW + 2 * _PAD


def _box(
    texts: Sequence[ColouredText], area: tuple[float, float, float, float], is_seed: bool, is_centre: bool
) -> Iterator[str]:
    x, y, width, height = area
    colour = _SEED if is_seed else _INK
    yield _frame(x, y, width, height, colour, 3 if is_centre else 1.4)
    if is_seed:
        yield _frame(x + 4, y + 4, width - 8, height - 8, colour, 1)
    for number, (text, ink) in enumerate(texts):
        yield _line(text, x + _PAD, y + _PAD + number * _ROW + 13, ink)


def _frame(x: float, y: float, width: float, height: float, colour: str, stroke: float) -> str:
    place = f'x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" rx="6"'
    return f'<rect {place} fill="{_GROUND}" stroke="{colour}" stroke-width="{stroke}"/>'


def _link(one: Neighbour, centre: tuple[float, float], other: tuple[float, float]) -> Iterator[str]:
    """Yields the curve between the centre and a neighbour, and the arrowhead at its end."""
    start, end = (centre, other) if one.leads_away else (other, centre)
    bend = (start[0] + end[0]) / 2
    thick = max(_THINNEST, min(1.0, one.weight) * _THICKEST)
    dots = ' stroke-dasharray="2 5"' if one.weight < LIGHT else ""
    curve = (
        f"M{start[0]:.1f} {start[1]:.1f} C{bend:.1f} {start[1]:.1f} {bend:.1f} {end[1]:.1f} {end[0]:.1f} {end[1]:.1f}"
    )
    yield f'<path d="{curve}" fill="none" stroke="{_LINK}" stroke-width="{thick:.1f}"{dots}/>'
    back = -14 if end[0] > start[0] else 14
    tip = f"{end[0]:.1f},{end[1]:.1f} {end[0] + back:.1f},{end[1] - 8:.1f} {end[0] + back:.1f},{end[1] + 8:.1f}"
    yield f'<polygon points="{tip}" fill="{_LINK}"/>'


def _line(text: str, x: float, y: float, colour: str) -> str:
    cells = quoteattr(f"{cell_len(text) * _CELL:.1f}")
    return f'<text x="{x:.1f}" y="{y:.1f}" {_TEXT} fill="{colour}" textLength={cells}>{escape(text)}</text>'
