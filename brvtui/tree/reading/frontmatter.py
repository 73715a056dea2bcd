"""The YAML block at the start of a note (``docs/engine.md``, "Notes on disk")."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import yaml

_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
BROKEN = (yaml.YAMLError, ValueError, TypeError, AttributeError, LookupError, ArithmeticError, RecursionError)
"""What parsing a block can raise. PyYAML raises most of these for tags that do not fit their values."""
_DOCUMENT_END = re.compile(r"^\.\.\.", re.MULTILINE)
# libyaml recurses for every level of nesting, and aliases multiply what they repeat: a hostile note must not stop the
# program.
_LONGEST = 65_536
_NESTING = re.compile(r"[\[{]|[-?:] ")
_MOST_NESTING = 1_000
_MOST_NODES = 50_000
"""More than a block of the greatest length has, unless its aliases multiply them."""
_ALIAS_SIGN = "*"
_STRING = "tag:yaml.org,2002:str"
_PROPERTIES = ("&", "!")
_ON_ONE_LINE = frozenset({None, "", "'", '"'})
_BLOCK = re.compile(r"\A---\r?\n(.*?)^---\r?\n", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Frontmatter:
    """The fields of the block (empty when there is none or it is broken), the offset of the body, and the problem."""

    fields: dict[str, Any]
    body_start: int
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Scalar:
    """A string in the frontmatter: its value, its start and end in the note (with quotes), and its quote."""

    value: str
    start: int
    end: int
    quote: str
    """``'``, ``"`` or nothing."""
    in_flow: bool
    """Whether it is an item of an inline list."""


def block_span(text: str) -> tuple[int, int] | None:
    """The start and end of the YAML between the fences; None when the text does not begin with a block."""
    found = _BLOCK.match(text) if text.startswith("---") else None
    return found.span(1) if found else None


def block_of(text: str) -> str:
    """The YAML between the fences, unparsed; empty when the text does not begin with a block."""
    span = block_span(text)
    return text[slice(*span)] if span else ""


def parse(text: str) -> Frontmatter:
    """The frontmatter of ``text``. A block that is not a YAML mapping means none, never an error."""
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
    """The strings of the list (or the one string) under ``key`` in the frontmatter of ``text``, as they are written.

    Empty without such a key, and where the frontmatter is not a mapping. Leaves out strings of several lines, with an
    anchor or a tag, or behind an alias.
    """
    found = _BLOCK.match(text) if text.startswith("---") else None
    if not found or key not in found.group(1):
        return ()
    try:
        with reading(found.group(1)) as loader:
            node = _node(loader, found.group(1))
    except BROKEN:
        return ()
    pairs = node.value if isinstance(node, yaml.MappingNode) else []
    under: Any = next((value for name, value in pairs if name.value == key), None)
    entries = under.value if isinstance(under, yaml.SequenceNode) else [under]
    in_flow = isinstance(under, yaml.SequenceNode) and bool(under.flow_style)
    made: dict[int, Scalar] = {}
    for entry in entries:
        if not isinstance(entry, yaml.ScalarNode) or entry.tag != _STRING or entry.style not in _ON_ONE_LINE:
            continue
        start, end = found.start(1) + entry.start_mark.index, found.start(1) + entry.end_mark.index
        is_inside = under.start_mark.index <= entry.start_mark.index and entry.end_mark.index <= under.end_mark.index
        if is_inside and entry.start_mark.line == entry.end_mark.line and text[start : start + 1] not in _PROPERTIES:
            made[start] = Scalar(entry.value, start, end, entry.style or "", in_flow)
    return tuple(made.values())


def _mapping(block: str) -> Any:
    """The value of the YAML in ``block``."""
    with reading(block) as loader:
        node = _node(loader, block)
        return None if node is None else loader.construct_document(node)


@contextmanager
def reading(block: str) -> Iterator[Any]:
    """A YAML loader for ``block``. Raises ValueError for a block beyond the limits of frontmatter."""
    if len(block) > _LONGEST or len(_NESTING.findall(block)) > _MOST_NESTING:
        raise ValueError("longer or deeper than frontmatter is")
    if _DOCUMENT_END.search(block):
        raise ValueError("a document end inside the block")
    loader = _Loader(block)
    try:
        yield loader
    finally:
        loader.dispose()


def root_of(loader: Any, block: str) -> Any:
    """The root node of ``block``, which ``loader`` reads; None for an empty one.

    Raises ValueError for an alias inside the value that it repeats, and for aliases that multiply the nodes beyond what
    frontmatter has: whatever walks over the values would never end.
    """
    root = loader.get_single_node()
    if _ALIAS_SIGN not in block:
        return root  # every node stands once, so there are no more than the block is long
    sizes: dict[int, int] = {}  # of each collection with everything below it; 0 while it is being counted
    pending = [root] if isinstance(root, yaml.CollectionNode) else []
    while pending:
        node = pending[-1]
        if sizes.get(id(node)):
            pending.pop()
            continue
        inner = [child for entry in node.value for child in (entry if isinstance(entry, tuple) else (entry,))]
        below = [child for child in inner if isinstance(child, yaml.CollectionNode)]
        if id(node) not in sizes:
            sizes[id(node)] = 0
            if any(sizes.get(id(child)) == 0 for child in below):
                raise ValueError("an alias that leads back to what holds it")
            pending += [child for child in below if id(child) not in sizes]
            continue
        pending.pop()
        sizes[id(node)] = 1 + len(inner) - len(below) + sum(sizes[id(child)] for child in below)
        if sizes[id(node)] > _MOST_NODES:
            raise ValueError("aliases that multiply to more than frontmatter holds")
    return root


def _node(loader: Any, block: str) -> Any:
    """The root node, as strict as the engine's own reader: one document, no duplicate key."""
    node = root_of(loader, block)
    if isinstance(node, yaml.MappingNode):
        keys = Counter(key.value for key, _ in node.value if isinstance(key, yaml.ScalarNode))
        twice = next((key for key, times in keys.items() if times > 1), None)
        if twice is not None:
            raise ValueError(f"the key {twice} stands twice")
    return node
