"""The roles of text and backgrounds, and the tables of a theme file with their colours."""

from __future__ import annotations

from collections.abc import Mapping

from textual.theme import Theme

PREFIX = "brv-"
"""The prefix of roles' variables in stylesheets."""

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
"""Roles by table and key."""

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
"""Roles of text that may have any background of a theme."""
ON_CURSOR = ("text", "strong", "muted", "draft", "validated", "core", "summary", "stub", "warn")
"""Roles of text that may be in the cursor's line too."""
BADGES = ("tier-0", "tier-1", "tier-2", "tier-3", "tier-4", "tier-none", "accent", "bad", "warn", "ok")
"""Roles that are the background of ``badge-text``."""


def own_roles(theme: Theme) -> dict[str, str]:
    """Returns the colours of the roles that ``theme`` itself sets."""
    return {role: theme.variables[f"{PREFIX}{role}"] for role in ROLES if f"{PREFIX}{role}" in theme.variables}
