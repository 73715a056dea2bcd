"""The grammars of JavaScript and TypeScript, and the handlers for their syntax nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from brvtui.corpus.code.languages import common
from brvtui.corpus.code.names import arguments_of, first_named
from brvtui.corpus.code.reading import SourceLanguage, SourceReader

if TYPE_CHECKING:
    from tree_sitter import Node as SyntaxNode

_MOST_DECORATORS = 8
_FUNCTIONS = frozenset({"arrow_function", "function_expression", "generator_function"})


def _import(reader: SourceReader, node: SyntaxNode) -> None:
    module, clause = reader.string(node.child_by_field_name("source")), first_named(node)
    if not module or clause is None or clause.type != "import_clause":
        return
    for part in clause.named_children:
        if part.type == "identifier":
            reader.bind(reader.text(part), module, "default")
        elif part.type == "namespace_import":
            reader.bind(reader.text(first_named(part)), module)
        else:
            _specifiers(reader, part, module)


def _specifiers(reader: SourceReader, node: SyntaxNode, module: str) -> None:
    for at in node.named_children:
        name = reader.field(at, "name")
        reader.bind(reader.field(at, "alias") or name, module, name)


def _export(reader: SourceReader, node: SyntaxNode) -> None:
    module = reader.string(node.child_by_field_name("source"))
    clause = next((child for child in node.named_children if child.type == "export_clause"), None)
    if clause is not None:
        _specifiers(reader, clause, module)
    elif module:
        reader.bind("*", module)
    declared = node.child_by_field_name("declaration") or node.child_by_field_name("value")
    if declared is not None:
        decorators = node.children_by_field_name("decorator")
        if decorators:
            _keep_decorators(reader, declared, decorators)
        if any(child.type == "default" for child in node.children[:3]):
            reader.bind("default", "", reader.field(declared, "name") or reader.written(declared))


def _keep_decorators(reader: SourceReader, node: SyntaxNode, decorators: list[SyntaxNode]) -> None:
    names = (first_named(decorator) for decorator in decorators)
    called = (at.child_by_field_name("function") if at and at.type == "call_expression" else at for at in names)
    reader.decorators[node.start_byte] = [reader.written(at) for at in called]


def _function(reader: SourceReader, node: SyntaxNode) -> None:
    name = reader.field(node, "name")
    if name:
        _define_function(reader, node, node, name, "function", "")


def _define_function(
    reader: SourceReader, node: SyntaxNode, function: SyntaxNode, symbol: str, kind: str, type_name: str
) -> None:
    reader.define(symbol, kind, node, signature=reader.header(function))
    for hint in reader.types(function.child_by_field_name("parameters"), function.child_by_field_name("return_type")):
        reader.refer("type_hint_of", hint, source=symbol)
    reader.enter(node, symbol, type_name, receiver="this" if type_name else "")


def _method(reader: SourceReader, node: SyntaxNode) -> None:
    scope, name = reader.scope, reader.field(node, "name").strip("\"'#")
    if not (scope.is_type and name):
        return
    symbol = f"{scope.type_name}.{name}"
    for decorator in reader.decorators_of_member.pop(node.start_byte, ()):
        called = decorator.child_by_field_name("function") if decorator.type == "call_expression" else decorator
        written = reader.written(called)
        reader.refer("decorates", written, source=symbol)
        if decorator.type == "call_expression" and written.lower() in reader.rules.common.routes:
            path = next((text for text in map(reader.string, arguments_of(decorator)) if text), "/")
            common.route(reader, node, written.lower(), f"/{path.lstrip('/')}", symbol)
    _define_function(reader, node, node, symbol, "method", scope.type_name)
    if name == "constructor":
        _parameter_properties(reader, node, scope.type_name)


def _class_body(reader: SourceReader, node: SyntaxNode) -> None:
    """Stores the decorators of the class's members in advance, because finding a node's previous sibling later would
    require a search of the tree.
    """
    decorators: list[SyntaxNode] = []
    for member in node.named_children:
        if member.type == "decorator":
            inside = first_named(member)
            decorators += [inside] if inside is not None else []
        else:
            if decorators and member.type == "method_definition":
                reader.decorators_of_member[member.start_byte] = decorators[-_MOST_DECORATORS:]
            decorators = []


def _parameter_properties(reader: SourceReader, node: SyntaxNode, type_name: str) -> None:
    parameters = node.child_by_field_name("parameters")
    for parameter in parameters.named_children if parameters else ():
        if any(child.type in ("accessibility_modifier", "readonly") for child in parameter.children[:2]):
            reader.define(f"{type_name}.{reader.field(parameter, 'pattern')}", "field", parameter, "")


def _class(reader: SourceReader, node: SyntaxNode) -> None:
    _define_class(reader, node, node, reader.field(node, "name"))


def _define_class(reader: SourceReader, node: SyntaxNode, declared: SyntaxNode, name: str) -> None:
    if not name:
        return
    reader.define(name, "type", node, signature=reader.header(declared))
    for heritage in (child for child in declared.named_children if child.type == "class_heritage"):
        for clause in heritage.named_children:
            if clause.type == "implements_clause":
                for implemented in clause.named_children:
                    reader.refer("implements", reader.written(implemented), source=name)
            else:
                base = clause.child_by_field_name("value") if clause.type == "extends_clause" else clause
                written = reader.written(base)
                if written not in reader.names.builtins:
                    reader.refer("extends", written, source=name)
    for decorator in reader.decorators.pop(node.start_byte, ()):
        reader.refer("decorates", decorator, source=name)
    reader.enter(node, name, name, is_type=True, receiver="this")


def _interface(reader: SourceReader, node: SyntaxNode) -> None:
    name = reader.field(node, "name")
    if not name:
        return
    reader.define(name, "interface", node, signature=f"interface {name}")
    for clause in (child for child in node.named_children if child.type == "extends_type_clause"):
        for base in clause.named_children:
            reader.refer("extends", reader.written(base), source=name)
    reader.enter(node, name, name, is_type=True)


def _type(reader: SourceReader, node: SyntaxNode) -> None:
    name = reader.field(node, "name")
    reader.define(name, "type", node, signature=reader.header(node, "value").rstrip(" ="))


def _field(reader: SourceReader, node: SyntaxNode) -> None:
    scope = reader.scope
    name = (reader.field(node, "name") or reader.field(node, "property")).strip("\"'#")
    value = node.child_by_field_name("value")
    if not (scope.is_type and name):
        return
    symbol = f"{scope.type_name}.{name}"
    if value is not None and value.type in _FUNCTIONS:
        _define_function(reader, node, value, symbol, "method", scope.type_name)
    else:
        reader.define(symbol, "field", node)


def _member(reader: SourceReader, node: SyntaxNode) -> None:
    scope, name = reader.scope, reader.field(node, "name").strip("\"'#")
    if scope.is_type and name:
        symbol = f"{scope.type_name}.{name}"
        reader.define(symbol, "method", node, signature=reader.header(node))
        for hint in reader.types(node.child_by_field_name("parameters"), node.child_by_field_name("return_type")):
            reader.refer("type_hint_of", hint, source=symbol)


def _variable(reader: SourceReader, node: SyntaxNode) -> None:
    name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
    if name is None or value is None:
        return
    if value.type in _FUNCTIONS and name.type == "identifier":
        _define_function(reader, node, value, reader.text(name), "function", "")
    elif value.type == "class" and name.type == "identifier":
        _define_class(reader, node, value, reader.text(name))
    elif value.type == "call_expression" and reader.field(value, "function") == "require":
        module = reader.string(next(arguments_of(value), None))
        if name.type == "identifier":
            reader.bind(reader.text(name), module)
        elif name.type == "object_pattern":
            for part in name.named_children:
                text = reader.field(part, "key") or reader.text(part)
                reader.bind(reader.field(part, "value") or text, module, text)
    elif name.type == "identifier":
        reader.scope.hidden.add(reader.text(name))


def _call(reader: SourceReader, node: SyntaxNode) -> None:
    called = node.child_by_field_name("function")
    if called is None or called.type == "super":
        return
    reader.called = called.byte_range
    name = reader.written(called)
    common.call(reader, node, name)
    common.called_route(reader, node, name)


def _new(reader: SourceReader, node: SyntaxNode) -> None:
    common.call(reader, node, reader.written(node.child_by_field_name("constructor")))


def _access(reader: SourceReader, node: SyntaxNode) -> None:
    name = reader.written(node)
    if name.startswith("process.env."):
        common.environment(reader, name[12:])
    else:
        common.field_use(reader, node, name)


def _environment(reader: SourceReader, node: SyntaxNode) -> None:
    if reader.written(node.child_by_field_name("object")) == "process.env":
        common.environment(reader, reader.string(node.child_by_field_name("index")))


def _throw(reader: SourceReader, node: SyntaxNode) -> None:
    thrown = first_named(node)
    if thrown is not None and thrown.type == "new_expression":
        reader.refer("throws", reader.written(thrown.child_by_field_name("constructor")))


_HANDLERS = {
    "import_statement": _import,
    "export_statement": _export,
    "function_declaration": _function,
    "generator_function_declaration": _function,
    "class_declaration": _class,
    "method_definition": _method,
    "field_definition": _field,
    "variable_declarator": _variable,
    "call_expression": _call,
    "new_expression": _new,
    "member_expression": _access,
    "subscript_expression": _environment,
    "throw_statement": _throw,
}
_TYPED = {
    **_HANDLERS,
    "class_body": _class_body,
    "abstract_class_declaration": _class,
    "interface_declaration": _interface,
    "type_alias_declaration": _type,
    "enum_declaration": _type,
    "public_field_definition": _field,
    "property_signature": _field,
    "method_signature": _member,
    "abstract_method_signature": _member,
}
JAVASCRIPT = SourceLanguage(
    "javascript", (".js", ".jsx", ".mjs", ".cjs"), "tree_sitter_javascript", "language", "javascript", _HANDLERS
)
TYPESCRIPT = SourceLanguage(
    "typescript", (".ts", ".mts", ".cts"), "tree_sitter_typescript", "language_typescript", "javascript", _TYPED
)
TSX = SourceLanguage("typescript", (".tsx",), "tree_sitter_typescript", "language_tsx", "javascript", _TYPED)
