"""Random use of a space in the app leaves space, data folder and signals byte for byte as they were."""

from __future__ import annotations

import os
import random
import time
from pathlib import Path

import pytest

from brvtui.app.app import BrvTui
from brvtui.app.project.opening import Opening
from tests.app.driving import WIDE, settled
from tests.support.recorded import milliseconds
from tests.support.spaces import recorded_space, unpack_space
from tests.support.untouched import state_of

RECORDED = Path(__file__).parents[1] / "data" / "byterover_v4" / "space-21.json.gz"
SECONDS = float(os.environ.get("BRV_SOAK_SECONDS", "10"))
_NAMED = ("tab", "shift+tab", "enter", "pagedown", "right_square_bracket", "f9")
KEYS = (*"12345jkgGwpPmrSfnozlhMXIuBbi", *_NAMED, "escape", "escape", "escape")
"""No key that begins an edit: writing is what an edit is for."""


@pytest.mark.long
@pytest.mark.timeout(0)
async def test_random_use_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    recorded = recorded_space(RECORDED)
    unpack_space(recorded, tmp_path)
    monkeypatch.setenv("BRV_DATA_DIR", str(tmp_path / "data"))
    before = state_of(tmp_path / "data", tmp_path / "project", tmp_path / "cloud")
    chance = random.Random(18)
    queries = [case["query"] for case in recorded["cases"] if case["query"].isascii()]
    app = BrvTui(Opening(tmp_path / "project", None, milliseconds(recorded["now"]), None))
    end = time.monotonic() + SECONDS
    async with app.run_test(size=WIDE) as pilot:
        await settled(pilot)
        while time.monotonic() < end:
            if chance.random() < 0.3:
                await pilot.press("escape", "escape", "1", "i", "ctrl+u")
                await pilot.press(*(letter for letter in chance.choice(queries)[:20] if letter.isalnum()), "enter")
            for key in chance.choices(KEYS, k=chance.randint(1, 8)):
                await pilot.press(key)
            await pilot.pause()
    assert state_of(tmp_path / "data", tmp_path / "project", tmp_path / "cloud") == before
