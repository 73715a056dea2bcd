"""A project with a context tree and a space: chosen once, remembered, and switched by P."""

from __future__ import annotations

import asyncio
import shutil
import time
from pathlib import Path

import pytest

from brvtui.app.app import BrvTui
from brvtui.app.project.opening import Opening
from brvtui.app.query.memories import MemoryDialog
from brvtui.config.schema import Layer
from brvtui.store.app_state import MemoryChoice
from tests.app.driving import WIDE, ask, on, press, settled, until
from tests.app.looking import text_of, trace_of, view
from tests.support.spaces import SPACE_ID, small_space

NOW = 1_763_640_000_000.0


@pytest.fixture
def both(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("BRV_DATA_DIR", str(tmp_path / "data"))
    project = small_space(tmp_path, NOW)
    tree = project / ".brv" / "context-tree"
    tree.mkdir(parents=True)
    (tree / "jwt.md").write_text("# JWT\n\nA refresh token is used once.\n")
    return project


async def test_choice_of_memory_is_asked_once_and_remembered(both: Path) -> None:
    app = BrvTui(Opening(both, None, NOW, None))
    async with app.run_test(size=WIDE) as pilot:
        await on(pilot, MemoryDialog)
        for _ in range(40):  # the choice cannot be stored until a thread is free, and the app must wait for that
            asyncio.get_running_loop().run_in_executor(None, time.sleep, 0.05)
        await pilot.press("s")
        await until(pilot, lambda: app.return_code is not None)
    assert app.leaving.reopening is not None
    assert app.leaving.reopening.memory == MemoryChoice.SPACE
    again = BrvTui(Opening(both, None, NOW, None))
    async with again.run_test(size=WIDE) as pilot:
        await settled(pilot)
        assert not isinstance(again.screen, MemoryDialog)
        assert view(pilot).engine.name == "byterover_v4"
        assert again.configuration.source("engine") == (Layer.OPENED, "the memory that you chose")


async def test_unanswered_choice_of_memory_is_asked_again(both: Path) -> None:
    for _ in range(2):
        app = BrvTui(Opening(both, None, NOW, None))
        async with app.run_test(size=WIDE) as pilot:
            await until(pilot, lambda app=app: isinstance(app.screen, MemoryDialog))
            assert view(pilot).engine.name == "byterover"
            await press(pilot, "escape")


async def test_engine_option_opens_the_memory_of_that_engine(both: Path) -> None:
    for engine in ("soleri", "byterover_v4"):
        app = BrvTui(Opening(both, None, NOW, None, engine=engine))
        async with app.run_test(size=WIDE) as pilot:
            await settled(pilot)
            assert not isinstance(app.screen, MemoryDialog)
            assert view(pilot).engine.name == engine
            assert app.configuration.source("engine") == (Layer.OPTION, "--engine")


async def test_p_switches_to_the_other_memory_with_the_same_query(both: Path) -> None:
    app = BrvTui(Opening(both, None, NOW, None, memory=MemoryChoice.SPACE, query="refresh token"))
    async with app.run_test(size=WIDE) as pilot:
        await until(pilot, lambda: view(pilot).answer.trace is not None)
        assert "JWT rotation" in text_of(pilot, "#results")
        await pilot.press("escape", "P")
        await until(pilot, lambda: app.leaving.reopening is not None)
    assert app.leaving.reopening is not None
    assert (app.leaving.reopening.memory, app.leaving.reopening.query) == (MemoryChoice.TREE, "refresh token")
    back = BrvTui(app.leaving.reopening)
    async with back.run_test(size=WIDE) as pilot:
        await until(pilot, lambda: view(pilot).answer.trace is not None)
        assert view(pilot).engine.name == "byterover"
        await pilot.press("escape")
        engines = 0
        while back.leaving.reopening is None:
            engines += 1
            assert engines < 10
            await press(pilot, "P")
    assert back.leaving.reopening is not None
    assert back.leaving.reopening.memory == MemoryChoice.SPACE
    assert engines > 1


@pytest.mark.parametrize("opening", [Opening(space="Small"), Opening(root=Path("tree"))])
async def test_named_space_is_opened_even_if_the_folder_has_a_tree(
    both: Path, opening: Opening, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(both.parent / "data" / "projects" / SPACE_ID / "context-tree", both / "tree")
    monkeypatch.chdir(both)
    app = BrvTui(opening._replace(now_ms=NOW))
    async with app.run_test(size=WIDE) as pilot:
        await ask(pilot, "refresh token")
        assert trace_of(pilot).engine == "byterover_v4"
        assert ("V4 tells the agent to cite it" in text_of(pilot, "#score")) is bool(opening.space)
