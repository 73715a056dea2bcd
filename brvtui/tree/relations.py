"""Relations that notes name in their text (``docs/engine.md``, "Notes on disk")."""

from __future__ import annotations

import re

_RELATION = re.compile(r"@([\w-]+(?:/[\w-]+){2,3}(?:\.[A-Za-z0-9]+)?)", re.ASCII)


def relations(text: str) -> tuple[str, ...]:
    """The relations of ``text``, normalised, unique, in order of first use."""
    return tuple(dict.fromkeys(normalised(found) for found in _RELATION.findall(text)))


def normalised(relation: str) -> str:
    """``relation`` without ``@``, in lower case, spaces as ``_``, ending in ``.md``."""
    bare = relation.removeprefix("@").lower().replace(" ", "_")
    return bare if bare.endswith(".md") else f"{bare}.md"
