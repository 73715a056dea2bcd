"""The markup that V4's migration writes: elements with nothing between them."""

from __future__ import annotations

from collections.abc import Mapping

from brvtui.tree.reading.whitespace import trim


def element(tag: str, text: str, attributes: Mapping[str, str] | None = None) -> str:
    """The element ``tag`` around ``text``, escaped and trimmed; nothing when that leaves nothing."""
    inner = escaped(trim(text))
    return f"<{tag}{written(attributes or {})}>{inner}</{tag}>" if inner else ""


def written(attributes: Mapping[str, str]) -> str:
    """``attributes`` as they stand in a tag; empty ones are left out."""
    made = ((name, escaped(value).replace('"', "&quot;")) for name, value in attributes.items())
    return "".join(f' {name}="{value}"' for name, value in made if value)


def escaped(text: str) -> str:
    """``text`` as it stands between tags."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
