"""Text of notes and queries as itself, for rich."""

from __future__ import annotations

from rich.text import Text

from brvtui.text.visible import visible


def plain(text: str, style: str = "") -> Text:
    """``text`` of a note or a query as itself: no markup, no escapes."""
    return Text(visible(text), style=style)
