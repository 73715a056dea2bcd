"""What a score lost to age, weak matches, or maturity, from its own parts (``docs/engine.md``, "The score")."""

from __future__ import annotations

from dataclasses import dataclass

from brvtui.trace import Hit, Part
from brvtui.wording import counted

_DECIMALS = 2
_LEAST = 0.005
"""Less is not named: it would be written as 0.00."""


@dataclass(frozen=True, slots=True)
class Cost:
    """How much higher the score would be without one thing."""

    what: str
    """As the beginning of ``… cost 0.12``."""
    amount: float


def largest_cost(hit: Hit, threshold: float) -> str:
    """What kept ``hit`` below ``threshold``: ``45 days of age cost 0.12``; empty if nothing that it lost is known.

    Of what would have been enough by itself the largest is named; the largest of all if nothing would.
    """
    found = [cost for cost in costs(hit) if cost.amount >= _LEAST]
    enough = [cost for cost in found if hit.score + cost.amount >= threshold - 1e-9]
    worst = max(enough or found, key=lambda cost: cost.amount, default=None)
    return f"{worst.what} cost {worst.amount:.2f}" if worst is not None else ""


def costs(hit: Hit) -> list[Cost]:
    """What the score of a text match lost, each by itself, as the score would be rounded."""
    parts = {part.name: part for part in hit.parts}
    if hit.signals is None or hit.text is None or not {"importance", "recency", "maturity"} <= parts.keys():
        return []
    made = [Cost(f"{_days(hit.signals.days)} of age", _without(hit, _decay(hit, parts), parts))]
    if hit.ceiling is not None:
        made.append(Cost("weak word matches", _rounded(hit.ceiling.score) - hit.score))
    maturity = parts["maturity"]
    if maturity.value < 0 and maturity.amount is not None:
        undecreased = _capped(maturity.amount + parts["local bonus"].value, parts)
        made.append(Cost(f"being a {maturity.note}", _rounded(undecreased) - hit.score))
    return made


def _decay(hit: Hit, parts: dict[str, Part]) -> float:
    """What decay took from the weighted importance and recency."""
    signals = hit.signals
    assert signals is not None
    importance, recency = parts["importance"], parts["recency"]
    fresh = importance.value
    if signals.importance > 0 and importance.factor is not None:
        fresh = min(importance.factor, importance.value * signals.importance_stored / signals.importance)
    lost = (fresh - importance.value) if signals.days > 0 else 0.0
    if signals.days > 0 and recency.factor is not None:
        lost += recency.factor - recency.value
    return lost


def _without(hit: Hit, lost: float, parts: dict[str, Part]) -> float:
    """How much higher the score were with ``lost`` added before maturity, bonus and cap."""
    maturity = parts["maturity"]
    factor = maturity.factor if maturity.factor is not None else 1.0
    base = (maturity.amount or 0.0) + lost
    bonus = parts["local bonus"].value if "local bonus" in parts else 0.0
    return _rounded(_capped(base * factor + bonus, parts)) - hit.score


def _capped(value: float, parts: dict[str, Part]) -> float:
    cap = parts["cap"].factor if "cap" in parts else None
    return value if cap is None else min(cap, value)


def _rounded(value: float) -> float:
    from brvtui.ranking.compound import round_half_up  # with numpy: the first paint must not wait for it

    return round_half_up(value, _DECIMALS)


def _days(days: float) -> str:
    return counted(round(days), "day", "days") if days >= 1 else "less than a day"
