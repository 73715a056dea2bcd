"""The engines that answer an open project's queries. Each is loaded on first use."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol

from brvtui.engines import registry
from brvtui.engines.contract import (
    Analyses,
    AnalysisStep,
    Caches,
    CompletingEngine,
    Context,
    Engine,
    EngineError,
    ExpandsTerms,
    LearningEngine,
    Query,
    check_length,
)
from brvtui.engines.profile_files import TreeProfile
from brvtui.services.provided import EngineServices
from brvtui.snapshot import Snapshot
from brvtui.trace import Trace
from brvtui.tree.reading.kinds import ProjectKind
from brvtui.typed_tables import ProfileError

if TYPE_CHECKING:
    from brvtui.services.model import Cancellation
    from brvtui.text.constants import ExpansionRules
    from brvtui.trace.events import Event
    from brvtui.trace.feedback import Usefulness


Clock = Callable[[], float]


class OpenProject(Protocol):
    """An open project as seen by its engines. Every attribute may change between two reads."""

    profile: TreeProfile
    """ByteRover's constants for reading the tree."""
    clock: Clock
    kind: ProjectKind

    @property
    def snapshot(self) -> Snapshot:
        """The newest snapshot."""


class Engines:
    """Engines keyed by name. Methods are thread-safe."""

    def __init__(
        self, opened: OpenProject, services_of: Callable[[str], EngineServices], profiles: Mapping[str, str]
    ) -> None:
        """The engines of ``opened``. ``services_of`` returns the services that an engine may call. ``profiles`` are the
        non-default profiles, keyed by engine.
        """
        self._opened = opened
        self._services_of = services_of
        self._profiles = dict(profiles)
        self._made: dict[str, Engine[Any]] = {}
        self._making = threading.Lock()

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the installed engines that rank the open project."""
        return registry.names_for(self._opened.kind)

    def named(self, name: str) -> Engine[Any]:
        """The engine called ``name``. Raises :class:`brvtui.engines.contract.EngineError`."""
        with self._making:
            if name not in self._made:
                self._made[name] = registry.load(name)
            return self._made[name]

    def which(self, kind: type) -> str:
        """The names of the installed engines that implement ``kind``, joined by commas."""
        return ", ".join(name for name in self.names if registry.has(name, kind))

    def clear_caches(self) -> None:
        """Drops the answers that engines cache."""
        for engine in tuple(self._made.values()):
            if isinstance(engine, Caches):
                engine.clear_cache()

    def profile(self, name: str) -> str:
        """The name of the profile that the engine ``name`` uses. Raises the same exception as :meth:`named`."""
        if registry.reads_trees(name):
            return self._opened.profile.name
        return self._profiles.get(name) or self.named(name).profiles[0]

    def use_profile(self, name: str, profile: str) -> None:
        """Switches the engine ``name`` to another of its profiles. Raises the same exception as :meth:`context`."""
        self._constants(name, profile)
        self._profiles[name] = profile

    def context(self, name: str, snapshot: Snapshot | None = None) -> Context[Any]:
        """The context for an answer of the engine ``name`` now, over ``snapshot`` (by default, the newest one).

        Raises :class:`brvtui.engines.contract.EngineError`, including for constants that cannot be read.
        """
        opened = self._opened
        constants = self._constants(name, self._profiles.get(name, ""))
        return Context(snapshot or opened.snapshot, constants, opened.clock(), self._services_of(name))

    def _constants(self, name: str, profile: str) -> Any:
        if registry.reads_trees(name):
            return self._opened.profile  # the profile for reading the tree, with constants changed by the settings
        try:
            return self.named(name).constants(profile)
        except ProfileError as error:
            raise EngineError(str(error)) from error

    def analyses(self, text: str, only: str = "") -> dict[str, tuple[AnalysisStep, ...]]:
        """The steps of engines that split ``text`` into words, keyed by the engine's name; engines that do not show
        steps are left out. If an engine fails, it has one step called ``failed``. ``only`` chooses one engine.

        Raises :class:`brvtui.engines.contract.EngineError` if ``text`` is too long, or for an unknown engine.
        """
        check_length(text)
        found = {}
        for name in (only,) if only else self.names:
            engine = self.named(name)
            if isinstance(engine, Analyses):
                try:
                    found[name] = engine.analysis(self.context(name), text)
                except EngineError as error:
                    found[name] = (AnalysisStep("failed", (), str(error)),)
        return found

    def expansion_rules(self) -> ExpansionRules | None:
        """The rules for finding similar words in the engine that writes the project's notes; None if it has none."""
        engine = self.named(self._opened.kind.native)
        return engine.expansion_rules(self.context(engine.name).constants) if isinstance(engine, ExpandsTerms) else None

    def answer(self, name: str, query: Query) -> tuple[Context[Any], Trace]:
        """The answer of the engine ``name``, and its context.

        A notice lists files that exceed this program's limits. Raises :class:`brvtui.engines.contract.EngineError`.
        """
        kind = self._opened.kind
        if kind.engine and name != kind.engine:
            raise EngineError(f"{name} {kind.other_engine}")
        context = self.context(name)
        trace = self.named(name).answer(context, query)
        unread = [line for line in context.snapshot.limit_notices if line not in trace.notices]
        return context, replace(trace, notices=(*unread, *trace.notices)) if unread else trace

    def complete(self, name: str, query: Query, cancellation: Cancellation) -> Iterator[Event]:
        """Yields the events of a run. A model writes the answer if the engine would call one for this query."""
        from brvtui.trace.events import Finished, Routed

        engine = self.named(name)
        if isinstance(engine, CompletingEngine) and not self._opened.kind.engine:
            yield from engine.complete(self.context(name), query, cancellation)
            return
        _, trace = self.answer(name, query)
        yield Routed(trace, "")
        yield Finished(trace)

    def learn(self, trace: Trace, file: str, usefulness: Usefulness) -> str:
        """Reports the usefulness of the result ``file`` to the engine of ``trace``. Returns the effect in one line.

        Raises :class:`brvtui.engines.contract.EngineError`, including for an engine that does not learn.
        """
        if all(hit.file != file for hit in trace.hits):
            raise EngineError(f"{file} is not a result of this query: choose one that is")
        engine = self.named(trace.engine)
        if not isinstance(engine, LearningEngine):
            others = f"; engines that do: {able}" if (able := self.which(LearningEngine)) else ""
            raise EngineError(f"{engine.title} does not learn from feedback{others}")
        return engine.learn(self.context(trace.engine), trace, file, usefulness)
