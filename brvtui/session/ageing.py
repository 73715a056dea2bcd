"""The signals and maturity of notes: now, in the coming days, and after access hits and updates."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from brvtui.engines.contract import Ages, EngineError, Forecasts
from brvtui.ranking.decay import age_days
from brvtui.session.engines import Engines, OpenProject
from brvtui.snapshot import Note, Snapshot
from brvtui.trace import AgeingDocument, DatedEvent, DocumentForecast, EventCount, Outlook
from brvtui.trace.forecasts import date_after
from brvtui.tree.reading.signals import NoteSignals
from brvtui.wording import nearest

if TYPE_CHECKING:
    from brvtui.engines.ageing.board import Board
    from brvtui.engines.ageing.forecast import After, Curve, Forecast
    from brvtui.engines.ageing.rules import AgeingRules


def outlook(
    snapshot: Snapshot, name: str, engines: Engines, days: int, event: str = "", with_come: bool = False
) -> Outlook:
    """The effects of time over the next ``days`` days on the notes in ``snapshot`` that the engine ``name`` ranks.

    ``event`` limits the events to one kind; ``with_come`` includes events that have already happened. Raises
    :class:`brvtui.engines.contract.EngineError` for an engine without forecasts, and for an unknown event.
    """
    engine = engines.named(name)
    if not isinstance(engine, Forecasts):
        raise EngineError(
            f"{engine.title} has no forecasts, because time alone does not change its scores; "
            f"engines with forecasts: {engines.which(Forecasts)}"
        )
    kinds = engine.event_kinds
    if event and event not in kinds:
        raise EngineError(f"{engine.title} has no event {event}{nearest(event, kinds)}")
    context = engines.context(name, snapshot)
    ranked = [(note, forecast) for note in snapshot.notes if (forecast := engine.forecast(context, note.path, days))]
    counts = tuple(_count(kind, text, days, ranked) for kind, text in kinds.items() if event in ("", kind))
    documents = sorted(_documents(ranked, days, event, with_come, snapshot), key=lambda one: one.events[0].days)
    return Outlook(
        engine=engine.name,
        profile=engines.profile(name),
        project=snapshot.project.name,
        now=context.snapshot_info.clock,
        days=days,
        until=date_after(context.now_ms, days),
        event=event,
        ranked=len(ranked),
        notes=len(snapshot.notes),
        counts=counts,
        documents=tuple(documents),
    )


def _count(kind: str, text: str, days: int, ranked: list[tuple[Note, DocumentForecast]]) -> EventCount:
    found = [
        [event for event in forecast.events if event.kind == kind and event.days <= days] for _, forecast in ranked
    ]
    in_span = sum(any(event.days > 0 for event in events) for events in found)
    return EventCount(kind, text, sum(bool(events) for events in found), in_span)


def _documents(
    ranked: list[tuple[Note, DocumentForecast]], days: int, kind: str, with_come: bool, snapshot: Snapshot
) -> Iterator[AgeingDocument]:
    def is_wanted(event: DatedEvent) -> bool:
        return kind in ("", event.kind) and event.days <= days and (event.days > 0 or with_come)

    for note, forecast in ranked:
        events = tuple(event for event in forecast.events if is_wanted(event))
        if events:
            maturity = snapshot.signals[snapshot.by_path[note.path]].maturity
            yield AgeingDocument(note.path, note.title, maturity, forecast.ceiling, forecast.ceiling_then, events)


class ProjectAgeing:
    """The ageing of an open project's notes. Methods are thread-safe and write nothing."""

    def __init__(self, opened: OpenProject, engines: Engines) -> None:
        """Stores the project and its engines. Each method computes its result when it is called."""
        self._opened = opened
        self._engines = engines

    def board(self) -> Board:
        """Every note's current signals, maturity and ageing."""
        from brvtui.engines.ageing.board import Board

        return Board(self._opened.snapshot, self._rules, self._opened.clock())

    @property
    def _rules(self) -> AgeingRules:
        """The constants for the ageing of notes, from the open project's native engine."""
        native = self._opened.kind.native
        engine = self._engines.named(native)
        assert isinstance(engine, Ages)
        return engine.ageing_rules(self._engines.context(native).constants, self._opened.profile.signals)

    def forecast(self, day: float, board: Board | None = None) -> Forecast:
        """The forecast for ``board`` (default: today's board) in ``day`` days, with the changes until then."""
        from brvtui.engines.ageing.forecast import Forecast

        return Forecast(board or self.board(), day)

    def curve(self, path: str, last_day: int | None = None, board: Board | None = None) -> Curve:
        """The ageing of the note at ``path`` until ``last_day``, by default the last day of a forecast.

        Raises KeyError for an unknown note.
        """
        from brvtui.engines.ageing.forecast import LAST_DAY, curve

        board = board or self.board()
        return curve(board, board.snapshot.by_path[path], LAST_DAY if last_day is None else last_day)

    def after_hits(self, path: str, hits: int, board: Board | None = None) -> After:
        """The note at ``path`` after ``hits`` access hits; records nothing. Raises KeyError for an unknown note.

        Uses the note on ``board`` or, by default, in the newest snapshot.
        """
        from brvtui.engines.ageing.forecast import after_hits

        return after_hits(*self._signals_of(path, board), hits, self._rules)

    def after_updates(self, path: str, updates: int, board: Board | None = None) -> After:
        """The note at ``path`` after ``updates`` curate updates. Raises KeyError for an unknown note.

        Uses the note on ``board`` or, by default, in the newest snapshot.
        """
        from brvtui.engines.ageing.forecast import after_updates

        return after_updates(*self._signals_of(path, board), updates, self._rules)

    def after_saving(self, path: str, board: Board, maturity: str = "") -> After:
        """The note at ``path`` on ``board``, saved now and, if given, with another ``maturity``."""
        from brvtui.engines.ageing.forecast import after_saving

        signals, _, is_local = self._signals_of(path, board)
        return after_saving(replace(signals, maturity=maturity or signals.maturity), is_local, self._rules)

    def in_engine(self, engine: str, path: str, day: float = 0.0) -> DocumentForecast | None:
        """The best score that ``engine`` can give the note at ``path``, now and in ``day`` days, and the causes of the
        change.

        None if the engine has no forecasts or does not rank the file. Raises
        :class:`brvtui.engines.contract.EngineError`.
        """
        named = self._engines.named(engine)
        return named.forecast(self._engines.context(engine), path, day) if isinstance(named, Forecasts) else None

    def outlook(self, engine: str, days: int, event: str = "", with_come: bool = False) -> Outlook:
        """The effects of time on the documents of ``engine`` over the next ``days`` days.

        ``event`` limits the events to one kind; ``with_come`` includes events that have already happened. Raises
        :class:`brvtui.engines.contract.EngineError` for an engine without forecasts, and for an unknown event.
        """
        return outlook(self._opened.snapshot, engine, self._engines, days, event, with_come)

    def _signals_of(self, path: str, board: Board | None) -> tuple[NoteSignals, float, bool]:
        """The signals of the note at ``path``, its age in days, and True if it is local."""
        snapshot = board.snapshot if board is not None else self._opened.snapshot
        position = snapshot.by_path[path]
        note = snapshot.notes[position]
        return snapshot.signals[position], float(age_days(self._opened.clock(), note.mtime_ms)), note.is_local
