"""Arranges the panes of a screen for a size: pure functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from brvtui.app.splits import Area, Layout, Split, Tiled, tile
from brvtui.paint.glyphs import MATURITIES

LEAST_WIDTH, LEAST_HEIGHT = 60, 18
WIDE_WIDTH, WIDE_HEIGHT = 110, 30
VERDICT = "verdict"
_FOUR_COLUMNS = 170
_ROUTE_ROWS = 8
_LEAST_BESIDE = 26
_RETRY_ROWS = 5


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
        return _below_head(plan, whole, _narrow(plan, width, tab, layout), layout)
    split = plan.wide(width, height)
    if plan.head and plan.with_own_head <= layout.hidden:
        return _below_head(plan, whole, split, layout)
    return tile(split, whole, layout)


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
    left = max(_LEAST_BESIDE, round(width * plan.beside_share))
    return Split(NARROW, True, (plan.beside, tab), (left, width - left))


def _tree_width(width: int) -> int:
    return 24 if width < 130 else min(36, width // 6)


def _wide_query(width: int, height: int) -> Split:
    route = _ROUTE_ROWS if height < 40 else min(height // 3, _ROUTE_ROWS + 10)
    rest = height - route
    columns = _four_columns(width, rest) if width >= _FOUR_COLUMNS else _three_columns(width, rest)
    return Split("route", False, ("route", columns), (route, rest))


def _four_columns(width: int, height: int) -> Split:
    tree = _tree_width(width)
    left = width - tree
    last = max(38, left // 4)
    middle = (left - last) // 2
    retry = height * 62 // 100
    retries = Split("retry over cache", False, ("retry", "cache"), (retry, height - retry))
    parts = ("tree", _answers(height, 10), "score", retries)
    return Split("four columns", True, parts, (tree, middle, left - last - middle, last))


def _three_columns(width: int, height: int) -> Split:
    tree = _tree_width(width)
    left = width - tree
    middle = left * 45 // 100
    right = left - middle
    low = max(8, height * 38 // 100)
    retries = Split("retry beside cache", True, ("retry", "cache"), (right // 2, right - right // 2))
    scores = Split("score", False, ("score", retries), (height - low, low))
    return Split("three columns", True, ("tree", _answers(height, 11), scores), (tree, middle, right))


def _answers(height: int, least: int) -> Split:
    results = max(least, height // 2)
    return Split("results", False, ("results", "answer"), (results, height - results))


QUERY = Arrangement(
    panes=("results", "score", "answer", "retry", "cache", "tree", "route"),
    beside="results",
    tabs=("score", "route", "retry", "cache", "answer", "tree"),
    wide=_wide_query,
    head=VERDICT,
    head_rows=4,
    with_own_head=frozenset({"route"}),
    aside=frozenset({"route", "retry", "cache", "graph", "answer", "tree"}),
)


def _wide_graph(width: int, height: int) -> Split:
    """The graph has much of the room; the retries are few, and stand below the tree."""
    route = _ROUTE_ROWS if height < 40 else min(height // 3, _ROUTE_ROWS + 10)
    rest = height - route
    tree = _tree_width(width)
    left = width - tree
    first = Split("tree over retry", False, ("tree", "retry"), (rest - _RETRY_ROWS, _RETRY_ROWS))
    if width >= _FOUR_COLUMNS:
        part = left * 3 // 10
        four = (first, _answers(rest, 10), "score", "graph")
        columns = Split("four columns", True, four, (tree, part, part, left - 2 * part))
    else:
        middle, low = left * 42 // 100, rest * 55 // 100
        scores = Split("score over graph", False, ("score", "graph"), (rest - low, low))
        three = (first, _answers(rest, 11), scores)
        columns = Split("three columns", True, three, (tree, middle, left - middle))
    return Split("route", False, ("route", columns), (route, rest))


QUERY_OVER_GRAPH = QUERY._replace(
    panes=tuple("graph" if pane == "cache" else pane for pane in QUERY.panes),
    tabs=tuple("graph" if pane == "cache" else pane for pane in QUERY.tabs),
    wide=_wide_graph,
)
"""The same for an engine that ranks over a graph."""


def _wide_notes(width: int, height: int) -> Split:
    tree = max(_LEAST_BESIDE + 6, width * 24 // 100)
    about = max(_LEAST_BESIDE + 8, width * 27 // 100)
    return Split("tree", True, ("tree", "note", "about"), (tree, width - tree - about, about))


NOTES = Arrangement(
    panes=("tree", "note", "about"), beside="tree", tabs=("note", "about"), wide=_wide_notes, beside_share=0.38
)


def _wide_editor(width: int, height: int) -> Split:
    right = max(42, width * 36 // 100)
    problems = max(7, height * 28 // 100)
    findings = Split("ranking", False, ("ranking", "problems"), (height - problems, problems))
    return Split("text", True, ("text", findings), (width - right, right))


EDITOR = Arrangement(
    panes=("text", "problems", "ranking"), beside="", tabs=("text", "problems", "ranking"), wide=_wide_editor
)


def _wide_log(width: int, height: int) -> Split:
    right = max(44, width * 36 // 100)
    summary = height // 2
    beside = Split("entry", False, ("entry", "summary"), (height - summary, summary))
    return Split("log", True, ("log", beside), (width - right, right))


LOG = Arrangement(
    panes=("log", "entry", "summary"), beside="log", tabs=("entry", "summary"), wide=_wide_log, beside_share=0.5
)


def _wide_lab(width: int, height: int) -> Split:
    right = max(50, width * 40 // 100)
    cell = height * 55 // 100
    beside = Split("cell", False, ("cell", "sliders"), (cell, height - cell))
    return Split("judged", True, ("judged", beside), (width - right, right))


_LAB_PANES = ("judged", "cell", "sliders")
LAB = Arrangement(panes=_LAB_PANES, beside="", tabs=_LAB_PANES, wide=_wide_lab)


def _wide_fleet(width: int, height: int) -> Split:
    height -= _FLEET_HEAD
    right = max(46, width * 42 // 100)
    members = max(8, height * 45 // 100)
    beside = Split("fleet score", False, ("score", "members"), (height - members, members))
    return Split("fleet results", True, ("results", beside), (width - right, right))


_FLEET_HEAD = 3
_FLEET_PANES = ("results", "score", "members")
FLEET = Arrangement(
    panes=_FLEET_PANES,
    beside="",
    tabs=_FLEET_PANES,
    wide=_wide_fleet,
    head="fleet-headline",
    head_rows=_FLEET_HEAD,
)


def _wide_settings(width: int, height: int) -> Split:
    right = max(40, width * 38 // 100)
    return Split("settings", True, ("settings", "setting"), (width - right, right))


SETTINGS = Arrangement(
    panes=("settings", "setting"), beside="settings", tabs=("setting",), wide=_wide_settings, beside_share=0.6
)


def _wide_maturity(width: int, height: int) -> Split:
    ageing = max(42, width * 34 // 100)
    columns = width - ageing
    sizes = tuple(
        columns // len(MATURITIES) + (number < columns % len(MATURITIES)) for number in range(len(MATURITIES))
    )
    return Split("maturity", True, (Split("columns", True, MATURITIES, sizes), "ageing"), (columns, ageing))


MATURITY = Arrangement(
    panes=(*MATURITIES, "ageing"),
    beside="",
    tabs=(*MATURITIES, "ageing"),
    wide=_wide_maturity,
    head="forecast",
    head_rows=5,
)
