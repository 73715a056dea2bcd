"""Extracts symbols and references from one source file in a single pass over its syntax tree."""

from __future__ import annotations

import importlib
import math
import time
import warnings
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from brvtui.corpus.code.names import printable, string_value, text_of, type_names, written_name
from brvtui.corpus.code.records import CodeBinding, CodeFile, CodeReference, CodeSymbol
from brvtui.corpus.code.rules import CodeRules, LanguageNames
from brvtui.installation import install_command

if TYPE_CHECKING:
    from tree_sitter import Language as Grammar
    from tree_sitter import Node as SyntaxNode
    from tree_sitter import Tree as SyntaxTree

SPLIT_IT = "leave it out, or split it"
_CHECK_EVERY = 4096
_CHECK_TIME_EVERY = 64
_SLICE_MICROSECONDS = 20_000
"""The wall-clock time of one parser slice, in microseconds. The processor time is checked after each slice."""
_COMMENTS = frozenset({"comment", "line_comment", "block_comment"})
_PARAMETERS = frozenset({"identifier"})
_LONGEST_PARAMETER = 60
_LONGEST_TYPE = 500
"""The maximum length of a type name, including enclosing types. Without this limit, the names of thousands of nested
types would fill the memory.
"""
_FARTHEST_COMMENT = 300
"""The maximum distance in bytes between a comment and its definition. Modifiers, ``export`` and attributes may be in
between.
"""


class NoGrammar(Exception):
    """The error for a language whose grammar is not installed. The message names the remedy."""


class TookTooLong(Exception):
    """The error for a file that exceeds the limit on entries or on time."""


Handler = Callable[["SourceReader", "SyntaxNode"], None]


@dataclass(frozen=True, eq=False)
class SourceLanguage:
    """A language's grammar, and the handlers for its syntax nodes."""

    name: str
    extensions: tuple[str, ...]
    module: str
    """The Python module that contains the grammar."""
    function: str
    """The function in the module that returns the grammar."""
    names: str
    """The table in ``rules.toml`` with the names in the language's standard library."""
    handlers: Mapping[str, Handler]
    """The handler for each kind of syntax node, called before the handlers for its children."""
    is_package_by_folder: bool = False
    """True if all files in a folder share one namespace."""


class SyntaxScope(NamedTuple):
    """A scope around the current syntax node."""

    end: int
    """The byte offset of the scope's end."""
    symbol: str
    type_name: str
    """The type whose methods are defined here; empty outside types."""
    is_type: bool
    """True if the scope is the type, not one of its methods."""
    receiver: str
    """The name of the current object (``self``, ``this`` …) in the language or the method."""
    hidden: set[str]
    """The names of parameters and variables, which hide symbols with the same name."""


