"""Loading, watching, and the screen when there is nothing to open."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from brvtui.app.app import BrvTui
from brvtui.app.project import opening, project
from brvtui.app.states import Phase, ProjectState
from brvtui.config.schema import Layer, SettingProblem, SettingSource
from brvtui.store.kept_index import KeptIndex
from brvtui.tree.reading.project import NotesFolder
from tests.app.driving import NARROW, WIDE, MakeApp, ask, at_two_sizes, press, settled, until
from tests.app.looking import AppPilot, brv, flat, screen, shown, text_of, toast_text, toasts, view
from tests.support.settings import own
from tests.support.trees import Tree


async def test_changed_notes_reach_every_pane_within_a_second(garden: Tree, pilot: AppPilot) -> None:
    await ask(pilot, "rollback")
    assert "Zeppelin" not in shown(pilot)
    garden.file("deploy/zeppelin.md", "# Zeppelin rollback\n\nrollback rollback\n", 0)
    took = await until(pilot, lambda: "Zeppelin" in text_of(pilot, "#results"))
    assert took < 1.0
    await settled(pilot)
    assert "Zeppelin" in text_of(pilot, "#tree")
    assert "○10 ◐2 ●2" in text_of(pilot, "#status")
    await press(pilot, "escape", "enter")
    garden.file("deploy/rollback.md", "# Rollback\n\nNow by pulling the plug, rollback done.\n", 0)
    await until(pilot, lambda: "pulling the plug" in text_of(pilot, "#answer"))
    await settled(pilot)


async def test_titles_are_never_markup_or_escapes(pilot: AppPilot) -> None:
    await ask(pilot, "strange tricks")
    await press(pilot, "escape", "enter")
    text = shown(pilot)
    assert "[red]title[/red]" in text
    assert "␛[31m" in text_of(pilot, "#score")
    assert "\\u202e" in text_of(pilot, "#answer")
    assert "␇" in text_of(pilot, "#answer")
    assert not any(ord(char) < 32 for char in text.replace("\n", ""))


async def test_selection_focus_and_scroll_survive_a_change_on_disk(garden: Tree, pilot: AppPilot) -> None:
    await ask(pilot, "refresh token rotation")
    await press(pilot, "escape", "j", "j", "f3", "j", "j")
    selected, score = view(pilot).selection.file, screen(pilot).query_one("#score")
    scrolled = score.offset_row  # type: ignore[attr-defined]  # a Pane
    assert scrolled == 2
    (garden.tree / "auth" / "oauth" / "scopes.md").unlink()
    await until(pilot, lambda: (overview := view(pilot).project.overview) and overview.notes == 12)
    await settled(pilot)
    assert view(pilot).selection.file == selected
    assert screen(pilot).focused is score
    assert score.offset_row == scrolled  # type: ignore[attr-defined]  # a Pane


async def test_broken_index_is_reported(garden: Tree, make_app: MakeApp) -> None:
    state = KeptIndex(garden.tree).folder / "kept"
    state.parent.mkdir(parents=True)
    state.write_text("{")
    async with make_app(garden.root).run_test(size=WIDE) as pilot:
        await settled(pilot)
        assert "the saved index is rebuilt: it is damaged" in toasts(pilot)
        assert view(pilot).project.overview


@at_two_sizes
async def test_missing_project_is_reported_and_keys_are_safe(
    tmp_path: Path, make_app: MakeApp, size: tuple[int, int]
) -> None:
    async with make_app(tmp_path / "nowhere").run_test(size=size) as pilot:
        await settled(pilot)
        assert view(pilot).project.phase is Phase.FAILED
        assert "no such folder" in view(pilot).project.problem
        assert "CANNOT OPEN" in shown(pilot)
        await pilot.press(*"abc", "enter", "escape", "j", "w", "z", "p", "R", "c", "f8", "enter", "f7", "right")
        await pilot.pause()
        assert view(pilot).answer.trace is None


async def test_project_is_opened_as_soon_as_it_exists(
    tmp_path: Path, make_app: MakeApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(project, "TRIED_AGAIN_S", 0.4)
    (tmp_path / "new" / ".brv").mkdir(parents=True)
    async with make_app(tmp_path / "new").run_test(size=NARROW) as pilot:
        await settled(pilot)
        await pilot.press(*"foxes")
        assert "It opens here as soon as it can be read." in flat(pilot, "#results")
        (tmp_path / "new" / ".brv" / "context-tree").mkdir()
        (tmp_path / "new" / ".brv" / "context-tree" / "foxes.md").write_text("# Foxes\n\nFoxes sleep by day.\n")
        await until(pilot, lambda: view(pilot).answer.trace is not None)
        await settled(pilot)
        assert view(pilot).project.phase is Phase.READY
        assert "CANNOT OPEN" not in shown(pilot)
        assert [hit.file for hit in view(pilot).answer.trace.hits] == ["foxes.md"]


async def test_retried_opening_shows_the_project_only_when_complete(
    garden: Tree, make_app: MakeApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(project, "TRIED_AGAIN_S", 0.05)
    signals = garden.root / "signals.json"
    whole = signals.rename(garden.root / "whole.json")
    signals.write_text("{")
    app, calls, attempts = make_app(garden.root), [], []
    opened, open_session = app.project_opened, opening.open_session

    def attempt(request: opening.Opening) -> opening.OpenedProject:
        attempts.append(request)
        return open_session(request)

    monkeypatch.setattr(opening, "open_session", attempt)
    monkeypatch.setattr(app, "opening_failed", lambda: calls.append("failed"))
    monkeypatch.setattr(app, "project_opened", lambda session: (calls.append("opened"), opened(session)))
    async with app.run_test(size=WIDE) as pilot:
        await until(pilot, lambda: view(pilot).project.phase is Phase.FAILED)
        before = len(attempts)
        app.store.subscribe((ProjectState,), lambda: calls.append(view(pilot).project.phase.name))
        await until(pilot, lambda: len(attempts) >= before + 3)
        assert calls == ["opened", "failed"]
        assert "CANNOT OPEN" in shown(pilot)
        whole.replace(signals)
        await until(pilot, lambda: view(pilot).project.phase is Phase.READY)
        assert calls[:4] == ["opened", "failed", "opened", "READY"]


async def test_setting_that_prevents_opening_is_named(garden: Tree, make_app: MakeApp) -> None:
    own('engine = "byterover_v4"\n')
    async with make_app(garden.root).run_test(size=WIDE) as pilot:
        await settled(pilot)
        await pilot.press("escape", "comma")
        await until(pilot, lambda: "Cannot be used" in text_of(pilot, "#settings").splitlines()[1])
        await press(pilot, "slash", *"engine", "enter")
        assert "needs a space" in flat(pilot, "#setting")
        await press(pilot, "n")
        assert "needs a space" not in flat(pilot, "#setting")


async def test_setting_that_prevents_opening_is_changed_in_settings(garden: Tree, make_app: MakeApp) -> None:
    own('profile = "doc"\n')
    async with make_app(garden.root).run_test(size=NARROW) as pilot:
        await settled(pilot)
        assert "CANNOT OPEN" in shown(pilot)
        text = flat(pilot, "#results")
        assert "press Esc, then , for Settings" in text
        assert "open a project" not in text
        await press(pilot, "escape", "comma")
        assert pilot.app.current_mode == "settings"
        await pilot.press("slash", *"profile", "enter", "delete")
        await until(pilot, lambda: brv(pilot).leaving.reopening is not None)
    opening = brv(pilot).leaving.reopening
    assert opening is not None
    async with BrvTui(opening).run_test(size=NARROW) as pilot:
        await settled(pilot)
        assert view(pilot).project.phase is Phase.READY


async def test_only_a_setting_that_prevents_opening_is_named(tmp_path: Path, make_app: MakeApp) -> None:
    """A folder with the name of a setting is not mistaken for the setting."""
    async with make_app(tmp_path / "engine = x").run_test(size=WIDE) as pilot:
        await settled(pilot)
        assert view(pilot).project.problem == f"{tmp_path}/engine = x: no such folder"
        await press(pilot, "escape", "comma", "slash", *"engine", "enter")
        assert "no such folder" not in flat(pilot, "#setting")
    file = own("")
    async with make_app(file).run_test(size=WIDE) as pilot:
        await settled(pilot)
        assert view(pilot).project.problem == f"{file}: not a folder; choose the project's folder"
        assert "for Settings" not in flat(pilot, "#results")


async def test_broken_user_profile_leads_to_settings_until_it_is_fixed(
    garden: Tree, make_app: MakeApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(project, "TRIED_AGAIN_S", 0.05)
    file = own('profile = "wrong"\n')
    profile = file.parent / "wrong.toml"
    profile.write_text('extends = "docs"\nlimt = 3\n')
    problem = "wrong: unknown key limt; did you mean limits?"
    async with make_app(garden.root).run_test(size=WIDE) as pilot:
        await until(pilot, lambda: view(pilot).project.phase is Phase.FAILED)
        closed_by = SettingProblem("profile", problem, SettingSource(Layer.USER, str(file)))
        assert (view(pilot).project.problem, view(pilot).project.closed_by) == (problem, closed_by)
        assert "press Esc, then , for Settings" in flat(pilot, "#results")
        profile.write_text('extends = "docs"\n')
        await until(pilot, lambda: view(pilot).project.phase is Phase.READY)
        assert (view(pilot).project.problem, view(pilot).project.closed_by) == ("", None)
        await settled(pilot)


async def test_empty_tree_gives_advice_and_shows_the_first_note(tree: Tree, make_app: MakeApp) -> None:
    async with make_app(tree.root).run_test(size=WIDE) as pilot:
        await settled(pilot)
        assert view(pilot).project.phase is Phase.READY
        assert "EMPTY" in shown(pilot)
        assert "curate one with brv, and it appears here automatically" in shown(pilot)
        assert "Esc, then a begins one here" in shown(pilot)
        await ask(pilot, "anything")
        assert "NOT COVERED" in shown(pilot)
        await ask(pilot, "")
        tree.note("a/b.md", "First")
        await until(pilot, lambda: "READY" in shown(pilot))
        await settled(pilot)


async def test_invalid_signals_are_reported(garden: Tree, make_app: MakeApp) -> None:
    (garden.root / "signals.json").write_text("[1]")
    async with make_app(garden.root).run_test(size=WIDE) as pilot:
        await settled(pilot)
        assert view(pilot).project.phase is Phase.FAILED
        assert "must contain a JSON object" in view(pilot).project.problem


async def test_unknown_profile_is_reported(garden: Tree, make_app: MakeApp) -> None:
    async with make_app(garden.root, profile="nope").run_test(size=WIDE) as pilot:
        await settled(pilot)
        assert "no profile nope" in view(pilot).project.problem


async def test_project_notices_are_shown(tmp_path: Path, make_app: MakeApp) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "a.md").write_text("# A\n\ntext\n")
    async with make_app(NotesFolder(tmp_path / "notes")).run_test(size=WIDE) as pilot:
        await settled(pilot)
        assert "the folder itself is the context tree" in toast_text(pilot)


async def test_cache_counts_down_while_the_clock_runs(garden: Tree, make_app: MakeApp) -> None:
    async with make_app(garden.root, now_ms=None).run_test(size=WIDE) as pilot:
        await ask(pilot, "rollback", "enter")
        await until(pilot, lambda: (seen := view(pilot).cache.seen) and seen.look.entries)
        first = view(pilot).cache.seen
        await until(pilot, lambda: view(pilot).cache.seen is not first)
        second = view(pilot).cache.seen
        assert first is not None
        assert second is not None
        assert second.look.entries[0].left_s < first.look.entries[0].left_s
        assert "TIER 0" not in shown(pilot) or view(pilot).answer.trace is not None


def test_nothing_heavy_is_imported_before_the_first_paint() -> None:
    code = (
        "import sys, brvtui.app; assert 'textual' not in sys.modules;"
        "from brvtui.app.app import BrvTui; from brvtui.app.project.opening import Opening;"
        "heavy = {'numpy', 'scipy', 'tantivy', 'yaml', 'watchdog', 'rapidfuzz', 'brvtui.session', 'brvtui.snapshot',"
        " 'markdown_it', 'textual.widgets._data_table', 'textual.widgets._markdown', 'pyuca',"
        " 'textual.widgets._text_area', 'tree_sitter', 'brvtui.app.editing.screen', 'brvtui.notes.plan',"
        " 'brvtui.tree.editing.note_text', 'brvtui.services.model', 'brvtui.trace', 'brvtui.app.contents',"
        " 'brvtui.app.editing.controller', 'brvtui.app.query.permission', 'brvtui.app.actions.dialogs',"
        " 'brvtui.app.query.answer', 'brvtui.app.query.graph', 'brvtui.app.query.retry', 'brvtui.store.app_state'};"
        "engines = lambda: {n for n in sys.modules if n[:15] == 'brvtui.engines.'} - {'brvtui.engines.registry'};"
        "app = BrvTui(Opening(None, None, None, None));"
        "app.project.open = lambda: app.exit(heavy & set(sys.modules) | engines());"  # called after the first paint
        "found = app.run(headless=True, size=(120, 36)); assert found == set(), found"
    )
    few = {**os.environ, "BRV_TUI_PANES": "few"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, env=few)
    assert done.returncode == 0, done.stderr


def test_stylesheets_stay_below_the_parse_cache(app: BrvTui) -> None:
    async def count() -> int:
        async with app.run_test(size=WIDE) as pilot:
            await settled(pilot)
            await pilot.press("f1")
            return len(app.stylesheet.source)

    import asyncio

    assert asyncio.run(count()) < 50


async def test_status_shows_no_warning_before_watching_starts(app: BrvTui, monkeypatch: pytest.MonkeyPatch) -> None:
    begin, real = threading.Event(), opening.watch

    def held(*arguments: Any) -> None:
        begin.wait(30)
        real(*arguments)

    monkeypatch.setattr(opening, "watch", held)
    async with app.run_test(size=WIDE) as pilot:
        await until(pilot, lambda: "13 notes" in text_of(pilot, "#status"))
        screen(pilot).field.value = "rollback"
        await until(pilot, lambda: view(pilot).answered)
        assert "watching" not in text_of(pilot, "#status")
        begin.set()
        await until(pilot, lambda: view(pilot).watch.active)
        await settled(pilot)
        assert "watching" in text_of(pilot, "#status")


def test_fields_may_be_created_before_the_first_screen(garden: Tree, make_app: MakeApp) -> None:
    """From Python 3.12 on, Textual starts tasks at once, and a field on the first screen clears the selection."""
    make_app(garden.root).clear_selection()
