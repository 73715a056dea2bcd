"""The profiles that the settings choose: the one the tree is read with, and the one of another engine."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from brvtui.config.layers import Configuration
from brvtui.config.schema import AUTO, ON, Settings
from brvtui.config.sources import ConfigError, Layer, SettingSource
from brvtui.engines.byterover import profile as profiles
from brvtui.engines.byterover.profile import Profile
from brvtui.profiles import BUILT_IN, DEFAULT
from brvtui.typed_tables import overlay

_IN_FILES = (Layer.USER, Layer.PROJECT)
_CHOOSING = ("", "profile", "signals.frontmatter")
"""Settings that decide on constants; an empty name is a file that cannot be read."""


def profile_of_engine(configuration: Configuration, built_in: Collection[str]) -> str:
    """The profile that the settings name for an engine other than ByteRover; empty for its default.

    The command line's is always meant for the engine in use. A name in a file or in the environment is meant for the
    engine only if it is one of its ``built_in`` profiles, else for reading the tree.
    """
    wanted = configuration.settings.profile
    is_option = configuration.source("profile").layer is Layer.OPTION
    return wanted if isinstance(wanted, str) and (is_option or wanted in built_in) else ""


def chosen_profile(configuration: Configuration, of_engine: str = "") -> Profile:
    """ByteRover's profile that the settings name or hold, as :func:`with_overrides` leaves it.

    The tree is read with it, whichever engine answers. It is the default one where the settings name ``of_engine``, a
    profile of another engine. Raises ``ProfileError``, and :class:`ConfigError` when the project's settings or an
    explicit choice could not be read: a project is not opened with other constants than it asks for.
    """
    for problem in configuration.problems:
        if problem.name in _CHOOSING and problem.layer is not Layer.USER:
            raise ConfigError(problem.message)
    wanted = configuration.settings.profile if not of_engine else DEFAULT
    source = configuration.source("profile")
    if isinstance(wanted, Mapping):
        return with_overrides(_of_table(wanted, source.place), configuration.settings)
    return with_overrides(profiles.load(_name_or_path(wanted, source)), configuration.settings)


def with_overrides(profile: Profile, settings: Settings) -> Profile:
    """``profile`` with the constants that ``settings`` have a setting of their own for.

    The name of a profile that this changes ends in an asterisk.
    """
    frontmatter = settings.signals.frontmatter
    if frontmatter == AUTO or (frontmatter == ON) is profile.signals.frontmatter:
        return profile
    signals = {"frontmatter": frontmatter == ON}
    return overlay(profile, {"name": _changed(profile.name), "signals": signals}, "settings")


def _changed(name: str) -> str:
    return f"{name.removesuffix('*')}*"


def _name_or_path(wanted: str, source: SettingSource) -> str:
    """A built-in name, or a path; a path in a settings file is relative to the folder of that file."""
    if wanted in BUILT_IN or source.layer not in _IN_FILES:
        return wanted
    return str(Path(source.place).parent / Path(wanted).expanduser())


def _of_table(own: Mapping[str, Any], file: str) -> Profile:
    base = profiles.load(own.get("extends", DEFAULT))
    changes = {key: value for key, value in own.items() if key != "extends"}
    return overlay(base, {"name": _changed(base.name) if changes else base.name, **changes}, file)
