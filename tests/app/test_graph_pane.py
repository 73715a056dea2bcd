"""The Graph pane: it replaces the Cache pane, and you can move along links."""

from __future__ import annotations

from pathlib import Path

import pytest

from brvtui.app.query.graph import GraphPane
from tests.app.driving import NARROW, WIDE, MakeApp, ask, at_all_sizes, at_two_sizes, press, settled, until
from tests.app.engines import switch_to
from tests.app.linked import HUB, HUB_TEXT, STORE
from tests.app.looking import AppPilot, screen, shown, text_of, toasts, view
from tests.app.pictures import Looks
from tests.support.trees import Tree

HANDOVER = "ops/handover.md"
ENTRY = "auth/jwt/entry.md"


@pytest.fixture
def linked(garden: Tree) -> Tree:
    """Notes, one of which can be reached only through links."""
    garden.file(HUB, HUB_TEXT)
    garden.file(HANDOVER, "# Handover\n\nWhoever leaves says what is open.\n")
    garden.file(ENTRY, f"---\nrelated: [{HANDOVER}]\ntags: [gate]\n---\n# Token entry\n\nA token store begins here.\n")
    return garden


def pane(pilot: AppPilot) -> GraphPane:
    return screen(pilot).query_one(GraphPane)


def centre(pilot: AppPilot) -> str:
    drawn = pane(pilot).neighbourhood
    return drawn.id if drawn is not None else ""


async def opened(pilot: AppPilot, file: str) -> None:
    """Runs the engine ``knowing``, selects ``file``, and opens the graph."""
    await ask(pilot, "token store", "escape")
    await switch_to(pilot, "knowing")
    pilot.app.select(file)  # type: ignore[attr-defined]
    await press(pilot, "f6")


async def to_neighbour(pilot: AppPilot, place: str) -> None:
    """Moves down to ``place``."""
    for _ in pane(pilot).choices:
        if pane(pilot).chosen != place:
            await pilot.press("j")
    assert pane(pilot).chosen == place


@at_all_sizes
async def test_graph_follows_links_and_returns(linked: Tree, size: tuple[int, int], pilot: AppPilot) -> None:
    await opened(pilot, HANDOVER)
    assert pilot.app.focused is pane(pilot)
    assert centre(pilot) == HANDOVER
    assert "Handover" in text_of(pilot, "#graph")
    await to_neighbour(pilot, ENTRY)
    assert view(pilot).selection.file == HANDOVER  # moving to a neighbour does not select it yet
    await press(pilot, "enter")
    assert centre(pilot) == ENTRY
    assert view(pilot).selection.file == ENTRY
    assert "Token entry" in text_of(pilot, "#score") or size == NARROW
    await to_neighbour(pilot, "tag://gate")
    await press(pilot, "l")
    assert centre(pilot) == "tag://gate"
    assert view(pilot).selection.file == ENTRY  # a tag is not a note, so it cannot be selected
    await pilot.press("h")
    assert centre(pilot) == ENTRY
    assert pane(pilot).chosen == "tag://gate"
    await press(pilot, "backspace")
    assert (centre(pilot), view(pilot).selection.file) == (HANDOVER, HANDOVER)
    await pilot.press("backspace")
    assert any("began" in text for text in toasts(pilot))


async def test_graph_replaces_the_cache(linked: Tree, make_app: MakeApp) -> None:
    async with make_app(linked.root).run_test(size=NARROW) as pilot:
        await ask(pilot, "token store")
        await press(pilot, "escape", "f6")
        assert screen(pilot).stop == "cache"
        assert "Cache" in shown(pilot)
        assert not pane(pilot).display
        await switch_to(pilot, "knowing")
        assert screen(pilot).stop == "graph"
        assert "Graph" in shown(pilot)
        assert "Cache" not in shown(pilot)
        await switch_to(pilot, "byterover")
        assert screen(pilot).stop == "cache"
        assert not pane(pilot).display


@at_two_sizes
async def test_graph_keys_are_in_the_key_bar_and_in_help(linked: Tree, size: tuple[int, int], pilot: AppPilot) -> None:
    await opened(pilot, HANDOVER)
    bar = shown(pilot).splitlines()[-1]
    assert "Enter go there" in bar
    assert "Backspace go back" not in bar, "nobody walked yet"
    assert "v as SVG" in bar
    await press(pilot, "enter")
    assert "Backspace go back" in shown(pilot).splitlines()[-1]
    for key in ("f1", "question_mark"):
        await press(pilot, key)
        text = ""
        for _ in range(12):
            text += shown(pilot)
            await pilot.press("pagedown")
        assert "Go back to the previous centre" in text, key
        await pilot.press("escape")


async def test_pictures_get_new_file_names_and_other_notes_reset_the_graph(
    linked: Tree, make_app: MakeApp, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    folder = tmp_path / "pictures"
    monkeypatch.setattr("brvtui.app.exporting.sharing.pictures_folder", lambda: folder)
    async with make_app(linked.root).run_test(size=WIDE) as pilot:
        await opened(pilot, HANDOVER)
        for names in (["graph-of-handover.svg"], ["graph-of-handover-2.svg", "graph-of-handover.svg"]):
            await pilot.press("v")
            await until(pilot, lambda names=names: sorted(one.name for one in folder.glob("*.svg")) == names)  # type: ignore[misc]
            await settled(pilot)
        assert "Token entry" in (folder / "graph-of-handover.svg").read_text()
        assert any(str(folder / "graph-of-handover.svg") in text for text in toasts(pilot))
        blocked = tmp_path / "blocked"
        blocked.write_text("")
        monkeypatch.setattr("brvtui.app.exporting.sharing.pictures_folder", lambda: blocked / "below")
        await pilot.press("v")
        await until(pilot, lambda: any("no picture" in text for text in toasts(pilot)))
        await to_neighbour(pilot, ENTRY)
        await press(pilot, "enter")
        pilot.app.select(STORE)  # type: ignore[attr-defined]
        await settled(pilot)
        assert centre(pilot) == STORE
        await pilot.press("backspace")
        assert centre(pilot) == STORE
        await ask(pilot, "token entry")
        assert centre(pilot) == view(pilot).selection.file


async def test_graph_matches_its_pictures(looks: Looks, linked: Tree, pilot: AppPilot) -> None:
    await opened(pilot, ENTRY)
    await looks(pilot, "test_graph[{size}]")
