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


def settings_report(configuration: Configuration, remarks: Mapping[str, str]) -> RenderableType:
    """Every setting with its value and its source; beside that, what ``remarks`` say of it by name."""
    table = Table.grid(padding=(0, 2))
    table.add_row(Text("setting", "dim"), Text("value", "dim"), Text("from", "dim"))
    for entry in entries().values():
        _add(table, configuration, entry, remarks.get(entry.name, ""))
    files = Table.grid(padding=(0, 2))
    files.add_row(Text("user", "dim"), _plain(str(configuration.user_file)))
    if configuration.project_file is not None:
        files.add_row(Text("project", "dim"), _plain(str(configuration.project_file)))
    return Group(table, Text(), files)


def _add(table: Table, configuration: Configuration, entry: Entry, remark: str) -> None:
    value = configuration.value(entry)
    if entry.kind is ValueKind.KEYS and isinstance(value, Mapping):
        for binding, keys in value.items():
            source = configuration.source(f"keys.{binding}")
            table.add_row(_plain(f'keys."{binding}"', "bold"), _plain(keys), _from(source))
        return
    source = configuration.source(entry.name)
    name = _plain(entry.name, "" if source.layer is Layer.DEFAULT else "bold")
    place = _from(source)
    if remark and source.layer is not Layer.DEFAULT:
        place.append(f": {remark}", "yellow")
    table.add_row(name, _plain(value_text(value)), place)


def _from(source: SettingSource) -> Text:
    if source.layer is Layer.DEFAULT:
        return Text("default", "dim")
    if source.layer in (Layer.USER, Layer.PROJECT):
        return Text(f"{source.layer.value}'s file", "green")
    return _plain(source.place, "green")


def _plain(text: str, style: str = "") -> Text:
    """``text`` as itself: no markup, no escapes."""
    return Text(visible(text), style=style)
