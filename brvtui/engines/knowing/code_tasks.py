"""Tasks over the symbols of a repository (``docs/code.md``)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import ClassVar

from brvtui.corpus.code.commits import CommitTimes
from brvtui.corpus.code.documents import Documentation, SymbolPages, nearest_of_each_note, note_path
from brvtui.corpus.code.finding import NOT_READ
from brvtui.corpus.code.records import CodeGraph
from brvtui.corpus.code.snapshot import RepositorySnapshot
from brvtui.engines.code import CodeEntry
from brvtui.engines.contract import Query
from brvtui.engines.knowing.equivalence import built_in_classes, language_of
from brvtui.engines.knowing.formats import ContextBlock, formatted
from brvtui.engines.knowing.model import Edge, Graph, Node, symbol
from brvtui.engines.knowing.note_index import AROUND, NoteIndex
from brvtui.engines.knowing.note_reading import NotePiece
from brvtui.engines.knowing.notes_graph import KnownPiece, NoteGraph
from brvtui.engines.knowing.packing import node_tokens
from brvtui.engines.knowing.pipeline import (
    TaskContext,
    TaskIndex,
    TaskRequest,
    for_changes,
    for_files,
    for_task,
    task_index,
)
from brvtui.engines.knowing.profile import KnowingProfile
from brvtui.engines.knowing.reached import ScoringContext, is_test
from brvtui.engines.knowing.reasons import SymbolExplanation, explain_symbol
from brvtui.engines.knowing.remembered import UseMemory, unknown_judged
from brvtui.engines.knowing.scoring import ScoredCandidate, lifts_penalty
from brvtui.engines.knowing.sections import VECTORS, NoteOnCode
from brvtui.engines.knowing.seeding import seed_index
from brvtui.engines.knowing.walk import StrongestWays, heaviest_edge
from brvtui.garbage import garbage_collector_paused
from brvtui.services.provided import NO_SERVICES, EngineServices
from brvtui.snapshot import Snapshot

_LONGEST_WAY = 6
_NOTE = "note"
_CHANNELS = {"tiered": "name", "bm25": "text", "equivalence": "concept", "path": "path"}


@dataclass(frozen=True, slots=True)
class CodeResult:
    """A symbol of an answer, and why it is there."""

    scored: ScoredCandidate
    found_by: tuple[tuple[str, int], ...]
    """The channels that found it, with its rank in each, from 1."""
    way: tuple[str, ...]
    """The strongest way of the walk to it, from a seed: ids of symbols with the types of edges between them.

    Where nothing was walked, the call by which it uses one of the files.
    """


class CodeTasks:
    """A repository that is asked for what a task needs."""

    def __init__(
        self,
        code: CodeGraph,
        profile: KnowingProfile,
        documentation: Documentation | None = None,
        memory: UseMemory | None = None,
        times: CommitTimes | None = None,
        now: float = 0.0,
        services: EngineServices = NO_SERVICES,
    ) -> None:
        """The symbols of ``code``, joined with notes by ``documentation``, ranked by the constants of ``profile``.

        ``memory`` holds the judgments of users, made under the same profile; ``times`` tells what was committed of
        late before ``now``, in seconds since 1970. The embedder of ``services`` fills gaps.
        """
        self._profile = profile
        self._memory = memory or UseMemory(profile)
        self._pages, self._times, self._now, self._services = SymbolPages(code), times, now, services
        self._graph = graph_of_code(self._pages, documentation)

    @property
    def review_budget(self) -> int:
        """The tokens of the answer to a change, where no budget is given."""
        return self._profile.packing.review_budget

    @cached_property
    def _index(self) -> TaskIndex:
        with garbage_collector_paused():
            return code_task_index(self._graph, self._profile)

    def answer(self, task: str, budget: int) -> CodeAnswer:
        """What ``task`` needs, packed into ``budget`` tokens."""
        around = replace(self._around("task", task), feedback=self._graph.by_node(self._memory.scores(task)))
        near = self._index.vectors.search(self._services, Query(task, services=True))
        request = replace(self._request(task, budget, "task"), learned=self._memory.learned, near=near)
        return self._answer(for_task(request, self._index, around), "task", budget)

    def answer_files(self, files: Sequence[str], budget: int) -> CodeAnswer:
        """What the files at the paths ``files`` hold, and who calls that; tests count as all else."""
        made = for_files(self._request("", budget, "files"), files, self._index, self._around("files"))
        return self._answer(made, "files", budget)

    def answer_changes(self, files: Sequence[str], budget: int) -> CodeAnswer:
        """What a change of the files at the paths ``files`` touches, as far as a walk from all they hold reaches."""
        made = for_changes(self._request("", budget, "changes"), files, self._index, self._around("changes"))
        return self._answer(made, "changes", budget)

    def notices(self, answer: CodeAnswer) -> list[str]:
        """Lines about judged symbols that would count for ``answer`` but are not here, a failed embedder and git."""
        unknown, gap = (
            unknown_judged(self._memory, answer.made, self._graph, "symbol", "symbols"),
            answer.made.search.gap,
        )
        git = self._times.problem if self._times is not None else ""
        return list(filter(None, (unknown, gap.notice if gap is not None else "", git)))

    def _around(self, entry: CodeEntry, task: str = "") -> ScoringContext:
        context = ScoringContext(self._now, penalised(entry, task, self._profile))
        if self._times is None:
            return context
        return replace(context, committed=committed(self._pages, self._times, self._now))

    def _request(self, task: str, budget: int, entry: CodeEntry) -> TaskRequest:
        return TaskRequest(task, budget, lambda node: node_tokens(node, self._profile.packing), entry=entry)

    def _answer(self, made: TaskContext, entry: CodeEntry, budget: int) -> CodeAnswer:
        return CodeAnswer(self._graph, made, budget, entry)


class CodeAnswer:
    """The answer to one question over code."""

    def __init__(self, graph: Graph, made: TaskContext, budget: int, entry: CodeEntry) -> None:
        """``made`` over ``graph``, within ``budget`` tokens."""
        self.made, self.budget, self.entry, self._graph = made, budget, entry, graph
        self._ways = StrongestWays(made.walk, _LONGEST_WAY) if made.walk is not None else None

    @property
    def packed(self) -> list[ScoredCandidate]:
        """What fits into the budget, best first."""
        return self.made.packed.packed

    def as_text(self, form: str) -> str:
        """The packed symbols as an agent is given them: ``xml``, ``markdown`` or ``json``."""
        return formatted(ContextBlock(self.packed, self.made.packed.used, self.budget), form)

    def symbol_called(self, text: str) -> SymbolExplanation | None:
        """The explanation of the best ranked symbol called ``text``, or with it in its name; None without such one."""
        return explain_symbol(text, self.made, self._graph)

    def explained(self, scored: ScoredCandidate) -> CodeResult:
        """Why a symbol is in the answer."""
        id_, search = scored.node.id, self.made.search
        lists = {_CHANNELS.get(channel.name, channel.name): channel.ids for channel in search.channels}
        lists.setdefault("path", [hit.id for hit in search.paths])  # it may make seeds without being fused
        lists[VECTORS] = tuple(search.near)
        found = tuple((name, list(ids).index(id_) + 1) for name, ids in lists.items() if id_ in ids)
        return CodeResult(scored, found, self._way(id_) if self.entry != "files" else self._call(scored))

    def _call(self, scored: ScoredCandidate) -> tuple[str, ...]:
        """The call by which a symbol outside of the files uses one in them."""
        if not scored.candidate.distance:
            return ()
        own = {one.node.id for one in self.made.ranked if not one.candidate.distance}
        calls = self._graph.edges_from(scored.node.id, "calls")
        return next(((edge.source, "calls →", edge.target) for edge in calls if edge.target in own), ())

    def _way(self, id_: str) -> tuple[str, ...]:
        walk, graph = self.made.walk, self._graph
        way = self._ways.straight(graph.positions[id_]) if self._ways is not None else None
        if walk is None or way is None:
            return ()
        told = [graph.ids[way.places[0]]]
        for one, other in pairwise(way.places):
            edge, is_forward = heaviest_edge(walk, graph, one, other)
            told += (f"{edge.type} →" if is_forward else f"← {edge.type}", graph.ids[other])
        return tuple(told)


def graph_of_code(pages: SymbolPages, documentation: Documentation | None = None) -> Graph:
    """The symbols of a repository as the engine ranks them, and the notes that ``documentation`` joins with them.

    A note is no result, and nothing looks for it; but the walk goes over it from one symbol that it names to others.
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


