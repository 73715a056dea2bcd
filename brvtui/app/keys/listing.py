"""The lists of keys that ``brv-tui keys`` prints."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from brvtui.app.actions.registry import PLACES
from brvtui.app.keys.bindings import key_name, keys_of, split


def listed(keymap: Mapping[str, str]) -> list[dict[str, Any]]:
    """Returns all actions as plain data: place, name, keys, default keys and description."""
    return [
        {
            "where": place.heading,
            "name": action.name,
            "keys": keys_of(action.name, action.keys, keymap),
            "default": split(action.keys),
            "what": action.description,
        }
        for place in PLACES
        for action in place.actions
    ]


def keys_report(found: list[dict[str, Any]]) -> RenderableType:
    """Returns the keys as tables for the terminal."""
    parts: list[RenderableType] = []
    for where in dict.fromkeys(key["where"] for key in found):
        table = Table.grid(padding=(0, 2))
        table.add_column(width=14)
        table.add_column(min_width=20)
        for key in (key for key in found if key["where"] == where):
            changed = key["keys"] != key["default"]
            what = Text(key["what"]).append(f" (by default {_written(key['default'])})" if changed else "")
            table.add_row(
                Text(_written(key["keys"]), "bold yellow" if changed else "bold"), Text(key["name"], "dim"), what
            )
        parts += [Text(where, "bold underline"), table, Text()]
    return Group(*parts[:-1])


def _written(keys: list[str]) -> str:
    return " ".join(key_name(key) for key in keys)


def default_table() -> str:
    """Returns a ``[keys]`` table with all default keys, for a settings file."""
    return "\n".join(_lines()) + "\n"


def _lines() -> Iterator[str]:
    import tomlkit

    yield "[keys]"
    for place in PLACES:
        yield ""
        yield f"# {place.heading}"
        for action in place.actions:
            yield f'"{action.name}" = {tomlkit.item(action.keys).as_string()}  # {action.description}'
