"""The settings as rows of the Settings screen, and the values that keys and typed text set."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from brvtui.app.actions.action import Action, Place
from brvtui.app.actions.registry import ACTIONS, PLACES
from brvtui.app.keys.checking import Checked, check_keys, why_not_keys
from brvtui.app.settings.setting_names import GROUPS
from brvtui.app.themes.library import Library
from brvtui.app.workers import Refusal
from brvtui.config import ConfigError, Configuration, user_file
from brvtui.config.checking import read_text
from brvtui.config.profile_choice import why_no_profile, why_not_of_engine
from brvtui.config.schema import (
    OFF,
    ON,
    Entry,
    Layer,
    SettingProblem,
    SettingSource,
    Value,
    ValueKind,
    entries,
    entry_of,
    value_text,
)
from brvtui.engines import registry
from brvtui.engines.contract import EngineError
from brvtui.engines.profile_files import profiles_of
from brvtui.lab.whatif.variant import CLOCK
from brvtui.text.visible import why_no_address
from brvtui.tree.reading.kinds import TREE

if TYPE_CHECKING:
    from brvtui.session import Session

KEYS = "keys."
UNUSABLE, CHANGED = "Cannot be used", "Changed"
_KEYS_GROUP = "Keys"
_CONSTANT = (
    "This is one of the engine's constants. {settings.change} goes to What if, where you can try other values and "
    "save them as a profile."
)
_NO_SETTING = "This is not a setting: {settings.default} removes it from your own file; change other files by hand."
_NO_KEYS = "must list keys"
_NO_FILE = "None of the settings in this file are used. Fix the file by hand; it is read again at the next start."


@dataclass(frozen=True, slots=True)
class SettingRow:
    """One setting, or a constant of the engine in use. ``name`` is dotted."""

    name: str
    group: str
    label: str
    value: str
    default: str
    source: SettingSource
    summary: str
    allowed: str
    section: str = ""
    """A part of the group, such as the place of an action; empty if the group has no parts."""
    variable: str = ""
    restart: bool = False
    personal: bool = False
    steps: tuple[Value, ...] = ()
    """The values that keys step through, if there are few values."""
    typed: bool = True
    """True if the value is typed or selected from a list; False if keys can only step through the values."""
    current: Value = ""
    own: Value | None = None
    """The value in the user's own file if another source overrides it; otherwise None."""
    editable: bool = True
    """True if the value can be typed; False for a table and for unknown names."""
    left_out: SettingSource | None = None
    """The source of an invalid value that is ignored; preferably the user's own file, which the app can change."""
    problem: str = ""
    """The reason why the value has no effect, as one or more lines; empty if the value is in effect."""
    remark: str = ""
    """A remark about a value in effect: parts that have no effect, or clashes with other keys."""

    is_constant: bool = False

    @property
    def heading(self) -> str:
        """The heading above the row: unusable and changed settings have their own."""
        return UNUSABLE if self.problem else CHANGED if self.is_changed else self.group

    @property
    def is_key(self) -> bool:
        """True if the setting is the keys of an action."""
        return self.name.startswith(KEYS)

    @property
    def whole_label(self) -> str:
        """The label after its group or, for the keys of an action, after the place of the action."""
        return f"{self.section if self.is_key else self.group}: {self.label[:1].lower()}{self.label[1:]}"

    @property
    def is_changed(self) -> bool:
        """True if a source other than the defaults sets the value."""
        return self.source.layer is not Layer.DEFAULT

    @property
    def is_own(self) -> bool:
        """True if the value, or an ignored value, is in the user's own file and can be removed there."""
        if self.left_out is not None:
            return self.left_out.layer is Layer.USER
        return self.source.layer is Layer.USER or self.own is not None


def setting_rows(
    configuration: Configuration, library: Library, closing: SettingProblem | None = None,
    session: Session | None = None, engine: str = "",
) -> tuple[SettingRow, ...]:  # fmt: skip
    """Returns unusable settings first, then changed ones, then all others, and last the keys of actions.

    ``closing`` is the setting that prevents opening the project, if there is one. The constants of ``engine`` are
    listed if ``session`` is open.
    """
    rows = [*_unknown_rows(configuration), *_schema_rows(configuration, library)]
    rows += [*_constant_rows(session, engine), *_key_rows(configuration)]
    if closing is not None:
        own = [row for row in rows if row.name == closing.name and not row.problem]
        rows = [replace(row, problem=closing.message) if row in own else row for row in rows]
    return tuple(sorted(rows, key=lambda row: (row.heading != UNUSABLE, row.heading != CHANGED)))


