"""Reads profiles from TOML: the built-in ones, and the user's own files, which extend them."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Protocol

from brvtui import faults
from brvtui.engines.registry import DEFAULT, DEFAULT_PROFILE, PROFILES, declaration, kind_of, load, names, names_for
from brvtui.regular_files import read_regular
from brvtui.services.legs import RequestPolicy
from brvtui.store.folders import config_folder
from brvtui.tree.constants import ArchiveRules, TreeConstants
from brvtui.typed_tables import ProfileError, merged, parse_tables
from brvtui.wording import shortened

_LARGEST = 1_048_576
"""The maximum size of a profile in bytes, which is more than any profile needs."""


@dataclass(frozen=True, slots=True)
class EngineVersion:
    """The system and the version that a profile's constants describe."""

    name: str
    version: str
    until: str
    """The last version known to give the same answers, without the patch number, such as ``3.14``."""

    def covers(self, version: str) -> bool:
        """True if the constants are known to apply to ``version``, such as ``3.15.2``."""
        first, last, wanted = (_minor(text) for text in (self.version, self.until, version))
        return first <= wanted <= last


def _minor(version: str) -> tuple[int, ...]:
    """The first two parts of the version number ``version``; empty if it is not a version number."""
    numbers = version.split(".")[:2]
    return tuple(int(number) for number in numbers) if all(number.isdecimal() for number in numbers) else ()


class TreeProfile(TreeConstants, Protocol):
    """The constants of the engine that writes context trees. They are needed for reading and changing a tree."""

    @property
    def name(self) -> str:
        """The profile's name."""

    @property
    def summary(self) -> str:
        """The differences from other profiles, in a few words."""

    @property
    def stop_words(self) -> tuple[str, ...]:
        """The words that are ignored in queries."""

    @property
    def archive(self) -> ArchiveRules:
        """The rules for summarising a note in its stub."""

    @property
    def service(self) -> RequestPolicy:
        """The time-outs and retries for services."""


def tree_profile(source: str = DEFAULT_PROFILE) -> TreeProfile:
    """The profile of the engine that writes context trees: the one called ``source``, or the one in the TOML file
    ``source``.

    Raises :class:`brvtui.typed_tables.ProfileError`.
    """
    if not source:
        profile_tables(source, PROFILES)  # raises; an engine would use its default profile for ""
    profile: TreeProfile = load(DEFAULT).constants(source)
    return profile


def refuse_engine(profile: str, engine: str) -> None:
    """Raises :class:`brvtui.typed_tables.ProfileError` if ``profile`` is not a profile but the name of an engine for
    the same kind of project as ``engine``.
    """
    if profile in names_for(kind_of(engine)):
        raise ProfileError(f"no profile {profile}: that is an engine; choose it with --engine {profile}")


def kept_profiles() -> dict[str, object]:
    """The user's own profiles, which the Lab stores in the settings folder, each with the profile that it extends.

    The profiles are sorted by file name. Files that cannot be read are left out.
    """
    profiles: dict[str, object] = {}
    for file in sorted(config_folder().glob("*.toml")):
        with suppress(OSError, ValueError):
            profiles[file.stem] = parse_tables(read_regular(file, _LARGEST, follow_links=True)).get("extends")
    return profiles


def profiles_of(engine: str) -> tuple[str, ...]:
    """The names of the profiles of ``engine``, with the default first and the user's own last; empty if the engine
    cannot be loaded.
    """
    return _profiles_of(engine, kept_profiles())


def engine_of_profile(profile: object) -> str:
    """The name of the first engine that has ``profile``; empty if no engine has it. Loads the engines."""
    kept = kept_profiles()
    return next((name for name in names() if profile in _profiles_of(name, kept)), "")


def _profiles_of(engine: str, kept: Mapping[str, object]) -> tuple[str, ...]:
    built_in = declared.profiles if (declared := declaration(engine)) is not None else ()
    return tuple(dict.fromkeys((*built_in, *(name for name, extended in kept.items() if extended in built_in))))


def owner_hint(profile: str, engine: str) -> str:
    """A remark that names the engine that has ``profile``, to be added to the message that ``engine`` has no such
    profile.

    The remark is empty if no engine has the profile.
    """
    owner = engine_of_profile(profile)
    takes = f": use it with --engine {owner}" if owner in names_for(kind_of(engine)) else ""
    return f"; {shortened(profile)} is a profile of {owner}{takes}" if owner else ""


def profile_tables(source: str | Path, built_in: Sequence[str]) -> dict[str, Any]:
    """The tables of the profile ``source``, merged into those of the profile that it ``extends``.

    ``source`` is a name in ``built_in`` or :func:`kept_profiles`, or the path of a TOML file. Only text that ends in
    ``.toml`` or contains a separator is read as a path, so a file in the working folder cannot replace a named profile.
    A file without ``extends`` extends the first built-in profile. A file without ``name``, and every profile from
    :func:`kept_profiles`, has its file's name. A changed profile with a built-in name gets an asterisk. Raises
    :class:`brvtui.typed_tables.ProfileError`.
    """
    if str(source) in built_in:
        tables = _built_in(str(source))
    else:
        exists = is_file = False
        kept = [name for name, extended in kept_profiles().items() if extended in built_in]
        is_kept = str(source) in kept
        path = config_folder() / f"{source}.toml" if is_kept else Path(source)
        if is_kept or _is_path(source):
            with suppress(OSError):  # a name that the file system rejects is not a file
                exists, is_file = path.exists(), path.is_file()
        if not is_file:
            problem = "it is not a regular file" if exists else faults.NO_FILE
            what = f"; {problem}" if str(source).strip() and _is_path(source) else ""
            engine = engine_of_profile(built_in[0])
            if not what:
                refuse_engine(str(source), engine)
            usable, whose = ", ".join(dict.fromkeys((*built_in, *kept))), owner_hint(str(source), engine)
            named = shortened(str(source))
            raise ProfileError(f"no profile {named}{what}: use {usable} or the path of a TOML file{whose}")
        try:
            tables = parse_tables(read_regular(path, _LARGEST, follow_links=True))
        except (OSError, ValueError) as error:
            raise ProfileError(f"{path}: cannot be read as a profile ({faults.reading_reason(error)})") from error
        tables = {"extends": built_in[0], "name": path.stem, **tables}
        if is_kept:
            tables["name"] = path.stem  # the profile keeps the name that found it
    base = tables.get("extends")
    if base is None:
        return tables
    if base not in built_in:
        raise ProfileError(
            f"{source}: extends = {shortened(repr(base))}, but only {', '.join(built_in)} can be extended"
        )
    own = merged(profile_tables(base, built_in), {key: value for key, value in tables.items() if key != "extends"})
    name = own["name"]
    if name in built_in and str(source) not in built_in and own != profile_tables(name, built_in):
        own["name"] = changed_name(name)
    return own


def changed_name(name: str) -> str:
    """``name`` followed by the asterisk that marks a changed profile."""
    return f"{name.removesuffix('*')}*"


def _is_path(source: str | Path) -> bool:
    """True if ``source`` is the path of a file and cannot be the name of a profile."""
    return isinstance(source, Path) or os.sep in source or source.endswith(".toml")


@cache
def _built_in(name: str) -> dict[str, Any]:
    file = next(Path(__file__).parent.glob(f"*/profiles/{name}.toml"))  # in the folder of its engine
    return tomllib.loads(file.read_text(encoding="utf-8"))
