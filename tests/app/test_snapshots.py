"""What the screen looks like, state by state and size by size."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from brvtui.app.app import BrvTui
from brvtui.app.project.opening import Opening
from brvtui.app.states import Phase
from brvtui.app.widgets.tree import UNSEEN, TreePane
from brvtui.saved.traces import as_json
from tests.app.driving import HUGE, NARROW, WIDE, ask, reading, screen, settled, shown, until, view
from tests.app.pictures import DARK, LIGHT, NARROW_AND_WIDE, ONLY_NARROW, ONLY_WIDE, Looks
from tests.support.trees import Tree

Before = Callable[[Pilot[Any]], Awaitable[None]]
MakeApp = Callable[..., BrvTui]


@pytest.fixture
def looks(looks: Looks) -> Looks:
    """Pictures with neighbours of one style joined."""
    return partial(looks)


def _asking(query: str, *keys: str) -> Before:
    async def before(pilot: Pilot[Any]) -> None:
        await ask(pilot, query)
        for key in keys:
            await pilot.press(key)
            await settled(pilot)

    return before


async def _unseen(pilot: Pilot[Any]) -> None:
    await settled(pilot)
    await pilot.press("f8")
    tree = screen(pilot).query_one(TreePane)
    tree.move_to(tree.choices.index(UNSEEN))
    await pilot.press("enter")


_STATES: dict[str, Before] = {
    "empty": settled,
    "llm": _asking("refresh token rotation"),
    "direct": _asking("token store"),
    "loop": _asking("refund credit note"),
    "not-covered": _asking("zebra quagga"),
    "cached": _asking("rollback", "enter", "enter"),
    "path": _asking("auth/jwt"),
    "question-mark": _asking("how are refresh tokens rotated?", "escape", "j"),
    "near-miss": _asking("invoice", "escape", "G", "w"),
    "strange": _asking("strange tricks"),
}


_ALSO_LIGHT = ("empty", "llm", "cached")
SIZE = pytest.mark.parametrize("size", NARROW_AND_WIDE)
"""For an app of its own in each size: the key bar below a dialog shows other keys once the terminal was resized."""


@pytest.mark.parametrize("state", _STATES)
async def test_a_query(looks: Looks, app: BrvTui, state: str) -> None:
    async with app.run_test(size=WIDE) as pilot:
        await _STATES[state](pilot)
        await looks(pilot, f"test_dark[{state}-{{size}}]", NARROW_AND_WIDE if state in _ALSO_LIGHT else ONLY_WIDE)
        if state in _ALSO_LIGHT:
            await looks(pilot, f"test_light[{state}-{{size}}]", ONLY_WIDE, [LIGHT])


async def test_a_near_miss_on_a_large_screen(looks: Looks, app: BrvTui) -> None:
    async with app.run_test(size=HUGE) as pilot:
        await _STATES["near-miss"](pilot)
        await looks(pilot, "test_dark[near-miss-{size}]", {"200x60": HUGE})


async def test_tabs(looks: Looks, app: BrvTui) -> None:
    async with app.run_test(size=NARROW) as pilot:
        await _asking("refresh token rotation", "enter")(pilot)
        for key in ("f4", "f5", "f6", "f7", "f8"):
            await pilot.press(key)
            await looks(pilot, f"test_tabs[{key}]", ONLY_NARROW)


_RUNGS: dict[str, Before] = {
    "attempt": _asking("token store", "f5", "j", "enter"),
    "entity": _asking("refresh token rotation", "f5", "G", "k", "k", "k", "enter", "j"),
    "strongest": _asking("rollback|freeze", "f5", "j"),
    "sanitised": _asking("refund+zzzzzzzz", "f5", "j"),
    "trigrams": _asking("tokenstore", "f5", "j"),
    "missed": _asking("tokenstore", "f5", "k", "enter"),
}


@pytest.mark.parametrize("state", _RUNGS)
async def test_rungs(looks: Looks, app: BrvTui, state: str) -> None:
    async with app.run_test(size=WIDE) as pilot:
        await _RUNGS[state](pilot)
        await looks(pilot, f"test_rungs[{state}-{{size}}]", ONLY_WIDE)


_HYBRID: dict[str, Before] = {
    "list": _asking("refresh token rotation", "escape", "P", "j"),
    "intent": _asking("any tips for an overview of invoices", "escape", "P"),
    "ladder": _asking("tokenstore", "escape", "P", "f5", "j"),
    "nothing": _asking("zebra quagga", "escape", "P"),
    "route": _asking("refresh token rotation", "escape", "P", "f4"),
    "answer": _asking("refresh token rotation", "escape", "P", "f7"),
    "reranker": _asking("refresh token rotation", "escape", "P", "f7", "l"),
    "cache": _asking("refresh token rotation", "escape", "P", "f6"),
}


@pytest.mark.parametrize("state", _HYBRID)
async def test_hybrid(looks: Looks, app: BrvTui, state: str) -> None:
    async with app.run_test(size=WIDE) as pilot:
        await _HYBRID[state](pilot)
        await looks(pilot, f"test_hybrid[{state}-{{size}}]", ONLY_WIDE)


async def test_both_legs(looks: Looks, app: BrvTui, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("brvtui.providers.services.embedder_of", lambda settings, rules: Letters())
    async with app.run_test(size=WIDE) as pilot:
        await _asking("refresh token rotation", "escape", "P", "m", "m")(pilot)
        await looks(pilot, "test_both_legs[semantic]", ONLY_WIDE)
        await pilot.press("m")
        await looks(pilot, "test_both_legs[hybrid]", ONLY_WIDE)


class Letters:
    """Vectors of how often each letter occurs, as a local model would give them."""

    name = "letters"
    is_remote = False

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        return [[text.lower().count(chr(97 + place)) + 0.1 for place in range(26)] for text in texts]


async def test_answer_tabs(looks: Looks, app: BrvTui) -> None:
    async with app.run_test(size=WIDE) as pilot:
        await _asking("refresh token rotation", "f7", "z")(pilot)
        for tab in ("prompt", "note"):
            await pilot.press("right")
            await looks(pilot, f"test_answer_tabs[{tab}]", ONLY_WIDE)


_ONCE: dict[str, Before] = {
    "test_route_maximised": _asking("refresh token rotation", "f4", "z"),
    "test_unseen_files": _unseen,
    "test_help[f1]": _asking("rollback", "f3", "f1"),
    "test_help[question_mark]": _asking("rollback", "f3", "question_mark"),
}


@pytest.mark.parametrize("name", _ONCE)
async def test_once(looks: Looks, app: BrvTui, name: str) -> None:
    async with app.run_test(size=WIDE) as pilot:
        await _ONCE[name](pilot)
        await looks(pilot, name, ONLY_WIDE)


async def test_letters(looks: Looks, garden: Tree, make_app: MakeApp, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BRV_TUI_ASCII", "1")
    async with make_app(garden.root).run_test(size=WIDE) as pilot:
        await ask(pilot, "refresh token rotation")
        await looks(pilot, "test_letters", ONLY_WIDE)


async def test_the_smallest(looks: Looks, app: BrvTui) -> None:
    async with app.run_test(size=(60, 18)) as pilot:
        await ask(pilot, "refresh token rotation")
        await looks(pilot, "test_the_smallest[{size}]", {"60x18": (60, 18), "59x17": (59, 17)})


async def test_loading(looks: Looks, app: BrvTui, stuck_at: Callable[[int, int], None]) -> None:
    stuck_at(40, 120)
    async with app.run_test(size=WIDE) as pilot:
        await until(pilot, lambda: view(pilot).project.total)
        await looks(pilot, "test_loading", ONLY_WIDE, ready=reading)


async def test_no_project(looks: Looks, make_app: MakeApp, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    async with make_app(Path("nowhere")).run_test(size=WIDE) as pilot:
        await settled(pilot)
        await looks(pilot, "test_no_project[{size}]", NARROW_AND_WIDE)


async def test_empty_tree(looks: Looks, make_app: MakeApp, tree: Tree) -> None:
    async with make_app(tree.root).run_test(size=WIDE) as pilot:
        await settled(pilot)
        await looks(pilot, "test_empty_tree", ONLY_WIDE)


async def test_saved_trace(looks: Looks, garden: Tree, tmp_path: Path) -> None:
    session = garden.session(signals_file=garden.root / "signals.json")
    file = tmp_path / "saved.json"
    file.write_bytes(as_json(session.answers.saved(session.probe("refresh token rotation"))))
    async with BrvTui(Opening(file)).run_test(size=WIDE) as pilot:
        await until(pilot, lambda: view(pilot).project.phase is Phase.READY)
        await looks(pilot, "test_saved_trace[{size}]", NARROW_AND_WIDE)


@SIZE
async def test_saving(looks: Looks, app: BrvTui, size: str) -> None:
    async with app.run_test(size=NARROW_AND_WIDE[size]) as pilot:
        await _asking("refresh token rotation", "escape", "x")(pilot)
        await looks(pilot, f"test_saving[{size}]", {size: NARROW_AND_WIDE[size]})


_SETTINGS = {"list": (), "searched": ("slash", *"reranker"), "refused": (*"jjjjjj", "enter", "x", "enter")}


@SIZE
@pytest.mark.parametrize("state", _SETTINGS)
async def test_settings(looks: Looks, app: BrvTui, state: str, size: str) -> None:
    async with app.run_test(size=NARROW_AND_WIDE[size]) as pilot:
        await _asking("", "escape", "comma", *_SETTINGS[state])(pilot)
        await looks(pilot, f"test_settings[{state}-{{size}}-{{theme}}]", {size: NARROW_AND_WIDE[size]})


@SIZE
@pytest.mark.parametrize("theme", [DARK, "brv-contrast"])
async def test_theme_list(
    looks: Looks, garden: Tree, make_app: MakeApp, monkeypatch: pytest.MonkeyPatch, theme: str, size: str
) -> None:
    monkeypatch.setenv("BRV_TUI_THEME", theme)
    app = make_app(garden.root)
    async with app.run_test(size=NARROW_AND_WIDE[size]) as pilot:
        await ask(pilot, "refresh token rotation")
        await pilot.press("escape", "T")
        await until(pilot, lambda: "brv-light" in shown(pilot))
        await pilot.press("down")
        await settled(pilot)
        await looks(pilot, f"test_theme_list[{size}-{theme}]", {size: NARROW_AND_WIDE[size]}, [app.theme])


async def test_other_themes(looks: Looks, app: BrvTui) -> None:
    async with app.run_test(size=WIDE) as pilot:
        await _asking("refresh token rotation", "escape", "j")(pilot)
        themes = ("brv-contrast", "nord", "textual-light", "ansi-dark")
        await looks(pilot, "test_other_themes[{theme}]", ONLY_WIDE, themes)


async def test_no_color(looks: Looks, garden: Tree, make_app: MakeApp, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    app = make_app(garden.root)
    async with app.run_test(size=WIDE) as pilot:
        await _asking("refresh token rotation", "escape", "j")(pilot)
        await looks(pilot, "test_no_color", ONLY_WIDE, [app.theme])
