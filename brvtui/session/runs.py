"""Queries routed on the simulated cache: probes, runs, and runs that a model answers."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from brvtui import faults
from brvtui.engines.byterover.route.cache import CacheState, held_fingerprint, look_up
from brvtui.engines.byterover.route.router import Asked, keep, route
from brvtui.providers.held_model import HeldModel
from brvtui.session.opened import Opened
from brvtui.session.recording import record
from brvtui.snapshot import Snapshot
from brvtui.store.overlay import Overlay
from brvtui.trace import Trace

if TYPE_CHECKING:
    from brvtui.engines.byterover.route.tree_changes import CacheNow, SeenTrees
    from brvtui.services.model import Cancellation
    from brvtui.trace.events import Event


class Runs:
    """One cache and what is asked on it. Methods may be called from any thread; runs come one after the other."""

    def __init__(self, opened: Opened, model: HeldModel, overlay: Overlay) -> None:
        """Runs over an empty cache; hits are recorded in ``overlay``."""
        self._opened = opened
        self._model = model
        self._overlay = overlay
        self._cache = CacheState()
        self._running = threading.Lock()
        self._swapping = threading.Lock()

    @cached_property
    def _seen_trees(self) -> SeenTrees:
        from brvtui.engines.byterover.route.tree_changes import SeenTrees

        return SeenTrees()

    def probe(self, query: str, scope: str) -> Trace:
        """The trace of ``query``, without any effect."""
        opened = self._opened
        asked = Asked(query, opened.clock(), scope, no_call=self._model.why_no_call(False))
        return route(opened.snapshot, opened.profile, self._cache, asked)[0]

    def run(self, query: str, scope: str) -> Trace:
        """The trace of ``query``, which the cache keeps and whose hits are recorded if that is on."""
        return self._run(self._asked(query, scope))[1]

    def complete(self, query: str, scope: str, cancellation: Cancellation | None) -> Iterator[Event]:
        """:meth:`run`, then the model's answer, where one would be asked; see :meth:`Session.complete`."""
        from brvtui.engines.byterover.completion.completing import Completing, Prices, asks_model, complete
        from brvtui.services.model import Cancellation
        from brvtui.trace import Ended
        from brvtui.trace.events import Failed, Finished, Routed

        opened = self._opened
        profile, settings = opened.profile, opened.settings.llm
        model = self._model.to_ask()
        asked = self._asked(query, scope)
        snapshot, trace = self._run(asked)
        if model is None or not asks_model(trace):
            yield Routed(trace, "")
            yield Finished(trace)
            return
        yield Routed(trace, model.name)
        prices = Prices(settings.sent_cents, settings.received_cents)
        how = Completing(snapshot, profile, asked.now_ms, model, prices, cancellation or Cancellation())
        made = yield from complete(how, trace)
        done = made.answer.completion
        if done is not None and done.ended in (Ended.FAILED, Ended.CANCELLED):
            yield Failed(made, done.why, done.ended is Ended.CANCELLED)
            return
        is_whole = made.answer.kind == "model" and done is not None and done.ended is not Ended.CUT
        with self._running, self._swapping:
            if is_whole and opened.profile is profile:
                self._cache = keep(self._cache, profile, made, opened.clock())
        yield Finished(made)

    def cache_now(self, query: str) -> CacheNow:
        """The cache as a look-up for ``query`` would find it at this moment."""
        from brvtui.engines.byterover.route.tree_changes import CacheNow

        opened = self._opened
        snapshot, profile, now = opened.snapshot, opened.profile, opened.clock()
        state, fingerprint = held_fingerprint(self._cache, snapshot.fingerprint, snapshot.covered_count, now, profile)
        _, look, _ = look_up(state, query, fingerprint.value, now, profile)
        seen = self._seen_trees
        seen.see(snapshot)
        changes = {entry.key: found for entry in state.entries if (found := seen.since(entry.fingerprint)) is not None}
        return CacheNow(fingerprint, look, changes, seen.index_left_s(now, profile.limits.index_seconds))

    def clear(self) -> None:
        """Empties the cache and lets go of the fingerprint."""
        with self._swapping:
            self._cache = CacheState()

    def _asked(self, query: str, scope: str) -> Asked:
        opened = self._opened
        no_call = self._model.why_no_call(True)
        model_is_set = bool(opened.settings.llm.model)
        return Asked(query, opened.clock(), scope, True, no_call=no_call, model_is_set=model_is_set)

    def _run(self, asked: Asked) -> tuple[Snapshot, Trace]:
        opened = self._opened
        with self._running:
            before, snapshot = self._cache, opened.snapshot
            self._seen_trees.see(snapshot)
            trace, after = route(snapshot, opened.profile, before, asked)
            with self._swapping:
                if self._cache is before:
                    self._cache = after
            if not opened.recording or not trace.used:
                return snapshot, trace
            try:
                record(self._overlay, trace, opened.snapshot, opened.profile.signals)
            except OSError as error:
                problem = f"access hits cannot be recorded: {faults.advised(error)}"
                return snapshot, replace(trace, notices=(*trace.notices, problem))
        opened.refresh()
        return snapshot, trace
