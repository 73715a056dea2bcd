"""Which tier answers: the gates of the direct answer, the prefetch threshold (``docs/engine.md``, "The tiers")."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from brvtui.engines.byterover.profile import Profile
from brvtui.trace import Check, Hit
from brvtui.wording import counted

_RULE = "the-tiers"


@dataclass(frozen=True, slots=True)
class Gates:
    """The checks of the direct answer and of the prefetch, and the hits that reach the prefetch threshold."""

    prefetched: tuple[Hit, ...]
    prefetch: Check
    direct: tuple[Check, ...]
    passes: bool


def gates(hits: Sequence[Hit], profile: Profile) -> Gates:
    """The gates over ``hits`` in their order. They see the scores as the hits carry them."""
    limits = profile.direct
    reaching = [hit for hit in hits if hit.score >= limits.prefetch]
    kept = tuple(reaching[: limits.max_notes])
    best = max((hit.score for hit in hits), default=None)
    prefetch = _check(
        "best score",
        best,
        limits.prefetch,
        "direct.prefetch",
        bool(reaching),
        f"{counted(len(reaching), 'result reaches', 'results reach')} it",
    )
    first = kept[0].score if kept else (hits[0].score if hits else None)
    top_ok = bool(kept) and kept[0].score >= limits.min_top
    top = _check("top score", first, limits.min_top, "direct.min_top", top_ok)
    if not top_ok:
        return Gates(kept, prefetch, (top, _unreached("sure top", profile), _unreached("gap", profile)), False)
    if len(kept) == 1:
        only = Check(
            "notes to choose from", 1, "=", 1, True, 0.0, "direct.max_notes", _RULE, "no other reaches the prompt"
        )
        return Gates(kept, prefetch, (top, only), True)
    sure = kept[0].score >= limits.sure_top
    sure_check = _check("sure top", first, limits.sure_top, "direct.sure_top", sure, "no gap needed" if sure else "")
    if sure:
        return Gates(kept, prefetch, (top, sure_check), True)
    gap = kept[0].score - kept[1].score
    note = f"to {kept[1].title}" if kept[1].title else ""
    gap_check = _check("gap to runner-up", gap, limits.min_gap, "direct.min_gap", gap >= limits.min_gap, note)
    return Gates(kept, prefetch, (top, sure_check, gap_check), gap >= limits.min_gap)


def _check(
    name: str, value: float | None, threshold: float, constant: str, passed: bool | None, note: str = ""
) -> Check:
    margin = None if value is None else value - threshold
    return Check(name, value, "≥", threshold, passed, margin, constant, _RULE, note)


def _unreached(name: str, profile: Profile) -> Check:
    constant, label = ("direct.sure_top", name) if name == "sure top" else ("direct.min_gap", "gap to runner-up")
    threshold = profile.direct.sure_top if name == "sure top" else profile.direct.min_gap
    return Check(label, None, "≥", threshold, None, None, constant, _RULE, "not reached")
