"""A note's text as the engine reads it, and the reasons why the engine skips files.

See ``docs/reference/byterover.md``, "Reading".
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from brvtui.regular_files import read_regular
from brvtui.tree.constants import ReadingLimits
from brvtui.tree.reading.javascript import SPACE, trim

# Finds the ``updatedAt`` of a note as the engine does when it searches for archive candidates.
#
# It is a line of the text, inside or outside the frontmatter, and is parsed as JavaScript parses dates: a date alone is
# in UTC, and a time without a zone is local (``docs/reference/byterover.md``, "What is archived").


_BREAK = "\n\r\u2028\u2029"
_SPACE = f"[{SPACE}]*"
_LINE = re.compile(f"(?:\\A|(?<=[{_BREAK}]))updatedAt:{_SPACE}['\"]?([^{_BREAK}]+?)['\"]?{_SPACE}(?=\\Z|[{_BREAK}])")
_TIME = r"(\d\d):(\d\d)(?::(\d\d)(?:\.(\d+))?)?(Z|z|[+-]\d\d:?\d\d)?"
_DATE = re.compile(rf"(\d{{4}})(?:-(\d\d)(?:-(\d\d)(?:[Tt ]{_TIME})?)?)?", re.ASCII)
_LONGEST_MONTH = 31
_MIDNIGHT_AFTER = 24


def updated_ms(text: str) -> float | None:
    """The time in the first ``updatedAt:`` line of ``text``, in milliseconds since 1970.

    None if there is no such line; NaN if it is not an ISO 8601 date.
    """
    if "updatedAt:" not in text:
        return None
    found = _LINE.search(text)
    return _milliseconds(found.group(1)) if found else None


def redated(text: str, moment_ms: float) -> str:
    """Sets the first ``updatedAt`` in ``text`` to ``moment_ms`` (milliseconds since 1970), and returns the new text.

    Returns ``text`` unchanged if there is no ``updatedAt``.
    """
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
        # As in JavaScript, 30 February means 2 March, and 24:00 means midnight of the next day.
        moment = datetime(int(year), int(month or 1), 1, 0 if past_midnight else hours, int(minute or 0))
        moment = moment.replace(second=int(second or 0), tzinfo=UTC) + timedelta(days=days - 1 + past_midnight)
        moment -= timedelta(minutes=_offset(moment, hour, zone))
        return moment.timestamp() * 1000 + int((fraction or "0")[:3].ljust(3, "0"))
    except (ValueError, OverflowError, OSError):
        return math.nan


def _offset(moment: datetime, hour: str | None, zone: str | None) -> float:
    """Returns the offset of the time zone in ``moment`` from UTC, in minutes."""
    if hour is None or zone in ("Z", "z"):
        return 0
    if zone is None:
        local = moment.replace(tzinfo=None).astimezone().utcoffset()
        return local / timedelta(minutes=1) if local else 0
    minutes = int(zone[1:3]) * 60 + int(zone[-2:])
    return -minutes if zone.startswith("-") else minutes


_LINE_BREAK = "\n\r\u2028\u2029"
_HEADING = re.compile(f"(?:\\A|(?<=[{_LINE_BREAK}]))# ([^{_LINE_BREAK}]+)")
_CONTROL = bytes([*range(0x01, 0x09), *range(0x0E, 0x20)])
_MOST_UNITS = 2  # UTF-16 units per character
_REPLACEMENT = "\ufffd"


class Unseen(Exception):
    """Raised if the engine skips a file. The message is the reason in a few words."""


@dataclass(frozen=True, slots=True)
class CutText:
    """A note's text after the engine's cuts, with the numbers of omitted lines and of shortened lines."""

    text: str
    cut_lines: int
    cut_units: int


def read_note(path: Path, size: int, limits: ReadingLimits) -> CutText:
    """Returns the text of the file at ``path`` as the engine would index it.

    Raises :class:`Unseen` if the engine skips the file, and OSError if it cannot be read.
    """
    if size > limits.max_file_bytes:
        raise Unseen(_too_large(limits))
    return read_bytes(read_regular(path, limits.max_file_bytes), limits)


def read_bytes(data: bytes, limits: ReadingLimits) -> CutText:
    """Returns the text of a file with the bytes ``data``, as the engine would index it.

    Raises :class:`Unseen` if the engine skips such a file.
    """
    if len(data) > limits.max_file_bytes:
        raise Unseen(_too_large(limits))
    check_readable(data, limits)
    return cut(data.decode("utf-8", "replace"), limits)


def _too_large(limits: ReadingLimits) -> str:
    return f"larger than {limits.max_file_bytes / 1_048_576:g} MB"


def check_readable(data: bytes, limits: ReadingLimits) -> None:
    """Raises :class:`Unseen` if the engine treats ``data`` as binary."""
    head = data[: limits.probe_bytes]
    if b"\0" in head:
        raise Unseen(f"a NUL byte in the first {limits.probe_bytes} bytes")
    try:
        text = head.decode("utf-8")
    except UnicodeDecodeError as error:
        if len(data) > limits.probe_bytes and error.end == len(head) and error.reason == "unexpected end of data":
            raise Unseen(f"byte {limits.probe_bytes} cuts a character: the engine treats the file as binary") from None
        raise Unseen(f"not UTF-8 (byte {error.start})") from None
    if _REPLACEMENT in text:
        raise Unseen(f"a U+FFFD in the first {limits.probe_bytes} bytes: the engine treats the file as binary")
    control = len(head) - len(head.translate(None, _CONTROL))
    if head and control / len(head) > limits.max_control_ratio:
        raise Unseen(f"over {limits.max_control_ratio:.0%} control characters")


def cut(text: str, limits: ReadingLimits) -> CutText:
    """Applies the engine's limits on the number of lines, and on UTF-16 units per line, to ``text``."""
    cut_lines = max(0, text.count("\n") + 1 - limits.max_lines)
    if not cut_lines and len(text) * _MOST_UNITS <= limits.max_line_units:
        return CutText(text, 0, 0)
    lines = text.split("\n", limits.max_lines)[: limits.max_lines]
    shortened = 0
    for number, line in enumerate(lines):
        if len(line) * _MOST_UNITS > limits.max_line_units and units(line) > limits.max_line_units:
            lines[number] = first_units(line, limits.max_line_units) + "..."
            shortened += 1
    if not cut_lines and not shortened:
        return CutText(text, 0, 0)
    return CutText("\n".join(lines), cut_lines, shortened)


def units(line: str) -> int:
    """Returns the length of ``line`` in UTF-16 units."""
    return len(line) if line.isascii() else len(line.encode("utf-16-le", "surrogatepass")) // 2


def first_units(line: str, units: int) -> str:
    """Returns the first ``units`` UTF-16 units of ``line``. If they split a character, a lone surrogate remains."""
    if line.isascii():
        return line[:units]
    return line.encode("utf-16-le", "surrogatepass")[: units * 2].decode("utf-16-le", "surrogatepass")


def title_span(text: str) -> tuple[int, int] | None:
    """The start and end of the first level-one heading's text; None if there is no such heading."""
    found = _HEADING.search(text)
    return found.span(1) if found else None


def title_of(text: str, file_name: str) -> str:
    """Returns the first level-one heading in ``text``, which may be blank. If there is none, returns the file name
    without ``.md``.
    """
    found = _HEADING.search(text)
    return trim(found.group(1)) if found else file_name.removesuffix(".md")
