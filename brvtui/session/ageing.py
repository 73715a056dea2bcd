"""Signals and maturity of the notes: now, in days to come, and after events."""

from __future__ import annotations

from typing import TYPE_CHECKING

from brvtui.engines.contract import Ages, Forecasts
from brvtui.ranking.decay import age_days
from brvtui.session.engines import Engines
from brvtui.session.opened import OpenProject
from brvtui.trace import DocumentForecast, Outlook
from brvtui.tree.reading.signals import NoteSignals

if TYPE_CHECKING:
    from brvtui.engines.ageing.after_changes import After
    from brvtui.engines.ageing.board import Board
    from brvtui.engines.ageing.forecast import Curve, Forecast
    from brvtui.engines.ageing.rules import AgeingRules


class ProjectAgeing:
    """How the notes of an open project age. Methods may be called from any thread; nothing is written."""

    def __init__(self, opened: OpenProject, engines: Engines) -> None:
        """Computes nothing yet."""
        self._opened = opened
        self._engines = engines

    def board(self) -> Board:
        """Every note's signals, maturity and ageing as of now."""
        from brvtui.engines.ageing.board import Board

        return Board(self._opened.snapshot, self._rules, self._opened.clock())

    @property
    def _rules(self) -> AgeingRules:
        """The constants that the notes age by: those of the engine that is native to what is open."""
        native = self._opened.kind.native
        engine = self._engines.named(native)
        assert isinstance(engine, Ages)
        return engine.ageing_rules(self._engines.context(native).constants, self._opened.profile.signals)

    def forecast(self, day: float, board: Board | None = None) -> Forecast:
        """``board`` (without it, today's) as it will be ``day`` days on, and what that changes."""
        from brvtui.engines.ageing.forecast import Forecast

        return Forecast(board or self.board(), day)

    def curve(self, path: str, last_day: int | None = None, board: Board | None = None) -> Curve:
        """How the note at ``path`` ages until ``last_day`` (without it, the last of a forecast).

        Raises KeyError for an unknown note.
        """
        from brvtui.engines.ageing.forecast import LAST_DAY, curve

        board = board or self.board()
        return curve(board, board.snapshot.by_path[path], LAST_DAY if last_day is None else last_day)

    def after_hits(self, path: str, hits: int, board: Board | None = None) -> After:
        """The note at ``path`` after so many access hits; records nothing. Raises KeyError for an unknown note.

        It is looked up on ``board``, or else in the newest snapshot.
        """
        from brvtui.engines.ageing.after_changes import after_hits

        return after_hits(*self._signals_of(path, board), hits, self._rules)

    def after_updates(self, path: str, updates: int, board: Board | None = None) -> After:
        """The note at ``path`` after so many curate updates. Raises KeyError for an unknown note.

        It is looked up on ``board``, or else in the newest snapshot.
        """
        from brvtui.engines.ageing.after_changes import after_updates

        return after_updates(*self._signals_of(path, board), updates, self._rules)

    def in_engine(self, engine: str, path: str, day: float = 0.0) -> DocumentForecast | None:
        """The best score that ``engine`` can give the note at ``path`` now and ``day`` days on, and what changes it.

        None for an engine without forecasts, and for a file that it does not rank. Raises
        :class:`brvtui.engines.contract.EngineError`.
        """
        asked = self._engines.named(engine)
        return asked.forecast(self._engines.context(engine), path, day) if isinstance(asked, Forecasts) else None

    def outlook(self, engine: str, days: int, event: str = "", with_come: bool = False) -> Outlook:
        """What time brings to the documents of ``engine`` in the next ``days`` days.

        ``event`` keeps events of that kind; ``with_come`` adds those that have come before. Raises
        :class:`brvtui.engines.contract.EngineError` for an engine without forecasts, and for an unknown event.
        """
        from brvtui.session.outlook import outlook

        return outlook(self._opened.snapshot, engine, self._engines, days, event, with_come)

    def _signals_of(self, path: str, board: Board | None) -> tuple[NoteSignals, float, bool]:
        """Signals of the note at ``path``, its age in days, and whether it is local."""
        snapshot = board.snapshot if board is not None else self._opened.snapshot
        position = snapshot.by_path[path]
        note = snapshot.notes[position]
        return snapshot.signals[position], float(age_days(self._opened.clock(), note.mtime_ms)), note.is_local
