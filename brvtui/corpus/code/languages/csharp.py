"""The grammar of C#, and the handlers for its syntax nodes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from brvtui.corpus.code.languages import common
from brvtui.corpus.code.names import first_named, type_names
from brvtui.corpus.code.reading import SourceLanguage, SourceReader

if TYPE_CHECKING:
    from tree_sitter import Node as SyntaxNode

_NAMES = frozenset({"identifier", "qualified_name"})
_INTERFACE = re.compile(r"I[A-Z]")
_TAG = re.compile(r"</?[a-zA-Z][^<>]*>")


def _written(reader: SourceReader, node: SyntaxNode | None) -> str:
    """The dotted name in ``node``. The base type becomes ``super``, and ``a?.b`` becomes ``a.b``."""
    if node is not None and node.type == "conditional_access_expression" and node.named_child_count > 1:
        return f"{_written(reader, node.named_child(0)) or '()'}.{reader.field(node.named_children[-1], 'name')}"
    name = reader.written(node)
    return f"super{name[4:]}" if name == "base" or name.startswith("base.") else name


def _namespace(reader: SourceReader, node: SyntaxNode) -> None:
    reader.package = reader.package or reader.written(node.child_by_field_name("name"))


def _using(reader: SourceReader, node: SyntaxNode) -> None:
    whole = reader.written(node.named_children[-1]) if node.named_child_count else ""
    module, _, name = whole.rpartition(".")
    if alias := reader.field(node, "name"):
        reader.bind(alias, module, name)
    elif any(child.type == "static" for child in node.children):
        reader.bind(name, module, name)
    else:
        reader.bind("*", whole)


def _doc(reader: SourceReader, node: SyntaxNode) -> str:
    return " ".join(_TAG.sub(" ", reader.comment_before(node.start_byte)).split())


def _type(reader: SourceReader, node: SyntaxNode) -> None:
    name = reader.field(node, "name")
    if not name:
        return
    symbol, is_interface = reader.qualified(name), node.type == "interface_declaration"
    signature = f"{node.type.removesuffix('_declaration')} {name}"
    reader.define(symbol, "interface" if is_interface else "type", node, _doc(reader, node), signature)
    for child in node.named_children:
        if child.type == "base_list":
            for base in map(reader.written, child.named_children):
                is_implemented = not is_interface and _INTERFACE.match(base.rpartition(".")[2])
                if base not in reader.names.builtins:
                    reader.refer("implements" if is_implemented else "extends", base, source=symbol)
        elif child.type == "parameter_list":  # the parameters of a record or a primary constructor
            for parameter in child.named_children:
                reader.define(f"{symbol}.{reader.field(parameter, 'name')}", "field", parameter, "")
    _attributes(reader, node, symbol)
    reader.enter(node, symbol, symbol, is_type=True, receiver="this")


def _attributes(reader: SourceReader, node: SyntaxNode, symbol: str) -> None:
    lists = (child for child in node.named_children if child.type == "attribute_list")
    for attribute in (one for listed in lists for one in listed.named_children if one.type == "attribute"):
        name = reader.written(attribute.child_by_field_name("name"))
        reader.refer("decorates", name, source=symbol)
        method = name.lower().removeprefix("http")
        if node.type == "method_declaration" and method in reader.rules.common.routes:
            arguments = attribute.named_children[-1].named_children
            path = next((text for text in (reader.string(first_named(one)) for one in arguments) if text), "")
            common.route(reader, node, method, f"/{path.lstrip('/')}", symbol)


def _member(reader: SourceReader, node: SyntaxNode) -> None:
    scope, name = reader.scope, reader.field(node, "name")
    if not (scope.type_name and name):
        return
    symbol = f"{scope.type_name}.{name}"
    kind = "field" if node.type == "property_declaration" else "method"
    reader.define(symbol, kind, node, _doc(reader, node), reader.header(node))
    parameters = node.child_by_field_name("parameters")
    typed = [one.child_by_field_name("type") for one in parameters.named_children] if parameters else []
    typed += [node.child_by_field_name(field) for field in ("returns", "type")]
    limit, builtins = reader.rules.limits.name_bytes, reader.names.builtins
    for hint in dict.fromkeys(name for at in typed for name in type_names(reader.source, at, limit, _NAMES)):
        if hint not in builtins:
            reader.refer("type_hint_of", hint, source=symbol)
    _attributes(reader, node, symbol)
    reader.enter(node, symbol, scope.type_name, receiver="this")


def _variable(reader: SourceReader, node: SyntaxNode) -> None:
    scope, name = reader.scope, reader.field(node, "name")
    if scope.is_type:
        reader.define(f"{scope.type_name}.{name}", "field", node)
    scope.hidden.add(name)


def _call(reader: SourceReader, node: SyntaxNode) -> None:
    called = node.child_by_field_name("function")
    if called is not None:
        reader.called = called.byte_range
        common.call(reader, node, _written(reader, called))


CSHARP = SourceLanguage(
    "csharp",
    (".cs",),
    "tree_sitter_c_sharp",
    "language",
    "csharp",
    {
        "namespace_declaration": _namespace,
        "file_scoped_namespace_declaration": _namespace,
        "using_directive": _using,
        **dict.fromkeys(
            (f"{kind}_declaration" for kind in ("class", "interface", "struct", "record", "enum", "delegate")), _type
        ),
        "method_declaration": _member,
        "constructor_declaration": _member,
        "property_declaration": _member,
        "variable_declarator": _variable,
        "invocation_expression": _call,
        "object_creation_expression": common.creation,
        "member_access_expression": common.access,
        "throw_statement": common.throw,
        "throw_expression": common.throw,
    },
)
