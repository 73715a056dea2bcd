"""Arranges the panes of a screen for a size: pure functions."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

# Splits a rectangle among panes, with the user's changes: pure functions.


LEAST_COLUMNS, LEAST_ROWS = 20, 3
"""The fewest cells of a pane wherever there is room for all."""
STRIP = 5
"""The cells of a pane that is collapsed, with its border."""
_MOST_SHARE = 1e6


class Area(NamedTuple):
    """A rectangle in cells."""

    x: int
    y: int
    width: int
    height: int


class Split(NamedTuple):
    """Parts beside each other (``across``) or below each other; each is a pane's id or split again."""

    name: str
    """The key under which the user's changes are remembered."""
    across: bool
    parts: tuple[Split | str, ...]
    sizes: tuple[int, ...]
    """The cells of each part as designed."""


class Layout(NamedTuple):
    """The user's changes: the shares of each split by its name, and the hidden panes."""

    shares: Mapping[str, tuple[float, ...]] = MappingProxyType({})
    hidden: frozenset[str] = frozenset()
    collapsed: frozenset[str] = frozenset()
    """Panes beside others that have nothing to show now: strips. Nobody chose that, so it is not remembered."""

    def plain(self) -> dict[str, Any]:
        """The layout, ready for JSON."""
        return {"shares": {name: list(shares) for name, shares in self.shares.items()}, "hidden": sorted(self.hidden)}


class PaneEdge(NamedTuple):
    """The line between two parts of a split that are next to each other, at cell ``at``: the second's first."""

    split: str
    depth: int
    """The number of splits around it."""
    across: bool
    at: int
    start: int
    end: int
    """The cells along the edge: from ``start`` to before ``end``."""
    cells: tuple[int, ...]
    """The cells of each part of the split now; 0 for a hidden one."""
    first: int
    second: int
    """The places in ``cells`` of the two parts beside it."""
    least: tuple[int, int]
    """The fewest cells of each of the two."""
    before: frozenset[str]
    after: frozenset[str]
    """The panes on either side."""


class Tiled(NamedTuple):
    """The areas of panes, and the edges between them."""

    areas: Mapping[str, Area]
    edges: tuple[PaneEdge, ...] = ()


def layout_from(plain: Any) -> Layout:
    """The layout that :meth:`Layout.plain` made; whatever is not one is left out."""
    if not isinstance(plain, dict):
        return Layout()
    shares, hidden = plain.get("shares"), plain.get("hidden")
    kept = {
        name: tuple(float(share) for share in given)
        for name, given in (shares.items() if isinstance(shares, dict) else ())
        if isinstance(given, list) and given and all(_is_share(share) for share in given)
    }
    named = (name for name in hidden if isinstance(name, str)) if isinstance(hidden, list) else ()
    return Layout(kept, frozenset(named))


