"""The layers of settings: defaults, the user's file, the project's file, the environment, the command line."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any

from brvtui import faults
from brvtui.config.checking import check_tables, read_text
from brvtui.config.schema import (
    PREFIX,
    ConfigError,
    Entry,
    Layer,
    LeftOutSetting,
    SettingProblem,
    Settings,
    SettingSource,
    Value,
    assemble,
    entries,
    entry_of,
)
from brvtui.regular_files import MISSING, read_regular, read_within
from brvtui.store.folders import config_folder
from brvtui.text.visible import why_no_address

PROJECT_FILE = "brv-tui.toml"
USER_FILE = "config.toml"
SERVED = "BRV_TUI_SERVED"
"""The environment variable that is set when the app is shown in a browser. Personal settings are then read-only."""
_LARGEST = 1_048_576
_NONE: Mapping[str, Value] = MappingProxyType({})
_NO_PLACES: Mapping[str, str] = MappingProxyType({})
_DEFAULT = SettingSource(Layer.DEFAULT)


@dataclass(frozen=True)
class Configuration:
    """The merged settings, their sources, and the problems with them."""

    values: Mapping[str, Value]
    """The values of settings that are set in any layer, keyed by dotted name."""
    sources: Mapping[str, SettingSource]
    """The source of each setting in ``values``. Each key binding has its own source, under ``keys.<binding>``."""
    problems: tuple[SettingProblem, ...]
    user_file: Path
    root: Path | None = None
    """The project's folder; None if there is no project."""
    options: Mapping[str, Value] = field(default_factory=dict)
    """Settings from the command line, or from the opened project."""
    is_served: bool = False
    """True if the app is shown in a browser."""
    own: Mapping[str, tuple[Value, SettingSource]] = field(default_factory=dict)
    """The values in the user's own file with their sources, including values that a project's file replaces."""
    given_by: Mapping[str, str] = field(default_factory=dict)
    """The source of each of the ``options`` that does not come from the command line, keyed by option."""

    @property
    def project_file(self) -> Path | None:
        """The project's settings file, whether or not it exists; None if there is no project."""
        return _project_file(self.root) if self.root is not None else None

    def read_again(self) -> Configuration:
        """Reads the settings of the same project and command line again."""
        return configure(self.root, self.options, given_by=self.given_by)

    @cached_property
    def settings(self) -> Settings:
        """The merged settings as typed data."""
        return assemble(self.values)

    def value(self, entry: Entry) -> Value:
        """Returns the value of the setting ``entry``."""
        return self.values.get(entry.name, entry.default)

    def source(self, name: str) -> SettingSource:
        """Returns the source of the setting ``name``."""
        return self.sources.get(name, _DEFAULT)

    def why_read_only(self, name: str) -> str:
        """Returns a line that says why the app must not change the setting ``name``; empty if it may."""
        entry = entry_of(name)
        if any(not one.name and one.source.layer is Layer.USER for one in self.problems):
            return f"{self.user_file}: cannot be read as settings: fix it by hand, then start again"
        if entry is not None and entry.by_hand:
            return f"{name} can only be changed by hand, in {self.user_file}"
        if self.is_served and (entry is None or entry.personal):
            return f"{name} is read-only in a browser: change it in {self.user_file}"
        return ""

    def check(self) -> None:
        """Raises :class:`ConfigError` for the first problem with a setting that commands read."""
        for problem in self.problems:
            if _is_refused(problem):
                raise ConfigError(problem.message)

    def left_out(self) -> list[LeftOutSetting]:
        """The problems with settings, each with a line about its effect. Some of them make :meth:`check` fail."""
        usual, refused = "; ignored", "; ignored here, but commands such as query refuse it"
        return [LeftOutSetting(one, one.message + (refused if _is_refused(one) else usual)) for one in self.problems]

    def unusable_addresses(self) -> list[str]:
        """The reasons why configured service addresses cannot be used, one line each with the setting's source."""
        named = [entry for entry in entries().values() if entry.name.endswith(".url")]
        addresses = [(entry.name, str(self.value(entry)).strip().rstrip("/")) for entry in named]
        found = [(self.source(name).place, why_no_address(base, name)) for name, base in addresses if base]
        return [f"{place}: {why}" for place, why in found if place and why]


