"""A page for each symbol of a repository: its own path below its file, its title, its lines of source."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from brvtui.corpus.code.records import CodeGraph, CodeNode


@dataclass(frozen=True, slots=True)
class SymbolPage:
    """A symbol as a document."""

    path: str
    """``src/app.py/Server.run``: its file as a folder, and its name in it."""
    symbol: CodeNode
    title: str
    """Its name in the file, with the types around it."""


@dataclass(frozen=True)
class SymbolPages:
    """The pages of all symbols, by path and by the symbol's id, in the order of files and lines."""

    graph: CodeGraph = field(default_factory=lambda: CodeGraph("", (), ()))

    @cached_property
    def by_path(self) -> Mapping[str, SymbolPage]:
        """Every page by its path."""
        made: dict[str, SymbolPage] = {}
        for node in sorted(self.graph.nodes, key=lambda node: (node.path, node.line, node.id)):
            title = _title(node)
            path = name = f"{node.path}/{title.replace('/', '_')}"
            count = 1
            while path in made:  # GET /a/b and GET /a_b
                count += 1
                path = f"{name}-{count}"
            made[path] = SymbolPage(path, node, title)
        return made

    @cached_property
    def path_of(self) -> Mapping[str, str]:
        """The path of the page of each symbol, by its id."""
        return {page.symbol.id: path for path, page in self.by_path.items()}

    @cached_property
    def of_file(self) -> Mapping[str, tuple[SymbolPage, ...]]:
        """The pages of each source file, in the order of their lines."""
        found: dict[str, list[SymbolPage]] = {}
        for page in self.by_path.values():
            found.setdefault(page.symbol.path, []).append(page)
        return {path: tuple(pages) for path, pages in found.items()}

    def lines_of(self, page: SymbolPage) -> tuple[int, int | None]:
        """The first line of a symbol, from 1, and that of the next symbol which is not inside it; None at the end."""
        inside = f"{page.symbol.id}."
        later = (other.symbol for other in self.of_file[page.symbol.path] if other.symbol.line > page.symbol.line)
        return page.symbol.line, next((other.line for other in later if not other.id.startswith(inside)), None)


def _title(node: CodeNode) -> str:
    if not node.line:  # what lies outside of files: a variable, a command
        return f"{node.kind.replace('_', ' ')} {node.name}"
    for base in (node.path, node.path.rpartition("/")[0]):  # a file, or a folder that is a package
        if base and node.id.startswith(f"{base}."):
            return node.id[len(base) + 1 :]
    return node.id
