"""What the user set: which profile a project is read with (``docs/configuration.md``)."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from brvtui import profile as profiles
from brvtui.profile import Profile, ProfileError
from brvtui.tree.project import MARKER

PROJECT_FILE = "brv-tui.toml"
_TABLE = "profile"


def profile_for(project: Path, wanted: str | None) -> Profile:
    """The profile that ``wanted`` names (built-in name or file), else the project's own, else the default.

    A project's own profile is the table ``[profile]`` of ``.brv/brv-tui.toml``: ``extends`` and what it changes.
    Raises :class:`ProfileError`.
    """
    if wanted:
        return profiles.load(wanted)
    file = project / MARKER / PROJECT_FILE
    if not file.is_file():
        return profiles.load()
    tables = _read(file)
    unknown = sorted(set(tables) - {_TABLE})
    if unknown:
        raise ProfileError(f"{file}: unknown key {unknown[0]}; known: {_TABLE}")
    own = tables.get(_TABLE, {})
    if not isinstance(own, dict):
        raise ProfileError(f"{file}: [{_TABLE}] must be a table")
    extends = own.get("extends", profiles.DEFAULT)
    if not isinstance(extends, str):
        raise ProfileError(f"{file}: extends = {extends!r} must name a profile")
    base = profiles.load(extends)
    changes = {key: value for key, value in own.items() if key != "extends"}
    return profiles.overlay(base, {"name": f"{base.name}*" if changes else base.name, **changes}, str(file))


def _read(file: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ProfileError(f"{file}: cannot be read as settings ({error})") from error