def _is_share(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and 0 < value <= _MOST_SHARE


def panes_of(part: Split | str) -> frozenset[str]:
    """Every pane in ``part``."""
    return frozenset({part}) if isinstance(part, str) else frozenset().union(*(panes_of(one) for one in part.parts))


def tile(part: Split | str, area: Area, layout: Layout, depth: int = 0) -> Tiled:
    """``area`` split among the panes of ``part`` that are not hidden: they fill it and never overlap."""
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
        made = tile(part.parts[number], inner, layout, depth + 1)
        areas |= made.areas
        edges += made.edges
        at += own
        if position + 1 < len(shown) and not _strips(part, shown, layout):
            edges.append(_edge(part, depth, number, shown[position + 1], at, area, cells, layout))
    return Tiled(areas, tuple(edges))


def _edge(
    split: Split, depth: int, first: int, second: int, at: int, area: Area, cells: tuple[int, ...], layout: Layout
) -> PaneEdge:
    one, other = split.parts[first], split.parts[second]
    start, length = (area.y, area.height) if split.across else (area.x, area.width)
    least = (_least(one, split.across, layout), _least(other, split.across, layout))
    before, after = panes_of(one) - layout.hidden, panes_of(other) - layout.hidden
    end = start + length
    return PaneEdge(split.name, depth, split.across, at, start, end, cells, first, second, least, before, after)


def _cells(split: Split, shown: Sequence[int], total: int, layout: Layout) -> tuple[int, ...]:
    shares = layout.shares.get(split.name, ())
    weights: Sequence[float] = shares if len(shares) == len(split.parts) else split.sizes
    strips = _strips(split, shown, layout)
    shared = [number for number in shown if number not in strips]
    least = [_least(split.parts[number], split.across, layout) for number in shared]
    sizes = apportion([weights[number] for number in shared], total - STRIP * len(strips), least)
    given = dict(zip(shared, sizes, strict=True)) | dict.fromkeys(strips, STRIP)
    return tuple(given.get(number, 0) for number in range(len(split.parts)))


def _strips(split: Split, shown: Sequence[int], layout: Layout) -> list[int]:
    """The parts of ``split`` that are strips: never all of them. Sizes beside strips are not the user's to change."""
    strips = [number for number in shown if split.across and split.parts[number] in layout.collapsed]
    return strips if len(strips) < len(shown) else []


def _least(part: Split | str, across: bool, layout: Layout) -> int:
    if isinstance(part, str):
        return LEAST_COLUMNS if across else LEAST_ROWS
    inner = [_least(one, across, layout) for one in part.parts if panes_of(one) - layout.hidden]
    return sum(inner) if part.across == across else max(inner)


def apportion(weights: Sequence[float], total: int, least: Sequence[int]) -> list[int]:
    """``total`` cells shared by ``weights``, each getting its ``least`` wherever all can have that.

    The result sums to ``total``; none is below 1 when there is a cell for each.
    """
    if sum(least) > total:
        weights, least = least, [min(1, total // len(least))] * len(least)
    whole = sum(weights)
    exact = [weight / whole * total for weight in weights]
    made = [max(floor, math.floor(share)) for share, floor in zip(exact, least, strict=True)]
    # What is left, or too much, goes to and comes from those that are furthest from their share.
    while (gap := total - sum(made)) != 0:
        step = 1 if gap > 0 else -1
        able = [number for number in range(len(made)) if gap > 0 or made[number] > least[number]]
        chosen = max(able, key=lambda number: (step * (exact[number] - made[number]), -number))
        made[chosen] += step
    return made


def moved(layout: Layout, edge: PaneEdge, by: int) -> Layout:
    """``layout`` with ``edge`` moved ``by`` cells, as far as the parts on both its sides keep what they need."""
    one, other = edge.cells[edge.first], edge.cells[edge.second]
    by = max(min(0, edge.least[0] - one), min(by, max(0, other - edge.least[1])))
    if by == 0:
        return layout
    cells = list(edge.cells)
    cells[edge.first], cells[edge.second] = one + by, other - by
    return layout._replace(shares={**layout.shares, edge.split: tuple(float(max(1, size)) for size in cells)})


def edges_beside(tiled: Tiled, pane: str, across: bool) -> Iterator[tuple[PaneEdge, int]]:
    """The edges of ``pane``, each with the direction in which moving it gives ``pane`` more.

    The innermost come first, of two the one at its right or at its bottom.
    """
    touching = [edge for edge in tiled.edges if edge.across == across and pane in edge.before | edge.after]
    for edge in sorted(touching, key=lambda edge: (-edge.depth, pane in edge.after)):
        yield edge, 1 if pane in edge.before else -1


def edge_at(tiled: Tiled, x: int, y: int) -> PaneEdge | None:
    """The edge under a cell: it takes the last cell of what is before it, and beside each other the next one too."""
    for edge in tiled.edges:
        along, across = (y, x) if edge.across else (x, y)
        near = (edge.at - 1, edge.at) if edge.across else (edge.at - 1,)
        if across in near and edge.start <= along < edge.end:
            return edge
    return None


LEAST_WIDTH, LEAST_HEIGHT = 60, 18
WIDE_WIDTH, WIDE_HEIGHT = 110, 30
LEAST_ABOVE_DIGEST = 13
"""The fewest rows above a digest: five results, with their border."""
LEAST_BESIDE = 26
"""The fewest columns of what stands beside the tabs of a narrow screen."""


class Arrangement(NamedTuple):
    """The arrangement of one screen's panes."""

    panes: tuple[str, ...]
    """Their ids in the order of focus."""
    beside: str
    """The pane beside the tabs on a narrow screen; empty when they have all of it."""
    tabs: tuple[str, ...]
    """The panes that share the room beside it, in order."""
    wide: Callable[[int, int], Split]
    """Returns the designed split of a wide screen of this width and height."""
    head: str = ""
    """The pane that stays on top of a narrow screen, and of a maximised pane."""
    head_rows: int = 0
    with_own_head: frozenset[str] = frozenset()
    """Panes that show on a wide screen what the head shows."""
    aside: frozenset[str] = frozenset()
    """Panes that are left out where few are wanted: what they show matters less at first."""
    beside_share: float = 0.44
    """The part of a narrow screen's width that :attr:`beside` takes."""
    digest: str = ""
    """The widget that says in short what :attr:`digested` panes would show: below :attr:`beside`, or the head."""
    digested: Mapping[str, int] = MappingProxyType({})
    """The rows of the digest for each pane that a wide screen does not show."""


def is_wide(width: int, height: int) -> bool:
    """Returns whether a screen of this size shows all panes at once."""
    return width >= WIDE_WIDTH and height >= WIDE_HEIGHT


def is_too_small(width: int, height: int) -> bool:
    """Returns whether a screen of this size is too small."""
    return width < LEAST_WIDTH or height < LEAST_HEIGHT


AS_DESIGNED = Layout()
NARROW = "narrow"
"""The name of the split between :attr:`Arrangement.beside` and the tabs."""


def arrange(
    plan: Arrangement,
    width: int,
    height: int,
    wide: bool,
    tab: str,
    maximised: str = "",
    layout: Layout = AS_DESIGNED,
) -> Tiled:
    """Returns the area of each visible pane in ``width`` × ``height`` cells; hidden panes are left out."""
    width, height = max(width, LEAST_WIDTH), max(height, plan.head_rows + 1)
    whole = Area(0, 0, width, height)
    if maximised and plan.head and not (wide and maximised in plan.with_own_head):
        return _below_head(plan, whole, maximised, AS_DESIGNED)
    if maximised:
        return Tiled({maximised: whole})
    if not wide:
        return _narrow_with_digest(plan, whole, _narrow(plan, width, tab, layout), layout)
    split = plan.wide(width, height)
    if plan.head and plan.with_own_head <= layout.hidden:
        return _with_digest(plan, _below_head(plan, whole, split, layout))
    return _with_digest(plan, tile(split, whole, layout))


def _with_digest(plan: Arrangement, tiled: Tiled) -> Tiled:
    """``tiled`` with the digest in the last rows of :attr:`Arrangement.beside`, if that keeps enough of them."""
    area = tiled.areas.get(plan.beside, Area(0, 0, 0, 0))
    wanted = sum(rows for pane, rows in plan.digested.items() if pane not in tiled.areas)
    rows = min(wanted, area.height - LEAST_ABOVE_DIGEST)
    if rows < LEAST_ROWS:
        return tiled
    above = area._replace(height=area.height - rows)
    digest = Area(area.x, area.y + above.height, area.width, rows)
    return tiled._replace(areas={**tiled.areas, plan.beside: above, plan.digest: digest})


def _narrow_with_digest(plan: Arrangement, whole: Area, part: Split | str, layout: Layout) -> Tiled:
    """The panes below the head, and between them a line for the digest if the screen is high enough."""
    if not plan.digested or whole.height < LEAST_ABOVE_DIGEST + LEAST_ROWS + plan.head_rows:
        return _below_head(plan, whole, part, layout)
    tiled = _below_head(plan._replace(head_rows=plan.head_rows + 1), whole, part, layout)
    head = tiled.areas[plan.head]._replace(height=plan.head_rows)
    return tiled._replace(areas={**tiled.areas, plan.head: head, plan.digest: Area(0, head.height, whole.width, 1)})


def _below_head(plan: Arrangement, whole: Area, part: Split | str, layout: Layout) -> Tiled:
    if not plan.head:
        return tile(part, whole, layout)
    rest = Area(0, plan.head_rows, whole.width, whole.height - plan.head_rows)
    made = tile(part, rest, layout)
    return Tiled({plan.head: Area(0, 0, whole.width, plan.head_rows), **made.areas}, made.edges)


def _narrow(plan: Arrangement, width: int, tab: str, layout: Layout) -> Split | str:
    if not plan.beside or plan.beside in layout.hidden:
        return tab
    if tab in layout.hidden:
        return plan.beside
    left = max(LEAST_BESIDE, round(width * plan.beside_share))
    return Split(NARROW, True, (plan.beside, tab), (left, width - left))
