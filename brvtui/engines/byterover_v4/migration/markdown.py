"""Markdown as V4's migration reads it: sections, labels, bullets, fences. Lines end at LF alone."""

from __future__ import annotations

import re
from dataclasses import dataclass

from brvtui.tree.reading.whitespace import SPACE, trim

LINE_ENDS = "\n\r\u2028\u2029"
"""What a line ends at for JavaScript's expressions."""

_BROKEN = re.compile(f"[{LINE_ENDS}]")
_FENCE = re.compile(r"\s*(`{3,}|~{3,})")
_BULLET = re.compile(rf"[{SPACE}]*(?:[-*+]|[0-9]+\.)[{SPACE}]+([^{LINE_ENDS}]*)")
_LABEL = re.compile(rf"[{SPACE}]*\*\*([^{LINE_ENDS}]+?):[{SPACE}]*\*\*[{SPACE}]*([^{LINE_ENDS}]*)")


@dataclass(frozen=True, slots=True)
class NoteSection:
    """The text below a heading."""

    heading: str
    text: str


def sections(text: str, mark: str) -> tuple[str, tuple[NoteSection, ...]]:
    """The text before the first heading of the level ``mark`` outside fences, and the sections from there on."""
    fence, parts = "", list[tuple[str, list[str]]]([("", [])])
    for line in text.split("\n"):
        fenced = _FENCE.match(line)
        if fenced and not fence:
            fence = fenced[1][:3]
        elif fenced and fenced[1].startswith(fence):
            fence = ""
        heading = _heading(line, mark) if not fence else None
        if heading:
            parts.append((heading, []))
        else:
            parts[-1][1].append(line)
    (_, first), *others = parts
    return "\n".join(first), tuple(NoteSection(heading, "\n".join(lines)) for heading, lines in others)


def title_of(text: str) -> str | None:
    """The text of the first ``# `` line of ``text`` that has one, be it only white space; None without such a line."""
    for line in text.split("\n"):
        heading = _heading(line, "#")
        if heading is not None and not _BROKEN.search(heading) and line[2:].strip(LINE_ENDS):
            return heading
    return None


def without_title(text: str) -> str:
    """``text`` without its first ``# `` line."""
    lines = text.split("\n")
    place = next((number for number, line in enumerate(lines) if _heading(line, "#") is not None), len(lines))
    return "\n".join(lines[:place] + lines[place + 1 :])


def _heading(line: str, mark: str) -> str | None:
    """The text of the heading ``line`` of the level ``mark``; None for a line that is none."""
    text = line.removeprefix(mark)
    return trim(text) if text != line and text[:1] and text[0] in SPACE else None


def bullets(text: str) -> tuple[tuple[str, ...], str]:
    """The bullets of ``text``, trimmed, and its stray text: the lines that are neither bullets nor blank."""
    items, stray = [], []
    for line in text.split("\n"):
        found = _BULLET.fullmatch(line)
        if found:
            items += [item] if (item := trim(found[1])) else []
        elif trim(line):
            stray.append(line)
    return tuple(items), trim("\n".join(stray))


def labels(text: str) -> tuple[str, tuple[NoteSection, ...]]:
    """The text before the first line ``**Label:**``, and what each label holds."""
    parts: list[tuple[str, list[str]]] = [("", [])]
    for line in text.split("\n"):
        found = _LABEL.fullmatch(line)
        if found:
            parts.append((trim(found[1]), [found[2]]))
        else:
            parts[-1][1].append(line)
    (_, first), *others = parts
    return "\n".join(first), tuple(NoteSection(label, "\n".join(lines)) for label, lines in others)


CLOSED_FENCE = re.compile(r"(```|~~~)([A-Za-z0-9_]*)\n(.*?)\1", re.DOTALL)
"""A fence, with its mark, its language and its text."""
