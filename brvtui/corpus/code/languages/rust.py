"""The grammar of Rust, and the handlers for its syntax nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from brvtui.corpus.code.languages import common
from brvtui.corpus.code.names import first_named
from brvtui.corpus.code.reading import SourceLanguage, SourceReader

if TYPE_CHECKING:
    from tree_sitter import Node as SyntaxNode

_MOST_IMPORTS = 500
"""The maximum number of names imported by one ``use``."""


def _use(reader: SourceReader, node: SyntaxNode) -> None:
    argument = node.child_by_field_name("argument")
    pending: list[tuple[str, SyntaxNode | None]] = [("", argument)]
    taken = 0
    while pending and taken < _MOST_IMPORTS:
        taken += 1
        prefix, at = pending.pop()
        if at is None:
            continue
        if at.type == "scoped_use_list":
            inner = _joined(prefix, reader.written(at.child_by_field_name("path")))
            pending.append((inner, at.child_by_field_name("list")))
        elif at.type == "use_list":
            pending += [(prefix, child) for child in at.named_children[:_MOST_IMPORTS]]
        elif at.type == "use_as_clause":
            _bind(reader, reader.field(at, "alias"), _joined(prefix, reader.written(at.child_by_field_name("path"))))
        elif at.type == "use_wildcard":
            reader.bind("*", _joined(prefix, reader.written(first_named(at))))
        else:
            whole = prefix if at.type == "self" else _joined(prefix, reader.written(at))
            _bind(reader, whole.rpartition(".")[2], whole)


def _bind(reader: SourceReader, local: str, whole: str) -> None:
    module, _, name = whole.rpartition(".")
    if module:
        reader.bind(local, module, name)
    else:
        reader.bind(local, name)


def _joined(prefix: str, name: str) -> str:
    return f"{prefix}.{name}" if prefix and name else prefix or name


def _function(reader: SourceReader, node: SyntaxNode) -> None:
    name, scope = reader.field(node, "name"), reader.scope
    if not name:
        return
    symbol = f"{scope.type_name}.{name}" if scope.is_type else name
    reader.define(symbol, "method" if scope.is_type else "function", node, signature=reader.header(node))
    for hint in reader.types(node.child_by_field_name("parameters"), node.child_by_field_name("return_type")):
        reader.refer("type_hint_of", hint, source=symbol)
    method, path = reader.decorated_route(node.start_byte)
    common.route(reader, node, method, path, symbol)
    reader.enter(node, symbol, scope.type_name if scope.is_type else "", receiver="Self")


def _type(reader: SourceReader, node: SyntaxNode) -> None:
    name = reader.field(node, "name")
    if name:
        reader.define(name, "type", node, signature=f"{node.type.removesuffix('_item')} {name}")
        reader.enter(node, name, name, is_type=True, receiver="Self")


def _trait(reader: SourceReader, node: SyntaxNode) -> None:
    name, bounds = reader.field(node, "name"), node.child_by_field_name("bounds")
    if not name:
        return
    reader.define(name, "interface", node, signature=f"trait {name}")
    for bound in bounds.named_children if bounds else ():
        reader.refer("extends", reader.written(bound), source=name)
    reader.enter(node, name, name, is_type=True, receiver="Self")


def _impl(reader: SourceReader, node: SyntaxNode) -> None:
    of = reader.written(node.child_by_field_name("type")).rpartition(".")[2]
    if not of:
        return
    reader.refer("implements", reader.written(node.child_by_field_name("trait")), source=of)
    reader.enter(node, of, of, is_type=True, receiver="Self")


def _field(reader: SourceReader, node: SyntaxNode) -> None:
    scope, name = reader.scope, reader.field(node, "name")
    if scope.is_type and name:
        reader.define(f"{scope.type_name}.{name}", "field", node)


def _attribute(reader: SourceReader, node: SyntaxNode) -> None:
    inside = first_named(node)
    name = reader.written(first_named(inside)) if inside else ""
    arguments = inside.child_by_field_name("arguments") if inside else None
    path = reader.string(first_named(arguments)) if arguments else ""
    if path.startswith("/") and name.rpartition(".")[2] in reader.rules.common.routes:
        reader.routes[node.end_byte] = (name.rpartition(".")[2], path)


def _call(reader: SourceReader, node: SyntaxNode) -> None:
    called = node.child_by_field_name("function")
    if called is None:
        return
    reader.called = called.byte_range
    common.call(reader, node, reader.written(called))


def _literal(reader: SourceReader, node: SyntaxNode) -> None:
    reader.refer("references", reader.written(node.child_by_field_name("name")))


RUST = SourceLanguage(
    "rust",
    (".rs",),
    "tree_sitter_rust",
    "language",
    "rust",
    {
        "use_declaration": _use,
        "function_item": _function,
        "function_signature_item": _function,
        "struct_item": _type,
        "enum_item": _type,
        "union_item": _type,
        "type_item": _type,
        "trait_item": _trait,
        "impl_item": _impl,
        "field_declaration": _field,
        "attribute_item": _attribute,
        "call_expression": _call,
        "field_expression": common.access,
        "struct_expression": _literal,
    },
)
