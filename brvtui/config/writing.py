"""Writes settings: a single setting in the user's file, a file with all defaults, and the merged settings as plain
data.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterator, Mapping
from itertools import groupby
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from brvtui.config.layers import Configuration, read_tables
from brvtui.config.schema import ConfigError, Entry, Value, ValueKind, entries, shown_value
from brvtui.disk import writing
from brvtui.disk.locks import locked
from brvtui.regular_files import LARGEST, read_regular

if TYPE_CHECKING:
    from tomlkit import TOMLDocument

_WIDTH = 110


def default_file() -> str:
    """Returns the text of a settings file that sets every setting to its default, with a comment for each."""
    return "\n".join(_lines()) + "\n"


def _lines() -> Iterator[str]:
    import tomlkit

    yield "# Every brv-tui setting with its default. Keep only what you change."
    ordered = sorted(entries().values(), key=lambda entry: (entry.table, entry.kind is ValueKind.KEYS))
    for table, held in groupby(ordered, key=lambda entry: entry.table):
        yield ""
        if table:
            yield f"[{table}]"
        for entry in held:
            if entry.kind is ValueKind.KEYS:
                yield from ("", *_comment(entry), f"[{entry.name}]")
            else:
                yield from _comment(entry)
                yield f"{entry.name.rpartition('.')[2]} = {tomlkit.item(entry.default).as_string()}"


def _comment(entry: Entry) -> Iterator[str]:
    about = f"{entry.summary} ({entry.allowed}" + (f"; {entry.variable})" if entry.variable else ")")
    yield from (f"# {line}" for line in wrap(about, _WIDTH))


def as_plain(configuration: Configuration) -> dict[str, Any]:
    """Returns the merged settings and the source of each, as plain data for JSON."""
    settings = [
        {
            "name": entry.name,
            "value": _plain(shown_value(entry.name, configuration.value(entry))),
            "default": _plain(entry.default),
            "layer": configuration.source(entry.name).layer.value,
            "place": configuration.source(entry.name).place,
        }
        for entry in entries().values()
    ]
    return {
        "user_file": str(configuration.user_file),
        "project_file": str(configuration.project_file) if configuration.project_file else None,
        "settings": settings,
    }


def _plain(value: Value) -> Value:
    return dict(value) if isinstance(value, Mapping) else value


_KEYS = "keys"


def write_setting(file: Path, name: str, value: Value | None) -> None:
    """Sets the setting ``name`` in the settings file, or removes it if ``value`` is None.

    ``name`` is dotted, and ``keys.<binding>`` for a key. Creates the file and its folder if necessary. Raises
    :class:`ConfigError` if the file is invalid or cannot be changed without loss, and OSError if it cannot be written.
    """
    place = Path(os.path.realpath(file))
    if value is None and not place.exists():
        return
    writing.make_folder(place.parent)
    with locked(place.parent):
        _write_setting(file, place, name, value)


def _write_setting(file: Path, place: Path, name: str, value: Value | None) -> None:
    before = read_tables(file)
    path = _path(name, before)
    if isinstance(_at(before, path), dict):
        raise ConfigError(f"{file}: {name} is a table in this file; edit the file by hand")
    wanted = _changed(before, path, value)
    if wanted == before:
        return
    text = read_regular(place, LARGEST).decode("utf-8") if place.exists() else ""
    edited = _edited(text, path, value)
    if edited is None or tomllib.loads(edited) != wanted:
        raise ConfigError(f"{file}: changing {name} would affect other parts of the file; edit the file by hand")
    writing.write(place, edited.encode("utf-8"), private=False)


def _path(name: str, tables: Mapping[str, Any]) -> tuple[str, ...]:
    """Returns the keys that lead through the nested ``tables`` to the setting ``name``, which need not exist.

    Names of key bindings contain dots: ``keys.app.theme`` means ``app.theme`` in the table ``keys``, unless ``tables``
    contains it as nested tables.
    """
    table, _, binding = name.partition(".")
    nested = tuple(name.split("."))
    return (table, binding) if table == _KEYS and binding and _at(tables, nested) is None else nested


def _at(tables: Any, path: tuple[str, ...]) -> Any:
    for name in path:
        tables = tables.get(name) if isinstance(tables, dict) else None
    return tables


def _changed(tables: Mapping[str, Any], path: tuple[str, ...], value: Value | None) -> dict[str, Any]:
    changed_tables = dict(tables)
    head, *rest = path
    if rest:
        inner = changed_tables.get(head, {})
        changed = _changed(inner if isinstance(inner, dict) else {}, tuple(rest), value)
        if changed or head in changed_tables:
            changed_tables[head] = changed
    elif value is None:
        changed_tables.pop(head, None)
    else:
        changed_tables[head] = value
    return changed_tables


def _edited(text: str, path: tuple[str, ...], value: Value | None) -> str | None:
    """Returns ``text`` with the setting at ``path`` changed; None if tomlkit cannot change it."""
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    try:
        document = tomlkit.parse(text)
        _set(document, path, value)
        result = tomlkit.dumps(document)
    except (TOMLKitError, KeyError, TypeError, ValueError):
        return None
    only_crlf = "\r\n" in text and "\n" not in text.replace("\r\n", "")
    return result.replace("\r\n", "\n").replace("\n", "\r\n") if only_crlf else result


def _set(document: TOMLDocument, path: tuple[str, ...], value: Value | None) -> None:
    import tomlkit

    table: Any = document
    for name in path[:-1]:
        if name not in table:
            table[name] = tomlkit.table()
        table = table[name]
    if value is None:
        del table[path[-1]]
    else:
        table[path[-1]] = value
