"""Questions about an answer: where its scores come from, why a note is in it, what would change it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

from brvtui.engines.byterover.route.cache import CacheState
from brvtui.engines.byterover.route.finding import search_of
from brvtui.engines.byterover.route.router import Asked, route
from brvtui.engines.byterover.search.detail import detail
from brvtui.session.opened import Opened
from brvtui.trace import Detail, Hit, Search, Trace
from brvtui.tree.engine_files.logged_query import LoggedQuery

if TYPE_CHECKING:
    from brvtui.engines.byterover.counterfactuals.levers import Takes
    from brvtui.engines.byterover.reasons.why_not import Explanation
    from brvtui.engines.jeffs_brain.trace import HybridTrace
    from brvtui.lab.log_summary import Compared
    from brvtui.saved.traces import Saved


class Answers:
    """What can be asked about answers of an open project, from any thread. Nothing is changed by it."""

    def __init__(self, opened: Opened) -> None:
        """Nothing is asked yet."""
        self._opened = opened

    def detail(self, trace: Trace, path: str) -> Detail:
        """The term x field detail of the note at ``path`` (a hit's ``file``) under the search that found it.

        It is made on the snapshot of ``trace``. Raises KeyError for an unknown note, and when that snapshot is gone.
        """
        return detail(self._opened.snapshot_of(trace), self._opened.profile, search_of(trace, path), path)

    def details(self, trace: Trace, most: int | None = None) -> dict[str, Detail]:
        """:meth:`detail` of the first ``most`` hits (all without it) that matched by their text, by ``file``."""
        return {hit.file: self.detail(trace, hit.file) for hit in trace.hits[:most] if hit.text}

    def score_of(self, trace: Trace, path: str) -> Hit | None:
        """The score that the note at ``path`` has, or would have had, under ``trace``; None when no term matches it.

        Raises KeyError for an unknown note, and when the snapshot of ``trace`` is gone.
        """
        from brvtui.engines.byterover.reasons.score_of import score_of

        opened = self._opened
        snapshot = opened.snapshot_of(trace)
        return score_of(snapshot, opened.profile, opened.clock(), trace.search, snapshot.by_path[path])

    def saved(self, trace: Trace | HybridTrace, search: Search | None = None) -> Saved:
        """``trace`` with the detail of its hits and near misses, as it can be kept in a file.

        What cannot be worked out any more, because the snapshot of ``trace`` is gone, is left out.
        """
        from brvtui.saved.traces import saved_now

        now = self._opened.clock
        if not isinstance(trace, Trace):
            return saved_now(trace, now())
        details: dict[str, Detail] = {}
        missed: dict[str, Hit] = {}
        with suppress(KeyError):
            details = self.details(trace)
            for miss in trace.search.near_misses:
                details[miss.file] = self.detail(trace, miss.file)
                own = self.score_of(trace, miss.file)
                if own is not None:
                    missed[miss.file] = own
        return saved_now(trace, now(), details, missed, search)

    def explain(self, query: str, note: str, scope: str = "", trace: Trace | None = None) -> Explanation:
        """Why ``note`` (a path, the end of one, or a title) is or is not in the answer to ``query``.

        ``trace`` is the answer to explain; without it the query is probed. Raises
        :class:`brvtui.snapshot.naming.UnknownNote`.
        """
        from brvtui.engines.byterover.reasons.why_not import explain
        from brvtui.snapshot.naming import find_note

        opened = self._opened
        snapshot, now = opened.snapshot, opened.clock()
        named = find_note(snapshot, note)

        def ask(other: str) -> Trace:
            return route(snapshot, opened.profile, CacheState(), Asked(other, now, scope))[0]

        answered = trace or opened.probe(query, scope)
        return explain(snapshot, opened.profile, now, named, answered, ask)

    def what_it_takes(
        self, trace: Trace, note: str = "", cancelled: Callable[[], bool] = lambda: False
    ) -> Takes | None:
        """What it would take that the query of ``trace`` is answered at tier 2, with ``note`` first if it is given.

        None when nothing is needed, and when ``cancelled`` became true meanwhile. Raises KeyError when the snapshot of
        ``trace`` is gone, and :class:`brvtui.snapshot.naming.UnknownNote`.
        """
        from brvtui.engines.byterover.counterfactuals.finding import what_it_takes
        from brvtui.snapshot.naming import find_note

        opened = self._opened
        snapshot = opened.snapshot_of(trace)
        path = find_note(snapshot, note).path if note else ""
        return what_it_takes(snapshot, opened.profile, opened.clock(), trace, path, cancelled)

    def compare_logged(self, entry: LoggedQuery) -> Compared:
        """A logged query beside its answer now, on an empty cache."""
        from brvtui.lab.log_summary import compare

        opened = self._opened
        asked = Asked(entry.query, opened.clock(), entry.scope)
        return compare(entry, route(opened.snapshot, opened.profile, CacheState(), asked)[0])
