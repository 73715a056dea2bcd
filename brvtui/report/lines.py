"""The lines that panes show, for a terminal and for pictures: roles become rich styles."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from rich.console import Group, RenderableType
from rich.style import Style
from rich.text import Text

from brvtui.paint.line import Line
from brvtui.text.visible import visible

_STYLES = {
    "muted": "dim",
    "faint": "dim",
    "accent": "cyan",
    "ok": "green",
    "taken": "bold green",
    "warn": "yellow",
    "bad": "red",
    "bar": "cyan",
    "tier-0": "green",
    "tier-1": "green",
    "tier-2": "cyan",
    "tier-3": "yellow",
    "tier-4": "magenta",
    "tier-none": "red",
    "bold": "bold",
    "underline": "underline",
    "strike": "strike",
}
"""Roles that a terminal's own colours can show; a badge is reversed, and other roles are plain."""


def rich_lines(lines: Iterable[Line]) -> RenderableType:
    """``lines`` for a rich console."""
    return Group(*(_text(line) for line in lines))


def plain_lines(lines: Iterable[Line]) -> str:
    """``lines`` as text, without blanks at the end of a line."""
    return "\n".join(visible(line.plain.rstrip()) for line in lines)


def _text(line: Line) -> Text:
    spans = list(line.spans)
    while spans and not spans[-1][0].strip():
        spans.pop()
    made = Text(no_wrap=True, overflow="ignore")
    for place, (text, role) in enumerate(spans):
        shown = visible(text)
        made.append(shown.rstrip() if place == len(spans) - 1 else shown, _style(role))
    return made


@cache
def _style(role: str) -> Style:
    words = role.split(" ")
    if "on" in words:
        return Style.parse("bold reverse")
    return Style.combine([Style.parse(_STYLES[word]) for word in words if word in _STYLES] or [Style()])