def _unknown_rows(configuration: Configuration) -> Iterator[SettingRow]:
    """Yields a row for each unknown setting or action in a file, and for each unreadable file."""
    refused: dict[str, tuple[SettingProblem, list[str]]] = {}
    for each, line in configuration.left_out():
        entry = entry_of(each.name)
        if (entry is None or entry.kind is ValueKind.KEYS) and each.name.removeprefix(KEYS) not in ACTIONS:
            refused.setdefault(each.name or Path(each.source.place).name, (each, []))[1].append(line)
    for name, (each, problems) in refused.items():
        yield _unknown_row(name, "", each.source, _NO_SETTING if each.name else _NO_FILE, problems)
    keys = configuration.settings.keys
    checked = check_keys(keys)
    for name, problem in checked.problems.items():
        if name not in ACTIONS:
            setting = f"{KEYS}{name}"
            problem = _placed(configuration, name, f"{problem}; ignored")
            yield _unknown_row(setting, keys[name], configuration.source(setting), _NO_SETTING, [problem])


def _unknown_row(name: str, value: str, source: SettingSource, summary: str, problems: list[str]) -> SettingRow:
    return SettingRow(
        name=name,
        group=UNUSABLE,
        label=name,
        value=value,
        default="",
        source=source,
        summary=summary,
        allowed="",
        editable=False,
        problem="\n".join(problems),
    )


def _schema_rows(configuration: Configuration, library: Library) -> list[SettingRow]:
    return [
        _row(group, label, entries()[name], configuration, library)
        for group, names in GROUPS.items()
        for name, label in names.items()
    ]


def _constant_rows(session: Session | None, engine: str) -> Iterator[SettingRow]:
    """Yields a row for each constant of ``engine``, named as in a table of the setting ``profile``."""
    with suppress(EngineError):
        for each in session.variants.controls(engine) if session is not None and engine else ():
            if each.group != CLOCK:
                yield SettingRow(
                    name=f"profile.{each.name}",
                    group=f"Constants of {engine}",
                    section=each.group.replace("_", " "),
                    label=each.label.replace("_", " "),
                    value=f"{value_shown(each.name, each.base)} {each.unit}".rstrip(),
                    default="",
                    source=SettingSource(Layer.DEFAULT, "the profile in use"),
                    summary=_CONSTANT,
                    allowed="",
                    is_constant=True,
                )


def value_shown(name: str, value: Value | float) -> str:
    """Returns the value of the setting or constant ``name`` as on the screen, with on or off for a truth value."""
    if isinstance(value, bool):
        return ON if value else OFF
    return f"{value:g}" if isinstance(value, float) else value_text(name, value)


def _row(group: str, label: str, entry: Entry, configuration: Configuration, library: Library) -> SettingRow:
    value, source = configuration.value(entry), configuration.source(entry.name)
    refused, left_out = _left_out(configuration, entry.name)
    unusable = _why_unusable(entry.name, value, source, library).splitlines()
    return SettingRow(
        name=entry.name,
        group=group,
        label=label,
        value=value_shown(entry.name, value),
        default=value_shown(entry.name, entry.default),
        source=source,
        summary=entry.summary.replace("`", ""),
        allowed=_allowed(entry, configuration.settings.engine),
        variable=entry.variable,
        restart=entry.restart,
        personal=entry.personal,
        steps=_steps(entry, value, configuration.settings.engine),
        typed=entry.kind is not ValueKind.TRUTH and not entry.choices,
        current=value,
        own=_own(configuration, entry.name),
        editable=not isinstance(value, Mapping),
        left_out=left_out,
        problem="\n".join((*refused, *(f"{source.place}: {why}" for why in unusable))),
        remark=_remark(entry.name, value, configuration),
    )


def _remark(name: str, value: Value, configuration: Configuration) -> str:
    if name == "profile":
        return why_not_of_engine(configuration)
    if name.endswith(".key_env") and value and not configuration.settings.may_read_key(str(value)):
        return "no key is read from it, because key_variables does not list it: add it there by hand"
    return ""


