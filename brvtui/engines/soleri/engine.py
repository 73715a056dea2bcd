"""Soleri as an engine. The vault is updated with each snapshot, and the vectors are updated with the vault."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from brvtui.engines.contract import AnalysisStep, Context, EngineError, Query, StorageError, asking
from brvtui.engines.embedding import embedder_of, load_ahead, never_cancelled, why_not_asked
from brvtui.engines.no_result import with_causes
from brvtui.engines.options import check_mode, check_options
from brvtui.engines.soleri.sections import ENGINE, PROFILES, VaultSearch
from brvtui.faults import error_line
from brvtui.services.legs import LegError
from brvtui.timing import Stopwatch
from brvtui.trace import Detail, DocumentForecast, Explanation, Trace
from brvtui.trace.feedback import Feedback, Usefulness
from brvtui.wording import counted

if TYPE_CHECKING:  # imported later, so that naming the engine or showing its traces does not load its index
    from brvtui.engines.soleri.entries import Memory
    from brvtui.engines.soleri.index import NoteVault
    from brvtui.engines.soleri.memories import FeedbackCounts
    from brvtui.engines.soleri.presentation import SoleriPresentation
    from brvtui.engines.soleri.profile import SoleriProfile
    from brvtui.engines.soleri.search import Dense, VaultRanking, VaultRequest
    from brvtui.engines.soleri.vectors import StoredVector
    from brvtui.services.legs import Embedder, VectorCache
    from brvtui.snapshot import Snapshot
    from brvtui.snapshot.naming import Named

Progress = Callable[[int, int], None]
"""A function that is called with the number of entries that have a vector, and the total number."""
MODES = ("full", "scan")
_OPTIONS = {"top_k": int, "domain": str, "type": str, "severity": str, "tags": str, "max_tokens": int, "ids": str}
FILTERS = ("domain", "type", "severity")
_OTHERS = ("mode", "memories")
"""The options that the engine checks itself; ``memories`` is the path of a file, or the memories themselves."""


@dataclass(frozen=True, slots=True)
class _ReadyVault:
    """The vault of one snapshot. ``gaps`` is a message about entries without a vector."""

    snapshot: Snapshot
    profile: SoleriProfile
    embedder: str
    notes: NoteVault
    gaps: str = ""
    is_whole: bool = False
    """True if every entry has a vector."""


class Soleri:
    """Finds a pool of entries by BM25, and ranks it by seven weighted signals. Previews use no network."""

    name = ENGINE
    title = "Soleri"
    profiles = PROFILES
    modes = MODES
    options = (*sorted(_OPTIONS), *_OTHERS)
    sections = (VaultSearch,)

    def __init__(self) -> None:
        """Creates an engine without an index. The first query builds the index."""
        self._ready: _ReadyVault | None = None
        self._indexing = threading.Lock()
        self._embedding = threading.Lock()

    @cached_property
    def presentation(self) -> SoleriPresentation:
        """The presentation of Soleri's traces."""
        from brvtui.engines.soleri.presentation import SoleriPresentation

        return SoleriPresentation()

    def constants(self, profile: str = "") -> SoleriProfile:
        """The built-in constants of ``profile``. Raises :class:`brvtui.typed_tables.ProfileError`."""
        from brvtui.engines.soleri.profile import load_profile

        return load_profile(profile)

    def prepare(self, context: Context[SoleriProfile], progress: Progress, cancelled: Callable[[], bool]) -> None:
        """Builds the vault of the snapshot, computes the missing vectors, and loads a local model.

        If the embedder fails or is misconfigured, no error is raised, but the next answer reports the problem.
        """
        ready = self._with_vectors(context, progress, cancelled)
        embedder, _ = _embedder(context)
        if embedder is not None and ready.notes.vault.vectors.vectors:
            load_ahead(embedder)

    def options_of_file(self, constants: SoleriProfile, options: Mapping[str, Any]) -> dict[str, Any]:
        """``options`` from a file. Raises EngineError if they name another file with memories instead of containing the
        memories.
        """
        if isinstance(options.get("memories"), str):
            raise EngineError("memories: a file cannot name another file; use the list of memories instead")
        return dict(options)

    def answer(self, context: Context[SoleriProfile], query: Query) -> Trace:
        """The answer to ``query``. Raises :class:`EngineError`."""
        from brvtui.engines.soleri.matching import terms
        from brvtui.engines.soleri.memories import recalled
        from brvtui.engines.soleri.tracing import traced

        watch = Stopwatch()
        request = _request(context.constants, query)
        memories, query = _memories(query)
        embedder, wrongly_set = _embedder(context)
        feedback, unread_feedback = _feedback(context)
        with watch.measure("total"):
            with watch.measure("index"):
                ready = (
                    self._with_vectors(context, query.progress, never_cancelled)
                    if query.may_ask
                    else self._vault(context)
                )
            dense = _query_vector(embedder, ready, query, watch)
            with watch.measure("search"):
                ranking = self._ranked(context, ready, request, feedback, dense)
                matches = None
                if memories is not None:
                    matches = recalled(memories, query.text, context.constants, request.limit)
            unread = ready.notes.unread
            hidden = f"{counted(unread, 'note', 'notes')} cannot be read, so only names are searched" if unread else ""
            failed = _failure_notice(dense)
            scope = _scope_notice(query, ready.notes)
            gaps = "" if dense is not None and dense.error and dense.error in ready.gaps else ready.gaps
            notices = [text for text in (wrongly_set, failed, gaps, hidden, unread_feedback, scope) if text]
            name = embedder.name if embedder else ""
            trace = traced(context, query, _mode(query), ready.notes, ranking, feedback, matches, name, notices)
        trace.timings.update({name: round(ms, 3) for name, ms in watch.ms.items()})
        return with_causes(self, context, query, trace, terms(query.text, context.constants.as_run), FILTERS)

    def analysis(self, context: Context[SoleriProfile], text: str) -> tuple[AnalysisStep, ...]:
        """The terms of ``text`` for full-text search, and its words for the comparison by TF-IDF."""
        from brvtui.engines.soleri.matching import expression, terms
        from brvtui.engines.soleri.vectors import COUNTED, tokenize, uncounted

        names = terms(text, context.constants.as_run)
        indexes = [tier.text for tier in self._vault(context).notes.vault.tiers]
        stems = indexes[0].words(" ".join(names)) if indexes else ()
        unmatched = (name for name in dict.fromkeys(names) if not any(index.holds([name]) for index in indexes))
        return (
            AnalysisStep("terms", names, "lower case, split at white space and - _ . / \\"),
            AnalysisStep("expression", tuple(filter(None, (expression(text, context.constants.as_run),)))),
            AnalysisStep("stems", stems, indexes[0].layout.tokenizer if indexes else ""),
            AnalysisStep("compared", tuple(tokenize(text)), COUNTED),
            AnalysisStep("stop words", uncounted(text), "not compared"),
            AnalysisStep("unmatched", tuple(unmatched)),
        )

    def detail(self, context: Context[SoleriProfile], trace: Trace, file: str) -> Detail | None:
        """The seven parts of the score of the note at ``file``, whether or not it is in the answer; None if it is not a
        candidate.

        Raises KeyError for a note that is not in the snapshot.
        """
        if file not in context.snapshot.by_path:
            raise KeyError(file)
        placed = trace.section(VaultSearch).placed(file)
        return Detail(file, (), None, "", placed.hit) if placed is not None else None

    def why(self, context: Context[SoleriProfile], trace: Trace, document: Named) -> Explanation:
        """The reason why ``document`` is, or is not, in the answer ``trace``."""
        from brvtui.engines.soleri.reasons import explain

        return explain(context, self._vault(context).notes, trace, document, asking(self, context, trace))

    @property
    def event_kinds(self) -> Mapping[str, str]:
        """A phrase for the state of entries after each kind of dated event, keyed by the name of the kind."""
        from brvtui.engines.soleri.ageing import EVENT_KINDS

        return EVENT_KINDS

    def forecast(self, context: Context[SoleriProfile], document: str, day: float) -> DocumentForecast | None:
        """The best possible score of the note at ``document``, now and in ``day`` days, and the events that change it.

        The result is None if the file is not an entry.
        """
        from brvtui.engines.soleri.ageing import forecast
        from brvtui.engines.soleri.memories import adapted_weights

        vault = self._vault(context).notes
        found = vault.found(document)
        if found is None:
            return None
        feedback, _ = _feedback(context)
        weights = adapted_weights(feedback, _embedder(context)[0] is not None, context.constants)
        return forecast(found[1], vault.vault, weights, context.now_ms / 1000, context.constants, day)

    def learn(self, context: Context[SoleriProfile], trace: Trace, file: str, usefulness: Usefulness) -> str:
        """Stores feedback on the result ``file`` of ``trace``, and returns a line about its effect.

        Raises :class:`EngineError` if the feedback cannot be stored.
        """
        from brvtui.engines.soleri.memories import accept_rate

        log = context.services.feedback(ENGINE)
        try:
            log.add(Feedback(trace.query, file, usefulness, context.now_ms))
        except OSError as error:
            raise StorageError(f"the feedback cannot be stored: {error_line(error)}") from error
        counts, unread = _feedback(context)
        if unread:
            return f"stored, but {unread}"
        needed = context.constants.learning.rows
        rate = accept_rate(counts, context.constants) or 0.0
        if counts.rows < needed:
            failed = f" ({counts.failed} failed, which do not count)" if counts.failed else ""
            return f"{counts.rows} of {needed} feedback rows{failed}; the weights change once there are {needed}"
        return f"{counts.rows} feedback rows, {rate:.0%} useful; the weights have changed"

    def _ranked(
        self,
        context: Context[SoleriProfile],
        ready: _ReadyVault,
        request: VaultRequest,
        feedback: FeedbackCounts,
        dense: Dense | None,
    ) -> VaultRanking:
        from brvtui.engines.soleri.memories import adapted_weights
        from brvtui.engines.soleri.search import is_hybrid, search

        profile = context.constants
        weights = adapted_weights(feedback, is_hybrid(dense, profile), profile)
        return search(ready.notes.vault, request, profile, weights, context.now_ms / 1000, dense)

    def _vault(self, context: Context[SoleriProfile]) -> _ReadyVault:
        from brvtui.engines.soleri.index import index_notes
        from brvtui.engines.soleri.vectors import read_vectors
        from brvtui.text.fts import FullTextError

        embedder, _ = _embedder(context)
        name = embedder.name if embedder else ""
        with self._indexing:
            ready = self._ready
            if ready is not None and ready.profile != context.constants:
                ready = None
            if ready is None or ready.snapshot is not context.snapshot or ready.embedder != name:
                try:
                    notes = index_notes(context.snapshot, context.constants, ready.notes if ready is not None else None)
                except FullTextError as error:
                    raise EngineError(f"{ENGINE} needs SQLite's full-text search: {error}") from error
                if embedder is not None:
                    notes = _with_table(notes, read_vectors(_cache(context, embedder), name))
                ready = self._ready = _ReadyVault(context.snapshot, context.constants, name, notes)
            return ready

    def _with_vectors(
        self, context: Context[SoleriProfile], progress: Progress, cancelled: Callable[[], bool]
    ) -> _ReadyVault:
        from brvtui.engines.soleri.vectors import embed_entries, read_vectors, write_vectors

        ready = self._vault(context)
        embedder, _ = _embedder(context)
        if embedder is None:
            return ready
        with self._embedding:
            ready = self._vault(context)
            if ready.is_whole:
                return ready
            rules, cache = context.constants.vectors, _cache(context, embedder)
            kept = read_vectors(cache, embedder.name)
            report = embed_entries(
                ready.notes.vault.home_entries,
                kept,
                embedder.name,
                embedder.embed,
                rules.batch,
                rules.re_embed,
                cancelled,
                progress,
            )
            without = counted(report.failed, "entry has", "entries have")
            gaps = f"{without} no vector: {report.error}" if report.failed else ""
            if report.embedded:
                try:
                    write_vectors(cache, kept, {entry.id for entry in ready.notes.vault.home_entries}, report.length)
                except OSError as error:
                    gaps = gaps or f"the vectors cannot be stored: {error}"
            whole = replace(
                ready, notes=_with_table(ready.notes, kept), gaps=gaps, is_whole=not report.failed and not report.left
            )
            with self._indexing:
                if self._ready is ready:
                    self._ready = whole
            return whole


