"""Converts lines to rich output for terminals and pictures. The role of a text determines its rich style."""

from __future__ import annotations

import io
import re
from collections.abc import Iterable
from functools import cache
from zlib import adler32

from rich.console import Console, Group, RenderableType
from rich.style import Style
from rich.text import Text

from brvtui.paint.line import Line
from brvtui.text.visible import visible

# Converts a report to an SVG that loads nothing from other hosts.


WIDTH = 110
"""The width of the picture in columns."""
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
# Rich's own template loads fonts from another host. This template names fonts that are on the reader's machine.
_TEMPLATE = """\
<svg class="rich-terminal" viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg">
<style>
.{unique_id}-matrix {{
    font-family: "Fira Code", "DejaVu Sans Mono", Menlo, Consolas, monospace;
    font-size: {char_height}px;
    line-height: {line_height}px;
    font-variant-east-asian: full-width;
}}
.{unique_id}-title {{ font-size: 18px; font-weight: bold; font-family: sans-serif; }}
{styles}
</style>
<defs>
<clipPath id="{unique_id}-clip-terminal">
<rect x="0" y="0" width="{terminal_width}" height="{terminal_height}" />
</clipPath>
{lines}
</defs>
{chrome}
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}
<g class="{unique_id}-matrix">
{matrix}
</g>
</g>
</svg>
"""


def xml_text(text: str) -> str:
    """Returns ``text`` with a placeholder for each character that XML does not allow."""
    return _NOT_XML.sub("\ufffd", text)


def svg_report(report: RenderableType, title: str) -> str:
    """Returns ``report`` as an SVG document with :data:`WIDTH` columns and the given ``title``."""
    console = Console(
        record=True, file=io.StringIO(), width=WIDTH, color_system="truecolor", force_terminal=True, no_color=False,
        highlight=False, markup=False, emoji=False, legacy_windows=False,
    )  # fmt: skip
    console.print(report)
    name = f"report-{adler32(console.export_text(clear=False).encode('utf-8', 'replace'))}"  # Rich's own takes seconds
    return xml_text(console.export_svg(title=title, code_format=_TEMPLATE, unique_id=name))


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
"""The style of each role in the terminal's own colours. Badges are reversed. Roles not listed here have no style."""


def rich_lines(lines: Iterable[Line]) -> RenderableType:
    """Returns ``lines`` for a rich console."""
    return Group(*(_text(line) for line in lines))


def plain_lines(lines: Iterable[Line]) -> str:
    """Returns ``lines`` as text, without spaces at the ends of lines."""
    return "\n".join(visible(line.plain.rstrip()) for line in lines)


def _text(line: Line) -> Text:
    spans = list(line.spans)
    while spans and not spans[-1][0].strip():
        spans.pop()
    result = Text(no_wrap=True, overflow="ignore")
    for place, (text, role) in enumerate(spans):
        shown = visible(text)
        result.append(shown.rstrip() if place == len(spans) - 1 else shown, _style(role))
    return result


@cache
def _style(role: str) -> Style:
    words = role.split(" ")
    if "on" in words:
        return Style.parse("bold reverse")
    return Style.combine([Style.parse(_STYLES[word]) for word in words if word in _STYLES] or [Style()])