class SourceReader:
    """Collects the symbols and references of one file. Handlers call its methods."""

    def __init__(self, path: str, source: bytes, language: SourceLanguage, rules: CodeRules) -> None:
        """Prepares to read ``source``, the whole file, whose path in the repository is ``path``."""
        self.path, self.source, self.rules = path, source, rules
        self.language = language
        self.names: LanguageNames = getattr(rules, language.names)
        self.package = ""
        self.symbols: dict[str, CodeSymbol] = {}
        self.references: dict[CodeReference, None] = {}
        self.bindings: dict[CodeBinding, None] = {}
        self.scopes: list[SyntaxScope] = []
        self.decorators: dict[int, list[str]] = {}
        """The names of decorators, keyed by the first byte of the definition."""
        self.decorators_of_member: dict[int, list[SyntaxNode]] = {}
        """The decorator expressions directly before a class member, keyed by the first byte of the member."""
        self.routes: dict[int, tuple[str, str]] = {}
        """The method and path of each route declared by an attribute, keyed by the last byte of the attribute."""
        self.called: tuple[int, int] = (-1, -1)
        """The byte range of the name of the last function called, which is not a field access."""
        self._comment = (-1, -1)

    @property
    def scope(self) -> SyntaxScope:
        """The innermost scope."""
        return self.scopes[-1] if self.scopes else SyntaxScope(len(self.source), "", "", False, "", set())

    @property
    def is_full(self) -> bool:
        """True if the file has reached the limit on entries."""
        return len(self.symbols) + len(self.references) >= self.rules.limits.file_entries

    def text(self, node: SyntaxNode | None) -> str:
        """The text of a short node on one line; empty if the node is missing, or if its text is too long or
        unprintable.
        """
        if node is None or node.end_byte - node.start_byte > self.rules.limits.name_bytes:
            return ""
        text = " ".join(text_of(self.source, node).split())
        return text if text.isprintable() else ""

    def field(self, node: SyntaxNode, name: str) -> str:
        """The text of the child of ``node`` in the field ``name``."""
        return self.text(node.child_by_field_name(name))

    def written(self, node: SyntaxNode | None) -> str:
        """The dotted name in ``node``, with ``self`` for the current object; empty if there is none."""
        name = written_name(self.source, node, self.rules.limits.name_bytes)
        receiver = self.scope.receiver
        if receiver and (name == receiver or name.startswith(f"{receiver}.")):
            return f"self{name[len(receiver) :]}"
        return name

    def string(self, node: SyntaxNode | None) -> str:
        """The text of a string literal; empty for any other node."""
        return string_value(self.source, node, self.rules.limits.name_bytes)

    def types(self, *nodes: SyntaxNode | None) -> list[str]:
        """The type names in ``nodes``, which are parameters or types; built-in types are left out."""
        limit, builtins = self.rules.limits.name_bytes, self.names.builtins
        names = dict.fromkeys(name for node in nodes for name in type_names(self.source, node, limit))
        return [name for name in names if name not in builtins]

    def qualified(self, name: str) -> str:
        """The full name of the symbol ``name`` defined in this scope: the name after that of the enclosing type, if
        any.
        """
        return f"{self.scope.type_name}.{name}" if self.scope.type_name else name

    def define(self, name: str, kind: str, node: SyntaxNode, doc: str | None = None, signature: str = "") -> None:
        """Adds a symbol with the full name ``name``. ``doc`` defaults to the comment before ``node``.

        If a name occurs twice, the first symbol wins. The exception is a method with the name of a field: it is a
        property, and replaces the field.
        """
        known = self.symbols.get(name)
        if not name or name.endswith(".") or (known and not (known.kind == "field" and kind == "method")):
            return
        documentation = self.comment_before(node.start_byte) if doc is None else doc
        self.symbols[name] = CodeSymbol(name, kind, node.start_point[0] + 1, documentation, signature)

    def enter(self, node: SyntaxNode, symbol: str, type_name: str, is_type: bool = False, receiver: str = "") -> None:
        """Makes ``node`` the innermost scope until its end, unless the type's name is too long."""
        if len(type_name) > _LONGEST_TYPE:
            return
        parameters = type_names(self.source, node.child_by_field_name("parameters"), _LONGEST_PARAMETER, _PARAMETERS)
        self.scopes.append(SyntaxScope(node.end_byte, symbol, type_name, is_type, receiver, set(parameters)))

    def refer(self, relation: str, target: str, source: str | None = None, via: str = "") -> None:
        """Adds a reference from ``source``, which defaults to the enclosing symbol."""
        if target:
            self.references.setdefault(
                CodeReference(self.scope.symbol if source is None else source, relation, target, via)
            )

    def bind(self, local: str, module: str, name: str = "") -> None:
        """Adds a name that an import defines."""
        if local:
            self.bindings.setdefault(CodeBinding(local, module, name))

    def header(self, node: SyntaxNode, body: str = "body") -> str:
        """The text of a definition up to its body, on one line and cut to the maximum length of a name."""
        inside = node.child_by_field_name(body)
        end = min(inside.start_byte if inside else node.end_byte, node.start_byte + self.rules.limits.name_bytes)
        return printable(" ".join(self.source[node.start_byte : end].decode("utf-8", "ignore").split()))

    def cut_doc(self, text: str) -> str:
        """``text`` cut to the maximum length of a doc comment."""
        short = text.expandtabs().strip().encode("utf-8")[: self.rules.limits.doc_bytes]
        return printable(short.decode("utf-8", "ignore"))

    def comment_before(self, start: int) -> str:
        """The text of the comment that ends just before the byte ``start``."""
        begin, end = self._comment
        between = self.source[end:start] if 0 <= end <= start <= end + _FARTHEST_COMMENT else b";"
        if b"\n\n" in between or any(mark in between for mark in (b";", b"{", b"}")):
            return ""
        longest = begin + 4 * self.rules.limits.doc_bytes
        lines = self.source[begin : min(end, longest)].decode("utf-8", "replace").splitlines()
        bare = (line.strip().strip("/").strip("*").strip("/!*").strip() for line in lines)
        return self.cut_doc(" ".join(line for line in bare if line))

    def decorated_route(self, start: int) -> tuple[str, str]:
        """The method and path of the route attribute directly before byte ``start``; both empty if there is none."""
        window = self.source[max(start - _FARTHEST_COMMENT, 0) : start]
        before = start - len(window) + len(window.rstrip())
        return self.routes.pop(before, ("", ""))

    def run(self, tree: SyntaxTree, is_over: Callable[[], bool]) -> None:
        """Calls the handlers for every syntax node in text order. Raises :class:`TookTooLong`."""
        handlers, cursor, visited, scopes = _handlers(self.language), tree.walk(), 0, self.scopes
        while True:
            node = cursor.node
            visited += 1
            if visited % _CHECK_TIME_EVERY == 0 and (is_over() or (visited % _CHECK_EVERY == 0 and self.is_full)):
                raise TookTooLong
            if node is not None and node.kind_id in handlers:
                handler, start = handlers[node.kind_id], node.start_byte
                while scopes and scopes[-1].end <= start:
                    scopes.pop()
                if handler is None:
                    self._remember(node)
                else:
                    handler(self, node)
            if cursor.goto_first_child():
                continue
            while not cursor.goto_next_sibling():
                if not cursor.goto_parent():
                    return

    def _remember(self, node: SyntaxNode) -> None:
        begin, end = self._comment
        start, stop = node.start_byte, node.end_byte
        between = self.source[end:start] if 0 <= end <= start <= end + _FARTHEST_COMMENT else b";"
        is_next = not between.strip() and between.count(b"\n") < 2
        self._comment = (begin if is_next else start, stop)

    def file(self, problem: str) -> CodeFile:
        """The contents collected from the file."""
        folder = self.path.rpartition("/")[0]
        base = (folder or self.package or ".") if self.language.is_package_by_folder else self.path
        return CodeFile(
            self.path,
            self.language.name,
            base,
            self.package,
            tuple(self.symbols.values()),
            tuple(self.references),
            tuple(self.bindings),
            problem,
        )


