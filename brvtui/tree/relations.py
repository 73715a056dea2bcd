"""Relations that notes name in their text (``docs/engine.md``, "Notes on disk")."""

from __future__ import annotations

import re

RELATION = re.compile(r"@([\w-]+(?:/[\w-]+){2,3}(?:\.\w+)?)(?![\w/-])", re.ASCII)
"""A relation as it stands in a text; its path is the first group."""
_SPACE = re.compile(r"\s+")


def normalised(relation: str) -> str:
    """``relation`` without ``@``, in lower case, white space as ``_``, ending in ``.md``."""
    bare = relation.lstrip("@")
    return _SPACE.sub("_", (bare if bare.endswith(".md") else f"{bare}.md").lower())
