"""Converts plain data to frozen dataclasses: the reverse of :func:`brvtui.trace.to_plain`."""

from __future__ import annotations

import types
import typing
from dataclasses import MISSING, Field, fields, is_dataclass
from enum import StrEnum
from functools import cache
from typing import Any, TypeVar

from brvtui.typed_tables import key_path

_T = TypeVar("_T")
_DEEPEST = 16
_LARGEST_NUMBER = 1e60
"""A limit that is above every number in a trace, but so small that arithmetic stays finite."""
_SCALARS = {
    str: "text",
    bool: "true or false",
    int: "a whole number",
    float: "a number from -1e60 to 1e60",
    type(None): "null",
}


class PlainError(ValueError):
    """Raised if plain data does not match a dataclass. The message contains the place and the expected value."""


def from_plain(kind: type[_T], value: Any, where: str = "") -> _T:
    """Converts plain data to the type ``kind``, so that ``from_plain(type(x), to_plain(x)) == x``.

    ``where`` is the value's dotted name. Unknown keys are ignored, and fields with a default may be missing, so that
    data from a later version can be read. Raises :class:`PlainError` for anything else that does not match.
    """
    made: _T = _rebuilt(kind, value, where)
    return made


def _rebuilt(kind: Any, value: Any, where: str) -> Any:
    if is_dataclass(kind):
        return _record(kind, value, where)
    shape = typing.get_origin(kind)
    if shape in (types.UnionType, typing.Union):
        return _one_of(typing.get_args(kind), value, where)
    if shape is tuple:
        _expect(isinstance(value, list), "a list", value, where)
        inner = typing.get_args(kind)[0]
        return tuple(_rebuilt(inner, item, f"{where}[{place}]") for place, item in enumerate(value))
    if shape is dict:
        _expect(isinstance(value, dict), "an object", value, where)
        inner = typing.get_args(kind)[1]
        return {key: _rebuilt(inner, item, key_path(where, key)) for key, item in value.items()}
    if kind is Any:
        _check_depth(value, where)
        return value
    return _scalar(kind, value, where)


def _record(kind: Any, value: Any, where: str) -> Any:
    _expect(isinstance(value, dict), "an object", value, where)
    values: dict[str, Any] = {}
    for name, (hint, required) in _fields_of(kind).items():
        if name in value:
            values[name] = _rebuilt(hint, value[name], key_path(where, name))
        elif required:
            raise PlainError(f"{key_path(where, name)} is missing")
    return kind(**values)


@cache
def _fields_of(kind: Any) -> dict[str, tuple[Any, bool]]:
    """Returns the type of each field, keyed by name, with True if the field is required."""
    hints = typing.get_type_hints(kind)
    return {field.name: (hints[field.name], _is_required(field)) for field in fields(kind)}


def _is_required(field: Field[Any]) -> bool:
    return field.default is MISSING and field.default_factory is MISSING


def _one_of(kinds: tuple[Any, ...], value: Any, where: str) -> Any:
    if value is None and type(None) in kinds:
        return None
    return _rebuilt(next(kind for kind in kinds if kind is not type(None)), value, where)


def _scalar(kind: Any, value: Any, where: str) -> Any:
    if issubclass(kind, StrEnum):
        _expect(isinstance(value, str) and value in set(kind), f"one of {', '.join(kind)}", value, where)
        return kind(value)
    # A whole number stays an int, even if the field is a float, so that it looks the same when it is shown.
    fits = type(value) in (int, float) if kind is float else type(value) is kind
    _expect(fits and not _is_too_large(value), _SCALARS[kind], value, where)
    return value


def _is_too_large(value: Any) -> bool:
    """True for a number outside ±1e60, an infinite number or NaN; False for any other value."""
    return isinstance(value, int | float) and not -_LARGEST_NUMBER <= value <= _LARGEST_NUMBER


def _check_depth(value: Any, where: str, depth: int = 0) -> None:
    if depth > _DEEPEST:
        raise PlainError(f"{where} is nested too deeply")
    _expect(not _is_too_large(value), _SCALARS[float], value, where)
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    for item in inner:
        _check_depth(item, where, depth + 1)


def _expect(fits: bool, wanted: str, value: Any, where: str) -> None:
    if not fits:
        found = "an object" if isinstance(value, dict) else "a list" if isinstance(value, list) else f"{value!r:.40}"
        raise PlainError(f"{where or 'the whole'} must be {wanted}, not {found}")
