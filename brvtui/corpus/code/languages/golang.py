"""The grammar of Go, and the handlers for its syntax nodes. All files in a folder belong to one package."""

from __future__ import annotations

from typing import TYPE_CHECKING

from brvtui.corpus.code.languages import common
from brvtui.corpus.code.names import first_named
from brvtui.corpus.code.reading import SourceLanguage, SourceReader

if TYPE_CHECKING:
    from tree_sitter import Node as SyntaxNode


def _package(reader: SourceReader, node: SyntaxNode) -> None:
    reader.package = reader.text(first_named(node))


def _import(reader: SourceReader, node: SyntaxNode) -> None:
    path = reader.string(node.child_by_field_name("path"))
    local = reader.field(node, "name") or path.rpartition("/")[2]
    reader.bind("*" if local == "." else local, path)


def _function(reader: SourceReader, node: SyntaxNode) -> None:
    name = reader.field(node, "name")
    _define_function(reader, node, name, "", "")


def _method(reader: SourceReader, node: SyntaxNode) -> None:
    receiver = node.child_by_field_name("receiver")
    declared = first_named(receiver) if receiver else None
    of = reader.written(declared.child_by_field_name("type")) if declared else ""
    name = reader.field(node, "name")
    if of and name:
        _define_function(reader, node, f"{of}.{name}", of, reader.field(declared, "name") if declared else "")


def _define_function(reader: SourceReader, node: SyntaxNode, symbol: str, of: str, receiver: str) -> None:
    if not symbol:
        return
    reader.define(symbol, "method" if of else "function", node, signature=reader.header(node))
    for hint in reader.types(node.child_by_field_name("parameters"), node.child_by_field_name("result")):
        reader.refer("type_hint_of", hint, source=symbol)
    reader.enter(node, symbol, of, receiver=receiver)


def _type(reader: SourceReader, node: SyntaxNode) -> None:
    name, inside = reader.field(node, "name"), node.child_by_field_name("type")
    if not name or reader.scope.symbol:
        return
    kind = "interface" if inside is not None and inside.type == "interface_type" else "type"
    reader.define(name, kind, node, signature=f"type {name}")
    if inside is not None and inside.type in ("interface_type", "struct_type"):
        reader.enter(node, name, name, is_type=True)


def _struct_field(reader: SourceReader, node: SyntaxNode) -> None:
    scope = reader.scope
    if not scope.is_type:
        return
    names = [reader.text(name) for name in node.children_by_field_name("name")]
    for name in names:
        reader.define(f"{scope.type_name}.{name}", "field", node)
    if not names:
        reader.refer("extends", reader.written(node.child_by_field_name("type")))


def _interface_method(reader: SourceReader, node: SyntaxNode) -> None:
    scope, name = reader.scope, reader.field(node, "name")
    if scope.is_type and name:
        symbol = f"{scope.type_name}.{name}"
        reader.define(symbol, "method", node, signature=reader.header(node))
        for hint in reader.types(node.child_by_field_name("parameters"), node.child_by_field_name("result")):
            reader.refer("type_hint_of", hint, source=symbol)


def _interface_embeds(reader: SourceReader, node: SyntaxNode) -> None:
    if reader.scope.is_type and node.named_child_count == 1:  # several children form a constraint: a union of types
        reader.refer("extends", reader.written(first_named(node)))


def _call(reader: SourceReader, node: SyntaxNode) -> None:
    called = node.child_by_field_name("function")
    if called is None:
        return
    reader.called = called.byte_range
    name = reader.written(called)
    common.call(reader, node, name)
    common.called_route(reader, node, name)


def _literal(reader: SourceReader, node: SyntaxNode) -> None:
    kind = node.child_by_field_name("type")
    if kind is not None and kind.type in ("type_identifier", "qualified_type"):
        reader.refer("references", reader.written(kind))


GO = SourceLanguage(
    "go",
    (".go",),
    "tree_sitter_go",
    "language",
    "go",
    {
        "package_clause": _package,
        "import_spec": _import,
        "function_declaration": _function,
        "method_declaration": _method,
        "type_spec": _type,
        "field_declaration": _struct_field,
        "method_elem": _interface_method,
        "type_elem": _interface_embeds,
        "call_expression": _call,
        "composite_literal": _literal,
        "selector_expression": common.access,
    },
    is_package_by_folder=True,
)
