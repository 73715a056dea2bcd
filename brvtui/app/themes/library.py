"""All themes: Textual's, our own, and the user's themes, which replace others with the same name."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from textual.color import Color, ColorParseError
from textual.design import ColorSystem
from textual.theme import BUILTIN_THEMES, Theme

from brvtui.app.themes.palette import PREFIX, TABLES
from brvtui.config import ConfigError
from brvtui.config.checking import quote
from brvtui.config.layers import read_tables
from brvtui.store.folders import config_folder
from brvtui.text.visible import visible
from brvtui.wording import MOST_PROBLEMS, first_lines, nearest, shortened

# Reads theme files (``themes/README.md``): Textual's fields and tables of roles, checked key by key.


COLOURS = (
    "primary", "secondary", "warning", "error", "success", "accent", "foreground", "background", "surface", "panel",
    "boost",
)  # fmt: skip
VARIABLES = "variables"
_SWITCHES = ("dark", "ansi")
_SHARES = ("luminosity_spread", "text_alpha")
_KNOWN = ("name", *_SWITCHES, *COLOURS, *_SHARES, *TABLES, VARIABLES)
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*")
_TERMINAL = "ansi_"
_STYLES = frozenset({"none", "not", "bold", "b", "dim", "italic", "i", "reverse", "strike", "underline", "u"})
_WORDS = ("auto", "initial", "transparent")
_SHARE = re.compile(r"\d{1,3}(\.\d+)?%")


class ThemeError(ValueError):
    """A theme file cannot be used; ``args`` contains one line for each fault, with the file's path."""


def read_theme(file: Path) -> Theme:
    """Reads the theme in ``file``. Raises :class:`ThemeError` if it has faults."""
    try:
        tables = read_tables(file, "a theme")
    except ConfigError as error:
        raise ThemeError(visible(str(error))) from error
    faults = _Faults()
    theme = _theme(tables, file.stem, faults)
    if theme is None or faults.found:
        raise ThemeError(*(visible(f"{file}: {fault}") for fault in first_lines(faults.found, "fault")))
    return theme


@dataclass
class _Faults:
    """Collects the faults of a theme file in order."""

    found: list[str] = field(default_factory=list)

    def none_in(self, name: str, value: Any, fault: str) -> bool:
        """Adds the ``fault`` of ``value``, unless it is empty; returns True if it is empty."""
        if fault:
            self.found.append(f"{name} = {quote(value)} {fault}")
        return not fault

    def unknown(self, name: str, known: Mapping[str, Any] | tuple[str, ...], above: str = "") -> None:
        """Adds the fault that ``name`` is not one of ``known``."""
        hint = nearest(name, known) if len(self.found) < MOST_PROBLEMS else ""
        self.found.append(f"unknown key {above}{shortened(name)}{hint}")


def _theme(tables: Mapping[str, Any], stem: str, faults: _Faults) -> Theme | None:
    ansi = tables.get("ansi") is True
    fields: dict[str, Any] = {"name": stem, VARIABLES: {}}
    for key, value in tables.items():
        if key not in _KNOWN:
            faults.unknown(key, _KNOWN)
        elif key in TABLES or key == VARIABLES:
            fields[VARIABLES].update(_table(key, value, ansi, faults))
        elif faults.none_in(key, value, _wrong_field(key, value, ansi)):
            fields[key] = value
    if "primary" not in tables:
        faults.found.append("primary is missing: the theme's main colour")
    if "name" not in tables:
        faults.none_in("name", stem, _wrong_name(stem))
    return None if faults.found else Theme(**fields)


def _wrong_field(key: str, value: Any, ansi: bool) -> str:
    if key == "name":
        return _wrong_name(value)
    if key in _SWITCHES:
        return "" if isinstance(value, bool) else "must be true or false"
    if key in _SHARES:
        fits = isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value <= 1
        return "" if fits else "must be a number between 0 and 1"
    return _wrong_colour(value, ansi, opaque=key not in ("boost", "panel"))


def _wrong_name(value: Any) -> str:
    fits = isinstance(value, str) and _NAME.fullmatch(value)
    return "" if fits else "must be a name of letters, digits, - and _"


