"""The Settings screen: built from the schema, changed by keyboard and mouse, stored in the user's file, and applied
at once.
"""

from __future__ import annotations

import tomllib
from typing import Any

import pytest

from brvtui.app.actions.registry import ACTIONS
from brvtui.app.app import BrvTui
from brvtui.app.log.screen import LogScreen
from brvtui.app.settings.screen import SettingField, SettingsScreen
from brvtui.app.settings.setting_rows import SettingRow, read_typed, setting_rows, stepped
from brvtui.app.settings.settings_pane import SettingsPane
from brvtui.app.themes.choosing import ThemePalette
from brvtui.app.themes.library import read_library
from brvtui.app.workers import Refusal
from brvtui.config import ConfigError, configure, user_file
from brvtui.config.schema import entries
from tests.app.driving import HUGE, NARROW, SIZES, WIDE, MakeApp, at_once, on, press, settled, until
from tests.app.looking import AppPilot, brv, flat, frame, shown, text_of, toast_text, toasts
from tests.support.settings import own, own_theme
from tests.support.trees import Tree

pytestmark = pytest.mark.long


async def opened(pilot: AppPilot, choice: str = "") -> SettingsPane:
    """Opens the Settings screen with the cursor on ``choice``."""
    await settled(pilot)
    await on(pilot, SettingsScreen, "escape", "comma")
    await settled(pilot)
    pane = frame(pilot).query_one(SettingsPane)
    if choice:
        pane.open_groups.add(pane.rows_by_name[choice].heading)
        pane.rebuild(force=True)
        pane.move_to(pane.choices.index(choice))
        await pilot.pause()
    return pane


async def test_escape_returns_to_the_last_screen(pilot: AppPilot) -> None:
    await settled(pilot)
    await on(pilot, LogScreen, "escape", "4")
    await on(pilot, SettingsScreen, "comma")
    await on(pilot, LogScreen, "escape")


def kept() -> dict[str, Any]:
    return tomllib.loads(user_file().read_text()) if user_file().exists() else {}


async def file_holds(pilot: AppPilot, settings: dict[str, Any]) -> None:
    """Waits until the user's file contains ``settings`` and they are in effect."""
    await until(pilot, lambda: kept() == settings)
    await settled(pilot)


def rows_of(text: str = "") -> dict[str, SettingRow]:
    """The rows in order, if ``text`` is the user's settings file."""
    own(text)
    return {row.name: row for row in setting_rows(configure(environ={}), read_library())}


async def test_settings_can_be_searched_and_details_follow_the_cursor(pilot: AppPilot) -> None:
    await opened(pilot, "panes")
    await settled(pilot)
    assert "in which you have changed the panes keep their own: F9" in flat(pilot, "#setting")
    pane = await opened(pilot)
    await pilot.press("slash", *"reranker")
    await until(pilot, lambda: len(pane.choices) < 9)
    assert pane.choices == [f"services.reranker.{name}" for name in ("model", "url", "key_env")]
    assert text_of(pilot, "#settings").splitlines()[1].split() == ["Reranker:", "model", "–"], "the group is named"
    await press(pilot, "escape")
    pane = await opened(pilot, "theme")
    await pilot.press("slash", *"histo")
    await until(pilot, lambda: pane.chosen == "history")
    await until(pilot, lambda: "the number of past queries" in flat(pilot, "#setting"))
    await pilot.press("down")
    await until(pilot, lambda: pane.chosen != "history")
    await until(pilot, lambda: "previous query in the history" in flat(pilot, "#setting").lower())
    await opened(pilot, "theme")
    await on(pilot, ThemePalette, "enter")
    await until(pilot, lambda: "brv-contrast" in shown(pilot))
    await press(pilot, "escape")
    await opened(pilot)
    await press(pilot, "f3", "escape")
    assert isinstance(frame(pilot), SettingsScreen)
    await pilot.press("escape")
    await until(pilot, lambda: not isinstance(frame(pilot), SettingsScreen))


def test_every_setting_and_every_key_has_a_row() -> None:
    names = [row.name for row in setting_rows(configure(environ={}), read_library())]
    assert sorted(names) == sorted((set(entries()) - {"keys"}) | {f"keys.{name}" for name in ACTIONS})