def _request(profile: SoleriProfile, query: Query) -> VaultRequest:
    """The request for ``query``. Raises :class:`EngineError` for an invalid option."""
    from brvtui.engines.soleri.results import default_limit
    from brvtui.engines.soleri.search import VaultRequest
    from brvtui.engines.soleri.vault import Filters

    options = dict(query.options)
    check_options(ENGINE, options, _OPTIONS, _OTHERS)
    check_mode(options.get("mode"), MODES)
    limit = options.get("top_k")
    domain = options.get("domain") or query.scope.partition("/")[0].lower()
    return VaultRequest(
        query.text,
        limit if limit is not None else default_limit(_mode(query), profile),
        Filters(domain, options.get("type") or "", options.get("severity") or ""),
        _comma_separated(options.get("tags")),
        options.get("max_tokens"),
        _comma_separated(options.get("ids")),
    )


def _comma_separated(option: str | None) -> tuple[str, ...]:
    return tuple(item.strip() for item in (option or "").split(",") if item.strip())


def _memories(query: Query) -> tuple[tuple[Memory, ...] | None, Query]:
    """The memories in ``query`` (None without any), and ``query`` with them in place of their file."""
    from brvtui.engines.soleri.memories import memories_of

    option = query.options.get("memories")
    if option is None:
        return None, query
    if query.options.get("ids"):
        raise EngineError("ids and memories cannot be combined, because ids load only entries: leave one of them out")
    memories = memories_of(option)
    records = [dict(memory.record) for memory in memories]
    return memories, replace(query, options={**query.options, "memories": records})


