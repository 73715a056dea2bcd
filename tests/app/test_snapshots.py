"""What the screen looks like, state by state and size by size."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from brvtui.app import engine
from brvtui.app.app import BrvTui
from brvtui.app.messages import Progressed
from brvtui.app.parts.project import Opening
from brvtui.app.states import Phase
from brvtui.app.widgets.tree import UNSEEN, TreePane
from brvtui.saved.traces import as_json
from tests.app.driving import NARROW, SIZES, WIDE, ask, screen, settled, shown, until, view
from tests.support.trees import Tree

Before = Callable[[Pilot[Any]], Awaitable[None]]
Compare = Callable[..., bool]


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


@pytest.mark.parametrize("size", SIZES.values(), ids=SIZES)
@pytest.mark.parametrize("state", _STATES.values(), ids=_STATES)
def test_dark(snap_compare: Compare, app: BrvTui, state: Before, size: tuple[int, int]) -> None:
    assert snap_compare(app, terminal_size=size, run_before=state)


@pytest.mark.parametrize("size", SIZES.values(), ids=SIZES)
@pytest.mark.parametrize("state", ["empty", "llm", "cached"])
def test_light(snap_compare: Compare, app: BrvTui, state: str, size: tuple[int, int]) -> None:
    app.theme = "brv-light"
    assert snap_compare(app, terminal_size=size, run_before=_STATES[state])


@pytest.mark.parametrize("key", ["f4", "f5", "f6", "f7", "f8"])
def test_tabs(snap_compare: Compare, app: BrvTui, key: str) -> None:
    assert snap_compare(app, terminal_size=NARROW, run_before=_asking("refresh token rotation", "enter", key))


_RUNGS: dict[str, Before] = {
    "attempt": _asking("token store", "f5", "j", "enter"),
    "entity": _asking("refresh token rotation", "f5", "G", "k", "k", "k", "enter", "j"),
    "strongest": _asking("rollback|freeze", "f5", "j"),
    "sanitised": _asking("refund+zzzzzzzz", "f5", "j"),
    "trigrams": _asking("tokenstore", "f5", "j"),
    "missed": _asking("tokenstore", "f5", "k", "enter"),
}


@pytest.mark.parametrize("size", [NARROW, WIDE], ids=["80x24", "120x36"])
@pytest.mark.parametrize("state", _RUNGS.values(), ids=_RUNGS)
def test_rungs(snap_compare: Compare, app: BrvTui, state: Before, size: tuple[int, int]) -> None:
    assert snap_compare(app, terminal_size=size, run_before=state)


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


@pytest.mark.parametrize("size", [NARROW, WIDE], ids=["80x24", "120x36"])
@pytest.mark.parametrize("state", _HYBRID.values(), ids=_HYBRID)
def test_hybrid(snap_compare: Compare, app: BrvTui, state: Before, size: tuple[int, int]) -> None:
    assert snap_compare(app, terminal_size=size, run_before=state)


@pytest.mark.parametrize("mode", ["hybrid", "semantic"])
def test_both_legs(snap_compare: Compare, app: BrvTui, monkeypatch: pytest.MonkeyPatch, mode: str) -> None:
    monkeypatch.setattr("brvtui.providers.services.embedder_of", lambda settings, rules: Letters())
    presses = {"hybrid": 3, "semantic": 2}[mode]
    before = _asking("refresh token rotation", "escape", "P", *["m"] * presses)
    assert snap_compare(app, terminal_size=WIDE, run_before=before)


class Letters:
    """Vectors of how often each letter occurs, as a local model would give them."""

    name = "letters"
    is_remote = False

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        return [[text.lower().count(chr(97 + place)) + 0.1 for place in range(26)] for text in texts]


@pytest.mark.parametrize("tab", ["prompt", "note"])
def test_answer_tabs(snap_compare: Compare, app: BrvTui, tab: str) -> None:
    rights = ["right"] if tab == "prompt" else ["right", "right"]
    assert snap_compare(app, terminal_size=WIDE, run_before=_asking("refresh token rotation", "f7", "z", *rights))


def test_route_maximised(snap_compare: Compare, app: BrvTui) -> None:
    assert snap_compare(app, terminal_size=WIDE, run_before=_asking("refresh token rotation", "f4", "z"))


def test_unseen_files(snap_compare: Compare, app: BrvTui) -> None:
    assert snap_compare(app, terminal_size=WIDE, run_before=_unseen)


def test_letters(snap_compare: Compare, monkeypatch: pytest.MonkeyPatch, garden: Tree, make_app: Any) -> None:
    monkeypatch.setenv("BRV_TUI_ASCII", "1")
    assert snap_compare(make_app(garden.root), terminal_size=WIDE, run_before=_asking("refresh token rotation"))


@pytest.mark.parametrize("size", [(60, 18), (59, 17)], ids=["60x18", "59x17"])
def test_the_smallest(snap_compare: Compare, app: BrvTui, size: tuple[int, int]) -> None:
    assert snap_compare(app, terminal_size=size, run_before=_asking("refresh token rotation"))


@pytest.mark.parametrize("key", ["f1", "question_mark"])
def test_help(snap_compare: Compare, app: BrvTui, key: str) -> None:
    assert snap_compare(app, terminal_size=WIDE, run_before=_asking("rollback", "f3", key))


def test_loading(snap_compare: Compare, app: BrvTui, monkeypatch: pytest.MonkeyPatch) -> None:
    def stuck(*asked: object) -> None:
        post = asked[-1]
        assert callable(post)
        post(Progressed(40, 120))

    async def progress(pilot: Pilot[Any]) -> None:
        while not view(pilot).project.total:
            await pilot.pause()
        await pilot.pause()

    monkeypatch.setattr(engine, "open_project", stuck)
    assert snap_compare(app, terminal_size=WIDE, run_before=progress)


@pytest.mark.parametrize("size", [NARROW, WIDE], ids=["80x24", "120x36"])
def test_no_project(
    snap_compare: Compare, make_app: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, size: tuple[int, int]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert snap_compare(make_app(Path("nowhere")), terminal_size=size, run_before=settled)


def test_empty_tree(snap_compare: Compare, make_app: Any, tree: Tree) -> None:
    assert snap_compare(make_app(tree.root), terminal_size=WIDE, run_before=settled)


@pytest.mark.parametrize("size", [NARROW, WIDE], ids=["80x24", "120x36"])
def test_saved_trace(snap_compare: Compare, garden: Tree, tmp_path: Path, size: tuple[int, int]) -> None:
    session = garden.session(signals_file=garden.root / "signals.json")
    file = tmp_path / "saved.json"
    file.write_bytes(as_json(session.answers.saved(session.probe("refresh token rotation"))))
    assert snap_compare(BrvTui(Opening(file)), terminal_size=size, run_before=_reopened)


async def _reopened(pilot: Pilot[Any]) -> None:
    await until(pilot, lambda: view(pilot).project.phase is Phase.READY)
    await pilot.pause()


@pytest.mark.parametrize("size", [NARROW, WIDE], ids=["80x24", "120x36"])
def test_saving(snap_compare: Compare, app: BrvTui, size: tuple[int, int]) -> None:
    assert snap_compare(app, terminal_size=size, run_before=_asking("refresh token rotation", "escape", "x"))


@pytest.mark.parametrize("theme", ["brv-dark", "brv-light"])
@pytest.mark.parametrize("size", [NARROW, WIDE], ids=["80x24", "120x36"])
@pytest.mark.parametrize("keys", [(), ("slash", *"reranker"), (*"jjjjjjj", "enter", "x", "enter")],
                         ids=["list", "searched", "refused"])  # fmt: skip
def test_settings(snap_compare: Compare, app: BrvTui, keys: tuple[str, ...], size: tuple[int, int], theme: str) -> None:
    app.theme = theme
    assert snap_compare(app, terminal_size=size, run_before=_asking("", "escape", "comma", *keys))


@pytest.mark.parametrize("theme", ["brv-dark", "brv-contrast"])
@pytest.mark.parametrize("size", [NARROW, WIDE], ids=["80x24", "120x36"])
def test_theme_list(snap_compare: Compare, app: BrvTui, size: tuple[int, int], theme: str) -> None:
    app.theme = theme

    async def before(pilot: Pilot[Any]) -> None:
        await ask(pilot, "refresh token rotation")
        await pilot.press("escape", "T")
        await until(pilot, lambda: "brv-light" in shown(pilot))
        await pilot.press("down")
        await settled(pilot)

    assert snap_compare(app, terminal_size=size, run_before=before)


@pytest.mark.parametrize("theme", ["brv-contrast", "nord", "textual-light", "ansi-dark"])
def test_other_themes(snap_compare: Compare, app: BrvTui, theme: str) -> None:
    app.theme = theme
    assert snap_compare(app, terminal_size=WIDE, run_before=_asking("refresh token rotation", "escape", "j"))


def test_no_color(snap_compare: Compare, garden: Tree, make_app: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    assert snap_compare(
        make_app(garden.root), terminal_size=WIDE, run_before=_asking("refresh token rotation", "escape", "j")
    )
