"""Parent propagation: a hit's relevance carried up to folders that have a summary.

``docs/engine.md``, "Parent propagation".
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from brvtui.engines.byterover.profile import Context, Profile
from brvtui.engines.byterover.search.scoring import aged, inputs_of
from brvtui.engines.byterover.sections import Lift
from brvtui.ranking.ceiling import age_days
from brvtui.ranking.compound import compound, score_parts, with_bonus
from brvtui.snapshot import FolderSummary, Snapshot
from brvtui.trace import AgedSignals, Hit, Kind, Origin, Part
from brvtui.tree.reading.files import CONTEXT_FILE, SUMMARY_FILE


def propagate(context: Context, hits: Sequence[Hit], floor: float) -> tuple[tuple[Lift, ...], tuple[Hit, ...]]:
    """Every ancestor folder of ``hits`` with the best value carried to it, and the summaries that reach ``floor``."""
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
        made = _summary_hit(snapshot, profile, now_ms, summary, value, carried, levels)
        kept = made.score >= floor
        why = "reaches the floor" if kept else f"{made.score:.4f} is below the floor {floor:.4f}"
        lifts.append(Lift(folder, child.path, carried, levels, factor, value, made.score, summary.file, kept, why))
        if kept:
            summaries.append(made)
    return tuple(lifts), tuple(summaries)


def _carried(hit: Hit, profile: Profile) -> float | None:
    if profile.search.lift_source == "score":
        return hit.score
    return hit.text.relevance if hit.text else None


def _ancestors(hit: Hit) -> list[str]:
    folder, _, name = hit.file.rpartition("/")
    if name == CONTEXT_FILE:
        folder = folder.rpartition("/")[0]
    found = []
    while folder:
        found.append(folder)
        folder = folder.rpartition("/")[0]
    return found


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
        state = aged([signals], days, inputs.importance, inputs.recency, profile)[0]  # they do not decay
        made = compound(
            np.asarray([value]), inputs.importance, inputs.recency, inputs.boost, inputs.bonus, profile.score
        )
        [(score, parts)] = score_parts(made, [state.maturity], [bonus > 0], profile.score, rounded=False)
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
