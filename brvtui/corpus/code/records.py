"""What is read of source files, and the graph that is made of it: plain frozen data."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, NamedTuple

_OUTSIDE = re.compile(r"[a-z_]+://")


class CodeSymbol(NamedTuple):
    """A named thing that one file defines."""

    name: str
    """Its name inside the file, with the types around it: ``Store.read``."""
    kind: str
    """``function``, ``method``, ``type``, ``interface``, ``field`` or ``route_handler``."""
    line: int
    """From 1."""
    doc: str = ""
    signature: str = ""


class CodeReference(NamedTuple):
    """A place where one symbol names another, as it is written there."""

    source: str
    """The symbol around it, by its name inside the file; empty outside all symbols."""
    relation: str
    """The type of the edge that it becomes; ``callback`` for a function that is registered to be called later,
    ``hands_over`` for a value of a call that may be a function."""
    target: str
    """The written name, with dots: ``self.cache.get``. The object of the method is ``self`` in every language."""
    via: str = ""
    """For ``callback``: the written name of the function that it is handed to."""


class CodeBinding(NamedTuple):
    """A name that an import brings into a file."""

    local: str
    """The name in this file; ``*`` for all names of the module."""
    module: str
    """The imported module as it is written, with dots; a path for JavaScript; empty for this file itself."""
    name: str = ""
    """The name inside the module; empty for the module itself."""


class CodeFile(NamedTuple):
    """What was read of one source file. Nothing in it depends on another file."""

    path: str
    """Relative to the repository, with ``/``."""
    language: str
    base: str
    """What the ids of its symbols begin with: its path, or its folder where a folder is a package."""
    package: str
    """The package that it declares, if its language has such a line."""
    symbols: tuple[CodeSymbol, ...]
    references: tuple[CodeReference, ...]
    bindings: tuple[CodeBinding, ...]
    problem: str = ""
    """What is not right with it, though the rest was read; empty when nothing is."""

    def plain(self) -> list[Any]:
        """All of it as lists of texts and numbers, for JSON."""
        return [*self[:4], *([list(one) for one in part] for part in self[4:7]), self.problem]

    @classmethod
    def from_plain(cls, value: list[Any]) -> CodeFile:
        """What :meth:`plain` made. Raises ValueError or TypeError for anything else."""
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
    """A file or folder that was not read, or not whole, and why."""

    path: str
    reason: str

    @property
    def line(self) -> str:
        """One line for the user."""
        return f"{self.path}: {self.reason}"


class CodeNode(NamedTuple):
    """A symbol of the repository."""

    id: str
    """``src/app.py.Server.run``; ``env://NAME`` and ``process://NAME`` for what lies outside of files."""
    kind: str
    name: str
    """The last part of the id."""
    path: str
    line: int
    doc: str = ""
    signature: str = ""


class CodeEdge(NamedTuple):
    """A relation between two symbols. An end without a node stands for a file, or for a name that was not resolved."""

    source: str
    target: str
    type: str
    confidence: float
    provenance: str


@dataclass(frozen=True, slots=True)
class CodeGraph:
    """A repository: its symbols and edges, in a fixed order, and what is not in them."""

    repository: str
    """What qualified names begin with: ``name://name``."""
    nodes: tuple[CodeNode, ...]
    edges: tuple[CodeEdge, ...]
    skipped: tuple[SkippedSource, ...] = ()
    cut: str = ""
    """That edges are left out, because too many follow from others; empty if none are."""

    def qualified_name(self, id_: str) -> str:
        """The name of a symbol, or of an unresolved end, in all the world."""
        return id_ if _OUTSIDE.match(id_) else f"{self.repository}/{id_}"
