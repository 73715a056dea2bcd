"""The merged settings as text, each with its value and source."""

from __future__ import annotations

from collections.abc import Mapping

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from brvtui.config import Configuration
from brvtui.config.schema import Entry, ValueKind, entries, value_text
from brvtui.config.sources import Layer, SettingSource
from brvtui.text.visible import visible


def settings_report(
    configuration: Configuration, remarks: Mapping[str, str], left_out: Mapping[str, SettingSource]
) -> RenderableType:
    """Every setting with its value and its source; beside that, by name, what ``remarks`` say of it, and where another
    value of it is ``left_out``."""
    table = Table.grid(padding=(0, 2))
    table.add_row(Text("setting", "dim"), Text("value", "dim"), Text("from", "dim"))
    for entry in entries().values():
        for name, value in _values(configuration, entry):
            source = configuration.source(name)
            place = _from(source)
            if remark := remarks.get(name):
                place.append(f": {remark}", "yellow")
            if name in left_out:
                place.append(f"; left out: {_from(left_out[name])}", "yellow")
            written = f'keys."{name.removeprefix("keys.")}"' if name.startswith("keys.") else name
            table.add_row(_plain(written, "" if source.layer is Layer.DEFAULT else "bold"), _plain(value), place)
    files = Table.grid(padding=(0, 2))
    files.add_row(Text("user", "dim"), _plain(str(configuration.user_file)))
    if configuration.project_file is not None:
        files.add_row(Text("project", "dim"), _plain(str(configuration.project_file)))
    return Group(table, Text(), files)


def _values(configuration: Configuration, entry: Entry) -> list[tuple[str, str]]:
    """The names and values of ``entry``: of keys, those of each binding."""
    value = configuration.value(entry)
    if entry.kind is ValueKind.KEYS and isinstance(value, Mapping) and value:
        return [(f"keys.{binding}", keys) for binding, keys in value.items()]
    return [(entry.name, value_text(value))]


def _from(source: SettingSource) -> Text:
    if source.layer is Layer.DEFAULT:
        return Text("default", "dim")
    if source.layer in (Layer.USER, Layer.PROJECT):
        return Text(f"{source.layer.value}'s file", "green")
    return _plain(source.place, "green")


def _plain(text: str, style: str = "") -> Text:
    """``text`` as itself: no markup, no escapes."""
    return Text(visible(text), style=style)
