"""Converts the symbols of a repository to a graph and an index for the engine (``docs/reference/code.md``)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from brvtui.corpus.code.commits import CommitTimes
from brvtui.corpus.code.documents import Documentation, SymbolPages, nearest_of_each_note, note_path
from brvtui.corpus.code.finding import NOT_READ
from brvtui.corpus.code.snapshot import RepositorySnapshot
from brvtui.engines.knowing.equivalence import built_in_classes, language_of
from brvtui.engines.knowing.model import Edge, Graph, Node, symbol
from brvtui.engines.knowing.note_index import AROUND, NoteIndex
from brvtui.engines.knowing.note_reading import NotePiece
from brvtui.engines.knowing.notes_graph import KnownPiece, NoteGraph
from brvtui.engines.knowing.packing import node_tokens
from brvtui.engines.knowing.pipeline import task_index
from brvtui.engines.knowing.profile import KnowingProfile
from brvtui.engines.knowing.reached import ScoringContext, is_test
from brvtui.engines.knowing.scoring import ScoredCandidate, lifts_penalty
from brvtui.engines.knowing.sections import NoteOnCode
from brvtui.engines.knowing.seeding import seed_index
from brvtui.snapshot import Snapshot

_NOTE = "note"


def graph_of_code(pages: SymbolPages, documentation: Documentation | None = None) -> Graph:
    """The graph of a repository's symbols and of the notes that ``documentation`` links to them.

    Notes are not searched and cannot be results, but the walk can pass through them from one symbol to another.
    """
    code = pages.graph
    nodes = (
        symbol(
            code.qualified_name(node.id),
            node.kind,
            id_=node.id,
            signature=node.signature,
            doc=node.doc,
            path=node.path,
            document=pages.path_of[node.id],
        )
        for node in code.nodes
    )
    documents = documentation.edges() if documentation is not None else []
    notes = (
        Node(id_, _NOTE, id_, note_path(id_), is_connector=True, is_result=False)
        for id_ in dict.fromkeys(edge.source for edge in documents)
    )
    return Graph((*nodes, *notes), tuple(Edge(*edge) for edge in (*code.edges, *documents)))


def files_without_note(packed: Sequence[ScoredCandidate], documentation: Documentation) -> tuple[str, ...]:
    """The files of the symbols in ``packed`` that no note mentions, best first. Test files are left out."""
    without = set(documentation.files_without_note)
    return tuple(dict.fromkeys(one.node.path for one in packed if one.node.path in without))


@dataclass(frozen=True, eq=False)
class SymbolIndex(NoteIndex):
    """The index of the symbols in one snapshot of a repository. Each symbol is a document."""

    nouns: ClassVar[tuple[str, str]] = ("symbol", "symbols")
    why_penalised: ClassVar[str] = "a test, and the task is not about tests"
    pages: SymbolPages
    documentation: Documentation
    times: CommitTimes

    @property
    def notices(self) -> tuple[str, ...]:
        """Messages about omitted edges, languages with many unread files, and problems with git."""
        graph = self.pages.graph
        unread = (one.line for one in graph.skipped if one.reason.endswith(NOT_READ))
        return tuple(filter(None, (graph.cut, *unread, self.times.problem)))

    def files_named(self, text: str) -> list[str]:
        """The source files that ``text`` names by a path or the end of a path, in order of mention."""
        files = (self.documentation.names.file(word.strip(AROUND)) for word in text.split())
        return list(dict.fromkeys(filter(None, files)))

    def scoring(self, task: str, entry: str, now: float, feedback: Mapping[str, float]) -> ScoringContext:
        """Facts outside the graph that are needed to score results for ``task``. ``feedback`` is keyed by page."""
        lifted = entry == "files" or (entry == "task" and lifts_penalty(task, self.task.profile.scoring))
        self.times.look(now)
        return ScoringContext(
            now,
            (lambda _: False) if lifted else is_test,
            feedback=self.task.graph.by_node(feedback),
            committed=lambda node: self._committed(node, now),
        )

    def _committed(self, node: Node, now: float) -> float | None:
        """The time of the commit that last changed a symbol's line, in seconds since 1970; None if it is unknown or
        more than 30 days ago.
        """
        page = self.pages.by_path.get(node.document)
        return self.times.of_line(page.symbol.path, page.symbol.line, now) if page is not None else None

    def delivered(self, node: Node) -> str:
        """The text of a symbol for an agent: its qualified name, kind and signature."""
        return f"{node.qualified_name} {node.kind} {node.signature}"

    def notes_on(self, packed: Sequence[ScoredCandidate]) -> tuple[NoteOnCode, ...]:
        """The notes that mention symbols in ``packed``, by the sum of these symbols' scores, highest first."""
        ranks: dict[str, list[int]] = {}
        written: dict[str, dict[str, None]] = {}
        weights: dict[str, float] = {}
        for rank, scored in enumerate(packed, start=1):
            for mention in nearest_of_each_note(self.documentation.notes_about(scored.node.id)):
                ranks.setdefault(mention.note, []).append(rank)
                written.setdefault(mention.note, {})[mention.written] = None
                weights[mention.note] = weights.get(mention.note, 0.0) + scored.score
        order = sorted(ranks, key=lambda note: (-weights[note], note))
        return tuple(NoteOnCode(note, tuple(ranks[note]), tuple(written[note])) for note in order)

    def files_without_note(self, packed: Sequence[ScoredCandidate]) -> tuple[str, ...]:
        """The files of the ``packed`` symbols that no note mentions; empty if the repository has no notes."""
        return () if self.documentation.is_empty else files_without_note(packed, self.documentation)

    def cost(self, node: Node) -> int:
        """The number of tokens in the text of a symbol for an agent."""
        return node_tokens(node, self.task.profile.packing)


def index_symbols(snapshot: Snapshot, profile: KnowingProfile, before: NoteIndex | None = None) -> SymbolIndex:
    """The index of the symbols in ``snapshot``, which must come from a repository.

    ``before`` is an earlier index with the same profile. Texts that have not changed since the earlier index are not
    indexed again.
    """
    assert isinstance(snapshot, RepositorySnapshot)
    pages = snapshot.pages
    graph = graph_of_code(pages, snapshot.documentation)
    symbols = graph.nodes[: len(pages.graph.nodes)]
    pieces = {node.document: KnownPiece(snapshot.parsed[node.document], _piece(snapshot, node)) for node in symbols}
    times = CommitTimes(snapshot.project.tree)
    rules, last = profile.equivalence, before.task.seeds if before is not None else None
    seeds = seed_index(graph, profile, built_in_classes(rules.verbs), language_of(graph, rules), last=last)
    return SymbolIndex(NoteGraph(graph, pieces, {}, ()), task_index(seeds), pages, snapshot.documentation, times)


def _piece(snapshot: RepositorySnapshot, node: Node) -> NotePiece:
    page = snapshot.pages.by_path[node.document]
    says = "\n".join(filter(None, (node.signature, node.doc)))
    note = snapshot.notes[snapshot.by_path[node.document]]
    return NotePiece(note, (node,), {node.id: page.title}, {node.id: says}, (), (), (), (), frozenset())
