"""Takes symbols and references out of one source file, in one pass of its syntax tree."""

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

if TYPE_CHECKING:
    from tree_sitter import Language as Grammar
    from tree_sitter import Node as SyntaxNode
    from tree_sitter import Tree as SyntaxTree

REMEDY = "to read code, install the grammars: pip install 'brv-tui[code]'"
SPLIT_IT = "leave it out, or split it"
_CHECK_EVERY = 4096
_CHECK_TIME_EVERY = 64
_SLICE_MICROSECONDS = 20_000
"""The parser measures the time of the clock; after so much of it, the processor time is looked at."""
_COMMENTS = frozenset({"comment", "line_comment", "block_comment"})
_PARAMETERS = frozenset({"identifier"})
_LONGEST_PARAMETER = 60
_LONGEST_TYPE = 500
"""Characters of a type with those around it, as thousands of types in each other would fill memory with names."""
_FARTHEST_COMMENT = 300
"""Bytes between a comment and what it documents: modifiers, ``export``, attributes."""


class NoGrammar(Exception):
    """The grammar of a language is not installed. The message says what to do."""


class TookTooLong(Exception):
    """A file that has more entries, or takes more time, than one file may."""


Handler = Callable[["SourceReader", "SyntaxNode"], None]


@dataclass(frozen=True, eq=False)
class SourceLanguage:
    """How one language is read: its grammar, and what each kind of syntax node means."""

    name: str
    extensions: tuple[str, ...]
    module: str
    """The Python module of its grammar."""
    function: str
    """The function of that module which returns the grammar."""
    names: str
    """The table of ``rules.toml`` with the names of its library."""
    handlers: Mapping[str, Handler]
    """What is called for a syntax node of each kind, before what is inside it."""
    is_package_by_folder: bool = False
    """Whether all files of a folder share their names."""


class SyntaxScope(NamedTuple):
    """What is around the syntax node that is looked at."""

    end: int
    """The byte at which it ends."""
    symbol: str
    type_name: str
    """The type whose methods are defined here; empty outside of types."""
    is_type: bool
    """Whether it is the type itself, not one of its methods."""
    receiver: str
    """What the language, or the method, calls its object."""
    hidden: set[str]
    """The names of its parameters and variables, which hide symbols."""


