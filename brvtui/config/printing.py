"""Writes settings: a file of all defaults, and the merged settings as plain data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import groupby
from textwrap import wrap
from typing import Any

from brvtui.config.layers import Configuration
from brvtui.config.schema import Entry, Value, ValueKind, entries

_WIDTH = 110


def default_file() -> str:
    """A settings file with every setting at its default, each with a comment."""
    return "\n".join(_lines()) + "\n"


def _lines() -> Iterator[str]:
    import tomlkit

    yield "# Every setting of brv-tui with its default. Keep what you change."
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
    """The merged settings and the source of each, as data for JSON."""
    settings = [
        {
            "name": entry.name,
            "value": _plain(configuration.value(entry)),
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
