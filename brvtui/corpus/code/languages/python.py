"""The grammar of Python, and the handlers for its syntax nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from brvtui.corpus.code.languages import common
from brvtui.corpus.code.names import arguments_of, first_named, type_names
from brvtui.corpus.code.reading import SourceLanguage, SourceReader

if TYPE_CHECKING:
    from tree_sitter import Node as SyntaxNode

_HINTED = frozenset({"identifier", "attribute"})


def _function(reader: SourceReader, node: SyntaxNode) -> None:
    name, scope = reader.field(node, "name"), reader.scope
    if not name:
        return
    symbol = reader.qualified(name)
    reader.define(symbol, "method" if scope.type_name else "function", node, _docstring(reader, node))
    for hint in _hints(reader, node):
        reader.refer("type_hint_of", hint, source=symbol)
    _decorate(reader, node, symbol)
    reader.enter(node, symbol, scope.type_name, receiver="cls")


def _class(reader: SourceReader, node: SyntaxNode) -> None:
    name, scope = reader.field(node, "name"), reader.scope
    if not name:
        return
    symbol = reader.qualified(name) if scope.is_type else name
    reader.define(symbol, "type", node, _docstring(reader, node))
    for base in _bases(node):
        written = reader.written(base)
        if written not in reader.names.builtins:
            reader.refer("extends", written, source=symbol)
    _decorate(reader, node, symbol)
    reader.enter(node, symbol, symbol, is_type=True)


def _bases(node: SyntaxNode) -> list[SyntaxNode]:
    """The base classes of a class definition, without keywords such as ``metaclass``."""
    bases = node.child_by_field_name("superclasses")
    return [] if bases is None else [base for base in bases.named_children if base.type != "keyword_argument"]


def _docstring(reader: SourceReader, node: SyntaxNode) -> str:
    body = node.child_by_field_name("body")
    first = first_named(body) if body else None
    text = first_named(first) if first and first.type == "expression_statement" else None
    if text is None or text.type not in ("string", "concatenated_string"):
        return ""
    longest = min(text.end_byte, text.start_byte + 2 * reader.rules.limits.doc_bytes)
    raw = reader.source[text.start_byte : longest].decode("utf-8", "replace")
    return reader.cut_doc(raw.lstrip("rRuUbBfF").strip("\"'"))


def _hints(reader: SourceReader, node: SyntaxNode) -> list[str]:
    """The types in the annotations of the parameters and the result, in order."""
    parameters = node.child_by_field_name("parameters")
    typed = [] if parameters is None else [at.child_by_field_name("type") for at in parameters.named_children]
    typed.append(node.child_by_field_name("return_type"))
    limit, builtins = reader.rules.limits.name_bytes, reader.names.builtins
    names = dict.fromkeys(name for hint in typed for name in type_names(reader.source, hint, limit, _HINTED))
    return [name for name in names if name not in builtins]


def _decorated(reader: SourceReader, node: SyntaxNode) -> None:
    definition = node.child_by_field_name("definition")
    if definition is None:
        return
    decorators = [child for child in node.named_children if child.type == "decorator"]
    names = []
    for decorator in decorators:
        inside = first_named(decorator)
        called = inside.child_by_field_name("function") if inside and inside.type == "call" else inside
        names.append(reader.written(called))
    reader.decorators[definition.start_byte] = names
    outermost = reader.scope.is_type or not reader.scope.symbol
    if definition.type != "function_definition" or not outermost:
        return
    for decorator, name in zip(decorators, names, strict=True):
        call, (owner, _, method) = decorator.named_child(0), name.rpartition(".")
        if call and call.type == "call" and owner and method in reader.rules.common.routes:
            path = next((text for text in map(reader.string, arguments_of(call)) if text), "")
            common.route(reader, node, method, path, reader.qualified(reader.field(definition, "name")))


def _decorate(reader: SourceReader, node: SyntaxNode, symbol: str) -> None:
    for name in reader.decorators.pop(node.start_byte, ()):
        reader.refer("decorates", name, source=symbol)


def _call(reader: SourceReader, node: SyntaxNode) -> None:
    called = node.child_by_field_name("function")
    if called is None:
        return
    reader.called = called.byte_range
    name = reader.written(called)
    common.call(reader, node, name)
    if name in ("path", "re_path") and "urls" in reader.path:
        arguments = list(arguments_of(node))[:2]
        if len(arguments) == 2:
            url, view = reader.string(arguments[0]), reader.written(arguments[1])
            common.route(reader, node, "route", f"/{url.lstrip('/')}", view)


def _attribute(reader: SourceReader, node: SyntaxNode) -> None:
    of = node.child_by_field_name("object")
    if reader.scope.type_name and not reader.scope.is_type and of is not None and reader.text(of) == "self":
        common.field_use(reader, node, f"self.{reader.field(node, 'attribute')}")


def _assignment(reader: SourceReader, node: SyntaxNode) -> None:
    scope, left = reader.scope, node.child_by_field_name("left")
    if left is not None and left.type == "identifier" and not scope.is_type:
        scope.hidden.add(reader.text(left))
    if left is None or not scope.type_name:
        return
    if scope.is_type and left.type == "identifier":
        name = reader.text(left)
        if not name.startswith("_"):
            reader.define(f"{scope.type_name}.{name}", "field", node, "")
    elif left.type == "attribute" and scope.symbol.endswith(".__init__"):
        name = reader.written(left)
        if name.startswith("self.") and name.count(".") == 1:
            reader.define(f"{scope.type_name}.{name[5:]}", "field", node, "")


def _subscript(reader: SourceReader, node: SyntaxNode) -> None:
    value = node.child_by_field_name("value")
    if value is not None and value.type == "attribute" and reader.written(value) == "os.environ":
        common.environment(reader, reader.string(node.child_by_field_name("subscript")))


def _raise(reader: SourceReader, node: SyntaxNode) -> None:
    raised = first_named(node)
    if raised is not None and raised.type == "call":
        raised = raised.child_by_field_name("function")
    reader.refer("throws", reader.written(raised))


def _import(reader: SourceReader, node: SyntaxNode) -> None:
    for child in node.named_children:
        if child.type == "aliased_import":
            reader.bind(reader.field(child, "alias"), reader.field(child, "name"))
        elif child.type == "dotted_name":
            name = reader.text(child)
            reader.bind(name.partition(".")[0], name.partition(".")[0])
            reader.bind(name, name)


def _import_from(reader: SourceReader, node: SyntaxNode) -> None:
    module = node.child_by_field_name("module_name")
    of = reader.text(module)
    for child in node.named_children:
        if child.type == "wildcard_import":
            reader.bind("*", of)
        elif child.type == "aliased_import":
            reader.bind(reader.field(child, "alias"), of, reader.field(child, "name"))
        elif child.type == "dotted_name" and child != module:
            reader.bind(reader.text(child), of, reader.text(child))


PYTHON = SourceLanguage(
    "python",
    (".py", ".pyi"),
    "tree_sitter_python",
    "language",
    "python",
    {
        "function_definition": _function,
        "class_definition": _class,
        "decorated_definition": _decorated,
        "call": _call,
        "attribute": _attribute,
        "assignment": _assignment,
        "subscript": _subscript,
        "raise_statement": _raise,
        "import_statement": _import,
        "import_from_statement": _import_from,
    },
)
