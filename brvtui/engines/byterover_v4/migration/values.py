"""Reads YAML values as V4's migration does: YAML 1.2 with dates, and values converted to strings as in JavaScript."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import yaml

from brvtui.tree.reading import frontmatter

_NULLS = frozenset({"", "~", "null", "Null", "NULL"})
_TRUTHS = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
_BASES = {"0b": 2, "0o": 8, "0x": 16}
_INTEGER = re.compile(r"[-+]?(?:0b[01_]+|0o[0-7_]+|0x[0-9a-fA-F_]+|[0-9][0-9_]*)(?<!_)")
_FLOAT = re.compile(r"(?:[-+]?[0-9][0-9_]*(?:\.[0-9_]*)?(?:[eE][-+]?[0-9]+)?|\.[0-9_]+(?:[eE][-+]?[0-9]+)?)(?<!_)")
_SPECIAL = re.compile(r"([-+]?)\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")
_DATE = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})")
_MOMENT = re.compile(
    r"([0-9]{4})-([0-9]{1,2})-([0-9]{1,2})(?:[Tt]|[ \t]+)([0-9]{1,2}):([0-9]{2}):([0-9]{2})(?:\.([0-9]*))?"
    r"(?:[ \t]*(?:Z|([-+])([0-9]{1,2})(?::?([0-9]{2}))?))?"
)
_TAGS = frozenset(
    {
        *("null", "bool", "int", "float", "str", "timestamp", "binary", "value"),
        *("map", "seq", "set", "omap", "pairs", "merge"),
    }
)
"""The tags that the migration's reader knows; ``value`` is PyYAML's tag for a single ``=``."""
_STANDARD = "tag:yaml.org,2002:"
_TEXT = f"{_STANDARD}str"
_PLAIN = (True, False)
"""The arguments that make PyYAML return the implicit tag of a plain scalar (unlike ``!!str 5``, which has an explicit
tag).
"""
_MERGE = "<<"
_CLOSING = re.compile(r"\n\.\.\.[ \t\r\n]*\Z")
_CENTURY, _MONTHS = 100, 12
_LEAST_EXPONENT, _MOST_EXPONENT = -7, 21
"""JavaScript writes numbers with an exponent if they are below the first of these powers of ten, or at least the
second.
"""


@dataclass(frozen=True, slots=True)
class Moment:
    """A date or time, in milliseconds since 1970."""

    ms: int

    @property
    def iso(self) -> str:
        """The moment in ISO 8601, such as ``2026-01-02T03:04:05.000Z``."""
        return f"{self._moment.isoformat(timespec='milliseconds')}Z"

    def __str__(self) -> str:
        """The moment as JavaScript writes it on a machine in the time zone UTC."""
        return f"{self._moment:%a %b %d %Y %H:%M:%S} GMT+0000 (Coordinated Universal Time)"

    @property
    def _moment(self) -> datetime:
        return datetime(1970, 1, 1) + timedelta(milliseconds=self.ms)


def yaml_fields(block: str) -> dict[str, Any]:
    """The fields of the YAML ``block``; empty if it is not a mapping.

    Values are None, booleans, floats, strings, :class:`Moment`, lists, and empty dicts for mappings. For invalid YAML,
    one of the exceptions in :data:`brvtui.tree.reading.frontmatter.BROKEN` is raised.
    """
    with frontmatter.reading(_CLOSING.sub("", block)) as (loader, node):
        _check_tags(node)
        return _fields(node, loader) if isinstance(node, yaml.MappingNode) else {}


def written(value: Any) -> str:
    """``value`` as JavaScript converts it to a string."""
    match value:
        case None:
            return "null"
        case bool():
            return str(value).lower()
        case float():
            return _number(value)
        case list():
            return ",".join("" if item is None else written(item) for item in value)
        case dict():
            return "[object Object]"
    return str(value)


def _fields(node: yaml.MappingNode, loader: Any) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    for key, value in node.value:
        if key.value == _MERGE:
            merged = value.value if isinstance(value, yaml.SequenceNode) else [value]
            for one in merged:
                fields = {**(_fields(one, loader) if isinstance(one, yaml.MappingNode) else {}), **fields}
    own = {str(key.value): _value(value, loader) for key, value in node.value if key.value != _MERGE}
    return {**fields, **own}


def _value(node: Any, loader: Any) -> Any:
    if isinstance(node, yaml.SequenceNode):
        return [_value(item, loader) for item in node.value]
    if isinstance(node, yaml.MappingNode):
        return {}
    is_text = node.style or (node.tag == _TEXT and loader.resolve(yaml.ScalarNode, node.value, _PLAIN) != _TEXT)
    return node.value if is_text else _plain(node.value)


def _plain(text: str) -> Any:
    """The value of an unquoted scalar."""
    if text in _NULLS:
        return None
    if text in _TRUTHS:
        return _TRUTHS[text]
    if _INTEGER.fullmatch(text):
        digits, sign = text.lstrip("+-").replace("_", ""), -1 if text[0] == "-" else 1
        return float(sign * int(digits[2:] if digits[:2] in _BASES else digits, _BASES.get(digits[:2], 10)))
    if _FLOAT.fullmatch(text):
        return float(text.replace("_", ""))
    special = _SPECIAL.fullmatch(text)
    if special:
        return math.nan if special[1] is None else math.inf * (-1 if special[1] == "-" else 1)
    return _moment(text) or text


def _moment(text: str) -> Moment | None:
    match = _DATE.fullmatch(text) or _MOMENT.fullmatch(text)
    if match is None:
        return None
    numbers = [*match.groups(), *[None] * 7][:10]
    year, month, day, hour, minute, second = (int(number or 0) for number in numbers[:6])
    ms = int(((numbers[6] or "") + "000")[:3])
    offset = (int(numbers[8] or 0) * 60 + int(numbers[9] or 0)) * (-1 if numbers[7] == "-" else 1)
    full = 1900 + year if year < _CENTURY else year  # two-digit years as in JavaScript
    months = month - 1
    first = datetime(full + months // _MONTHS, months % _MONTHS + 1, 1, tzinfo=UTC)
    moment = first + timedelta(days=day - 1, hours=hour, minutes=minute - offset, seconds=second, milliseconds=ms)
    return Moment(round((moment - datetime(1970, 1, 1, tzinfo=UTC)) / timedelta(milliseconds=1)))


def _check_tags(root: Any) -> None:
    """Raises ValueError for a tag that V4's reader does not know, or for a repeated key."""
    pending = [root] if root is not None else []
    while pending:
        node = pending.pop()
        if node.tag.removeprefix(_STANDARD) not in _TAGS:
            raise ValueError(f"the tag {node.tag} is unknown")
        if isinstance(node, yaml.MappingNode):
            keys = [str(key.value) for key, _ in node.value if key.value != _MERGE]
            if len(set(keys)) < len(keys):
                raise ValueError("a key occurs twice")
            pending += [value for _, value in node.value]
        elif isinstance(node, yaml.SequenceNode):
            pending += node.value


def _number(value: float) -> str:
    """``value`` as JavaScript writes a number."""
    if math.isnan(value) or math.isinf(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    if value == 0:
        return "0"
    exponent = f"{value:e}".partition("e")[2]
    shortest = repr(abs(value))
    mantissa = shortest.partition("e")[0]
    whole, _, rest = mantissa.partition(".")
    figures = (whole + rest).lstrip("0").rstrip("0") or "0"
    at = int(exponent)
    sign = "-" if value < 0 else ""
    if at >= _MOST_EXPONENT or at < _LEAST_EXPONENT + 1:
        tail = f".{figures[1:]}" if len(figures) > 1 else ""
        return f"{sign}{figures[0]}{tail}e{'+' if at > 0 else '-'}{abs(at)}"
    if at < 0:
        return f"{sign}0.{'0' * (-at - 1)}{figures}"
    padded = figures.ljust(at + 1, "0")
    return f"{sign}{padded[: at + 1]}" + (f".{padded[at + 1 :]}" if len(padded) > at + 1 else "")
