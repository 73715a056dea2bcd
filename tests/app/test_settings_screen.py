"""The Settings screen: made from the schema, changed by keyboard and mouse, kept in the user's file, held at once."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from typing import Any

import pytest
from textual.pilot import Pilot

from brvtui.app.actions.registry import ACTIONS
from brvtui.app.app import BrvTui
from brvtui.app.settings.screen import SettingField, SettingsScreen
from brvtui.app.settings.setting_rows import read_typed, setting_rows, stepped
from brvtui.app.settings.settings_pane import SettingsPane
from brvtui.app.themes.choosing import ThemePalette
from brvtui.app.themes.library import read_library, user_folder
from brvtui.app.workers import Refusal
from brvtui.config import ConfigError, configure, user_file
from brvtui.config.schema import entries
from tests.app.driving import HUGE, NARROW, WIDE, at_all_sizes, at_once, on, settled, until
from tests.app.looking import flat, frame, shown, text_of, toasts
from tests.support.settings import own
from tests.support.trees import Tree

pytestmark = pytest.mark.long

MakeApp = Callable[..., BrvTui]


async def opened(pilot: Pilot[Any], choice: str = "") -> SettingsPane:
    """The Settings screen with the cursor on one setting."""
    await settled(pilot)
    await pilot.press("escape", "comma")
    await on(pilot, SettingsScreen)
    await settled(pilot)
    pane = frame(pilot).query_one(SettingsPane)
    if choice:
        pane.move_to(pane.choices.index(choice))
        await pilot.pause()
    return pane


def kept() -> dict[str, Any]:
    return tomllib.loads(user_file().read_text()) if user_file().exists() else {}


def entries_shown(pilot: Pilot[Any]) -> list[str]:
    return frame(pilot).query_one(SettingsPane).choices


async def test_settings_are_searched_and_the_pane_beside_follows(app: BrvTui) -> None:
    async with app.run_test(size=WIDE) as pilot:
        await opened(pilot, "panes")
        await settled(pilot)
        assert "where panes were changed they stay so: F9" in flat(pilot, "#setting")
        pane = await opened(pilot)
        await pilot.press("slash", *"reranker")
        await until(pilot, lambda: len(pane.choices) < 9)
        assert pane.choices == [f"services.reranker.{name}" for name in ("model", "url", "key_env")]
        await pilot.press("escape")
        await settled(pilot)
        pane = await opened(pilot, "theme")
        await pilot.press("slash", *"histo")
        await until(pilot, lambda: pane.chosen == "history")
        await until(pilot, lambda: "how many run queries" in flat(pilot, "#setting"))
        await pilot.press("down")
        await until(pilot, lambda: pane.chosen != "history")
        await until(pilot, lambda: "the query before this one" in flat(pilot, "#setting").lower())
        await opened(pilot, "theme")
        await pilot.press("enter")
        await on(pilot, ThemePalette)
        await until(pilot, lambda: "brv-contrast" in shown(pilot))
        await pilot.press("escape")
        await settled(pilot)
        await opened(pilot)
        await pilot.press("f3", "escape")
        await settled(pilot)
        assert isinstance(frame(pilot), SettingsScreen)
        await pilot.press("escape")
        await until(pilot, lambda: not isinstance(frame(pilot), SettingsScreen))


def test_every_setting_and_every_key_has_a_row() -> None:
    names = [row.name for row in setting_rows(configure(environ={}), read_library())]
    assert set(names) == (set(entries()) - {"keys"}) | {f"keys.{name}" for name in ACTIONS}
    assert len(names) == len(set(names))


@at_all_sizes
async def test_value_source_default_and_purpose_are_shown(
    garden: Tree, make_app: MakeApp, size: tuple[int, int]
) -> None:
    file = own("history = 7")
    async with make_app(garden.root).run_test(size=size) as pilot:
        await opened(pilot, "history")
        line = next(line for line in text_of(pilot, "#settings").splitlines() if "history" in line)
        assert line.split() == ["history", "7", "user"]
        beside = flat(pilot, "#setting")
        for part in ("how many run queries are remembered", "value 7", "default 500", "0 to 10000", "next start"):
            assert part in beside
        assert file.name in beside.replace(" ", "")
        assert "Settings" in shown(pilot).splitlines()[0]


async def test_in_a_browser_personal_settings_are_read_only(app: BrvTui, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BRV_TUI_SERVED", "1")
    async with app.run_test(size=WIDE) as pilot:
        await opened(pilot, "llm.allowed")
        await pilot.press("enter")
        await until(pilot, lambda: any("llm.allowed is read-only in a browser" in toast for toast in toasts(pilot)))
        app.keep_setting("llm.url", "http://localhost")
        await until(pilot, lambda: any("llm.url is read-only in a browser" in toast for toast in toasts(pilot)))
        frame(pilot).query_one(SettingsPane).move_to(entries_shown(pilot).index("watch"))
        await pilot.press("enter")
        await until(pilot, lambda: kept() == {"watch": False})


async def test_a_truth_is_turned_over_and_a_number_is_typed_checked_and_kept(app: BrvTui) -> None:
    async with app.run_test(size=WIDE) as pilot:
        await opened(pilot, "recording")
        await pilot.press("enter")
        await until(pilot, lambda: kept() == {"recording": True})
        await until(pilot, lambda: app.project.session is not None and app.project.session.recording)
        await settled(pilot)
        assert "recording access hits" in text_of(pilot, "#status") or app.view.engine.recording
        assert "value true" in flat(pilot, "#setting")
        await pilot.press("d")
        await until(pilot, lambda: kept() == {})
        await until(pilot, lambda: not app.view.engine.recording)
        await settled(pilot)
        await opened(pilot, "history")
        await pilot.press("enter")
        await on(pilot, SettingField)
        await pilot.press(*"9999", "enter")
        await pilot.pause()
        assert "must be a whole number from 0 to 10000" in shown(pilot)
        assert kept() == {}
        await pilot.press(*["backspace"] * 7, *"42", "enter")
        await until(pilot, lambda: kept() == {"history": 42})
        await settled(pilot)
        assert toasts(pilot)[-1] == f"history = 42, kept in {user_file()}; holds from the next start"
        assert app.configuration.settings.history == 42


async def test_choices_go_round_from_what_the_step_before_left(app: BrvTui) -> None:
    async with app.run_test(size=WIDE) as pilot:
        await opened(pilot, "animations")
        at_once(pilot, "l", "l")
        await settled(pilot)
        assert kept() == {"animations": "off"}
        at_once(pilot, "l", "h", "h", "comma")
        await settled(pilot)
        assert kept() == {"animations": "on"}
        assert app.configuration.settings.animations == "on"
        await opened(pilot, "animations")
        await pilot.press("l")
        await until(pilot, lambda: kept() == {"animations": "on"})
        await until(pilot, lambda: app.animation_level == "full")
        await pilot.press("h", "h")
        await settled(pilot)
        await until(pilot, lambda: app.configuration.settings.animations != "on")
        await settled(pilot)


async def test_changes_from_everywhere_are_made_one_after_another(app: BrvTui) -> None:
    async with app.run_test(size=WIDE) as pilot:
        await opened(pilot)
        for number in range(20):
            app.keep_setting("history", number)
            app.keep_setting(("llm.timeout", "llm.model")[number % 2], (number + 1, f"m{number}")[number % 2])
        await settled(pilot)
        assert kept() == {"history": 19, "llm": {"timeout": 19, "model": "m19"}}
        assert app.configuration.settings.history == 19


def test_a_setting_without_steps_is_not_taken_out_by_one() -> None:
    own('engine = "nosuch"\nprofile = "brv-3"\n')
    with pytest.raises(Refusal, match="profile has no values to step through"):
        stepped("profile", 1, configure())


@pytest.mark.parametrize("name", ["llm.url", "services.embedder.url", "services.reranker.url"])
def test_an_address_that_is_none_is_refused(name: str) -> None:
    made = configure(environ={})
    row = next(row for row in setting_rows(made, read_library()) if row.name == name)
    for text in ("ftp:/x", "nowhere", "http://", "http://h h"):
        with pytest.raises(ConfigError, match=f"{name}: .* is not an address: it must begin with http:// or https://"):
            read_typed(row, text, made, read_library())
    with pytest.raises(ConfigError, match=f"{name} holds a user or a password") as told:
        read_typed(row, "https://me:hunter2@h/v1", made, read_library())
    assert "hunter2" not in str(told.value)
    for text in ("", "http://localhost:11434/v1/", "https://example.org"):
        assert read_typed(row, text, made, read_library()) == text


async def test_an_address_is_typed_until_it_is_one(app: BrvTui) -> None:
    async with app.run_test(size=WIDE) as pilot:
        await opened(pilot, "llm.url")
        await pilot.press("enter", *"ftp:/x", "enter")
        await pilot.pause()
        assert "llm.url: ftp:/x is not an address" in shown(pilot)
        assert kept() == {}
        await pilot.press(*["backspace"] * 6, *"http://h/v1", "enter")
        await until(pilot, lambda: kept() == {"llm": {"url": "http://h/v1"}})
        await settled(pilot)


@pytest.mark.parametrize(
    ("setting", "typed", "rest", "meant"), [("profile", "doc", "s", "docs"), ("engine", "knowin", "g", "knowing")]
)
async def test_a_profile_or_an_engine_that_does_not_exist_is_refused_where_it_is_typed(
    app: BrvTui, setting: str, typed: str, rest: str, meant: str
) -> None:
    async with app.run_test(size=WIDE) as pilot:
        await opened(pilot, setting)
        await pilot.press("enter", "ctrl+u", *typed, "enter")
        await until(pilot, lambda: f"did you mean {meant}?" in shown(pilot))
        assert kept() == {}
        await pilot.press(*rest, "enter")
        await until(pilot, lambda: kept() == {setting: meant})
        await settled(pilot)


@pytest.mark.parametrize(
    ("text", "setting", "said"),
    [
        ('theme = "nonesuch"', "theme", "there is no such theme"),
        ('engine = "byterovr"', "engine", "did you mean byterover?"),
        ('animations = "sometimes"', "animations", "animations = 'sometimes' must be"),
        ('history = "5"', "history", "history = '5' must be"),
        ('[keys]\n"app.theme" = "ctrl+banana"', "keys.app.theme", "there is no key 'ctrl+banana'"),
        ('[llm]\nurl = "ftp://x"', "llm.url", "llm.url: ftp://x is not an address"),
        ("histroy = 1", "histroy", "unknown key histroy; did you mean history?"),
        ('[keys]\n"answer.pinn" = "x"', "keys.answer.pinn", "there is no such binding; did you mean answer.pin?"),
        ("history =", "config.toml", "Invalid value"),
    ],
)
async def test_a_value_that_has_no_effect_is_marked_and_says_why(
    garden: Tree, make_app: MakeApp, text: str, setting: str, said: str
) -> None:
    own(f"{text}\n")
    async with make_app(garden.root).run_test(size=WIDE) as pilot:
        pane = await opened(pilot, setting)
        assert pane.choices[0] == setting, "it comes first"
        assert said in pane.rows_by_name[setting].problem
        row = pane.rows_by_name[setting]
        assert f"⚠ {'left out' if row.left_out else row.value}" in shown(pilot)
        assert said in flat(pilot, "#setting")


async def test_what_is_no_setting_is_taken_out_of_the_file(garden: Tree, make_app: MakeApp) -> None:
    file = own('histroy = 1\nhistory = 9\n[keys]\n"answer.pinn" = "x"\n')
    async with make_app(garden.root).run_test(size=WIDE) as pilot:
        await opened(pilot, "histroy")
        await pilot.press("enter")
        await until(pilot, lambda: bool(toasts(pilot)))
        said = f"delete takes histroy out of {file}; any other change is made there by hand"
        assert toasts(pilot)[-1] == said
        await pilot.press("delete")
        await until(pilot, lambda: f"histroy is taken out of {file}" in toasts(pilot))
        assert kept() == {"history": 9, "keys": {"answer.pinn": "x"}}
        await opened(pilot, "keys.answer.pinn")
        await pilot.press("delete")
        await until(pilot, lambda: kept() == {"history": 9, "keys": {}})
        await until(pilot, lambda: f"keys.answer.pinn is taken out of {file}" in toasts(pilot))


@pytest.mark.parametrize("keys", ['"screens.settings" = "^,"', '"answer.pin" = 3\n[keys.screens]\nsettings = ","'])
async def test_a_key_that_names_none_is_taken_out_by_itself(garden: Tree, make_app: MakeApp, keys: str) -> None:
    own(f"[keys]\n{keys}\n")
    async with make_app(garden.root).run_test(size=WIDE) as pilot:
        pane = await opened(pilot)
        first = pane.choices[0]
        assert first in {"keys.screens.settings", "keys.answer.pin"}
        assert pane.choices.count(first) == 1
        assert "must name keys" in pane.rows_by_name[first].problem
        await pilot.press("delete")
        await until(pilot, lambda: f"{first} is back at its default" in toasts(pilot))
        await until(pilot, lambda: pane.choices[0] != first)


async def test_what_is_left_out_of_ones_own_file_is_taken_out_there(garden: Tree, make_app: MakeApp) -> None:
    own('[signals]\nfrontmatter = "maybe"\n')
    (garden.root / ".brv" / "brv-tui.toml").write_text("[signals]\nfrontmatter = true\n")
    async with make_app(garden.root).run_test(size=WIDE) as pilot:
        await opened(pilot, "signals.frontmatter")
        line = next(line for line in text_of(pilot, "#settings").splitlines() if "signals.frontmatter" in line)
        assert line.split() == ["signals.frontmatter", "⚠", "left", "out", "user"]
        assert "yours left out" in flat(pilot, "#setting")
        await pilot.press("delete")
        await until(pilot, lambda: kept() == {"signals": {}})


async def test_what_is_left_out_of_a_projects_file_is_changed_there(garden: Tree, make_app: MakeApp) -> None:
    own("history = 5\n")
    file = garden.root / ".brv" / "brv-tui.toml"
    file.write_text("history = true\n")
    async with make_app(garden.root).run_test(size=HUGE) as pilot:
        await opened(pilot, "history")
        assert "delete default" not in text_of(pilot, "#keys")
        await pilot.press("delete")
        await until(pilot, lambda: f"what is left out stands in {file}: change it there" in toasts(pilot))
        assert kept() == {"history": 5}


@pytest.mark.parametrize(
    ("engine", "profile", "said"),
    [
        ("soleri", "docs", "soleri answers with its usual profile: docs is one of byterover's"),
        ("byterover", "soleri-code", "byterover answers with its usual profile: soleri-code is one of soleri's"),
        ("soleri", "soleri-code", ""),
        ("byterover", "docs", ""),
    ],
)
def test_a_profile_of_another_engine_is_said_to_have_no_effect_on_the_answer(
    engine: str, profile: str, said: str
) -> None:
    own(f'engine = "{engine}"\nprofile = "{profile}"\n')
    row = next(row for row in setting_rows(configure(environ={}), read_library()) if row.name == "profile")
    assert (row.remark, row.problem) == (said, "")


def test_a_variable_that_no_key_may_be_read_from_is_marked() -> None:
    def remark(name: str, text: str) -> str:
        own(text)
        return next(row.remark for row in setting_rows(configure(environ={}), read_library()) if row.name == name)

    for table in ("llm", "services.embedder"):
        named = f'[{table}]\nkey_env = "OPENAI_API_KEY"\n'
        assert "key_variables does not list it" in remark(f"{table}.key_env", named)
        assert not remark(f"{table}.key_env", f'key_variables = "OPENAI_API_KEY"\n{named}')
    assert not remark("llm.key_env", "")


async def test_the_key_bar_offers_no_editing_and_counts_no_pane_that_has_another_key(
    garden: Tree, make_app: MakeApp
) -> None:
    own('[keys]\n"panes.route" = "ctrl+t"\n')
    async with make_app(garden.root).run_test(size=HUGE) as pilot:
        await settled(pilot)
        assert "F2 panes" in text_of(pilot, "#keys")
        await opened(pilot)
        assert "F2-F3 panes" in text_of(pilot, "#keys")
        assert "edit" not in text_of(pilot, "#keys")


async def test_keys_that_another_action_has_are_listed_as_unusable(garden: Tree, make_app: MakeApp) -> None:
    own('[keys]\n"results.why" = "y"\n"app.quit" = "ctrl+c"\n')
    async with make_app(garden.root).run_test(size=WIDE) as pilot:
        await until(pilot, lambda: toasts(pilot))
        assert "(and 1 more" in toasts(pilot)[0]
        await opened(pilot, "keys.results.why")
        assert "⚠ y" in text_of(pilot, "#settings")


async def test_engine_and_profile_are_stepped_through_and_typed(app: BrvTui) -> None:
    async with app.run_test(size=WIDE) as pilot:
        pane = await opened(pilot, "engine")
        for key, engine in (("h", "knowing"), ("h", "soleri")):
            await pilot.press(key)
            await until(pilot, lambda: kept() == {"engine": engine})  # noqa: B023
            await settled(pilot)
        pane.move_to(pane.choices.index("profile"))
        for profile in ("soleri", "soleri-code"):
            await pilot.press("l")
            await until(pilot, lambda: kept() == {"engine": "soleri", "profile": profile})  # noqa: B023
            await settled(pilot)
        await pilot.press("enter")
        await on(pilot, SettingField)
        await pilot.press("escape")


def test_the_profiles_to_choose_from_are_those_of_the_engine_that_is_set() -> None:
    def allowed(engine: str) -> str:
        own(f'engine = "{engine}"\n')
        return next(row.allowed for row in setting_rows(configure(environ={}), read_library()) if row.name == "profile")

    assert allowed("byterover").startswith("brv-3, docs, combined")
    assert allowed("soleri").startswith("soleri, soleri-code, for soleri to answer with; to read the notes with: brv-3")


async def test_a_theme_whose_file_is_broken_is_said_to_be_that(garden: Tree, make_app: MakeApp) -> None:
    own('theme = "mine"\n')
    file = user_folder() / "mine.toml"
    file.parent.mkdir(parents=True)
    file.write_text("primary = 1")
    async with make_app(garden.root).run_test(size=WIDE) as pilot:
        pane = await opened(pilot, "theme")
        await until(pilot, lambda: "mine.toml" in pane.rows_by_name["theme"].problem)
        assert not any("there is no such theme" in told for told in toasts(pilot))


async def test_esc_leaves_a_setting_as_it_is(app: BrvTui) -> None:
    async with app.run_test(size=NARROW) as pilot:
        await opened(pilot, "editor.command")
        await pilot.press("enter", *"vi", "escape")
        await settled(pilot)
        assert isinstance(frame(pilot), SettingsScreen)
        assert not user_file().exists()


async def test_a_key_is_typed_and_acts_at_once(app: BrvTui) -> None:
    async with app.run_test(size=HUGE) as pilot:
        await opened(pilot, "keys.panes.maximise")
        await pilot.press("enter", "backspace", "G", "enter")
        await pilot.pause()
        assert "'G' is also pane.bottom" in shown(pilot)
        assert "choose another key" in shown(pilot)
        await pilot.press("backspace", "V", "enter")
        await until(pilot, lambda: "V maximise" in text_of(pilot, "#keys"))
        await settled(pilot)
        assert kept() == {"keys": {"panes.maximise": "V"}}


async def test_a_click_changes_what_is_chosen(app: BrvTui) -> None:
    async with app.run_test(size=WIDE) as pilot:
        await opened(pilot)
        row = next(number for number, line in enumerate(shown(pilot).splitlines()) if "recording" in line)
        await pilot.click(offset=(8, row))
        await pilot.pause()
        assert kept() == {}
        await pilot.click(offset=(8, row))
        await until(pilot, lambda: kept() == {"recording": True})
        await settled(pilot)


async def test_what_is_changed_stays_chosen_in_a_filter(app: BrvTui) -> None:
    async with app.run_test(size=WIDE) as pilot:
        pane = await opened(pilot)
        await pilot.press("slash", *"llm", "enter", "j")
        assert pane.chosen == "llm.model"
        assert pane.choices[0] == "llm.protocol"
        await pilot.press("enter", *"fake", "enter")
        await until(pilot, lambda: kept() == {"llm": {"model": "fake"}})
        await settled(pilot)
        assert pane.chosen == "llm.model"
        await pilot.press("d")
        await until(pilot, lambda: not kept().get("llm"))
        await settled(pilot)
        assert pane.chosen == "llm.model"
        assert "BRV_TUI_LLM_MODEL" in text_of(pilot, "#setting")


async def test_what_a_filter_no_longer_keeps_stays_until_the_filter_changes(app: BrvTui) -> None:
    async with app.run_test(size=WIDE) as pilot:
        pane = await opened(pilot)
        await pilot.press("slash", *"record false", "enter")
        assert pane.choices == ["recording"]
        await pilot.press("enter")
        await until(pilot, lambda: kept() == {"recording": True})
        await settled(pilot)
        assert pane.chosen == "recording"
        await pilot.press("slash", "space", "f")
        await until(pilot, lambda: pane.choices == [])


async def test_default_is_offered_where_ones_own_file_holds_a_value(
    garden: Tree, make_app: MakeApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    own('animations = "on"\n')
    monkeypatch.setenv("BRV_TUI_THEME", "nord")
    monkeypatch.setenv("BRV_TUI_ANIMATIONS", "off")
    async with make_app(garden.root).run_test(size=HUGE) as pilot:
        await opened(pilot, "animations")
        assert " delete default" in text_of(pilot, "#keys"), "its own value is without effect, but there"
        await opened(pilot, "theme")
        assert "delete default" not in text_of(pilot, "#keys")
        await pilot.press("delete")
        await until(pilot, lambda: "theme comes from BRV_TUI_THEME: change it there" in toasts(pilot))


async def test_what_a_project_sets_is_changed_there(garden: Tree, make_app: MakeApp) -> None:
    file = garden.root / ".brv" / "brv-tui.toml"
    file.write_text('history = 3\n[profile]\nextends = "docs"\n')
    async with make_app(garden.root).run_test(size=WIDE) as pilot:
        await opened(pilot, "history")
        assert "goes before your own" in flat(pilot, "#setting")
        await pilot.press("d")
        await until(pilot, lambda: toasts(pilot))
        assert toasts(pilot)[-1] == f"history comes from {file}: change it there"
        pane = frame(pilot).query_one(SettingsPane)
        pane.move_to(pane.choices.index("profile"))
        await pilot.press("enter")
        await pilot.pause()
        assert "profile is changed by hand alone: in" in toasts(pilot)[-1]


async def test_a_file_that_cannot_be_changed_is_said(app: BrvTui) -> None:
    async with app.run_test(size=WIDE) as pilot:
        await opened(pilot, "watch")
        own("junk")
        await pilot.press("enter")
        await until(pilot, lambda: toasts(pilot))
        assert "cannot be read as settings" in toasts(pilot)[-1]
        assert user_file().read_text() == "junk"


async def test_a_change_that_another_source_goes_before_is_shown_beside_it(
    app: BrvTui, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BRV_TUI_ANIMATIONS", "off")
    again = BrvTui(app._request)
    async with again.run_test(size=WIDE) as pilot:
        await opened(pilot, "animations")

        def beside() -> str:
            return flat(pilot, "#setting")

        assert "yours not set" in beside()
        assert "BRV_TUI_ANIMATIONS goes before your own settings file" in beside()
        seen = []
        for _ in range(2):  # from its own value, so that every choice can be reached
            before = kept()
            await pilot.press("l")
            await until(pilot, lambda: kept() != before)  # noqa: B023
            await settled(pilot)
            seen.append(kept()["animations"])
            assert f"yours {seen[-1]}, without effect" in beside()
            assert toasts(pilot)[-1] == (
                f"animations = {seen[-1]} is kept in {user_file()}, but BRV_TUI_ANIMATIONS goes before it"
            )
        assert seen[0] != seen[1]
        assert again.configuration.settings.animations == "off"
        await pilot.press("d")
        await until(pilot, lambda: kept() == {})
        await settled(pilot)
        assert "yours not set" in beside()
        assert toasts(pilot)[-1].startswith("animations is taken out of ")
