"""Finds the fields of a frontmatter block in its text, and sets fields without changing the others."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import yaml

from brvtui.tree.reading.frontmatter import BROKEN, block_span, parse, reading

# The rules of the engine's writer (npm ``js-yaml`` 4) for quoting a YAML string on one line.


_ESCAPES = {
    "\0": "\\0", "\a": "\\a", "\b": "\\b", "\t": "\\t", "\n": "\\n", "\v": "\\v", "\f": "\\f", "\r": "\\r",
    "\x1b": "\\e", '"': '\\"', "\\": "\\\\", "\x85": "\\N", "\xa0": "\\_", "\u2028": "\\L", "\u2029": "\\P",
}  # fmt: skip
_NEVER_FIRST = frozenset("-?:,[]{}#&*!|=>'\"%@` \t")
_NEVER_LAST = frozenset(": \t")
_NEVER_IN_FLOW = frozenset(",[]{}")
_STRING = "tag:yaml.org,2002:str"
_RESOLVER: Any = yaml.SafeLoader("")
_HEX = ((0xFF, "x", 2), (0xFFFF, "u", 4), (0x10FFFF, "U", 8))


def scalar(text: str, in_flow: bool = False) -> str:
    """Returns ``text`` as a YAML scalar: unquoted if YAML would read it back as the same string, otherwise quoted.

    ``in_flow`` must be True for an item of an inline list.
    """
    if not all(map(_is_printable, text)):
        return double_quoted(text)
    return text if _can_be_plain(text, in_flow) else f"'{text.replace(chr(39), chr(39) * 2)}'"


def double_quoted(text: str) -> str:
    """Returns ``text`` in double quotes, with escapes where necessary."""
    return f'"{"".join(map(_escaped, text))}"'


def _can_be_plain(text: str, in_flow: bool) -> bool:
    if not text or text[0] in _NEVER_FIRST or text[-1] in _NEVER_LAST or ": " in text or ":\t" in text:
        return False
    if any(text[place] == "#" and text[place - 1] in " \t" for place in range(1, len(text))):
        return False
    if in_flow and any(character in _NEVER_IN_FLOW for character in text):
        return False
    return bool(_RESOLVER.resolve(yaml.ScalarNode, text, (True, False)) == _STRING)


def _is_printable(character: str) -> bool:
    code = ord(character)
    return (
        0x20 <= code <= 0x7E
        or (0xA1 <= code <= 0xD7FF and code not in (0x2028, 0x2029))
        or (0xE000 <= code <= 0xFFFD and code != 0xFEFF)
        or code >= 0x10000
    )


def _escaped(character: str) -> str:
    escape = _ESCAPES.get(character)
    if escape or _is_printable(character):
        return escape or character
    code = ord(character)
    letter, digits = next((letter, digits) for limit, letter, digits in _HEX if code <= limit)
    return f"\\{letter}{code:0{digits}X}"


Value = str | float | bool | Sequence[str]

_FENCE = "---"
_LIKE_NUMBERS = "0123456789+-."


class BrokenFrontmatter(Exception):
    """Raised if the frontmatter is not a YAML mapping. The message describes the problem, and ``offset`` is its
    position in the text.
    """

    def __init__(self, message: str, offset: int) -> None:
        super().__init__(message)
        self.offset = offset


class FieldsError(Exception):
    """Raised if the fields cannot be set. The message gives the reason and the remedy."""


@dataclass(frozen=True, slots=True)
class Item:
    """A list item: its value, and the offset in the text where it begins."""

    value: Any
    start: int


@dataclass(frozen=True, slots=True)
class FieldSpan:
    """A field of the block, with the offsets of its key and value in the text.

    ``quote`` is the quote around a string: ``'``, ``"`` or empty. ``items`` are the values of a list.
    """

    key: str
    value: Any
    key_start: int
    key_end: int
    start: int
    end: int
    quote: str
    items: tuple[Item, ...]
    is_block_list: bool


def fields_of(text: str) -> tuple[FieldSpan, ...]:
    """Returns the fields of the frontmatter in ``text``, in order; empty if there is no frontmatter.

    A key may occur twice. Raises :class:`BrokenFrontmatter`.
    """
    span = block_span(text)
    if span is None:
        return ()
    begin = span[0]
    try:
        block = text[slice(*span)]
        with reading(block) as (loader, root):
            if root is None:
                return ()
            if not isinstance(root, yaml.MappingNode):
                raise BrokenFrontmatter("the block is not a mapping of keys to values", begin)
            return tuple(_field(text, begin, loader, key, value) for key, value in root.value)
    except BROKEN as error:
        raise BrokenFrontmatter(*_problem(error, text, begin, span[1])) from error


def set_fields(text: str, values: Mapping[str, Value]) -> str:
    """Sets ``values`` in the frontmatter of ``text``, adding a block if there is none, and returns the new text.

    Changes only the lines of changed fields, and puts new fields last. A changed value keeps the quotes of the old one.
    Raises :class:`FieldsError` if the block is broken, or if other fields would change too.
    """
    try:
        before = {field.key: field.value for field in fields_of(text)}
    except BrokenFrontmatter as error:
        raise _unreadable(error) from error
    if before and (problem := parse(text).problem):
        raise _unreadable(problem)
    result = text
    for key, value in values.items():
        if key not in before or not _is_same(before[key], value):
            result = _with_field(result, key, value)
    if result == text:
        return text
    wanted = {**before, **{key: _plain(value) for key, value in values.items()}}
    if parse(result).fields != wanted or _body(result) != _body(text):
        raise FieldsError("this edit would also change other fields of the frontmatter; edit it as text")
    return result


def _is_same(before: Any, value: Value) -> bool:
    """True if a field already has ``value``. YAML, unlike Python, distinguishes true from 1."""
    return isinstance(before, bool) is isinstance(value, bool) and bool(before == value)


def _without_colon_above(text: str, begin: int, offset: int) -> int:
    """Returns the start of the line above ``offset`` if that line is a key without its colon; otherwise ``offset``.

    If the line at ``offset`` is indented or contains a colon before ``offset``, the error is on that line itself.
    """
    line = text.rfind("\n", begin, offset) + 1
    above = text.rfind("\n", begin, max(line - 1, begin)) + 1 or begin
    is_first = line <= begin or ":" in text[line:offset] or text[line : line + 1].isspace()
    return offset if is_first or not text[above:line].strip() or ":" in text[above:line] else above


def _body(text: str) -> str:
    span = block_span(text)
    return text[text.index("\n", span[1]) + 1 :] if span else text


_BEGUN_BEFORE = ("while parsing a flow", "while scanning a quoted scalar", "while scanning a simple key")
"""The beginnings of parser messages about a value that never ends, such as an unclosed quote.

