"""The scoring of matches: signals after decay, compound score, order, and the parts of each score."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from brvtui.engines.ageing.rules import importance_and_levels, inputs_at, inputs_of
from brvtui.engines.byterover.profile import Context, Profile
from brvtui.engines.byterover.search.matching import TermTable, matching_notes
from brvtui.engines.byterover.sections import Lift
from brvtui.ranking.bm25 import saturate
from brvtui.ranking.ceiling import ScoreInputs, ceilings, days_left, decayed, falling_ages, scores
from brvtui.ranking.compound import compound, round_half_up, score_parts, unrounded_threshold, with_bonus
from brvtui.ranking.decay import age_days, days_since
from brvtui.ranking.maturity import LEVELS, Floats, after_access
from brvtui.snapshot import FolderSummary, Key, Note, Snapshot
from brvtui.trace import MOST_LISTED, AgedSignals, Ceiling, Hit, Horizon, Kind, Listed, Origin, Part, TextScore
from brvtui.tree.reading.files import CONTEXT_FILE, SUMMARY_FILE
from brvtui.tree.reading.signals import NoteSignals

_SELECT_FROM = 512
_CLOSE = 1e-12
"""The largest difference between two sums that a different order of addition can cause."""
_FALLING: Key[tuple[Profile, Floats]] = Key("ages at which ceilings fall below the gates")


@dataclass(frozen=True, slots=True)
class Ranking:
    """The best matches in order (``rows`` of ``table``, with unrounded ``scores``), and the number of all matches."""

    rows: NDArray[np.int64]
    scores: NDArray[np.float64]
    matched: int
    at_least: int
    """The number of matches with scores that reach the floor of the gap filter."""
    table: TermTable
    """The term table with the scores that determined the ranking of the matches."""

    @property
    def positions(self) -> NDArray[np.int64]:
        """The positions of the notes in :attr:`rows`."""
        return self.table.positions[self.rows]


def rank(
    context: Context, table: TermTable, matching: NDArray[np.bool_], keep: int, needs_all: bool, is_kept: bool = False
) -> Ranking:
    """The best ``keep`` of the ``matching`` rows of ``table``, sorted by score, then by raw text score, then in the
    order in which the engine finds them.

    ``needs_all`` is True if the notes had to match every term (AND). With ``is_kept``, matching notes are cached.
    """
    snapshot, profile = context.snapshot, context.constants
    rows = np.flatnonzero(matching)
    if not len(rows):
        return Ranking(rows, np.zeros(0), 0, 0, table)
    raw, score = _scored(context, table, rows)
    matched = len(rows)
    at_least = int((score >= profile.search.gap_ratio * score.max()).sum())
    if matched > _SELECT_FROM and keep < matched:
        edge = np.partition(score, matched - keep)[matched - keep]
        best = score >= edge - _CLOSE
        rows, score, raw = rows[best], score[best], raw[best]
    order = np.lexsort((rows, -raw, -score))
    one, next_ = order[:-1][:keep], order[1:][:keep]
    if ((np.abs(score[one] - score[next_]) <= _CLOSE) & (np.abs(raw[one] - raw[next_]) <= _CLOSE * raw[one])).any():
        # scores differ only through the order of addition, so the engine's own order is needed
        positions = table.positions[rows]
        table = matching_notes(snapshot, table.tokens, profile.text, is_kept, in_order=True)
        rows = np.searchsorted(table.positions, positions)
        raw, score = _scored(context, table, rows)
        engine_order = table.engine_order(snapshot, profile.text, needs_all)[rows]
        order = np.lexsort((rows, engine_order, -raw, -score))
    order = order[:keep]
    return Ranking(rows[order], score[order], matched, at_least, table)


def _scored(context: Context, table: TermTable, rows: NDArray[np.int64]) -> tuple[Floats, Floats]:
    """The raw text scores and the unrounded scores of the notes in ``rows`` of ``table``."""
    snapshot, profile = context.snapshot, context.constants
    raw, positions = table.raw[rows], table.positions[rows]
    days = age_days(context.now_ms, snapshot.columns.mtime_ms[positions])
    return raw, scores(saturate(raw), days, inputs_at(snapshot, positions, profile.score), profile).score


def listing(context: Context, ranking: Ranking) -> tuple[Listed, ...]:
    """The best results of ``ranking`` in short form, with scores rounded as for the gates."""
    snapshot, profile = context.snapshot, context.constants
    rows = []
    best = zip(ranking.positions[:MOST_LISTED].tolist(), ranking.scores[:MOST_LISTED].tolist(), strict=True)
    for position, score in best:
        note, maturity = snapshot.notes[position], snapshot.signals[position].maturity
        rounded = round_half_up(score, profile.score.decimals)
        rows.append(Listed(note.result_path, note.path, note.title, note.kind, maturity, rounded))
    return tuple(rows)


def standing(context: Context, path: str) -> tuple[AgedSignals, Ceiling] | None:
    """A note's signals before and after decay, and its best possible score; None if there is no such note."""
    snapshot, profile = context.snapshot, context.constants
    position = snapshot.by_path.get(path)
    if position is None:
        return None
    note, signals = snapshot.notes[position], snapshot.signals[position]
    inputs = inputs_of([signals], note.is_local, profile.score)
    since = days_since(context.now_ms, np.asarray([note.mtime_ms]))
    days = np.maximum(0.0, since)
    (own,) = aged([signals], days, *decayed(days, inputs, profile), profile)
    (ceiling,) = attainable(context, np.asarray([position]), inputs, since)
    return own, ceiling


