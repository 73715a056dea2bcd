"""The user's own keys in the app."""

from __future__ import annotations

from brvtui.app.app import BrvTui
from brvtui.app.notes.screen import NotesScreen
from brvtui.app.screens.message import MessageScreen, glossary
from brvtui.app.widgets.key_bar import KeyBar
from tests.app.driving import HUGE, NARROW, WIDE, MakeApp, ask, on, press, settled, until
from tests.app.looking import AppPilot, flat, frame, screen, shown, text_of, toasts
from tests.support.settings import own
from tests.support.trees import Tree


async def test_user_keys_work_and_are_shown_everywhere(garden: Tree, make_app: MakeApp) -> None:
    own('[keys]\n"panes.maximise" = "V"\n"results.open" = "O"\n"screens.notes" = "f10"\n')
    async with make_app(garden.root).run_test(size=HUGE) as pilot:
        await ask(pilot, "rollback")
        assert toasts(pilot) == []
        await pilot.press("escape", "z")
        assert not screen(pilot).body.maximised
        bar = text_of(pilot, "#keys")
        assert "V maximise" in bar
        assert "O note text" in bar
        assert "z maximise" not in bar
        assert " F10 Notes " in text_of(pilot, "#status")
        await pilot.press("V")
        assert screen(pilot).body.maximised == "results"
        await pilot.press("escape", "f1")
        await pilot.pause()
        assert "O" in shown(pilot).split("Keys")[-1].split()
        await pilot.press("escape", "question_mark")
        await pilot.pause()
        assert " V Maximise or restore the pane" in " ".join(shown(pilot).split())
        await on(pilot, NotesScreen, "escape", "2", "f10")
        await settled(pilot)


async def test_letters_bound_as_priority_keys_are_typed_as_text_in_a_field(garden: Tree, make_app: MakeApp) -> None:
    own('[keys]\n"panes.next" = "Z"\n"panes.back" = "f10"\n"results.next" = "L"\n')
    async with make_app(garden.root).run_test(size=HUGE) as pilot:
        await settled(pilot)
        await press(pilot, "Z", "L")
        assert screen(pilot).field.value == "ZL"
        assert " Z next pane" not in text_of(pilot, "#keys")
        await pilot.press("f10")
        assert screen(pilot).focused is screen(pilot).results
        await pilot.press("Z")
        assert screen(pilot).focused is screen(pilot).query_one("#score")


async def test_unusable_keys_are_reported_once_and_ignored(garden: Tree, make_app: MakeApp) -> None:
    file = own('[keys]\n"panes.nxt" = "x"\n"panes.before" = "shift+tab,y"\n"app.theme" = "ctrl+t"\n')
    async with make_app(garden.root).run_test(size=NARROW) as pilot:
        await settled(pilot)
        await until(pilot, lambda: toasts(pilot))
        (toast,) = toasts(pilot)
        assert toast.startswith(
            f'{file}: keys."panes.nxt": there is no such binding; did you mean panes.next?; ignored (and 1 more'
        )
        assert dict(pilot.app.keymap) == {"app.theme": "ctrl+t"}  # type: ignore[attr-defined]  # BrvTui
        await press(pilot, "escape", "ctrl+t")
        assert pilot.app.theme == "brv-light"


async def test_key_of_another_action_is_reported_and_ignored(garden: Tree, make_app: MakeApp) -> None:
    own('[keys]\n"pane.down" = "c"\n')
    async with make_app(garden.root).run_test(size=HUGE) as pilot:
        await ask(pilot, "refresh token rotation")
        await until(pilot, lambda: toasts(pilot))
        assert "'c' is also board.changes (Maturity screen: only changes)" in toasts(pilot)[0]
        assert toasts(pilot)[0].endswith("; ignored")
        await press(pilot, "escape", "c")
        assert screen(pilot).results.cursor == 0
        await press(pilot, "j")
        assert screen(pilot).results.cursor == 1


async def test_project_settings_cannot_change_keys(garden: Tree, make_app: MakeApp) -> None:
    own('[keys]\n"panes.maximise" = "V"\n"app.theme" = "ctrl+t"\n')
    (garden.root / ".brv" / "brv-tui.toml").write_text('[keys]\n"panes.maximise" = "Z"\n')
    async with make_app(garden.root).run_test(size=HUGE) as pilot:
        await ask(pilot, "rollback", "escape", "Z")
        assert screen(pilot).body.maximised == ""
        await pilot.press("V")
        assert screen(pilot).body.maximised == "results"
        assert "keys is for your own settings file" in toasts(pilot)[0]


async def test_keys_can_be_changed_while_the_app_is_open(app: BrvTui) -> None:
    async with app.run_test(size=HUGE) as pilot:
        await ask(pilot, "rollback", "escape")
        app.keep_setting("keys.panes.maximise", "V")
        await until(pilot, lambda: "V maximise" in text_of(pilot, "#keys"))
        await pilot.press("V")
        assert screen(pilot).body.maximised == "results"
        app.keep_setting("keys.panes.maximise", None)
        await until(pilot, lambda: "z maximise" in text_of(pilot, "#keys"))
        await settled(pilot)


async def test_key_bar_behind_a_dialog_survives_a_resize(pilot: AppPilot) -> None:
    await settled(pilot)
    await press(pilot, "escape")
    bar = frame(pilot).query_one("#keys", KeyBar)
    before = bar.lines[0].plain
    await press(pilot, "f1")
    await pilot.resize_terminal(WIDE[0] + 1, WIDE[1])  # there is room for the same keys
    await settled(pilot)
    assert pilot.app.screen is not bar.screen
    assert bar.lines[0].plain == before


async def test_glossary_explains_the_words_on_screen(pilot: AppPilot) -> None:
    await settled(pilot)
    await press(pilot, "ctrl+n")
    await until(pilot, lambda: isinstance(pilot.app.screen, MessageScreen))
    entries = dict(glossary())
    assert 40 < len(entries) <= 50
    assert entries["tier"].startswith("how ByteRover answered")
    assert "access hit" in flat(pilot)
