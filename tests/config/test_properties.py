"""Any settings file or environment is either accepted or refused quickly with few messages."""

from __future__ import annotations

import contextlib
import time
import tomllib
from pathlib import Path
from typing import Any

import pytest
import tomlkit
from hypothesis import given
from hypothesis import strategies as st

from brvtui.app.keys.checking import check_keys
from brvtui.app.themes.library import ThemeError, read_theme
from brvtui.config import ConfigError, configure
from brvtui.config.layers import read_tables
from brvtui.config.profile_choice import chosen_profile
from brvtui.config.schema import Entry, ValueKind, entries
from brvtui.config.writing import write_setting
from brvtui.fleet.fleet_file import FleetError, read_entries
from brvtui.typed_tables import ProfileError
from brvtui.wording import MOST_PROBLEMS
from tests.support.settings import own

_SCRAPS = st.sampled_from(
    [
        "theme",
        "editor",
        "keys",
        "profile",
        "=",
        ".",
        "[",
        "]",
        "{",
        "}",
        '"',
        "'",
        "\n",
        "#",
        "\\",
        "1",
        "true",
        "é",
        "\0",
    ]
)
_NAMES = st.sampled_from([*entries(), "editor", "services", "services.embedder", "zzz", "keys.a.b"])
_LEAVES = st.one_of(
    st.booleans(), st.integers(-(10**30), 10**30), st.floats(allow_nan=False), st.text(max_size=8), st.dates()
)
_VALUES = st.recursive(
    _LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(min_size=1, max_size=4), inner, max_size=3),
)


def good(entry: Entry) -> st.SearchStrategy[Any]:
    """Values that the setting accepts."""
    if entry.choices:
        return st.sampled_from(entry.choices)
    return {
        ValueKind.TRUTH: st.booleans(),
        ValueKind.NUMBER: st.integers(entry.least, entry.most),
        ValueKind.TEXT: st.text(st.characters(exclude_categories=["Cs"]), max_size=12),
        ValueKind.PROFILE: st.sampled_from(["brv-3", "docs"]),
    }[entry.kind]


@st.composite
def documents(draw: st.DrawFn) -> dict[str, Any]:
    """Tables of a settings file: known and unknown names, valid and invalid values."""
    result: dict[str, Any] = {}
    for name in draw(st.lists(_NAMES, max_size=4, unique=True)):
        table, (*above, last) = result, name.split(".")
        for part in above:
            table = table.setdefault(part, {})
            if not isinstance(table, dict):
                break
        else:
            known = entries().get(name)
            value = good(known) if known is not None and known.kind is not ValueKind.KEYS else _VALUES
            table[last] = draw(st.one_of(value, _VALUES))
    return result


def answers(file: Path) -> None:
    """Checks that faults are reported in one line each, and that the settings can be used."""
    with contextlib.suppress(ConfigError):
        read_tables(file)
    result = configure(environ={})
    assert all(problem.message.startswith(f"{file}: ") for problem in result.problems)
    assert not any("\n" in problem.message for problem in result.problems)
    assert result.settings.history >= 0
    with contextlib.suppress(ConfigError, ProfileError):
        chosen_profile(result)


@given(st.one_of(st.binary(max_size=200), st.lists(_SCRAPS, max_size=30).map(lambda parts: "".join(parts).encode())))
def test_settings_file_may_contain_any_bytes(data: bytes) -> None:
    answers(own(data))


@given(documents())
def test_settings_file_may_contain_any_tables(tables: dict[str, Any]) -> None:
    answers(own(tomlkit.dumps(tables).encode()))


@given(st.dictionaries(st.sampled_from([entry.variable for entry in entries().values() if entry.variable]), st.text()))
def test_environment_may_contain_any_values(environ: dict[str, str]) -> None:
    result = configure(environ=environ)
    assert all(problem.message.partition(":")[0] in environ for problem in result.problems)


