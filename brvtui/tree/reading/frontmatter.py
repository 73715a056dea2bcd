"""Parses the YAML block at the start of a note (``docs/reference/byterover.md``, "Notes on disk")."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import yaml

_Base: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
BROKEN = (yaml.YAMLError, ValueError, TypeError, AttributeError, LookupError, ArithmeticError, RecursionError)
"""The exceptions that parsing a block can raise. PyYAML raises most of them if a tag does not fit its value."""
_DOCUMENT_END = re.compile(r"^\.\.\.", re.MULTILINE)
# libyaml recurses at every level of nesting, and aliases multiply the nodes that they repeat. These limits keep a
# hostile note from crashing or blocking the program.
_LONGEST = 65_536
_TOO_LARGE = "longer or more deeply nested than frontmatter may be"
_NESTING = re.compile(r"[\[{]|[-?:] ")
_MOST_NESTING = 1_000
_MOST_NODES = 50_000
"""The maximum number of nodes. Even the longest block has fewer, unless its aliases multiply them."""
_DEEPEST = 100
"""The maximum nesting depth. Recursive code can safely walk values of this depth."""
_MOST_DIGITS = 3_000
"""The maximum length of an integer in any base. Python refuses to print more than 4,300 decimal digits."""
_ALIAS_SIGN = "*"
_CHANGED_BY_READING = re.compile("<<|=")
"""A part of each block whose nodes PyYAML changes when it reads their values."""
_STRING = "tag:yaml.org,2002:str"
_PROPERTIES = ("&", "!")
_ON_ONE_LINE = frozenset({None, "", "'", '"'})
_BLOCK = re.compile(r"\A---\r?\n(.*?)^---\r?\n", re.DOTALL | re.MULTILINE)


class _Loader(_Base):  # type: ignore[misc]  # its base is chosen above
    """A loader that refuses integers that are too long to be written again."""

    def construct_yaml_int(self, node: Any) -> Any:
        """Returns the integer in ``node``. Raises ValueError if it is too long."""
        if len(node.value) > _MOST_DIGITS:
            raise ValueError("a number longer than frontmatter may contain")
        return super().construct_yaml_int(node)


_Loader.add_constructor("tag:yaml.org,2002:int", _Loader.construct_yaml_int)


@dataclass(frozen=True, slots=True)
class Frontmatter:
    """The fields of the block (empty if it is missing or broken), the offset where the body starts, and the problem."""

    fields: dict[str, Any]
    body_start: int
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Scalar:
    """A string in the frontmatter: its value, its start and end in the note (including quotes), and its quote."""

    value: str
    start: int
    end: int
    quote: str
    """The quote around the string: ``'``, ``"`` or empty."""
    in_flow: bool
    """True if the string is an item of an inline list."""


def block_span(text: str) -> tuple[int, int] | None:
    """Returns the start and end of the YAML between the fences; None if the text does not begin with a block."""
    found = _BLOCK.match(text) if text.startswith("---") else None
    return found.span(1) if found else None


def block_of(text: str) -> str:
    """Returns the unparsed YAML between the fences; empty if the text does not begin with a block."""
    span = block_span(text)
    return text[slice(*span)] if span else ""


def parse(text: str) -> Frontmatter:
    """Parses the frontmatter of ``text``. Invalid YAML gives a ``problem`` and no fields. Never raises."""
    found = _BLOCK.match(text) if text.startswith("---") else None
    if not found:
        return Frontmatter({}, 0)
    try:
        fields = _mapping(found.group(1))
    except BROKEN as error:
        line = str(error).splitlines()
        return Frontmatter({}, 0, line[0] if line else "not YAML")
    if not isinstance(fields, dict):
        return Frontmatter({}, 0, "not a mapping")
    return Frontmatter({str(key): value for key, value in fields.items()}, found.end())


def scalars_under(text: str, key: str) -> tuple[Scalar, ...]:
    """Returns the strings in the list under ``key`` in the frontmatter, or the single string, with their positions.

    Returns an empty tuple if the key is missing or the frontmatter is not a mapping. Leaves out strings that span
    lines, have an anchor or a tag, or come from an alias.
    """
    found = _BLOCK.match(text) if text.startswith("---") else None
    if not found or key not in found.group(1):
        return ()
    try:
        with reading(found.group(1)) as (_, node):
            _check_keys(node)
    except BROKEN:
        return ()
    pairs = node.value if isinstance(node, yaml.MappingNode) else []
    under: Any = next((value for name, value in pairs if name.value == key), None)
    entries = under.value if isinstance(under, yaml.SequenceNode) else [under]
    in_flow = isinstance(under, yaml.SequenceNode) and bool(under.flow_style)
    scalars: dict[int, Scalar] = {}
    for entry in entries:
        if not isinstance(entry, yaml.ScalarNode) or entry.tag != _STRING or entry.style not in _ON_ONE_LINE:
            continue
        start, end = found.start(1) + entry.start_mark.index, found.start(1) + entry.end_mark.index
        is_inside = under.start_mark.index <= entry.start_mark.index and entry.end_mark.index <= under.end_mark.index
        if is_inside and entry.start_mark.line == entry.end_mark.line and text[start : start + 1] not in _PROPERTIES:
            scalars[start] = Scalar(entry.value, start, end, entry.style or "", in_flow)
    return tuple(scalars.values())