def _scope_notice(query: Query, notes: NoteVault) -> str:
    domain, _, deeper = query.scope.partition("/")
    domains = (row.mapped.entry.domain for rows in notes.rows.values() for row in rows)
    if domain and domain not in domains:
        return f"{query.scope}: no note has the domain {domain}, so nothing is found there; choose another scope"
    if not deeper:
        return ""
    return f"{query.scope}: this engine filters by domain, not by folder, so all of {domain} was searched"


def _embedder(context: Context[SoleriProfile]) -> tuple[Embedder | None, str]:
    """The embedder, and an empty notice; None, and a notice about missing vectors, if it is misconfigured."""
    try:
        return embedder_of(context), ""
    except EngineError as error:
        return None, f"no vectors are used: {error}"


def _failure_notice(dense: Dense | None) -> str:
    if dense is None or not dense.error:
        return ""
    return f"vectors failed, so the ranking uses only words: {dense.error}"


def _feedback(context: Context[SoleriProfile]) -> tuple[FeedbackCounts, str]:
    """The counts of the feedback, and an error message. If feedback cannot be read, the counts are 0; otherwise, the
    message is empty.
    """
    from brvtui.engines.soleri.memories import FeedbackCounts, feedback_counts
    from brvtui.services.provided import feedback_problem

    try:
        return feedback_counts(context.services.feedback(ENGINE).counts()), ""
    except OSError as error:
        return FeedbackCounts(), feedback_problem(error, "weights are fixed")


