"""The styles of text by role, made from a theme's colours."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.style import Style
from textual.color import Color
from textual.theme import Theme

# The roles of text and backgrounds, and the tables of a theme file with their colours.


PREFIX = "brv-"
"""The prefix of role variables in stylesheets."""

ROLE, MATURITY, TIER, SCORE = "role", "maturity", "tier", "score"

TABLES: Mapping[str, Mapping[str, str]] = {
    ROLE: {
        name: name
        for name in (
            "text", "strong", "muted", "faint", "accent", "ok", "warn", "bad", "taken", "summary", "stub", "bar",
            "badge-text", "cursor", "cursor-idle", "match", "match-ground", "edge", "edge-focus",
        )
    },
    MATURITY: {name: name for name in ("draft", "validated", "core")},
    TIER: {name: f"tier-{name}" for name in ("0", "1", "2", "3", "4", "none")},
    SCORE: {
        name: name
        for name in (
            "relevance", "importance", "recency", "local", "maturity", "propagated", "named", "other", "lost",
        )
    },
}  # fmt: skip
"""The roles by table and key."""

ROLES: tuple[str, ...] = tuple(role for table in TABLES.values() for role in table.values())
"""The names of all roles."""

ON_ANY_GROUND = frozenset(ROLES) - {
    "bar",
    "badge-text",
    "cursor",
    "cursor-idle",
    "match",
    "match-ground",
    "edge",
    "edge-focus",
}
"""The roles of text that can appear on any background of a theme."""
ON_CURSOR = ("text", "strong", "muted", "draft", "validated", "core", "summary", "stub", "warn")
"""The roles of text that can also appear in the cursor's line."""
BADGES = ("tier-0", "tier-1", "tier-2", "tier-3", "tier-4", "tier-none", "accent", "bad", "warn", "ok")
"""The roles that serve as backgrounds for ``badge-text``."""


def own_roles(theme: Theme) -> dict[str, str]:
    """Returns the colours of the roles that ``theme`` itself sets."""
    return {role: theme.variables[f"{PREFIX}{role}"] for role in ROLES if f"{PREFIX}{role}" in theme.variables}


_ATTRIBUTES = frozenset({"bold", "italic", "underline", "reverse", "dim", "strike"})
_FAINT = frozenset({"muted", "faint", "stub", "other"})
"""The roles that are dimmed in a plain palette."""
_MARKED_LESS = "cursor-idle"


class Palette:
    """Styles by role: ``muted``, ``bold accent``, ``badge-text on tier-3``.

    A ``plain`` palette is for the terminal's own colours, or for no colours. It shows backgrounds as reversed text,
    because the contrast of colours is unknown.
    """

    def __init__(self, colours: Mapping[str, str], plain: bool = False) -> None:
        """Creates a palette with the colours of all roles."""
        self._colours = {role: Color.parse(colour).rich_color for role, colour in colours.items()}
        self._plain = plain
        self._styles: dict[str, Style] = {}

    def style(self, role: str) -> Style:
        """Returns the style of ``role``. Raises KeyError for an unknown role."""
        style = self._styles.get(role)
        if style is None:
            style = self._styles[role] = self._computed_style(role)
        return style

    def on(self, role: str, ground: str) -> Style:
        """Returns the style of ``role`` on a line with the background role ``ground``; empty for no background."""
        style = self.style(role)
        if not ground:
            return style
        if not self._plain:
            return Style(bgcolor=self._colours[ground]) + style
        lit = Style(underline=True) if ground == _MARKED_LESS else Style(reverse=True)
        return Style(bold=style.bold, italic=style.italic, underline=style.underline, strike=style.strike) + lit

    def _computed_style(self, role: str) -> Style:
        front, _, ground = role.partition("on ")
        words = front.split()
        attributes: dict[str, Any] = {word: True for word in words if word in _ATTRIBUTES}
        colour = next((word for word in words if word not in _ATTRIBUTES), "")
        below = ground.strip()
        if self._plain:
            if below:
                return Style(color=self._colours[below], **{**attributes, "reverse": True})
            if colour in _FAINT:
                attributes["dim"] = True
        return Style(
            color=self._colours[colour] if colour else None,
            bgcolor=self._colours[below] if below else None,
            **attributes,
        )
