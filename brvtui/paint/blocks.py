"""Blocks: the contents of a section of a trace. Panes, reports and fences in Markdown show them as lines."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from brvtui.paint.glyphs import Glyphs
from brvtui.paint.line import Line, joined, line, lit, rule
from brvtui.paint.steps import Outlook, stage_line, step_lines
from brvtui.paint.text import wrap
from brvtui.text.visible import visible
from brvtui.trace import Stage, Step

_MOST_LINES = 1500
_MOST_TERMS = 200
HIGHLIGHT = "bold underline match on match-ground"
"""The role of a term of the query."""
Mark = re.Pattern[str] | None


@dataclass(frozen=True, slots=True)
class Rule:
    """A ruled line with a label."""

    label: str


@dataclass(frozen=True, slots=True)
class Text:
    """A paragraph in one role, with the prefix ``before``.

    It has at most ``limit`` lines (None: any number). ``after`` is the width of the margin on the right, in cells.
    """

    text: str
    role: str = "text"
    before: str | Line = " "
    after: int = 1
    limit: int | None = None


@dataclass(frozen=True, slots=True)
class Marked:
    """A long text that keeps its original layout, with ``words`` highlighted."""

    text: str
    words: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Ends:
    """Two lines on one row: one at the left edge, the other at the right."""

    left: Line
    right: Line


@dataclass(frozen=True, slots=True)
class CheckedStep:
    """A step of a decision with its checks. ``outlook`` contains the step's name."""

    step: Step
    outlook: Outlook


Block = Line | Rule | Text | Marked | Ends | CheckedStep | Stage
Blocks = Iterable[Block]


class Titled(NamedTuple):
    """A section with its title and blocks. ``text`` is the text for copying."""

    title: str
    blocks: Blocks
    text: str = ""


def lines_of(blocks: Blocks, width: int, glyphs: Glyphs) -> list[Line]:
    """Returns ``blocks`` as lines of at most ``width`` cells. Leaves out blocks that follow a very long text."""
    lines: list[Line] = []
    for block in blocks:
        lines += _lines(block, width, glyphs)
        if isinstance(block, Marked) and len(lines) > _MOST_LINES:
            break
    return lines


def _lines(block: Block, width: int, glyphs: Glyphs) -> Iterable[Line]:
    match block:
        case Rule():
            return [rule(width, block.label, dash=glyphs.dash)]
        case Text():
            return _wrapped(block, width)
        case Marked():
            return paragraphs(block.text, width, marker(block.words))
        case Ends():
            return [Line(list(block.left.spans), block.left.ground).right(width, block.right)]
        case CheckedStep():
            return step_lines(block.step, block.outlook, width, glyphs)
        case Stage():
            return [stage_line(block, width)]
        case _:
            return [Line(list(block.spans), block.ground).cut(width)]


def _wrapped(block: Text, width: int) -> Iterator[Line]:
    """Yields the lines of a paragraph, with all lines after the first indented."""
    before = block.before if isinstance(block.before, Line) else Line([(block.before, block.role)])
    spans = before.spans
    for part in wrap(block.text, width - before.width - block.after)[: block.limit]:
        own = [*spans, (visible(part), block.role)]
        yield Line(own if before is block.before else joined(own)).cut(width)
        spans = [(" " * before.width, block.role)]


def marker(words: Sequence[str]) -> Mark:
    """Returns a pattern that matches ``words`` as whole words; None if there are none."""
    if not words:
        return None
    longest = sorted(set(words[:_MOST_TERMS]), key=len, reverse=True)
    return re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, longest))})(?!\w)", re.IGNORECASE)


def paragraphs(text: str, width: int, mark: Mark) -> list[Line]:
    """Wraps ``text`` to ``width`` cells, and highlights terms and headings.

    A text that is too long is cut. Its last line contains the number of lines that are left.
    """
    lines: list[Line] = []
    source = text.split("\n")
    for number, paragraph in enumerate(source):
        clean = visible(paragraph.rstrip("\r"))
        role = "bold strong" if clean.startswith("#") else "muted" if clean.startswith(("---", "```")) else "text"
        own = mark if mark is not None and mark.search(clean) else None  # most paragraphs contain none of the words
        for part in wrap(clean, width - 1):
            spans = [(part, role)] if own is None else lit([(part, role)], own, HIGHLIGHT)
            lines.append(Line([(" ", "text"), *spans]))
        if len(lines) > _MOST_LINES:
            lines.append(line(f" … {len(source) - number - 1} more lines", "muted"))
            break
    return lines
