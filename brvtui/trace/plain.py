"""The vocabulary as plain data, ready for JSON."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from enum import StrEnum
from typing import Any

from brvtui.trace.traces import Trace, UnreadSection


def to_plain(value: Any) -> Any:
    """``value`` as dicts, lists and scalars, ready for JSON; enum members become their strings."""
    if isinstance(value, Trace):
        sections = {section.SECTION: section for section in value.sections}
        return {f.name: to_plain(sections if f.name == "sections" else getattr(value, f.name)) for f in fields(value)}
    if isinstance(value, UnreadSection):
        return value.data
    if is_dataclass(value) and not isinstance(value, type):
        return {f.name: to_plain(getattr(value, f.name)) for f in fields(value)}
    if isinstance(value, (tuple, list)):
        return [to_plain(item) for item in value]
    if isinstance(value, dict):
        return {str(key): to_plain(item) for key, item in value.items()}
    if isinstance(value, StrEnum):
        return value.value
    return value
