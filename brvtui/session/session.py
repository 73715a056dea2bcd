"""One open project: queries over its newest snapshot, and objects that answer all other questions."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from brvtui import faults
from brvtui.config import Settings
from brvtui.config.profile_choice import with_overrides
from brvtui.config.schema import Layer
from brvtui.engines import registry
from brvtui.engines.contract import (
    Ages,
    Caches,
    CountsAccess,
    Engine,
    EngineError,
    HasManifest,
    PreviewsEdits,
    SearchesBesides,
)
from brvtui.engines.contract import Context as EngineContext
from brvtui.engines.contract import Query as EngineQuery
from brvtui.engines.profile_files import tree_profile
from brvtui.loading import Progress
from brvtui.logbook import Logbook
from brvtui.ranking.constants import SignalRules
from brvtui.session.ageing import ProjectAgeing
from brvtui.session.engines import Clock, Engines
from brvtui.session.explainer import TraceExplainer
from brvtui.session.project_choice import ProjectChoice, choose_project, parts_of
from brvtui.session.services import SessionServices, session_model
from brvtui.snapshot import Snapshot
from brvtui.store.app_state import History
from brvtui.store.overlay import Overlay
from brvtui.timing import system_clock
from brvtui.trace import Trace
from brvtui.tree.reading.project import FoundProject
from brvtui.tree.reading.signals import NoteSignals, SignalsError, Source, defaults

if TYPE_CHECKING:
    # The first query must not wait for modules that it does not need, so the methods that need them import them.
    from brvtui.engines.edit_previews import EditPreview
    from brvtui.lab.about import About, FileSurroundings
    from brvtui.lab.evaluation.keeping import KeepingEvaluator
    from brvtui.notes.operations import Notes
    from brvtui.services.model import Cancellation
    from brvtui.services.provided import EngineServices
    from brvtui.session.finding import NoteFinder
    from brvtui.session.health import ProjectHealth
    from brvtui.session.variants import VariantRunner
    from brvtui.trace.events import Event
    from brvtui.trace.routing import CacheNow
    from brvtui.tree.spaces.project import NamedSpace
    from brvtui.tree.watching.watch import Watching


Options = Mapping[str, Any]
Progressing = Callable[[int, int], None]
_NONE: Options = {}


class NotLoaded(RuntimeError):
    """Raised if a session is used before its first snapshot is loaded."""


class Session:
    """An open project. Methods are thread-safe, and each query reads a single snapshot."""

    def __init__(self, chosen: ProjectChoice, clock: Clock = system_clock, signals_file: Path | None = None) -> None:
        """Opens the ``chosen`` project. Nothing is read until :meth:`load` is called."""
        project = chosen.project
        self.kind = project.kind
        self.profile = chosen.profile
        """ByteRover's constants for reading the tree, which do not depend on the engine that answers."""
        self.clock = clock
        self.frozen = clock is not system_clock
        self.configuration = chosen.configuration
        """The settings by layer. They are replaced as a whole when a setting changes."""
        self.recording = self.settings.recording
        """True if runs record access hits in the tool's own overlay."""
        self.history = History(project.tree, self.settings.history)
        self._overlay = Overlay(project.tree)
        self._publisher, queries, self._sidecar = parts_of(project, signals_file, self._overlay)
        self._notes: Notes | None = None
        self._making_notes = threading.Lock()
        self.logbook = Logbook(project.tree, queries)
        """The queries that ran here, and those that the engine logged."""
        self.model = session_model(lambda: self.settings, lambda: self.profile.service)
        """The model that :meth:`complete` may call."""
        self.engine = self.settings.engine
        """The name of the default engine."""
        self.services_permitted: bool | None = None
        """True once the user has permitted services for the engine that the project's settings chose, False if services
        are forbidden, and otherwise None.
        """
        self.services = SessionServices(project.tree, lambda: self.settings, lambda: self.profile.service, self.model)
        """The services that the settings configure."""
        self.engines = Engines(self, self._services_of, chosen.profiles_of_engines)
        """The available engines."""
        self.explainer = TraceExplainer(self, self.engines)
        """Explains the answers of the engines."""
        self.ageing = ProjectAgeing(self, self.engines)
        """The ageing of the notes."""

    @classmethod
    def open(
        cls,
        start: Path | None = None,
        profile: str | None = None,
        now_ms: float | None = None,
        signals_file: Path | None = None,
        tolerant: bool = False,
        engine: str = "",
        repository: Path | None = None,
        space: NamedSpace | None = None,
        alone: bool = False,
        given_by: Mapping[str, str] = _NONE,
    ) -> Session:
        """The session for the project at or above ``start``.

        ``profile`` belongs to ``engine`` or, if that is empty, to the engine in the settings. ``repository`` opens code
        instead of notes, and ``space`` opens that space. ``alone`` leaves out shared sources. ``given_by`` names the
        source of ``engine`` and ``profile`` if they are not command-line options.

        With ``tolerant``, unusable settings are ignored, except those that choose the profile. Raises
        :class:`brvtui.tree.reading.project.ProjectError`, :class:`brvtui.config.ConfigError` and
        :class:`brvtui.typed_tables.ProfileError`. An engine that is not installed is refused on first use.
        """
        chosen = choose_project(
            start,
            profile=profile,
            tolerant=tolerant,
            engine=engine,
            repository=repository,
            space=space,
            alone=alone,
            given_by=given_by,
        )
        return cls(chosen, system_clock if now_ms is None else lambda: now_ms, signals_file)

    @property
    def project(self) -> FoundProject:
        """The open project."""
        return self._publisher.project

    @property
    def notes(self) -> Notes:
        """Reads and changes single notes."""
        from brvtui.notes.operations import Notes

        with self._making_notes:
            if self._notes is None:
                self._notes = Notes(self, self.project.tree, self._overlay, self._sidecar)
            return self._notes

    @cached_property
    def variants(self) -> VariantRunner:
        """Runs judged queries in other states: another engine, constants, time or notes."""
        from brvtui.session.variants import VariantRunner

        return VariantRunner(self)

    @cached_property
    def finder(self) -> NoteFinder:
        """Finds notes by their text."""
        from brvtui.session.finding import NoteFinder
        from brvtui.store.text_index import text_index

        return NoteFinder(text_index(self.project.tree, self.kind.has_files), lambda: self.snapshot)

    @cached_property
    def health(self) -> ProjectHealth:
        """Checks the memory for defects."""
        from brvtui.session.health import ProjectHealth

        return ProjectHealth(self)

    @cached_property
    def evaluator(self) -> KeepingEvaluator:
        """Evaluates judged queries and stores the answers."""
        from brvtui.lab.evaluation.keeping import KeepingEvaluator
        from brvtui.store.kept_answers import KeptAnswers

        return KeepingEvaluator(KeptAnswers(self.project.tree), self.frozen)

    @property
    def settings(self) -> Settings:
        """This project's merged settings."""
        return self.configuration.settings

    @property
    def snapshot(self) -> Snapshot:
        """The newest published snapshot. Raises :class:`NotLoaded` before the first :meth:`load`."""
        newest = self._publisher.newest
        if newest is None:
            raise NotLoaded("the project is still being read: try again in a moment")
        return newest

    def snapshot_of(self, trace: Trace) -> Snapshot:
        """The snapshot of ``trace``. Raises KeyError if it was dropped."""
        return self._publisher.of_generation(trace.snapshot.generation)

    @property
    def is_loaded(self) -> bool:
        """True if there is a snapshot to query."""
        return self._publisher.newest is not None

    def load(self, progress: Progress | None = None) -> bool:
        """Reads changes from disk and publishes a snapshot. Returns False if nothing changed.

        The first call also removes temporary files that killed saves left in the tree. Raises
        :class:`brvtui.tree.reading.signals.SignalsError` if the signals file is invalid.
        """
        return self._publisher.load(self.profile, self.clock(), progress)

    def join_notes(self, notes: Snapshot | None) -> None:
        """From the next :meth:`load` on, joins the open code with ``notes`` instead of the repository's own notes."""
        from brvtui.publishing.repository import RepositoryPublisher

        assert isinstance(self._publisher, RepositoryPublisher)
        self._publisher.join(notes)

    def refresh(self, places: Collection[Path] = ()) -> bool:
        """Publishes a snapshot with the changes that watching noticed and those at ``places``. Returns False if nothing
        changed.

        The cost grows with the number of changes. If the changes are not known, every file is checked. Raises the
        exceptions of :meth:`load`.
        """
        return self._publisher.refresh(self.profile, self.clock(), places)

    def keep(self, everything: bool = False) -> bool:
        """Stores the index if that saves the next process enough work. Returns True if it was written.

        A few changed files are not enough unless ``everything`` is set. Raises OSError if the tool's cache folder is
        not writable.
        """
        return self._publisher.keep(self.profile, everything)

    def may_call_services(self, engine: str) -> bool:
        """False if the services are forbidden, or if only the project's settings chose ``engine`` and the user has not
        permitted them.
        """
        if self.services_permitted is not None:
            return self.services_permitted
        return not (self.configuration.source("engine").layer is Layer.PROJECT and engine == self.engine)

    def _services_of(self, engine: str) -> EngineServices:
        return self.services if self.may_call_services(engine) else self.services.withheld

    def preview(
        self,
        query: str,
        scope: str = "",
        engine: str = "",
        options: Options = _NONE,
        services: bool = False,
        progress: Progressing | None = None,
    ) -> Trace:
        """The trace of ``query`` by ``engine`` (default: the engine in the settings), without side effects.

        Calls paid services only if ``services`` is set. Raises :class:`brvtui.engines.contract.EngineError`, as does
        every method that uses an engine.
        """
        engine_query = EngineQuery(query, scope, False, services, options)
        if progress is not None:
            engine_query = replace(engine_query, progress=progress)
        return self.engines.answer(engine or self.engine, engine_query)[1]

    def run(self, query: str, scope: str = "", engine: str = "", options: Options = _NONE) -> Trace:
        """The trace of ``query``. Caches the answer as the engine would, and records access hits if that is enabled.

        Calls no model; see :meth:`complete`. If recording fails, the trace's last notice gives the reason.
        """
        context, trace = self.engines.answer(engine or self.engine, EngineQuery(query, scope, True, options=options))
        return self._recorded(context.snapshot, trace)

    def complete(
        self,
        query: str,
        scope: str = "",
        cancellation: Cancellation | None = None,
        engine: str = "",
        options: Options = _NONE,
    ) -> Iterator[Event]:
        """Runs ``query`` like :meth:`run`, and calls the model where the engine would, if one is set and allowed.

        Yields events as they happen; the last is :class:`brvtui.trace.events.Finished` or
        :class:`brvtui.trace.events.Failed`. Work is done only while the caller iterates, in a thread without an event
        loop. ``cancellation`` may be used from any other thread, and ends the wait for the model at once. A complete
        answer of the model is cached as the engine would cache it. The model's exceptions are not raised.
        """
        from brvtui.services.model import Cancellation
        from brvtui.trace.events import CompletionFailed, Finished, Routed

        engine_query = EngineQuery(query, scope, True, options=options)
        snapshot = self.snapshot
        notices: tuple[str, ...] = ()
        for event in self.engines.complete(engine or self.engine, engine_query, cancellation or Cancellation()):
            match event:
                case Routed(trace):
                    recorded = self._recorded(snapshot, trace)
                    notices = recorded.notices[len(trace.notices) :]
                    yield replace(event, trace=recorded)
                case Finished(trace) | CompletionFailed(trace):
                    yield replace(event, trace=replace(trace, notices=(*trace.notices, *notices)))
                case _:
                    yield event

    def _recorded(self, snapshot: Snapshot, trace: Trace) -> Trace:
        """Records the access hits of ``trace`` if that is enabled. Returns ``trace``, with a notice on failure."""
        engine = self.engines.named(trace.engine)
        files = engine.accessed(trace) if self.recording and isinstance(engine, CountsAccess) else ()
        if not files:
            return trace
        try:
            _record(self._overlay, files, snapshot, self.profile.signals)
            self.refresh()
        except (OSError, SignalsError) as error:
            why = faults.advice(error) if isinstance(error, OSError) else str(error)
            return replace(trace, notices=(*trace.notices, f"access hits cannot be recorded: {why}"))
        return trace

    def cache_now(self, query: str, engine: str = "") -> CacheNow:
        """The simulated cache of ``engine`` (default: the session's engine) in its current state for ``query``.

        Raises :class:`brvtui.engines.contract.EngineError` for an engine without a cache.
        """
        name = engine or self.engine
        cache = self.engines.named(name)
        if not isinstance(cache, Caches):
            raise EngineError(f"{cache.title} keeps no answers")
        return cache.cache_now(self.engines.context(name), query)

    @property
    def _native(self) -> tuple[Engine[Any], EngineContext[Any]]:
        """The native engine of the open project, and its context."""
        native = self.kind.native
        return self.engines.named(native), self.engines.context(native)

    def forget(self) -> int:
        """Removes the tool's own signals for this tree, recorded or set. Returns the number of affected notes."""
        count = len(self._overlay.read(defaults(self.profile.signals)))
        self._overlay.clear()
        return count

    def forget_feedback(self) -> int:
        """Removes the users' feedback on all engines' results over this tree. Returns the number of rows."""
        from brvtui.store.feedback import clear_feedback

        return clear_feedback(self.project.tree)

    def use_profile(self, name: str, engine: str = registry.DEFAULT) -> None:
        """Switches ``engine`` to another profile. ByteRover's profile includes the changes from the settings.

        Empties caches, because their answers were computed with other constants. Call :meth:`load` afterwards. Raises
        :class:`brvtui.typed_tables.ProfileError`, or :class:`brvtui.engines.contract.EngineError` for another engine.
        """
        if not registry.reads_trees(engine):
            self.engines.use_profile(engine, name)
            return
        self.profile = with_overrides(tree_profile(name), self.settings)
        self.engines.clear_caches()

    def search(self, query: str, limit: int, scope: str = "") -> Any:
        """The result of ByteRover's search without the router, as ``brv search`` returns it."""
        engine = self.engines.named(registry.DEFAULT)
        assert isinstance(engine, SearchesBesides)
        return engine.plain_search(self.engines.context(registry.DEFAULT), query, limit, scope)

    def with_plain_search(self, trace: Trace, limit: int) -> Trace:
        """``trace`` with at most ``limit`` results of ByteRover's search. Raises EngineError for engines without it."""
        engine = self.engines.named(trace.engine)
        if not isinstance(engine, SearchesBesides):
            raise EngineError(f"--limit needs ByteRover's own search: leave it out with {trace.engine}")
        return engine.with_plain_search(self.engines.context(trace.engine), trace, limit)

    def preview_edit(
        self, query: str, path: str, content: str | bytes, keep_mtime: bool = False, scope: str = ""
    ) -> EditPreview:
        """The answer to ``query``, and the numbers of the document at ``path``, before and after its file is changed to
        ``content``.

        ``content`` is the bytes of a note, or the HTML of a topic. Writes nothing and uses no cache. Set ``keep_mtime``
        for a save that keeps the modification time. Raises :class:`brvtui.tree.spaces.topic_html.UnreadableTopic`, and
        EngineError if the query is too long.
        """
        engine, context = self._native
        assert isinstance(engine, PreviewsEdits)
        return engine.preview_edit(context, EngineQuery(query, scope), path, content, keep_mtime)

    def about(self, path: str, before: About | None = None) -> About:
        """The facts about the tree's file at ``path``: text, frontmatter, signals, best possible score. Raises no
        errors.

        For a removed file, returns the facts in ``before``, and the path where its text is now.
        """
        from brvtui.lab.about import FileState, about, as_it_was

        engine, context = self._native
        found = engine.standing(context, path) if isinstance(engine, Ages) else None
        facts = about(context.snapshot, self.profile.signals, path, found)
        if facts.state is FileState.GONE and before is not None and before.text and self.kind.has_files:
            return as_it_was(facts, before, self.snapshot)
        return facts

    def stale_files(self, paths: Iterable[str]) -> dict[str, str]:
        """The state, ``newer`` or ``gone``, of each file at ``paths`` that changed after it was read; keyed by path."""
        from brvtui.lab.about import stale_files

        return stale_files(self.snapshot, paths)

    def around(self, path: str) -> FileSurroundings:
        """The links, backlinks, place in the manifest, and ageing of the file at ``path``.

        The first call reads every note.
        """
        from brvtui.lab.about import around, around_code

        if not self.kind.has_files:
            return around_code(self.snapshot, path)
        engine, context = self._native
        place = engine.manifest_place(context, path) if isinstance(engine, HasManifest) else None
        return around(self.ageing.board(), self.notes.links(), path, place)

    def watch(self, changed: Callable[[], None], on_polling: Callable[[Watching], None] = lambda _: None) -> Watching:
        """Calls ``changed``, from another thread, after each batch of changes to the tree or to signals.

        Calls ``on_polling`` if polling later replaces the system's own events.
        """
        return self._publisher.watch(changed, on_polling)

    def close(self) -> None:
        """Stops following the log and watching the tree."""
        self.logbook.engine.unfollow()
        self._publisher.close()
        if "finder" in self.__dict__:
            self.finder.close()


def _record(overlay: Overlay, files: Iterable[str], snapshot: Snapshot, rules: SignalRules) -> None:
    """Records an access hit for each local note among ``files``. Raises OSError."""
    from brvtui.engines.changes import accessed

    def counted(recorded: dict[str, NoteSignals]) -> None:
        for file in files:
            position = snapshot.by_path.get(file)
            if position is None or not snapshot.notes[position].is_local:
                continue
            stored = recorded.get(file, snapshot.signals[position])
            recorded[file] = replace(accessed(stored, rules), source=Source.OVERLAY)

    overlay.edit(defaults(rules), counted)
