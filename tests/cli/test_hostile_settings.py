"""Every variable, setting, profile constant and fleet key, with values that must not break a command."""

from __future__ import annotations

import os
import random
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import brvtui
from brvtui.config.schema import KEY_VARIABLES, entries
from brvtui.fleet.fleet_file import NAME, FleetEntry
from brvtui.store.folders import config_folder
from tests.cli.conftest import Run
from tests.support.trees import Tree

TEXTS = (
    "inf", "-inf", "nan", "1e308", "-1", "0", "1" + "0" * 30, "9" * 5_000, "0001-01-01", "9999-12-31", "\udce9",
    "a\udcffb", "\x1b]0;x\a", "\x1b[31m", "a\x9b2J", "a\nb", "", " ", "=", "*", "x" * 11_000, "../../etc", "~no.such/x",
    "/", "/dev/null", "FOLDER", "FIFO", "LOOP",
)  # fmt: skip
"""Values of variables."""
LITERALS = (
    "inf", "-inf", "nan", "1e308", "-1", "0", "0.5", "1e15", "1" + "0" * 15, "1e-15", "5e-324", "1" + "0" * 30,
    "9" * 5_000, "0001-01-01", "9999-12-31", "0001-01-01T00:00:00Z", "9999-12-31T23:59:59-23:59", "23:59:59", "true",
    "[]", "[inf]", '[""]', "{}", "", '{ "\\u001b[31m" = nan }', "[" * 2_000 + "]" * 2_000,
    "{a=" * 500 + "1" + "}" * 500, '"\\u001b]0;x\\u0007"', '"\\u009b2J"', '"\\ud800"', '"\udce9"', '"\x1b[31m"',
    '"a\\nb"', '"\\u0000"', '"a\\u0000b"', '""', '" "', '"*"', '"../../etc"', '"~no.such/x"', '"/"', '"/dev/null"',
    '"FOLDER"', '"FIFO"', '"LOOP"', '"' + "x" * 11_000 + '"',
)  # fmt: skip
"""Values in a TOML file; some cannot be parsed."""
SETTINGS = (*entries(), "keys.panes.back", "zzz", "editor", "llm.zzz")
VARIABLES = (
    *(entry.variable for entry in entries().values() if entry.variable),
    *KEY_VARIABLES,
    *(f"BRV_TUI_{name}" for name in ("BYTEROVER_PACKAGE", "BYTEROVER_BUNDLE", "SERVED")),
    *(f"BRV_TUI_{name}_DIR" for name in ("DATA", "CONFIG", "CACHE")),
    "BRV_DATA_DIR",
    "_BRV_TUI_COMPLETE",
)
_FOLDER = Path(brvtui.__file__).parent / "engines"
PROFILES = {file.stem: tomllib.loads(file.read_text()) for file in sorted(_FOLDER.glob("*/profiles/*.toml"))}
_RAW = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\x80-\x9f]")


