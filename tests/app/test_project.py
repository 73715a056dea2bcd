"""Following the tree: one load at a time, and no missed change."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from brvtui.app.app import BrvTui
from brvtui.app.project import opening
from tests.app.driving import WIDE, settled, until
from tests.app.looking import brv, view


async def test_changes_during_a_load_cause_another_load(app: BrvTui, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("brvtui.app.project.project.CATCHING_UP_S", 0.01)
    begun: list[threading.Event] = []

    def reads(*_: Any) -> None:
        begun.append(threading.Event())
        begun[-1].wait(30)

    async with app.run_test(size=WIDE) as pilot:
        await settled(pilot)
        monkeypatch.setattr(opening, "read_tree", reads)
        for _ in range(3):
            brv(pilot).project.follow()
        await until(pilot, lambda: begun and view(pilot).watch.catching_up)
        assert len(begun) == 1
        begun[0].set()
        await until(pilot, lambda: len(begun) == 2)
        assert view(pilot).watch.catching_up
        begun[1].set()
        await until(pilot, lambda: not view(pilot).watch.catching_up)
        assert len(begun) == 2
