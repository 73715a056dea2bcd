"""The YAML block at the start of a note (``docs/engine.md``, "Notes on disk")."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import yaml

_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_BLOCK = re.compile(r"\A---\r?\n(.*?)^---\r?\n", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Frontmatter:
    """``fields`` of the block (empty when there is none or it is broken), where the body begins, and what is wrong."""

    fields: dict[str, Any]
    body_start: int
    problem: str = ""


def block_of(text: str) -> str:
    """The YAML between the fences, unparsed; empty when the text does not begin with a block."""
    found = _BLOCK.match(text) if text.startswith("---") else None
    return found.group(1) if found else ""


def parse(text: str) -> Frontmatter:
    """The frontmatter of ``text``. A block that is not a YAML mapping means none, never an error."""
    found = _BLOCK.match(text) if text.startswith("---") else None
    if not found:
        return Frontmatter({}, 0)
    try:
        fields = yaml.load(found.group(1), Loader=_Loader)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        line = str(error).splitlines()
        return Frontmatter({}, 0, line[0] if line else "not YAML")
    if not isinstance(fields, dict):
        return Frontmatter({}, 0, "not a mapping")
    return Frontmatter({str(key): value for key, value in fields.items()}, found.end())
