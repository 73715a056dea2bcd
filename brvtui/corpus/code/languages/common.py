"""Handlers for all languages: calls, callbacks, environment variables, processes and routes."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from brvtui.corpus.code.names import arguments_of, first_named
from brvtui.corpus.code.reading import SourceReader

if TYPE_CHECKING:
    from tree_sitter import Node as SyntaxNode

DYNAMIC = "dynamic"
"""The command recorded for a process whose command line is not a literal."""
ANY_METHOD = "ANY"
_FUNCTION_VALUES = frozenset(
    {
        "identifier", "attribute", "member_expression", "selector_expression", "scoped_identifier", "field_expression",
        "method_reference", "member_access_expression", "generic_name",
    }
)  # fmt: skip
"""Syntax nodes that can name a function as a value, in all languages."""
_LISTS = frozenset({"list", "tuple", "array"})
_MOST_VALUES = 30
_MOST_SCOPES = 8
_NO_CALLBACKS = frozenset({"None", "True", "False", "null", "undefined", "true", "false", "nil"})


def call(reader: SourceReader, node: SyntaxNode, name: str) -> None:
    """Adds a call of the function ``name``."""
    reader.refer("calls", name)
    hand_over(reader, node)
    if name in reader.names.env_calls:
        environment(reader, reader.string(next(arguments_of(node), None)))
    if name in reader.names.process_calls:
        process(reader, next(arguments_of(node), None))
    if name.rpartition(".")[2] in reader.rules.common.callbacks:
        callback(reader, node, name)


def hand_over(reader: SourceReader, node: SyntaxNode) -> None:
    """Adds a reference for each call argument that may be a function, including keyword arguments and list items,
    unless it is a local variable.
    """
    values = islice(arguments_of(node, named=True), _MOST_VALUES)
    inside = (value.named_children[:_MOST_VALUES] if value.type in _LISTS else [value] for value in values)
    for value in (one for listed in inside for one in listed if one.type in _FUNCTION_VALUES):
        name = reader.written(value)
        if value.type == "method_reference":
            of, method = reader.written(first_named(value)), reader.text(value.children[-1])
            name = of if method == "new" else f"{of}.{method}"
        head, scopes = name.partition(".")[0], reader.scopes[-_MOST_SCOPES:]
        if head == "self" or not any(head in scope.hidden for scope in scopes):
            reader.refer("hands_over", name)


def callback(reader: SourceReader, node: SyntaxNode, name: str) -> None:
    """Adds a callback: the first argument that may be a function in a call to ``name``, which calls that function
    later.
    """
    for argument in arguments_of(node):
        handler = reader.written(argument)
        if handler and handler not in _NO_CALLBACKS:
            reader.refer("callback", handler, via=name)
            return


def field_use(reader: SourceReader, node: SyntaxNode, name: str) -> None:
    """Adds a use of ``name`` if it is a field of the current object and ``node`` is not called."""
    of, _, field = name.partition(".")
    is_own = of == "self" and field != "" and "." not in field and node.byte_range != reader.called
    if is_own and field.lower() not in reader.rules.common.fields:
        reader.refer("accesses_field", f"self.{field.lstrip('#')}")


def access(reader: SourceReader, node: SyntaxNode) -> None:
    """If ``node`` is a field of the current object, adds a use of that field."""
    field_use(reader, node, reader.written(node))


def creation(reader: SourceReader, node: SyntaxNode) -> None:
    """Records a call to the constructor of the type that ``node`` instantiates."""
    call(reader, node, reader.written(node.child_by_field_name("type")))


def throw(reader: SourceReader, node: SyntaxNode) -> None:
    """Adds the exception type that ``node`` instantiates and throws."""
    thrown = first_named(node)
    if thrown is not None and thrown.type == "object_creation_expression":
        reader.refer("throws", reader.written(thrown.child_by_field_name("type")))


def environment(reader: SourceReader, variable: str) -> None:
    """Adds a use of the environment variable ``variable``."""
    if variable and reader.scope.symbol:
        reader.refer("reads_env", f"env://{variable}")


def process(reader: SourceReader, argument: SyntaxNode | None) -> None:
    """Records the start of a process. The command is the literal ``argument`` or, if that is a list, its first item."""
    if argument is not None and argument.type in ("list", "array"):
        argument = first_named(argument)
    words = reader.string(argument).split()
    reader.refer("executes_process", f"process://{words[0] if words else DYNAMIC}")


def route(reader: SourceReader, node: SyntaxNode, method: str, path: str, handler: str) -> None:
    """Adds a route. ``method`` is the name of the decorator or function, ``path`` the URL, and ``handler`` the function
    that handles requests.
    """
    if path and handler:
        signature = f"{ANY_METHOD if method == 'route' else method.upper()} {path}"
        reader.define(signature, "route_handler", node, "", signature)
        reader.refer("handles_route", handler, source=signature)


def called_route(reader: SourceReader, node: SyntaxNode, name: str) -> None:
    """Adds a route declared by a call such as ``router.get("/path", handler)``."""
    method = name.rpartition(".")[2].lower()
    if "." not in name or method not in (*reader.rules.common.routes, "handlefunc", "handle"):
        return
    arguments = list(arguments_of(node))[:8]
    path = reader.string(arguments[0]) if len(arguments) > 1 else ""
    if path.startswith("/"):
        handler = reader.written(arguments[-1])
        route(reader, node, method if method in reader.rules.common.routes else "route", path, handler)
