"""The notes that matched but are not among the results, nearest first."""

from __future__ import annotations

from collections.abc import Sequence

from brvtui.engines.byterover.profile import Profile
from brvtui.engines.byterover.search.scope import SearchRequest
from brvtui.engines.byterover.search.scoring import Ranking
from brvtui.engines.byterover.sections import UNMATCHED
from brvtui.trace import Hit, NearMiss, Origin
from brvtui.trace.routing import SearchOutcome

NEAR_MISSES = 20
PAST_LIMIT = "past the limit"
BELOW_FLOOR = "below the out-of-domain floor"
PUSHED_OUT = "pushed out by folder summaries"


def trimmed_misses(merged: Sequence[Hit], limit: int) -> tuple[NearMiss, ...]:
    """Near misses for the text hits that folder summaries pushed past the limit."""
    trimmed = [hit for hit in merged[limit:] if hit.origin is Origin.TEXT]
    return tuple(
        NearMiss(
            path=hit.path,
            file=hit.file,
            title=hit.title,
            kind=hit.kind,
            maturity=hit.maturity,
            rank=limit + number,
            score=hit.score,
            reason=PUSHED_OUT,
            short=number,
        )
        for number, hit in enumerate(trimmed, start=1)
    )


def near_misses(
    request: SearchRequest, ranking: Ranking, taken: int, outcome: SearchOutcome, floor: float = 0.0, after: int = 0
) -> tuple[NearMiss, ...]:
    """Near misses for the best matches after the first ``taken``, each with its distance from ``floor`` or from the
    last rank.

    Ranks are increased by ``after``, the number of misses that were dropped at a later stage.
    """
    constants, limit = request.context.constants, request.options.most
    misses = []
    positions = ranking.positions[taken : taken + NEAR_MISSES].tolist()
    for rank_, position in enumerate(positions, start=taken + 1):
        note = request.context.snapshot.notes[position]
        score = float(ranking.scores[rank_ - 1])
        reason, short = why_missed(constants, limit, rank_, score, outcome, floor)
        maturity = request.context.snapshot.signals[position].maturity
        misses.append(
            NearMiss(note.result_path, note.path, note.title, note.kind, maturity, rank_ + after, score, reason, short)
        )
    return tuple(misses)


def below_gap(constants: Profile) -> str:
    """The reason given for dropping a score that is too far below the best score."""
    return f"below {100 * constants.search.gap_ratio:g} % of the first score"


def why_missed(
    constants: Profile, limit: int, rank: int, score: float, outcome: SearchOutcome, floor: float
) -> tuple[str, float]:
    """The reason why a match is not among the ``limit`` results, and how far it fell short."""
    limits = constants.out_of_domain
    if outcome is SearchOutcome.BELOW_FLOOR:
        return BELOW_FLOOR, limits.floor - score
    if outcome is SearchOutcome.UNMATCHED_WORDS:
        return UNMATCHED, limits.escape - score
    if score < floor:
        return below_gap(constants), floor - score
    return PAST_LIMIT, float(rank - limit)
