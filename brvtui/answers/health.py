"""A short report on a memory's health: findings, documents that will soon be too old, and answers that got lost."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from brvtui.answers.queries import chosen
from brvtui.engines.ageing.events import LEAVES_TIER_2
from brvtui.engines.contract import EngineError
from brvtui.lab.delivery.turns import LOST
from brvtui.ranking.decay import MS_PER_DAY
from brvtui.session.delivery import DeliveryReader, permitted_folder
from brvtui.session.silence import forecast_silence
from brvtui.trace import SilentQuery, to_plain

if TYPE_CHECKING:
    from brvtui.session import Session

_NO_CONSENT = "transcripts are private and were not read; brv-tui delivery --transcripts DIR permits reading them"


def short_health(session: Session, days: int, most: int) -> dict[str, Any]:
    """At most ``most`` findings, the documents that age within ``days``, the queries that are then answered too late,
    and the lost answers.

    Transcripts are read only if the user has permitted it. Raises :class:`brvtui.engines.contract.EngineError`.
    """
    report, documents = session.health.report(days), list[dict[str, Any]]()
    silent: tuple[SilentQuery, ...] = ()
    with suppress(EngineError):  # the engine has no forecasts
        outlook = session.ageing.outlook(session.engine, days)
        kinds = {count.kind for count in outlook.counts}
        kinds = kinds & {LEAVES_TIER_2.key} or kinds
        for one in outlook.documents:
            events = [to_plain(event) for event in one.events if event.kind in kinds]
            documents += [{"path": one.path, "events": events}] if events else []
        silent = forecast_silence(session, days).queries
    folder, lost, outcomes = permitted_folder(session), [], {}
    if folder is not None:
        reader = DeliveryReader(session, folder, session.clock() - days * MS_PER_DAY)
        delivery = reader.read(1000.0 * session.settings.hook_seconds)
        outcomes = {outcome.value: count for outcome, count in delivery.counts.items()}
        turns = [turn for turn in reversed(delivery.turns) if turn.outcome in LOST][:most]
        lost = [{"query": one.recall.query, "outcome": one.outcome.value, "evidence": one.evidence} for one in turns]
    return {
        **chosen(report, "notes queries days"),
        "found_in_all": len(report.findings),
        "findings": [chosen(one, "kind notes confidence sentence cost") for one in report.findings[:most]],
        "documents": documents[:most],
        "silent": to_plain(silent[:most]),
        "outcomes": outcomes,
        "lost": lost,
        "notice": "" if folder is not None else _NO_CONSENT,
    }
