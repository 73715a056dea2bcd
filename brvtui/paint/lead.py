"""What sets one result above another: the differences of the parts of their scores."""

from __future__ import annotations

from collections.abc import Sequence

from brvtui.paint.hits import added_by
from brvtui.paint.line import Line, line
from brvtui.paint.text import signed, wrap
from brvtui.trace import Hit, Origin

REST = "the rest"
"""The name of what is left of a lead, where it is more than the parts that are named."""
_MOST_NAMED = 5
_LEAST_LEAD = 1e-9


def differences(hit: Hit, other: Hit, decimals: int) -> list[tuple[str, float]]:
    """Returns by how much each part of ``hit`` is above that of ``other``, the largest first.

    What ``decimals`` do not show is left out, and so is rounding.
    """
    own, others = ({part.name: part.value for part in one.parts} for one in (hit, other))
    names = [name for name in dict.fromkeys([*own, *others]) if name != "rounding"]
    made = [(name, round(own.get(name, 0.0) - others.get(name, 0.0), decimals)) for name in names]
    return sorted((one for one in made if one[1]), key=lambda one: -abs(one[1]))


def shares_of_lead(hit: Hit, other: Hit, decimals: int, most: int) -> list[tuple[str, float]]:
    """What sets ``hit`` above ``other``: ``most`` parts or one more, the largest first, then what is left of the lead.

    With ``decimals`` they sum to the difference of the scores as it is shown.
    """
    parts = differences(hit, other, decimals)
    shown = parts if len(parts) <= most + 1 else parts[:most]  # the name of one takes no more room than REST
    lead = round(hit.score - other.score, decimals)
    left = round(lead - sum(value for _, value in shown), decimals)
    if left:
        shown.append((REST, left))
    return shown


def is_level(hit: Hit, other: Hit) -> bool:
    """Whether both have the same score."""
    return abs(hit.score - other.score) < _LEAST_LEAD


def lead_lines(hits: Sequence[Hit], hit: Hit, decimals: int, width: int) -> list[Line]:
    """Returns :func:`lead_text` in lines of at most ``width`` cells."""
    text = lead_text(hits, hit, decimals)
    return [line(f" {part}", "accent") for part in wrap(text, width - 1)] if text else []


def lead_text(hits: Sequence[Hit], hit: Hit, decimals: int) -> str:
    """Returns how far ``hit`` is ahead of the second of ``hits``, or behind the first, and which parts make it so.

    ``decimals`` are those of scores. Empty where there is no other result, or where something else than the score
    decided the order.
    """
    if hit.found_by:
        place = "what is added stands last, whatever its score"
        if all(one.found_by for one in hits):
            place = "nothing is left of what the whole query found"
        return f"{added_by(hit)}: {place}"
    rank = next((place for place, one in enumerate(hits, 1) if one.file == hit.file), 0)
    own = [one for one in hits if not one.found_by]
    if not rank or len(own) < 2:
        return ""
    first, other = (hit, own[1]) if rank == 1 else (own[0], hit)
    if other.score > first.score + _LEAST_LEAD:
        return ""
    beside = own[1] if rank == 1 else own[0]
    number = f"number {2 if rank == 1 else 1}"
    if is_level(hit, beside):
        return f"level with {number}{_tie(hit, beside)}"
    lead = f"{abs(hit.score - beside.score):.{decimals}f}"
    named = _apart(hit, beside, decimals)
    added = _added_above(hits, beside, decimals) if rank == 1 else ""
    return f"{lead} {'ahead of' if rank == 1 else 'behind'} {number}{': ' if named else ''}{named}{added}"


def _added_above(hits: Sequence[Hit], second: Hit, decimals: int) -> str:
    """How far the first is from the best that a further search added, where that has more than the ``second``."""
    best = max((one for one in hits if one.found_by), key=lambda one: one.score, default=None)
    if best is None or best.score <= second.score:
        return ""
    lead = f"{hits[0].score - best.score:.{decimals}f}"
    level = not float(lead)
    apart = "level with" if level else f"{lead.removeprefix('-')} {'behind' if lead.startswith('-') else 'ahead of'}"
    return f"; {apart} number {hits.index(best) + 1}, which the search for “{best.found_by}” added"


def _apart(hit: Hit, beside: Hit, decimals: int) -> str:
    """What sets ``hit`` apart: the parts of its score, or, of results ranked by one list alone, what ranked them there.

    Empty for a folder beside a note, whose scores have different parts.
    """
    if Origin.PROPAGATED in (hit.origin, beside.origin) and hit.origin != beside.origin:
        return ""
    if len(hit.parts) == len(beside.parts) == len(hit.places) == len(beside.places) == 1:
        own, other = hit.places[0], beside.places[0]
        return f"{own.leg} {own.value:.3f} against {other.value:.3f}" if own.leg == other.leg else ""
    shares = shares_of_lead(hit, beside, decimals, _MOST_NAMED)
    return ", ".join(f"{name} {signed(value, decimals)}" for name, value in shares)


def _tie(hit: Hit, beside: Hit) -> str:
    """What decided between two of the same score, where their text scores did."""
    if hit.text is None or beside.text is None or abs(hit.text.raw - beside.text.raw) < _LEAST_LEAD:
        return ""
    return f", whose words match {'less well' if hit.text.raw > beside.text.raw else 'better'}"
