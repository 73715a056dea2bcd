"""The profiles that the settings choose: the one the tree is read with, and the one of another engine."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from brvtui.config.checking import quote
from brvtui.config.layers import Configuration
from brvtui.config.schema import (
    AUTO,
    ON,
    ConfigError,
    Layer,
    SettingProblem,
    Settings,
    SettingSource,
    UnusableSetting,
    Value,
)
from brvtui.engines.profile_files import TreeProfile, engine_of_profile, profiles_of, tree_profile
from brvtui.engines.registry import DEFAULT, DEFAULT_PROFILE, PROFILES, names, reads_trees
from brvtui.store.folders import with_home
from brvtui.tree.reading.project import is_file
from brvtui.typed_tables import ProfileError, lowered, overlay
from brvtui.wording import did_you_mean, shortened

_IN_FILES = (Layer.USER, Layer.PROJECT)
_EXPLICIT = (Layer.OPENED, Layer.OPTION)
"""Layers whose profile is always meant for the engine in use."""
_CHOOSING = ("", "profile", "signals.frontmatter")
"""Settings that decide on constants; an empty name is a file that cannot be read."""


def profile_of_engine(configuration: Configuration, built_in: Collection[str]) -> str:
    """The profile that the settings name for an engine other than ByteRover; empty for its default.

    The command line's and that of a fleet's entry are always meant for the engine in use. A name in a file or in the
    environment is meant for the engine only if it is one of its ``built_in`` profiles, else for reading the tree.
    """
    wanted = configuration.settings.profile
    is_explicit = configuration.source("profile").layer in _EXPLICIT
    return wanted if isinstance(wanted, str) and (is_explicit or wanted in built_in) else ""


def chosen_profile(configuration: Configuration, of_engine: str = "") -> TreeProfile:
    """ByteRover's profile that the settings name or hold, as :func:`with_overrides` leaves it.

    The tree is read with it, whichever engine answers. It is the default one where the settings name ``of_engine``, a
    profile of the engine that answers, or where a file or the environment names one of any other engine. No limit of a
    project's profile is above the built-in one or the user's own. Raises ``ProfileError`` for an explicit choice that
    cannot be used, and :class:`brvtui.config.schema.UnusableSetting` for a setting: a project is not opened with other
    constants than it asks for.
    """
    for problem in configuration.problems:
        if problem.name in _CHOOSING and problem.source.layer is not Layer.USER:
            raise UnusableSetting(problem)
    wanted, source = configuration.settings.profile, configuration.source("profile")
    try:
        chosen = _load(DEFAULT_PROFILE if of_engine else wanted, source)
    except (ConfigError, ProfileError) as error:
        if source.layer in _EXPLICIT:
            raise
        if reads_trees(engine_of_profile(wanted) or DEFAULT):
            raise UnusableSetting(SettingProblem("profile", str(error), source)) from error
        chosen = tree_profile()
    if source.layer is Layer.PROJECT:
        chosen = _limited(chosen, tree_profile(), _own_profile(configuration))
    return with_overrides(chosen, configuration.settings)


def why_no_profile(value: Value, source: SettingSource) -> str:
    """Why the setting ``profile`` cannot be ``value``, in one line; empty where it can, also for another engine.

    Reads the file that it names, and loads the engines for a name that ByteRover does not know.
    """
    try:
        _load(value, source)
    except (ProfileError, ConfigError) as error:
        return str(error) if reads_trees(engine_of_profile(value) or DEFAULT) else ""
    return ""


def why_not_of_engine(configuration: Configuration) -> str:
    """Why the engine of the settings answers with its usual profile though they name another; empty where it does not.

    Loads that engine; for a name that it does not know, the others.
    """
    wanted, engine = configuration.settings.profile, configuration.settings.engine
    is_chosen = configuration.source("profile").layer not in (Layer.DEFAULT, *_EXPLICIT)
    if not is_chosen or not isinstance(wanted, str) or engine not in names() or wanted in profiles_of(engine):
        return ""
    owner = engine_of_profile(wanted) or DEFAULT
    return f"{engine} answers with its usual profile: {wanted} is one of {owner}'s" if owner != engine else ""


def _own_profile(configuration: Configuration) -> TreeProfile:
    """The profile of the user's own file; the default where it names none of ByteRover's that can be used."""
    try:
        return _load(*configuration.own["profile"])
    except (KeyError, ProfileError):
        return tree_profile()


def _limited(chosen: TreeProfile, *references: TreeProfile) -> TreeProfile:
    """A project's profile, none of whose limits is above those of ``references``; an asterisk says if any was."""
    made = chosen
    for reference in references:
        made = lowered(made, reference)
    return made if made == chosen else overlay(made, {"name": _changed(made.name)}, "settings")


def with_overrides(profile: TreeProfile, settings: Settings) -> TreeProfile:
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


def _load(wanted: Value, source: SettingSource) -> TreeProfile:
    if isinstance(wanted, Mapping):
        return _of_table(wanted, source)
    name = str(wanted)
    if name in PROFILES or source.layer not in _IN_FILES:
        return tree_profile(name)
    folder = Path(source.place).parent
    file = folder / with_home(name)
    if source.layer is Layer.PROJECT and not _lies_in(folder.parent, file):
        raise ConfigError(f"{source.place}: profile = {quote(name)} must lie in the project")
    if not is_file(file):
        usable = profiles_of(DEFAULT)
        if name in usable:
            return tree_profile(name)
        why = f"no such file; use {', '.join(usable)} or the path of a file{did_you_mean(name, usable)}"
        raise ProfileError(f"{source.place}: profile = {quote(name)}: {why}")
    return tree_profile(str(file))


def _lies_in(folder: Path, file: Path) -> bool:
    try:
        return file.resolve().is_relative_to(folder.resolve())
    except (OSError, ValueError, RuntimeError):  # no system has a file of this name
        return True


def _of_table(own: Mapping[str, Any], source: SettingSource) -> TreeProfile:
    extends = own.get("extends", DEFAULT_PROFILE)
    if source.layer is Layer.PROJECT and extends not in PROFILES:
        raise ConfigError(
            f"{source.place}: no profile {shortened(str(extends))}: a project can extend {', '.join(PROFILES)}"
        )
    base = tree_profile(extends)
    changes = {key: value for key, value in own.items() if key != "extends"}
    return overlay(base, {"name": _changed(base.name) if changes else base.name, **changes}, source.place)
