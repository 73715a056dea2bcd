"""Without an open project, actions that need one are not offered, and their keys say how to open one."""

from __future__ import annotations

from pathlib import Path

import pytest

from brvtui.app.actions.action import Need
from brvtui.app.actions.registry import ACTIONS, PLACES
from brvtui.app.app import BrvTui
from brvtui.app.commands.palette import CommandsDialog
from brvtui.app.project.opening import Opening
from brvtui.app.states import GONE_TEXT, Phase
from brvtui.app.view import needing
from brvtui.config import user_file
from brvtui.saved.traces import as_json
from tests.app.driving import WIDE, MakeApp, ask, press, settled, until
from tests.app.looking import AppPilot, brv, flat, screen, shown, text_of, toast_text, view
from tests.support.trees import Tree

pytestmark = pytest.mark.long

NEEDING = ("note.edit", "note.new", "note.move", "note.undo", "results.why", "panes.query", "feedback.accepted")
"""Actions of the Query screen that need a project."""
PRESSED = ("e", "a", "M", "u", "C", "w", "i", "r", "R", "p", "P", "m", "b", "c", "ctrl+l", "ctrl+r", "D")
ANSWER_KEYS = ("x", "y", "Y", "o", "enter")
"""Keys that need an answer, but no project."""


@pytest.fixture(params=["a saved trace", "nothing"])
def closed(request: pytest.FixtureRequest, garden: Tree, tmp_path: Path) -> BrvTui:
    """An app without a project: on a saved trace, or on a missing folder."""
    if request.param == "nothing":
        return BrvTui(Opening(tmp_path / "nowhere"))
    session = garden.session()
    file = tmp_path / "saved.json"
    file.write_bytes(as_json(session.explainer.saved(session.preview("token store"))))
    return BrvTui(Opening(file))


async def _opened(pilot: AppPilot) -> bool:
    """Leaves the field. True if a saved trace is shown."""
    await settled(pilot)
    await press(pilot, "escape")
    return bool(view(pilot).project.saved)


async def test_key_bar_without_a_project_omits_project_actions(closed: BrvTui) -> None:
    async with closed.run_test(size=(240, 60)) as pilot:
        has_trace = await _opened(pilot)
        bar = text_of(pilot, "#keys")
        for name in ("e edit", "a new note", "w why", "i query"):
            assert f" {name}" not in bar
        for name in ("o in Notes", "Enter note text"):
            assert (f" {name}" in bar) == has_trace
        assert "^p commands" in bar
        if has_trace:
            await press(pilot, "f8")
            assert "the trace" in text_of(pilot, "#tree")
            assert "whole tree" not in text_of(pilot, "#tree")
            await press(pilot, "5", "f4")
            assert "a saved trace: open its project to change constants" in shown(pilot)
            await pilot.press("1")
        for key, name in (("2", "find similar"), ("3", "+1 day"), ("4", "to Query"), ("5", "add a column")):
            await press(pilot, key)
            bar = text_of(pilot, "#keys")
            assert name not in bar
            assert "e edit" not in bar
            assert "F2" in bar


async def test_lists_of_keys_and_commands_omit_project_actions(closed: BrvTui) -> None:
    async with closed.run_test(size=(120, 160)) as pilot:
        has_trace = await _opened(pilot)
        await press(pilot, "question_mark")
        listed = shown(pilot)
        for name in NEEDING:
            assert ACTIONS[name].description not in listed
        assert (ACTIONS["trace.save"].description in listed) == has_trace
        assert ACTIONS["app.theme"].description in listed
        await pilot.press("escape", "ctrl+g")
        dialog = pilot.app.screen
        assert isinstance(dialog, CommandsDialog)
        titles = {command.act.action.name for command in dialog.rows.commands if command.act is not None}
        assert titles.isdisjoint(NEEDING)
        assert "app.theme" in titles


