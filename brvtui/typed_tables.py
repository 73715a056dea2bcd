"""Converts TOML tables to frozen dataclasses. Checks every key, type and range; a message describes what is wrong.

The annotation of a field declares its values: ``float``, ``int``, ``str``, ``bool``, a tuple of these, a dict of
numbers by name, one of several fixed strings (``Literal``), or another such dataclass. A number must be finite and at
least 0, unless it is ``Annotated`` with another :class:`Range`. :class:`TableKeys` declares the keys of a dict. A field
with a default may be left out.
"""

from __future__ import annotations

import dataclasses
import math
import re
import typing
from collections.abc import Iterator
from functools import cache
from typing import Annotated, Any, Literal, NamedTuple, TypeVar

from brvtui.wording import nearest, shortened

_T = TypeVar("_T")


class ProfileError(ValueError):
    """Raised if a profile cannot be used. The message contains the file, the key and the remedy."""


_LARGEST = 1e15
"""The largest number in a table. Products and quotients of a few numbers between its inverse and it are finite and not
0.
"""


class Range(NamedTuple):
    """The allowed values of a number: 0, or an absolute value from 1e-15 to 1e15, within ``least`` and ``most``."""

    least: float = 0
    most: float = math.inf
    is_open: bool = False
    """True if the number must be above ``least``."""

    def __contains__(self, number: Any) -> bool:
        from_least = self.least < number if self.is_open else self.least <= number
        in_range = from_least and number <= self.most
        return bool(in_range and (number == 0 or 1 / _LARGEST <= abs(number) <= _LARGEST))

    def __str__(self) -> str:
        limit = f"at most {min(self.most, _LARGEST):g}"
        if self.is_open:
            return f"be a number above {self.least:g}, {limit}"
        if self.most < math.inf:
            return f"be from {self.least:g} to {self.most:g}"
        return f"be at least {self.least:g}, {limit}" if self.least else f"be a number of 0 or more, {limit}"


class TableKeys(NamedTuple):
    """The exact keys of a table of numbers."""

    names: tuple[str, ...]


LIMIT, LIMIT_UNLESS_0 = "limit", "limit unless 0"
"""Annotations for a constant that limits the cost of a query. ``LIMIT_UNLESS_0`` means that 0 is no limit."""
Count = Annotated[int, Range(1)]
CountLimit = Annotated[int, Range(1), LIMIT]
SizeLimit = Annotated[int, Range(), LIMIT]
PositiveLimit = Annotated[float, Range(is_open=True), LIMIT]
Positive = Annotated[float, Range(is_open=True)]
Share = Annotated[float, Range(0, 1)]
_NUMBER = Range()


_LONGEST_KEY = 64
_LONG_KEY = re.compile(rb"""(?<![\w-])(?:(?:[\w-]+|"[^"\n]*"|'[^'\n]*')[ \t]*\.[ \t]*){%d}""" % _LONGEST_KEY)

_LONG_NUMBER = re.compile(rb"(?<![\w-])0[xob][\da-fA-F_]{1000}")
"""A pattern for numbers that are too long for a message, because Python does not print integers of more than 4,300
digits.
"""


def parse_tables(data: bytes) -> dict[str, Any]:
    """Returns the tables in the TOML text ``data``.

    Raises ValueError with a short reason if the text is not TOML in UTF-8, is nested too deeply, or contains a number
    of 1,000 digits or a dotted key of more than 64 parts. Parsing such keys and numbers takes quadratic time and
    memory.
    """
    if _LONG_KEY.search(data):
        raise ValueError(f"a key of more than {_LONGEST_KEY} parts")
    if _LONG_NUMBER.search(data):
        raise ValueError("a number of more than 1,000 digits")
    import tomllib

    try:
        return tomllib.loads(data.decode("utf-8"))
    except RecursionError:
        raise ValueError("nested too deeply") from None
    except ValueError as error:
        raise ValueError(shortened(str(error))) from error


