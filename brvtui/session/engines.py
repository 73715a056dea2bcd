"""The engines that answer queries of one open project, each made when it is first asked."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from brvtui.engines import registry
from brvtui.engines.contract import Completes, Context, Engine, EngineError, Query
from brvtui.services.provided import EngineServices
from brvtui.session.opened import ReadableProject
from brvtui.snapshot import Snapshot
from brvtui.trace import Trace
from brvtui.typed_tables import ProfileError

if TYPE_CHECKING:
    from brvtui.services.model import Cancellation
    from brvtui.trace.events import Event


class Engines:
    """Engines by name. Methods may be called from any thread."""

    def __init__(self, opened: ReadableProject, services: EngineServices) -> None:
        """No engine is made yet."""
        self._opened = opened
        self._services = services
        self._made: dict[str, Engine[Any]] = {}
        self._making = threading.Lock()

    def named(self, name: str) -> Engine[Any]:
        """The engine called ``name``. Raises :class:`brvtui.engines.contract.EngineError`."""
        with self._making:
            if name not in self._made:
                self._made[name] = registry.load(name)
            return self._made[name]

    def context(self, name: str, snapshot: Snapshot | None = None) -> Context[Any]:
        """The context of a query that is put to the engine ``name`` now; over the newest snapshot without another.

        An engine that does not know the session's profile has its default one. Raises
        :class:`brvtui.engines.contract.EngineError`, also for constants that cannot be read.
        """
        opened = self._opened
        engine, profile = self.named(name), opened.profile
        if name == registry.DEFAULT:
            constants = profile
        else:
            try:
                constants = engine.constants(profile.name if profile.name in engine.profiles else "")
            except ProfileError as error:
                raise EngineError(str(error)) from error
        return Context(snapshot or opened.snapshot, constants, opened.clock(), self._services)

    def answer(self, name: str, query: Query) -> tuple[Context[Any], Trace]:
        """The answer of the engine ``name``, and the context that it was made in.

        Raises :class:`brvtui.engines.contract.EngineError`.
        """
        context = self.context(name)
        return context, self.named(name).answer(context, query)

    def complete(self, name: str, query: Query, cancellation: Cancellation) -> Iterator[Event]:
        """The same as it happens, with the answer that a model writes where one would."""
        from brvtui.trace.events import Finished, Routed

        engine = self.named(name)
        if isinstance(engine, Completes):
            yield from engine.complete(self.context(name), query, cancellation)
            return
        _, trace = self.answer(name, query)
        yield Routed(trace, "")
        yield Finished(trace)
