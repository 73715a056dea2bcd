"""Frozen data: the contents of source files, and the graph built from them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, NamedTuple

_OUTSIDE = re.compile(r"[a-z_]+://")


class CodeSymbol(NamedTuple):
    """A symbol defined in a file."""

    name: str
    """The symbol's name within the file, with enclosing types, such as ``Store.read``."""
    kind: str
    """``function``, ``method``, ``type``, ``interface``, ``field`` or ``route_handler``."""
    line: int
    """The line number, from 1."""
    doc: str = ""
    signature: str = ""


class CodeReference(NamedTuple):
    """A reference from one symbol to another, as written in the source."""

    source: str
    """The enclosing symbol's name within the file; empty outside all symbols."""
    relation: str
    """The type of the resulting edge; ``callback`` for a function that is registered to be called later, or
    ``hands_over`` for an argument that may be a function.
    """
    target: str
    """The dotted name as written, such as ``self.cache.get``. The current object is called ``self`` in
    every language.
    """
    via: str = ""
    """The name of the function that registers a ``callback``; otherwise empty."""


class CodeBinding(NamedTuple):
    """A name that an import defines in the importing file."""

    local: str
    """The name in the importing file; ``*`` for all names of the module."""
    module: str
    """The imported module as written: with dots or, in JavaScript, as a path; empty for the importing file itself."""
    name: str = ""
    """The name in the imported module; empty if the module itself is imported."""


class CodeFile(NamedTuple):
    """The contents of one source file, independent of all other files."""

    path: str
    """The path in the repository, with ``/``."""
    language: str
    base: str
    """The file's name within the module; empty for the module itself."""
    package: str
    """The declared package; empty if there is none."""
    symbols: tuple[CodeSymbol, ...]
    references: tuple[CodeReference, ...]
    bindings: tuple[CodeBinding, ...]
    problem: str = ""
    """A problem that made the contents incomplete; empty if there is none."""

    def plain(self) -> list[Any]:
        """The contents as lists of strings and numbers, for JSON."""
        return [*self[:4], *([list(one) for one in part] for part in self[4:7]), self.problem]

    @classmethod
    def from_plain(cls, value: list[Any]) -> CodeFile:
        """The file with the contents ``value`` from :meth:`plain`. Raises ValueError or TypeError for any
        other value.
        """
        path, language, base, package, symbols, references, bindings, problem = value
        if not all(isinstance(text, str) for text in (path, language, base, package, problem)):
            raise ValueError("not a source file")
        return cls(
            path,
            language,
            base,
            package,
            tuple(CodeSymbol(*one) for one in symbols),
            tuple(CodeReference(*one) for one in references),
            tuple(CodeBinding(*one) for one in bindings),
            problem,
        )


class SkippedSource(NamedTuple):
    """A file or folder that was skipped or only partly read, with the reason."""

    path: str
    reason: str

    @property
    def line(self) -> str:
        """A message for the user."""
        return f"{self.path}: {self.reason}"


class CodeNode(NamedTuple):
    """A symbol of the repository."""

    id: str
    """The node's id, such as ``src/app.py.Server.run``; nodes outside files have ids such as ``env://NAME`` and
    ``process://NAME``.
    """
    kind: str
    name: str
    """The last part of the id."""
    path: str
    line: int
    doc: str = ""
    signature: str = ""


class CodeEdge(NamedTuple):
    """A relation between two symbols. If an end has no node, it is a file or an unresolved name."""

    source: str
    target: str
    type: str
    confidence: float
    provenance: str


@dataclass(frozen=True, slots=True)
class CodeGraph:
    """A repository's symbols and edges in a fixed order, and the skipped files."""

    repository: str
    """The prefix of qualified names: ``name://name``."""
    nodes: tuple[CodeNode, ...]
    edges: tuple[CodeEdge, ...]
    skipped: tuple[SkippedSource, ...] = ()
    cut: str = ""
    """A message if derived edges are left out because there are too many; otherwise empty."""

    def qualified_name(self, id_: str) -> str:
        """The globally unique name of a symbol or of an edge's unresolved end."""
        return id_ if _OUTSIDE.match(id_) else f"{self.repository}/{id_}"
