"""Where the panes of a screen stand, for a size: pure functions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

LEAST_WIDTH, LEAST_HEIGHT = 60, 18
WIDE_WIDTH, WIDE_HEIGHT = 110, 30
VERDICT = "verdict"
_FOUR_COLUMNS = 170
_ROUTE_ROWS = 7
_LEAST_BESIDE = 26


class Place(NamedTuple):
    """A rectangle in cells."""

    x: int
    y: int
    width: int
    height: int


@dataclass(frozen=True, slots=True)
class Arrangement:
    """How the panes of one screen are arranged."""

    panes: tuple[str, ...]
    """Their ids in the order of focus."""
    beside: str
    """What stands beside the tabs on a narrow screen; empty when they have all of it."""
    tabs: tuple[str, ...]
    """What shares the place beside it there, in order."""
    wide: Callable[[int, int], dict[str, Place]]
    """The places of all panes on a wide screen, for width and height."""
    head: str = ""
    """What stays on top of a narrow screen, and of a pane that has the whole screen."""
    head_rows: int = 0
    with_own_head: frozenset[str] = frozenset()
    """Panes that show on a wide screen what the head shows."""
    beside_share: float = 0.44
    """The part of a narrow screen's width that :attr:`beside` takes."""


def is_wide(width: int, height: int) -> bool:
    """Whether a screen of this size shows all panes at once."""
    return width >= WIDE_WIDTH and height >= WIDE_HEIGHT


def is_too_small(width: int, height: int) -> bool:
    """Whether a screen of this size cannot be used."""
    return width < LEAST_WIDTH or height < LEAST_HEIGHT


def arrange(plan: Arrangement, width: int, height: int, wide: bool, tab: str, maximised: str = "") -> dict[str, Place]:
    """The place of every pane that is shown in ``width`` × ``height`` cells; what is missing is hidden."""
    width, height = max(width, LEAST_WIDTH), max(height, plan.head_rows + 1)
    if maximised:
        return _maximised(plan, width, height, wide, maximised)
    if not wide:
        return _narrow(plan, width, height, tab)
    return plan.wide(width, height)


def _maximised(plan: Arrangement, width: int, height: int, wide: bool, pane: str) -> dict[str, Place]:
    if not plan.head or (wide and pane in plan.with_own_head):
        return {pane: Place(0, 0, width, height)}
    return {
        plan.head: Place(0, 0, width, plan.head_rows),
        pane: Place(0, plan.head_rows, width, height - plan.head_rows),
    }


def _narrow(plan: Arrangement, width: int, height: int, tab: str) -> dict[str, Place]:
    top = plan.head_rows
    head = {plan.head: Place(0, 0, width, top)} if plan.head else {}
    if not plan.beside:
        return head | {tab: Place(0, top, width, height - top)}
    left = max(_LEAST_BESIDE, round(width * plan.beside_share))
    return head | {
        plan.beside: Place(0, top, left, height - top),
        tab: Place(left, top, width - left, height - top),
    }


def _tree_width(width: int) -> int:
    return 24 if width < 130 else min(36, width // 6)


def _wide_query(width: int, height: int) -> dict[str, Place]:
    route = _ROUTE_ROWS if height < 40 else min(height // 3, _ROUTE_ROWS + 10)
    rest = height - route
    tree = _tree_width(width)
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


QUERY = Arrangement(
    panes=("results", "score", "answer", "retry", "cache", "tree", "route"),
    beside="results",
    tabs=("score", "route", "retry", "cache", "answer", "tree"),
    wide=_wide_query,
    head=VERDICT,
    head_rows=3,
    with_own_head=frozenset({"route"}),
)


def _wide_notes(width: int, height: int) -> dict[str, Place]:
    left = max(_LEAST_BESIDE + 8, width * 28 // 100)
    return {"tree": Place(0, 0, left, height), "note": Place(left, 0, width - left, height)}


NOTES = Arrangement(panes=("tree", "note"), beside="tree", tabs=("note",), wide=_wide_notes)


def _wide_editor(width: int, height: int) -> dict[str, Place]:
    right = max(42, width * 36 // 100)
    problems = max(7, height * 28 // 100)
    return {
        "text": Place(0, 0, width - right, height),
        "ranking": Place(width - right, 0, right, height - problems),
        "problems": Place(width - right, height - problems, right, problems),
    }


EDITOR = Arrangement(
    panes=("text", "problems", "ranking"), beside="", tabs=("text", "problems", "ranking"), wide=_wide_editor
)
