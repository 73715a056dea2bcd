from __future__ import annotations

import numpy as np
import pytest

from brvtui.engines.ageing.board import Board
from brvtui.engines.ageing.events import ARCHIVE, BELOW_MATURITY, LEAVES_PROMPT, LEAVES_TIER_2, PRUNING
from brvtui.engines.ageing.forecast import Forecast, calendar, curve
from tests.engines.ageing.test_board import DATED, board_of, random_board
from tests.support.trees import BRV3, NOW_MS, Tree


@pytest.fixture
def board(tree: Tree) -> Board:
    """One draft of importance 50, written and dated seven days ago."""
    tree.file("a/n.md", DATED, days=7)
    return board_of(tree)


def test_what_is_coming(board: Board) -> None:
    coming = Forecast(board, 54).coming(0)
    assert [(one.event, round(one.days, 1), one.by_then) for one in coming] == [
        (LEAVES_TIER_2, 0.0, False),
        (PRUNING, 53.0, True),
        (LEAVES_PROMPT, 53.9, True),
        (ARCHIVE, 64.2, False),
    ]


def test_maturity_stays_whatever_the_day(tree: Tree) -> None:
    """Decay writes nothing: a core note of 85 is under 60 after 70 days, and remains core, also at the next hit."""
    tree.note("a/n.md", "N", importance=85, maturity="core")
    board = board_of(tree)
    forecast = Forecast(board, 71)
    assert board.days_until[BELOW_MATURITY][0] == pytest.approx(np.log(60 / 85) / np.log(0.995))
    assert forecast.changed[BELOW_MATURITY].tolist() == [True]
    later = Board(tree.snapshot(now_ms=NOW_MS + 71 * 86_400_000), BRV3.ageing, NOW_MS + 71 * 86_400_000).row(0)
    assert (later.maturity, later.after_one_hit, later.has_come) == ("core", "core", (BELOW_MATURITY,))


def test_today_changes_nothing(board: Board) -> None:
    assert not Forecast(board, 0).any_change.any()


def test_what_has_come_is_no_change(board: Board) -> None:
    assert Forecast(board, 365).changed[LEAVES_TIER_2].tolist() == [False]
    assert Forecast(board, 365).any_change.tolist() == [True]


@pytest.mark.parametrize("seed", range(3))
def test_the_calendar_counts_what_each_day_changes(seed: int, tmp_path: object) -> None:
    board = random_board(tmp_path, seed)  # type: ignore[arg-type]
    days = calendar(board)
    for event, counts in days.items():
        assert len(counts) == 366
        assert counts[0] == 0
        for day in (1, 20, 100, 365):
            assert counts[: day + 1].sum() == pytest.approx(Forecast(board, day).changed[event].sum(), abs=0)


def test_a_curve(board: Board) -> None:
    made = curve(board, 0, 100)
    then = board.after(100)
    assert len(made.importance) == 101
    for values, today, later in (
        (made.importance, board.today.importance, then.importance),
        (made.recency, board.today.recency, then.recency),
        (made.ceiling, board.today.ceiling, then.ceiling),
    ):
        assert values[0] == today[0]
        assert values[-1] == later[0]
        assert (np.diff(values) < 0).all()


def test_a_note_from_the_future_waits(tree: Tree) -> None:
    tree.note("a/n.md", "N", days=-10)
    made = curve(board_of(tree), 0, 20)
    assert made.importance[:11].tolist() == [50.0] * 11
    assert made.importance[11] < 50
