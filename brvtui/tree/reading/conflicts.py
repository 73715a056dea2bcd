"""The marks that git, or a merge of our own, leaves around two versions of a text that are to be decided between."""

from __future__ import annotations

import re
from collections.abc import Iterator

from brvtui.tree.reading.links import lines_of

_MARKS = re.compile(r"^(?:<{7}|>{7}) .*$", re.MULTILINE)


def conflict_marks(text: str) -> Iterator[int]:
    """Yields the place of each mark at which one of the two versions begins or ends."""
    return (found.start() for found in _MARKS.finditer(text))


def has_conflict(text: str) -> bool:
    """Whether both marks stand in ``text``, the one that begins a conflict first."""
    begun = text.find("<<<<<<< ")  # most texts have none: a search is far cheaper than an expression
    return begun >= 0 and text.find(">>>>>>> ", begun) >= 0 and len([*conflict_marks(text)]) > 1


def with_marks_as_text(text: str) -> str:
    """``text``, in which the marks of a conflict are paragraphs of their own: no markdown takes them for quotes.

    In blocks of code they are text as it is.
    """
    if not has_conflict(text):
        return text
    made, inside = [], False
    for line, is_code in lines_of(text):
        is_mark = _MARKS.match(line) is not None
        inside = line.startswith("<") if is_mark else inside
        is_middle = inside and (line.rstrip("\r\n") == "=======" or line.startswith("||||||| "))
        made.append(f"\n\\{line}\n" if (is_mark or is_middle) and not is_code else line)
    return "".join(made)
