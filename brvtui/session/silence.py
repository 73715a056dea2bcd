"""Forecasts from which day on a query's answer will come too late for the agent's hook, because the notes have aged."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING

from brvtui.engines.contract import EngineError, Query
from brvtui.lab.judgments.file import JudgmentsFile
from brvtui.lab.judgments.model import JudgmentsError
from brvtui.ranking.decay import MS_PER_DAY
from brvtui.session.evaluating import context_at
from brvtui.trace import SilentQuery
from brvtui.tree.engine_files.query_log import LogEvidence, LoggedQuery, query_log_folder, read_own_log
from brvtui.tree.engine_files.sidecar import project_data

if TYPE_CHECKING:
    from brvtui.session.session import Session

DOCUMENTED_MS: Mapping[int, float] = {2: 200.0, 3: 5_000.0, 4: 8_000.0}
"""ByteRover's documented durations by tier, in ms; for tier 4, the shortest one."""
_FEWEST = 5
"""The number of logged answers of a tier from which their median replaces the documented duration."""
_MOST_QUERIES = 100
_MOST_LOGGED = 2_000
_LONGEST = 1_000
"""The maximum number of characters of a query that is tried."""
_Request = tuple[str, str]
"""The text and the scope of a query."""


@dataclass(frozen=True, slots=True)
class TierDuration:
    """The usual duration of a tier's answers."""

    ms: float
    is_logged: bool
    """True if this is the median of the user's own log, False if it is documented by ByteRover."""


@dataclass(frozen=True, slots=True)
class Silence:
    """The queries whose answers come too late within a number of days, soonest first."""

    limit_ms: float
    durations: Mapping[int, TierDuration]
    """The usual duration of each tier."""
    tried: int
    queries: tuple[SilentQuery, ...]


def tier_durations(entries: Iterable[LoggedQuery]) -> dict[int, TierDuration]:
    """The usual duration of each tier: the median of ``entries``, or the documented one if there are too few."""
    durations = {tier: TierDuration(ms, False) for tier, ms in DOCUMENTED_MS.items()}
    taken: dict[int, list[float]] = {tier: [] for tier in DOCUMENTED_MS}
    for entry in entries:
        if entry.tier in taken and entry.waited_ms is not None and entry.status == "completed":
            taken[entry.tier].append(entry.waited_ms)
    logged = {tier: TierDuration(median(times), True) for tier, times in taken.items() if len(times) >= _FEWEST}
    return durations | logged


def own_log(session: Session) -> LogEvidence:
    """The newest entries of ByteRover's own log, which no file of the project can replace, and its problem."""
    return read_own_log(query_log_folder(project_data(session.project.root)), _MOST_LOGGED)


def slow_tiers(durations: Mapping[int, TierDuration], limit_ms: float) -> frozenset[int]:
    """The tiers whose usual duration is longer than ``limit_ms``."""
    return frozenset(tier for tier, duration in durations.items() if duration.ms > limit_ms)


def forecast_silence(session: Session, days: int) -> Silence:
    """The judged and logged queries whose answers come too late within ``days``, if nobody touches a note.

    At most 100 queries are tried, judged ones first. A query counts only if its answer still comes too late on the last
    day. Raises :class:`brvtui.engines.contract.EngineError`.
    """
    logged = session.logbook.engine.read(_MOST_LOGGED)
    durations = tier_durations(own_log(session).entries)
    limit_ms = 1000.0 * session.settings.hook_seconds
    queries = _queries(session, logged)
    found: list[SilentQuery] = []
    if slow := slow_tiers(durations, limit_ms):
        now, last = _tiers(session, queries, 0), _tiers(session, queries, days)
        silent = [query for query in queries if last[query] in slow]
        found = [SilentQuery(*query, 0, now[query]) for query in silent if now[query] in slow]
        later = {query: last[query] for query in silent if now[query] not in slow}
        found += sorted(_first_days(session, later, 0, days, slow), key=lambda one: one.days)
    return Silence(limit_ms, durations, len(queries), tuple(found))


def _queries(session: Session, logged: Sequence[LoggedQuery]) -> list[_Request]:
    """The distinct judged and logged queries, each with its scope."""
    found: dict[_Request, None] = {}
    with suppress(JudgmentsError):  # brv-tui judge reports problems of the file
        found.update(dict.fromkeys((one.text, one.scope) for one in JudgmentsFile.of(session.project).read()))
    found.update(dict.fromkeys((one.query, one.scope) for one in logged if one.engine == session.engine))
    return [one for one in found if one[0].strip() and len(one[0]) <= _LONGEST][:_MOST_QUERIES]


def _first_days(
    session: Session, silent: Mapping[_Request, int], fast: int, late: int, slow: frozenset[int]
) -> Iterator[SilentQuery]:
    """Yields the first day of each of ``silent``, whose answers come in time on day ``fast`` and too late on ``late``.

    ``silent`` contains the tiers that answer on day ``late``. Bisects all queries together, since the notes are aged
    once for each day.
    """
    if not silent or late - fast <= 1:
        yield from (SilentQuery(*query, late, tier) for query, tier in silent.items())
        return
    middle = (fast + late) // 2
    tiers = _tiers(session, silent, middle)
    already = {query: tiers[query] for query in silent if tiers[query] in slow}
    yield from _first_days(session, already, fast, middle, slow)
    yield from _first_days(session, {one: silent[one] for one in silent if one not in already}, middle, late, slow)


def _tiers(session: Session, queries: Iterable[_Request], days: int) -> dict[_Request, int]:
    """The tier that answers each of ``queries`` in ``days`` days; -1 if no note covers it, or the engine refuses it."""
    context = context_at(session, session.clock() + days * MS_PER_DAY)
    engine = session.engines.named(session.engine)
    tiers = {}
    for text, scope in queries:
        tiers[text, scope] = -1
        with suppress(EngineError):
            trace = engine.answer(context, Query(text, scope))
            tiers[text, scope] = trace.tier if trace.covered and trace.tier is not None else -1
    return tiers
