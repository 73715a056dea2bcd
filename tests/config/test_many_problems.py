"""Files with very many faults: checked in time that grows with their size, with a few lines that name the file."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from brvtui.app.keys.checking import check_keys
from brvtui.app.themes.library import ThemeError, read_theme
from brvtui.config.layers import configure
from brvtui.config.schema import ConfigError
from brvtui.fleet.fleet_file import FleetError, read_entries
from brvtui.wording import MOST_PROBLEMS

_MANY = 40_000
_MOST_SECONDS = 10.0
"""Of processor time. A suggestion for each key took four times that on an idle machine."""


@pytest.mark.parametrize(
    ("head", "key"),
    [
        ("", "a{}"),
        ("", "a{}.b.c.d.e"),
        ("[services]\n", "a{}"),
        ("[services.embedder]\n", "a{}"),
        ("[signals]\n", "'a {}'"),
        ("[llm]\n", "a{}.b"),
    ],
)
def test_unknown_keys_of_a_project_are_counted(tmp_path: Path, head: str, key: str) -> None:
    file = tmp_path / ".brv" / "brv-tui.toml"
    file.parent.mkdir()
    file.write_text("ascii = true\n" + head + "".join(f"{key.format(number)}=1\n" for number in range(_MANY)))
    began = time.process_time()
    read = configure(tmp_path)
    assert time.process_time() - began < _MOST_SECONDS
    assert read.settings.ascii == "on"
    lines = [each.line for each in read.left_out()]
    assert len(lines) == MOST_PROBLEMS + 1
    assert f"{file}: {_MANY - MOST_PROBLEMS} more unknown keys" in lines[-1]
    with pytest.raises(ConfigError, match="unknown key"):
        read.check()


def test_every_known_setting_that_cannot_be_used_is_listed(tmp_path: Path) -> None:
    file = tmp_path / ".brv" / "brv-tui.toml"
    file.parent.mkdir()
    unknown = "".join(f"a{number}=1\n" for number in range(100))
    file.write_text(f"{unknown}history = -1\nascii = 7\nengine = 1\n[services]\n{unknown}")
    names = [problem.name for problem in configure(tmp_path).problems]
    assert {"ascii", "engine", "history"} <= set(names)
    assert len(names) == 3 + MOST_PROBLEMS + 1


def test_exactly_as_many_as_are_listed_are_not_counted(tmp_path: Path) -> None:
    file = tmp_path / ".brv" / "brv-tui.toml"
    file.parent.mkdir()
    file.write_text("".join(f"a{number}=1\n" for number in range(MOST_PROBLEMS)))
    problems = configure(tmp_path).problems
    assert len(problems) == MOST_PROBLEMS
    assert not any("more unknown" in problem.message for problem in problems)


def test_unknown_bindings_are_counted() -> None:
    began = time.process_time()
    checked = check_keys({f"no.such{number}": "x" for number in range(_MANY)})
    assert time.process_time() - began < _MOST_SECONDS
    assert len(checked.problems) == MOST_PROBLEMS + 1
    assert list(checked.problems.values())[-1] == f"keys: {_MANY - MOST_PROBLEMS} more unknown bindings"


@pytest.mark.parametrize("head", ["", "[colours]\n", "[variables]\n"])
def test_unknown_keys_of_a_theme_are_counted(tmp_path: Path, head: str) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(head + "".join(f"a{number}=1\n" for number in range(_MANY)))
    began = time.process_time()
    with pytest.raises(ThemeError) as error:
        read_theme(file)
    assert time.process_time() - began < _MOST_SECONDS
    assert len(error.value.args) <= MOST_PROBLEMS + 1
    assert all(str(line).startswith(f"{file}: ") for line in error.value.args)


def test_unusable_members_of_a_fleet_are_counted(tmp_path: Path) -> None:
    file = tmp_path / "fleet.toml"
    file.write_text("".join(f"[[member]]\nname{number} = 1\n" for number in range(_MANY)))
    began = time.process_time()
    _, entries, wrong = read_entries(file)
    assert time.process_time() - began < 2 * _MOST_SECONDS
    assert (entries, len(wrong)) == ((), MOST_PROBLEMS + 1)
    assert wrong[-1] == f"{file}: {_MANY - MOST_PROBLEMS} more unusable members"


def test_unknown_keys_of_a_fleet_make_a_short_line(tmp_path: Path) -> None:
    file = tmp_path / "fleet.toml"
    file.write_text("".join(f"name{number} = 1\n" for number in range(_MANY)))
    with pytest.raises(FleetError) as error:
        read_entries(file)
    assert len(str(error.value)) < 400


@pytest.mark.parametrize(
    "number", ["0x" + "f" * 5_000, "0b" + "1" * 40_000, "0o" + "7" * 9_000, "0x" + "f_" * 3_000 + "f"]
)
@pytest.mark.parametrize("key", ["theme", "engine", "profile", "history", "profile.direct.min_top"])
def test_a_number_that_python_does_not_write_is_refused_in_a_line(tmp_path: Path, number: str, key: str) -> None:
    file = tmp_path / ".brv" / "brv-tui.toml"
    file.parent.mkdir()
    file.write_text(f"{key} = {number}\n")
    [problem] = configure(tmp_path).problems
    assert problem.message == f"{file}: cannot be read as settings (a number of more than 1,000 digits)"
