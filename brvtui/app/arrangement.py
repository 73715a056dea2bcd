"""Pure functions that arrange a screen's panes in a given size."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

LEAST_COLUMNS, LEAST_ROWS = 20, 3
"""The minimum size of a pane in cells, if there is enough space for all panes."""
STRIP = 5
"""The width, or in a stack the height, of a collapsed pane in cells, including its border."""
_MOST_SHARE = 1e6


class Area(NamedTuple):
    """A rectangle in cells."""

    x: int
    y: int
    width: int
    height: int


class Split(NamedTuple):
    """Parts side by side (``across``) or stacked; each part is a pane's id or another split."""

    name: str
    """The key under which the user's changes are stored."""
    across: bool
    parts: tuple[Split | str, ...]
    sizes: tuple[int, ...]
    """The parts' default sizes in cells."""


class Layout(NamedTuple):
    """The user's changes to the panes: the shares of each split, keyed by its name, and the hidden panes."""

    shares: Mapping[str, tuple[float, ...]] = MappingProxyType({})
    hidden: frozenset[str] = frozenset()
    collapsed: frozenset[str] = frozenset()
    """The panes that are collapsed to strips because they are empty; they are not stored, since this is automatic."""

    def plain(self) -> dict[str, Any]:
        """Returns the layout as plain data for JSON."""
        return {"shares": {name: list(shares) for name, shares in self.shares.items()}, "hidden": sorted(self.hidden)}


class PaneEdge(NamedTuple):
    """The border between two adjacent parts of a split; ``at`` is the first cell of the second part."""

    split: str
    depth: int
    """The number of enclosing splits."""
    across: bool
    at: int
    start: int
    end: int
    """The border covers the cells from ``start`` to ``end`` (exclusive)."""
    cells: tuple[int, ...]
    """The current size of each part of the split in cells; 0 for a hidden part."""
    first: int
    second: int
    """The indices in ``cells`` of the two parts."""
    least: tuple[int, int]
    """The minimum sizes of the two parts."""
    before: frozenset[str]
    after: frozenset[str]
    """The panes on each side of the border."""


class Tiled(NamedTuple):
    """The areas of panes, and the borders between them."""

    areas: Mapping[str, Area]
    edges: tuple[PaneEdge, ...] = ()


def layout_from(plain: Any) -> Layout:
    """Parses the result of :meth:`Layout.plain`; invalid parts are ignored."""
    if not isinstance(plain, dict):
        return Layout()
    shares, hidden = plain.get("shares"), plain.get("hidden")
    valid = {
        name: tuple(float(share) for share in values)
        for name, values in (shares.items() if isinstance(shares, dict) else ())
        if isinstance(values, list) and values and all(_is_share(share) for share in values)
    }
    named = (name for name in hidden if isinstance(name, str)) if isinstance(hidden, list) else ()
    return Layout(valid, frozenset(named))


