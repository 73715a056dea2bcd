"""Where settings come from, and what is wrong with them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Layer(StrEnum):
    """A place of settings; a later one goes before an earlier one."""

    DEFAULT = "default"
    USER = "user"
    PROJECT = "project"
    ENVIRONMENT = "environment"
    OPTION = "option"


@dataclass(frozen=True, slots=True)
class SettingSource:
    """Where one value stands: its layer, and the file, variable or option in it (empty for a default)."""

    layer: Layer
    place: str = ""


@dataclass(frozen=True, slots=True)
class SettingProblem:
    """A setting that cannot be used. ``name`` is its dotted name, empty for a whole file; ``message`` is one line."""

    name: str
    message: str
    layer: Layer


class ConfigError(ValueError):
    """Settings that cannot be used; the message names the file or variable, the key and what is wrong."""
