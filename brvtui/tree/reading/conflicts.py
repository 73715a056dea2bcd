"""Conflict markers, which git and this tool's own merge put around the two versions of a text."""

from __future__ import annotations

import re
from collections.abc import Iterator

from brvtui.tree.reading.links import lines_of

_MARKS = re.compile(r"^(?:<{7}|>{7}) .*$", re.MULTILINE)


def conflict_marks(text: str) -> Iterator[int]:
    """Yields the offset of each marker that begins or ends a conflict."""
    return (found.start() for found in _MARKS.finditer(text))


def has_conflict(text: str) -> bool:
    """True if ``text`` contains a marker that begins a conflict and, after it, one that ends a conflict."""
    begun = text.find("<<<<<<< ")  # most texts have none, and find is far faster than a regular expression
    return begun >= 0 and text.find(">>>>>>> ", begun) >= 0 and len([*conflict_marks(text)]) > 1


def with_marks_as_text(text: str) -> str:
    """Returns ``text`` with each conflict marker in its own paragraph, so that Markdown does not read it as a quote.

    Markers in code blocks are unchanged.
    """
    if not has_conflict(text):
        return text
    lines, inside = [], False
    for line, is_code in lines_of(text):
        is_mark = _MARKS.match(line) is not None
        inside = line.startswith("<") if is_mark else inside
        is_middle = inside and (line.rstrip("\r\n") == "=======" or line.startswith("||||||| "))
        lines.append(f"\n\\{line}\n" if (is_mark or is_middle) and not is_code else line)
    return "".join(lines)
