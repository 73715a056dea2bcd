"""The graph that the engine ranks: nodes with explicit fields, typed edges, and look-ups by name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Positions = NDArray[np.int64]

EXTERNAL = "external"
"""The kind of a node that stands for something outside the corpus: a library's symbol, the missing target of a link."""
ASSUMED = "assumed"
"""The provenance of the least confidence, which every node has."""
_EXTERNAL_PREFIXES = ("external://", "stdlib://")


class Columns(NamedTuple):
    """The six texts of a node that full-text search reads, in the order of its weights."""

    symbol_name: str
    concepts: str
    qualified_name: str
    signature: str
    file_path: str
    doc: str


@dataclass(frozen=True, slots=True)
class Node:
    """A note, a section, a symbol: what the graph joins and an answer may hold."""

    id: str
    kind: str
    qualified_name: str
    name: str
    """The terminal name: a symbol's own name, a note's title as one word."""
    package: str = ""
    """The group in which seeds are kept together: a class's file, a note's topic."""
    module: str = ""
    """What the walk leaves only with a loss of weight; empty for a node that belongs to none."""
    path: str = ""
    """The file, relative to the corpus."""
    signature: str = ""
    doc: str = ""
    aliases: tuple[str, ...] = ()
    """Other terminal names: a note's file stem."""
    columns: Columns | None = None
    """The searched texts; None for a symbol, whose texts follow from its other fields."""
    modified: float | None = None
    """When it last changed (a commit's time, or that of a note), in seconds since 1970; None when unknown."""
    document: str = ""
    """The document that it is a part of, where that is not its file: a symbol is one of its own."""
    is_connector: bool = False
    """Whether it only joins others (a keyword, a file that notes name): nothing looks for it."""
    is_result: bool = True
    """Whether an answer may hold it; a folder may be a seed only."""
    is_set_aside: bool = False
    """Whether it lies in an archive, or is deprecated."""

    @property
    def stands_in(self) -> str:
        """The path of the document that an answer holds for it."""
        return self.document or self.path

    @property
    def is_external(self) -> bool:
        """Whether it lies outside the corpus, so that it is never a result."""
        return self.kind == EXTERNAL or self.qualified_name.startswith(_EXTERNAL_PREFIXES)


class Edge(NamedTuple):
    """A directed relation between two nodes; an end may be the id of no node, for a target that is unresolved."""

    source: str
    target: str
    type: str
    confidence: float = 0.7
    provenance: str = "ast_inferred"


class Incidence(NamedTuple):
    """The edges at each node: those of position ``p`` are ``edges[starts[p]:starts[p + 1]]``."""

    starts: Positions
    edges: Positions

    def of(self, position: int) -> Positions:
        """The positions of the edges at the node ``position``, in the order of the graph."""
        return self.edges[self.starts[position] : self.starts[position + 1]]