def _is_share(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and 0 < value <= _MOST_SHARE


def panes_of(part: Split | str) -> frozenset[str]:
    """Returns the ids of all panes in ``part``."""
    return frozenset({part}) if isinstance(part, str) else frozenset().union(*(panes_of(one) for one in part.parts))


def tile(part: Split | str, area: Area, layout: Layout, depth: int = 0) -> Tiled:
    """Returns ``area`` divided among the visible panes of ``part``, without gaps or overlaps."""
    if isinstance(part, str):
        return Tiled({part: area})
    shown = [number for number, one in enumerate(part.parts) if panes_of(one) - layout.hidden]
    if not shown:
        return Tiled({})
    cells = _cells(part, shown, area.width if part.across else area.height, layout)
    areas: dict[str, Area] = {}
    edges: list[PaneEdge] = []
    at = area.x if part.across else area.y
    for position, number in enumerate(shown):
        own = cells[number]
        inner = Area(at, area.y, own, area.height) if part.across else Area(area.x, at, area.width, own)
        inside = tile(part.parts[number], inner, layout, depth + 1)
        areas |= inside.areas
        edges += inside.edges
        at += own
        if position + 1 < len(shown) and not _strips(part, shown, layout):
            edges.append(_edge(part, depth, number, shown[position + 1], at, area, cells, layout))
    return Tiled(areas, tuple(edges))


def _edge(
    split: Split, depth: int, first: int, second: int, at: int, area: Area, cells: tuple[int, ...], layout: Layout
) -> PaneEdge:
    one, other = split.parts[first], split.parts[second]
    start, length = (area.y, area.height) if split.across else (area.x, area.width)
    minimums = (_least(one, split.across, layout), _least(other, split.across, layout))
    before, after = panes_of(one) - layout.hidden, panes_of(other) - layout.hidden
    end = start + length
    return PaneEdge(split.name, depth, split.across, at, start, end, cells, first, second, minimums, before, after)


def _cells(split: Split, shown: Sequence[int], total: int, layout: Layout) -> tuple[int, ...]:
    shares = layout.shares.get(split.name, ())
    weights: Sequence[float] = shares if len(shares) == len(split.parts) else split.sizes
    strips = _strips(split, shown, layout)
    shared = [number for number in shown if number not in strips]
    minimums = [_least(split.parts[number], split.across, layout) for number in shared]
    sizes = apportion([weights[number] for number in shared], total - STRIP * len(strips), minimums)
    sizes_by_part = dict(zip(shared, sizes, strict=True)) | dict.fromkeys(strips, STRIP)
    return tuple(sizes_by_part.get(number, 0) for number in range(len(split.parts)))


def _strips(split: Split, shown: Sequence[int], layout: Layout) -> list[int]:
    """Returns the indices of the collapsed parts of ``split``, which cannot be resized; none if all are collapsed."""
    parts = ((number, split.parts[number]) for number in shown)
    strips = [
        number
        for number, part in parts
        if panes_of(part) <= layout.collapsed and (isinstance(part, str) or not part.across)
    ]
    return strips if len(strips) < len(shown) else []


def _least(part: Split | str, across: bool, layout: Layout) -> int:
    if isinstance(part, str):
        return LEAST_COLUMNS if across else LEAST_ROWS
    inner = [_least(one, across, layout) for one in part.parts if panes_of(one) - layout.hidden]
    return sum(inner) if part.across == across else max(inner)


def apportion(weights: Sequence[float], total: int, least: Sequence[int]) -> list[int]:
    """Divides ``total`` cells in proportion to ``weights``; no part is below its ``least`` if that is possible for all.

    The result sums to ``total``; no part is below 1 if there are enough cells. If no weight is positive, all parts are
    equal: a screen that just became smaller may still have the split of a large one.
    """
    weights, total = [max(0, weight) for weight in weights], max(0, total)
    if not any(weights):
        weights = [1] * len(weights)
    if sum(least) > total:
        weights, least = least, [min(1, total // len(least))] * len(least)
    whole = sum(weights)
    exact = [weight / whole * total for weight in weights]
    sizes = [max(floor, math.floor(share)) for share, floor in zip(exact, least, strict=True)]
    # the remainder is added to, or taken from, the parts that are furthest from their share
    while (gap := total - sum(sizes)) != 0:
        step = 1 if gap > 0 else -1
        able = [number for number in range(len(sizes)) if gap > 0 or sizes[number] > least[number]]
        chosen = max(able, key=lambda number: (step * (exact[number] - sizes[number]), -number))
        sizes[chosen] += step
    return sizes


def moved(layout: Layout, edge: PaneEdge, by: int) -> Layout:
    """Returns ``layout`` with ``edge`` moved by ``by`` cells, or as far as the minimum sizes of both parts permit."""
    one, other = edge.cells[edge.first], edge.cells[edge.second]
    by = max(min(0, edge.least[0] - one), min(by, max(0, other - edge.least[1])))
    if by == 0:
        return layout
    cells = list(edge.cells)
    cells[edge.first], cells[edge.second] = one + by, other - by
    return layout._replace(shares={**layout.shares, edge.split: tuple(float(max(1, size)) for size in cells)})


def edges_beside(tiled: Tiled, pane: str, across: bool) -> Iterator[tuple[PaneEdge, int]]:
    """Yields the borders of ``pane``, innermost first, with the direction (1 or -1) that enlarges ``pane``."""
    touching = [edge for edge in tiled.edges if edge.across == across and pane in edge.before | edge.after]
    for edge in sorted(touching, key=lambda edge: (-edge.depth, pane in edge.after)):
        yield edge, 1 if pane in edge.before else -1


def edge_at(tiled: Tiled, x: int, y: int) -> PaneEdge | None:
    """Returns the border at a cell, or None. Horizontal borders are one cell high, vertical ones two cells wide."""
    for edge in tiled.edges:
        along, across = (y, x) if edge.across else (x, y)
        near = (edge.at - 1, edge.at) if edge.across else (edge.at - 1,)
        if across in near and edge.start <= along < edge.end:
            return edge
    return None


LEAST_WIDTH, LEAST_HEIGHT = 60, 18
WIDE_WIDTH, WIDE_HEIGHT = 110, 30
LEAST_ABOVE_DIGEST = 12
"""The minimum number of rows above a digest: four results with their border."""
LEAST_BESIDE = 26
"""The minimum width, in columns, of the pane beside the tabs on a narrow screen."""


SLIM = 100
"""On a screen with fewer columns than this, a sentence needs more rows."""


class Arrangement(NamedTuple):
    """The arrangement of the panes of one screen."""

    panes: tuple[str, ...]
    """The ids of the panes in the order of focus."""
    beside: str
    """The pane beside the tabs on a narrow screen; empty if the tabs fill it."""
    tabs: tuple[str, ...]
    """The panes that are tabs on a narrow screen, in order."""
    wide: Callable[[int, int], Split] | None = None
    """Returns the default split of a wide screen for its width and height; None if a wide screen has tabs, too."""
    head: str = ""
    """The widget that stays above the panes on a narrow screen, and above a maximised pane."""
    head_rows: int = 0
    slim_rows: int = 0
    """The number of extra rows that the head needs on a screen with fewer than :data:`SLIM` columns."""
    with_own_head: frozenset[str] = frozenset()
    """The panes that show the head's information themselves on a wide screen."""
    aside: frozenset[str] = frozenset()
    """The less important panes, which the user can hide all at once."""
    beside_share: float = 0.44
    """The share of a narrow screen for :attr:`beside`, from 0 to 1."""
    is_stacked: bool = False
    """True if :attr:`beside` is above the tabs on a narrow screen."""
    digest: str = ""
    """The widget, below :attr:`beside` or the head, that summarises the hidden :attr:`digested` panes."""
    digested: Mapping[str, int] = MappingProxyType({})
    """The panes that the digest summarises while they are hidden, each with its number of digest rows."""


def is_wide(width: int, height: int) -> bool:
    """True if a screen of this size shows all panes at once."""
    return width >= WIDE_WIDTH and height >= WIDE_HEIGHT


def is_too_small(width: int, height: int) -> bool:
    """True if a screen of this size is too small for the app."""
    return width < LEAST_WIDTH or height < LEAST_HEIGHT


AS_DESIGNED = Layout()
NARROW = "narrow"
"""The name of the split between :attr:`Arrangement.beside` and the tabs."""


def arrange(
    plan: Arrangement, width: int, height: int, wide: bool, tab: str, maximised: str = "", layout: Layout = AS_DESIGNED
) -> Tiled:
    """Returns the area of each visible pane in ``width`` × ``height`` cells; hidden panes are left out."""
    if width < SLIM:
        plan = plan._replace(head_rows=plan.head_rows + plan.slim_rows)
    width, height = max(width, LEAST_WIDTH), max(height, plan.head_rows + 1)
    whole = Area(0, 0, width, height)
    if maximised and plan.head and not (wide and maximised in plan.with_own_head):
        return _below_head(plan, whole, maximised, AS_DESIGNED)
    if maximised:
        return Tiled({maximised: whole})
    if not wide or plan.wide is None:
        layout = layout._replace(collapsed=frozenset())  # a strip has no room for tabs
        return _narrow_with_digest(plan, whole, _narrow(plan, width, tab, layout), layout)
    split = plan.wide(width, height)
    if plan.head and plan.with_own_head <= layout.hidden:
        return _with_digest(plan, _below_head(plan, whole, split, layout))
    return _with_digest(plan, tile(split, whole, layout))


def _with_digest(plan: Arrangement, tiled: Tiled) -> Tiled:
    """Returns ``tiled`` with the digest in the last rows of :attr:`Arrangement.beside`, if enough rows remain."""
    area = tiled.areas.get(plan.beside, Area(0, 0, 0, 0))
    digest_rows = sum(rows for pane, rows in plan.digested.items() if pane not in tiled.areas)
    rows = min(digest_rows, area.height - LEAST_ABOVE_DIGEST)
    if rows < LEAST_ROWS:
        return tiled
    above = area._replace(height=area.height - rows)
    digest = Area(area.x, area.y + above.height, area.width, rows)
    return tiled._replace(areas={**tiled.areas, plan.beside: above, plan.digest: digest})


def _narrow_with_digest(plan: Arrangement, whole: Area, part: Split | str, layout: Layout) -> Tiled:
    """Returns the panes below the head, with a one-line digest between them if the screen is tall enough."""
    if not plan.digested or whole.height < LEAST_ABOVE_DIGEST + LEAST_ROWS + plan.head_rows:
        return _below_head(plan, whole, part, layout)
    tiled = _below_head(plan._replace(head_rows=plan.head_rows + 1), whole, part, layout)
    head = tiled.areas[plan.head]._replace(height=plan.head_rows)
    return tiled._replace(areas={**tiled.areas, plan.head: head, plan.digest: Area(0, head.height, whole.width, 1)})


def _below_head(plan: Arrangement, whole: Area, part: Split | str, layout: Layout) -> Tiled:
    if not plan.head:
        return tile(part, whole, layout)
    rest = Area(0, plan.head_rows, whole.width, whole.height - plan.head_rows)
    panes = tile(part, rest, layout)
    return Tiled({plan.head: Area(0, 0, whole.width, plan.head_rows), **panes.areas}, panes.edges)


def _narrow(plan: Arrangement, width: int, tab: str, layout: Layout) -> Split | str:
    if not plan.beside or plan.beside in layout.hidden:
        return tab
    if tab in layout.hidden:
        return plan.beside
    left = max(LEAST_BESIDE, round(width * plan.beside_share))
    return Split(NARROW, not plan.is_stacked, (plan.beside, tab), (left, width - left))
