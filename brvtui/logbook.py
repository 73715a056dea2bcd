"""Both query logs of one project: the tool's own, and the engine's."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from brvtui.engines.byterover.sections import FingerprintState
from brvtui.store.session_log import SessionLog
from brvtui.trace import EndReason, Trace, to_plain
from brvtui.tree.engine_files.query_log import OURS, LoggedQuery, is_entry, logged_files, query_log_folder, read_entries

if TYPE_CHECKING:  # watchdog is for those alone who follow
    from brvtui.tree.watching.watch import Watcher, Watching


class EngineQueries(Protocol):
    """What the engine itself keeps of the queries that it answered. Nobody writes it here."""

    @property
    def place(self) -> Path:
        """The file or folder; it need not exist."""

    def read(self, most: int) -> list[LoggedQuery]:
        """The newest ``most`` queries, newest first."""

    def follow(self, answered: Callable[[list[LoggedQuery]], None]) -> Watching:
        """Calls ``answered`` from another thread with the queries that are answered from now on, oldest first."""

    def unfollow(self) -> None:
        """Stops following."""


class Logbook:
    """Reads both logs, and writes only the tool's own. Its methods are thread-safe."""

    def __init__(self, tree: Path, engine: EngineQueries) -> None:
        """The log of the context tree at ``tree``, and the engine's."""
        self.engine = engine
        self._own = SessionLog(tree)

    def read(self, most: int) -> list[LoggedQuery]:
        """The newest ``most`` entries of both, newest first."""
        both = [*self._own.read(most), *self.engine.read(most)]
        both.sort(key=lambda entry: -entry.at_ms)
        return both[:most]

    def add(self, trace: Trace, at_ms: float, took_ms: float) -> None:
        """Logs a run, with the outcome of its model. Raises OSError when the tool's data folder cannot be written."""
        from brvtui.engines.verdict import verdict_sentence  # with what paints: a session may never log

        done = trace.answer.completion
        self._own.add(
            LoggedQuery(
                at_ms=at_ms,
                query=trace.query,
                who=OURS,
                status="completed" if done is None else _STATUSES.get(done.ended, "completed"),
                tier=trace.tier,
                took_ms=round(took_ms, 3),
                top_score=trace.hits[0].score if trace.hits else None,
                total_found=trace.total_found,
                paths=tuple(hit.path for hit in trace.hits),
                not_covered=not trace.covered,
                fingerprint=_fingerprint(trace),
                scope=trace.scope_option,
                options=to_plain(trace.options),
                profile=trace.profile,
                engine=trace.engine,
                verdict_sentence=verdict_sentence(trace),
                problem=done.why if done is not None and done.ended is EndReason.FAILED else "",
            )
        )


class QueryLogFolder:
    """The query log of ByteRover 3: a file for each query, below its data folder of a project."""

    def __init__(self, project_data: Path) -> None:
        """The folder need not exist."""
        self._folder = query_log_folder(project_data)
        self._watcher: Watcher | None = None

    @property
    def place(self) -> Path:
        """The folder of the log."""
        return self._folder

    def read(self, most: int) -> list[LoggedQuery]:
        """The newest ``most`` queries, newest first, without files that are no entries."""
        return read_entries(logged_files(self._folder, most))

    def follow(self, answered: Callable[[list[LoggedQuery]], None]) -> Watching:
        """Calls ``answered`` from another thread with the queries that are logged from now on, oldest first."""
        from brvtui.tree.watching.watch import Watcher

        self.unfollow()
        known: set[str] = {file.name for file in logged_files(self._folder, _MOST_AT_ONCE)}

        def changed(places: frozenset[str] | None) -> None:
            names = None if places is None else {Path(place).name for place in places}
            files = [file for file in logged_files(self._folder, _MOST_AT_ONCE) if names is None or file.name in names]
            new = [file for file in reversed(files) if is_entry(file.name) and file.name not in known]
            ended = [(file, entry) for file in new for entry in read_entries([file]) if entry.status != "processing"]
            known.update(file.name for file, _ in ended)
            if ended:
                answered([entry for _, entry in ended])

        self._watcher = Watcher([self._folder], changed)
        return self._watcher.start()

    def unfollow(self) -> None:
        """Stops following."""
        if self._watcher is not None:
            self._watcher.stop()
            self._watcher = None


_STATUSES = {EndReason.CANCELLED: "cancelled", EndReason.FAILED: "error"}
_MOST_AT_ONCE = 500
"""How many entries of the engine's log are read after a change."""


def _fingerprint(trace: Trace) -> str:
    """The fingerprint of the tree, where the engine has one."""
    state = trace.find(FingerprintState)
    return state.value if state is not None else ""
