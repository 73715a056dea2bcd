"""Themes in the app: from the settings, from the user's files while they are edited, and previewed before choosing."""

from __future__ import annotations

from pathlib import Path

import pytest
from rich.color import Color
from textual.command import CommandPalette
from textual.theme import BUILTIN_THEMES

from brvtui.app.app import BrvTui
from brvtui.config import configure, user_file
from tests.app.driving import NARROW, WIDE, MakeApp, ask, on, press, settled, until
from tests.app.looking import AppPilot, brv, flat, shown, toasts
from tests.support.settings import own, own_theme
from tests.support.trees import Tree

pytestmark = pytest.mark.long

_RED = 'primary = "#ff0000"\nbackground = "#200000"\n[role]\ntext = "#ffcccc"\n'
_GREEN = 'primary = "#00ff00"\nbackground = "#002000"\n[role]\ntext = "#ccffcc"\n'


def colours(pilot: AppPilot) -> set[Color]:
    """Every colour on the terminal."""
    strips = pilot.app.screen._compositor.render_strips()
    styles = [segment.style for strip in strips for segment in strip if segment.style is not None]
    return {colour for style in styles for colour in (style.color, style.bgcolor) if colour is not None}


def paints(pilot: AppPilot, *wanted: str) -> bool:
    """True if all these colours are on the terminal, within Textual's rounding."""
    found = [colour.triplet for colour in colours(pilot) if colour.triplet is not None]
    parsed = [Color.parse(colour).get_truecolor() for colour in wanted]
    return all(any(all(abs(a - b) <= 1 for a, b in zip(one, other, strict=True)) for other in found) for one in parsed)


async def changed(pilot: AppPilot) -> None:
    """Tells the app that the user's themes have changed, as the watcher does."""
    brv(pilot)._read_themes(None)
    await pilot.pause()
    await settled(pilot)


@pytest.mark.parametrize("name", ["brv-contrast", "nord", "mine"])
async def test_configured_theme_is_used_from_the_first_paint(garden: Tree, make_app: MakeApp, name: str) -> None:
    own_theme(_RED)
    own(f'theme = "{name}"')
    app = make_app(garden.root)
    assert app.theme == name
    async with app.run_test(size=NARROW) as pilot:
        await ask(pilot, "rollback")
        assert toasts(pilot) == []
        assert paints(pilot, str(app.current_theme.background))


async def test_project_theme_has_precedence_over_the_users(garden: Tree, make_app: MakeApp) -> None:
    own('theme = "nord"')
    (garden.root / ".brv" / "brv-tui.toml").write_text('theme = "brv-light"')
    app = make_app(garden.root)
    assert app.theme == "nord"
    async with app.run_test(size=NARROW) as pilot:
        await settled(pilot)
        assert app.theme == "brv-light"


async def test_unknown_theme_is_reported_with_the_nearest_name(garden: Tree, make_app: MakeApp) -> None:
    file = own('theme = "brv-lihgt"')
    async with make_app(garden.root).run_test(size=NARROW) as pilot:
        await settled(pilot)
        assert pilot.app.theme == "brv-dark"
        assert toasts(pilot) == [f"{file}: theme = 'brv-lihgt': there is no such theme; did you mean brv-light?"]


async def test_broken_theme_files_are_reported_in_one_line_each(garden: Tree, make_app: MakeApp) -> None:
    first, second = own_theme('primry = "red"', "a.toml"), own_theme("primary = ", "b.toml")
    own_theme(_RED)
    async with make_app(garden.root).run_test(size=NARROW) as pilot:
        await settled(pilot)
        assert sorted(toasts(pilot)) == [
            f"{first}: unknown key primry; did you mean primary? (and 1 more: brv-tui themes lists them all); ignored",
            f"{second}: cannot be read as a theme (Invalid value (at end of document)); ignored",
        ]
        assert "mine" in pilot.app.available_themes
        await changed(pilot)
        assert len(toasts(pilot)) == 2


async def test_edited_theme_is_applied_and_stays_while_the_file_is_broken(garden: Tree, make_app: MakeApp) -> None:
    file = own_theme(_RED)
    own('theme = "mine"')
    async with make_app(garden.root).run_test(size=NARROW) as pilot:
        await ask(pilot, "rollback")
        assert paints(pilot, "#200000", "#ffcccc")
        own_theme(_GREEN)
        await until(pilot, lambda: pilot.app.current_theme.primary == "#00ff00")  # the app notices the change by itself
        await settled(pilot)
        assert paints(pilot, "#002000", "#ccffcc")
        own_theme('primary = "reed"')
        await changed(pilot)
        assert toasts(pilot) == [f"{file}: primary = 'reed' is not a colour; did you mean red?; ignored"]
        own_theme("primary = ")
        await changed(pilot)
        assert pilot.app.theme == "mine"
        assert paints(pilot, "#002000")
        own_theme(_RED)
        await changed(pilot)
        assert paints(pilot, "#200000")
        file.unlink()
        await changed(pilot)
        assert pilot.app.theme == "brv-dark"
        assert toasts(pilot)[-1] == "the theme mine is gone"


