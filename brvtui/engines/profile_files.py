"""The TOML tables of profiles: built in, or files of the user's own that extend one."""

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
"""Bytes that no profile reaches."""


@dataclass(frozen=True, slots=True)
class EngineVersion:
    """The system and version that the constants describe."""

    name: str
    version: str
    until: str
    """The last version that is known to answer the same, without its last number: ``3.14``."""

    def covers(self, version: str) -> bool:
        """True if the constants are known to be those of ``version``, such as ``3.15.2``."""
        first, last, asked = (_minor(text) for text in (self.version, self.until, version))
        return first <= asked <= last


def _minor(version: str) -> tuple[int, ...]:
    """The first two numbers of ``version``; empty for what is no version."""
    numbers = version.split(".")[:2]
    return tuple(int(number) for number in numbers) if all(number.isdecimal() for number in numbers) else ()


class TreeProfile(TreeConstants, Protocol):
    """The constants of the engine that writes context trees, as far as reading and changing a tree needs them."""

    @property
    def name(self) -> str:
        """The profile's name."""

    @property
    def summary(self) -> str:
        """The difference from other profiles, in a few words."""

    @property
    def stop_words(self) -> tuple[str, ...]:
        """The words of a query that are not searched."""

    @property
    def archive(self) -> ArchiveRules:
        """Rules for the summary of a note in its stub."""

    @property
    def service(self) -> RequestPolicy:
        """Timeouts and retries of services."""


def tree_profile(source: str = DEFAULT_PROFILE) -> TreeProfile:
    """The profile called ``source``, or read from the TOML file ``source``, of the engine that writes context trees.

    Raises :class:`brvtui.typed_tables.ProfileError`.
    """
    if not source:
        profile_tables(source, PROFILES)  # refuses it: an engine takes an empty name for its usual profile
    made: TreeProfile = load(DEFAULT).constants(source)
    return made


def refuse_engine(profile: str, asked: str) -> None:
    """Raises :class:`brvtui.typed_tables.ProfileError` if ``profile``, none of the engine ``asked``, is the name of an
    engine that ranks the same."""
    if profile in names_for(kind_of(asked)):
        raise ProfileError(f"no profile {profile}: that is an engine, which --engine {profile} chooses")


def kept_profiles() -> dict[str, object]:
    """The user's own profiles beside the settings, as the Lab keeps them, and which profile each extends.

    In alphabetical order, by the names of their files. A file that cannot be read is none of them.
    """
    found: dict[str, object] = {}
    for file in sorted(config_folder().glob("*.toml")):
        with suppress(OSError, ValueError):
            found[file.stem] = parse_tables(read_regular(file, _LARGEST, follow_links=True)).get("extends")
    return found


def profiles_of(engine: str) -> tuple[str, ...]:
    """The names of the profiles of ``engine``, the usual one first, the user's own last; none if it cannot be loaded,
    as asking it says."""
    return _profiles_of(engine, kept_profiles())


def engine_of_profile(profile: object) -> str:
    """The name of the first engine that has ``profile``; empty if none has. Loads the engines."""
    kept = kept_profiles()
    return next((name for name in names() if profile in _profiles_of(name, kept)), "")


def _profiles_of(engine: str, kept: Mapping[str, object]) -> tuple[str, ...]:
    built_in = found.profiles if (found := declaration(engine)) is not None else ()
    return tuple(dict.fromkeys((*built_in, *(name for name, extended in kept.items() if extended in built_in))))


def owner_hint(profile: str, asked: str) -> str:
    """Whose ``profile`` is, behind a message that the engine ``asked`` has none of that name; empty if nobody's."""
    owner = engine_of_profile(profile)
    takes = f": --engine {owner} takes it" if owner in names_for(kind_of(asked)) else ""
    return f"; {shortened(profile)} is one of {owner}'s{takes}" if owner else ""


def profile_tables(source: str | Path, built_in: Sequence[str]) -> dict[str, Any]:
    """The tables of the profile ``source``, put in the place of those that it ``extends``.

    ``source`` is one of the names ``built_in`` or of :func:`kept_profiles`, or the path of a TOML file; a file that
    extends nothing extends the first of them, and is called by its own name; one of :func:`kept_profiles` always is.
    Raises :class:`brvtui.typed_tables.ProfileError`.
    """
    if str(source) in built_in:
        tables = _built_in(str(source))
    else:
        path, exists, is_file = Path(source), False, False
        kept = [name for name, extended in kept_profiles().items() if extended in built_in]
        with suppress(OSError):  # a name that no file system takes is that of no file
            exists, is_file = path.exists(), path.is_file()
        is_kept = not is_file and str(source) in kept
        if is_kept:
            path = config_folder() / f"{source}.toml"
        if not is_kept and not is_file:
            found = "it is not a regular file" if exists else faults.NO_FILE
            what = f"; {found}" if str(source).strip() and (exists or _is_path(source)) else ""
            asked = engine_of_profile(built_in[0])
            if not what:
                refuse_engine(str(source), asked)
            usable, whose = ", ".join(dict.fromkeys((*built_in, *kept))), owner_hint(str(source), asked)
            named = shortened(str(source))
            raise ProfileError(f"no profile {named}{what}: use {usable} or the path of a TOML file{whose}")
        try:
            tables = parse_tables(read_regular(path, _LARGEST, follow_links=True))
        except (OSError, ValueError) as error:
            raise ProfileError(f"{path}: cannot be read as a profile ({faults.reading_reason(error)})") from error
        tables = {"extends": built_in[0], "name": path.stem, **tables}
        if is_kept:
            tables["name"] = path.stem  # by which it was named, and can be again
    base = tables.get("extends")
    if base is None:
        return tables
    if base not in built_in:
        raise ProfileError(
            f"{source}: extends = {shortened(repr(base))}, but only {', '.join(built_in)} can be extended"
        )
    return merged(profile_tables(base, built_in), {key: value for key, value in tables.items() if key != "extends"})


def _is_path(source: str | Path) -> bool:
    """Whether ``source`` can only mean a file, not the name of a profile."""
    return isinstance(source, Path) or os.sep in source or source.endswith(".toml")


@cache
def _built_in(name: str) -> dict[str, Any]:
    file = next(Path(__file__).parent.glob(f"*/profiles/{name}.toml"))  # in the folder of its engine
    return tomllib.loads(file.read_text(encoding="utf-8"))
