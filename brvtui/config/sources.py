"""Sources of settings, and their problems."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple


class Layer(StrEnum):
    """A layer of settings; a later one replaces an earlier one."""

    DEFAULT = "default"
    USER = "user"
    PROJECT = "project"
    ENVIRONMENT = "environment"
    OPENED = "opened"
    """What is opened: a space, which one engine alone ranks, or a fleet's entry."""
    OPTION = "option"


class SettingSource(NamedTuple):
    """Where one value is set: its layer, and the file, variable, option or what is opened (empty for a default)."""

    layer: Layer
    place: str = ""


class SettingProblem(NamedTuple):
    """A setting that cannot be used.

    ``name`` is its dotted name, empty for a whole file; ``message`` is one line; ``source`` is where the fault is.
    """

    name: str
    message: str
    source: SettingSource


class LeftOutSetting(NamedTuple):
    """A setting that is left out."""

    problem: SettingProblem
    line: str
    """The problem and what becomes of it, for the user."""


class ConfigError(ValueError):
    """Settings cannot be used; the message names the file or variable, the key and the problem."""


class UnusableSetting(ConfigError):
    """A setting of a file or of the environment keeps a project closed; ``problem`` says which, and why."""

    def __init__(self, problem: SettingProblem) -> None:
        super().__init__(problem.message)
        self.problem = problem