async def test_user_theme_replaces_textuals_theme_of_the_same_name(garden: Tree, make_app: MakeApp) -> None:
    own('theme = "nord"')
    file = own_theme(_RED, "nord.toml")
    async with make_app(garden.root).run_test(size=NARROW) as pilot:
        await settled(pilot)
        assert pilot.app.current_theme.primary == "#ff0000"
        file.unlink()
        await changed(pilot)
        assert pilot.app.theme == "nord"
        assert pilot.app.current_theme is BUILTIN_THEMES["nord"]


# Choosing


async def opened(pilot: AppPilot) -> None:
    """Opens the list of themes."""
    await settled(pilot)
    await on(pilot, CommandPalette, "escape", "T")
    await until(pilot, lambda: "brv-contrast" in shown(pilot))
    await pilot.pause()


async def test_theme_list_previews_themes_and_esc_restores_the_old_theme(app: BrvTui, pilot: AppPilot) -> None:
    await opened(pilot)
    assert app.theme == "brv-dark"
    await pilot.press("down")
    await until(pilot, lambda: app.theme == "brv-light")
    await settled(pilot)
    assert paints(pilot, "#fbfaf7")
    await press(pilot, "escape")
    assert app.theme == "brv-dark"
    assert not paints(pilot, "#fbfaf7")
    assert not user_file().exists()
    await opened(pilot)
    lines = shown(pilot).splitlines()
    row = next(number for number, line in enumerate(lines) if "brv-light" in line)
    await pilot.click(offset=(lines[row].index("brv-light"), row))
    await until(pilot, user_file().exists)
    await settled(pilot)
    assert app.theme == "brv-light"
    await opened(pilot)
    await pilot.press(*"contrast")
    await until(pilot, lambda: app.theme == "brv-contrast")
    await pilot.press("enter")
    await until(pilot, user_file().exists)
    await settled(pilot)
    assert app.theme == "brv-contrast"
    assert configure(environ={}).settings.theme == "brv-contrast"
    assert toasts(pilot)[-1] == f"theme = brv-contrast, saved in {user_file()}"


async def test_theme_that_cannot_be_stored_is_reported(app: BrvTui) -> None:
    user_file().parent.mkdir(parents=True)
    async with app.run_test(size=WIDE) as pilot:
        await settled(pilot)
        own("junk")
        app.keep_theme("brv-light")
        await until(pilot, lambda: toasts(pilot))
        assert "cannot be read as settings" in toasts(pilot)[-1]
        assert app.theme == "brv-light"


async def test_user_file_override_is_reported(app: BrvTui, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BRV_TUI_THEME", "nord")
    async with app.run_test(size=WIDE) as pilot:
        await settled(pilot)
        app.keep_theme("brv-light")
        await until(pilot, lambda: toasts(pilot))
        assert toasts(pilot)[-1] == f"theme = brv-light is saved in {user_file()}, but BRV_TUI_THEME overrides it"


async def test_t_cycles_through_our_own_themes(app: BrvTui) -> None:
    async with app.run_test(size=NARROW) as pilot:
        await settled(pilot)
        await pilot.press("escape")
        seen = []
        for _ in range(4):
            await press(pilot, "t")
            seen.append(brv(pilot).theme)
        assert seen == ["brv-light", "brv-contrast", "brv-dark", "brv-light"]
        assert not user_file().exists()
        await press(pilot, "comma", "slash", *"theme", "enter")
        assert "only for this session" in flat(pilot, "#setting")
        await press(pilot, "t", "t")
        assert brv(pilot).theme == "brv-dark"
        assert "only for this session" not in flat(pilot, "#setting")


# The terminal's own colours, and no colours at all


async def test_no_color_marks_text_by_reversing_without_colours(
    garden: Tree, make_app: MakeApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    async with make_app(garden.root).run_test(size=WIDE) as pilot:
        await ask(pilot, "rollback", "escape", "T")
        await until(pilot, lambda: "brv-contrast" in shown(pilot))
        await press(pilot, "down", "escape")
        assert {colour.name for colour in colours(pilot)} == {"default"}
        strips = pilot.app.screen._compositor.render_strips()
        reversed_text = "".join(
            segment.text for strip in strips for segment in strip if segment.style and segment.style.reverse
        )
        assert " 1 Query " in reversed_text
        assert "Rollback" in reversed_text


@pytest.mark.parametrize("name", ["ansi-dark", "ansi-light"])
async def test_ansi_themes_use_only_terminal_colours(garden: Tree, make_app: MakeApp, name: str) -> None:
    own(f'theme = "{name}"')
    async with make_app(garden.root).run_test(size=WIDE) as pilot:
        await ask(pilot, "rollback")
        found = {colour.triplet for colour in colours(pilot) if colour.triplet is not None}
        assert found == set()


def test_theme_files_are_read_at_start_only_if_needed(
    garden: Tree, make_app: MakeApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[Path] = []
    monkeypatch.setattr("brvtui.app.themed.read_library", lambda: read.append(garden.root))
    make_app(garden.root)
    assert read == []