def aged(
    signals: Sequence[NoteSignals], days: Floats, importance: Floats, recency: Floats, profile: Profile
) -> list[AgedSignals]:
    """The signals of notes ``days`` old, as stored and with ``importance`` and ``recency`` after decay."""
    raised, moved = after_access(*importance_and_levels(signals), profile.signals)
    columns = (column.tolist() for column in (importance, recency, days, raised, moved))
    return [_aged(one, *values) for one, *values in zip(signals, *columns, strict=True)]


def _aged(
    signals: NoteSignals, importance: float, recency: float, days: float, raised: float, level: int
) -> AgedSignals:
    maturity = LEVELS[level]
    change = f"stays {maturity}" if maturity == signals.maturity else f"becomes {maturity}"
    return AgedSignals(
        signals.maturity,
        signals.importance,
        importance,
        signals.recency,
        recency,
        days,
        signals.access_count,
        signals.update_count,
        str(signals.source),
        f"the next access raises importance from {signals.importance:g} to {raised:g}; the note {change}",
    )


def attainable(context: Context, places: NDArray[np.int64], notes: ScoreInputs, since: Floats) -> list[Ceiling]:
    """The best possible scores of the notes at ``places``, and the numbers of days until they fall below the thresholds
    for a direct answer and for the prompt.

    ``since`` contains the days since each note's modification, negative for a time in the future. The numbers of days
    are based on scores rounded half up, as in the gates.
    """
    profile = context.constants
    gates = (("direct.min_top", profile.direct.min_top), ("direct.prefetch", profile.direct.prefetch))
    seen = np.asarray([[unrounded_threshold(threshold, profile.score.decimals)] for _, threshold in gates])
    now = ceilings(np.maximum(0.0, since), notes, profile)
    left = days_left(now, seen, since, _falling(context, places, notes, seen))
    horizons = [
        [Horizon(threshold, name, days != 0.0, None if days == math.inf else days) for days in row]
        for (name, threshold), row in zip(gates, left.tolist(), strict=True)
    ]
    return list(map(Ceiling, now.tolist(), zip(*horizons, strict=True)))


