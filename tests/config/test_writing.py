"""Writing one setting to a settings file."""

from __future__ import annotations

import stat
import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from brvtui.config import ConfigError, configure, user_file
from brvtui.config.writing import write_setting

_FULL = """\
# my settings
theme = 'brv-light'   # at home

[editor]
# always
keep_mtime = true

[keys]
"panes.back" = "x"
panes.next = "n"  # next
"""


def after(text: str, name: str, value: bool | int | str | None) -> str:
    """The settings file ``text`` after writing one setting."""
    file = user_file()
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(text.encode())
    write_setting(file, name, value)
    return file.read_bytes().decode()


def test_first_setting_creates_the_file() -> None:
    write_setting(user_file(), "theme", "brv-light")
    assert user_file().read_text() == 'theme = "brv-light"\n'
    assert configure(environ={}).settings.theme == "brv-light"


@pytest.mark.parametrize(
    ("name", "value", "old", "new"),
    [
        ("theme", "x", "theme = 'brv-light'   #", 'theme = "x"   #'),
        ("editor.keep_mtime", False, "keep_mtime = true", "keep_mtime = false"),
        ("keys.panes.back", "y", '"panes.back" = "x"', '"panes.back" = "y"'),
        ("keys.panes.next", "y", 'panes.next = "n"', 'panes.next = "y"'),
        ("editor.keep_mtime", None, "# always\nkeep_mtime = true\n", "# always\n"),
        ("editor.command", "vi", "keep_mtime = true\n", 'keep_mtime = true\ncommand = "vi"\n'),
    ],
)
def test_writing_a_setting_keeps_the_rest_of_the_file(name: str, value: bool | str | None, old: str, new: str) -> None:
    assert old in _FULL
    assert after(_FULL, name, value) == _FULL.replace(old, new)


def test_unchanged_setting_is_not_written() -> None:
    file = user_file()
    file.parent.mkdir(parents=True)
    file.write_text(_FULL)
    before = file.stat().st_mtime_ns, file.stat().st_ino
    write_setting(file, "theme", "brv-light")
    write_setting(file, "history", None)
    assert (file.stat().st_mtime_ns, file.stat().st_ino) == before
    write_setting(file.with_name("other.toml"), "history", None)
    assert not file.with_name("other.toml").exists()


def test_writing_a_setting_keeps_line_endings() -> None:
    assert after("theme = 'a'\r\n[editor]\r\n", "editor.keep_mtime", True) == (
        "theme = 'a'\r\n[editor]\r\nkeep_mtime = true\r\n"
    )


@pytest.mark.parametrize(
    ("text", "name", "left"),
    [
        ("keys = 3\nhistory = 1\n", "keys", "history = 1\n"),
        ("[keys.screens]\nsettings = 3\n", "keys.screens.settings", "[keys.screens]\n"),
    ],
)
def test_unknown_key_is_removed(text: str, name: str, left: str) -> None:
    assert after(text, name, None) == left


def test_text_values_are_quoted() -> None:
    value = 'a "b" \\ \n[x] é'
    assert after("", "editor.command", value)
    assert configure(environ={}).settings.editor.command == value


def test_writing_a_setting_keeps_permissions_and_symlinks(tmp_path: Path) -> None:
    real = tmp_path / "dotfiles.toml"
    real.write_text("history = 1\n")
    real.chmod(0o640)
    file = user_file()
    file.parent.mkdir(parents=True)
    file.symlink_to(real)
    write_setting(file, "history", 2)
    assert file.is_symlink()
    assert real.read_text() == "history = 2\n"
    assert stat.S_IMODE(real.stat().st_mode) == 0o640


@pytest.mark.parametrize(
    ("text", "message"),
    [("junk", "cannot be read as settings"), ("[profile]\nextends = 'docs'\n", "profile is a table in this file")],
)
def test_change_that_would_lose_content_is_refused(text: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        after(text, "profile", "docs")
    assert user_file().read_text() == text


def test_concurrent_changes_to_settings_are_all_kept() -> None:
    keys = [f"keys.panes.k{number}" for number in range(24)]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda key: write_setting(user_file(), key, "x"), keys))
    assert sorted(tomllib.loads(user_file().read_text())["keys"]) == sorted(key[5:] for key in keys)
