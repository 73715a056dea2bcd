"""The ``updatedAt`` of a note, as the engine's search for archive candidates reads it.

It is a line of the text, in the frontmatter or not, parsed as JavaScript parses dates: dates are in UTC, times without
a zone are local (``docs/engine.md``, "What is archived").
"""

from __future__ import annotations

import math
import re
from datetime import UTC, datetime, timedelta

from brvtui.tree.reading.whitespace import SPACE

_BREAK = "\n\r\u2028\u2029"
_SPACE = f"[{SPACE}]*"
_LINE = re.compile(f"(?:\\A|(?<=[{_BREAK}]))updatedAt:{_SPACE}['\"]?([^{_BREAK}]+?)['\"]?{_SPACE}(?=\\Z|[{_BREAK}])")
_TIME = r"(\d\d):(\d\d)(?::(\d\d)(?:\.(\d+))?)?(Z|z|[+-]\d\d:?\d\d)?"
_DATE = re.compile(rf"(\d{{4}})(?:-(\d\d)(?:-(\d\d)(?:[Tt ]{_TIME})?)?)?", re.ASCII)
_LONGEST_MONTH = 31
_MIDNIGHT_AFTER = 24


def updated_ms(text: str) -> float | None:
    """The first ``updatedAt:`` line of ``text`` in milliseconds since 1970.

    None without such a line; NaN when it is not an ISO 8601 date.
    """
    if "updatedAt:" not in text:
        return None
    found = _LINE.search(text)
    return _milliseconds(found.group(1)) if found else None


def redated(text: str, moment_ms: float) -> str:
    """``text`` with ``moment_ms`` (since 1970) as its first ``updatedAt``; as it is without one."""
    moment = datetime.fromtimestamp(moment_ms / 1000, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return _LINE.sub(lambda found: found[0].replace(found[1], moment, 1), text, count=1)


def _milliseconds(date: str) -> float:
    found = _DATE.fullmatch(date)
    if not found:
        return math.nan
    year, month, day, hour, minute, second, fraction, zone = found.groups()
    days, hours = int(day or 1), int(hour or 0)
    past_midnight = hours == _MIDNIGHT_AFTER and not int(minute) and not int(second or 0)
    if not 1 <= days <= _LONGEST_MONTH:
        return math.nan
    try:
        # The 30th of February is the 2nd of March; 24:00 is the next day.
        moment = datetime(int(year), int(month or 1), 1, 0 if past_midnight else hours, int(minute or 0))
        moment = moment.replace(second=int(second or 0), tzinfo=UTC) + timedelta(days=days - 1 + past_midnight)
        moment -= timedelta(minutes=_offset(moment, hour, zone))
        return moment.timestamp() * 1000 + int((fraction or "0")[:3].ljust(3, "0"))
    except (ValueError, OverflowError, OSError):
        return math.nan


def _offset(moment: datetime, hour: str | None, zone: str | None) -> float:
    """The offset from UTC, in minutes, of the clock by which ``moment`` was written."""
    if hour is None or zone in ("Z", "z"):
        return 0
    if zone is None:
        local = moment.replace(tzinfo=None).astimezone().utcoffset()
        return local / timedelta(minutes=1) if local else 0
    minutes = int(zone[1:3]) * 60 + int(zone[-2:])
    return -minutes if zone.startswith("-") else minutes