@pytest.fixture
def place(project: Tree, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project that contains a pipe and a link to itself, as the working folder."""
    folder = project.root / "place"
    folder.mkdir()
    os.mkfifo(folder / "pipe")
    (folder / "loop").symlink_to(folder / "loop")
    monkeypatch.chdir(project.root)
    return folder


def _filled(value: str, place: Path) -> str:
    for name, path in (("FOLDER", place), ("FIFO", place / "pipe"), ("LOOP", place / "loop")):
        value = value.replace(name, str(path))
    return value


def _problem(run: Run, *words: str, inside: bool = True) -> str:
    code, out, err = run(*words, inside=inside)
    if code not in range(5):
        return f"ended with {code}"
    if "Traceback" in err or "a report is in" in err:
        return err
    if found := _RAW.search(out + err):
        return f"prints {found[0]!r}"
    return ""


def _constants(table: dict[str, Any], above: str = "") -> Iterator[str]:
    """The dotted names of the constants in ``table``, including its tables."""
    for name, value in table.items():
        yield above + name
        if isinstance(value, dict):
            yield from _constants(value, f"{above}{name}.")


def _sample(kind: str, calls: list[tuple[str, str]], size: int) -> list[tuple[str, str]]:
    return random.Random(kind).sample(calls, size)


def _assignment(name: str, literal: str) -> str:
    return f"{name} = {literal}\n"


def _write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(text.encode("utf-8", "surrogateescape"))


@pytest.mark.parametrize("command", [("query", "refresh token"), ("config",)], ids=lambda words: words[0])
def test_hostile_variables_do_not_break_a_command(
    command: tuple[str, ...], place: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    problems = []
    calls = [(name, value) for name in VARIABLES for value in TEXTS]
    for name, value in _sample(command[0], calls, 40):
        with monkeypatch.context() as patch:
            patch.setenv(name, _filled(value, place))
            if found := _problem(run, *command):
                problems.append((name, value[:40], found))
    assert problems == []


@pytest.mark.parametrize("owner", ["user", "project"])
@pytest.mark.parametrize("command", [("query", "refresh token"), ("config",), ("keys",)], ids=lambda words: words[0])
def test_hostile_settings_do_not_break_a_command(owner: str, command: tuple[str, ...], place: Path, run: Run) -> None:
    file = config_folder() / "config.toml" if owner == "user" else place.parent / ".brv" / "brv-tui.toml"
    problems = []
    calls = [(name, literal) for name in SETTINGS for literal in LITERALS]
    for name, literal in _sample(owner + command[0], calls, 40):
        _write(file, _assignment(name, _filled(literal, place)))
        if found := _problem(run, *command):
            problems.append((name, literal[:40], found))
    assert problems == []


@pytest.mark.parametrize("profile", PROFILES)
def test_hostile_profile_constants_do_not_break_a_command(profile: str, place: Path, run: Run) -> None:
    engine = profile if profile in ("jeffs_brain", "soleri", "knowing") else "byterover"
    file = place / "mine.toml"
    problems = []
    calls = [(name, literal) for name in (*_constants(PROFILES[profile]), "extends", "zzz") for literal in LITERALS]
    for name, literal in _sample(profile, calls, 20):
        head = "" if name == "extends" else _assignment("extends", f'"{profile}"')
        _write(file, head + _assignment(name, _filled(literal, place)))
        if found := _problem(run, "query", "refresh token", "--engine", engine, "--profile", str(file)):
            problems.append((name, literal[:40], found))
    assert problems == []


def test_hostile_fleet_keys_do_not_break_a_command(place: Path, run: Run) -> None:
    problems = []
    names = (*FleetEntry.__dataclass_fields__, "zzz")
    for name, literal in _sample("fleet", [(name, literal) for name in names for literal in LITERALS], 40):
        head = "" if name in ("path", "repository", "spaces") else _assignment("path", '"."')
        _write(place.parent / NAME, "[[member]]\n" + head + _assignment(name, _filled(literal, place)))
        if found := _problem(run, "fleet", "list", inside=False):
            problems.append((name, literal[:40], found))
    assert problems == []


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("[text.boost]\ntitle = 1e308", "text.boost.title must be a number of 0 or more, at most 1e+15"),
        ("[text]\nk = 5e-324", "text.k must be at least 1e-15"),
        ("[text.boost]\ntitle = 5e-324", "text.boost.title must be 0 or at least 1e-15"),
        ("[search]\nlimit = 1" + "0" * 30, "search.limit must be at least 1, at most 1e+15"),
        ('name = "a\\u0000"', "name must not contain a NUL character"),
    ],
)
def test_extreme_constant_is_refused_by_name(text: str, why: str, place: Path, run: Run) -> None:
    _write(place / "mine.toml", text)
    code, _, err = run("query", "refresh token", "--profile", str(place / "mine.toml"))
    assert (code, err.endswith(f": {why}\n")) == (2, True)


@pytest.mark.parametrize("profile", ["../place/loop", "~no.such/x"])
def test_unreachable_profile_path_is_refused(profile: str, place: Path, run: Run) -> None:
    _write(place.parent / ".brv" / "brv-tui.toml", f'profile = "{profile}"')
    code, _, err = run("query", "refresh token")
    assert (code, "no such file" in err) == (2, True)


@pytest.mark.parametrize("name", ["\udce9", "a\udcffb"])
def test_member_whose_name_is_not_utf8_is_not_added(name: str, place: Path, run: Run) -> None:
    (place.parent / name).symlink_to(place.parent)
    code, _, err = run("fleet", "add", name, inside=False)
    assert code == 2
    assert "not UTF-8" in err
    assert not (place.parent / NAME).exists()


@pytest.mark.parametrize(("name", "value"), [("BYTEROVER_PACKAGE", "~no.such/x"), ("BYTEROVER_BUNDLE", "FOLDER")])
def test_hostile_engine_paths_do_not_break_verify(
    name: str, value: str, place: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(f"BRV_TUI_{name}", _filled(value, place))
    monkeypatch.setenv("PATH", str(place))
    assert _problem(run, "verify") == ""