def merged(base: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    """Returns ``base`` with ``changes`` merged into it, table by table."""
    result = dict(base)
    for key, value in changes.items():
        old = result.get(key)
        result[key] = merged(old, value) if isinstance(old, dict) and isinstance(value, dict) else value
    return result


def overlay(base: _T, tables: dict[str, Any], origin: str) -> _T:
    """Returns ``base``, a dataclass of constants, with values replaced by those in ``tables``.

    ``tables`` have the structure of a file. Raises :class:`ProfileError`, whose message names the file ``origin``.
    """
    dataclass_: Any = base
    return typed(type(base), merged(dataclasses.asdict(dataclass_), tables), "", origin)


def lowered(values: _T, reference: _T) -> _T:
    """``values``, a dataclass of constants, with limits lowered to those of ``reference`` where they are higher."""
    constants: Any = values
    kind: Any = type(values)
    limits: dict[str, Any] = {}
    for name, hint in _hints(kind).items():
        own, maximum, marks = getattr(values, name), getattr(reference, name), typing.get_args(hint)
        if dataclasses.is_dataclass(own):
            limits[name] = lowered(own, maximum)
        elif LIMIT in marks or (LIMIT_UNLESS_0 in marks and own and maximum):
            limits[name] = min(own, maximum)
        elif LIMIT_UNLESS_0 in marks:
            limits[name] = own or maximum
    lower: _T = dataclasses.replace(constants, **limits)
    return lower


class Adjustable(NamedTuple):
    """A constant whose value can be changed: a number in a range, a bool, or one of several strings."""

    name: str
    """The constant's dotted name."""
    value: bool | int | float | str
    range: Range = Range()
    """The allowed range, if the constant is a number."""
    choices: tuple[str, ...] = ()


def adjustable(values: Any, where: str = "") -> Iterator[Adjustable]:
    """Yields each constant in the dataclass ``values`` that is a number, a bool or one of several strings, in order."""
    kind: Any = type(values)
    for name, hint in _hints(kind).items():
        value, dotted = getattr(values, name), key_path(where, name)
        marks = typing.get_args(hint) if typing.get_origin(hint) is Annotated else ()
        rule = next((mark for mark in marks if isinstance(mark, Range)), _NUMBER)
        if dataclasses.is_dataclass(value):
            yield from adjustable(value, dotted)
        elif typing.get_origin(hint) is Literal:
            yield Adjustable(dotted, value, choices=typing.get_args(hint))
        elif isinstance(value, dict):
            numbers = ((key, each) for key, each in value.items() if isinstance(each, (int, float)))
            yield from (Adjustable(key_path(dotted, key), each) for key, each in numbers)
        elif isinstance(value, (bool, int, float)):
            yield Adjustable(dotted, value, rule)


def typed(kind: type[_T], value: Any, where: str, origin: str) -> _T:
    """Converts ``value`` to ``kind``, a dataclass or the type of one of its fields. ``where`` is its dotted name.

    Raises :class:`ProfileError` for an unknown or missing key, and for a value that has the wrong type or is out of
    range.
    """
    result: _T = (
        _table(kind, value, where, origin) if dataclasses.is_dataclass(kind) else _value(kind, value, where, origin)
    )
    return result


def _table(kind: Any, value: Any, where: str, origin: str) -> Any:
    if not isinstance(value, dict):
        raise ProfileError(f"{origin}: [{where}] must be a table")
    hints = _hints(kind)
    for key in value:
        if key not in hints:
            raise ProfileError(f"{origin}: unknown key {shortened(key_path(where, key))}{nearest(key, hints)}")
    required = (one.name for one in dataclasses.fields(kind) if one.default is dataclasses.MISSING)
    missing = [name for name in required if name not in value]
    if missing:
        raise ProfileError(f"{origin}: {key_path(where, missing[0])} is missing")
    pairs = ((name, hint, value[name]) for name, hint in hints.items() if name in value)
    return kind(**{name: typed(hint, each, key_path(where, name), origin) for name, hint, each in pairs})


@cache
def _hints(kind: Any) -> dict[str, Any]:
    """Returns the annotations of a dataclass's fields."""
    return typing.get_type_hints(kind, include_extras=True)


def _value(kind: Any, value: Any, where: str, origin: str, rule: Any = _NUMBER) -> Any:
    shape, inner = typing.get_origin(kind), typing.get_args(kind)
    if shape is Annotated:
        return _value(inner[0], value, where, origin, inner[1])
    if shape is Literal:
        if value not in inner:
            raise ProfileError(f"{origin}: {where} must be one of {', '.join(inner)}")
        return value
    if shape is tuple and isinstance(value, (list, tuple)):
        if inner[-1] is not ... and len(value) != len(inner):
            raise ProfileError(f"{origin}: {where} must have {len(inner)} strings")
        return tuple(_value(inner[0], item, where, origin) for item in value)
    if shape is dict and isinstance(value, dict):
        if isinstance(rule, TableKeys) and value.keys() != set(rule.names):
            raise ProfileError(f"{origin}: {where} must list exactly {', '.join(sorted(rule.names))}")
        return {str(key): _value(inner[1], item, key_path(where, str(key)), origin) for key, item in value.items()}
    is_right = isinstance(value, (int, float) if kind is float else shape or kind)
    if not is_right or isinstance(value, bool) != (kind is bool):
        wanted = getattr(kind, "__name__", str(kind))
        raise ProfileError(f"{origin}: {where} = {shortened(repr(value))} must be of type {wanted}")
    if kind is str and "\0" in value:
        raise ProfileError(f"{origin}: {where} must not contain a NUL character")
    if kind in (int, float) and value not in rule:
        is_tiny = 0 < abs(value) < 1 / _LARGEST
        smallest = f"be {'0 or ' if 0 in rule else ''}at least {1 / _LARGEST:g}"
        raise ProfileError(f"{origin}: {where} must {smallest if is_tiny else rule}")
    return float(value) if kind is float else value


def key_path(where: str, key: str) -> str:
    """Returns the dotted name of ``key`` in the table ``where``, which is empty for the top level."""
    return f"{where}.{key}" if where else key
