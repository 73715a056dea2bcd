"""The grammar of Java, and the handlers for its syntax nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from brvtui.corpus.code.languages import common
from brvtui.corpus.code.names import arguments_of, first_named
from brvtui.corpus.code.reading import SourceLanguage, SourceReader

if TYPE_CHECKING:
    from tree_sitter import Node as SyntaxNode

_MAPPING = "mapping"
"""The ending, in lower case, of annotations that map a method to a URL."""


def _package(reader: SourceReader, node: SyntaxNode) -> None:
    reader.package = reader.written(first_named(node))


def _import(reader: SourceReader, node: SyntaxNode) -> None:
    whole = reader.text(first_named(node))
    module, _, name = whole.rpartition(".")
    if any(child.type == "asterisk" for child in node.named_children):
        reader.bind("*", whole)
    else:
        reader.bind(name, module, name)


def _type(reader: SourceReader, node: SyntaxNode) -> None:
    name, scope = reader.field(node, "name"), reader.scope
    if not name:
        return
    symbol = f"{scope.type_name}.{name}" if scope.type_name else name
    kind = "interface" if node.type == "interface_declaration" else "type"
    reader.define(symbol, kind, node, signature=f"{node.type.removesuffix('_declaration')} {name}")
    for child in node.named_children:
        if child.type in ("superclass", "extends_interfaces"):
            _supertypes(reader, child, "extends", symbol)
        elif child.type == "super_interfaces":
            _supertypes(reader, child, "implements", symbol)
        elif child.type == "modifiers":
            _annotations(reader, child, symbol)
    if node.type == "record_declaration":
        parameters = node.child_by_field_name("parameters")
        for parameter in parameters.named_children if parameters else ():
            reader.define(f"{symbol}.{reader.field(parameter, 'name')}", "field", parameter, "")
    reader.enter(node, symbol, symbol, is_type=True, receiver="this")


def _supertypes(reader: SourceReader, node: SyntaxNode, relation: str, symbol: str) -> None:
    listed = first_named(node)
    for one in listed.named_children if listed is not None and listed.type == "type_list" else node.named_children:
        written = reader.written(one)
        if written not in reader.names.builtins:
            reader.refer(relation, written, source=symbol)


def _annotations(reader: SourceReader, modifiers: SyntaxNode, symbol: str) -> list[SyntaxNode]:
    annotations = [child for child in modifiers.named_children if child.type in ("annotation", "marker_annotation")]
    for annotation in annotations:
        reader.refer("decorates", reader.written(annotation.child_by_field_name("name")), source=symbol)
    return annotations


def _method(reader: SourceReader, node: SyntaxNode) -> None:
    scope, name = reader.scope, reader.field(node, "name")
    if not (scope.type_name and name):
        return
    symbol = f"{scope.type_name}.{name}"
    reader.define(symbol, "method", node, signature=reader.header(node))
    for hint in reader.types(node.child_by_field_name("parameters"), node.child_by_field_name("type")):
        reader.refer("type_hint_of", hint, source=symbol)
    for child in node.named_children:
        if child.type == "modifiers":
            for annotation in _annotations(reader, child, symbol):
                _route(reader, node, annotation, symbol)
        elif child.type == "throws":
            for thrown in child.named_children:
                reader.refer("throws", reader.written(thrown), source=symbol)
    reader.enter(node, symbol, scope.type_name, receiver="this")


def _route(reader: SourceReader, node: SyntaxNode, annotation: SyntaxNode, symbol: str) -> None:
    name = reader.field(annotation, "name").lower()
    if name.endswith(_MAPPING):
        method = name.removesuffix(_MAPPING)
        path = next((text for text in map(reader.string, arguments_of(annotation)) if text), "/")
        common.route(reader, node, "route" if method == "request" else method, f"/{path.lstrip('/')}", symbol)


def _field(reader: SourceReader, node: SyntaxNode) -> None:
    scope = reader.scope
    if scope.is_type:
        for declarator in node.children_by_field_name("declarator"):
            reader.define(f"{scope.type_name}.{reader.field(declarator, 'name')}", "field", node)


def _call(reader: SourceReader, node: SyntaxNode) -> None:
    name = reader.written(node)
    common.call(reader, node, name)


JAVA = SourceLanguage(
    "java",
    (".java",),
    "tree_sitter_java",
    "language",
    "java",
    {
        "package_declaration": _package,
        "import_declaration": _import,
        "class_declaration": _type,
        "interface_declaration": _type,
        "enum_declaration": _type,
        "record_declaration": _type,
        "annotation_type_declaration": _type,
        "method_declaration": _method,
        "constructor_declaration": _method,
        "field_declaration": _field,
        "method_invocation": _call,
        "object_creation_expression": common.creation,
        "field_access": common.access,
        "throw_statement": common.throw,
    },
)
