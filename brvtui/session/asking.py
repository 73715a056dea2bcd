"""Runs the many queries of a health check, and reuses results that changed notes cannot have affected."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from brvtui.engines.contract import LONGEST_QUERY, EngineError, Query, SearchesBesides
from brvtui.lab.health.recall import PastQuery
from brvtui.logbook import Logbook
from brvtui.ranking.decay import MS_PER_DAY
from brvtui.session.ageing import ProjectAgeing
from brvtui.session.engines import Engines, OpenProject
from brvtui.snapshot import Key, Snapshot
from brvtui.store.kept_answers import KeptAnswers
from brvtui.text.analysis import STOP_WORDS, terms
from brvtui.tree.reading.project import FoundProject

_STAMPS: Key[Mapping[str, str]] = Key("states of files")
_WIDE = 10
_SHORTEST_BEGINNING = 3
_FEW, _ONE_IN = 20, 200
"""Results are stored if more than 20, and more than one in 200, are new. To compute fewer again costs less."""


class CheckedProject(OpenProject, Protocol):
    """The parts of a session that a check of its memory's health needs."""

    engine: str
    engines: Engines
    ageing: ProjectAgeing
    logbook: Logbook

    @property
    def project(self) -> FoundProject:
        """The open project."""


class KeptResults:
    """Results of an earlier check as plain data, each with the state of the files on which it depends."""

    def __init__(self, store: KeptAnswers, name: str) -> None:
        """Reads the results stored under ``name``; none if they are missing or damaged."""
        self._store, self.name = store, name
        kept = store.read(name)
        self._kept: dict[str, Any] = kept if isinstance(kept, dict) else {}
        self._used: dict[str, Any] = {}
        self._new = 0

    def get(self, key: str, state: str, compute: Callable[[], Any]) -> Any:
        """The stored result for ``key`` if it has the same ``state``; otherwise the result of ``compute``."""
        known = self._used.get(key) or self._kept.get(key)
        if known is None or known[0] != state:
            known = [state, compute()]
            self._new += 1
        self._used[key] = known
        return known[1]

    def write(self) -> None:
        """Forgets the results that were not used, and stores the others if many of them are new."""
        if self._new > max(_FEW, len(self._used) // _ONE_IN):
            with suppress(OSError):  # works without a writable cache
                self._store.write(self.name, self._used, level=0)  # signatures cannot be compressed
            self._new = 0
        self._kept, self._used = self._used, {}


def stamps_of(snapshot: Snapshot) -> Mapping[str, str]:
    """The state of each file, which changes with its content."""
    edits = {path: hash(text) for path, text in snapshot.edited.items()}
    stamps = (
        (path, f"{one.mtime_ns:x}.{one.size:x}.{one.inode:x}.{one.ctime_ns:x}{edits.get(path, '')}")
        for path, one in snapshot.parsed.items()
    )
    return snapshot.derived.of(_STAMPS, lambda: dict(stamps))


class QueryMemo:
    """Runs queries with the session's engine, and reuses earlier answers.

    An answer is reused on the same day if the notes that contain most words of the query, or words that begin with
    them, are the same and have not changed. The scores of such an answer may be slightly out of date.
    """

    def __init__(self, session: CheckedProject, kept: KeptResults) -> None:
        """Creates a memo for the current notes of ``session``; ``kept`` stores the answers."""
        self._engine = session.engines.named(session.engine)
        self._context = session.engines.context(session.engine)
        self._kept = kept
        snapshot = self._context.snapshot
        self._salt = f"{int(self._context.now_ms // MS_PER_DAY)}."
        stamps, texts = stamps_of(snapshot), {signals: repr(signals) for signals in set(snapshot.signals)}
        codes = [
            zlib.crc32(f"{stamps[note.path]}\0{note.path}\0{texts[signals]}".encode("utf-8", "replace"))
            for note, signals in zip(snapshot.notes, snapshot.signals, strict=True)
        ]
        self._states: NDArray[np.uint64] = np.asarray(codes, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)

    def ask(self, text: str, scope: str = "", days: int = 0) -> PastQuery:
        """The query ``text`` with its outcome in ``days`` days; not covered if the engine refuses."""
        key, state = f"{days}\0{scope}\0{text}", self._state(text)
        covered, files, prompted = self._kept.get(key, state, lambda: self._answer(text, scope, days))
        return PastQuery(text, tuple(files), covered, tuple(prompted))

    def search(self, text: str) -> tuple[str, ...]:
        """The files of the first ten results of a plain search or, without one, of the engine's results."""
        engine = self._engine
        if not isinstance(engine, SearchesBesides):
            return self.ask(text).files

        def files() -> list[str]:
            return [hit.file for hit in engine.plain_search(self._context, text[:LONGEST_QUERY], _WIDE, "").hits]

        return tuple(self._kept.get(f"search\0{text}", self._state(text), files))

    def _answer(self, text: str, scope: str, days: int) -> list[Any]:
        context = replace(self._context, now_ms=self._context.now_ms + days * MS_PER_DAY)
        try:
            trace = self._engine.answer(context, Query(text[:LONGEST_QUERY], scope))
        except EngineError:
            return [False, [], []]
        files = [hit.file for hit in trace.hits]
        named = trace.answer.prompt.prefetched if trace.answer.prompt is not None else ()
        return [trace.covered, files, [hit.file for hit in trace.hits if hit.path in named]]

    def _state(self, text: str) -> str:
        """A digest of the notes that the query may match."""
        postings = self._context.snapshot.postings
        words = {word for word in terms(text) if word not in STOP_WORDS}
        counts = np.zeros(len(self._states), dtype=np.int64)
        for word in words:
            vocabulary, is_short = postings.vocabulary, len(word) < _SHORTEST_BEGINNING
            counts += postings.has_any(postings.exact(word).ids if is_short else vocabulary.beginning_with(word))
        mask = 2 * counts > len(words)
        mask = mask if mask.any() else counts > 0
        return f"{self._salt}{int(np.bitwise_xor.reduce(self._states[mask])) if mask.any() else 0:x}"
