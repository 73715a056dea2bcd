"""Runs many queries for the health of a memory, and reuses answers that changed notes cannot have affected."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from brvtui.engines.contract import LONGEST_QUERY, EngineError, Query
from brvtui.lab.health.recall import Outcome
from brvtui.ranking.decay import MS_PER_DAY
from brvtui.session.evaluating import context_at
from brvtui.text.analysis import STOP_WORDS, terms

if TYPE_CHECKING:
    from brvtui.session.session import Session

_MOST_FILES = 20
_SHORTEST_BEGINNING = 3


class QueryMemo:
    """Asks the session's engine.

    An answer is reused on the same day if the notes that contain most words of the query, or words that begin with
    them, are the same and have not changed. The scores of such an answer may be slightly out of date.
    """

    def __init__(self, session: Session, kept: Any) -> None:
        """Reuses the answers in ``kept``, which :meth:`plain` returned; anything else is ignored."""
        self._session = session
        self._engine = session.engines.named(session.engine)
        self._context = session.engines.context(session.engine)
        self._kept: dict[str, Any] = kept if isinstance(kept, dict) else {}
        self._used: dict[str, Any] = {}
        snapshot = self._context.snapshot
        constants = zlib.crc32(repr((session.engine, self._context.constants)).encode())
        self._salt = f"{constants:08x}{int(self._context.now_ms // MS_PER_DAY)}"
        pairs = zip(snapshot.notes, snapshot.signals, strict=True)
        states = [f"{note}\0{signals}\0{snapshot.parsed[note.path].ctime_ns}" for note, signals in pairs]
        codes = [zlib.crc32(state.encode("utf-8", "replace")) for state in states]
        self._states: NDArray[np.uint64] = np.asarray(codes, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)

    def ask(self, text: str, scope: str = "", days: int = 0) -> Outcome:
        """The outcome of the query ``text`` in ``days`` days, if no note changes. Not covered if the engine refuses."""
        key, state = f"{days}\0{scope}\0{text}", self._state(text)
        known: Any = self._used.get(key) or self._kept.get(key)
        try:
            if known[0] == state:
                self._used[key] = known
                return Outcome(bool(known[1]), tuple(map(str, known[2])), tuple(map(str, known[3])))
        except (TypeError, KeyError, IndexError):
            pass  # unknown, or damaged
        outcome = self._answer(text, scope, days)
        self._used[key] = [state, outcome.covered, outcome.files, outcome.prompted]
        return outcome

    def plain(self) -> dict[str, Any]:
        """The answers that were used, as plain data for JSON."""
        return self._used

    @property
    def has_changed(self) -> bool:
        """True if :meth:`plain` differs from the answers at the beginning."""
        return self._used.keys() != self._kept.keys() or any(
            self._used[key] is not self._kept[key] for key in self._used
        )

    def _answer(self, text: str, scope: str, days: int) -> Outcome:
        context = self._context if not days else context_at(self._session, self._context.now_ms + days * MS_PER_DAY)
        try:
            trace = self._engine.answer(context, Query(text[:LONGEST_QUERY], scope))
        except EngineError:
            return Outcome(False, ())
        files = tuple(dict.fromkeys(hit.file for hit in trace.hits))[:_MOST_FILES]
        named = trace.answer.prompt.prefetched if trace.answer.prompt is not None else ()
        prompted = tuple(dict.fromkeys(hit.file for hit in trace.hits if hit.path in named))
        return Outcome(trace.covered, files, prompted)

    def _state(self, text: str) -> str:
        """A digest of the notes that the query may match."""
        postings = self._context.snapshot.postings
        words = {word for word in terms(text) if word not in STOP_WORDS}
        counts = np.zeros(len(self._states), dtype=np.int64)
        for word in words:
            vocabulary, is_short = postings.vocabulary, len(word) < _SHORTEST_BEGINNING
            counts += postings.has_any(postings.exact(word).ids if is_short else vocabulary.beginning_with(word))
        mask = 2 * counts > len(words)
        if not mask.any():
            mask = counts > 0
        digest = int(np.bitwise_xor.reduce(self._states[mask])) if mask.any() else 0
        return f"{self._salt}{digest:016x}"
