"""Maps the part of the graph around the first results. A trace contains this map, so that it can be drawn."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from brvtui.engines.knowing.model import EXTERNAL
from brvtui.engines.knowing.note_index import NoteIndex
from brvtui.engines.knowing.pipeline import TaskContext
from brvtui.engines.knowing.sections import GraphLink, GraphMap, GraphPlace
from brvtui.engines.knowing.tracing_words import edge_words, edge_words_back
from brvtui.engines.knowing.walk import edge_weight

_Tie = tuple[str, str, str, float]
"""An edge between two places: source, target, type and weight."""


@dataclass(frozen=True)
class MapMaker:
    """Builds the map of one answer. A note and its sections share one place; every other node has its own place."""

    index: NoteIndex
    result: TaskContext
    _known: dict[str, str] = field(default_factory=dict)
    """The place ids of nodes that were looked up, keyed by node id."""
    _shares: dict[str, float] = field(default_factory=dict)
    """The walk's share at each place that was looked up, keyed by place id."""

    def map(self, centres: Sequence[str]) -> GraphMap:
        """Returns the map around ``centres`` (paths of notes).

        The map contains the nearest neighbours of each centre, and the links of the centres to places on the map.
        """
        ties = {centre: list(dict.fromkeys(self._ties(centre))) for centre in centres}
        places = dict.fromkeys(centres)
        for centre, own in ties.items():
            places |= dict.fromkeys(self._nearest(centre, own))
        shown = dict.fromkeys(tie for own in ties.values() for tie in own if tie[0] in places and tie[1] in places)
        links = (
            GraphLink(source, target, edge_words(type_), edge_words_back(type_), weight)
            for source, target, type_, weight in shown
        )
        return GraphMap(tuple(map(self._place, places)), tuple(links), tuple(centres))

    def place_of(self, position: int) -> str:
        """The place id of the node at ``position``: the path of its note or, if it has none, its own id."""
        graph = self.index.task.graph
        if position >= len(graph.nodes):
            return graph.ids[position]
        node = graph.nodes[position]
        return node.stands_in if node.stands_in in self.index.notes.known and not node.is_connector else node.id

    def name(self, position: int) -> str:
        """The display name of the node at ``position`` in the graph."""
        graph = self.index.task.graph
        if position < len(graph.nodes):
            return self.index.title(graph.nodes[position])
        return graph.ids[position].removeprefix("external://")

    def _ties(self, centre: str) -> Iterator[_Tie]:
        graph, rules = self.index.task.graph, self.index.task.profile.walk
        for own in self.index.notes.piece(centre).nodes:
            for edge in graph.edges_from(own.id):
                other = self._place_of_id(edge.target)
                if other != centre:
                    yield centre, other, edge.type, edge_weight(edge.type, edge.provenance, rules)
            for edge in graph.edges_to(own.id):
                other = self._place_of_id(edge.source)
                if other != centre:
                    yield other, centre, edge.type, edge_weight(edge.type, edge.provenance, rules)

    def _place_of_id(self, id_: str) -> str:
        place = self._known.get(id_)
        if place is None:
            place = self._known[id_] = self.place_of(self.index.task.graph.positions[id_])
        return place

    def _nearest(self, centre: str, ties: Sequence[_Tie]) -> list[str]:
        heaviest: dict[str, float] = {}
        for source, target, _, weight in ties:
            other = target if source == centre else source
            heaviest[other] = max(heaviest.get(other, 0.0), weight)
        order = sorted(heaviest, key=lambda other: (-heaviest[other], -self._share(other), other))
        return order[: self.index.task.profile.notes.neighbours]

    def _positions(self, id_: str) -> list[int]:
        """The positions of the nodes in a place. For a note, the node of the note itself comes first."""
        known, positions = self.index.notes.known.get(id_), self.index.task.graph.positions
        return [positions[node.id] for node in known.piece.nodes] if known is not None else [positions[id_]]

    def _share(self, id_: str) -> float:
        walk = self.result.walk
        share = self._shares.get(id_)
        if share is None:
            share = float(walk.scores[self._positions(id_)].max()) if walk is not None else 0.0
            self._shares[id_] = share
        return share

    def _place(self, id_: str) -> GraphPlace:
        graph, positions = self.index.task.graph, self._positions(id_)
        first = graph.nodes[positions[0]] if positions[0] < len(graph.nodes) else None
        kind = first.kind if first is not None and first.kind != EXTERNAL else "missing"
        if first is None and id_ in graph.by_path:  # in code, a file is not a node, only its symbols are
            kind = "file"
        file = id_ if id_ in self.index.notes.known else ""
        is_seed = any(place in self.result.seeds for place in positions)
        return GraphPlace(id_, self.name(positions[0]), kind, file, self._share(id_), is_seed)
