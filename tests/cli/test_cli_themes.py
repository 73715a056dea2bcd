"""``themes``: the list of all themes, and problems of the user's own."""

from __future__ import annotations

import json

import pytest

from brvtui.wording import MOST_PROBLEMS
from tests.cli.conftest import Run
from tests.support.settings import own_theme


def test_built_in_themes_are_listed_first(run: Run) -> None:
    code, out, err = run("themes", inside=False)
    names = [line.split()[0] for line in out.splitlines()]
    assert (code, err) == (0, "")
    assert names[:3] == ["brv-contrast", "brv-dark", "brv-light"]
    assert {"nord", "ansi-dark"} <= set(names)
    assert "hard to read" not in out


def test_user_theme_is_listed_with_its_file_and_weak_roles(run: Run) -> None:
    file = own_theme('primary = "#336699"\nbackground = "#000000"\n[role]\nmuted = "#333333"\n')
    code, out, _ = run("themes", "--format", "json", inside=False)
    mine = next(theme for theme in json.loads(out)["themes"] if theme["name"] == "mine")
    assert code == 0
    assert mine["file"] == str(file)
    assert list(mine["weak"]) == ["muted"]
    said = " ".join(run("themes", inside=False)[1].split())
    assert "hard to read (contrast below 4.5 to 1): muted 1." in said
    assert f"themes of your own: NAME.toml in {file.parent}" in said


def test_broken_theme_file_ends_with_code_2(run: Run) -> None:
    file = own_theme('primry = "red"')
    code, out, err = run("themes", inside=False)
    assert code == 2
    assert "nord" in out
    assert err.splitlines() == [
        f"brv-tui: {file}: unknown key primry; did you mean primary?",
        f"brv-tui: {file}: primary is missing: the theme's main colour",
    ]


def test_many_broken_theme_files_are_counted(run: Run) -> None:
    folder = own_theme("").parent
    for number in range(MOST_PROBLEMS + 10):
        (folder / f"broken{number}.toml").write_text("broken")
    code, _, err = run("themes", inside=False)
    lines = err.splitlines()
    assert (code, len(lines), lines[-1]) == (2, MOST_PROBLEMS + 1, "brv-tui: 11 more problems")


def test_config_command_reports_every_fault_in_the_configured_theme(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    file = own_theme('primry = "#fff"\naccent = 3')
    monkeypatch.setenv("BRV_TUI_THEME", file.stem)
    code, _, err = run("config", inside=False)
    assert code == 2
    assert err.splitlines() == [
        f"brv-tui: BRV_TUI_THEME: {file}: unknown key primry; did you mean primary?",
        f"brv-tui: BRV_TUI_THEME: {file}: accent = 3 must be a colour in quotes",
        f"brv-tui: BRV_TUI_THEME: {file}: primary is missing: the theme's main colour",
    ]
    assert run("themes", inside=False)[2] == err.replace("BRV_TUI_THEME: ", "")
