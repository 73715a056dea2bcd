"""Explains answers: the origin of scores, the reasons why a note is or is not in an answer, and possible changes."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Any, Protocol

from brvtui.engines.contract import Context, EngineError, Query, TriesRemedies
from brvtui.engines.options import options_of_file
from brvtui.engines.registry import reads_trees
from brvtui.session.engines import Engines, OpenProject
from brvtui.trace import Detail, Explanation, Origin, Remedy, Trace
from brvtui.tree.engine_files.query_log import ENGINE, LoggedQuery

if TYPE_CHECKING:
    from brvtui.engines.counterfactuals import Counterfactuals
    from brvtui.lab.log_comparison import LogComparison
    from brvtui.saved.traces import SavedTrace
    from brvtui.snapshot import Snapshot

_ANOTHER_TREE = "the tree of this answer is no longer available: this explanation is for the current tree"
_UNUSABLE = "its frontmatter cannot be used, so it has the signals of a new note: fix the frontmatter in the editor"
_NOT_READ = (
    "its frontmatter has signals, but they were not read: set signals.frontmatter to on, then open the project again"
)
_BY_TEXT = (Origin.TEXT, Origin.FUSED)
"""The origins of scores that come from matched words, rather than from a path, a name or another result."""


class ExplainedProject(OpenProject, Protocol):
    """The part of the session that its explainer uses."""

    def snapshot_of(self, trace: Trace) -> Snapshot:
        """The snapshot of a trace. Raises KeyError if it was dropped."""

    def preview(self, query: str, scope: str = "", engine: str = "") -> Trace:
        """The trace of a query, without side effects."""


class TraceExplainer:
    """Explains an open project's traces. Methods are thread-safe and change nothing."""

    def __init__(self, opened: ExplainedProject, engines: Engines) -> None:
        """An explainer for the project ``opened``, whose queries run in ``engines``."""
        self._opened = opened
        self._engines = engines

    def detail(self, trace: Trace, file: str) -> Detail | None:
        """The parts of the score of the note at ``file`` in ``trace``; None if nothing in the note matches."""
        return self._engines.named(trace.engine).detail(self.context_of(trace), trace, file)

    def details(self, trace: Trace, most: int | None = None) -> dict[str, Detail]:
        """The :meth:`detail` of the first ``most`` hits (None: all hits) that matched by their text, by ``file``."""
        files = [hit.file for hit in trace.hits[:most] if hit.origin in _BY_TEXT]
        return {file: found for file in files if (found := self.detail(trace, file)) is not None}

    def saved(self, trace: Trace) -> SavedTrace:
        """``trace`` with the details of its hits and near misses, ready to be written to a file.

        The details are missing if the snapshot of ``trace`` was dropped.
        """
        from brvtui.saved.traces import saved_now

        details: dict[str, Detail] = {}
        with suppress(KeyError):
            details = self.details(trace)
            for miss in trace.near_misses:
                if (found := self.detail(trace, miss.file)) is not None:
                    details[miss.file] = found
        return saved_now(trace, self._opened.clock(), details)

    def explain(
        self, query: str, note: str, scope: str = "", trace: Trace | None = None, engine: str = ""
    ) -> Explanation:
        """The reason why ``note`` (a path, the end of one, or a title) is or is not in the answer to ``query``.

        ``trace`` is the answer to explain, with its own snapshot and time; without one, the query is previewed. If that
        snapshot was dropped, the newest one is used, and :attr:`Explanation.notice` says so. Raises
        :class:`brvtui.snapshot.naming.UnknownNote` and :class:`brvtui.engines.contract.EngineError`.
        """
        from brvtui.snapshot.naming import find_note

        answered, notice = trace or self._opened.preview(query, scope, engine), ""
        try:
            context = self.context_of(answered)
        except KeyError:
            context, notice = self._engines.context(answered.engine), _ANOTHER_TREE
        named = find_note(context.snapshot, note)
        explanation = self._engines.named(answered.engine).why(context, answered, named)
        if reads_trees(answered.engine) and not notice:
            notice = _why_no_signals(context.snapshot, named.path)
        return replace(explanation, notice=notice) if notice else explanation

    def remedies(
        self, explanation: Explanation, cancelled: Callable[[], bool] = lambda: False
    ) -> tuple[Remedy, ...] | None:
        """The changes that would raise the note of ``explanation`` in the answer, each of them tried, best first.

        Empty if no change helps; None if the engine cannot try changes. If ``cancelled`` returns True, only the changes
        found until then are returned. Raises KeyError if the answer's snapshot was dropped.
        """
        from brvtui.snapshot.naming import Named

        trace = explanation.trace
        engine = self._engines.named(trace.engine)
        if not isinstance(engine, TriesRemedies):
            return None
        context = self.context_of(trace)
        named = Named(explanation.path, context.snapshot.by_path.get(explanation.path))
        return engine.remedies(context, trace, named, cancelled)

    def counterfactuals(
        self, trace: Trace, note: str = "", cancelled: Callable[[], bool] = lambda: False
    ) -> Counterfactuals | None:
        """The smallest changes that would make ByteRover answer the query of ``trace`` at tier 2, without a model.

        If ``note`` is given, the changes must also put it first. None if no change is needed, or if ``cancelled``
        returned True. Raises :class:`brvtui.engines.contract.EngineError` for another engine's trace, KeyError if the
        snapshot of ``trace`` was dropped, and :class:`brvtui.snapshot.naming.UnknownNote`.
        """
        from brvtui.engines.counterfactuals import AvoidsModels
        from brvtui.snapshot.naming import find_note

        engine = self._engines.named(trace.engine)
        if not isinstance(engine, AvoidsModels):
            raise EngineError(f"--takes needs ByteRover's tiers: leave it out with {trace.engine}")
        context = self.context_of(trace)
        path = find_note(context.snapshot, note).path if note else ""
        return engine.counterfactuals(context, trace, path, cancelled)

    def compare_logged(self, logged: LoggedQuery, path_now: Callable[[str], str] = str) -> LogComparison:
        """Compares the logged answer to a query with the current answer on an empty cache.

        If the engine fails, the result gives the reason. A logged result that is no longer in the tree is identified
        with the note at its ``path_now``.
        """
        from brvtui.lab.log_comparison import LogComparison, causes, compare

        there = self._opened.snapshot.by_path
        paths_now = {path: now for path in logged.paths if path not in there and (now := path_now(path)) in there}
        entry = replace(logged, paths=tuple(paths_now.get(path, path) for path in logged.paths))
        try:
            context = self._engines.context(entry.engine)
            trace = self._answer_logged(entry, context)
            compared = replace(compare(entry, trace), entry=logged, paths_now=paths_now)
            if not compared.differences or compared.failure or entry.status != "completed":
                return compared
            snapshot = context.snapshot
            changed = {note.result_path: float(note.mtime_ms) for note in snapshot.notes}
            is_original = entry.who == ENGINE and reads_trees(entry.engine)
            own = snapshot.frontmatter_count + snapshot.overlay_count if is_original else 0

            def as_of(at_ms: float) -> Trace:
                return self._answer_logged(entry, replace(context, now_ms=at_ms))

            is_known = entry.at_ms > 0
            found = causes(entry, trace, as_of if is_known else None, changed, bool(paths_now), context.now_ms, own)
            return replace(compared, causes=found)
        except EngineError as error:
            return LogComparison(logged, None, None, (), (str(error),), failure=str(error), paths_now=paths_now)

    def explain_logged(self, entry: LoggedQuery, note: str) -> Explanation:
        """The reason why ``note`` is or is not in the current answer to the query of ``entry``, on an empty cache.

        Raises the same exceptions as :meth:`explain`.
        """
        trace = self._answer_logged(entry, self._engines.context(entry.engine))
        return self.explain(entry.query, note, entry.scope, trace)

    def _answer_logged(self, entry: LoggedQuery, context: Context[Any]) -> Trace:
        """Answers the query of ``entry`` on an empty cache, without any effect of earlier queries.

        Raises :class:`brvtui.engines.contract.EngineError`.
        """
        from brvtui.engines import registry

        engine = registry.without_state(self._engines.named(entry.engine))
        options = options_of_file(engine, context.constants, entry.options)
        return engine.answer(context, Query(entry.query, entry.scope, options=options))

    def context_of(self, trace: Trace) -> Context[Any]:
        """The context of ``trace``. Raises KeyError if its snapshot was dropped."""
        context = self._engines.context(trace.engine, self._opened.snapshot_of(trace))
        return replace(context, now_ms=datetime.fromisoformat(trace.snapshot.clock).timestamp() * 1000)


def _why_no_signals(snapshot: Snapshot, path: str) -> str:
    """The reason why signals in the frontmatter of the note at ``path`` are ignored; empty if they are used."""
    from brvtui.tree.reading.signals import Source, names_signals

    if path in snapshot.unusable_signals:
        return _UNUSABLE
    place = snapshot.by_path.get(path)
    if snapshot.reads_frontmatter or place is None or snapshot.signals[place].source is not Source.DEFAULT:
        return ""
    with suppress(OSError):
        return _NOT_READ if names_signals(snapshot.text(path)) else ""
    return ""