def _left_out(configuration: Configuration, name: str) -> tuple[list[str], SettingSource | None]:
    """Returns the reasons why values of the setting ``name`` are ignored, and the source of the first such value."""
    ignored = [each for each in configuration.left_out() if each.problem.name == name]
    return [each.line for each in ignored], ignored[0].problem.source if ignored else None


def _steps(entry: Entry, value: Value, engine: str) -> tuple[Value, ...]:
    if entry.name == "engine":  # an engine of spaces cannot open anything without a space, so it can only be typed
        return registry.names_for(TREE)
    if entry.name == "profile" and not isinstance(value, Mapping):  # stepping must not remove a table from the file
        return profiles_of(engine)
    return (True, False) if entry.kind is ValueKind.TRUTH else entry.choices


def _allowed(entry: Entry, engine: str) -> str:
    match entry.name:
        case "profile" if not registry.reads_trees(engine) and (own := profiles_of(engine)):
            return f"{', '.join(own)} to answer with {engine}; to read the notes: {entry.allowed}"
        case "engine":
            return ", ".join(registry.names())
        case "theme":
            return "the name of a theme: {settings.change} lists them"
    return f"{ON} or {OFF}" if entry.kind is ValueKind.TRUTH else entry.allowed


def _why_unusable(name: str, value: Value, source: SettingSource, library: Library) -> str:
    """Returns the reason why the setting ``name`` cannot have ``value``; empty if it can."""
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
    if name.endswith(".url") and (address := str(value).strip()):
        return why_no_address(address.rstrip("/"), name)
    return ""


def _own(configuration: Configuration, name: str) -> Value | None:
    """Returns the user's own value of ``name`` if another source overrides it; otherwise None."""
    own = configuration.own.get(name)
    return own[0] if own is not None and configuration.source(name) != own[1] else None


def _key_rows(configuration: Configuration) -> list[SettingRow]:
    checked = check_keys(configuration.settings.keys)
    return [_key_row(place, action, configuration, checked) for place in PLACES for action in place.actions]


def _key_row(place: Place, action: Action, configuration: Configuration, checked: Checked) -> SettingRow:
    name, keys = f"{KEYS}{action.name}", configuration.settings.keys.get(action.name, action.keys)
    problem = checked.problems.get(action.name, "")
    refused, left_out = _left_out(configuration, name)
    if problem:
        refused.append(_placed(configuration, action.name, f"{problem}; ignored"))
    return SettingRow(
        name=name,
        group=_KEYS_GROUP,
        section=place.heading,
        label=action.description,
        value=keys,
        default=action.keys,
        source=configuration.source(name),
        summary=action.description,
        allowed="keys, for example ctrl+r or j,down",
        current=keys,
        left_out=left_out,
        problem="\n".join(refused),
    )


def _placed(configuration: Configuration, action: str, problem: str) -> str:
    """Prefixes ``problem`` with the file that sets the keys of ``action``."""
    return f"{configuration.source(f'{KEYS}{action}').place}: {problem}"


def stepped(name: str, step: int, configuration: Configuration) -> Value:
    """Returns the value ``step`` places after the user's own value of the setting ``name``, or else the current one.

    Raises :class:`Refusal` if there are no values to step through.
    """
    entry = entries()[name]
    value, own = configuration.value(entry), _own(configuration, name)
    steps = _steps(entry, value, configuration.settings.engine)
    if not steps:
        raise Refusal(f"{name} has no values to step through: type one")
    begun = value if own is None else own
    place = steps.index(begun) if begun in steps else -1
    return steps[(place + step) % len(steps)]


def read_typed(row: SettingRow, text: str, configuration: Configuration, library: Library) -> Value:
    """Reads ``text`` as the value of ``row``. Raises :class:`ConfigError` with one line for the user."""
    if row.name.startswith(KEYS):
        action, typed = row.name.removeprefix(KEYS), text.strip()
        problem = why_not_keys(action, typed, configuration.settings.keys) if typed else _NO_KEYS
        if problem:
            raise ConfigError(problem)
        return typed
    value = read_text(entries()[row.name], text)
    if why := _why_unusable(row.name, value, SettingSource(Layer.USER, str(user_file())), library):
        raise ConfigError(why)
    return value
