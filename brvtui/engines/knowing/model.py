"""The graph that the engine ranks: nodes, typed edges, and the names of nodes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Positions = NDArray[np.int64]

EXTERNAL = "external"
"""The kind of a node outside the corpus, such as a symbol of a library or the missing target of a link."""
ASSUMED = "assumed"
"""The provenance of the default confidence, which applies to a node without a confident edge."""
_EXTERNAL_PREFIXES = ("external://", "stdlib://")


class Columns(NamedTuple):
    """The six searchable texts of a node, in the order of the column weights."""

    symbol_name: str
    concepts: str
    qualified_name: str
    signature: str
    file_path: str
    doc: str


@dataclass(frozen=True, slots=True)
class Node:
    """A note, a section or a symbol: a node of the graph and a possible result."""

    id: str
    kind: str
    qualified_name: str
    name: str
    """The terminal name, which is the short name of a symbol, or the title of a note as one word."""
    package: str = ""
    """The group that decides which seeds are kept together, such as a class's file or a note's topic."""
    module: str = ""
    """The module; empty if there is none. Weight is lost when the walk leaves a module."""
    path: str = ""
    """The path of the node's file in the corpus."""
    signature: str = ""
    doc: str = ""
    aliases: tuple[str, ...] = ()
    """Other terminal names, such as the file stem of a note."""
    columns: Columns | None = None
    """The searched texts; None for a symbol, whose texts are derived from its other fields."""
    modified: float | None = None
    """The time of the last change (of a commit or a note), in seconds since 1970; None if unknown."""
    document: str = ""
    """The path of the node's document; empty if it is the file. In code, each symbol is a document."""
    is_connector: bool = False
    """True if the node only connects others, such as a keyword. Such nodes are never searched."""
    is_result: bool = True
    """True if the node can be a result. Folders can only be seeds."""
    is_set_aside: bool = False
    """True if the node is archived or deprecated."""

    @property
    def stands_in(self) -> str:
        """The path of the document that represents the node in an answer."""
        return self.document or self.path

    @property
    def is_external(self) -> bool:
        """True if the node is outside the corpus and therefore never a result."""
        return self.kind == EXTERNAL or self.qualified_name.startswith(_EXTERNAL_PREFIXES)


class Edge(NamedTuple):
    """A directed relation between two nodes. Each end may be an unresolved id, which has no node."""

    source: str
    target: str
    type: str
    confidence: float = 0.7
    provenance: str = "ast_inferred"


class Incidence(NamedTuple):
    """The edges at each node. The edges of the node at position ``p`` are ``edges[starts[p]:starts[p + 1]]``."""

    starts: Positions
    edges: Positions

    def of(self, position: int) -> Positions:
        """The positions of the edges at the node ``position``, in graph order."""
        return self.edges[self.starts[position] : self.starts[position + 1]]


@dataclass(frozen=True, eq=False)
class Graph:
    """The immutable nodes and edges. A position is an index into ``nodes``, or higher if unresolved."""

    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...] = ()

    @cached_property
    def positions(self) -> dict[str, int]:
        """The position of each id. The positions of unresolved ends start at ``len(nodes)``."""
        positions = {node.id: place for place, node in enumerate(self.nodes)}
        for edge in self.edges:
            positions.setdefault(edge.source, len(positions))
            positions.setdefault(edge.target, len(positions))
        return positions

    @cached_property
    def ids(self) -> tuple[str, ...]:
        """The id at each position."""
        return tuple(self.positions)

    @property
    def size(self) -> int:
        """The number of positions."""
        return len(self.positions)

    def find(self, id_: str) -> Node | None:
        """The node with the id ``id_``; None if there is none or ``id_`` is an unresolved end."""
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
        """The highest confidence among the edges that end at each position; 0 if there are none."""
        highest = np.zeros(self.size)
        np.maximum.at(
            highest, self.targets, np.fromiter((edge.confidence for edge in self.edges), float, len(self.edges))
        )
        return highest

    def provenance(self, id_: str, minimum: float) -> str:
        """The provenance of the most confident edge to the node ``id_``; ``ASSUMED`` if there is no edge with a
        confidence of at least ``minimum``.
        """
        surest = max(self.edges_to(id_), key=lambda edge: edge.confidence, default=None)
        return surest.provenance if surest is not None and surest.confidence >= minimum else ASSUMED

    def edges_from(self, id_: str, *types: str) -> list[Edge]:
        """The edges from ``id_``, of the given types or of all types, in graph order."""
        return self._edges_at(self.outgoing, id_, types)

    def edges_to(self, id_: str, *types: str) -> list[Edge]:
        """The edges to ``id_``, of the given types or of all types, in graph order."""
        return self._edges_at(self.incoming, id_, types)

    def _edges_at(self, incidence: Incidence, id_: str, types: Sequence[str]) -> list[Edge]:
        place = self.positions.get(id_)
        if place is None:
            return []
        edges = (self.edges[at] for at in incidence.of(place))
        return [edge for edge in edges if not types or edge.type in types]

    @cached_property
    def outside(self) -> int:
        """The number of nodes outside the corpus."""
        return sum(node.is_external for node in self.nodes)

    @cached_property
    def by_path(self) -> dict[str, list[int]]:
        """The positions of the nodes in each file, in graph order."""
        paths: dict[str, list[int]] = {}
        for place, node in enumerate(self.nodes):
            paths.setdefault(node.path, []).append(place)
        return paths

    @cached_property
    def by_document(self) -> dict[str, list[Node]]:
        """The nodes that can be results, keyed by document, in graph order."""
        documents: dict[str, list[Node]] = {}
        for node in self.nodes:
            if node.is_result and not node.is_connector and node.stands_in:
                documents.setdefault(node.stands_in, []).append(node)
        return documents

    def by_node(self, values: Mapping[str, float]) -> dict[str, float]:
        """``values``, which are keyed by document path, keyed by node id. Unknown documents are left out."""
        return {node.id: value for path, value in values.items() for node in self.by_document.get(path, ())}


def name_order(name: str) -> bytes:
    """The sort key for a name, which consists of its UTF-8 bytes."""
    return name.encode("utf-8", "surrogatepass")


def terminal_name(qualified_name: str) -> str:
    """The text after the last dot; the whole name if there is no dot."""
    return qualified_name.rpartition(".")[2]


def package_key(qualified_name: str) -> str:
    """The dotted path before the first capitalized part, or the whole path if that is empty.

    Methods of a class are in the package of their file. A lower-case function is a package of its own.
    """
    _, separator, path = qualified_name.partition("://")
    parts: list[str] = []
    for part in filter(None, path.split(".") if separator else ()):
        if "A" <= part[0] <= "Z":
            break
        parts.append(part)
    return ".".join(parts) or (path if separator else "")


def module_of(qualified_name: str) -> str:
    """The first folder of the path; empty if there is none."""
    _, _, path = qualified_name.partition("://")
    folder, slash, _ = path.partition("/")
    return folder if slash else ""


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
    """The node for a code symbol. The name, package, module and default id are derived from the qualified name."""
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
