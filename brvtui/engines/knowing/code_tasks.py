"""Tasks over the symbols of a repository (``docs/code.md``)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

from brvtui.corpus.code.commits import CommitTimes
from brvtui.corpus.code.documents import Documentation, SymbolPages, note_path
from brvtui.corpus.code.records import CodeGraph
from brvtui.engines.code import CodeEntry
from brvtui.engines.contract import Query
from brvtui.engines.knowing.equivalence import built_in_classes, language_of
from brvtui.engines.knowing.formats import ContextBlock, formatted
from brvtui.engines.knowing.model import Edge, Graph, Node, symbol
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
from brvtui.engines.knowing.ranking_rules import WalkRules
from brvtui.engines.knowing.reached import ScoringContext, is_test
from brvtui.engines.knowing.reasons import SymbolExplanation, explain_symbol
from brvtui.engines.knowing.remembered import UseMemory, unknown_judged
from brvtui.engines.knowing.scoring import ScoredCandidate, lifts_penalty
from brvtui.engines.knowing.sections import VECTORS
from brvtui.engines.knowing.seeding import seed_index
from brvtui.engines.knowing.walk import StrongestWays
from brvtui.garbage import garbage_collector_paused
from brvtui.services.provided import NO_SERVICES, EngineServices

_LONGEST_WAY = 6
_NOTE = "note"
"""What a question is: words, files that someone reads, or files that a pull request changes."""
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
        """Lines about judged symbols that would count for ``answer`` but are not here, and about a failed embedder."""
        unknown, gap = (
            unknown_judged(self._memory, answer.made, self._graph, "symbol", "symbols"),
            answer.made.search.gap,
        )
        return list(filter(None, (unknown, gap.notice if gap is not None else "")))

    def _around(self, entry: CodeEntry, task: str = "") -> ScoringContext:
        context = ScoringContext(self._now, penalised(entry, task, self._profile))
        if self._times is None:
            return context
        return replace(context, committed=committed(self._pages, self._times, self._now))

    def _request(self, task: str, budget: int, entry: CodeEntry) -> TaskRequest:
        return TaskRequest(task, budget, lambda node: node_tokens(node, self._profile.packing), entry=entry)

    def _answer(self, made: TaskContext, entry: CodeEntry, budget: int) -> CodeAnswer:
        return CodeAnswer(self._graph, made, budget, self._profile.walk, entry)


class CodeAnswer:
    """The answer to one question over code."""

    def __init__(self, graph: Graph, made: TaskContext, budget: int, rules: WalkRules, entry: CodeEntry) -> None:
        """``made`` over ``graph``, walked by ``rules``, within ``budget`` tokens."""
        self.made, self.budget, self.entry = made, budget, entry
        self._graph, self._rules = graph, rules
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
        if self._ways is None:
            return ()
        ids = self._graph.ids
        way = self._ways.straight(self._graph.positions[id_])
        places = [ids[place] for place in way.places] if way is not None else []
        between = (self._between(one, other) for one, other in pairwise(places))
        return (*places[:1], *(part for step in zip(between, places[1:], strict=True) for part in step))

    def _between(self, one: str, other: str) -> str:
        """The type of the heaviest edge between two neighbours, with the direction in which it points."""
        there = [(edge, f"{edge.type} →") for edge in self._graph.edges_from(one) if edge.target == other]
        back = [(edge, f"← {edge.type}") for edge in self._graph.edges_from(other) if edge.target == one]
        weights = self._rules.edge_weights
        heaviest = max(there + back, key=lambda found: weights.get(found[0].type, self._rules.other_edges))
        return heaviest[1]


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