async def test_project_keys_explain_how_to_open_a_project(closed: BrvTui) -> None:
    async with closed.run_test(size=WIDE) as pilot:
        has_trace = await _opened(pilot)
        for key in PRESSED + (() if has_trace else ANSWER_KEYS):
            brv(pilot).clear_notifications()
            await press(pilot, key)
            assert "brv-tui FOLDER opens" in toast_text(pilot), key
            assert "\n" not in toast_text(pilot), key
            assert not brv(pilot).has_modal
        assert screen(pilot).pane is not None


async def test_letters_are_text_in_the_field_if_the_project_cannot_be_opened(tmp_path: Path) -> None:
    async with BrvTui(Opening(tmp_path / "nowhere")).run_test(size=WIDE) as pilot:
        await settled(pilot)
        assert view(pilot).project.phase is Phase.FAILED
        await pilot.press(*"aweir")
        assert screen(pilot).field.value == "aweir"
        assert "no project is open" in shown(pilot)
        assert "Enter run" not in text_of(pilot, "#keys")


async def test_open_project_offers_result_actions_only_with_results(app: BrvTui) -> None:
    async with app.run_test(size=(240, 60)) as pilot:
        await settled(pilot)
        await press(pilot, "escape")
        for name in ("Enter note text", "o in Notes", "w why", "e edit", "Esc back"):
            assert f" {name}" not in text_of(pilot, "#keys")
        await pilot.press("w")
        await until(pilot, lambda: "type a query on the Query screen (1) and select a note" in toast_text(pilot))
        await ask(pilot, "rollback")
        await press(pilot, "escape")
        for name in ("Enter note text", "o in Notes", "w why", "e edit"):
            assert f" {name}" in text_of(pilot, "#keys")
        await pilot.press("slash", *"qqq", "enter")
        for name in ("n next match", "Enter note text", "e edit"):
            assert f" {name}" not in text_of(pilot, "#keys")
        assert " Esc back" in text_of(pilot, "#keys")
        await pilot.press("enter")
        assert "nothing matches" in toast_text(pilot)
        await pilot.press("escape", "slash", *"roll", "enter")
        assert " n next match" in text_of(pilot, "#keys")
        await pilot.press("escape")
        assert " n next match" not in text_of(pilot, "#keys")
        assert view(pilot).idle == needing(Need.FLEET | Need.GRAPH | Need.LEARNING) | {"engine.mode"}
        assert not view(pilot).no_project


def test_actions_that_need_a_project_declare_the_need() -> None:
    needs_either = needing(Need.PROJECT | Need.ANSWER | Need.RESULT)
    assert set(NEEDING) <= needs_either <= {action.name for place in PLACES for action in place.actions}


async def test_engine_without_tiers_offers_no_search_for_a_lower_tier(app: BrvTui) -> None:
    async with app.run_test(size=(240, 60)) as pilot:
        await ask(pilot, "zebra quagga")
        await press(pilot, "escape", "f4")
        assert "v without model" in text_of(pilot, "#keys")
        await pilot.press("P")
        await until(pilot, lambda: view(pilot).engine.name == "jeffs_brain")
        await settled(pilot)
        assert "v without model" not in text_of(pilot, "#keys")
        await pilot.press("v")
        await until(pilot, lambda: "Jeffs Brain has no tiers" in toast_text(pilot))


async def test_fleet_keys_without_a_fleet_explain_how_to_open_one(app: BrvTui) -> None:
    async with app.run_test(size=(240, 60)) as pilot:
        await settled(pilot)
        await press(pilot, "escape", "6")
        bar = text_of(pilot, "#keys")
        for name in ("Enter ask", "each / one", "ask again"):
            assert name not in bar
        for key in ("enter", "f5", "ctrl+r"):
            brv(pilot).clear_notifications()
            await pilot.press(key)
            await until(pilot, lambda: "brv-tui fleet open opens one" in toast_text(pilot))
        await press(pilot, "f4")
        for name in ("Enter open", "i question", "S order"):
            assert name not in text_of(pilot, "#keys")
        await press(pilot, "question_mark")
        assert ACTIONS["fleet.merge"].description not in shown(pilot)


