from __future__ import annotations

from pathlib import Path

import pytest

from brvtui.engines.ageing.events import PRUNING
from brvtui.engines.ageing.forecast import BoardOrder, Forecast, columns, days_to_next_event
from brvtui.ranking.maturity import LEVELS
from tests.engines.ageing.test_board import board_of, random_board
from tests.support.trees import Tree


@pytest.fixture
def garden(tree: Tree) -> Tree:
    tree.note("b/young.md", "young", days=1, importance=60)
    tree.note("a/old.md", "Old", days=50, importance=90, access_count=9)
    tree.note("a/even.md", "even", days=20, importance=60, update_count=3)
    tree.note("c/core.md", "Core", days=3, importance=91, maturity="core")
    tree.note("c/fallen.md", "fallen", days=400, importance=91, maturity="core")
    return tree


@pytest.mark.parametrize(
    ("order", "drafts"),
    [
        (BoardOrder.IMPORTANCE, ["a/old.md", "b/young.md", "a/even.md"]),
        (BoardOrder.EVENT, ["b/young.md", "a/old.md", "a/even.md"]),
        (BoardOrder.PROMOTION, ["a/old.md", "a/even.md", "b/young.md"]),
        (BoardOrder.CEILING, ["b/young.md", "a/even.md", "a/old.md"]),
        (BoardOrder.RECENCY, ["b/young.md", "a/even.md", "a/old.md"]),
        (BoardOrder.ACCESSES, ["a/old.md", "a/even.md", "b/young.md"]),
        (BoardOrder.UPDATES, ["a/even.md", "a/old.md", "b/young.md"]),
        (BoardOrder.TITLE, ["a/even.md", "a/old.md", "b/young.md"]),
    ],
)
def test_orders(order: BoardOrder, drafts: list[str], garden: Tree) -> None:
    board = board_of(garden)
    found = columns(Forecast(board, 0), order)
    paths = [[board.snapshot.notes[position].path for position in column.tolist()] for column in found]
    assert paths[0] == drafts
    assert paths[1] == []
    assert sorted(paths[2]) == ["c/core.md", "c/fallen.md"]


def test_only_the_notes_of_an_event(garden: Tree) -> None:
    board = board_of(garden)
    pruned = columns(Forecast(board, 11), BoardOrder.TITLE, PRUNING)
    assert [board.snapshot.notes[position].path for position in pruned[0].tolist()] == ["a/old.md"]
    assert not len(columns(Forecast(board, 9), BoardOrder.TITLE, PRUNING)[0])


@pytest.mark.parametrize("order", BoardOrder)
@pytest.mark.parametrize("seed", range(3))
def test_every_note_stands_once_under_its_maturity(seed: int, order: BoardOrder, tmp_path: Path) -> None:
    board = random_board(tmp_path, seed)
    found = columns(Forecast(board, 30), order)
    assert sorted(position for column in found for position in column.tolist()) == list(range(len(board)))
    for level, column in zip(LEVELS, found, strict=True):
        assert {board.snapshot.signals[position].maturity for position in column.tolist()} <= {level}


def test_the_soonest_event_is_one_that_is_ahead(garden: Tree) -> None:
    board = board_of(garden)
    for position, day in enumerate(days_to_next_event(board).tolist()):
        ahead = [coming.days for coming in Forecast(board, 0).coming(position) if coming.days > 0]
        assert day == min(ahead, default=float("inf"))
