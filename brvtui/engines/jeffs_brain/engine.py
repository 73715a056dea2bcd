"""Jeffs Brain as an engine. The index is updated with each snapshot, and the vectors are updated with the index."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from brvtui.engines.contract import AnalysisStep, Context, EngineError, Query, asking
from brvtui.engines.embedding import embedder_of, load_ahead, never_cancelled, why_not_asked
from brvtui.engines.jeffs_brain.sections import ENGINE, MODES, Hybrid, RetrievalMode, searched_words
from brvtui.engines.no_result import with_causes
from brvtui.engines.options import check_mode, check_options
from brvtui.services.legs import ServiceError
from brvtui.timing import Stopwatch
from brvtui.trace import Detail, Explanation, Ladder, Trace
from brvtui.wording import counted

if TYPE_CHECKING:  # imported later, so that naming the engine or showing its traces does not load its index
    from brvtui.engines.jeffs_brain.index import ChunkIndex
    from brvtui.engines.jeffs_brain.pipeline import Request, Retrieved
    from brvtui.engines.jeffs_brain.presentation import JeffsBrainPresentation
    from brvtui.engines.jeffs_brain.profile import HybridProfile
    from brvtui.services.legs import Reranker
    from brvtui.snapshot import Snapshot
    from brvtui.snapshot.naming import Named
    from brvtui.text.query_language import Aliases

Progress = Callable[[int, int], None]
"""A function that is called with the number of texts that have a vector, and the total number."""
_OPTIONS = {"top_k": int, "candidate_k": int, "rerank_top_n": int, "rerank": bool, "skip_retry_ladder": bool}
_OTHERS = ("mode", "aliases")
"""The options that the engine checks itself; ``aliases`` is the path of an alias file, or the aliases themselves."""


@dataclass(frozen=True, slots=True)
class _PreparedMemory:
    """The index of one snapshot. ``gaps`` is a message about notes without a vector."""

    snapshot: Snapshot
    embedder: str
    index: ChunkIndex
    gaps: str = ""


class JeffsBrain:
    """Merges the results of BM25 and of vectors by their ranks. Previews never wait for vectors, and call no service
    over a network.
    """

    name = ENGINE
    title = "Jeffs Brain"
    profiles = (ENGINE,)
    modes = MODES
    options = (*sorted(_OPTIONS), *_OTHERS)
    sections = (Hybrid, Ladder)

    def __init__(self) -> None:
        """Creates an engine without an index. The first query builds the index."""
        self._ready: _PreparedMemory | None = None
        self._indexing = threading.Lock()
        self._embedding = threading.Lock()

    @cached_property
    def presentation(self) -> JeffsBrainPresentation:
        """The presentation of Jeffs Brain's traces."""
        from brvtui.engines.jeffs_brain.presentation import JeffsBrainPresentation

        return JeffsBrainPresentation()

    def constants(self, profile: str = "") -> HybridProfile:
        """The built-in constants, or those in the TOML file ``profile``.

        Raises :class:`brvtui.typed_tables.ProfileError`.
        """
        from brvtui.engines.jeffs_brain.profile import load

        return load(profile)

    def prepare(self, context: Context[HybridProfile], progress: Progress, cancelled: Callable[[], bool]) -> None:
        """Builds the index of the snapshot, computes the missing vectors, and loads a local model.

        If the embedder fails, no error is raised, but the next answer reports the failure. Raises :class:`EngineError`
        if a service is misconfigured.
        """
        self._with_vectors(context, progress, cancelled)

    def _with_vectors(
        self, context: Context[HybridProfile], progress: Progress, cancelled: Callable[[], bool]
    ) -> _PreparedMemory:
        """The index of the context's snapshot with its vectors, even if another thread is indexing a newer snapshot."""
        from brvtui.engines.jeffs_brain.index import embed_index

        ready = self._index(context)
        embedder = embedder_of(context)
        if embedder is None:
            return ready
        with self._embedding:
            ready = self._index(context)
            if ready.index.table is not None and not ready.gaps:
                return ready
            cache = context.services.vectors(embedder.name)
            index, report = embed_index(ready.index, embedder, cache, cancelled, progress)
            if not report.made:
                load_ahead(embedder)
            gaps = (
                f"{counted(report.missing, 'note has', 'notes have')} no vector: {report.error}" if report.error else ""
            )
            whole = replace(ready, index=index, gaps=gaps)
            with self._indexing:
                if self._ready is ready:
                    self._ready = whole
            return whole

    def options_of_file(self, constants: HybridProfile, options: Mapping[str, Any]) -> dict[str, Any]:
        """``options`` from a file, limited so that no more texts are sent to the reranker than the profile allows."""
        own = constants.options
        limits: dict[str, Any] = {"rerank_top_n": own.rerank_top_n, "rerank": own.rerank}
        return {
            name: min(value, limits[name]) if name in limits and type(value) is _OPTIONS[name] else value
            for name, value in options.items()
        }

    def answer(self, context: Context[HybridProfile], query: Query) -> Trace:
        """The answer to ``query``. A run first computes the vectors that it needs. Raises :class:`EngineError`."""
        return self.retrieve(context, query).trace

    def retrieve(self, context: Context[HybridProfile], query: Query) -> Retrieved:
        """The answer to ``query``, and the texts of the notes in it. Raises :class:`EngineError`."""
        from brvtui.engines.jeffs_brain.pipeline import Sources, resolve_mode, retrieve, with_words

        request, aliases = _request(query)
        options = {**query.options, "aliases": aliases} if aliases else dict(query.options)
        embedder, reranker = embedder_of(context), _reranker(context)
        watch = Stopwatch()
        with watch.measure("index"):
            ready = self._index(context)
        mode, _ = resolve_mode(request.mode or RetrievalMode(context.constants.options.mode), embedder is not None)
        if mode is not RetrievalMode.BM25 and query.may_ask:
            with watch.measure("note vectors"):
                ready = self._with_vectors(context, query.progress, never_cancelled)
        sources = Sources(
            ready.index,
            embedder,
            reranker,
            aliases,
            (ready.gaps,) if ready.gaps else (),
            ready.index.idle_rules,
            why_not_asked(embedder, query, ready.index.table is not None) if embedder is not None else "",
            context.snapshot_info,
        )
        result = retrieve(request, sources, context.constants, watch)
        with watch.measure("matched words"):
            trace = with_words(ready.index, result.trace, aliases)
        trace.timings["matched words"] = round(watch.ms["matched words"], 3)
        trace = replace(trace, options=options)
        return replace(
            result, trace=with_causes(self, context, query, trace, searched_words(trace.section(Hybrid)), ())
        )

    def analysis(self, context: Context[HybridProfile], text: str) -> tuple[AnalysisStep, ...]:
        """The tokens of ``text`` in the query language, without aliases, and the words of each in the BM25 leg."""
        from brvtui.engines.jeffs_brain.intent import detect
        from brvtui.text.fts import phrase
        from brvtui.text.query_language import TokenKind, alternatives, parse

        language, full_text = context.constants.query, self._index(context).index.text
        parsed = parse(text, language.stopped, language.word_length)
        kept = {token.text for token in parsed.tokens}
        dropped = dict.fromkeys(one.text for one in parse(text, frozenset(), 0).tokens if one.text not in kept)
        phrases = {one.text: phrase(one.text, one.kind is TokenKind.PREFIX) for one in parsed.tokens}
        stems, intent = full_text.words(" ".join(token.text for token in parsed.tokens)), detect(text).name
        return (
            AnalysisStep("text", tuple(filter(None, (parsed.raw,))), intent and f"intent: {intent}"),
            AnalysisStep(
                "stop words",
                tuple(dropped),
                f"also and, or, not, and words of fewer than {language.word_length} letters",
            ),
            AnalysisStep("terms", tuple(token.text for token in parsed.tokens), "lower case, without marks"),
            AnalysisStep("expression", tuple(alternatives(parsed)), "joined by OR"),
            AnalysisStep("stems", stems, full_text.layout.tokenizer),
            AnalysisStep("unmatched", tuple(name for name, one in phrases.items() if not full_text.holds([one]))),
        )

    def detail(self, context: Context[HybridProfile], trace: Trace, file: str) -> Detail | None:
        """The parts of the score of the note at ``file``, whether or not it is in the answer. There are no
        contributions by term and field.
        """
        placed = trace.section(Hybrid).placed(file)
        return Detail(file, (), None, "", placed.hit) if placed is not None else None

    def why(self, context: Context[HybridProfile], trace: Trace, document: Named) -> Explanation:
        """The reason why ``document`` is, or is not, in the answer ``trace``."""
        from brvtui.engines.jeffs_brain.reasons import explain

        return explain(context, trace, document, asking(self, context, trace))

    def _index(self, context: Context[HybridProfile]) -> _PreparedMemory:
        """The index of the snapshot, rebuilt if the embedder or the profile has changed."""
        from brvtui.engines.jeffs_brain.index import index_snapshot

        embedder = embedder_of(context)
        name = embedder.name if embedder else ""
        with self._indexing:
            ready = self._ready
            is_current = ready is not None and ready.snapshot is context.snapshot and ready.embedder == name
            if ready is None or not is_current or ready.index.profile != context.constants:
                before = ready.index if ready is not None and ready.embedder == name else None
                index = index_snapshot(context.snapshot, context.constants, before)
                ready = self._ready = _PreparedMemory(context.snapshot, name, index)
            return ready


def _request(query: Query) -> tuple[Request, Aliases]:
    """The request and aliases of ``query``. Raises :class:`EngineError` for an unknown option or invalid value."""
    from brvtui.engines.jeffs_brain.pipeline import Request
    from brvtui.text.query_language import AliasError, checked_aliases, read_aliases

    options: dict[str, Any] = dict(query.options)
    raw = options.pop("aliases", {})
    check_options(ENGINE, options, _OPTIONS, _OTHERS)
    mode = options.pop("mode", None)
    check_mode(mode, MODES)
    try:
        aliases = read_aliases(raw) if isinstance(raw, Path) else checked_aliases(raw, "aliases")
    except AliasError as error:
        raise EngineError(str(error)) from error
    request = Request(
        query.text, RetrievalMode(mode) if mode else None, preview=not query.may_ask, scope=query.scope, **options
    )
    return request, aliases


def _reranker(context: Context[HybridProfile]) -> Reranker | None:
    try:
        return context.services.reranker
    except ServiceError as error:
        raise EngineError(str(error)) from error
