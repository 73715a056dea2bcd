"""Checks values against the schema, both in the tables of a settings file and as text."""

from __future__ import annotations

import re
import reprlib
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from brvtui.config.schema import (
    OFF,
    ON,
    ConfigError,
    Entry,
    Layer,
    SettingProblem,
    SettingSource,
    Value,
    ValueKind,
    entries,
)
from brvtui.text.visible import visible
from brvtui.wording import MOST_PROBLEMS, did_you_mean, nearest, shortened, unlisted

_SHORT = reprlib.Repr()
_SHORT.maxstring = _SHORT.maxother = 60
_YES, _NO = ("1", "true", "yes", ON), ("0", "false", "no", OFF)
_WHOLE_NUMBER = re.compile(r"[+-]?[0-9]{1,9}")
_TABLES = ("profile", "keys")
"""Settings whose value is a table."""


def check_value(entry: Entry, value: Any) -> Value:
    """Returns ``value`` in the type of ``entry``. Raises :class:`ConfigError` without the name of the file."""
    kind = entry.kind
    if kind is ValueKind.KEYS:
        return _keys(value)
    if kind is ValueKind.PROFILE:
        return _profile(entry.name, value)
    if kind is ValueKind.TRUTH and isinstance(value, bool):
        return value
    if kind is ValueKind.NUMBER and isinstance(value, int) and not isinstance(value, bool):
        if entry.least <= value <= entry.most:
            return value
    elif kind is ValueKind.CHOICE and isinstance(value, bool) and ON in entry.choices:
        return ON if value else OFF
    elif kind is ValueKind.CHOICE and isinstance(value, str):
        if value in entry.choices:
            return value
        hint = did_you_mean(value, entry.choices)
        raise ConfigError(f"{entry.name} = {quote(value)} must be one of {entry.allowed}{hint}")
    elif kind is ValueKind.TEXT and isinstance(value, str):
        return value
    wanted = f"a whole number from {entry.least} to {entry.most}" if kind is ValueKind.NUMBER else entry.allowed
    raise ConfigError(f"{entry.name} = {quote(value)} must be {wanted}")


def _keys(value: Any) -> dict[str, str]:
    if not isinstance(value, Mapping):
        raise ConfigError(f"keys = {quote(value)} must be a table")
    named = dict(_flat(value, ""))
    if problem := next((problem for name, keys in named.items() if (problem := _why_no_keys(name, keys))), ""):
        raise ConfigError(problem)
    return named


def _why_no_keys(name: str, keys: Any) -> str:
    """Returns the reason why ``keys`` are not valid for the binding ``name``; empty if they are valid."""
    if isinstance(keys, str) and all(key.strip() for key in keys.split(",")):
        return ""
    return f'keys."{shortened(name)}" = {quote(keys)} must list keys, as in "ctrl+r" or "j,down"'


def _flat(table: Mapping[str, Any], above: str) -> Iterator[tuple[str, Any]]:
    """Yields the names and keys in ``table``.

    TOML reads ``panes.back = "x"`` as nested tables, but ``"panes.back" = "x"`` as a single name.
    """
    for key, value in table.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{above}{key}.")
        else:
            yield f"{above}{key}", value


def _profile(name: str, value: Any) -> Value:
    if isinstance(value, Mapping):
        extends = value.get("extends", "")
        if not isinstance(extends, str):
            raise ConfigError(f"{name}.extends = {quote(extends)} must name a profile")
        return dict(value)
    if isinstance(value, str) and value:
        return value
    raise ConfigError(f"{name} = {quote(value)} must name a profile or be a table")


def read_text(entry: Entry, text: str) -> Value:
    """Converts ``text`` to a value of the setting ``entry``. Raises :class:`ConfigError`."""
    word = text.strip().lower()
    if entry.kind is ValueKind.TRUTH and word in (*_YES, *_NO):
        return word in _YES
    if entry.kind is ValueKind.NUMBER and _WHOLE_NUMBER.fullmatch(word):
        return check_value(entry, int(word))
    if entry.kind is ValueKind.CHOICE:
        if ON in entry.choices and word in (*_YES, *_NO):
            return ON if word in _YES else OFF
        return check_value(entry, word)
    return check_value(entry, text)


def check_tables(tables: Mapping[str, Any], source: SettingSource) -> tuple[dict[str, Value], list[SettingProblem]]:
    """Returns the usable settings in ``tables``, keyed by dotted name, and the problems with the others.

    ``source`` is the file that contains the tables. If there are many unknown keys, only the first are listed, and one
    more problem gives the number of the others.
    """
    values: dict[str, Value] = {}
    problems: list[SettingProblem] = []
    unknown: list[str] = []
    for name, value in _named(tables, ""):
        if name not in entries() and name not in _tables():
            unknown.append(name)
            if len(unknown) > MOST_PROBLEMS:
                continue
        try:
            values[name] = _checked(name, value, source.layer)
        except ConfigError as error:
            faults = {name: str(error)}
            if name == "keys" and source.layer is Layer.USER and isinstance(value, Mapping):
                found = {binding: (keys, _why_no_keys(binding, keys)) for binding, keys in _flat(value, "")}
                values[name] = {binding: keys for binding, (keys, why) in found.items() if not why}
                faults = {f"keys.{binding}": why for binding, (_, why) in found.items() if why}
                if more := [*faults][MOST_PROBLEMS:]:
                    counted = {more[0]: unlisted(len(more), "unusable binding")}
                    faults = {at: faults[at] for at in [*faults][:MOST_PROBLEMS]} | counted
            problems += [SettingProblem(at, visible(f"{source.place}: {why}"), source) for at, why in faults.items()]
    if more := unknown[MOST_PROBLEMS:]:
        problems.append(SettingProblem(more[0], f"{source.place}: {unlisted(len(more), 'unknown key')}", source))
    return values, problems


def _checked(name: str, value: Any, layer: Layer) -> Value:
    known_entries = entries()
    entry = known_entries.get(name)
    if entry is None:
        if name in _tables():
            raise ConfigError(f"[{name}] must be a table")
        raise ConfigError(f"unknown key {shortened(name)}{_hint(name)}")
    if entry.personal and layer is Layer.PROJECT:
        raise ConfigError(f"{name} is for your own settings file: a project's file cannot set it")
    return check_value(entry, value)


def _named(tables: Mapping[str, Any], above: str) -> Iterator[tuple[str, Any]]:
    """Yields the values with their dotted names. A table that is not in the schema is yielded as a single value."""
    for key, value in tables.items():
        name = f"{above}{key}"
        if isinstance(value, Mapping) and name in _tables() and name not in _TABLES:
            yield from _named(value, f"{name}.")
        else:
            yield name, value


@cache
def _tables() -> frozenset[str]:
    """Returns the names of the tables that contain settings."""
    parts = [name.split(".") for name in entries()]
    return frozenset(".".join(each[:count]) for each in parts for count in range(1, len(each)))


def _hint(name: str) -> str:
    """Suggests a similar name in the same table, or the same name in another one, for an unknown ``name``."""
    above, _, last = name.rpartition(".")
    start = f"{above}." if above else ""
    beside = {start + other.removeprefix(start).split(".")[0] for other in entries() if other.startswith(start)}
    elsewhere = [other for other in entries() if other.rpartition(".")[2] == last]
    return nearest(name, elsewhere or sorted(beside) or entries())


def quote(value: Any) -> str:
    """Formats ``value`` for a message: shortened if it is long, and true and false as in TOML."""
    if isinstance(value, bool):
        return str(value).lower()
    return _SHORT.repr(value)
