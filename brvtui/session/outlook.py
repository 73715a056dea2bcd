"""What time brings to all documents of an engine in a span of days."""

from __future__ import annotations

from collections.abc import Iterator

from brvtui.engines.contract import EngineError, Forecasts
from brvtui.session.engines import Engines
from brvtui.snapshot import Note, Snapshot
from brvtui.trace import AgeingDocument, DatedEvent, DocumentForecast, EventCount, Outlook
from brvtui.trace.forecasts import date_after
from brvtui.wording import nearest


def outlook(
    snapshot: Snapshot, name: str, engines: Engines, days: int, event: str = "", with_come: bool = False
) -> Outlook:
    """What time brings to the notes of ``snapshot`` that the engine ``name`` ranks, in the next ``days`` days.

    ``event`` keeps events of that kind; ``with_come`` adds those that have come before. Raises
    :class:`brvtui.engines.contract.EngineError` for an engine without forecasts, and for an unknown event.
    """
    engine = engines.named(name)
    if not isinstance(engine, Forecasts):
        raise EngineError(
            f"{engine.title} has no forecasts: time alone changes none of its scores; "
            f"engines here that have: {engines.which(Forecasts)}"
        )
    kinds = engine.event_kinds
    if event and event not in kinds:
        raise EngineError(f"{engine.title} has no event {event}{nearest(event, kinds)}")
    context = engines.context(name, snapshot)
    ranked = [(note, made) for note in snapshot.notes if (made := engine.forecast(context, note.path, days))]
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
    found = [[event for event in made.events if event.kind == kind and event.days <= days] for _, made in ranked]
    in_span = sum(any(event.days > 0 for event in events) for events in found)
    return EventCount(kind, text, sum(bool(events) for events in found), in_span)


def _documents(
    ranked: list[tuple[Note, DocumentForecast]], days: int, kind: str, with_come: bool, snapshot: Snapshot
) -> Iterator[AgeingDocument]:
    def is_wanted(event: DatedEvent) -> bool:
        return kind in ("", event.kind) and event.days <= days and (event.days > 0 or with_come)

    for note, made in ranked:
        events = tuple(event for event in made.events if is_wanted(event))
        if events:
            maturity = snapshot.signals[snapshot.by_path[note.path]].maturity
            yield AgeingDocument(note.path, note.title, maturity, made.ceiling, made.ceiling_then, events)