def _falling(context: Context, places: NDArray[np.int64], notes: ScoreInputs, thresholds: Floats) -> Floats:
    """The ages when the best possible scores of the notes at ``places`` fall below each threshold, for
    :func:`days_left`.

    The ages are cached with the snapshot, because they do not depend on the clock, and queries often find the same
    notes.
    """
    snapshot, profile = context.snapshot, context.constants
    cached = snapshot.derived.known(_FALLING)
    if cached is None or cached[0] is not profile:
        cached = (profile, np.full((len(thresholds), len(snapshot.notes)), np.nan))
        snapshot.derived.put(_FALLING, cached)
    ages = cached[1][:, places]
    gate, new = np.nonzero(np.isnan(ages))
    if len(new):
        ages[gate, new] = cached[1][gate, places[new]] = falling_ages(thresholds[gate, 0], notes.at(new), profile)
    return ages


def brief_hits(context: Context, ranking: Ranking, count: int) -> list[Hit]:
    """The hits for the first ``count`` matches of ``ranking``, as in :func:`text_hits`, but without explanations."""
    notes, decimals = context.snapshot.notes, context.constants.score.decimals
    texts = ranking.table.text_scores(ranking.rows[:count])
    rounded = [round_half_up(score, decimals) for score in ranking.scores[:count].tolist()]
    best = zip(ranking.positions[:count].tolist(), rounded, texts, strict=True)
    return [_hit(notes[position], Origin.TEXT, score, (), text, None, None) for position, score, text in best]


def text_hits(context: Context, positions: Sequence[int], texts: Sequence[TextScore]) -> list[Hit]:
    """The hits for matching notes, with the parts of their scores, rounded as for the gates."""
    snapshot, profile = context.snapshot, context.constants
    places = np.asarray(positions, dtype=np.int64)
    since = days_since(context.now_ms, snapshot.columns.mtime_ms[places])
    days = np.maximum(0.0, since)
    inputs = inputs_at(snapshot, places, profile.score)
    compounds = scores(np.asarray([text.relevance for text in texts]), days, inputs, profile)
    signals = [snapshot.signals[position] for position in positions]
    states = aged(signals, days, compounds.importance, compounds.recency, profile)
    notes = [snapshot.notes[position] for position in positions]
    local = [note.is_local for note in notes]
    scored = score_parts(compounds, [state.maturity for state in states], local, profile.score, rounded=True)
    reach = attainable(context, places, inputs, since)
    return [
        _hit(note, Origin.TEXT, score, parts, text, state, ceiling)
        for note, (score, parts), text, state, ceiling in zip(notes, scored, texts, states, reach, strict=True)
    ]


def path_hits(context: Context, notes: Sequence[Note], score: float, name: str) -> list[Hit]:
    """The hits for a query that names a path. The rule ``name`` gives each of these notes the ``score``."""
    snapshot, profile = context.snapshot, context.constants
    places = np.asarray([snapshot.by_path[note.path] for note in notes], dtype=np.int64)
    since = days_since(context.now_ms, snapshot.columns.mtime_ms[places])
    days = np.maximum(0.0, since)
    inputs = inputs_at(snapshot, places, profile.score)
    signals = [snapshot.signals[position] for position in places.tolist()]
    states = aged(signals, days, *decayed(days, inputs, profile), profile)
    reach = attainable(context, places, inputs, since)
    parts = (Part(name, score),)
    return [
        _hit(note, Origin.PATH, score, parts, None, state, ceiling)
        for note, state, ceiling in zip(notes, states, reach, strict=True)
    ]


def _hit(
    note: Note,
    origin: Origin,
    score: float,
    parts: tuple[Part, ...],
    text: TextScore | None,
    state: AgedSignals | None,
    ceiling: Ceiling | None,
) -> Hit:
    return Hit(
        path=note.result_path,
        file=note.path,
        title=note.title,
        kind=note.kind,
        origin=origin,
        score=score,
        parts=parts,
        text=text,
        signals=state,
        ceiling=ceiling,
        shared_source=note.alias,
    )