async def test_back_key_is_offered_after_following_a_link(garden: Tree, make_app: MakeApp) -> None:
    async with make_app(garden.root).run_test(size=(240, 60)) as pilot:
        await settled(pilot)
        await press(pilot, "escape", "2")
        assert " b back" not in text_of(pilot, "#keys")
        brv(pilot).select("auth/jwt/token_store.md")
        brv(pilot).browsing.follow_link("auth/jwt/refresh_rotation.md")
        await settled(pilot)
        assert " b back" in text_of(pilot, "#keys")


async def test_removed_note_offers_no_actions(garden: Tree, make_app: MakeApp) -> None:
    async with make_app(garden.root).run_test(size=(240, 60)) as pilot:
        await ask(pilot, "token store")
        await press(pilot, "escape", "2")
        assert "linked from" in text_of(pilot, "#about")
        (garden.tree / view(pilot).selection.file).unlink()
        await until(pilot, lambda: "e edit" not in text_of(pilot, "#keys"))
        await settled(pilot)
        assert "w why" not in text_of(pilot, "#keys")
        about = flat(pilot, "#about")
        assert GONE_TEXT in about
        await press(pilot, "1")
        assert "Enter note text" not in text_of(pilot, "#keys")
        await press(pilot, "2")
        assert "linked from" not in about
        await pilot.press("I")
        assert "there is no such note" in toast_text(pilot)


async def test_note_removed_before_its_first_view_shows_no_old_facts(garden: Tree, pilot: AppPilot) -> None:
    await ask(pilot, "token store")
    file = view(pilot).selection.file
    (garden.tree / file).unlink()
    await until(pilot, lambda: not view(pilot).knows(file))
    await press(pilot, "escape", "2")
    about = flat(pilot, "#about")
    assert "the file is gone" in about
    assert GONE_TEXT not in about


async def test_setting_changed_only_by_hand_offers_no_key(app: BrvTui) -> None:
    async with app.run_test(size=(240, 60)) as pilot:
        await settled(pilot)
        await press(pilot, "escape", "comma", "slash", *"key_variables", "enter")
        assert "Enter change" not in text_of(pilot, "#keys")
        assert "changed by hand" in flat(pilot, "#setting")
        await press(pilot, "escape", "slash", *"theme", "enter")
        assert "Enter change" in text_of(pilot, "#keys")
        assert "Delete default" not in text_of(pilot, "#keys"), "it is at its default"


async def test_row_actions_are_offered_only_on_a_row(app: BrvTui) -> None:
    async with app.run_test(size=(240, 60)) as pilot:
        await settled(pilot)
        await pilot.press("escape", "4")
        await until(pilot, lambda: view(pilot).log.engine_log is not None)
        await settled(pilot)
        for name in ("Enter to Query", "f follow", "J judge", "w why"):
            assert f" {name}" not in text_of(pilot, "#keys")
        await press(pilot, "5")
        for name in ("Enter ask it", "l Right", "d remove column"):
            assert f" {name}" not in text_of(pilot, "#keys")
        await press(pilot, "3")
        assert " w why" not in text_of(pilot, "#keys"), "nothing was asked"
        await press(pilot, "right_square_bracket", "w")
        assert "explains the current answer" not in toast_text(pilot)
        await press(pilot, "1", "i", *"zebra quagga", "escape")
        for name in ("Enter note text", "w why", "e edit"):
            assert f" {name}" not in text_of(pilot, "#keys")
        await press(pilot, "2", "g")
        assert " l open" in text_of(pilot, "#keys")
        brv(pilot).select("deploy/rollback.md")
        await settled(pilot)
        assert " l open" not in text_of(pilot, "#keys")


async def test_broken_settings_file_disables_changes(garden: Tree) -> None:
    user_file().parent.mkdir(parents=True, exist_ok=True)
    user_file().write_text('theme = "brv-light')
    async with BrvTui(Opening(garden.root)).run_test(size=(240, 60)) as pilot:
        await settled(pilot)
        await press(pilot, "escape", "comma", "slash", *"animations", "enter")
        assert "Enter change" not in text_of(pilot, "#keys")
        assert "Delete default" not in text_of(pilot, "#keys")
        assert "fix it by hand" in flat(pilot, "#setting")
        await pilot.press("enter")
        assert "fix it by hand" in toast_text(pilot)
