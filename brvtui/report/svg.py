"""A report as SVG that loads nothing from elsewhere."""

from __future__ import annotations

import io
import re

from rich.console import Console, RenderableType

WIDTH = 110
"""The columns of the picture."""
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
# Rich's own template loads fonts from another host; this one names fonts of the reader's machine.
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
    """``text`` with a placeholder for each character that XML cannot hold."""
    return _NOT_XML.sub("\ufffd", text)


def svg_report(report: RenderableType, title: str) -> str:
    """``report`` as an SVG document of :data:`WIDTH` columns under ``title``."""
    console = Console(
        record=True, file=io.StringIO(), width=WIDTH, color_system="truecolor", force_terminal=True, no_color=False,
        highlight=False, markup=False, emoji=False, legacy_windows=False,
    )  # fmt: skip
    console.print(report)
    return xml_text(console.export_svg(title=title, code_format=_TEMPLATE))