# Parent propagation (``docs/reference/byterover.md``): a hit's relevance is passed up to the folders above it that have
# a summary.


def propagate(context: Context, hits: Sequence[Hit], floor: float) -> tuple[tuple[Lift, ...], tuple[Hit, ...]]:
    """Each folder above ``hits`` with the best value passed up, and hits for summaries that reach ``floor``."""
    snapshot, profile, now_ms = context.snapshot, context.constants, context.now_ms
    best: dict[str, tuple[float, float, int, Hit]] = {}
    for hit in hits:
        carried = _carried(hit, profile)
        if hit.origin is not Origin.TEXT or carried is None:
            continue
        for levels, folder in enumerate(_ancestors(hit), start=1):
            value = carried * profile.search.lift_factor**levels
            if folder not in best or value > best[folder][0]:
                best[folder] = (value, carried, levels, hit)
    lifts: list[Lift] = []
    summaries: list[Hit] = []
    factor = profile.search.lift_factor
    for folder, (value, carried, levels, child) in best.items():
        summary = snapshot.summaries.get(folder)
        if summary is None or not (profile.search.lift_contexts or summary.file.endswith(SUMMARY_FILE)):
            why = "no _index.md summary" + (" and no context.md" if profile.search.lift_contexts else "")
            lifts.append(Lift(folder, child.path, carried, levels, factor, value, value, "", False, why))
            continue
        lifted = _summary_hit(snapshot, profile, now_ms, summary, value, carried, levels)
        kept = lifted.score >= floor
        why = "reaches the floor" if kept else f"{lifted.score:.4f} is below the floor {floor:.4f}"
        lifts.append(Lift(folder, child.path, carried, levels, factor, value, lifted.score, summary.file, kept, why))
        if kept:
            summaries.append(lifted)
    return tuple(lifts), tuple(summaries)


def _carried(hit: Hit, profile: Profile) -> float | None:
    if profile.search.lift_source == "score":
        return hit.score
    return hit.text.relevance if hit.text else None


def _ancestors(hit: Hit) -> list[str]:
    folder, _, name = hit.file.rpartition("/")
    if name == CONTEXT_FILE:
        folder = folder.rpartition("/")[0]
    folders = []
    while folder:
        folders.append(folder)
        folder = folder.rpartition("/")[0]
    return folders


def _summary_hit(
    snapshot: Snapshot,
    profile: Profile,
    now_ms: float,
    summary: FolderSummary,
    value: float,
    carried: float,
    levels: int,
) -> Hit:
    signals = snapshot.summary_signals.get(summary.file) if profile.search.lift_signals else None
    bonus = profile.score.local_bonus if profile.search.lift_local_bonus else 0.0
    state: AgedSignals | None = None
    if signals:
        inputs = inputs_of([signals], bonus > 0, profile.score)
        days = age_days(now_ms, np.asarray([summary.mtime_ms]))
        state = aged([signals], days, inputs.importance, inputs.recency, profile)[0]  # summaries do not decay
        compounds = compound(
            np.asarray([value]), inputs.importance, inputs.recency, inputs.boost, inputs.bonus, profile.score
        )
        [(score, parts)] = score_parts(compounds, [state.maturity], [bonus > 0], profile.score, rounded=False)
    else:
        score = float(with_bonus(value, bonus, profile.score))
        parts = (
            Part("propagated", value, carried, profile.search.lift_factor**levels, f"{levels} up"),
            Part("local bonus", bonus),
            Part("cap", score - (value + bonus), value + bonus, profile.score.cap),
        )
    return Hit(
        path=summary.folder,
        file=summary.file,
        title=summary.folder,
        kind=Kind.SUMMARY,
        origin=Origin.PROPAGATED,
        score=score,
        parts=parts,
        text=None,
        signals=state,
        ceiling=None,
    )
