"""Extracts names from source text: dotted expressions, types and string literals."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node as SyntaxNode

_CHAINS = {
    "attribute": ("object", "attribute"),
    "member_expression": ("object", "property"),
    "nested_identifier": ("object", "property"),
    "nested_type_identifier": ("module", "name"),
    "selector_expression": ("operand", "field"),
    "qualified_type": ("package", "name"),
    "field_expression": ("value", "field"),
    "scoped_identifier": ("path", "name"),
    "scoped_type_identifier": ("path", "name"),
    "field_access": ("object", "field"),
    "method_invocation": ("object", "name"),
    "member_access_expression": ("expression", "name"),
    "qualified_name": ("qualifier", "name"),
}
"""The syntax nodes, in all languages, that join two names, each with the two fields that contain the names."""
_LEAVES = frozenset(
    {
        "identifier", "type_identifier", "field_identifier", "property_identifier", "package_identifier",
        "private_property_identifier", "dotted_name", "self", "this", "super", "base", "crate", "metavariable",
    }
)  # fmt: skip
_WRAPPERS = {
    "generic_type": "type",
    "generic_name": None,
    "generic_function": "function",
    "pointer_type": None,
    "reference_type": "type",
    "parenthesized_expression": None,
    "non_null_expression": None,
    "type": None,
    "subscript": "value",
    "await": None,
}
"""Kinds of syntax nodes that take their name from a child: the one in the given field or, without a field, the first
one.
"""
_CALLS = frozenset({"call", "call_expression"})
_TYPE_NAMES = frozenset({"type_identifier", "qualified_type", "scoped_type_identifier", "nested_type_identifier"})
_STRINGS = frozenset(
    {
        "string",
        "interpreted_string_literal",
        "raw_string_literal",
        "string_literal",
        "template_string",
        "verbatim_string_literal",
    }
)
_LONGEST_CHAIN = 8
_LARGEST_SIGNATURE = 2_000
UNKNOWN = "()"
"""The placeholder for an expression without a name. For example, ``().get`` is a method of a call's result."""


def first_named(node: SyntaxNode) -> SyntaxNode | None:
    """The first named child of ``node``; None if there is none."""
    return node.named_child(0) if node.named_child_count else None


def text_of(source: bytes, node: SyntaxNode) -> str:
    """The text of ``node``. Bytes that are not UTF-8 become replacement characters."""
    return source[node.start_byte : node.end_byte].decode("utf-8", "replace")


def written_name(source: bytes, node: SyntaxNode | None, limit: int) -> str:
    """The dotted name in ``node``, such as ``a.b.c``, or ``().b`` after a call; empty if there is none.

    A name with unprintable characters, or with a part longer than ``limit`` bytes, is ignored.
    """
    name = _chained(source, node, limit)
    return name if name.isprintable() else ""


def _chained(source: bytes, node: SyntaxNode | None, limit: int) -> str:
    parts: list[str] = []
    while node is not None and len(parts) < _LONGEST_CHAIN:
        kind = node.type
        if kind in _CHAINS:
            outer, inner = (node.child_by_field_name(field) for field in _CHAINS[kind])
            if kind == "scoped_identifier" and outer is None:
                outer = node.child_by_field_name("scope")  # Java calls this field "scope"
            if inner is not None and inner.type == "generic_name":
                inner = first_named(inner)
            if inner is None or inner.end_byte - inner.start_byte > limit:
                return ""
            parts.append(text_of(source, inner))
            if outer is None:
                return ".".join(reversed(parts))
            node = outer
        elif kind in _LEAVES:
            if node.end_byte - node.start_byte > limit:
                return ""
            parts.append(text_of(source, node))
            return ".".join(reversed(parts))
        elif kind in _WRAPPERS:
            field = _WRAPPERS[kind]
            node = (field and node.child_by_field_name(field)) or first_named(node)
        elif kind in _CALLS and _is_super(source, node):
            return ".".join(reversed([*parts, "super"]))
        else:
            break
    return ".".join(reversed([*parts, UNKNOWN])) if parts else ""


def _is_super(source: bytes, node: SyntaxNode) -> bool:
    called = node.child_by_field_name("function")
    return called is not None and called.end_byte - called.start_byte == 5 and text_of(source, called) == "super"


def string_value(source: bytes, node: SyntaxNode | None, limit: int) -> str:
    """The text of a string literal on one line; empty for other nodes and for literals longer than ``limit`` bytes."""
    if node is None or node.type not in _STRINGS or node.end_byte - node.start_byte > limit:
        return ""
    text = " ".join(text_of(source, node).strip("rbfuRBFU@$").strip("\"'`").split())
    return text if text.isprintable() else ""


def arguments_of(node: SyntaxNode, named: bool = False) -> Iterator[SyntaxNode]:
    """Yields the arguments of a call in order. With ``named``, the values of keyword arguments are included."""
    arguments = node.child_by_field_name("arguments")
    if arguments is None:
        return
    cursor = arguments.walk()  # ``next_named_sibling`` is slow, because it visits all nodes around a node
    is_inside = cursor.goto_first_child()
    while is_inside:
        at = cursor.node
        if at is not None and at.is_named:
            value = at.child_by_field_name("value") if at.type == "keyword_argument" and named else at
            if value is not None and value.type == "argument" and value.named_child_count:  # wrapped in C#
                value = value.named_child(value.named_child_count - 1)
            if value is not None and value.type not in ("keyword_argument", "comment"):
                yield value
        is_inside = cursor.goto_next_sibling()


def printable(text: str) -> str:
    """``text`` with a replacement for each unprintable character except line breaks."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() or char == "\n" else "\ufffd" for char in text)


def type_names(source: bytes, node: SyntaxNode | None, limit: int, names: frozenset[str] = _TYPE_NAMES) -> list[str]:
    """The type names in ``node``, which is a type or a parameter list. ``names`` contains the kinds of syntax nodes
    that are type names.
    """
    if node is None:
        return []
    types: dict[str, None] = {}
    cursor, visited = node.walk(), 0
    while visited < _LARGEST_SIGNATURE:
        visited += 1
        at = cursor.node
        if at is not None and at.type in names:
            types.setdefault(written_name(source, at, limit))
        elif cursor.goto_first_child():
            continue
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                return [name for name in types if name]
    return [name for name in types if name]