@st.composite
def _changes(draw: st.DrawFn) -> tuple[dict[str, Any], str, Any]:
    """The tables of a valid settings file, and a setting to write to it."""
    result: dict[str, Any] = {}
    simple = [entry for entry in entries().values() if entry.kind is not ValueKind.KEYS]
    for entry in draw(st.lists(st.sampled_from(simple), max_size=6, unique=True)):
        table, (*above, last) = result, entry.name.split(".")
        for part in above:
            table = table.setdefault(part, {})
        table[last] = draw(good(entry))
    entry = draw(st.sampled_from(simple))
    return result, entry.name, draw(st.one_of(st.none(), good(entry)))


@given(_changes(), st.sampled_from(["", "# first\n", "\n\n", "\r\n"]))
def test_writing_a_setting_changes_nothing_else(change: tuple[dict[str, Any], str, Any], head: str) -> None:
    tables, name, value = change
    file = own((head + tomlkit.dumps(tables)).encode())
    before = configure(environ={})
    write_setting(file, name, value)
    after = configure(environ={})
    assert after.problems == ()
    wanted = {**before.values, name: value}
    assert dict(after.values) == {key: kept for key, kept in wanted.items() if kept is not None}
    assert file.read_bytes().decode().startswith(head.strip())
    tomllib.loads(file.read_text())


def test_invalid_toml_raises_a_config_error() -> None:
    with pytest.raises(ConfigError):
        read_tables(own(b"="))


_MANY = 40_000
_MOST_SECONDS = 10.0
"""The limit on CPU time. When a suggestion was searched for each key, the test took four times this limit."""


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
def test_unknown_project_keys_are_counted(tmp_path: Path, head: str, key: str) -> None:
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


def test_every_invalid_known_setting_is_listed(tmp_path: Path) -> None:
    file = tmp_path / ".brv" / "brv-tui.toml"
    file.parent.mkdir()
    unknown = "".join(f"a{number}=1\n" for number in range(100))
    file.write_text(f"{unknown}history = -1\nascii = 7\nengine = 1\n[services]\n{unknown}")
    names = [problem.name for problem in configure(tmp_path).problems]
    assert {"ascii", "engine", "history"} <= set(names)
    assert len(names) == 3 + MOST_PROBLEMS + 1


def test_problems_up_to_the_limit_are_all_listed(tmp_path: Path) -> None:
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
def test_unknown_theme_keys_are_counted(tmp_path: Path, head: str) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(head + "".join(f"a{number}=1\n" for number in range(_MANY)))
    began = time.process_time()
    with pytest.raises(ThemeError) as error:
        read_theme(file)
    assert time.process_time() - began < _MOST_SECONDS
    assert len(error.value.args) <= MOST_PROBLEMS + 1
    assert all(str(line).startswith(f"{file}: ") for line in error.value.args)


def test_unusable_fleet_members_are_counted(tmp_path: Path) -> None:
    file = tmp_path / "fleet.toml"
    file.write_text("".join(f"[[member]]\nname{number} = 1\n" for number in range(_MANY)))
    began = time.process_time()
    _, entries, wrong = read_entries(file)
    assert time.process_time() - began < 2 * _MOST_SECONDS
    assert (entries, len(wrong)) == ((), MOST_PROBLEMS + 1)
    assert wrong[-1] == f"{file}: {_MANY - MOST_PROBLEMS} more unusable members"


def test_many_unknown_fleet_keys_give_a_short_message(tmp_path: Path) -> None:
    file = tmp_path / "fleet.toml"
    file.write_text("".join(f"name{number} = 1\n" for number in range(_MANY)))
    with pytest.raises(FleetError) as error:
        read_entries(file)
    assert len(str(error.value)) < 400


@pytest.mark.parametrize(
    "number", ["0x" + "f" * 5_000, "0b" + "1" * 40_000, "0o" + "7" * 9_000, "0x" + "f_" * 3_000 + "f"]
)
@pytest.mark.parametrize("key", ["theme", "engine", "profile", "history", "profile.direct.min_top"])
def test_oversized_number_is_refused_in_one_line(tmp_path: Path, number: str, key: str) -> None:
    file = tmp_path / ".brv" / "brv-tui.toml"
    file.parent.mkdir()
    file.write_text(f"{key} = {number}\n")
    [problem] = configure(tmp_path).problems
    assert problem.message == f"{file}: cannot be read as settings (a number of more than 1,000 digits)"