def _table(key: str, value: Any, ansi: bool, faults: _Faults) -> dict[str, str]:
    if not isinstance(value, Mapping):
        faults.none_in(key, value, "must be a table")
        return {}
    variables = {}
    known: Mapping[str, str] = TABLES.get(key) or {name: name for name in _variables()}
    for name, colour in value.items():
        if name not in known:
            faults.unknown(name, tuple(known) if key in TABLES else _close(name), f"{key}.")
        elif key == VARIABLES:
            if faults.none_in(f"{key}.{name}", colour, _wrong_variable(name, colour, ansi)):
                variables[name] = colour
        elif faults.none_in(f"{key}.{name}", colour, _wrong_colour(colour, ansi)):
            variables[f"{PREFIX}{known[name]}"] = colour
    return variables


@cache
def _variables() -> tuple[str, ...]:
    """Returns the variables that Textual's own themes can set."""
    return tuple({**ColorSystem("black").generate(), **ColorSystem("black", ansi=True).generate()})


def _close(name: str) -> tuple[str, ...]:
    """Returns the variables with the same first part as ``name``, for a suggestion."""
    start = name.split("-")[0]
    return tuple(known for known in _variables() if known.startswith(start)) or COLOURS


def _wrong_colour(value: Any, ansi: bool, opaque: bool = True) -> str:
    if not isinstance(value, str):
        return "must be a colour in quotes"
    if value.startswith(_TERMINAL) and not ansi:
        return "is a terminal colour: set ansi = true to use it"
    try:
        colour = Color.parse(value)
    except (ColorParseError, ValueError) as error:
        hint = getattr(error, "suggested_color", None)
        return f"is not a colour{f'; did you mean {hint}?' if hint else ''}"
    return "must be opaque" if opaque and colour.a != 1 else ""


def _wrong_variable(name: str, value: Any, ansi: bool) -> str:
    if not isinstance(value, str):
        return "must be in quotes"
    words = value.split()
    if "-style" in name:
        return (
            "" if words and all(word in _STYLES for word in words) else "must be a text style, for example bold reverse"
        )
    head, share = words[0] if words else "", words[1:]
    if len(share) > 1 or (share and not _SHARE.fullmatch(share[0])):
        return "must be a colour, or a colour and a percentage"
    return "" if head in _WORDS else _wrong_colour(head, ansi, opaque=False)


OURS = ("brv-dark", "brv-light", "brv-contrast")
DEFAULT = OURS[0]
_FOLDER = "themes"
_OURS = Path(__file__).parents[2] / _FOLDER
_ENDING = ".toml"


class Library(NamedTuple):
    """The themes by name, the user's own files by theme name, and the problems of ignored files, one per line."""

    themes: dict[str, Theme]
    files: dict[str, Path]
    problems: dict[Path, tuple[str, ...]]

    def keeping(self, old: Library) -> Library:
        """Returns this library, with the theme from ``old`` for each file that has become unusable."""
        kept = {name: file for name, file in old.files.items() if file in self.problems and name not in self.files}
        themes = self.themes | {name: old.themes[name] for name in kept}
        return Library(themes, self.files | kept, self.problems)

    def why_missing(self, name: str, place: str = "") -> tuple[str, ...]:
        """Returns lines that say why the theme ``name``, set in ``place``, does not exist; empty if it exists.

        The reason is the problem of the file with that name, if there is one.
        """
        if name in self.themes:
            return ()
        where = f"{place}: " if place else ""
        unknown = f"{where}theme = {shortened(name)!r}: there is no such theme{nearest(name, self.themes)}"
        return next((lines for file, lines in self.problems.items() if file.stem == name), (unknown,))


def user_folder() -> Path:
    """Returns the folder for the user's theme files, which may not exist."""
    return config_folder() / _FOLDER


@cache
def our_theme(name: str) -> Theme:
    """Returns our own theme ``name``."""
    return read_theme(_OURS / f"{name}{_ENDING}")


def read_library() -> Library:
    """Reads all themes. Unusable files are listed in ``problems``."""
    themes = {**BUILTIN_THEMES, **{name: our_theme(name) for name in OURS}}
    files: dict[str, Path] = {}
    problems: dict[Path, tuple[str, ...]] = {}
    for file in _user_files():
        try:
            theme = read_theme(file)
        except ThemeError as error:
            problems[file] = error.args
            continue
        if theme.name in files:
            problems[file] = (f"{file}: the name {theme.name} is taken by {files[theme.name].name}",)
            continue
        themes[theme.name] = theme
        files[theme.name] = file
    return Library(themes, files, problems)


def _user_files() -> list[Path]:
    try:
        return sorted(file for file in user_folder().iterdir() if file.suffix == _ENDING and file.name[0] != ".")
    except OSError:
        return []
