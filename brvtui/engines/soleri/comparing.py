"""Short comparisons of two scores, and the largest parts of a score."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from brvtui.engines.soleri.sections import SIGNALS, RankedEntry
from brvtui.paint.hits import REST, shares_of_lead

LEAST_LEAD = 0.0005
"""The smallest lead that is visible with three decimals."""
OTHERS = "others"
_MOST_NAMED = 4
_MOST_TERMS = 3
_MOST_APART = 2
_DECIMALS = 3
_VISIBLE = 0.0005


@dataclass(frozen=True, slots=True)
class NamedAmount:
    """An amount in thousandths and the signal that it comes from. For the signal *words*, ``terms`` are the
    contributing words.
    """

    name: str
    thousandths: int
    terms: tuple[str, ...] = ()

    def text(self, signed: bool) -> str:
        """The amount as in the list of results, such as ``.014``, with a plus sign if ``signed``."""
        sign = "−" if self.thousandths < 0 else "+" if signed else ""
        return sign + short(abs(self.thousandths) / 1000)


def differences(first: RankedEntry, second: RankedEntry) -> tuple[NamedAmount, ...]:
    """The largest differences between the parts of two scores, advantages first, and the sum of the others.

    They are rounded as in the list of results, and add up to the difference of the scores, rounded to thousandths.
    """
    shares = shares_of_lead(first.hit, second.hit, _DECIMALS, _MOST_NAMED - 1)
    amounts = [NamedAmount(OTHERS if name == REST else name, round(value * 1000)) for name, value in shares]
    return tuple(sorted(amounts, key=lambda one: (one.name == OTHERS, -one.thousandths)))


def composition(placed: RankedEntry) -> tuple[NamedAmount, ...]:
    """The largest parts of a score, and the sum of the others. They add up to the score, rounded to thousandths."""
    amounts = [(part.name, part.value) for part in placed.hit.parts]
    return _named(amounts, tuple(term.term for term in placed.shared[:_MOST_TERMS]))


def separating_terms(first: RankedEntry, second: RankedEntry) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The terms that do the most for the first entry's lead over the second, and the terms that most reduce it."""
    gains: dict[str, float] = {}
    for sign, placed in ((1, first), (-1, second)):
        for term in placed.shared:
            gains[term.term] = gains.get(term.term, 0.0) + sign * term.adds
    for_it = sorted((term for term in gains if gains[term] > 0), key=lambda term: -gains[term])
    against = sorted((term for term in gains if gains[term] < 0), key=lambda term: gains[term])
    return tuple(for_it[:_MOST_APART]), tuple(against[:_MOST_APART])


def shared_links(first: RankedEntry, second: RankedEntry) -> bool:
    """True if links add the same amount to both scores, and therefore make no difference."""
    one, other = (sum(part.value for part in each.hit.parts[-1:]) for each in (first, second))
    return one > 0 and abs(one - other) < _VISIBLE


def first_without_links(ranking: Sequence[RankedEntry]) -> tuple[int, RankedEntry] | None:
    """The rank of the entry that would be first without links, and the entry; None if it is first now."""
    first = next(((rank, one) for rank, one in enumerate(ranking, 1) if one.first_rank == 1), None)
    return first if first is not None and first[0] > 1 else None


def short(value: float) -> str:
    """``value``, which is below 1, in the form used in the list of results, such as ``.366``."""
    return f"{value:.{_DECIMALS}f}".removeprefix("0")


def _named(amounts: Sequence[tuple[str, float]], terms: tuple[str, ...] = ()) -> tuple[NamedAmount, ...]:
    """The largest of ``amounts``, highest first, and the sum of the others as :data:`OTHERS`."""
    seen = sorted((one for one in amounts if abs(one[1]) >= _VISIBLE), key=lambda one: -abs(one[1]))
    shown = seen if len(seen) <= _MOST_NAMED else seen[: _MOST_NAMED - 1]
    exact = [value for _, value in shown]
    total = sum(value for _, value in amounts)
    rest = total - sum(exact)
    whole = _in_thousandths([*exact, rest], total)
    result = [
        NamedAmount(name, count, terms if name == SIGNALS[0] else ())
        for (name, _), count in zip(shown, whole, strict=False)
        if count
    ]
    result.sort(key=lambda one: -one.thousandths)  # highest first
    return (*result, *([NamedAmount(OTHERS, whole[-1])] if whole[-1] else []))


def _in_thousandths(values: Sequence[float], total: float) -> list[int]:
    """``values`` as thousandths that add up to the rounded ``total``; the largest fractions are rounded up."""
    scaled = [value * 1000 for value in values]
    rounded = [math.floor(value) for value in scaled]
    missing = round(total * 1000) - sum(rounded)
    by_fraction = sorted(range(len(rounded)), key=lambda place: rounded[place] - scaled[place])
    for place in by_fraction[:missing]:
        rounded[place] += 1
    return rounded