def code_task_index(graph: Graph, profile: KnowingProfile, last: TaskIndex | None = None) -> TaskIndex:
    """What a task is asked of over the symbols of ``graph``, with the classes of their language.

    What did not change since ``last``, made under the same profile, is not read again.
    """
    rules = profile.equivalence
    classes, before = built_in_classes(rules.verbs), last.seeds if last is not None else None
    return task_index(seed_index(graph, profile, classes, language_of(graph, rules), last=before))


def committed(pages: SymbolPages, times: CommitTimes, now: float) -> Callable[[Node], float | None]:
    """When the line of a symbol was committed, in seconds since 1970; None where unknown, or over 30 days ago."""
    times.look(now)

    def time_of(node: Node) -> float | None:
        page = pages.by_path.get(node.document)
        return times.of_line(page.symbol.path, page.symbol.line, now) if page is not None else None

    return time_of


def penalised(entry: str, task: str, profile: KnowingProfile) -> Callable[[Node], bool]:
    """Which symbols are penalised: tests, unless the task asks for them, or the question names files to read."""
    lifted = entry == "files" or (entry == "task" and lifts_penalty(task, profile.scoring))
    return (lambda _: False) if lifted else is_test


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
        """Lines about edges that are left out, languages of which many files are not read, and a git that waited."""
        graph = self.pages.graph
        unread = (one.line for one in graph.skipped if one.reason.endswith(NOT_READ))
        return tuple(filter(None, (graph.cut, *unread, self.times.problem)))

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
