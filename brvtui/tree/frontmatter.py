"""The YAML block at the start of a note (``docs/engine.md``, "Notes on disk")."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import Any

import yaml

_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
# PyYAML lets these out for tags that do not fit their values.
_BROKEN = (yaml.YAMLError, ValueError, TypeError, AttributeError, LookupError, ArithmeticError, RecursionError)
_DOCUMENT_END = re.compile(r"^\.\.\.", re.MULTILINE)
# libyaml recurses for every level of nesting, and aliases multiply: a hostile note must not end the program.
_LONGEST = 65_536
_NESTING = re.compile(r"[\[{]|[-?:] ")
_MOST_NESTING = 1_000
_ALIAS = re.compile(r"(?:^|[\s\[{,])\*\w")
_MOST_ALIASES = 12
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
        fields = _mapping(found.group(1))
    except _BROKEN as error:
        line = str(error).splitlines()
        return Frontmatter({}, 0, line[0] if line else "not YAML")
    if not isinstance(fields, dict):
        return Frontmatter({}, 0, "not a mapping")
    return Frontmatter({str(key): value for key, value in fields.items()}, found.end())


def _mapping(block: str) -> Any:
    """The value of ``block``, as strict as the engine's own reader: one document, no key twice."""
    if _DOCUMENT_END.search(block):
        raise ValueError("a document end inside the block")
    if len(block) > _LONGEST or len(_NESTING.findall(block)) > _MOST_NESTING:
        raise ValueError("longer or deeper than frontmatter is")
    if len(_ALIAS.findall(block)) > _MOST_ALIASES:
        raise ValueError("more aliases than frontmatter has")
    loader = _Loader(block)
    try:
        node = loader.get_single_node()
        if node is None:
            return None
        if isinstance(node, yaml.MappingNode):
            keys = Counter(key.value for key, _ in node.value if isinstance(key, yaml.ScalarNode))
            twice = next((key for key, times in keys.items() if times > 1), None)
            if twice is not None:
                raise ValueError(f"the key {twice} stands twice")
        return loader.construct_document(node)
    finally:
        loader.dispose()
