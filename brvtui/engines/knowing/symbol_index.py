"""What a task is asked of over the symbols of a repository (``docs/code.md``)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from brvtui.corpus.code.commits import CommitTimes
from brvtui.corpus.code.documents import Documentation, SymbolPages, nearest_of_each_note
from brvtui.corpus.code.finding import NOT_READ
from brvtui.corpus.code.snapshot import RepositorySnapshot
from brvtui.engines.knowing.code_tasks import code_task_index, committed, graph_of_code, penalised
from brvtui.engines.knowing.model import Node
from brvtui.engines.knowing.note_index import AROUND, NoteIndex
from brvtui.engines.knowing.note_reading import NotePiece
from brvtui.engines.knowing.notes_graph import KnownPiece, NoteGraph
from brvtui.engines.knowing.packing import node_tokens
from brvtui.engines.knowing.profile import KnowingProfile
from brvtui.engines.knowing.reached import ScoringContext
from brvtui.engines.knowing.scoring import ScoredCandidate
from brvtui.engines.knowing.sections import NoteOnCode
from brvtui.snapshot import Snapshot

# Which notes speak of the symbols of an answer, and which of its files have no note.


def notes_on(packed: Sequence[ScoredCandidate], documentation: Documentation) -> tuple[NoteOnCode, ...]:
    """The notes that speak of the symbols ``packed``; first those of whose symbols the scores sum to most."""
    ranks: dict[str, list[int]] = {}
    written: dict[str, dict[str, None]] = {}
    weights: dict[str, float] = {}
    for rank, scored in enumerate(packed, start=1):
        for mention in nearest_of_each_note(documentation.notes_about(scored.node.id)):
            ranks.setdefault(mention.note, []).append(rank)
            written.setdefault(mention.note, {})[mention.written] = None
            weights[mention.note] = weights.get(mention.note, 0.0) + scored.score
    order = sorted(ranks, key=lambda note: (-weights[note], note))
    return tuple(NoteOnCode(note, tuple(ranks[note]), tuple(written[note])) for note in order)


def files_without_note(packed: Sequence[ScoredCandidate], documentation: Documentation) -> tuple[str, ...]:
    """The files of the symbols ``packed``, tests aside, of which no note speaks, nor of what is in them; best first."""
    without = set(documentation.files_without_note)
    return tuple(dict.fromkeys(one.node.path for one in packed if one.node.path in without))


@dataclass(frozen=True, eq=False)
class SymbolIndex(NoteIndex):
    """The symbols of one snapshot of a repository, ready to be asked. Each is a note of its own."""

    nouns: ClassVar[tuple[str, str]] = ("symbol", "symbols")
    why_penalised: ClassVar[str] = "a test, and the task is not about tests"
    pages: SymbolPages
    documentation: Documentation
    times: CommitTimes

    @property
    def notices(self) -> tuple[str, ...]:
        """That edges are left out, and a line for each language of which many files are not read."""
        graph = self.pages.graph
        unread = (one.line for one in graph.skipped if one.reason.endswith(NOT_READ))
        return tuple(filter(None, (graph.cut, *unread)))

    def files_named(self, text: str) -> list[str]:
        """The source files that the words of ``text`` name, by their paths or the ends of these, in their order."""
        found = (self.documentation.names.file(word.strip(AROUND)) for word in text.split())
        return list(dict.fromkeys(filter(None, found)))

    def scoring(self, task: str, entry: str, now: float, feedback: Mapping[str, float]) -> ScoringContext:
        """What is known beside the graph when the question ``task`` is scored; ``feedback`` is by page."""
        penalty, feedback = penalised(entry, task, self.task.profile), self.task.graph.by_node(feedback)
        return ScoringContext(now, penalty, feedback=feedback, committed=committed(self.pages, self.times, now))

    def delivered(self, node: Node) -> str:
        """A symbol as an agent is given it: its qualified name, its kind and its signature."""
        return f"{node.qualified_name} {node.kind} {node.signature}"

    def notes_on(self, packed: Sequence[ScoredCandidate]) -> tuple[NoteOnCode, ...]:
        """The notes of the repository that speak of ``packed`` symbols, those of the best symbols first."""
        return notes_on(packed, self.documentation)

    def files_without_note(self, packed: Sequence[ScoredCandidate]) -> tuple[str, ...]:
        """The files of ``packed`` symbols of which no note speaks; none where the repository has no notes."""
        return () if self.documentation.is_empty else files_without_note(packed, self.documentation)

    def cost(self, node: Node) -> int:
        """The tokens of :meth:`delivered`."""
        return node_tokens(node, self.task.profile.packing)


def index_symbols(snapshot: Snapshot, profile: KnowingProfile, before: NoteIndex | None = None) -> SymbolIndex:
    """The index of the symbols of ``snapshot``, which must be that of a repository.

    What did not change since ``before``, made under the same profile, is not read again.
    """
    assert isinstance(snapshot, RepositorySnapshot)
    pages = snapshot.pages
    graph = graph_of_code(pages, snapshot.documentation)
    symbols = graph.nodes[: len(pages.graph.nodes)]
    known = {node.document: KnownPiece(snapshot.parsed[node.document], _piece(snapshot, node)) for node in symbols}
    times = CommitTimes(snapshot.project.tree)
    task = code_task_index(graph, profile, before.task if before is not None else None)
    return SymbolIndex(NoteGraph(graph, known, {}, ()), task, pages, snapshot.documentation, times)


def _piece(snapshot: RepositorySnapshot, node: Node) -> NotePiece:
    page = snapshot.pages.by_path[node.document]
    says = "\n".join(filter(None, (node.signature, node.doc)))
    note = snapshot.notes[snapshot.by_path[node.document]]
    return NotePiece(note, (node,), {node.id: page.title}, {node.id: says}, (), (), (), (), frozenset())
