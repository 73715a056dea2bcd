"""Finds a document whose text matches a query clearly better than the text of the first result."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from brvtui.trace import SUM_TOLERANCE, BetterMatch, Hit, Part

_CLEARLY = 2.0
"""A raw text score is clearly better if it is at least this many times the other."""
_FEWEST, _SHARE = 0.00005, 0.1
"""The smallest lead in a part that is a cause: as a number, and as a share of the largest lead."""
_LATE = 4
"""The first result is clearly behind if its rank in the text leg, counted from 0, is at least this."""


def better_match(hits: Sequence[Hit], ranked: Iterable[tuple[int, Hit]], leg: str = "") -> BetterMatch | None:
    """The best text match in ``ranked`` (pairs of rank and document) if it is clearly better than the first of
    ``hits``; otherwise None.

    Without ``leg``, a match is clearly better if its raw text score is at least twice the first hit's. ``leg`` is
    the name of a text leg: the first document in that leg is clearly better if the first hit is fifth there, or lower,
    or missing.
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
    causes = [name for name in ahead if name not in ("cap", "rounding") and is_cause(first, hit, name)]
    least = max(_FEWEST, _SHARE * max((ahead[name] for name in causes), default=0.0))
    because = tuple(sorted((name for name in causes if ahead[name] >= least), key=lambda name: -ahead[name]))
    return BetterMatch(hit.file, hit.title, rank, times, leg_rank, because)


def is_cause(hit: Hit, other: Hit, name: str) -> bool:
    """True if the part ``name`` of the scores is a cause of their difference. It is not if it results from a factor on
    the other parts, and the factors do not explain the difference.

    For example, the same maturity adds more to a higher score, so it does not explain why that score is higher.
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
