"""The app's own themes, dark and light, and the styles that roles of text take from them."""

from __future__ import annotations

from collections.abc import Mapping

from rich.color import Color
from rich.style import Style
from textual.theme import Theme

PREFIX = "brv-"

_DARK = {
    "text": "#d5dae3",
    "strong": "#f2f5fa",
    "muted": "#929cae",
    "faint": "#828c9f",
    "accent": "#7cb7ff",
    "ok": "#8fcf7f",
    "warn": "#e8b45a",
    "bad": "#ff8088",
    "taken": "#7cb7ff",
    "draft": "#e8b45a",
    "validated": "#6cc8e8",
    "core": "#8fcf7f",
    "summary": "#c2a6f5",
    "stub": "#929cae",
    "relevance": "#5b9bf0",
    "importance": "#b493f2",
    "recency": "#45c1c4",
    "local": "#8fcf7f",
    "maturity": "#e8b45a",
    "propagated": "#c2a6f5",
    "named": "#e8b45a",
    "other": "#929cae",
    "lost": "#e0707a",
    "tier-0": "#8fcf7f",
    "tier-1": "#6fd0b0",
    "tier-2": "#6cc8e8",
    "tier-3": "#e8b45a",
    "tier-4": "#ff9a76",
    "tier-none": "#c2a6f5",
    "bar": "#4f86cc",
    "badge-text": "#11141a",
    "cursor": "#263145",
    "cursor-idle": "#1f2634",
    "match": "#f5d98f",
    "match-ground": "#3d3420",
    "edge": "#39424f",
    "edge-focus": "#7cb7ff",
}

_LIGHT = {
    "text": "#262b33",
    "strong": "#0b0e13",
    "muted": "#565e6b",
    "faint": "#5f6773",
    "accent": "#1a5fb4",
    "ok": "#2d6b2a",
    "warn": "#855200",
    "bad": "#b3202c",
    "taken": "#1a5fb4",
    "draft": "#855200",
    "validated": "#0a6480",
    "core": "#2d6b2a",
    "summary": "#6a3fa8",
    "stub": "#565e6b",
    "relevance": "#2963b5",
    "importance": "#7a4bb8",
    "recency": "#0b7075",
    "local": "#2d6b2a",
    "maturity": "#855200",
    "propagated": "#6a3fa8",
    "named": "#855200",
    "other": "#565e6b",
    "lost": "#b3202c",
    "tier-0": "#2d6b2a",
    "tier-1": "#1c6b55",
    "tier-2": "#0a6480",
    "tier-3": "#855200",
    "tier-4": "#a8401a",
    "tier-none": "#6a3fa8",
    "bar": "#4a7fc9",
    "badge-text": "#ffffff",
    "cursor": "#d9e4f5",
    "cursor-idle": "#ebe9e2",
    "match": "#5c3d00",
    "match-ground": "#f7e6b5",
    "edge": "#c9c5ba",
    "edge-focus": "#1a5fb4",
}


def _theme(name: str, dark: bool, ground: str, surface: str, panel: str, colours: Mapping[str, str]) -> Theme:
    own = {f"{PREFIX}{role}": colour for role, colour in colours.items()}
    return Theme(
        name=name,
        primary=colours["accent"],
        secondary=colours["summary"],
        accent=colours["accent"],
        warning=colours["warn"],
        error=colours["bad"],
        success=colours["ok"],
        foreground=colours["text"],
        background=ground,
        surface=surface,
        panel=panel,
        dark=dark,
        variables={
            **own,
            "block-cursor-foreground": colours["badge-text"],
            "input-cursor-background": colours["accent"],
            "input-cursor-foreground": colours["badge-text"],
            "input-selection-background": colours["cursor"],
        },
    )


DARK = _theme("brv-dark", True, "#11141a", "#161a22", "#1c222d", _DARK)
LIGHT = _theme("brv-light", False, "#fbfaf7", "#f4f2ec", "#ebe9e2", _LIGHT)
THEMES = (DARK, LIGHT)
DEFAULTS = {f"{PREFIX}{role}": colour for role, colour in _DARK.items()}

_ATTRIBUTES = frozenset({"bold", "italic", "underline", "reverse", "dim", "strike"})


class Palette:
    """The styles of one theme by role: ``muted``, ``bold accent``, ``badge on tier-3``."""

    def __init__(self, variables: Mapping[str, str]) -> None:
        """A palette over the theme's variables; roles that a theme lacks come from the dark theme."""
        self._colours = {name: variables.get(f"{PREFIX}{name}", colour) for name, colour in _DARK.items()}
        self._styles: dict[str, Style] = {}

    def style(self, role: str) -> Style:
        """The style of ``role``. Raises KeyError for a colour that no theme has."""
        known = self._styles.get(role)
        if known is None:
            known = self._styles[role] = self._made(role)
        return known

    def _made(self, role: str) -> Style:
        front, _, ground = role.partition("on ")
        attributes: dict[str, bool] = {}
        colour: str | None = None
        for word in front.split():
            if word in _ATTRIBUTES:
                attributes[word] = True
            else:
                colour = self._colours[word]
        return Style(
            color=Color.parse(colour) if colour else None,
            bgcolor=Color.parse(self._colours[ground.strip()]) if ground.strip() else None,
            bold=attributes.get("bold"),
            italic=attributes.get("italic"),
            underline=attributes.get("underline"),
            reverse=attributes.get("reverse"),
            dim=attributes.get("dim"),
            strike=attributes.get("strike"),
        )
