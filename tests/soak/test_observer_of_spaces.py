"""Random use of a space in the app leaves the space, data folder and signals unchanged, byte for byte."""

from __future__ import annotations

import json
import os
import random
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from brvtui.app.app import BrvTui
from brvtui.app.project.opening import Opening
from brvtui.engines.byterover_v4.pending_rows import ROWS
from tests.app.driving import WIDE, settled
from tests.support.recorded import milliseconds
from tests.support.spaces import recorded_space, unpack_space
from tests.support.untouched import state_of

RECORDED = Path(__file__).parents[1] / "data" / "byterover_v4" / "space-21.json.gz"
SECONDS = float(os.environ.get("BRV_SOAK_SECONDS", "10"))
_NAMED = ("tab", "shift+tab", "enter", "pagedown", "right_square_bracket", "f9")
KEYS = (*"12345jkgGwpPmrSfnozlhMXIuBbi", *_NAMED, "escape", "escape", "escape")
"""Keys that begin no edit, because edits write to the space."""


@pytest.mark.long
@pytest.mark.timeout(0)
async def test_random_use_of_the_app_changes_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    recorded = recorded_space(RECORDED)
    unpack_space(recorded, tmp_path)
    monkeypatch.setenv("BRV_DATA_DIR", str(tmp_path / "data"))
    queries = [case["query"] for case in recorded["cases"] if case["query"].isascii()]
    (tmp_path / "data" / ROWS).write_text("\n".join(_rows(str(tmp_path / "project"), queries)) + "\n", encoding="utf-8")
    before = state_of(tmp_path / "data", tmp_path / "project", tmp_path / "cloud")
    chance, pressed = random.Random(18), 0
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
                pressed += 1
            await pilot.pause()
    print(f"{pressed} keys beside those of the queries")
    assert state_of(tmp_path / "data", tmp_path / "project", tmp_path / "cloud") == before


def _rows(folder: str, queries: Sequence[str]) -> Iterator[str]:
    """Rows waiting to be sent, which the Log reads."""
    for query in queries[:50]:
        held = {"ok": True, "data": {"hits": [], "citation_block": ""}}
        known = {"command": "query", "args": [query], "cwd": folder, "ok": True, "duration_ms": 1, "result": held}
        yield json.dumps({"occurred_at": "2026-11-20T11:00:00.000Z", "properties": known})
