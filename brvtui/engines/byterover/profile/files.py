"""Profiles from TOML files."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from brvtui.engines.byterover.profile.constants import Profile
from brvtui.profiles import BUILT_IN, DEFAULT
from brvtui.typed_tables import ProfileError, merged, typed


def load(source: str | Path = DEFAULT) -> Profile:
    """The profile called ``source`` (a built-in name), or read from the TOML file ``source``.

    Raises :class:`ProfileError` when there is no such profile, or a key or value of it is wrong.
    """
    return typed(Profile, _tables(source), "", str(source))


@cache
def _built_in(name: str) -> dict[str, Any]:
    text = resources.files("brvtui").joinpath("profiles", f"{name}.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def _tables(source: str | Path) -> dict[str, Any]:
    if str(source) in BUILT_IN:
        tables = _built_in(str(source))
    else:
        path = Path(source)
        if not path.is_file():
            raise ProfileError(f"no profile {source}: use {', '.join(BUILT_IN)} or the path of a TOML file")
        try:
            tables = tomllib.loads(path.read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
            raise ProfileError(f"{path}: cannot be read as a profile ({error})") from error
        tables = {"extends": DEFAULT, "name": path.stem, **tables}
    base = tables.get("extends")
    if base is None:
        return tables
    if base not in BUILT_IN:
        raise ProfileError(f"{source}: extends = {base!r}, but only {', '.join(BUILT_IN)} can be extended")
    rest = {key: value for key, value in tables.items() if key != "extends"}
    return merged(_tables(base), rest)