def _is_refused(problem: SettingProblem) -> bool:
    """True if commands read the setting, so that ignoring the problem could change an answer."""
    entry = entry_of(problem.name)
    return entry is None or not entry.of_app


def user_file() -> Path:
    """Returns the path of the user's own settings file, which may not exist."""
    return config_folder() / USER_FILE


def _project_file(root: Path) -> Path:
    from brvtui.tree.reading.project import MARKER

    return root / MARKER / PROJECT_FILE


def configure(
    root: Path | None = None,
    options: Mapping[str, Value] = _NONE,
    environ: Mapping[str, str] | None = None,
    given_by: Mapping[str, str] = _NO_PLACES,
) -> Configuration:
    """Returns the settings for the project in ``root`` (None: no project).

    ``options`` are the settings on the command line, keyed by name. For options that come from elsewhere, ``given_by``
    names the source: a space, or an entry of a fleet. Raises no errors: settings that cannot be used are ignored and
    listed in ``problems``.
    """
    layers = _Layers()
    own = user_file()
    layers.add_file(own, Layer.USER)
    of_user = {name: (value, layers.sources[name]) for name, value in layers.values.items()}
    if root is not None:
        layers.add_file(_project_file(root), Layer.PROJECT, root)
    environ = os.environ if environ is None else environ
    layers.add_environment(environ)
    for name, value in options.items():
        opened = given_by.get(name)
        source = SettingSource(Layer.OPENED, opened) if opened else SettingSource(Layer.OPTION, f"--{name}")
        layers.add(name, value, source)
    return Configuration(
        layers.values, layers.sources, tuple(layers.problems), own, root, options, SERVED in environ, of_user, given_by
    )


def read_tables(file: Path, kind: str = "settings", project: Path | None = None) -> dict[str, Any]:
    """Returns the tables of the TOML file at ``file``; empty if there is no such file.

    If ``project`` is given, no symlink may lead out of it. Raises :class:`ConfigError` if the file cannot be read; the
    message calls the file's content ``kind``.
    """
    try:
        data = read_within(project, file, _LARGEST) if project else read_regular(file, _LARGEST, follow_links=True)
    except MISSING:
        return {}
    except (OSError, ValueError) as error:
        raise _unreadable(file, kind, faults.reason(error)) from error
    from brvtui.typed_tables import parse_tables

    try:
        return parse_tables(data)
    except ValueError as error:
        raise _unreadable(file, kind, str(error)) from error


def _unreadable(file: Path, kind: str, why: str) -> ConfigError:
    return ConfigError(f"{file}: cannot be read as {kind} ({why})")


class _Layers:
    """Collects the values of all layers. A value in a later layer replaces values in earlier ones."""

    def __init__(self) -> None:
        self.values: dict[str, Value] = {}
        self.sources: dict[str, SettingSource] = {}
        self.problems: list[SettingProblem] = []

    def add(self, name: str, value: Value, source: SettingSource) -> None:
        previous = self.values.get(name)
        if name == "keys" and isinstance(value, Mapping):
            self.sources.update({f"keys.{binding}": source for binding in value})
            value = {**previous, **value} if isinstance(previous, Mapping) else value
        self.values[name] = value
        self.sources[name] = source

    def add_file(self, file: Path, layer: Layer, project: Path | None = None) -> None:
        source = SettingSource(layer, str(file))
        try:
            tables = read_tables(file, project=project)
        except ConfigError as error:
            self.problems.append(SettingProblem("", str(error), source))
            return
        values, problems = check_tables(tables, source)
        self.problems += problems
        for name, value in values.items():
            self.add(name, value, source)

    def add_environment(self, environ: Mapping[str, str]) -> None:
        if not any(variable.startswith(PREFIX) for variable in environ):
            return  # the usual case at startup, and faster than a loop over the schema
        for name, entry in entries().items():
            text = environ.get(entry.variable, "") if entry.variable else ""
            if not text.strip():
                continue
            source = SettingSource(Layer.ENVIRONMENT, entry.variable)
            try:
                self.add(name, read_text(entry, text), source)
            except ConfigError as error:
                self.problems.append(SettingProblem(name, f"{entry.variable}: {error}", source))
