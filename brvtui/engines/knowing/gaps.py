"""Fills gaps: if words find too few candidates, adds nodes with a meaning close to the task's.

See ``docs/reference/knowing.md``, "Filling gaps".
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import islice

from brvtui.engines.contract import Query
from brvtui.engines.embedding import why_not_asked
from brvtui.engines.knowing.candidates import dominant_package, noise
from brvtui.engines.knowing.model import Graph, Node
from brvtui.engines.knowing.sections import ENGINE
from brvtui.engines.knowing.seed_rules import NoiseRules, SeedRules
from brvtui.engines.knowing.words import camel_words
from brvtui.engines.text_vectors import Embedded, embed_texts, unit_vectors
from brvtui.services.legs import Embedder, LegError, ServiceError
from brvtui.services.provided import EngineServices
from brvtui.trace import State
from brvtui.wording import counted

_BATCH, _TEXT_CHARS = 64, 8_000
"""The number of texts per request, and the maximum number of characters of each text that are sent."""


@dataclass(frozen=True, slots=True)
class NearNodes:
    """The nodes nearest to a task, as ids and cosines, nearest first; if there are none, the reason why."""

    found: tuple[tuple[str, float], ...] = ()
    why: str = ""
    """The reason why there are no nodes, or why some vectors are missing."""
    state: State = State.FAILED
    """The state if there are no nodes: NOT_RUN if the embedder was not called, FAILED if the call failed."""


NearSearch = Callable[[], NearNodes]


@dataclass(frozen=True, slots=True)
class GapFill:
    """The nodes that were added because there were too few candidates, with their cosines, nearest first. If none were
    added, ``words`` contains the reason.
    """

    candidates: int
    state: State
    words: str
    added: tuple[tuple[str, float], ...] = ()
    notice: str = ""
    """A message about a failed embedder; empty if it did not fail."""


def fill_gap(
    nodes: Sequence[Node], search: NearSearch, allows: Callable[[str], bool], graph: Graph, rules: SeedRules
) -> GapFill:
    """Finds nodes near the task to add to the candidates ``nodes``.

    ``allows`` must return True for the id of an added node. If the candidates have a dominant package, the node must be
    in it. ``search`` is called only if there are too few candidates.
    """
    count, ids, package = len(nodes), {node.id for node in nodes}, dominant_package(nodes, rules)
    if count >= rules.gap_below:
        return GapFill(count, State.SKIPPED, "not needed: the words found enough")
    near = search()
    notice = f"vectors failed, so gaps may not be filled: {near.why}" if near.why and near.state is State.FAILED else ""
    if not near.found:
        return GapFill(count, near.state, near.why, notice=notice)
    allowed = ((id_, cosine) for id_, cosine in near.found if id_ not in ids and allows(id_))
    fits = (one for one in allowed if not package or graph.nodes[graph.positions[one[0]]].package == package)
    added = tuple(islice(fits, max(0, rules.gap_most - count)))
    where = f", only from {package}" if package else ""
    words = f"added {len(added)} of the {counted(len(near.found), 'node', 'nodes')} nearest in meaning{where}"
    return GapFill(count, State.HIT if added else State.MISSED, words, added, notice)


class NodeVectors:
    """The vectors of the nodes in a graph that can be results, cached by text. They are computed when a gap first needs
    them.
    """

    def __init__(self, graph: Graph, noise: NoiseRules, nearest: int) -> None:
        """Prepares searches for up to ``nearest`` nodes of ``graph`` that are not ``noise``. Nothing is loaded before
        the first search.
        """
        self._graph, self._noise, self._nearest = graph, noise, nearest
        self._embedded: tuple[str, list[str], Embedded] | None = None
        self._embedding = threading.Lock()

    def search(self, services: EngineServices, query: Query) -> NearSearch | None:
        """Returns a function that finds the nodes near ``query``, or None if ``services`` has no embedder."""
        try:
            embedder = services.embedder
        except ServiceError as error:
            wrong = NearNodes(why=str(error))
            return lambda: wrong
        return (lambda: self._near(embedder, services, query)) if embedder is not None else None

    def _near(self, embedder: Embedder, services: EngineServices, query: Query) -> NearNodes:
        if why := why_not_asked(embedder, query, has_vectors=True):
            return NearNodes((), why, State.NOT_RUN)
        ids, embedded = self._vectors(embedder, services, query)
        if not ids:
            return NearNodes((), "nothing has a vector", State.MISSED)
        if why := why_not_asked(embedder, query, not embedded.missing):
            return NearNodes((), why, State.NOT_RUN)
        lacking = f"{counted(embedded.missing, 'node has', 'nodes have')} no vector: " if embedded.missing else ""
        try:
            vector = unit_vectors(embedder, [query.text])[0] if len(embedded.table.positions) else ()
            near = embedded.table.nearest(vector, self._nearest)
        except LegError as error:
            return NearNodes(why=str(error))
        return NearNodes(tuple((ids[place], cosine) for place, cosine in near), lacking + embedded.error)

    def _vectors(self, embedder: Embedder, services: EngineServices, query: Query) -> tuple[list[str], Embedded]:
        """The ids of the nodes, and their vectors. Only a run computes missing vectors."""
        with self._embedding:
            if (
                self._embedded is None
                or self._embedded[0] != embedder.name
                or (query.may_ask and self._embedded[2].missing)
            ):
                nodes = [node for node in self._graph.nodes if _has_vector(node, self._noise)]
                texts = [_embedded_text(node)[:_TEXT_CHARS] for node in nodes]
                kept = services.vectors(f"{ENGINE} {embedder.name}")
                vectors = embed_texts(texts, embedder, kept, _BATCH, lambda: not query.may_ask, query.progress)
                self._embedded = embedder.name, [node.id for node in nodes], vectors
            return self._embedded[1:]


def _has_vector(node: Node, rules: NoiseRules) -> bool:
    return node.is_result and not node.is_connector and noise(node, rules) is None


def _embedded_text(node: Node) -> str:
    """The text for a node's vector: the title, summary and body of a note, or the comment, name and
    signature of a symbol.
    """
    if node.columns is not None:
        return "\n".join((node.columns.symbol_name, node.columns.signature, node.columns.doc))
    _, slash, tail = node.qualified_name.rpartition("/")
    file, _, name = tail.partition(".") if slash else ("", "", "")
    words = " ".join(camel_words((name or node.qualified_name).replace(".", " ").replace("_", " ")))
    package = f"in package {file}" if name else ""
    signature = node.signature[max(0, node.signature.find("(")) :]
    signed = f"with signature {signature}" if signature not in ("", "()") else ""
    return " ".join(filter(None, (node.doc, node.kind, words, package, signed)))
