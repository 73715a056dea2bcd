"""Chooses profiles according to the settings: one for reading the tree, and one for engines other than ByteRover."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from contextlib import suppress
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
from brvtui.engines.profile_files import TreeProfile, changed_name, engine_of_profile, profiles_of, tree_profile
from brvtui.engines.registry import DEFAULT, DEFAULT_PROFILE, PROFILES, names, reads_trees
from brvtui.store.folders import with_home
from brvtui.tree.reading.project import is_file
from brvtui.typed_tables import ProfileError, lowered, overlay
from brvtui.wording import did_you_mean, shortened

_IN_FILES = (Layer.USER, Layer.PROJECT)
_EXPLICIT = (Layer.OPENED, Layer.OPTION)
"""Layers in which the profile always belongs to the engine in use."""
_CHOOSING = ("", "profile", "signals.frontmatter")
"""Settings that choose constants. The empty name means a file that cannot be read."""


def profile_of_engine(configuration: Configuration, built_in: Collection[str]) -> str:
    """Returns the profile that the settings give to an engine other than ByteRover; empty for the engine's default.

    A profile from the command line or from a fleet's entry always belongs to the engine in use. A name from a file or
    the environment belongs to this engine only if one of its ``built_in`` profiles has that name. Otherwise, the
    profile is used for reading the tree.
    """
    wanted = configuration.settings.profile
    is_explicit = configuration.source("profile").layer in _EXPLICIT
    return wanted if isinstance(wanted, str) and (is_explicit or wanted in built_in) else ""


def chosen_profile(configuration: Configuration, of_engine: str = "") -> TreeProfile:
    """Returns the ByteRover profile that is used for reading the tree, whichever engine answers.

    It comes from the settings, with the changes of :func:`with_overrides`. It is the default profile if the settings
    name ``of_engine``, a profile of the answering engine, or if a file or the environment names another engine's
    profile. No limit in a project's profile is above the limit of the built-in profile or of the user's own.

    Raises ``ProfileError`` if the user explicitly chose a profile that cannot be used, and
    :class:`brvtui.config.schema.UnusableSetting` if a setting cannot be used, because a project never opens with
    constants other than the requested ones.
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


def profile_file(configuration: Configuration) -> Path | None:
    """Returns the file that the setting or option names; None for a built-in profile or a table."""
    wanted, source = configuration.settings.profile, configuration.source("profile")
    if not isinstance(wanted, str) or wanted in PROFILES:
        return None
    file = _file_of(wanted, source) if source.layer in _IN_FILES else Path(wanted)
    return file if is_file(file) else None


def _file_of(name: str, source: SettingSource) -> Path:
    """Returns the path that ``name`` refers to in the settings file ``source``."""
    return Path(source.place).parent / with_home(name)


def recorded_profile(configuration: Configuration, name: str) -> TreeProfile:
    """Returns the profile ``name`` that is recorded in a file such as a saved trace.

    The name must belong to a built-in profile or to one of the user's own. It is never opened as a path. No limit is
    above those of :func:`chosen_profile` for a project's profile. Raises ``ProfileError``.
    """
    if name not in profiles_of(DEFAULT):
        raise ProfileError(f"no profile {shortened(name)}")
    limited = _limited(tree_profile(name), tree_profile(), _own_profile(configuration))
    return with_overrides(limited, configuration.settings)


def why_no_profile(value: Value, source: SettingSource) -> str:
    """Returns a one-line reason for rejecting ``value`` as the ``profile`` setting; empty if it is valid.

    If ``value`` names a profile file, reads it. If ByteRover does not have the profile, loads the other engines.
    """
    try:
        _load(value, source)
    except (ProfileError, ConfigError) as error:
        return str(error) if reads_trees(engine_of_profile(value) or DEFAULT) else ""
    return ""


def why_not_of_engine(configuration: Configuration) -> str:
    """Returns the reason why the engine uses its default profile although the settings name another one; otherwise
    empty.

    Loads this engine and, if it does not have the profile, all others.
    """
    wanted, engine = configuration.settings.profile, configuration.settings.engine
    is_chosen = configuration.source("profile").layer not in (Layer.DEFAULT, *_EXPLICIT)
    if not is_chosen or not isinstance(wanted, str) or engine not in names() or wanted in profiles_of(engine):
        return ""
    owner = engine_of_profile(wanted) or DEFAULT
    return f"{engine} answers with its default profile, because {wanted} belongs to {owner}" if owner != engine else ""


def _own_profile(configuration: Configuration) -> TreeProfile:
    """Returns the profile in the user's own file; the default one if the file names no usable ByteRover profile."""
    try:
        return _load(*configuration.own["profile"])
    except (KeyError, ProfileError):
        return tree_profile()


def _limited(chosen: TreeProfile, *references: TreeProfile) -> TreeProfile:
    """Lowers the limits of a project's profile to those of ``references``; a lowered one gets an asterisk."""
    limited = chosen
    for reference in references:
        limited = lowered(limited, reference)
    return limited if limited == chosen else overlay(limited, {"name": changed_name(limited.name)}, "settings")


def with_overrides(profile: TreeProfile, settings: Settings) -> TreeProfile:
    """Returns ``profile`` with the ``settings`` of single constants; an asterisk marks a changed profile."""
    frontmatter = settings.signals.frontmatter
    if frontmatter == AUTO or (frontmatter == ON) is profile.signals.frontmatter:
        return profile
    signals = {"frontmatter": frontmatter == ON}
    return overlay(profile, {"name": changed_name(profile.name), "signals": signals}, "settings")


def _load(wanted: Value, source: SettingSource) -> TreeProfile:
    if isinstance(wanted, Mapping):
        return _of_table(wanted, source)
    name = str(wanted)
    if name in PROFILES or source.layer not in _IN_FILES:
        return tree_profile(name)
    file = _file_of(name, source)
    if source.layer is Layer.PROJECT and not _lies_in(Path(source.place).parent.parent, file):
        raise ConfigError(f"{source.place}: profile = {quote(name)} must be inside the project")
    if not is_file(file):
        usable = profiles_of(DEFAULT)
        if name in usable:
            return tree_profile(name)
        problem = "no such file"
        with suppress(OSError):  # no system allows a file with this name
            problem = "it is not a regular file" if file.exists() else problem
        why = f"{problem}; use {', '.join(usable)} or the path of a file{did_you_mean(name, usable)}"
        raise ProfileError(f"{source.place}: profile = {quote(name)}: {why}")
    return tree_profile(str(file))


def _lies_in(folder: Path, file: Path) -> bool:
    try:
        return file.resolve().is_relative_to(folder.resolve())
    except (OSError, ValueError, RuntimeError):  # no system allows a file with this name
        return True


def _of_table(own: Mapping[str, Any], source: SettingSource) -> TreeProfile:
    extends = own.get("extends", DEFAULT_PROFILE)
    if source.layer is Layer.PROJECT and extends not in PROFILES:
        raise ConfigError(
            f"{source.place}: no profile {shortened(str(extends))}: a project can extend {', '.join(PROFILES)}"
        )
    base = tree_profile(extends)
    changes = {key: value for key, value in own.items() if key != "extends"}
    profile = overlay(base, {"name": changed_name(base.name) if changes else base.name, **changes}, source.place)
    if profile.name not in PROFILES or profile == tree_profile(profile.name):
        return profile
    return overlay(profile, {"name": changed_name(profile.name)}, source.place)