def test_changed_settings_are_listed_first() -> None:
    rows = list(rows_of("watch = false\nhistory = 7\n").values())
    assert [(row.heading, row.label) for row in rows[:2]] == [
        ("Changed", "Follow changes on disk"),
        ("Changed", "Past queries to remember"),
    ]
    assert not any(row.is_changed for row in rows[2:])


async def test_setting_details_are_shown_at_all_sizes(garden: Tree, make_app: MakeApp) -> None:
    file = own("history = 7")
    async with make_app(garden.root).run_test() as pilot:
        for size in SIZES.values():
            await pilot.resize_terminal(*size)
            await opened(pilot, "history")
            line = next(line for line in text_of(pilot, "#settings").splitlines() if "past queries" in line)
            assert line.split() == ["Retrieval:", "past", "queries", "to", "remember", "7", "user"]
            beside = flat(pilot, "#setting")
            for part in ("the number of past queries", "value 7", "default 500", "0 to 10000", "next start"):
                assert part in beside
            assert file.name in beside.replace(" ", "")
            assert "Settings" in shown(pilot).splitlines()[0]


async def test_personal_settings_are_read_only_in_a_browser(app: BrvTui, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BRV_TUI_SERVED", "1")
    async with app.run_test(size=WIDE) as pilot:
        pane = await opened(pilot, "llm.allowed")
        await pilot.press("enter")
        await until(pilot, lambda: "llm.allowed is read-only in a browser" in toast_text(pilot))
        app.keep_setting("llm.url", "http://localhost")
        await until(pilot, lambda: "llm.url is read-only in a browser" in toast_text(pilot))
        pane.move_to(pane.choices.index("watch"))
        await pilot.press("enter")
        await file_holds(pilot, {"watch": False})


async def test_switches_can_be_toggled_and_numbers_typed(app: BrvTui, pilot: AppPilot) -> None:
    await opened(pilot, "recording")
    await pilot.press("enter")
    await file_holds(pilot, {"recording": True})
    await until(pilot, lambda: app.project.session is not None and app.project.session.recording)
    assert "recording access hits" in text_of(pilot, "#status") or app.view.engine.recording
    assert "value on" in flat(pilot, "#setting")
    await pilot.press("d")
    await file_holds(pilot, {})
    await until(pilot, lambda: not app.view.engine.recording)
    await opened(pilot, "history")
    await on(pilot, SettingField, "enter")
    await pilot.press(*"9999", "enter")
    await pilot.pause()
    assert "must be a whole number from 0 to 10000" in shown(pilot)
    assert kept() == {}
    await pilot.press(*["backspace"] * 7, *"42", "enter")
    await file_holds(pilot, {"history": 42})
    assert toasts(pilot)[-1] == f"history = 42, saved in {user_file()}; takes effect at the next start"
    assert app.configuration.settings.history == 42
    row = next(number for number, line in enumerate(shown(pilot).splitlines()) if "Record access hits" in line)
    await pilot.click(offset=(8, row))
    await settled(pilot)
    assert kept() == {"history": 42}, "a click chooses"
    await pilot.click(offset=(8, row))
    await file_holds(pilot, {"history": 42, "recording": True})


async def test_quick_steps_through_choices_are_all_applied(app: BrvTui, pilot: AppPilot) -> None:
    await opened(pilot, "animations")
    at_once(pilot, "l", "l")
    await file_holds(pilot, {"animations": "off"})
    at_once(pilot, "l", "h", "h", "comma")
    await file_holds(pilot, {"animations": "on"})
    assert app.configuration.settings.animations == "on"
    await until(pilot, lambda: app.animation_level == "full")
    await opened(pilot, "animations")
    await pilot.press("l")
    await until(pilot, lambda: app.configuration.settings.animations == "off")
    await pilot.press("h", "h")
    await file_holds(pilot, {"animations": "auto"})
    assert app.configuration.settings.animations == "auto"


async def test_changes_are_saved_in_order_unless_the_file_is_unreadable(app: BrvTui, pilot: AppPilot) -> None:
    await opened(pilot, "watch")
    for number in range(20):
        app.keep_setting("history", number)
        app.keep_setting(("llm.timeout", "llm.model")[number % 2], (number + 1, f"m{number}")[number % 2])
    await settled(pilot)
    assert kept() == {"history": 19, "llm": {"timeout": 19, "model": "m19"}}
    assert app.configuration.settings.history == 19
    own("junk")
    await pilot.press("enter")
    await until(pilot, lambda: "cannot be read as settings" in toasts(pilot)[-1])
    assert user_file().read_text() == "junk"


def test_stepping_a_setting_without_steps_is_refused() -> None:
    own('engine = "nosuch"\nprofile = "brv-3"\n')
    with pytest.raises(Refusal, match="profile has no values to step through"):
        stepped("profile", 1, configure())


@pytest.mark.parametrize("name", ["llm.url", "services.embedder.url", "services.reranker.url"])
def test_invalid_address_is_refused(name: str) -> None:
    result = configure(environ={})
    row = rows_of()[name]
    for text in ("ftp:/x", "nowhere", "http://", "http://h h"):
        with pytest.raises(ConfigError, match=f"{name}: .* is not an address: it must begin with http:// or https://"):
            read_typed(row, text, result, read_library())
    with pytest.raises(ConfigError, match=f"{name} contains a user name or a password") as refused:
        read_typed(row, "https://me:hunter2@h/v1", result, read_library())
    assert "hunter2" not in str(refused.value)
    for text in ("", "http://localhost:11434/v1/", "https://example.org"):
        assert read_typed(row, text, result, read_library()) == text


async def test_invalid_value_is_refused_until_corrected(app: BrvTui) -> None:
    async with app.run_test(size=NARROW) as pilot:
        await opened(pilot, "editor.command")
        await press(pilot, "enter", *"vi", "escape")
        assert isinstance(frame(pilot), SettingsScreen)
        assert not user_file().exists()
        expected: dict[str, Any] = {}
        for setting, typed, message, correction, value in (
            ("llm.url", "ftp:/x", "ftp:/x is not an address", [*["backspace"] * 6, *"http://h/v1"], "http://h/v1"),
            ("profile", "doc", "did you mean docs?", ["s"], "docs"),
            ("engine", "knowin", "did you mean knowing?", ["g"], "knowing"),
        ):
            await opened(pilot, setting)
            await pilot.press("enter", "ctrl+u", *typed, "enter")
            await until(pilot, lambda message=message: message in flat(pilot))
            assert kept() == expected
            await pilot.press(*correction, "enter")
            expected |= {"llm": {"url": value}} if setting == "llm.url" else {setting: value}
            await file_holds(pilot, expected)


_UNUSABLE = [
    ('theme = "nonesuch"', "theme", "there is no such theme"),
    ('engine = "byterovr"', "engine", "did you mean byterover?"),
    ('animations = "sometimes"', "animations", "animations = 'sometimes' must be"),
    ('history = "5"', "history", "history = '5' must be"),
    ('[keys]\n"app.theme" = "ctrl+banana"', "keys.app.theme", "there is no key 'ctrl+banana'"),
    ('[llm]\nurl = "ftp://x"', "llm.url", "llm.url: ftp://x is not an address"),
    ("histroy = 1", "histroy", "unknown key histroy; did you mean history?"),
    ('[keys]\n"answer.pinn" = "x"', "keys.answer.pinn", "there is no such binding; did you mean answer.pin?"),
    ("history =", "config.toml", "Invalid value"),
]
"""The text of a settings file, the setting that has no effect, and the reason."""


@pytest.mark.parametrize(("text", "setting", "message"), _UNUSABLE)
def test_setting_without_effect_is_listed_first_with_its_reason(text: str, setting: str, message: str) -> None:
    row = next(iter(rows_of(f"{text}\n").values()))
    assert row.name == setting
    assert message in row.problem


async def test_settings_without_effect_are_marked(garden: Tree, make_app: MakeApp) -> None:
    own(
        'theme = "nonesuch"\nengine = "byterovr"\nanimations = "sometimes"\nhistory = "5"\nhistroy = 1\n'
        '[keys]\n"app.theme" = "ctrl+banana"\n"answer.pinn" = "x"\n[llm]\nurl = "ftp://x"\n'
    )
    await _are_marked(make_app(garden.root), _UNUSABLE[:-1])
    own(_UNUSABLE[-1][0])
    await _are_marked(make_app(garden.root), _UNUSABLE[-1:])


async def _are_marked(app: BrvTui, unusable: list[tuple[str, str, str]]) -> None:
    async with app.run_test(size=WIDE) as pilot:
        pane = await opened(pilot)
        assert set(pane.choices[1 : len(unusable) + 1]) == {setting for _, setting, _ in unusable}
        for _, setting, message in unusable:
            pane.move_to(pane.choices.index(setting))
            await until(pilot, lambda message=message: message in flat(pilot, "#setting"))
            row = pane.rows_by_name[setting]
            assert f"⚠ {'ignored' if row.left_out else row.value}" in shown(pilot)


async def test_action_names_in_project_settings_are_not_placeholders(garden: Tree, make_app: MakeApp) -> None:
    (garden.root / ".brv" / "brv-tui.toml").write_text('"{note.nonesuch}" = 1\n"{note.edit}" = 1\n')
    async with make_app(garden.root).run_test(size=WIDE) as pilot:
        for name in ("{note.nonesuch}", "{note.edit}"):
            pane = await opened(pilot)
            pane.move_to(pane.choices.index(name))
            await until(pilot, lambda name=name: flat(pilot, "#setting").endswith(f"changes are written key {name}"))


async def test_settings_without_effect_can_be_removed_from_the_users_file(garden: Tree, make_app: MakeApp) -> None:
    file = own(
        'histroy = 1\nhistory = 9\n[keys]\n"answer.pin" = 3\n"answer.pinn" = "x"\n[keys.screens]\nsettings = ","\n'
        '[signals]\nfrontmatter = "maybe"\n'
    )
    project_file = garden.root / ".brv" / "brv-tui.toml"
    project_file.write_text("[signals]\nfrontmatter = true\n")
    async with make_app(garden.root).run_test(size=WIDE) as pilot:
        pane = await opened(pilot, "histroy")
        await pilot.press("enter")
        await until(pilot, lambda: toasts(pilot))
        message = f"press Delete to remove histroy from {file}; make any other change there by hand"
        assert toasts(pilot)[-1] == message
        pane.move_to(pane.choices.index("signals.frontmatter"))
        await settled(pilot)
        line = next(line for line in text_of(pilot, "#settings").splitlines() if "signals from" in line)
        assert line.split()[-3:] == ["⚠", "ignored", "user"]
        assert "yours ignored" in flat(pilot, "#setting")
        for name, ending in (
            ("histroy", f"is removed from {file}"),
            ("keys.answer.pinn", f"is removed from {file}"),
            ("keys.answer.pin", "is reset to its default"),
            ("keys.screens.settings", "is reset to its default"),
            ("signals.frontmatter", f"is removed from {file}, but {project_file} overrides it"),
        ):
            pane.move_to(pane.choices.index(name))
            await pilot.press("delete")
            await until(pilot, lambda message=f"{name} {ending}": message in toasts(pilot))
            await settled(pilot)
            assert pane.choices[1] != name
        assert kept() == {"history": 9, "keys": {"screens": {}}, "signals": {}}


@pytest.mark.parametrize("keys", ['"screens.settings" = "^,"', '"answer.pin" = 3\n[keys.screens]\nsettings = ","'])
def test_invalid_key_setting_is_listed_first_and_only_once(keys: str) -> None:
    own(f"[keys]\n{keys}\n")
    rows = setting_rows(configure(environ={}), read_library())
    assert rows[0].name in {"keys.screens.settings", "keys.answer.pin"}
    assert [row.name for row in rows].count(rows[0].name) == 1
    assert "must list keys" in rows[0].problem


@pytest.mark.parametrize(
    ("engine", "profile", "message"),
    [
        ("soleri", "docs", "soleri answers with its default profile, because docs belongs to byterover"),
        (
            "byterover",
            "soleri-code",
            "byterover answers with its default profile, because soleri-code belongs to soleri",
        ),
        ("soleri", "soleri-code", ""),
        ("byterover", "docs", ""),
    ],
)
def test_profile_for_another_engine_is_marked_as_having_no_effect(engine: str, profile: str, message: str) -> None:
    row = rows_of(f'engine = "{engine}"\nprofile = "{profile}"\n')["profile"]
    assert (row.remark, row.problem) == (message, "")


def test_unlisted_key_variable_is_marked() -> None:
    for table in ("llm", "services.embedder"):
        named = f'[{table}]\nkey_env = "OPENAI_API_KEY"\n'
        assert "key_variables does not list it" in rows_of(named)[f"{table}.key_env"].remark
        assert not rows_of(f'key_variables = "OPENAI_API_KEY"\n{named}')[f"{table}.key_env"].remark
    assert not rows_of()["llm.key_env"].remark


async def test_unusable_keys_and_themes_are_marked_in_settings(garden: Tree, make_app: MakeApp) -> None:
    own('theme = "mine"\n[keys]\n"panes.route" = "ctrl+t"\n"results.why" = "y"\n"app.quit" = "ctrl+c"\n')
    own_theme("primary = 1")
    async with make_app(garden.root).run_test(size=HUGE) as pilot:
        await settled(pilot)
        assert "(and 1 more" in toast_text(pilot)
        assert "there is no such theme" not in toast_text(pilot)
        assert "F2 panes" in text_of(pilot, "#keys")
        pane = await opened(pilot, "keys.results.why")
        assert "mine.toml" in pane.rows_by_name["theme"].problem
        assert "⚠ y" in text_of(pilot, "#settings")
        assert "F2-F3 panes" in text_of(pilot, "#keys")
        assert "edit" not in text_of(pilot, "#keys")


async def test_engine_and_profile_can_be_stepped_through(pilot: AppPilot) -> None:
    pane = await opened(pilot, "engine")
    for key, engine in (("h", "baseline"), ("h", "knowing"), ("h", "soleri")):
        await pilot.press(key)
        await until(pilot, lambda: kept() == {"engine": engine})  # noqa: B023
        await settled(pilot)
    pane.move_to(pane.choices.index("profile"))
    for profile in ("soleri", "soleri-code"):
        await pilot.press("l")
        await until(pilot, lambda: kept() == {"engine": "soleri", "profile": profile})  # noqa: B023
        await settled(pilot)
    await on(pilot, SettingField, "enter")
    await pilot.press("escape")


def test_offered_profiles_belong_to_the_configured_engine() -> None:
    byterover, soleri = (rows_of(f'engine = "{engine}"\n')["profile"].allowed for engine in ("byterover", "soleri"))
    assert byterover.startswith("brv-3, docs, combined")
    assert soleri.startswith("soleri, soleri-code to answer with soleri; to read the notes: brv-3")


async def test_changed_key_works_at_once(app: BrvTui) -> None:
    async with app.run_test(size=HUGE) as pilot:
        await opened(pilot, "keys.panes.maximise")
        await on(pilot, SettingField, "enter")
        assert ": maximise or restore the pane ━" in shown(pilot)
        await pilot.press("G", "enter")  # which replaces the old key
        await pilot.pause()
        assert "'G' is also pane.bottom" in shown(pilot)
        assert "choose another key" in shown(pilot)
        await pilot.press("backspace", "V", "enter")
        await until(pilot, lambda: "V maximise" in text_of(pilot, "#keys"))
        await settled(pilot)
        assert kept() == {"keys": {"panes.maximise": "V"}}


async def test_changed_setting_stays_selected_until_the_filter_changes(pilot: AppPilot) -> None:
    pane = await opened(pilot)
    await pilot.press("slash", *"llm", "enter")
    assert pane.chosen == "llm.model"
    await pilot.press("enter", *"fake", "enter")
    await file_holds(pilot, {"llm": {"model": "fake"}})
    assert pane.chosen == "llm.model"
    await pilot.press("d")
    await until(pilot, lambda: not kept().get("llm"))
    await settled(pilot)
    assert pane.chosen == "llm.model"
    assert "BRV_TUI_LLM_MODEL" in text_of(pilot, "#setting")
    await pilot.press("escape", "slash", *"record off", "enter")
    assert pane.choices == ["recording"]
    await pilot.press("enter")
    await until(pilot, lambda: kept().get("recording"))
    await settled(pilot)
    assert pane.chosen == "recording"
    await pilot.press("slash", "space", "f")
    await until(pilot, lambda: pane.choices == [])


async def test_reset_is_offered_only_for_values_of_the_users_file(
    garden: Tree, make_app: MakeApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    own('animations = "on"\nhistory = 5\n')
    monkeypatch.setenv("BRV_TUI_THEME", "nord")
    monkeypatch.setenv("BRV_TUI_ANIMATIONS", "off")
    file = garden.root / ".brv" / "brv-tui.toml"
    file.write_text('history = true\n[editor]\nkeep_mtime = true\n[profile]\nextends = "docs"\n')
    async with make_app(garden.root).run_test(size=HUGE) as pilot:
        pane = await opened(pilot, "animations")
        assert " Delete default" in text_of(pilot, "#keys"), "its own value is without effect, but there"
        for name, key, message in (
            ("theme", "delete", "theme comes from BRV_TUI_THEME: change it there"),
            ("history", "delete", f"the ignored value is in {file}: change it there"),
            ("editor.keep_mtime", "d", f"editor.keep_mtime comes from {file}: change it there"),
            ("profile", "enter", f"profile can only be changed by hand, in {file}"),
        ):
            pane.move_to(pane.choices.index(name))
            await settled(pilot)
            assert "Delete default" not in text_of(pilot, "#keys")
            assert ("overrides your own" in flat(pilot, "#setting")) is (name != "history")
            await pilot.press(key)
            await until(pilot, lambda message=message: toasts(pilot)[-1:] == [message])
        assert kept() == {"animations": "on", "history": 5}


async def test_overridden_change_is_saved_and_shown_as_without_effect(
    app: BrvTui, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BRV_TUI_ANIMATIONS", "off")
    again = BrvTui(app._request)
    async with again.run_test(size=WIDE) as pilot:
        await opened(pilot, "animations")
        assert "yours not set" in flat(pilot, "#setting")
        assert "BRV_TUI_ANIMATIONS overrides your own settings file" in flat(pilot, "#setting")
        seen = []
        for _ in range(2):  # steps start from the user's own value, so every choice can be reached
            before = kept()
            await pilot.press("l")
            await until(pilot, lambda: kept() != before)  # noqa: B023
            await settled(pilot)
            seen.append(kept()["animations"])
            assert f"yours {seen[-1]}, without effect" in flat(pilot, "#setting")
            assert toasts(pilot)[-1] == (
                f"animations = {seen[-1]} is saved in {user_file()}, but BRV_TUI_ANIMATIONS overrides it"
            )
        assert seen[0] != seen[1]
        assert again.configuration.settings.animations == "off"
        await pilot.press("d")
        await until(pilot, lambda: kept() == {})
        await settled(pilot)
        assert "yours not set" in flat(pilot, "#setting")
        assert toasts(pilot)[-1].startswith("animations is removed from ")


async def test_groups_open_and_close_by_key_and_mouse(pilot: AppPilot) -> None:
    pane = await opened(pilot)
    assert len([row for row in pane.rows_by_name.values() if row.heading in pane.open_groups]) <= 13
    assert "llm.url" not in pane.choices
    pane.move_to(pane.choices.index("heading: Language model"))
    await press(pilot, "enter")
    assert "llm.url" in pane.choices
    assert "Enter close" in text_of(pilot, "#keys")
    await press(pilot, "enter")
    assert "llm.url" not in pane.choices
    row = next(number for number, line in enumerate(shown(pilot).splitlines()) if "Language model" in line)
    await pilot.click(offset=(8, row))
    await settled(pilot)
    assert "llm.url" in pane.choices


@pytest.mark.parametrize("size", [NARROW, WIDE], ids=["80x24", "120x36"])
async def test_search_field_is_always_visible_and_takes_clicks(app: BrvTui, size: tuple[int, int]) -> None:
    async with app.run_test(size=size) as pilot:
        pane = await opened(pilot)
        row = next(place for place, line in enumerate(shown(pilot).splitlines()) if "words to find a setting" in line)
        assert row == 2, "above the list"
        await pilot.click(offset=(12, row))
        await press(pilot, *"past queries")
        assert pane.choices == ["history"]
        await press(pilot, "escape")
        assert frame(pilot).focused is pane
        assert "words to find a setting" in shown(pilot)
        assert len(pane.choices) > 12
        await press(pilot, "escape")
        assert not isinstance(frame(pilot), SettingsScreen)


async def test_constants_are_a_group_that_leads_to_what_if(pilot: AppPilot) -> None:
    pane = await opened(pilot, "profile.direct.min_top")
    row = pane.row
    assert row is not None
    assert (row.heading, row.section, row.label) == ("Constants of byterover", "direct", "min top")
    assert float(row.value) == brv(pilot).project.session.profile.direct.min_top  # type: ignore[union-attr]
    assert "What if" in text_of(pilot, "#keys")
    await press(pilot, "enter")
    await settled(pilot)
    assert (pilot.app.current_mode, frame(pilot).stop) == ("lab", "sliders")


async def test_description_is_below_the_list_at_80_columns(app: BrvTui) -> None:
    async with app.run_test(size=NARROW) as pilot:
        pane = await opened(pilot)
        below = frame(pilot).query_one("#setting").region
        assert (below.width, below.y) == (pane.outer_size.width, pane.region.bottom)
        assert "true" not in text_of(pilot, "#settings")
