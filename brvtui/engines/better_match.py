"""Finds a document whose text matches a query clearly better than the text of the first result."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from brvtui.trace import SUM_TOLERANCE, BetterMatch, Hit, Part

_CLEARLY = 2.0
"""The smallest ratio of raw text scores that is clearly better."""
_LATE = 4
"""The smallest rank in the text leg, from 0, at which the first result is clearly behind the best match."""


def better_match(hits: Sequence[Hit], ranked: Iterable[tuple[int, Hit]], leg: str = "") -> BetterMatch | None:
    """The best match among ``ranked``, documents with their ranks, if it is clearly better than the first of ``hits``.

    Without ``leg``, a raw text score of at least twice the first result's is clearly better. With ``leg``, the name of
    the leg for text, its leader is if ``first`` is fifth there, or lower.
    """
    if not hits:
        return None
    first = hits[0]
    if leg:
        own = _leg_rank(first, leg)
        if own is not None and own < _LATE:
            return None
        leaders = ((rank, hit) for rank, hit in ranked if _leg_rank(hit, leg) == 0)
        rank, hit = next(leaders, (0, first))
        return _better(first, hit, rank, None, None if own is None else own + 1) if rank else None
    if first.text is None:
        return None
    scored = [(hit.text.raw, -rank, hit) for rank, hit in ranked if hit.text is not None]
    raw, below, hit = max(scored, key=lambda one: one[:2], default=(0.0, 0, first))
    if raw <= 0 or raw < _CLEARLY * first.text.raw:
        return None
    return _better(first, hit, -below, raw / first.text.raw if first.text.raw > 0 else None, None)


def _leg_rank(hit: Hit, leg: str) -> int | None:
    return next((place.rank for place in hit.places if place.leg == leg), None)


def _better(first: Hit, hit: Hit, rank: int, times: float | None, leg_rank: int | None) -> BetterMatch:
    theirs = {part.name: part.value for part in hit.parts}
    ahead = {part.name: part.value - theirs.get(part.name, 0.0) for part in first.parts}
    names = sorted((name for name in ahead if round(ahead[name], 4) > 0), key=lambda name: -ahead[name])
    because = tuple(name for name in names if name not in ("cap", "rounding") and is_cause(first, hit, name))
    return BetterMatch(hit.file, hit.title, rank, times, leg_rank, because)


def is_cause(hit: Hit, other: Hit, name: str) -> bool:
    """False if the part ``name`` multiplies the other parts of both scores, and its factors do not explain its values.

    For example, the same maturity adds more to a higher score, so it is no reason why that score is higher.
    """
    own, others = (next((part for part in one.parts if part.name == name), None) for one in (hit, other))
    if own is None or others is None or not (_multiplies(own) and _multiplies(others)):
        return True
    factor, other_factor = own.factor or 0.0, others.factor or 0.0
    return factor > other_factor if own.value > others.value else factor < other_factor


def _multiplies(part: Part) -> bool:
    """True if ``part`` is the effect of a factor on the sum of the other parts."""
    if part.amount is None or part.factor is None:
        return False
    return abs(part.value - part.amount * (part.factor - 1)) < SUM_TOLERANCE
