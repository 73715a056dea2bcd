"""knowing as an engine for notes and code, with the graph of each snapshot and the state that earlier runs left."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from brvtui.engines.contract import AnalysisStep, Context, EngineError, Query, StorageError, asking
from brvtui.engines.knowing.sections import ENGINE, GAPS, PROFILES, GraphRetrieval
from brvtui.engines.no_result import with_causes
from brvtui.engines.options import check_mode, check_options
from brvtui.faults import error_line
from brvtui.garbage import garbage_collector_paused
from brvtui.services.provided import feedback_problem
from brvtui.timing import Stopwatch
from brvtui.trace import Detail, Explanation, State, Trace
from brvtui.trace.feedback import Feedback, Usefulness
from brvtui.wording import counted

if TYPE_CHECKING:  # imported later, so that naming the engine or showing its traces does not load its graph
    from brvtui.engines.knowing.code_answer import SymbolAnswer
    from brvtui.engines.knowing.note_index import NoteIndex
    from brvtui.engines.knowing.pack_cache import CachedPack, PackCache, RecentUse
    from brvtui.engines.knowing.packing import Strategy
    from brvtui.engines.knowing.pipeline import TaskContext, TaskRequest
    from brvtui.engines.knowing.presentation import KnowingPresentation
    from brvtui.engines.knowing.profile import KnowingProfile
    from brvtui.engines.knowing.remembered import UseMemory
    from brvtui.snapshot import Snapshot
    from brvtui.snapshot.naming import Named

MODES: tuple[Strategy, ...] = ("density", "top-k", "file-grouped")
ENTRIES = ("task", "files", "changes")
"""The kinds of questions: a task, files to read, or files changed in a pull request."""
_OPTIONS = {"budget": int}
_OTHERS = ("mode", "entry", "recent")
_ASKED = (State.HIT, State.MISSED, State.FAILED)


@dataclass(frozen=True, slots=True)
class _ReadyIndex:
    snapshot: Snapshot
    profile: KnowingProfile
    index: NoteIndex


class Knowing:
    """Chooses seeds with keyword channels, ranks nodes by a walk, and packs results into a token budget."""

    name = ENGINE
    title = "knowing"
    profiles = PROFILES
    modes: tuple[str, ...] = MODES
    options = (*sorted(_OPTIONS), *_OTHERS)
    sections = (GraphRetrieval,)

    def __init__(self) -> None:
        """Creates an engine without an index. The first query builds the index."""
        self._ready: _ReadyIndex | None = None
        self._indexing = threading.Lock()
        self._recent: RecentUse | None = None
        self._packs: PackCache | None = None
        self._memory: UseMemory | None = None

    @cached_property
    def presentation(self) -> KnowingPresentation:
        """The presentation of the engine's traces."""
        from brvtui.engines.knowing.presentation import KnowingPresentation

        return KnowingPresentation()

    def constants(self, profile: str = "") -> KnowingProfile:
        """The built-in constants of ``profile``. Raises :class:`brvtui.typed_tables.ProfileError`."""
        from brvtui.engines.knowing.profile import load_profile

        return load_profile(profile)

    def prepare(
        self, context: Context[KnowingProfile], progress: Callable[[int, int], None], cancelled: Callable[[], bool]
    ) -> None:
        """Builds the graph of the snapshot, the indexes of the channels, and the cached values for the walk."""
        self._index(context).task.warm()

    def answer(self, context: Context[KnowingProfile], query: Query) -> Trace:
        """The answer to ``query``. A run is remembered for the rest of the session. Raises :class:`EngineError`."""
        from brvtui.engines.knowing.tracing import TraceMaker

        watch = Stopwatch()
        with watch.measure("total"):
            with watch.measure("index"):
                index = self._index(context)
            memory, unread = self._use_memory(context)
            request = _request(context, query, index, memory)
            with watch.measure("retrieval"):
                result = self._retrieve(context, request, index, memory)
            with watch.measure("trace"):
                served = self._cache_notice(context, query, request, result, index)
                unknown, gap = _feedback_notices(memory, result, index)
                messages = (*index.notices, _scope_notice(query, index), unread, unknown, served, gap)
                notices = tuple(filter(None, messages))
                trace = TraceMaker(context, query, request, index, result, notices).trace()
        if query.run:
            self._remember(context, query, request, result)
        trace.timings.update({name: round(ms, 3) for name, ms in watch.ms.items()})
        words = trace.section(GraphRetrieval).components if request.entry == ENTRIES[0] else ()
        return with_causes(self, context, query, trace, words, ())

    def answer_code(self, context: Context[KnowingProfile], query: Query, files: Sequence[str]) -> SymbolAnswer:
        """The answer to ``query`` about ``files``, as described in :class:`brvtui.engines.contract.ReadsCode`."""
        from brvtui.engines.knowing.code_answer import SymbolAnswer
        from brvtui.engines.knowing.code_tasks import SymbolIndex

        index, (memory, _) = self._index(context), self._use_memory(context)
        assert isinstance(index, SymbolIndex)
        request = _request(context, query, index, memory)
        result = self._retrieve(context, request, index, memory, files)
        notices = filter(None, (*_feedback_notices(memory, result, index), index.times.problem))
        return SymbolAnswer(index, result, request.entry, tuple(notices))

    def without_runs(self) -> Knowing:
        """A copy with the same index and feedback, but without the packs of earlier runs."""
        from brvtui.engines.knowing.pack_cache import PackCache

        copy = Knowing()
        copy._packs = PackCache()
        with self._indexing:
            copy._ready, copy._memory = self._ready, self._memory
        return copy

    def analysis(self, context: Context[KnowingProfile], text: str) -> tuple[AnalysisStep, ...]:
        """The keywords of ``text`` as a task, and the terms of the full-text channel."""
        from brvtui.engines.knowing.full_text import finds_nothing, keyword_terms, text_search
        from brvtui.engines.knowing.keywords import KeywordSet, keyword_set
        from brvtui.engines.knowing.name_lookup import path_terms
        from brvtui.engines.knowing.seeding import tiered_search

        seeds, rules = self._index(context).task.seeds, context.constants
        keywords, paths = keyword_set(text, rules.keywords), path_terms(text, rules.paths)
        search = text_search(keywords, paths, seeds.texts, text)
        unmatched = [
            one
            for one in (*keywords.exact, *keywords.compounds, *keywords.components)
            if finds_nothing(keyword_terms([one.text]), seeds.texts)
            and not tiered_search(KeywordSet((one,)), seeds.lookup, rules.tiered)
        ]
        full_text, terms = seeds.texts.full_text, tuple(dict.fromkeys(term.text for term in search.terms))
        return (
            AnalysisStep("scope", tuple(paths), "words that may name a folder"),
            AnalysisStep("keywords", keywords.primary, "identifiers and compounds, which are searched first"),
            AnalysisStep("terms", keywords.parts, "other words in lower case, longest first, and pairs of words"),
            AnalysisStep("expression", tuple(filter(None, (search.expression,))), search.error),
            AnalysisStep("stems", full_text.words(" ".join(terms)), full_text.layout.tokenizer),
            AnalysisStep("unmatched", tuple(one.text for one in unmatched)),
        )

    def detail(self, context: Context[KnowingProfile], trace: Trace, file: str) -> Detail | None:
        """The parts of the score of the note at ``file``, even if it does not fit into the budget; None if the note is
        not ranked.

        Raises KeyError for a note that is not in the snapshot.
        """
        if file not in context.snapshot.by_path:
            raise KeyError(file)
        placed = trace.section(GraphRetrieval).placed(file)
        return Detail(file, (), None, "", placed.hit) if placed is not None else None

    def why(self, context: Context[KnowingProfile], trace: Trace, document: Named) -> Explanation:
        """The reason why ``document`` is, or is not, in the answer ``trace``."""
        from brvtui.engines.knowing.reasons import explain

        was_asked = trace.ran or any(step.name == GAPS and step.state in _ASKED for step in trace.steps)
        index, query = self._index(context), replace(Query.repeating(trace), services=was_asked)
        memory, _ = self._use_memory(context)
        result = self._retrieve(context, _request(context, query, index, memory), index, memory)
        return explain(context, index, trace, result, document, asking(self, context, trace, was_asked))

    def learn(self, context: Context[KnowingProfile], trace: Trace, file: str, usefulness: Usefulness) -> str:
        """Stores feedback on the result ``file`` of ``trace``, and returns a line about its effect.

        Raises :class:`EngineError` if the feedback cannot be stored.
        """
        try:
            context.services.feedback(ENGINE).add(Feedback(trace.query, file, usefulness, context.now_ms))
        except OSError as error:
            raise StorageError(f"the feedback cannot be stored: {error_line(error)}") from error
        self._keep_packs(context, self._stored_packs(context).after_feedback())
        memory, unread = self._use_memory(context)
        if unread:
            return f"stored, but {unread}"
        share = memory.scores(trace.query).get(file)
        judged = f"{share:.0%} of its feedback for such tasks is positive" if share is not None else "stored"
        return f"{judged}; its score changes accordingly"

    def _retrieve(
        self,
        context: Context[KnowingProfile],
        request: TaskRequest,
        index: NoteIndex,
        memory: UseMemory,
        files: Sequence[str] = (),
    ) -> TaskContext:
        from brvtui.engines.knowing.pack_cache import RecentUse
        from brvtui.engines.knowing.pipeline import for_changes, for_files, for_task

        profile, now, recent = index.task.profile, context.now_ms / 1000, self._recent
        if request.entry == "task":
            around = index.scoring(request.task, request.entry, now, memory.scores(request.task))
            ids = [node.id for path in request.recent for node in index.task.graph.by_document[path]]
            recent = (recent or RecentUse()).recorded(ids, now, profile.session)
            around = replace(around, session=recent.boosts(recent.times, now, profile.session))
            return for_task(request, index.task, around)
        around = index.scoring(request.task, request.entry, now, {})
        entry = for_files if request.entry == "files" else for_changes
        return entry(request, files or index.files_named(request.task), index.task, around)

    def _use_memory(self, context: Context[KnowingProfile]) -> tuple[UseMemory, str]:
        """The users' feedback, and an error message. If the feedback cannot be read, the feedback read earlier is used;
        otherwise, the message is empty.
        """
        from brvtui.engines.knowing.remembered import UseMemory

        with self._indexing:
            memory = self._memory
            if memory is None or memory.profile != context.constants:
                memory = UseMemory(context.constants)
            try:
                self._memory = memory = memory.after(context.services.feedback(ENGINE).said())
            except OSError as error:
                return memory, feedback_problem(error)
            return memory, ""

    def _cache_notice(
        self,
        context: Context[KnowingProfile],
        query: Query,
        request: TaskRequest,
        result: TaskContext,
        index: NoteIndex,
    ) -> str:
        """If the original program's cache would return a different pack, a message about it with the token cost of the
        difference; otherwise empty.
        """
        from brvtui.engines.knowing.pack_cache import pack_delta

        pack = self._served_pack(context, _pack_key(query, request, context.constants))
        if pack is None:
            return ""
        now = [one.node for one in result.packed.packed]
        changed = pack_delta(pack.ids, now, index.task.graph, index.cost, context.constants.packing)
        if not changed.added and not changed.removed:
            return ""
        minutes = counted(int((context.now_ms / 1000 - pack.packed) // 60), "minute", "minutes")
        return (
            f"knowing would reuse the pack from a run {minutes} ago. That pack lacks {len(changed.added)} of these "
            f"{index.nouns[1]}, contains {counted(len(changed.removed), 'other', 'others')}, and uses {pack.used:,} "
            f"tokens. The difference takes {changed.delta_tokens:,} tokens, the whole new pack {changed.whole_tokens:,}"
        )

    def _remember(
        self, context: Context[KnowingProfile], query: Query, request: TaskRequest, result: TaskContext
    ) -> None:
        from brvtui.engines.knowing.pack_cache import CachedPack, RecentUse

        profile, now = context.constants, context.now_ms / 1000
        ids = tuple(one.node.id for one in result.packed.packed)
        pack = CachedPack(ids, result.packed.used, request.budget, context.snapshot.fingerprint, now)
        key = _pack_key(query, request, profile)
        with self._indexing:
            self._recent = (self._recent or RecentUse()).recorded(ids, now, profile.session)
            if self._served_pack(context, key) is None:
                self._keep_packs(context, self._stored_packs(context).stored(key, pack, profile.pack_cache))

    def _served_pack(self, context: Context[KnowingProfile], key: str) -> CachedPack | None:
        packs = self._stored_packs(context)
        if key not in packs.packs:
            return None
        rules, now = context.constants.pack_cache, context.now_ms / 1000
        return packs.found(key, context.snapshot.fingerprint, now, rules)

    def _keep_packs(self, context: Context[KnowingProfile], packs: PackCache) -> None:
        from brvtui.engines.knowing.pack_cache import plain_packs

        self._packs = packs
        with suppress(OSError):  # without a stored pack, the next process packs again
            context.services.state(ENGINE).write(plain_packs(packs))

    def _stored_packs(self, context: Context[KnowingProfile]) -> PackCache:
        from brvtui.engines.knowing.pack_cache import kept_packs

        if self._packs is None:
            self._packs = kept_packs(context.services.state(ENGINE).read(), context.constants.pack_cache)
        return self._packs

    def _index(self, context: Context[KnowingProfile]) -> NoteIndex:
        with self._indexing:
            ready = self._ready
            if ready is not None and ready.profile != context.constants:
                ready = None
            if ready is None or ready.snapshot is not context.snapshot:
                with garbage_collector_paused(freezes=ready is None):
                    index = _new_index(context.snapshot, context.constants, ready.index if ready is not None else None)
                self._ready = ready = _ReadyIndex(context.snapshot, context.constants, index)
            return ready.index


def _new_index(snapshot: Snapshot, constants: KnowingProfile, before: NoteIndex | None) -> NoteIndex:
    """The index of notes or symbols, updated from ``before``."""
    if not snapshot.kind.has_files:
        from brvtui.engines.knowing.code_tasks import index_symbols

        return index_symbols(snapshot, constants, before)
    from brvtui.engines.knowing.note_index import index_notes

    return index_notes(snapshot, constants, before)


def _request(context: Context[KnowingProfile], query: Query, index: NoteIndex, memory: UseMemory) -> TaskRequest:
    """The request for ``query``. Raises :class:`EngineError` for an invalid option."""
    from brvtui.engines.knowing.pipeline import TaskRequest

    options = dict(query.options)
    check_options(ENGINE, options, _OPTIONS, _OTHERS)
    entry = options.get("entry", ENTRIES[0])
    if entry not in ENTRIES:
        raise EngineError(f"entry {entry}: use {', '.join(ENTRIES)}")
    mode = options.get("mode")
    check_mode(mode, MODES)
    packing = index.task.profile.packing
    budget = options.get("budget", packing.review_budget if entry == "changes" else packing.budget)
    if budget < 1:
        raise EngineError(f"budget {budget}: must be at least one token")
    recent = tuple(str(options.get("recent", "")).split(","))
    for path in filter(None, recent):
        if path not in index.task.graph.by_document:
            raise EngineError(
                f"recent={path}: no {index.nouns[0]} has this path; use paths of results, separated by commas"
            )
    scope = query.scope.strip("/")
    return TaskRequest(
        query.text.encode("utf-8", "replace").decode(),
        budget,
        index.cost,
        mode or MODES[0],
        memory.learned,
        is_in_scope=(lambda node: node.stands_in == scope or node.stands_in.startswith(f"{scope}/")) if scope else None,
        stands_for=lambda node: node.stands_in,
        entry=entry,
        recent=tuple(filter(None, recent)),
        near=index.task.vectors.search(context.services, query),
    )


def _feedback_notices(memory: UseMemory, result: TaskContext, index: NoteIndex) -> tuple[str, str]:
    """Two messages: one about judged documents that are not in the graph, and one about a failed embedder. Each is
    empty if there is nothing to report.
    """
    from brvtui.engines.knowing.remembered import unknown_judged

    unknown = unknown_judged(memory, result, index.task.graph, *index.nouns)
    return unknown, result.search.gap.notice if result.search.gap is not None else ""


def _pack_key(query: Query, request: TaskRequest, profile: KnowingProfile) -> str:
    from brvtui.engines.knowing.pack_cache import pack_key

    return pack_key(request.task, profile.pack_cache, budget=request.budget, scope=query.scope, mode=request.strategy)


def _scope_notice(query: Query, index: NoteIndex) -> str:
    scope = query.scope.strip("/")
    paths = (node.stands_in for node in index.notes.graph.nodes)
    if not scope or any(path == scope or path.startswith(f"{scope}/") for path in paths):
        return ""
    return f"{query.scope}: there is no such folder in the tree, so nothing is found; choose another scope"