def _mode(query: Query) -> Literal["full", "scan"]:
    return "scan" if query.options.get("mode") == "scan" else "full"


def _query_vector(embedder: Embedder | None, ready: _ReadyVault, query: Query, watch: Stopwatch) -> Dense | None:
    """The vector of the query; None if there is no embedder, in which case only words are searched."""
    from brvtui.engines.soleri.search import Dense

    if embedder is None:
        return None
    waits = why_not_asked(embedder, query, bool(ready.notes.vault.vectors.vectors))
    if waits:
        return Dense(None, waits=waits)
    try:
        with watch.measure("query vector"):
            vectors = embedder.embed([query.text])
    except LegError as error:
        return Dense(None, str(error))
    if not vectors:
        return Dense(None, f"{embedder.name} returned no vector for the query")
    return Dense(vectors[0], ready.notes.vault.vectors.problem(vectors[0]))


def _with_table(notes: NoteVault, vectors: Mapping[str, StoredVector]) -> NoteVault:
    from brvtui.engines.soleri.vectors import VectorIndex

    ids = (entry.id for entry in notes.vault.home_entries)  # their order decides between equal cosines
    table = VectorIndex({id_: vectors[id_] for id_ in ids if id_ in vectors})
    return replace(notes, vault=replace(notes.vault, vectors=table))


def _cache(context: Context[SoleriProfile], embedder: Embedder) -> VectorCache:
    return context.services.vectors(f"{ENGINE} {embedder.name}")
