"""Pictures of the screen, state by state and size by size."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from brvtui.app.app import BrvTui
from brvtui.app.project.opening import Opening
from brvtui.app.states import Phase
from brvtui.saved.traces import as_json
from tests.app.driving import NARROW, WIDE, MakeApp, ask, press, reading, settled, until
from tests.app.looking import AppPilot, shown, view
from tests.app.pictures import DARK, LIGHT, NARROW_AND_WIDE, ONLY_NARROW, ONLY_WIDE, Looks
from tests.support.trees import Tree
from tests.support.vectors import Letters

Before = Callable[[AppPilot], Awaitable[None]]


def _asking(query: str, *keys: str) -> Before:
    async def before(pilot: AppPilot) -> None:
        await ask(pilot, query)
        for key in keys:
            await press(pilot, key)

    return before


_STATES: dict[str, Before] = {
    "empty": settled,
    "llm": _asking("refresh token rotation"),
    "direct": _asking("token store"),
    "not-covered": _asking("zebra quagga"),
    "cached": _asking("rollback", "ctrl+r", "ctrl+r"),
    "near-miss": _asking("invoice", "escape", "G", "w"),
    "strange": _asking("strange tricks"),
}


_NARROW_TOO = ("empty", "llm", "cached")
SIZE = pytest.mark.parametrize("size", NARROW_AND_WIDE)
"""Starts one app per size, because resizing changes the key bar below a dialog."""


@pytest.mark.parametrize("state", _STATES)
async def test_query_screen_matches_its_pictures(looks: Looks, state: str, pilot: AppPilot) -> None:
    await _STATES[state](pilot)
    await looks(pilot, f"test_dark[{state}-{{size}}]", NARROW_AND_WIDE if state in _NARROW_TOO else ONLY_WIDE)
    if state == "llm":
        await looks(pilot, f"test_light[{state}-{{size}}]", ONLY_WIDE, [LIGHT])


async def test_narrow_tabs_match_their_pictures(looks: Looks, app: BrvTui) -> None:
    async with app.run_test(size=NARROW) as pilot:
        await _asking("refresh token rotation", "enter")(pilot)
        for key in ("f4", "f5", "f6", "f7", "f8"):
            await pilot.press(key)
            await looks(pilot, f"test_tabs[{key}]", ONLY_NARROW)


_RUNGS: dict[str, Before] = {
    "entity": _asking("refresh token rotation", "f5", "G", "k", "k", "k", "enter", "j"),
}


@pytest.mark.parametrize("state", _RUNGS)
async def test_retry_pane_matches_its_picture(looks: Looks, state: str, pilot: AppPilot) -> None:
    await _RUNGS[state](pilot)
    await looks(pilot, f"test_rungs[{state}-{{size}}]", ONLY_WIDE)


_HYBRID: dict[str, Before] = {
    "list": _asking("refresh token rotation", "escape", "P", "j"),
    "reranker": _asking("refresh token rotation", "escape", "P", "f7", "l"),
}


@pytest.mark.parametrize("state", _HYBRID)
async def test_jeffs_brain_matches_its_pictures(looks: Looks, state: str, pilot: AppPilot) -> None:
    await _HYBRID[state](pilot)
    await looks(pilot, f"test_hybrid[{state}-{{size}}]", ONLY_WIDE)


async def test_results_of_words_and_vectors_match_their_picture(
    looks: Looks, app: BrvTui, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("brvtui.providers.services.embedder_of", lambda settings, rules: Letters(0.1))
    async with app.run_test(size=WIDE) as pilot:
        await _asking("refresh token rotation", "escape", "P", "m", "m", "m")(pilot)
        await looks(pilot, "test_both_legs[hybrid]", ONLY_WIDE)


async def test_help_matches_its_picture(looks: Looks, pilot: AppPilot) -> None:
    await _asking("rollback", "f3", "f1")(pilot)
    await looks(pilot, "test_help[f1]", ONLY_WIDE)


async def test_ascii_symbols_match_the_reference_picture(
    looks: Looks, garden: Tree, make_app: MakeApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BRV_TUI_ASCII", "1")
    async with make_app(garden.root).run_test(size=WIDE) as pilot:
        await ask(pilot, "refresh token rotation")
        await looks(pilot, "test_letters", ONLY_WIDE)


async def test_smallest_sizes_match_their_pictures(looks: Looks, app: BrvTui) -> None:
    async with app.run_test(size=(60, 18)) as pilot:
        await ask(pilot, "refresh token rotation")
        await looks(pilot, "test_the_smallest[{size}]", {"60x18": (60, 18), "59x17": (59, 17)})


async def test_loading_screen_matches_its_picture(
    looks: Looks, app: BrvTui, stuck_at: Callable[[int, int], None]
) -> None:
    stuck_at(40, 120)
    async with app.run_test(size=WIDE) as pilot:
        await until(pilot, lambda: view(pilot).project.total)
        await looks(pilot, "test_loading", ONLY_WIDE, ready=reading)


async def test_missing_project_matches_its_picture(
    looks: Looks, make_app: MakeApp, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    async with make_app(Path("nowhere")).run_test(size=WIDE) as pilot:
        await settled(pilot)
        await looks(pilot, "test_no_project[{size}]", ONLY_NARROW)


async def test_empty_tree_matches_its_picture(looks: Looks, make_app: MakeApp, tree: Tree) -> None:
    async with make_app(tree.root).run_test(size=WIDE) as pilot:
        await settled(pilot)
        await looks(pilot, "test_empty_tree", ONLY_WIDE)


async def test_saved_trace_matches_its_picture(looks: Looks, garden: Tree, tmp_path: Path) -> None:
    session = garden.session(signals_file=garden.root / "signals.json")
    file = tmp_path / "saved.json"
    file.write_bytes(as_json(session.explainer.saved(session.preview("refresh token rotation"))))
    async with BrvTui(Opening(file)).run_test(size=WIDE) as pilot:
        await until(pilot, lambda: view(pilot).project.phase is Phase.READY)
        await looks(pilot, "test_saved_trace[{size}]", ONLY_WIDE)


async def test_save_dialog_matches_its_picture(looks: Looks, pilot: AppPilot) -> None:
    await _asking("refresh token rotation", "escape", "x")(pilot)
    await looks(pilot, "test_saving[{size}]", ONLY_WIDE)


@SIZE
async def test_settings_match_their_pictures(looks: Looks, app: BrvTui, size: str) -> None:
    async with app.run_test(size=NARROW_AND_WIDE[size]) as pilot:
        await _asking("", "escape", "comma")(pilot)
        await looks(pilot, "test_settings[list-{size}-{theme}]", {size: NARROW_AND_WIDE[size]})


@SIZE
async def test_theme_list_matches_its_pictures(looks: Looks, app: BrvTui, size: str) -> None:
    async with app.run_test(size=NARROW_AND_WIDE[size]) as pilot:
        await ask(pilot, "refresh token rotation", "escape", "T")
        await until(pilot, lambda: "brv-light" in shown(pilot))
        await press(pilot, "down")
        await looks(pilot, f"test_theme_list[{size}-{DARK}]", {size: NARROW_AND_WIDE[size]}, [app.theme])


async def test_terminal_colours_match_their_picture(looks: Looks, pilot: AppPilot) -> None:
    await _asking("refresh token rotation", "escape", "j")(pilot)
    await looks(pilot, "test_other_themes[{theme}]", ONLY_WIDE, ["ansi-dark"])


async def test_no_color_matches_its_picture(
    looks: Looks, garden: Tree, make_app: MakeApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    app = make_app(garden.root)
    async with app.run_test(size=WIDE) as pilot:
        await _asking("refresh token rotation", "escape", "j")(pilot)
        await looks(pilot, "test_no_color", ONLY_WIDE, [app.theme])
