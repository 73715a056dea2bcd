"""The settings as rows of the Settings screen, and the values that keys and typed texts give them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from brvtui.app.actions.registry import PLACES
from brvtui.app.keys.checking import check_keys
from brvtui.app.themes.library import Library
from brvtui.config import ConfigError, Configuration, user_file
from brvtui.config.checking import read_text
from brvtui.config.profile_choice import why_no_profile
from brvtui.config.schema import Entry, Value, ValueKind, entries, value_text
from brvtui.config.sources import Layer, SettingSource
from brvtui.engines import registry
from brvtui.engines.contract import EngineError
from brvtui.text.address import why_no_address

KEYS = "keys."


@dataclass(frozen=True, slots=True)
class SettingRow:
    """One setting. ``name`` is dotted; the keys of an action are ``keys.<its name>``."""

    name: str
    group: str
    label: str
    value: str
    default: str
    source: SettingSource
    summary: str
    allowed: str
    variable: str = ""
    restart: bool = False
    personal: bool = False
    steps: tuple[Value, ...] = ()
    """The values to step through, if there are few."""
    current: Value = ""
    own: Value | None = None
    """The value in the user's own file where another source goes before that; None if it holds none, or holds."""
    editable: bool = True
    """Whether its value can be typed; that of a table cannot."""
    problem: str = ""
    """Why the value has no effect, line by line; empty where it holds."""


def setting_rows(configuration: Configuration, library: Library) -> tuple[SettingRow, ...]:
    """Returns every setting, then the keys of every action, in the order of display."""
    return (*_of_schema(configuration, library), *_of_keys(configuration))


def _of_schema(configuration: Configuration, library: Library) -> list[SettingRow]:
    found = [entry for entry in entries().values() if entry.kind is not ValueKind.KEYS]
    return [_row(entry, configuration, library) for entry in found]


def _row(entry: Entry, configuration: Configuration, library: Library) -> SettingRow:
    value, source = configuration.value(entry), configuration.source(entry.name)
    refused = next((each.message for each in configuration.problems if each.name == entry.name), "")
    steps: tuple[Value, ...] = (True, False) if entry.kind is ValueKind.TRUTH else entry.choices
    return SettingRow(
        name=entry.name,
        group=entry.table or "general",
        label=entry.name.rpartition(".")[2],
        value=value_text(value),
        default=value_text(entry.default),
        source=source,
        summary=entry.summary.replace("`", ""),
        allowed=_allowed(entry),
        variable=entry.variable,
        restart=entry.restart,
        personal=entry.personal,
        steps=steps,
        current=value,
        own=_own(configuration, entry.name),
        editable=not isinstance(value, Mapping),
        problem=f"{refused}; left out" if refused else _why_unusable(entry.name, value, source, library),
    )


def _allowed(entry: Entry) -> str:
    match entry.name:
        case "engine":
            return ", ".join(registry.names())
        case "theme":
            return "the name of a theme: Enter lists them"
    return entry.allowed


def _why_unusable(name: str, value: Value, source: SettingSource, library: Library) -> str:
    """Returns why the setting ``name`` cannot be ``value``, if that is the name of nothing; empty if it can."""
    if not source.place:
        return ""
    match name:
        case "theme":
            return "\n".join(library.why_missing(str(value)))
        case "profile":
            return why_no_profile(value, source).removeprefix(f"{source.place}: ")
        case "engine":
            try:
                registry.load(str(value))
            except EngineError as error:
                return str(error)
    return ""


def _own(configuration: Configuration, name: str) -> Value | None:
    """The user's own value of ``name``, where another one holds."""
    own = configuration.own.get(name)
    return own[0] if own is not None and configuration.source(name) != own[1] else None


def _of_keys(configuration: Configuration) -> list[SettingRow]:
    given = configuration.settings.keys
    problems = check_keys(given).problems
    return [
        SettingRow(
            name=f"{KEYS}{action.name}",
            group=f"keys: {place.heading}",
            label=action.name,
            value=given.get(action.name, action.keys),
            default=action.keys,
            source=configuration.source(f"{KEYS}{action.name}"),
            summary=action.description,
            allowed="keys, as in ctrl+r or j,down",
            current=given.get(action.name, action.keys),
            problem=problems.get(action.name, ""),
        )
        for place in PLACES
        for action in place.actions
    ]


def stepped(row: SettingRow, step: int) -> Value | None:
    """Returns the value ``step`` places after the user's own, else the current one; None for a row without steps."""
    if not row.steps:
        return None
    value = row.current if row.own is None else row.own
    place = row.steps.index(value) if value in row.steps else -1
    return row.steps[(place + step) % len(row.steps)]


def read_typed(row: SettingRow, text: str, configuration: Configuration, library: Library) -> Value:
    """Reads ``text`` as the value of ``row``. Raises :class:`ConfigError` with one line for the user."""
    if row.name.startswith(KEYS):
        action = row.name.removeprefix(KEYS)
        wanted = {**configuration.settings.keys, action: text.strip()}
        problem = check_keys(wanted).problems.get(action) if text.strip() else "must name keys"
        if problem:
            raise ConfigError(problem)
        return text.strip()
    value = read_text(entries()[row.name], text)
    if why := _why_unusable(row.name, value, SettingSource(Layer.USER, str(user_file())), library):
        raise ConfigError(why)
    if row.label == "url" and (address := str(value).strip()):
        no_address = why_no_address(address.rstrip("/"), row.name)
        if no_address:
            raise ConfigError(no_address)
    return value
