"""The app over a repository: symbols are found, shown and followed, and nothing in it can be changed."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from brvtui.app.app import BrvTui
from brvtui.app.project.opening import Opening
from tests.app.driving import WIDE, ask, at_all_sizes, press, settled, until
from tests.app.looking import AppPilot, brv, flat, shown, text_of, toast_text, view
from tests.corpus.code.making import write
from tests.session.test_code import FILES
from tests.support.trees import Tree

pytestmark = pytest.mark.long

NOW_MS = 1.8e12


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("BRV_TUI_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr("brvtui.publishing.repository.LOOK_SECONDS", 0.05)
    monkeypatch.setattr("brvtui.publishing.repository._SHARE", 1)
    return write(tmp_path / "shop", FILES)


@pytest.fixture
def app(root: Path) -> BrvTui:
    return BrvTui(Opening(now_ms=NOW_MS, repository=root))


@at_all_sizes
async def test_query_over_code_returns_symbols(size: tuple[int, int], pilot: AppPilot) -> None:
    await ask(pilot, "rotate the TokenStore")
    await press(pilot, "escape")
    assert "“TokenStore" in shown(pilot)
    assert "is first of" in shown(pilot)
    for key, pane in (("f3", "#score"), ("f4", "#route"), ("f7", "#answer")):
        await press(pilot, key)
        assert text_of(pilot, pane).strip(), pane
    await pilot.press("2")
    await until(pilot, lambda: "def rotate(self)" in text_of(pilot, "#note"))


async def test_code_screens_count_symbols_and_omit_facts_about_notes(app: BrvTui, root: Path) -> None:
    Tree(root).note("billing/cents/code.md", "Cents", "`round_cents` rounds half up.", 1)
    async with app.run_test(size=WIDE) as pilot:
        await ask(pilot, "round cents", "escape", "2")
        await until(pilot, lambda: "a symbol, with its lines" in flat(pilot, "#about"))
        assert "7 symbols" in shown(pilot)
        assert "importance" not in text_of(pilot, "#about")
        await until(pilot, lambda: "code.md mentions round_cents" in flat(pilot, "#about"))
        await press(pilot, "5")
        assert "to judge the open query" in text_of(pilot, "#judged")
        assert "note" not in text_of(pilot, "#judged")
        await pilot.press("v")
        await until(pilot, lambda: "any order: a profile, mode=MODE, a constant (" in flat(pilot))
        assert all(name not in shown(pilot) for name in ("jeffs_brain", "docs", "+30d", "NOTE.md"))
        await press(pilot, "v")
        assert "in a week" not in shown(pilot)  # code does not age, so no later day is offered
        await press(pilot, "escape", "1")
        assert "round_cents" in text_of(pilot, "#results")
        assert "draft" not in text_of(pilot, "#score")
        await press(pilot, "f7")
        assert "billing/cents/code.md mentions round_cents: #1" in flat(pilot, "#answer")


async def test_code_screens_use_words_and_keys_for_code(pilot: AppPilot) -> None:
    await settled(pilot)
    assert "Ask a question" in shown(pilot)
    assert "which symbols a walk along links reaches" in shown(pilot)
    assert "Maturity" not in text_of(pilot, "#status")
    await ask(pilot, "round cents")
    await press(pilot, "escape")
    bar = text_of(pilot, "#keys")
    assert "Enter source" in bar
    assert "o in Symbols" in bar
    assert " edit" not in bar
    assert "new note" not in bar
    await pilot.press("question_mark")
    await pilot.resize_terminal(120, 160)  # tall enough to show all keys at once
    await settled(pilot)
    assert "Everywhere" in shown(pilot)
    assert "Archive that" not in shown(pilot)
    await pilot.resize_terminal(*WIDE)
    await press(pilot, "escape", "f1")
    assert "Show the symbol's text" in shown(pilot)
    await press(pilot, "escape", "2")
    assert "○" not in shown(pilot)
    assert "• round_cents" in text_of(pilot, "#tree")


async def test_digit_of_a_missing_screen_is_an_ordinary_query(pilot: AppPilot) -> None:
    await ask(pilot, "3")
    assert "opens" not in text_of(pilot, "#lint")
    await ask(pilot, "2")
    assert text_of(pilot, "#lint").strip() == "this was run as a query; Esc, then 2 opens Symbols"


async def test_empty_screens_use_words_for_code(app: BrvTui, root: Path) -> None:
    async with app.run_test(size=WIDE) as pilot:
        await settled(pilot)
        assert "important" not in text_of(pilot, "#results")
        await ask(pilot, "zzzz")
        assert "begins a note" not in text_of(pilot, "#results")
    shutil.rmtree(root)
    root.mkdir()
    empty = BrvTui(Opening(now_ms=NOW_MS, repository=root))
    async with empty.run_test(size=WIDE) as pilot:
        await until(pilot, lambda: "this folder has no source files" in flat(pilot, "#results"))


async def test_editing_keys_report_that_code_is_read_only(app: BrvTui, root: Path) -> None:
    before = {path: path.read_bytes() for path in root.rglob("*") if path.is_file()}
    async with app.run_test(size=WIDE) as pilot:
        await ask(pilot, "rotate the TokenStore")
        await press(pilot, "escape", "2")
        for key, message in (
            ("e", "this is code: it is shown"),
            ("E", "this is code: it is shown"),
            ("a", "this is code: it is shown"),
            ("M", "this is code: it is shown"),
            ("X", "this is code: it is shown"),
            ("I", "this is code: it is shown"),
            ("R", "this is code: it is shown"),
            ("P", "over code, only knowing answers"),
            ("3", "only notes have maturity"),
        ):
            app.clear_notifications()
            await pilot.press(key)
            await until(pilot, lambda message=message: message in toast_text(pilot))
            assert not brv(pilot).has_modal
            assert app.current_mode == "notes"
    assert {path: path.read_bytes() for path in root.rglob("*") if path.is_file()} == before


async def test_changed_code_updates_the_results(root: Path, pilot: AppPilot) -> None:
    await ask(pilot, "rotate")
    await until(pilot, lambda: view(pilot).watch.active)
    write(root, {"src/more.py": "def rotate_everything(): pass\n"})
    await until(pilot, lambda: "rotate_everything" in shown(pilot))
