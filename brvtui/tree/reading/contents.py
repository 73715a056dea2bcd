"""The text of a note as the engine reads it, and reasons why it skips a file (``docs/engine.md``, "Reading")."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from brvtui.regular_files import read_regular
from brvtui.tree.constants import ReadingLimits
from brvtui.tree.reading.whitespace import trim

_LINE_BREAK = "\n\r\u2028\u2029"
_HEADING = re.compile(f"(?:\\A|(?<=[{_LINE_BREAK}]))# ([^{_LINE_BREAK}]+)")
_CONTROL = bytes([*range(0x01, 0x09), *range(0x0E, 0x20)])
_MOST_UNITS = 2  # UTF-16 units of one character
_REPLACEMENT = "\ufffd"


class Unseen(Exception):
    """A file that the engine skips. The message is the reason in a few words."""


@dataclass(frozen=True, slots=True)
class CutText:
    """A note's text after the engine's cuts: without ``cut_lines`` lines, and with ``cut_units`` shortened lines."""

    text: str
    cut_lines: int
    cut_units: int


def read_note(path: Path, size: int, limits: ReadingLimits) -> CutText:
    """The text of the file at ``path`` as the engine would index it.

    Raises :class:`Unseen` when the engine skips the file, OSError when it cannot be read.
    """
    if size > limits.max_file_bytes:
        raise Unseen(_too_large(limits))
    return read_bytes(read_regular(path, limits.max_file_bytes), limits)


def read_bytes(data: bytes, limits: ReadingLimits) -> CutText:
    """The text of a file with ``data``, as the engine would index it. Raises :class:`Unseen` when it skips it."""
    if len(data) > limits.max_file_bytes:
        raise Unseen(_too_large(limits))
    check_readable(data, limits)
    return cut(data.decode("utf-8", "replace"), limits)


def _too_large(limits: ReadingLimits) -> str:
    return f"larger than {limits.max_file_bytes / 1_048_576:g} MB"


def check_readable(data: bytes, limits: ReadingLimits) -> None:
    """Raises :class:`Unseen` when the engine takes ``data`` for binary."""
    head = data[: limits.probe_bytes]
    if b"\0" in head:
        raise Unseen(f"a NUL byte in the first {limits.probe_bytes} bytes")
    try:
        text = head.decode("utf-8")
    except UnicodeDecodeError as error:
        if len(data) > limits.probe_bytes and error.end == len(head) and error.reason == "unexpected end of data":
            raise Unseen(f"a character is cut by byte {limits.probe_bytes}: the engine takes it for binary") from None
        raise Unseen(f"not UTF-8 (byte {error.start})") from None
    if _REPLACEMENT in text:
        raise Unseen(f"a U+FFFD in the first {limits.probe_bytes} bytes: the engine takes it for binary")
    control = len(head) - len(head.translate(None, _CONTROL))
    if head and control / len(head) > limits.max_control_ratio:
        raise Unseen(f"over {limits.max_control_ratio:.0%} control characters")


def cut(text: str, limits: ReadingLimits) -> CutText:
    """``text`` after the limits on lines and on UTF-16 units a line."""
    cut_lines = max(0, text.count("\n") + 1 - limits.max_lines)
    if not cut_lines and len(text) * _MOST_UNITS <= limits.max_line_units:
        return CutText(text, 0, 0)
    kept = text.split("\n", limits.max_lines)[: limits.max_lines]
    shortened = 0
    for number, line in enumerate(kept):
        if len(line) * _MOST_UNITS > limits.max_line_units and units(line) > limits.max_line_units:
            kept[number] = first_units(line, limits.max_line_units) + "..."
            shortened += 1
    if not cut_lines and not shortened:
        return CutText(text, 0, 0)
    return CutText("\n".join(kept), cut_lines, shortened)


def units(line: str) -> int:
    """The length of ``line`` in UTF-16 units."""
    return len(line) if line.isascii() else len(line.encode("utf-16-le", "surrogatepass")) // 2


def first_units(line: str, units: int) -> str:
    """The first ``units`` UTF-16 units of ``line``; a character that is cut in two leaves a lone surrogate."""
    if line.isascii():
        return line[:units]
    return line.encode("utf-16-le", "surrogatepass")[: units * 2].decode("utf-16-le", "surrogatepass")


def title_span(text: str) -> tuple[int, int] | None:
    """The start and end of the text of the first level-one heading; None without one."""
    found = _HEADING.search(text)
    return found.span(1) if found else None


def title_of(text: str, file_name: str) -> str:
    """The first level-one heading of ``text`` (it may be blank), else the file name without ``.md``."""
    found = _HEADING.search(text)
    return trim(found.group(1)) if found else file_name.removesuffix(".md")
