"""Recorded answers of the engine are in tests/parity/test_maturity.py."""

from __future__ import annotations

import pytest

from brvtui.engines.ageing.forecast import after_hits, after_updates
from tests.support.ceilings import ceiling_of
from tests.support.trees import BRV3, stored


def test_hits_leave_the_file_alone() -> None:
    made = after_hits(stored(importance=53, recency=0.4, access_count=2), 10.0, True, 5, BRV3.ageing)
    assert (made.times, made.signals.importance, made.signals.maturity, made.signals.access_count) == (
        5,
        68,
        "validated",
        7,
    )
    assert (made.signals.recency, made.days, made.signals.update_count) == (0.4, 10.0, 0)
    assert made.ceiling == ceiling_of(10.0, 68, 0.4, "validated", True, BRV3)


def test_updates_make_it_young() -> None:
    made = after_updates(stored(importance=53, recency=0.4, update_count=2), 10.0, False, 3, BRV3.ageing)
    assert (made.times, made.signals.importance, made.signals.maturity, made.signals.update_count) == (
        3,
        68,
        "validated",
        5,
    )
    assert (made.signals.recency, made.days, made.signals.access_count) == (1.0, 0.0, 0)
    assert made.ceiling == ceiling_of(0.0, 68, 1.0, "validated", False, BRV3)


@pytest.mark.parametrize("after", [after_hits, after_updates])
def test_none_changes_nothing(after: object) -> None:
    before = stored(importance=90, recency=0.4)
    made = after(before, 10.0, True, 0, BRV3)  # type: ignore[operator]
    assert (made.signals.importance, made.signals.maturity, made.signals.recency, made.days) == (90, "draft", 0.4, 10.0)


def test_importance_ends_at_its_most() -> None:
    assert after_hits(stored(importance=95), 0, True, 50, BRV3.ageing).signals.importance == 100


def test_each_hit_is_judged_by_itself() -> None:
    """A core note of 50 falls at its first hit and is only validated at 65; five hits at once would keep it core."""
    assert after_hits(stored(importance=50, maturity="core"), 0, True, 5, BRV3.ageing).signals.maturity == "validated"