def read_source(
    path: str, source: bytes, language: SourceLanguage, rules: CodeRules, seconds: float = math.inf
) -> CodeFile:
    """The symbols and references in ``source``, the bytes of the file ``path``, within ``seconds`` of processor time.

    If there is a problem, the result is partial and describes the problem. Raises :class:`NoGrammar`.
    """
    reader, deadline = SourceReader(path, source, language, rules), time.thread_time() + seconds

    def is_over() -> bool:
        return time.thread_time() > deadline

    slow = f"takes more than {seconds:.2g} s of processor time, too much for its size"
    tree = _parsed(source, language, is_over)
    if tree is None:
        return reader.file(f"{slow}; {SPLIT_IT}")
    problem = "it has syntax errors; only its valid parts are read" if tree.root_node.has_error else ""
    try:
        reader.run(tree, is_over)
    except TookTooLong:
        too_many = f"has more than {rules.limits.file_entries} symbols and references"
        problem = f"{too_many if reader.is_full else slow}; only its beginning is read"
    return reader.file(problem)


def _parsed(source: bytes, language: SourceLanguage, is_over: Callable[[], bool]) -> SyntaxTree | None:
    """The syntax tree; None if the time limit was reached."""
    from tree_sitter import Parser

    with warnings.catch_warnings():  # the newer callback crashes (tree-sitter 0.25.2)
        warnings.simplefilter("ignore", DeprecationWarning)
        parser = Parser(grammar(language), timeout_micros=_SLICE_MICROSECONDS)
    while not is_over():
        with suppress(ValueError):  # the slice is over; the next call continues
            return parser.parse(source)
    return None


@cache
def grammar(language: SourceLanguage) -> Grammar:
    """The grammar of ``language``. Raises :class:`NoGrammar`."""
    try:
        from tree_sitter import Language as Loaded

        return Loaded(getattr(importlib.import_module(language.module), language.function)())
    except ImportError as error:
        raise NoGrammar(f"to read code, install the grammars: {install_command('code')}") from error


@cache
def _handlers(language: SourceLanguage) -> dict[int, Handler | None]:
    """The handlers, keyed by the numeric kind of syntax node; None for comments."""
    loaded = grammar(language)
    handlers: dict[int, Handler | None] = {}
    for number in range(loaded.node_kind_count):
        kind = loaded.node_kind_for_id(number) or ""
        if loaded.node_kind_is_named(number) and (kind in language.handlers or kind in _COMMENTS):
            handlers[number] = language.handlers.get(kind)
    return handlers