def _mapping(block: str) -> Any:
    with reading(block) as (loader, node):
        _check_keys(node)
        return None if node is None else loader.construct_document(node)


def text_of(value: Any) -> str:
    """Returns ``value`` without surrounding white space if it is a string; otherwise an empty string."""
    return value.strip() if isinstance(value, str) else ""


def texts_of(value: Any) -> list[str]:
    """Returns the strings and numbers in a field's value, which may be a list, as strings. Leaves out blank ones."""
    values = value if isinstance(value, list) else [value]
    return [str(item).strip() for item in values if isinstance(item, (str, int, float)) and str(item).strip()]


@contextmanager
def reading(block: str) -> Iterator[tuple[Any, Any]]:
    """Yields a YAML loader for ``block``, and the block's root node (None if the block is empty).

    Raises ValueError if the block exceeds the limits on frontmatter: if it is too long or too deep, if an alias refers
    to a value that contains the alias, or if aliases multiply the nodes. Code that walks such values might never end.
    """
    loader = _Loader("")
    try:
        yield loader, _root.__wrapped__(block) if _CHANGED_BY_READING.search(block) else _root(block)
    finally:
        loader.dispose()


@lru_cache(maxsize=2)
def _root(block: str) -> Any:
    nesting = 0 if len(block) > _LONGEST else len(_NESTING.findall(block))
    if len(block) > _LONGEST or nesting > _MOST_NESTING:
        raise ValueError(_TOO_LARGE)
    if _DOCUMENT_END.search(block):
        raise ValueError("a document-end marker inside the block")
    loader = _Loader(block)
    try:
        root = loader.get_single_node()
    finally:
        loader.dispose()
    if _ALIAS_SIGN in block:  # without aliases, the length of the block limits the number of nodes
        _check_size(root)
    if nesting > _DEEPEST:
        _check_depth(root)
    return root


def _check_size(root: Any) -> None:
    """Raises ValueError if aliases make ``root`` too large or infinite."""
    sizes: dict[int, int] = {}  # the number of nodes in each collection; 0 while they are being counted
    pending = [root] if isinstance(root, yaml.CollectionNode) else []
    while pending:
        node = pending[-1]
        if sizes.get(id(node)):
            pending.pop()
            continue
        inner = _inner(node)
        below = [child for child in inner if isinstance(child, yaml.CollectionNode)]
        if id(node) not in sizes:
            sizes[id(node)] = 0
            if any(sizes.get(id(child)) == 0 for child in below):
                raise ValueError("an alias inside the value that it refers to")
            pending += [child for child in below if id(child) not in sizes]
            continue
        pending.pop()
        sizes[id(node)] = 1 + len(inner) - len(below) + sum(sizes[id(child)] for child in below)
        if sizes[id(node)] > _MOST_NODES:
            raise ValueError("aliases that expand to more than frontmatter may contain")


def _check_depth(root: Any) -> None:
    """Raises ValueError if collections are nested too deeply. The number of nodes is already limited."""
    level = [root] if isinstance(root, yaml.CollectionNode) else []
    for _ in range(_DEEPEST):
        level = [child for node in level for child in _inner(node) if isinstance(child, yaml.CollectionNode)]
    if level:
        raise ValueError(_TOO_LARGE)


def _inner(node: Any) -> list[Any]:
    """Returns the direct children of a collection, including its keys."""
    return [child for entry in node.value for child in (entry if isinstance(entry, tuple) else (entry,))]


def _check_keys(node: Any) -> None:
    """Raises ValueError if a key occurs twice in one mapping. The engine's own parser also rejects this."""
    if isinstance(node, yaml.MappingNode):
        keys = Counter(key.value for key, _ in node.value if isinstance(key, yaml.ScalarNode))
        twice = next((key for key, times in keys.items() if times > 1), None)
        if twice is not None:
            raise ValueError(f"the key {twice} occurs twice")
