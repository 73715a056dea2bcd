"""From text scores to ranked hits: signals after decay, the compound score, order, and the parts of one hit."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from brvtui.engines.byterover.profile import Profile
from brvtui.engines.byterover.search.matching import TermTable
from brvtui.ranking.bm25 import saturate
from brvtui.ranking.ceiling import ceiling_at, days_until_below, seen_by_gates
from brvtui.ranking.compound import compound, round_half_up, score_parts, with_bonus
from brvtui.ranking.decay import age_days, decayed_importance, decayed_recency
from brvtui.ranking.maturity import LEVELS, after_access
from brvtui.snapshot import Note, Snapshot
from brvtui.trace import MOST_LISTED, Aged, Ceiling, Hit, Horizon, Listed, Origin, Part, TextScore
from brvtui.tree.reading.signals import NoteSignals

_SELECT_FROM = 512


@dataclass(frozen=True, slots=True)
class Ranking:
    """The best matches in order (``positions``, with unrounded ``scores``), and how many matched in all."""

    positions: NDArray[np.int64]
    scores: NDArray[np.float64]
    matched: int
    at_least: int
    """How many of all matches reach the gap filter's floor."""


def rank(
    snapshot: Snapshot, profile: Profile, now_ms: float, table: TermTable, matching: NDArray[np.bool_], keep: int
) -> Ranking:
    """The ``keep`` best of the ``matching`` notes: by score, then raw text score, then document order."""
    positions = np.flatnonzero(matching)
    if not len(positions):
        return Ranking(positions, np.zeros(0), 0, 0)
    raw = table.raw[positions]
    days = age_days(now_ms, snapshot.mtime_ms[positions])
    boosts = np.asarray([profile.score.boost[level] for level in LEVELS])
    scores = with_bonus(
        compound(
            saturate(raw),
            decayed_importance(snapshot.importance[positions], days, profile.decay),
            decayed_recency(snapshot.recency[positions], days, profile.decay),
            boosts[snapshot.maturity[positions]],
            profile.score,
        ),
        np.where(snapshot.is_local[positions], profile.score.local_bonus, 0.0),
        profile.score,
    )
    matched = len(positions)
    at_least = int((scores >= profile.search.gap_ratio * scores.max()).sum())
    if matched > _SELECT_FROM and keep < matched:
        edge = np.partition(scores, matched - keep)[matched - keep]
        best = scores >= edge
        positions, scores, raw = positions[best], scores[best], raw[best]
    order = np.lexsort((positions, -raw, -scores))[:keep]
    return Ranking(positions[order], scores[order], matched, at_least)


def listing(snapshot: Snapshot, profile: Profile, ranking: Ranking) -> tuple[Listed, ...]:
    """The best of ``ranking`` in short, with scores rounded as the gates see them."""
    made = []
    best = zip(ranking.positions[:MOST_LISTED].tolist(), ranking.scores[:MOST_LISTED].tolist(), strict=True)
    for position, score in best:
        note, maturity = snapshot.notes[position], snapshot.signals[position].maturity
        rounded = round_half_up(score, profile.score.decimals)
        made.append(Listed(note.shown, note.path, note.title, note.kind, maturity, rounded))
    return tuple(made)


def aged(signals: NoteSignals, mtime_ms: float, profile: Profile, now_ms: float, decays: bool = True) -> Aged:
    """Signals of one note before and after decay; as stored when they do not decay (propagated summaries)."""
    days = float(age_days(now_ms, mtime_ms))
    importance, recency = signals.importance, signals.recency
    if decays:
        importance = float(decayed_importance(importance, days, profile.decay))
        recency = float(decayed_recency(recency, days, profile.decay))
    raised, maturity = after_access(signals.importance, signals.maturity, profile.signals)
    change = f"stays {maturity}" if maturity == signals.maturity else f"becomes {maturity}"
    return Aged(
        signals.maturity,
        signals.importance,
        importance,
        signals.recency,
        recency,
        days,
        signals.access_count,
        signals.update_count,
        str(signals.source),
        f"an access hit would make importance {signals.importance:g} → {raised:g}, {change}",
    )


def ceiling(signals: NoteSignals, days: float, local: bool, profile: Profile) -> Ceiling:
    """The note's attainable score now, and the days until it can no longer reach the direct and prompt thresholds.

    Horizons count what the gates see: scores rounded half up.
    """

    def at(day: float) -> float:
        return ceiling_at(day, signals.importance, signals.recency, signals.maturity, local, profile)

    horizons = []
    for name in ("direct.min_top", "direct.prefetch"):
        threshold = profile.direct.min_top if name == "direct.min_top" else profile.direct.prefetch
        left = days_until_below(seen_by_gates(threshold, profile.score.decimals), at, days)
        horizons.append(Horizon(threshold, name, left != 0.0, left))
    return Ceiling(at(days), tuple(horizons))


def text_hit(snapshot: Snapshot, profile: Profile, now_ms: float, position: int, text: TextScore) -> Hit:
    """The hit of one matching note, its score in parts, rounded as the gates see it."""
    note = snapshot.notes[position]
    signals = snapshot.signals[position]
    state = aged(signals, note.mtime_ms, profile, now_ms)
    score, parts = score_parts(
        text.relevance, state.importance, state.recency, state.maturity, note.is_local, profile.score, rounded=True
    )
    return Hit(
        path=note.shown,
        file=note.path,
        title=note.title,
        kind=note.kind,
        origin=Origin.TEXT,
        score=score,
        parts=parts,
        text=text,
        signals=state,
        ceiling=ceiling(signals, state.days, note.is_local, profile),
        shared_source=note.alias,
    )


def path_hit(snapshot: Snapshot, profile: Profile, now_ms: float, note: Note, score: float, name: str) -> Hit:
    """A note that a path answer lists: its score is given by the rule ``name``."""
    signals = snapshot.signals[snapshot.by_path[note.path]]
    state = aged(signals, note.mtime_ms, profile, now_ms)
    return Hit(
        path=note.shown,
        file=note.path,
        title=note.title,
        kind=note.kind,
        origin=Origin.PATH,
        score=score,
        parts=(Part(name, score),),
        text=None,
        signals=state,
        ceiling=ceiling(signals, state.days, note.is_local, profile),
        shared_source=note.alias,
    )
