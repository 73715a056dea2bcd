"""Builds Markdown (CommonMark with tables). Every function escapes the text that it receives."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from brvtui.text.visible import visible

_ESCAPES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", **{mark: f"\\{mark}" for mark in "\\`*[]|~$#!@"}})
_SPECIAL = re.compile(r"_(?:(?<![^\W_]_)|(?![^\W_]))|:(?<=[A-Za-z]:)(?=//)|\.(?<=\b[wW]{3}\.)")
"""Characters to escape at some places only. Each alternative begins with the character, so that most text is skipped
quickly.
"""
_TAME = re.compile(r"[./ -]*\w[\w./ -]*", re.ASCII)
_FENCE = re.compile(r"`{3,}")
_LEAST_FENCE = 3


class Markdown(str):
    """Text that is already Markdown. All other text is escaped before it is written."""

    __slots__ = ()


def escaped(text: str) -> Markdown:
    """Returns ``text`` on one line, with its Markdown, HTML and links escaped."""
    if isinstance(text, Markdown):
        return text
    return Markdown(_SPECIAL.sub(lambda found: f"\\{found[0]}", visible(text).translate(_ESCAPES)).strip())


def path(text: str) -> Markdown:
    """Returns a path as code if it contains only plain characters; if not, as escaped text."""
    return Markdown(f"`{text}`") if _TAME.fullmatch(text) else escaped(text)


def bold(text: str) -> Markdown:
    """Returns ``text`` in bold."""
    shown = escaped(text)
    return Markdown(f"**{shown}**") if shown else shown


def fenced(text: str) -> Markdown:
    """Returns ``text`` as a fenced code block, with placeholders for control characters."""
    shown = visible(text, keep="\n")
    longest = max((len(run) for run in _FENCE.findall(shown)), default=0)
    fence = "`" * max(_LEAST_FENCE, longest + 1)
    return Markdown(f"{fence}text\n{shown}\n{fence}\n")


def heading(level: int, text: str) -> Markdown:
    """Returns ``text`` as a heading of the given ``level``, followed by an empty line."""
    return Markdown(f"{'#' * level} {escaped(text)}\n")


def paragraph(text: str) -> Markdown:
    """Returns ``text`` as a paragraph; empty if ``text`` is empty."""
    # A number, dash or plus sign at the beginning would start a list.
    shown = re.sub(r"^(\d+)([.)])|^([-+=])", r"\1\\\2\3", escaped(text))
    return Markdown(f"{shown}\n") if shown else Markdown()


def table(header: Sequence[str], rows: Iterable[Sequence[str]], right: Sequence[str] = ()) -> Markdown:
    """Returns a table, with the columns named in ``right`` aligned to the right; empty if there are no rows."""
    lines = [_row(row) for row in rows]
    if not lines:
        return Markdown()
    rule = "|".join(" ---: " if name in right else " --- " for name in header)
    return Markdown("\n".join([_row(header), f"|{rule}|", *lines]) + "\n")


def joined(blocks: Iterable[str]) -> str:
    """Joins ``blocks`` into a document, with an empty line between blocks. Leaves out empty blocks."""
    return "\n".join(block for block in blocks if block)


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(escaped(cell) for cell in cells)} |"
