"""One open project: publishes snapshots, holds cache, profile and clock. The only door of app and CLI."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING

from brvtui import faults
from brvtui import profile as profiles
from brvtui.config import Configuration, Settings, chosen_profile, configure
from brvtui.loading import Progress
from brvtui.logbook import Logbook
from brvtui.profile import Profile
from brvtui.providers.held_model import HeldModel, ModelSettings
from brvtui.publishing.publisher import Publisher
from brvtui.publishing.stored_signals import StoredSignals
from brvtui.rank.decay import age_days
from brvtui.rank.maturity import after_access
from brvtui.retrieve.byterover.detail import detail
from brvtui.retrieve.byterover.search import Options, search
from brvtui.route.cache import CacheState, held_fingerprint, look_up
from brvtui.route.finding import search_of
from brvtui.route.router import Asked, keep, route
from brvtui.snapshot import Snapshot
from brvtui.store.history import History
from brvtui.store.kept_index import KeptIndex
from brvtui.store.layouts import Layouts
from brvtui.store.overlay import Overlay
from brvtui.trace import Detail, Hit, Origin, Search, Trace
from brvtui.tree.engine_data.folders import project_data
from brvtui.tree.engine_data.sidecar import signals_folder
from brvtui.tree.logged_query import LoggedQuery
from brvtui.tree.project import Project, find_project
from brvtui.tree.signals import NoteSignals, Source, defaults

if TYPE_CHECKING:
    # A cold query must not wait for the modules of other questions: the methods that answer them import them.
    from brvtui.config.schema import Llm, Service, Services
    from brvtui.inquire.about import About, Around
    from brvtui.inquire.after_hits import After
    from brvtui.inquire.board import Board
    from brvtui.inquire.curve import Curve
    from brvtui.inquire.forecast import Forecast
    from brvtui.inquire.log_summary import Compared
    from brvtui.inquire.preview import Preview
    from brvtui.inquire.standing import Standings
    from brvtui.inquire.takes.levers import Takes
    from brvtui.inquire.why_not import Explanation
    from brvtui.notes.operations import Notes
    from brvtui.retrieve.jeffs_brain.pipeline import Request
    from brvtui.retrieve.jeffs_brain.searcher import HybridSearcher
    from brvtui.retrieve.jeffs_brain.trace import HybridTrace, Retrieved
    from brvtui.route.events import Event
    from brvtui.route.model import Cancellation
    from brvtui.route.tree_changes import CacheNow, SeenTrees
    from brvtui.saved.traces import Saved
    from brvtui.tree.watch import Watching

Clock = Callable[[], float]


def system_clock() -> float:
    """Now, in milliseconds since 1970."""
    return time.time() * 1000


class NotLoaded(RuntimeError):
    """A query was put to a session that has no snapshot yet."""


class Session:
    """An open project. Methods may be called from any thread; queries read one snapshot each."""

    def __init__(
        self,
        project: Project,
        profile: Profile,
        configuration: Configuration,
        clock: Clock = system_clock,
        signals_file: Path | None = None,
    ) -> None:
        """A session over ``project``; nothing is read before :meth:`load`."""
        self.profile = profile
        self.clock = clock
        self.frozen = clock is not system_clock
        self.configuration = configuration
        """What the user set; replaced as a whole when that changes."""
        self.recording = self.settings.recording
        """Whether runs record access hits in the tool's own overlay."""
        self.history = History(project.tree, self.settings.history)
        self.layouts = Layouts(project.tree)
        self._overlay = Overlay(project.tree)
        sidecar = signals_folder(project_data(project.root))
        self._publisher = Publisher(
            project, StoredSignals(signals_file, self._overlay, sidecar), KeptIndex(project.tree)
        )
        self._sidecar = sidecar
        self._notes: Notes | None = None
        self._cache = CacheState()
        self.logbook = Logbook(project.tree, project_data(project.root))
        """What was asked here, and what the engine answered."""
        self._running = threading.Lock()
        self._swapping = threading.Lock()
        self._hybrid: tuple[Services, HybridSearcher] | None = None
        self.model = held_model(lambda: self.settings.llm)
        """The model that :meth:`complete` may ask."""

    @classmethod
    def open(
        cls,
        start: Path | None = None,
        profile: str | None = None,
        now_ms: float | None = None,
        signals_file: Path | None = None,
        tolerant: bool = False,
    ) -> Session:
        """The session of the project at or above ``start``.

        Settings that cannot be used are left out when ``tolerant``, but for what chooses the profile. Raises
        :class:`brvtui.tree.project.ProjectError`, :class:`brvtui.config.ConfigError` and
        :class:`brvtui.profile.ProfileError`.
        """
        project = find_project(start)
        configuration = configure(project.root, {"profile": profile} if profile else {})
        if not tolerant:
            configuration.check()
        clock = system_clock if now_ms is None else lambda: now_ms
        return cls(project, chosen_profile(configuration), configuration, clock, signals_file)

    @property
    def project(self) -> Project:
        """What is open."""
        return self._publisher.project

    @property
    def notes(self) -> Notes:
        """Questions about single notes, and all that changes them."""
        from brvtui.notes.operations import Notes

        with self._swapping:
            if self._notes is None:
                self._notes = Notes(self, self.project.tree, self._overlay, self._sidecar)
            return self._notes

    @property
    def settings(self) -> Settings:
        """The merged settings of this project."""
        return self.configuration.settings

    @property
    def snapshot(self) -> Snapshot:
        """The newest published snapshot. Raises :class:`NotLoaded` before the first :meth:`load`."""
        newest = self._publisher.newest
        if newest is None:
            raise NotLoaded("the project is still being read")
        return newest

    @cached_property
    def _seen_trees(self) -> SeenTrees:
        from brvtui.route.tree_changes import SeenTrees

        return SeenTrees()

    @property
    def is_loaded(self) -> bool:
        """Whether there is a snapshot to query."""
        return self._publisher.newest is not None

    def load(self, progress: Progress | None = None, cancelled: Callable[[], bool] = lambda: False) -> bool:
        """Reads what changed on disk and publishes a snapshot; False when cancelled or nothing had changed.

        The first call also removes what killed saves left in the tree. Raises
        :class:`brvtui.tree.signals.SignalsError` when the signals file is not valid.
        """
        return self._publisher.load(self.profile, self.clock(), progress, cancelled)

    def refresh(self, places: Collection[Path] = ()) -> bool:
        """Publishes a snapshot of what watching noticed since, or of ``places`` too; False when nothing had changed.

        It costs what changed; where that is not known, every file is looked at. Raises as :meth:`load`.
        """
        return self._publisher.refresh(self.profile, self.clock(), places)

    def keep(self, everything: bool = False) -> bool:
        """Keeps what was read for the next process, where that saves it work; whether something was written.

        A few changed files are no reason unless ``everything`` is to be kept. Raises OSError when the tool's cache
        folder cannot be written.
        """
        return self._publisher.keep(self.profile, everything)

    def probe(self, query: str, scope: str = "") -> Trace:
        """The trace of ``query``, without any effect."""
        asked = Asked(query, self.clock(), scope, no_call=self.model.why_no_call(False))
        return route(self.snapshot, self.profile, self._cache, asked)[0]

    def run(self, query: str, scope: str = "") -> Trace:
        """The trace of ``query``; its answer is cached as the engine would, and hits recorded if that is on.

        No model is asked: :meth:`complete` does that. When recording fails, the trace's last notice says so.
        """
        return self._run(self._run_of(query, scope))[1]

    def complete(self, query: str, scope: str = "", cancellation: Cancellation | None = None) -> Iterator[Event]:
        """Runs ``query`` as :meth:`run`, and lets the model answer where one would, if it is set and allowed.

        The events come as things happen, the last is :class:`brvtui.route.events.Finished` or
        :class:`brvtui.route.events.Failed`; nothing is done but while they are taken. Take them in a thread without an
        event loop; ``cancellation`` may be used from any other and ends the wait for the model at once. The model's
        answer is cached as the engine would, when it is whole. Nothing of the model's is raised.
        """
        from brvtui.route.completing import Completing, Prices, asks_model, complete
        from brvtui.route.events import Failed, Finished, Routed
        from brvtui.route.model import Cancellation
        from brvtui.trace import Ended

        profile, settings = self.profile, self.settings.llm
        model = self.model.to_ask()
        asked = self._run_of(query, scope)
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
            if is_whole and self.profile is profile:
                self._cache = keep(self._cache, profile, made, self.clock())
        yield Finished(made)

    def _run_of(self, query: str, scope: str) -> Asked:
        no_call = self.model.why_no_call(True)
        return Asked(query, self.clock(), scope, True, no_call=no_call, model_is_set=bool(self.settings.llm.model))

    def _run(self, asked: Asked) -> tuple[Snapshot, Trace]:
        with self._running:
            before, snapshot = self._cache, self.snapshot
            self._seen_trees.see(snapshot)
            trace, after = route(snapshot, self.profile, before, asked)
            with self._swapping:
                if self._cache is before:
                    self._cache = after
            if not self.recording or not trace.used:
                return snapshot, trace
            try:
                self._record(trace)
            except OSError as error:
                problem = f"access hits cannot be recorded: {faults.advised(error)}"
                return snapshot, replace(trace, notices=(*trace.notices, problem))
        self.refresh()
        return snapshot, trace

    def search(self, query: str, limit: int, scope: str = "") -> Search:
        """A plain search, as ``brv search`` makes it."""
        return search(self.snapshot, self.profile, self.clock(), query, Options(limit, scope))

    def hybrid(
        self, request: Request, aliases: Path | None = None, progress: Callable[[int, int], None] | None = None
    ) -> Retrieved:
        """The answer of the pipeline ``jeffs_brain`` and its trace; services are those that the settings name.

        ``progress`` is told how many of the vectors that a run lacks are made. Raises
        :class:`brvtui.retrieve.failures.ServiceError` and :class:`brvtui.text.aliases.AliasError`.
        """
        from brvtui.text.aliases import read_aliases

        known = read_aliases(aliases) if aliases else {}
        return self.hybrid_searcher.ask(self.snapshot, request, known, progress)

    @property
    def hybrid_searcher(self) -> HybridSearcher:
        """The pipeline ``jeffs_brain`` over this project with the services of the settings as they are now.

        Its ``prepare`` may be called ahead of queries. Raises :class:`brvtui.retrieve.failures.ServiceError`.
        """
        with self._swapping:
            wanted = self.settings.services
            if self._hybrid is None or self._hybrid[0] != wanted:
                self._hybrid = (wanted, _hybrid_searcher(wanted, self.project.tree))
            return self._hybrid[1]

    def detail(self, trace: Trace, path: str) -> Detail:
        """The term x field detail of the note at ``path`` (a hit's ``file``) under the search that found it.

        It is made on the snapshot of ``trace``. Raises KeyError for an unknown note, and when that snapshot is gone.
        """
        return detail(self._snapshot_of(trace), self.profile, search_of(trace, path), path)

    def details(self, trace: Trace, most: int | None = None) -> dict[str, Detail]:
        """:meth:`detail` of the first ``most`` hits (all without it) that matched by their text, by ``file``."""
        return {hit.file: self.detail(trace, hit.file) for hit in trace.hits[:most] if hit.text}

    def score_of(self, trace: Trace, path: str) -> Hit | None:
        """The score that the note at ``path`` has, or would have had, under ``trace``; None when no term matches it.

        Raises KeyError for an unknown note, and when the snapshot of ``trace`` is gone.
        """
        from brvtui.inquire.score_of import score_of

        snapshot = self._snapshot_of(trace)
        return score_of(snapshot, self.profile, self.clock(), trace.search, snapshot.by_path[path])

    def saved(self, trace: Trace | HybridTrace, search: Search | None = None) -> Saved:
        """``trace`` with the detail of its hits and near misses, as it can be kept in a file.

        What cannot be worked out any more, because the snapshot of ``trace`` is gone, is left out.
        """
        from brvtui.saved.traces import saved_now

        details: dict[str, Detail] = {}
        missed: dict[str, Hit] = {}
        if not isinstance(trace, Trace):
            return saved_now(trace, self.clock())
        with suppress(KeyError):
            details = self.details(trace)
            for miss in trace.search.near_misses:
                details[miss.file] = self.detail(trace, miss.file)
                own = self.score_of(trace, miss.file)
                if own is not None:
                    missed[miss.file] = own
        return saved_now(trace, self.clock(), details, missed, search)

    def _snapshot_of(self, trace: Trace) -> Snapshot:
        return self._publisher.of_generation(trace.snapshot.generation)

    def explain(self, query: str, note: str, scope: str = "", trace: Trace | None = None) -> Explanation:
        """Why ``note`` (a path, the end of one, or a title) is or is not in the answer to ``query``.

        ``trace`` is the answer to explain; without it the query is probed. Raises
        :class:`brvtui.inquire.naming.UnknownNote`.
        """
        from brvtui.inquire.naming import find_note
        from brvtui.inquire.why_not import explain

        snapshot, now = self.snapshot, self.clock()
        named = find_note(snapshot, note)

        def ask(other: str) -> Trace:
            return route(snapshot, self.profile, CacheState(), Asked(other, now, scope))[0]

        answered = trace or self.probe(query, scope)
        return explain(snapshot, self.profile, now, named, answered, ask)

    def what_it_takes(
        self, trace: Trace, note: str = "", cancelled: Callable[[], bool] = lambda: False
    ) -> Takes | None:
        """What it would take that the query of ``trace`` is answered at tier 2, with ``note`` first if it is given.

        None when nothing is needed, and when ``cancelled`` became true meanwhile. Raises KeyError when the snapshot of
        ``trace`` is gone, and :class:`brvtui.inquire.naming.UnknownNote`.
        """
        from brvtui.inquire.naming import find_note
        from brvtui.inquire.takes.finding import what_it_takes

        snapshot = self._snapshot_of(trace)
        path = find_note(snapshot, note).path if note else ""
        return what_it_takes(snapshot, self.profile, self.clock(), trace, path, cancelled)

    def board(self) -> Board:
        """Every note's signals, maturity and ageing as of now."""
        from brvtui.inquire.board import Board

        return Board(self.snapshot, self.profile, self.clock())

    def standings(self, path: str, data: bytes) -> Standings:
        """Where the note at ``path`` stands now, and once its file holds ``data``. Nothing is written."""
        from brvtui.inquire.standing import standings

        return standings(self.snapshot, self.profile, self.clock(), path, data)

    def forecast(self, day: float, board: Board | None = None) -> Forecast:
        """``board`` (without it, today's) as it will be ``day`` days on, and what that changes."""
        from brvtui.inquire.forecast import Forecast

        return Forecast(board or self.board(), day)

    def curve(self, path: str, last_day: int | None = None, board: Board | None = None) -> Curve:
        """How the note at ``path`` ages until ``last_day`` (without it, the last of a forecast).

        Raises KeyError for an unknown note.
        """
        from brvtui.inquire.curve import curve
        from brvtui.inquire.forecast import LAST_DAY

        board = board or self.board()
        return curve(board, board.snapshot.by_path[path], LAST_DAY if last_day is None else last_day)

    def after_hits(self, path: str, hits: int) -> After:
        """The note at ``path`` after so many access hits; records nothing. Raises KeyError for an unknown note."""
        from brvtui.inquire.after_hits import after_hits

        return after_hits(*self._signals_of(path), hits, self.profile)

    def after_updates(self, path: str, updates: int) -> After:
        """The note at ``path`` after so many curate updates; writes nothing. Raises KeyError for an unknown note."""
        from brvtui.inquire.after_hits import after_updates

        return after_updates(*self._signals_of(path), updates, self.profile)

    def preview(self, query: str, path: str, data: bytes, keep_mtime: bool = False, scope: str = "") -> Preview:
        """The answer to ``query`` before and after the file at ``path`` of the project's own tree holds ``data``.

        Nothing is written, and no cache asked. ``keep_mtime`` is for a save that keeps the modification time.
        """
        from brvtui.inquire.preview import preview

        return preview(self.snapshot, self.profile, self.clock(), query, scope, path, data, keep_mtime)

    def _signals_of(self, path: str) -> tuple[NoteSignals, float, bool]:
        """Signals of the note at ``path``, its age in days, and whether it is local."""
        snapshot = self.snapshot
        position = snapshot.by_path[path]
        note = snapshot.notes[position]
        return snapshot.signals[position], float(age_days(self.clock(), note.mtime_ms)), note.is_local

    def compare_logged(self, entry: LoggedQuery) -> Compared:
        """A logged query beside its answer now, on an empty cache."""
        from brvtui.inquire.log_summary import compare

        asked = Asked(entry.query, self.clock(), entry.scope)
        return compare(entry, route(self.snapshot, self.profile, CacheState(), asked)[0])

    def about(self, path: str) -> About:
        """The file of the tree at ``path`` by itself: text, frontmatter, signals, ceiling. Nothing is raised."""
        from brvtui.inquire.about import about

        return about(self.snapshot, self.profile, self.clock(), path)

    def astray(self, paths: Iterable[str]) -> dict[str, str]:
        """Which of the files at ``paths`` are not as they were read, by path: ``newer`` or ``gone``."""
        from brvtui.inquire.about import astray

        return astray(self.snapshot, paths)

    def around(self, path: str) -> Around:
        """What surrounds the file at ``path``: links, what links to it, its place in the manifest, what ageing brings.

        The first call reads every note.
        """
        from brvtui.inquire.about import around

        return around(self.profile, self.board(), self.notes.links(), path)

    def cache_now(self, query: str) -> CacheNow:
        """The simulated cache as a look-up for ``query`` would find it at this moment."""
        from brvtui.route.tree_changes import CacheNow

        snapshot = self.snapshot
        now = self.clock()
        state, fingerprint = held_fingerprint(
            self._cache, snapshot.fingerprint, snapshot.covered_count, now, self.profile
        )
        _, look, _ = look_up(state, query, fingerprint.value, now, self.profile)
        seen = self._seen_trees
        seen.see(snapshot)
        changes = {entry.key: found for entry in state.entries if (found := seen.since(entry.fingerprint)) is not None}
        return CacheNow(fingerprint, look, changes, seen.index_left_s(now, self.profile.limits.index_seconds))

    def forget(self) -> int:
        """Drops every access hit that the tool recorded for this tree; how many notes had some."""
        count = len(self._overlay.read(defaults(self.profile.signals)))
        self._overlay.clear()
        return count

    def clear_cache(self) -> None:
        """Empties the simulated cache and lets go of the fingerprint."""
        with self._swapping:
            self._cache = CacheState()

    def use_profile(self, name: str) -> None:
        """Switches to another profile; the cache is emptied, since its answers came from other constants.

        Raises :class:`brvtui.profile.ProfileError`; :meth:`load` again afterwards.
        """
        self.profile = profiles.load(name)
        self.clear_cache()

    def watch(self, changed: Callable[[], None], told: Callable[[Watching], None] = lambda _: None) -> Watching:
        """Calls ``changed``, from another thread, after each burst of changes of the tree or of signals.

        ``told`` is called when the system's own events are given up for polling later on.
        """
        return self._publisher.watch(changed, told)

    def unwatch(self) -> None:
        """Ends watching."""
        self._publisher.unwatch()

    def close(self) -> None:
        """Ends whatever the session has running."""
        self.logbook.unfollow()
        self._publisher.close()

    def _record(self, trace: Trace) -> None:
        snapshot = self.snapshot

        def record(recorded: dict[str, NoteSignals]) -> None:
            for file in dict.fromkeys(hit.file for hit in trace.search.hits if hit.origin is not Origin.PROPAGATED):
                position = snapshot.by_path.get(file)
                if position is None or not snapshot.notes[position].is_local:
                    continue
                stored = recorded.get(file, snapshot.signals[position])
                importance, maturity = after_access(stored.importance, stored.maturity, self.profile.signals)
                recorded[file] = replace(
                    stored,
                    importance=importance,
                    maturity=maturity,
                    access_count=stored.access_count + 1,
                    source=Source.OVERLAY,
                )

        self._overlay.edit(defaults(self.profile.signals), record)


def held_model(settings: Callable[[], Llm]) -> HeldModel:
    """The model of the ``settings`` of each moment, as a session holds it."""
    return HeldModel(lambda: _model_settings(settings()))


def _model_settings(llm: Llm) -> ModelSettings:
    key = os.environ.get(llm.key_env, "") if llm.key_env else ""
    return ModelSettings(llm.protocol, llm.model, llm.url, key, llm.key_env, llm.timeout, llm.allowed)


def _hybrid_searcher(wanted: Services, tree: Path) -> HybridSearcher:
    from brvtui import profile_jeffs_brain
    from brvtui.providers import services as providers
    from brvtui.retrieve.jeffs_brain.searcher import HybridSearcher, Models
    from brvtui.store.vectors import VectorStore

    def named(service: Service) -> providers.ServiceSettings:
        return providers.ServiceSettings(service.model, service.url, os.environ.get(service.key_env, ""))

    rules = profile_jeffs_brain.load()
    embedder = providers.embedder_of(named(wanted.embedder), rules)
    reranker = providers.reranker_of(named(wanted.reranker), rules)
    return HybridSearcher(rules, Models(embedder, reranker, partial(VectorStore, tree)))
