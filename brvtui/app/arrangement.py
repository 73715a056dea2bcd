"""Where every pane of the Query screen stands, for a size: a pure function."""

from __future__ import annotations

from typing import NamedTuple

PANES = ("results", "score", "answer", "retry", "cache", "tree", "route")
"""In the order of focus after the query."""
TABS = ("score", "route", "retry", "cache", "answer", "tree")
"""What shares the place beside the results on a narrow screen, in order."""
VERDICT = "verdict"

LEAST_WIDTH, LEAST_HEIGHT = 60, 18
WIDE_WIDTH, WIDE_HEIGHT = 110, 30
_FOUR_COLUMNS = 170
_VERDICT_ROWS = 3
_ROUTE_ROWS = 7


class Place(NamedTuple):
    """A rectangle in cells."""

    x: int
    y: int
    width: int
    height: int


def is_wide(width: int, height: int) -> bool:
    """Whether a screen of this size shows all panes at once."""
    return width >= WIDE_WIDTH and height >= WIDE_HEIGHT


def is_too_small(width: int, height: int) -> bool:
    """Whether a screen of this size cannot be used."""
    return width < LEAST_WIDTH or height < LEAST_HEIGHT


def arrange(width: int, height: int, wide: bool, tab: str, maximised: str = "") -> dict[str, Place]:
    """The place of every pane that is shown in ``width`` × ``height`` cells; what is missing is hidden."""
    width, height = max(width, LEAST_WIDTH), max(height, _VERDICT_ROWS + 1)
    if maximised:
        return _maximised(width, height, wide, maximised)
    if not wide:
        return _narrow(width, height, tab)
    return _wide(width, height)


def _maximised(width: int, height: int, wide: bool, pane: str) -> dict[str, Place]:
    if pane == "route" and wide:
        return {pane: Place(0, 0, width, height)}
    return {
        VERDICT: Place(0, 0, width, _VERDICT_ROWS),
        pane: Place(0, _VERDICT_ROWS, width, height - _VERDICT_ROWS),
    }


def _narrow(width: int, height: int, tab: str) -> dict[str, Place]:
    left = max(26, round(width * 0.44))
    top = _VERDICT_ROWS
    return {
        VERDICT: Place(0, 0, width, top),
        "results": Place(0, top, left, height - top),
        tab: Place(left, top, width - left, height - top),
    }


def _wide(width: int, height: int) -> dict[str, Place]:
    route = _ROUTE_ROWS if height < 40 else min(height // 3, _ROUTE_ROWS + 10)
    rest = height - route
    tree = 24 if width < 130 else min(36, width // 6)
    places = {"route": Place(0, 0, width, route), "tree": Place(0, route, tree, rest)}
    left = width - tree
    if width >= _FOUR_COLUMNS:
        last = max(38, left // 4)
        middle = (left - last) // 2
        score = left - last - middle
        results = max(10, rest // 2)
        retry = rest * 62 // 100
        return places | {
            "results": Place(tree, route, middle, results),
            "answer": Place(tree, route + results, middle, rest - results),
            "score": Place(tree + middle, route, score, rest),
            "retry": Place(tree + middle + score, route, last, retry),
            "cache": Place(tree + middle + score, route + retry, last, rest - retry),
        }
    middle = left * 45 // 100
    right = left - middle
    low = max(8, rest * 38 // 100)
    retry = right // 2
    results = max(11, rest // 2)
    return places | {
        "results": Place(tree, route, middle, results),
        "answer": Place(tree, route + results, middle, rest - results),
        "score": Place(tree + middle, route, right, rest - low),
        "retry": Place(tree + middle, route + rest - low, retry, low),
        "cache": Place(tree + middle + retry, route + rest - low, right - retry, low),
    }
