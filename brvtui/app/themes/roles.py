"""The roles that text and grounds are painted in, and the tables of a theme file that hold their colours."""

from __future__ import annotations

from collections.abc import Mapping

from textual.theme import Theme

PREFIX = "brv-"
"""What a role's variable begins with in stylesheets."""

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
"""Role by table and key."""

ROLES: tuple[str, ...] = tuple(role for table in TABLES.values() for role in table.values())
"""Every role."""

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
"""Roles of text that stands on any of a theme's grounds."""
ON_CURSOR = ("text", "strong", "muted", "draft", "validated", "core", "summary", "stub", "warn")
"""Roles of text that stands on the cursor's line too."""
BADGES = ("tier-0", "tier-1", "tier-2", "tier-3", "tier-4", "tier-none", "accent", "bad", "warn", "ok")
"""Roles that ``badge-text`` stands on."""


def own_roles(theme: Theme) -> dict[str, str]:
    """The colours of the roles that ``theme`` sets itself."""
    return {role: theme.variables[f"{PREFIX}{role}"] for role in ROLES if f"{PREFIX}{role}" in theme.variables}
