"""ByteRover 3 as an engine: the route, which uses a simulated cache, and the model that may write an answer."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from brvtui.engines.ageing.events import OF_NOTES
from brvtui.engines.byterover.sections import ENGINE, EntityStep, PlainSearch, Search
from brvtui.engines.contract import AnalysisStep, BriefAnswer, EngineError, Query, ReplayStep
from brvtui.engines.options import engines_with
from brvtui.engines.registry import DEFAULT_PROFILE, PROFILES
from brvtui.ranking.constants import SignalRules
from brvtui.trace import (
    AgedSignals,
    Ceiling,
    Detail,
    DocumentForecast,
    Explanation,
    Ladder,
    ManifestPlace,
    Origin,
    Remedy,
    Trace,
)
from brvtui.trace.routing import CacheLook, FingerprintState, Route

if TYPE_CHECKING:  # imported later, so that naming the engine or showing its traces does not load its search
    from brvtui.engines.ageing.forecast import Forecast
    from brvtui.engines.ageing.rules import AgeingRules
    from brvtui.engines.byterover.presentation import ByteRoverPresentation
    from brvtui.engines.byterover.profile import Context, Profile
    from brvtui.engines.byterover.route.cache import CacheContents, SeenTrees
    from brvtui.engines.counterfactuals import Counterfactuals
    from brvtui.engines.edit_previews import EditPreview
    from brvtui.engines.together import OneRanking, RankedMemories
    from brvtui.engines.verification.installed import InstalledEngine
    from brvtui.engines.verification.results import Verification, VerificationRun
    from brvtui.services.model import Cancellation
    from brvtui.snapshot.naming import Named
    from brvtui.text.constants import ExpansionRules
    from brvtui.trace.events import Event
    from brvtui.trace.routing import CacheNow


class ByteRover:
    """ByteRover 3 with its five tiers. Runs fill the simulated cache, and are executed one at a time."""

    name = ENGINE
    title = "ByteRover"
    profiles = PROFILES
    modes: tuple[str, ...] = ()
    sections = (Route, Search, EntityStep, Ladder, CacheLook, FingerprintState, PlainSearch)

    def __init__(self) -> None:
        self._stored_cache: CacheContents | None = None
        self._emptied = 0
        self._running = threading.Lock()
        self._swapping = threading.Lock()
        self._forecast: tuple[Context, float, Forecast] | None = None
        """The last forecast, with its context and day. It is reused for other notes."""

    @cached_property
    def presentation(self) -> ByteRoverPresentation:
        """The presentation of ByteRover's traces in words."""
        from brvtui.engines.byterover.presentation import ByteRoverPresentation

        return ByteRoverPresentation()

    @cached_property
    def _seen_trees(self) -> SeenTrees:
        from brvtui.engines.byterover.route.cache import SeenTrees

        return SeenTrees()

    @property
    def _cache(self) -> CacheContents:
        from brvtui.engines.byterover.route.cache import CacheContents

        stored = self._stored_cache
        return stored if stored is not None else CacheContents()

    def constants(self, profile: str = "") -> Profile:
        """The built-in profile called ``profile``, or the profile in the TOML file at that path.

        Raises :class:`brvtui.typed_tables.ProfileError`.
        """
        from brvtui.engines.byterover import profile as profiles

        return profiles.load(profile or DEFAULT_PROFILE)

    def answer(self, context: Context, query: Query) -> Trace:
        """The trace of ``query``. A run is cached as in ByteRover. Only :meth:`complete` calls a model.

        Raises :class:`brvtui.engines.contract.EngineError` for any option, because ByteRover has none.
        """
        from brvtui.engines.byterover.route.router import RouteRequest, route

        _refuse_options(query)
        if not query.run:
            return route(context, self._cache, RouteRequest(query.text, query.scope))[0]
        with self._running:
            emptied = self._emptied
            self._seen_trees.see(context.snapshot)
            trace, after = route(context, self._cache, RouteRequest(query.text, query.scope, run=True))
            with self._swapping:
                if self._emptied == emptied:
                    self._stored_cache = after
        return trace

    def brief_answer(self, context: Context, query: Query) -> BriefAnswer:
        """The answer to ``query`` without explanations, on an empty cache. Raises the errors of :meth:`answer`."""
        from brvtui.engines.byterover.route.router import brief_answer

        _refuse_options(query)
        return brief_answer(context, query.text, query.scope)

    def complete(self, context: Context, query: Query, cancellation: Cancellation) -> Iterator[Event]:
        """Runs ``query``, and has the model write the answer if the route ends at a model and one is available.

        A complete answer is cached as in ByteRover. Errors of the model are yielded as events instead of being raised.
        """
        from brvtui.engines.byterover.completion.model_answer import CompletionContext, complete
        from brvtui.engines.byterover.route.router import keep
        from brvtui.trace import EndReason
        from brvtui.trace.events import CompletionFailed, Finished, Routed

        model = context.services.model
        emptied = self._emptied
        trace = self.answer(context, query)
        if model is None or not trace.answer.awaits_model:
            yield Routed(trace, "")
            yield Finished(trace)
            return
        yield Routed(trace, model.name)
        completed = yield from complete(CompletionContext(context, model, context.services.budget, cancellation), trace)
        done = completed.answer.completion
        if done is not None and done.ended in (EndReason.FAILED, EndReason.CANCELLED):
            yield CompletionFailed(completed, done.why, done.ended is EndReason.CANCELLED)
            return
        is_whole = completed.answer.kind == "model" and done is not None and done.ended is not EndReason.CUT
        if is_whole and done is not None:
            with self._running, self._swapping:
                if self._emptied == emptied:
                    self._stored_cache = keep(self._cache, context, completed, context.now_ms + done.took_ms)
        yield Finished(completed)

    def cache_now(self, context: Context, query: str) -> CacheNow:
        """The current state of the simulated cache, with the look-up for ``query``."""
        from brvtui.engines.byterover.route.cache import held_fingerprint, look_up
        from brvtui.trace.routing import CacheNow

        snapshot, profile, now = context.snapshot, context.constants, context.now_ms
        state, fingerprint = held_fingerprint(self._cache, snapshot.fingerprint, snapshot.covered_count, now, profile)
        _, look, _ = look_up(state, query, fingerprint.value, now, profile, snapshot.signals)
        seen = self._seen_trees
        seen.see(snapshot)
        changes = {entry.key: found for entry in state.entries if (found := seen.since(entry.fingerprint)) is not None}
        return CacheNow(fingerprint, look, changes, seen.index_left_s(now, profile.limits.index_seconds))

    def plain_search(self, context: Context, query: str, limit: int, scope: str) -> Search:
        """The results of a search without the router, as with ``brv search``."""
        from brvtui.engines.byterover.search.search import SearchOptions, search

        return search(context, query, SearchOptions(limit, scope))

    def analysis(self, context: Context, text: str) -> tuple[AnalysisStep, ...]:
        """The scope that ``text`` names, and the words of the rest, as in a search."""
        from brvtui.engines.byterover.search.matching import match_terms
        from brvtui.text.analysis import from_utf16, terms

        found = self.plain_search(context, text, 1, "")
        words, searched = found.lint.words, terms(found.lint.filtered)
        matches = match_terms(context.snapshot, searched, context.constants.text).terms
        return (
            AnalysisStep("scope", tuple(filter(None, (found.scope.path,))), found.scope.why),
            AnalysisStep("words", tuple(one.word for one in words), "; ".join(found.lint.notes)),
            AnalysisStep("stop words", tuple(one.word for one in words if one.stop_word)),
            AnalysisStep("text", tuple(filter(None, (found.lint.filtered,)))),
            AnalysisStep("terms", found.lint.tokens, "split at punctuation, in lower case; no stems, CJK runs whole"),
            AnalysisStep("unmatched", tuple(from_utf16(one.term) for one in matches if not one.scores.any())),
        )

    def expansion_rules(self, constants: Profile) -> ExpansionRules | None:
        """The rules for prefix and fuzzy matches; None in a profile that scores words with tantivy."""
        return constants.text if constants.text.relevance == "minisearch" else None

    def with_plain_search(self, context: Context, trace: Trace, limit: int) -> Trace:
        """``trace`` with an additional section: a search for ``limit`` results without the router."""
        section = PlainSearch(self.plain_search(context, trace.query, limit, trace.scope_option))
        return replace(trace, sections=(*trace.sections, section))

    def preview_edit(self, context: Context, query: Query, path: str, content: bytes, keep_mtime: bool) -> EditPreview:
        """The answer and the note's numbers before and after ``content`` replaces its text, without the cache."""
        from brvtui.engines.byterover.edit_preview import preview_edit

        return preview_edit(context, query.text, query.scope, path, content, keep_mtime)

    def accessed(self, trace: Trace) -> tuple[str, ...]:
        """The files that the search in ``trace`` found by their own text; empty if the cache answered."""
        if not trace.section(Route).used:
            return ()
        files = (hit.file for hit in trace.section(Search).hits if hit.origin is not Origin.PROPAGATED)
        return tuple(dict.fromkeys(files))

    def counterfactuals(
        self, context: Context, trace: Trace, path: str, cancelled: Callable[[], bool]
    ) -> Counterfactuals | None:
        """The smallest changes that lead to a tier 2 answer to the query of ``trace``, with the note at ``path``, if
        given, first.
        """
        from brvtui.engines.byterover.counterfactuals.find import find_counterfactuals

        return find_counterfactuals(context, trace, path, cancelled)

    def why_apart(self, constants: Profile) -> str:
        """The reason why a memory with ``constants`` cannot be ranked together with others; empty if it can."""
        if constants.text.relevance != "minisearch":
            return f"its profile scores words with {constants.text.relevance}"
        domain = constants.out_of_domain
        if not domain.matched_results or not constants.paths.leave_scope or constants.retry.in_route:
            return f"its profile ({constants.name}) searches in a different order from brv-3"
        return ""

    def rank_alike(self, constants: Profile) -> Profile:
        """``constants`` without the values that may differ between the members of one ranking: the name and the source
        of signals.
        """
        return replace(constants, name="", signals=replace(constants.signals, frontmatter=False))

    def rank_together(
        self, constants: Profile, query: str, limit: int, memories: RankedMemories, domains: frozenset[str]
    ) -> OneRanking:
        """One ranking of ``memories``: see :mod:`brvtui.engines.byterover.one_ranking`."""
        from brvtui.engines.byterover.one_ranking import Ranker

        return Ranker(memories, constants, query, limit).ranked(domains)

    def clear_cache(self) -> None:
        """Empties the cache and forgets the fingerprint."""
        with self._swapping:
            self._stored_cache = None
            self._emptied += 1

    def detail(self, context: Context, trace: Trace, file: str) -> Detail | None:
        """The score of the note at ``file`` by term and field, in the search that found it; None if no term matches.

        Raises KeyError for a note that the snapshot does not search.
        """
        from brvtui.engines.byterover.search.detail import detail, scored, search_of

        result = detail(context, search_of(trace, file), file)
        _, hit = trace.place_of(file)
        return replace(result, hit=hit if hit is not None else scored(context, result))

    def why(self, context: Context, trace: Trace, document: Named) -> Explanation:
        """The reason why ``document`` is, or is not, in ``trace``. The remedy was tried on an empty cache."""
        from brvtui.engines.byterover.reasons.why_not import explain

        return explain(context, document, trace)

    def remedies(
        self, context: Context, trace: Trace, document: Named, cancelled: Callable[[], bool]
    ) -> tuple[Remedy, ...]:
        """The changes that raise ``document`` in the answer ``trace``, best first. Each was tried without a cache."""
        from brvtui.engines.byterover.reasons.remedies import remedies

        return remedies(context, trace, document, cancelled)

    @property
    def event_kinds(self) -> Mapping[str, str]:
        """A phrase for the state of several notes after each ageing event, keyed by the event's name."""
        return {event.key: event.state for event in OF_NOTES}

    def ageing_rules(self, constants: Profile, stored: SignalRules) -> AgeingRules:
        """The ageing constants."""
        return constants.ageing

    def forecast(self, context: Context, document: str, day: float) -> DocumentForecast | None:
        """The best possible score of the note at ``document`` now and in ``day`` days, and its ageing events.

        The result is None for a file that is not searched.
        """
        from brvtui.engines.ageing.board import Board
        from brvtui.engines.ageing.forecast import Forecast, note_forecast

        last = self._forecast
        if last is None or last[0] is not context or last[1] != day:
            board = Board(context.snapshot, context.constants.ageing, context.now_ms)
            last = self._forecast = (context, day, Forecast(board, day))
        return note_forecast(last[2], document)

    def standing(self, context: Context, document: str) -> tuple[AgedSignals, Ceiling] | None:
        """A note's signals before and after decay, and its best possible score; None if there is no such note."""
        from brvtui.engines.byterover.search.scoring import standing

        return standing(context, document)

    def quoted_units(self, constants: Profile) -> int:
        """The maximum number of UTF-16 units of a note in a direct answer."""
        return constants.direct.note_chars

    def manifest_place(self, context: Context, path: str) -> ManifestPlace | None:
        """The place of the file at ``path`` in the manifest; None if the snapshot has no such file."""
        from brvtui.engines.byterover.route.manifest import manifest_place

        snapshot = context.snapshot
        return manifest_place(snapshot, context.constants.manifest, path) if path in snapshot.parsed else None

    def find_installed(self, named: Path | None, environment: Mapping[str, str]) -> InstalledEngine:
        """ByteRover's package at ``named`` or, without ``named``, an installed one. Raises ``NotInstalled``."""
        from brvtui.engines.verification.installed import find_package

        return find_package(named, environment)

    def verify(self, run: VerificationRun) -> Verification | None:
        """The comparison of answers from the installed program with answers from this engine; None if cancelled."""
        from brvtui.engines.byterover.verification import verify

        return verify(run, self.constants())

    def replay_query(self, context: Context, query: Query, limit: int | None) -> tuple[Trace, dict[str, Any]]:
        """The trace and the output line from :func:`brvtui.engines.byterover.replay.replay_query`."""
        from brvtui.engines.byterover.replay import replay_query

        _refuse_options(query)
        return replay_query(context, query, limit)

    def replay_sequence(
        self, context: Context, steps: Sequence[ReplayStep], like: Query, limit: int | None
    ) -> Iterator[dict[str, Any]]:
        """The output lines from :func:`brvtui.engines.byterover.replay.replay_sequence`, which contain no results."""
        from brvtui.engines.byterover.replay import replay_sequence

        _refuse_options(like)
        return replay_sequence(context, steps, like.scope)


def _refuse_options(query: Query) -> None:
    if query.options:
        name, value = next(iter(query.options.items()))
        elsewhere = engines_with(name, value, ENGINE)
        hint = f", or choose {elsewhere}" if elsewhere else ""
        raise EngineError(f"{name} is not an option of {ByteRover.title}; leave it out{hint}")
