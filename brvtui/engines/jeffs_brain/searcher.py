"""The pipeline over one project: an index that follows its snapshots, and vectors that follow the index."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace

from brvtui.engines.jeffs_brain.index import ChunkIndex, embed_index, index_snapshot
from brvtui.engines.jeffs_brain.pipeline import Request, Sources, resolve_mode, retrieve
from brvtui.engines.jeffs_brain.profile import HybridProfile
from brvtui.engines.jeffs_brain.trace import Mode, Retrieved
from brvtui.engines.jeffs_brain.vectors import Kept
from brvtui.services.embedding import Embedder
from brvtui.services.failures import LegError
from brvtui.services.reranking import Reranker
from brvtui.snapshot import Snapshot
from brvtui.text.aliases import Aliases
from brvtui.timing import Stopwatch
from brvtui.wording import counted

Progress = Callable[[int, int], None]
"""Called with how many texts have their vector, and of how many."""

_ANY_TEXT = "ready"
_PROBED = "a probe asks no service: a run does"
_UNDER_WAY = "the notes' vectors are still being made"


@dataclass(frozen=True, slots=True)
class Models:
    """The models there are, and where vectors of one of them are kept."""

    embedder: Embedder | None = None
    reranker: Reranker | None = None
    kept: Callable[[str], Kept] | None = None
    """The vectors of an embedder, by its name; needed with an embedder."""


@dataclass(frozen=True, slots=True)
class _Ready:
    """The index of one snapshot; ``gaps`` says which notes are without a vector, and why."""

    snapshot: Snapshot
    index: ChunkIndex
    gaps: str = ""


@dataclass(slots=True)
class HybridSearcher:
    """Keeps the newest index. Methods may be called from any thread; a probe never waits for vectors."""

    profile: HybridProfile
    models: Models
    _ready: _Ready | None = None
    _indexing: threading.Lock = field(default_factory=threading.Lock)
    _embedding: threading.Lock = field(default_factory=threading.Lock)

    def prepare(
        self,
        snapshot: Snapshot,
        progress: Progress | None = None,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> None:
        """Makes the index of ``snapshot`` and the vectors that are missing, and warms a model of this process.

        Nothing is raised: a probe or run says what could not be made.
        """
        self._index(snapshot)
        embedder, kept = self.models.embedder, self.models.kept
        if embedder is None or kept is None:
            return
        with self._embedding:
            ready = self._index(snapshot)
            if ready.index.table is not None and not ready.gaps:
                return
            index, made = embed_index(ready.index, embedder, kept(embedder.name), cancelled, progress or _silent)
            if not made.made:
                _warm(embedder)
            gaps = f"{counted(made.missing, 'note has', 'notes have')} no vector: {made.error}" if made.error else ""
            if self._ready is not None and self._ready.snapshot is snapshot:
                self._ready = replace(ready, index=index, gaps=gaps)

    def ask(
        self,
        snapshot: Snapshot,
        request: Request,
        aliases: Aliases | None = None,
        progress: Progress | None = None,
    ) -> Retrieved:
        """The answer to ``request`` over ``snapshot`` and its trace; a run first makes the vectors that it needs."""
        watch = Stopwatch()
        embedder = self.models.embedder
        with watch.measure("index"):
            ready = self._index(snapshot)
        mode, _ = resolve_mode(request.mode or Mode(self.profile.options.mode), embedder is not None)
        if mode is not Mode.BM25 and not request.probe:
            with watch.measure("note vectors"):
                self.prepare(snapshot, progress)
            ready = self._index(snapshot)
        sources = Sources(
            ready.index,
            embedder,
            self.models.reranker,
            aliases or {},
            (ready.gaps,) if ready.gaps else (),
            ready.index.idle_rules,
            self._why_wait(request, ready),
        )
        return retrieve(request, sources, self.profile, watch)

    def _why_wait(self, request: Request, ready: _Ready) -> str:
        embedder = self.models.embedder
        if embedder is None or not request.probe:
            return ""
        if embedder.is_remote:
            return _PROBED
        return _UNDER_WAY if ready.index.table is None else ""

    def _index(self, snapshot: Snapshot) -> _Ready:
        with self._indexing:
            ready = self._ready
            if ready is None or ready.snapshot is not snapshot:
                index = index_snapshot(snapshot, self.profile, ready.index if ready else None)
                ready = self._ready = _Ready(snapshot, index)
            return ready


def _silent(made: int, wanted: int) -> None:
    pass


def _warm(embedder: Embedder) -> None:
    """Loads a model of this process, so that no query waits for it; what is wrong with it, the first query says."""
    if not embedder.is_remote:
        with suppress(LegError):
            embedder.embed([_ANY_TEXT])
