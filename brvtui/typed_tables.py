"""Tables read from TOML as frozen dataclasses: every key known, every type right, or a message that says which."""

from __future__ import annotations

import dataclasses
import difflib
import typing
from collections.abc import Iterable
from typing import Any


class ProfileError(ValueError):
    """A profile that cannot be used; the message names the file, the key and what to do."""


def merged(base: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    """``base`` with ``changes`` put in their place, table by table."""
    made = dict(base)
    for key, value in changes.items():
        old = made.get(key)
        made[key] = merged(old, value) if isinstance(old, dict) and isinstance(value, dict) else value
    return made


def nearest(name: str, known: Iterable[str]) -> str:
    """The end of a message about the unknown ``name``: which of ``known`` was meant, or all of them."""
    names = list(known)
    near = difflib.get_close_matches(name, names, 1)
    return f"; did you mean {near[0]}?" if near else f"; known: {', '.join(names)}"


def typed(kind: Any, value: Any, where: str, origin: str) -> Any:
    """``value`` as the dataclass or scalar type ``kind``; ``where`` is its dotted name.

    Raises :class:`ProfileError` for an unknown or missing key and for a value of another type.
    """
    if dataclasses.is_dataclass(kind):
        if not isinstance(value, dict):
            raise ProfileError(f"{origin}: [{where}] must be a table")
        hints = typing.get_type_hints(kind)
        for key in value:
            if key not in hints:
                raise ProfileError(f"{origin}: unknown key {_join(where, key)}{nearest(key, hints)}")
        missing = [name for name in hints if name not in value]
        if missing:
            raise ProfileError(f"{origin}: {_join(where, missing[0])} is missing")
        made = {name: typed(hint, value[name], _join(where, name), origin) for name, hint in hints.items()}
        constructor: Any = kind
        return constructor(**made)
    return _scalar(kind, value, where, origin)


def _scalar(kind: Any, value: Any, where: str, origin: str) -> Any:
    shape = typing.get_origin(kind)
    if shape is tuple and isinstance(value, (list, tuple)):
        return tuple(_scalar(typing.get_args(kind)[0], item, where, origin) for item in value)
    if shape is dict and isinstance(value, dict):
        inner = typing.get_args(kind)[1]
        return {str(key): _scalar(inner, item, _join(where, str(key)), origin) for key, item in value.items()}
    if kind is float and isinstance(value, (int, float)) and not isinstance(value, bool):
        return float(value)
    if isinstance(kind, type) and isinstance(value, kind) and isinstance(value, bool) == (kind is bool):
        return value
    wanted = getattr(kind, "__name__", str(kind))
    raise ProfileError(f"{origin}: {where} = {value!r} must be of type {wanted}")


def _join(where: str, key: str) -> str:
    return f"{where}.{key}" if where else key
