"""A space of ByteRover V4 in the app: asked, explained, looked at on every screen, and never changed."""

from __future__ import annotations

from pathlib import Path

import pytest

from brvtui.app.app import BrvTui
from brvtui.app.project.opening import Opening
from tests.app.driving import WIDE, ask, settled, shown, text_of, view
from tests.app.engines import toasts
from tests.support.spaces import small_space
from tests.support.untouched import state_of

NOW = 1_763_640_000_000.0


@pytest.fixture
def space(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("BRV_DATA_DIR", str(tmp_path / "data"))
    return small_space(tmp_path, NOW)


async def test_a_space_is_asked_explained_and_not_changed(space: Path) -> None:
    before = state_of(space.parent / "data", space)
    app = BrvTui(Opening(space, None, NOW, None))
    async with app.run_test(size=WIDE) as pilot:
        await ask(pilot, "refresh token")
        trace = view(pilot).answer.trace
        assert trace is not None
        assert trace.engine == "byterover_v4"
        assert [hit.path for hit in trace.hits] == ["auth/jwt.html", "ops/deploy.html"]
        assert "BYTEROVER V4" in shown(pilot)
        assert "told to cite it" in text_of(pilot, "#score")
        await pilot.press("escape", "P")
        await settled(pilot)
        assert any("ByteRover V4 alone" in said for said in toasts(pilot))
        for key in ("e", "M", "X", "I"):
            await pilot.press(key)
            await settled(pilot)
        assert any("only read here" in said for said in toasts(pilot))
        for key in ("2", "3", "4", "5", "1"):
            await pilot.press(key)
            await settled(pilot)
    assert state_of(space.parent / "data", space) == before