class SourceReader:
    """Collects the symbols and references of one file while its handlers are called."""

    def __init__(self, path: str, source: bytes, language: SourceLanguage, rules: CodeRules) -> None:
        """``source`` is the whole file, ``path`` its place in the repository."""
        self.path, self.source, self.rules = path, source, rules
        self.language = language
        self.names: LanguageNames = getattr(rules, language.names)
        self.package = ""
        self.symbols: dict[str, CodeSymbol] = {}
        self.references: dict[CodeReference, None] = {}
        self.bindings: dict[CodeBinding, None] = {}
        self.scopes: list[SyntaxScope] = []
        self.decorators: dict[int, list[str]] = {}
        """Names of decorators by the first byte of the definition that they stand before."""
        self.decorators_of_member: dict[int, list[SyntaxNode]] = {}
        """The expressions of the decorators right before a member of a class, by the first byte of the member."""
        self.routes: dict[int, tuple[str, str]] = {}
        """Method and path of the routes of attributes, by the byte at which each attribute ends."""
        self.called: tuple[int, int] = (-1, -1)
        """The bytes of the function of the last call, which is no access to a field."""
        self._comment = (-1, -1)

    @property
    def scope(self) -> SyntaxScope:
        """The innermost scope."""
        return self.scopes[-1] if self.scopes else SyntaxScope(len(self.source), "", "", False, "", set())

    @property
    def is_full(self) -> bool:
        """Whether the file has as many entries as one file may have."""
        return len(self.symbols) + len(self.references) >= self.rules.limits.file_entries

    def text(self, node: SyntaxNode | None) -> str:
        """The text of a short node on one line; empty for none, and for one that is too long or strange for a name."""
        if node is None or node.end_byte - node.start_byte > self.rules.limits.name_bytes:
            return ""
        text = " ".join(text_of(self.source, node).split())
        return text if text.isprintable() else ""

    def field(self, node: SyntaxNode, name: str) -> str:
        """The text of the child of ``node`` in the field ``name``."""
        return self.text(node.child_by_field_name(name))

    def written(self, node: SyntaxNode | None) -> str:
        """The dotted name that ``node`` writes, its own object called ``self``; empty for none."""
        name = written_name(self.source, node, self.rules.limits.name_bytes)
        receiver = self.scope.receiver
        if receiver and (name == receiver or name.startswith(f"{receiver}.")):
            return f"self{name[len(receiver) :]}"
        return name

    def string(self, node: SyntaxNode | None) -> str:
        """The text inside a string literal; empty for anything else."""
        return string_value(self.source, node, self.rules.limits.name_bytes)

    def types(self, *nodes: SyntaxNode | None) -> list[str]:
        """The names of the types in ``nodes``, parameters or types, without the language's own."""
        most, builtins = self.rules.limits.name_bytes, self.names.builtins
        found = dict.fromkeys(name for node in nodes for name in type_names(self.source, node, most))
        return [name for name in found if name not in builtins]

    def qualified(self, name: str) -> str:
        """The name of something that is defined here, with the type around it."""
        return f"{self.scope.type_name}.{name}" if self.scope.type_name else name

    def define(self, name: str, kind: str, node: SyntaxNode, doc: str | None = None, signature: str = "") -> None:
        """Adds a symbol with the full name ``name``. ``doc`` is the comment before ``node`` unless given.

        Of symbols with one name the first stays, but a method takes the place of a field: it is a property.
        """
        known = self.symbols.get(name)
        if not name or name.endswith(".") or (known and not (known.kind == "field" and kind == "method")):
            return
        documentation = self.comment_before(node.start_byte) if doc is None else doc
        self.symbols[name] = CodeSymbol(name, kind, node.start_point[0] + 1, documentation, signature)

    def enter(self, node: SyntaxNode, symbol: str, type_name: str, is_type: bool = False, receiver: str = "") -> None:
        """Makes ``node`` the innermost scope, until it ends; not with a name of types too long to be repeated."""
        if len(type_name) > _LONGEST_TYPE:
            return
        parameters = type_names(self.source, node.child_by_field_name("parameters"), _LONGEST_PARAMETER, _PARAMETERS)
        self.scopes.append(SyntaxScope(node.end_byte, symbol, type_name, is_type, receiver, set(parameters)))

    def refer(self, relation: str, target: str, source: str | None = None, via: str = "") -> None:
        """Adds a reference from the symbol around it, or from ``source``."""
        if target:
            self.references.setdefault(
                CodeReference(self.scope.symbol if source is None else source, relation, target, via)
            )

    def bind(self, local: str, module: str, name: str = "") -> None:
        """Adds a name that an import brings."""
        if local:
            self.bindings.setdefault(CodeBinding(local, module, name))

    def header(self, node: SyntaxNode, body: str = "body") -> str:
        """The text of a definition up to its body, on one line and cut to the length of a name."""
        inside = node.child_by_field_name(body)
        end = min(inside.start_byte if inside else node.end_byte, node.start_byte + self.rules.limits.name_bytes)
        return printable(" ".join(self.source[node.start_byte : end].decode("utf-8", "ignore").split()))

    def cut_doc(self, text: str) -> str:
        """``text`` cut to the bytes that are kept of documentation."""
        short = text.expandtabs().strip().encode("utf-8")[: self.rules.limits.doc_bytes]
        return printable(short.decode("utf-8", "ignore"))

    def comment_before(self, start: int) -> str:
        """The comment that ends just before the byte ``start``, without its marks."""
        begin, end = self._comment
        between = self.source[end:start] if 0 <= end <= start <= end + _FARTHEST_COMMENT else b";"
        if b"\n\n" in between or any(mark in between for mark in (b";", b"{", b"}")):
            return ""
        longest = begin + 4 * self.rules.limits.doc_bytes
        lines = self.source[begin : min(end, longest)].decode("utf-8", "replace").splitlines()
        bare = (line.strip().strip("/").strip("*").strip("/!*").strip() for line in lines)
        return self.cut_doc(" ".join(line for line in bare if line))

    def decorated_route(self, start: int) -> tuple[str, str]:
        """Method and path of the route whose attribute stands right before the byte ``start``; empty for none."""
        window = self.source[max(start - _FARTHEST_COMMENT, 0) : start]
        before = start - len(window) + len(window.rstrip())
        return self.routes.pop(before, ("", ""))

    def run(self, tree: SyntaxTree, is_over: Callable[[], bool]) -> None:
        """Calls the handlers for every syntax node in the order of the text. Raises :class:`TookTooLong`."""
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
        """All that was collected."""
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
    """The symbols and references of the file ``path`` with the bytes ``source``, in ``seconds`` of processor time.

    A file with a problem is read as far as it goes, and names the problem. Raises :class:`NoGrammar`.
    """
    reader, deadline = SourceReader(path, source, language, rules), time.thread_time() + seconds

    def is_over() -> bool:
        return time.thread_time() > deadline

    slow = f"takes more than {seconds:.2g} s of processor time, too much for its size"
    tree = _parsed(source, language, is_over)
    if tree is None:
        return reader.file(f"{slow}; {SPLIT_IT}")
    problem = "it has syntax errors; what is right of it is read" if tree.root_node.has_error else ""
    try:
        reader.run(tree, is_over)
    except TookTooLong:
        most = f"has more than {rules.limits.file_entries} symbols and references"
        problem = f"{most if reader.is_full else slow}; only its beginning is read"
    return reader.file(problem)


def _parsed(source: bytes, language: SourceLanguage, is_over: Callable[[], bool]) -> SyntaxTree | None:
    """The syntax tree; None if the time is over before."""
    from tree_sitter import Parser

    with warnings.catch_warnings():  # the callback that is to replace it ends the process (tree-sitter 0.25.2)
        warnings.simplefilter("ignore", DeprecationWarning)
        parser = Parser(grammar(language), timeout_micros=_SLICE_MICROSECONDS)
    while not is_over():
        with suppress(ValueError):  # the time of a slice is over; the next call goes on where it stopped
            return parser.parse(source)
    return None


@cache
def grammar(language: SourceLanguage) -> Grammar:
    """The grammar of ``language``. Raises :class:`NoGrammar`."""
    try:
        from tree_sitter import Language as Loaded

        return Loaded(getattr(importlib.import_module(language.module), language.function)())
    except ImportError as error:
        raise NoGrammar(REMEDY) from error


@cache
def _handlers(language: SourceLanguage) -> dict[int, Handler | None]:
    """The handlers by the number of their kind of syntax node; None for comments."""
    loaded = grammar(language)
    found: dict[int, Handler | None] = {}
    for number in range(loaded.node_kind_count):
        kind = loaded.node_kind_for_id(number) or ""
        if loaded.node_kind_is_named(number) and (kind in language.handlers or kind in _COMMENTS):
            found[number] = language.handlers.get(kind)
    return found
