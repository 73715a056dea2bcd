"""What edges join the first results with: the part of the graph that a trace holds, so that it can be drawn."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from brvtui.engines.knowing.model import EXTERNAL, Edge
from brvtui.engines.knowing.note_index import NoteIndex
from brvtui.engines.knowing.pipeline import TaskContext
from brvtui.engines.knowing.sections import GraphLink, GraphMap, GraphPlace
from brvtui.engines.knowing.tracing_words import edge_words, edge_words_back
from brvtui.engines.knowing.walk import edge_weight


@dataclass(frozen=True)
class MapMaker:
    """Makes the map of one answer. A note and its sections are one place; every other node is a place of its own."""

    index: NoteIndex
    made: TaskContext

    def map(self, centres: Sequence[str]) -> GraphMap:
        """The heaviest links of each note in ``centres`` (paths), every link among the places that these join, and
        the places.
        """
        links = {centre: list(dict.fromkeys(self._links(centre))) for centre in centres}
        kept = dict.fromkeys(centres)
        for centre, found in links.items():
            kept |= dict.fromkeys(self._nearest(centre, found))
        shown = (link for found in links.values() for link in found if link.source in kept and link.target in kept)
        return GraphMap(tuple(map(self._place, kept)), tuple(dict.fromkeys(shown)), tuple(centres))

    def place_of(self, position: int) -> str:
        """The place of the node at ``position`` of the graph: its note's path, or its own id."""
        graph = self.index.task.graph
        if position >= len(graph.nodes):
            return graph.ids[position]
        node = graph.nodes[position]
        return node.stands_in if node.stands_in in self.index.notes.known and not node.is_connector else node.id

    def name(self, position: int) -> str:
        """How the node at ``position`` is shown."""
        graph = self.index.task.graph
        return self.index.title(graph.nodes[position]) if position < len(graph.nodes) else graph.ids[position]

    def _links(self, centre: str) -> Iterator[GraphLink]:
        graph = self.index.task.graph
        for own in self.index.notes.piece(centre).nodes:
            for edge in (*graph.edges_from(own.id), *graph.edges_to(own.id)):
                link = self._link(edge)
                if link.source != link.target:
                    yield link

    def _link(self, edge: Edge) -> GraphLink:
        source, target = (self.place_of(self.index.task.graph.positions[id_]) for id_ in (edge.source, edge.target))
        weight = edge_weight(edge.type, edge.provenance, self.index.task.profile.walk)
        return GraphLink(source, target, edge_words(edge.type), edge_words_back(edge.type), weight)

    def _nearest(self, centre: str, links: Sequence[GraphLink]) -> list[str]:
        heaviest: dict[str, float] = {}
        for link in links:
            other = link.target if link.source == centre else link.source
            heaviest[other] = max(heaviest.get(other, 0.0), link.weight)
        order = sorted(heaviest, key=lambda other: (-heaviest[other], -self._place(other).walk, other))
        return order[: self.index.task.profile.notes.neighbours]

    def _place(self, id_: str) -> GraphPlace:
        graph, walk = self.index.task.graph, self.made.walk
        known = self.index.notes.known.get(id_)
        nodes = known.piece.nodes if known is not None else ()
        positions = [graph.positions[node.id] for node in nodes] or [graph.positions[id_]]
        first = graph.nodes[positions[0]] if positions[0] < len(graph.nodes) else None
        share = max((float(walk.scores[place]) for place in positions), default=0.0) if walk is not None else 0.0
        kind = first.kind if first is not None and first.kind != EXTERNAL else "missing"
        if first is None and id_ in graph.by_path:  # code names its files, which hold symbols and are none
            kind = "file"
        is_seed = any(place in self.made.seeds for place in positions)
        return GraphPlace(id_, self.name(positions[0]), kind, "" if known is None else id_, share, is_seed)