The parser reports a later line, but the user must fix the line where the value begins.
"""
_KEY_BELOW = "mapping values are not allowed"


def _problem(error: BaseException, text: str, begin: int, end: int) -> tuple[str, int]:
    """Returns the YAML parser's message, and the offset in ``text`` that the user must fix.

    If the parser gives no position, the offset is the start of the block.
    """
    mark = getattr(error, "problem_mark", None)
    if mark is not None:
        context = str(getattr(error, "context", None) or "")
        problem = str(getattr(error, "problem", None) or "not YAML")
        begun = getattr(error, "context_mark", None)
        if begun is not None and context.startswith(_BEGUN_BEFORE):
            mark = begun
        offset = min(begin + mark.index, max(begin, end - 1))
        if problem.startswith(_KEY_BELOW):
            offset = _without_colon_above(text, begin, offset)
        return f"{problem} {context}".rstrip(), offset
    lines = str(error).splitlines()
    return (lines[0] if lines else "not YAML"), begin


def _field(text: str, begin: int, loader: Any, key: Any, node: Any) -> FieldSpan:
    start = begin + node.start_mark.index
    is_list = isinstance(node, yaml.SequenceNode)
    items: tuple[Item, ...] = ()
    if is_list:
        items = tuple(Item(loader.construct_document(item), begin + item.start_mark.index) for item in node.value)
    return FieldSpan(
        key=str(loader.construct_document(key)),
        value=loader.construct_document(node),
        key_start=begin + key.start_mark.index,
        key_end=begin + key.end_mark.index,
        start=start,
        end=max(start, len(text[: begin + _end(node)].rstrip())),
        quote=node.style if isinstance(node, yaml.ScalarNode) and node.style in ("'", '"') else "",
        items=items,
        is_block_list=is_list and not node.flow_style,
    )


def _end(node: Any) -> int:
    """Returns the offset where the value ends, excluding any comments between the value and the next key."""
    if isinstance(node, yaml.ScalarNode) or node.flow_style:
        return int(node.end_mark.index)
    last = node.value[-1]
    return _end(last[1] if isinstance(last, tuple) else last)


def _with_field(text: str, key: str, value: Value) -> str:
    span = block_span(text)
    if span is None:
        end = "\r\n" if "\r\n" in text[: text.find("\n") + 1] else "\n"
        return f"{_FENCE}{end}{_entry(key, value)}{end}{_FENCE}{end}{text}"
    found = next((field for field in fields_of(text) if field.key == key), None)
    if found is None:
        end = "\r\n" if text[: span[0]].endswith("\r\n") else "\n"
        return f"{text[: span[1]]}{_entry(key, value)}{end}{text[span[1] :]}"
    if found.is_block_list and isinstance(value, Sequence) and not isinstance(value, str) and value:
        first = text.rfind("\n", 0, found.start) + 1
        between = f"\n{' ' * (found.start - first)}"
        return text[: found.start] + between.join(f"- {_dumped(item)}" for item in value) + text[found.end :]
    colon = text.index(":", found.key_end) + 1
    gap = text[colon : found.start]
    gap = gap if gap and gap.isspace() and "\n" not in gap else " "
    return text[:colon] + gap + _dumped(value, found.quote) + text[max(colon, found.end) :]


def _entry(key: str, value: Value) -> str:
    return f"{_dumped(key)}: {_dumped(value)}"


def _plain(value: Value) -> Any:
    """Returns ``value`` as YAML would read it back: whole floats as integers, sequences as lists."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value if isinstance(value, (str, int, float)) else list(value)


def _dumped(value: Value, quote: str = "") -> str:
    """Returns ``value`` as YAML on one line."""
    plain = _plain(value)
    style = None
    if isinstance(plain, str):
        style = quote or ("'" if plain[:1] in _LIKE_NUMBERS else None)
        style = style if plain.isprintable() else '"'
    text = yaml.dump(
        plain,
        Dumper=yaml.SafeDumper,
        default_flow_style=True,
        default_style=style,
        width=sys.maxsize,
        allow_unicode=True,
    )
    return text.removesuffix("...\n").rstrip("\n")


def _unreadable(why: object) -> FieldsError:
    return FieldsError(f"the frontmatter cannot be read ({why}); fix it first")
