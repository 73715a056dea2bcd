"""Whether what has the focus takes letters as text."""

from __future__ import annotations

from textual.widget import Widget


def types_text(widget: Widget | None) -> bool:
    """Whether letters that are pressed while ``widget`` has the focus are text."""
    return widget is not None and widget.check_consume_key("a", "a")