@dataclass(frozen=True, eq=False)
class Graph:
    """Nodes and edges, immutable. A node's position is its place in ``nodes``; unresolved ends come after them."""

    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...] = ()

    @cached_property
    def positions(self) -> dict[str, int]:
        """The position of each id, those of unresolved ends included, from ``len(nodes)`` on."""
        positions = {node.id: place for place, node in enumerate(self.nodes)}
        for edge in self.edges:
            positions.setdefault(edge.source, len(positions))
            positions.setdefault(edge.target, len(positions))
        return positions

    @cached_property
    def ids(self) -> tuple[str, ...]:
        """The id of each position."""
        return tuple(self.positions)

    @property
    def size(self) -> int:
        """How many positions there are."""
        return len(self.positions)

    def find(self, id_: str) -> Node | None:
        """The node with the id ``id_``; None when there is none, or it is an unresolved end."""
        place = self.positions.get(id_, self.size)
        return self.nodes[place] if place < len(self.nodes) else None

    @cached_property
    def sources(self) -> Positions:
        """The position of each edge's source."""
        return self._ends(edge.source for edge in self.edges)

    @cached_property
    def targets(self) -> Positions:
        """The position of each edge's target."""
        return self._ends(edge.target for edge in self.edges)

    def _ends(self, ids: Iterator[str]) -> Positions:
        positions = self.positions
        return np.fromiter((positions[id_] for id_ in ids), np.int64, len(self.edges))

    @cached_property
    def outgoing(self) -> Incidence:
        """The edges that leave each node."""
        return self._incidence(self.sources)

    @cached_property
    def incoming(self) -> Incidence:
        """The edges that end at each node."""
        return self._incidence(self.targets)

    def _incidence(self, ends: Positions) -> Incidence:
        starts = np.zeros(self.size + 1, np.int64)
        np.cumsum(np.bincount(ends, minlength=self.size), out=starts[1:])
        return Incidence(starts, np.argsort(ends, kind="stable"))

    @cached_property
    def confidences(self) -> NDArray[np.float64]:
        """The highest confidence of the edges that end at each position; 0 without one."""
        made = np.zeros(self.size)
        np.maximum.at(made, self.targets, np.fromiter((edge.confidence for edge in self.edges), float, len(self.edges)))
        return made

    def provenance(self, id_: str, least: float) -> str:
        """The origin of the confidence in a node: that of its surest incoming edge, if it has at least ``least``."""
        surest = max(self.edges_to(id_), key=lambda edge: edge.confidence, default=None)
        return surest.provenance if surest is not None and surest.confidence >= least else ASSUMED

    def edges_from(self, id_: str, *types: str) -> list[Edge]:
        """The edges that leave ``id_``, of the given types or of all, in the order of the graph."""
        return self._edges_at(self.outgoing, id_, types)

    def edges_to(self, id_: str, *types: str) -> list[Edge]:
        """The edges that end at ``id_``, of the given types or of all, in the order of the graph."""
        return self._edges_at(self.incoming, id_, types)

    def _edges_at(self, incidence: Incidence, id_: str, types: Sequence[str]) -> list[Edge]:
        place = self.positions.get(id_)
        if place is None:
            return []
        found = (self.edges[at] for at in incidence.of(place))
        return [edge for edge in found if not types or edge.type in types]

    @cached_property
    def outside(self) -> int:
        """How many nodes stand for something outside the corpus."""
        return sum(node.is_external for node in self.nodes)

    @cached_property
    def by_path(self) -> dict[str, list[int]]:
        """The positions of the nodes of each file, in the order of the graph."""
        paths: dict[str, list[int]] = {}
        for place, node in enumerate(self.nodes):
            paths.setdefault(node.path, []).append(place)
        return paths

    @cached_property
    def by_document(self) -> dict[str, list[Node]]:
        """The nodes that stand in each document as its results, in the order of the graph."""
        documents: dict[str, list[Node]] = {}
        for node in self.nodes:
            if node.is_result and not node.is_connector and node.stands_in:
                documents.setdefault(node.stands_in, []).append(node)
        return documents

    def by_node(self, values: Mapping[str, float]) -> dict[str, float]:
        """The ``values`` of documents, by path, as those of all their nodes, by id; unknown documents have none."""
        return {node.id: value for path, value in values.items() for node in self.by_document.get(path, ())}


def name_order(name: str) -> bytes:
    """The key by which names are in the order of their bytes."""
    return name.encode("utf-8", "surrogatepass")


def terminal_name(qualified_name: str) -> str:
    """The text after the last dot; all of it when there is no dot."""
    return qualified_name.rpartition(".")[2]


def package_key(qualified_name: str) -> str:
    """The dotted path before the first capitalised part; the whole path when there is none before it.

    Methods of a class share its file, while a function in lower case has a package of its own.
    """
    _, found, path = qualified_name.partition("://")
    kept: list[str] = []
    for part in filter(None, path.split(".") if found else ()):
        if "A" <= part[0] <= "Z":
            break
        kept.append(part)
    return ".".join(kept) or (path if found else "")


def module_of(qualified_name: str) -> str:
    """The first folder of the path; empty when there is none."""
    _, _, path = qualified_name.partition("://")
    folder, found, _ = path.partition("/")
    return folder if found else ""


def symbol(
    qualified_name: str,
    kind: str,
    *,
    id_: str = "",
    signature: str = "",
    doc: str = "",
    path: str = "",
    modified: float | None = None,
    document: str = "",
) -> Node:
    """The node of a code symbol. Its name, package and module follow from its qualified name, its id by default too."""
    return Node(
        id_ or qualified_name,
        kind,
        qualified_name,
        terminal_name(qualified_name),
        package_key(qualified_name),
        module_of(qualified_name),
        path,
        signature,
        doc,
        modified=modified,
        document=document,
    )
