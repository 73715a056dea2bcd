"""Reranking: its conditions, the documents that are sent, and the new order (``docs/reference/jeffs-brain.md``,
"Reranking").
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from brvtui.engines.jeffs_brain.profile import Defaults, HybridProfile
from brvtui.engines.jeffs_brain.sections import SkipReason, StageError
from brvtui.ranking.fusion import Candidate, unanimity
from brvtui.services.legs import LegError, RerankDocument, Reranker


@dataclass(frozen=True, slots=True)
class RerankOutcome:
    """The final order and the scores, both as previous positions, and the reason if the reranker did not run."""

    order: Sequence[int]
    scores: dict[int, float] = field(default_factory=dict)
    ran: bool = False
    skipped: SkipReason | None = None
    agreements: int | None = None
    errors: tuple[StageError, ...] = ()


def rerank(
    query: str,
    candidates: Sequence[Candidate],
    reranker: Reranker | None,
    legs: tuple[Sequence[Candidate], Sequence[Candidate]],
    options: Defaults,
    is_preview: bool,
    profile: HybridProfile,
) -> RerankOutcome:
    """The outcome of reranking ``candidates``, which are in their order after reweighting. ``legs`` are the two lists
    before fusion.

    A preview does not call the reranker. If the reranker fails, the order does not change and the outcome contains the
    error.
    """
    as_is = range(len(candidates))
    if not candidates:
        return RerankOutcome(as_is, skipped=SkipReason.EMPTY_CANDIDATES)
    if not options.rerank:
        return RerankOutcome(as_is, skipped=SkipReason.MODE_OFF)
    if reranker is None:
        return RerankOutcome(as_is, skipped=SkipReason.NO_RERANKER)
    rules = profile.unanimity
    first, second = ([candidate.id for candidate in leg] for leg in legs)
    agreed = unanimity(first, second, rules.window, rules.agree_min)
    if agreed:
        return RerankOutcome(as_is, skipped=SkipReason.UNANIMITY, agreements=agreed.agreements)
    if is_preview:
        return RerankOutcome(as_is, skipped=SkipReason.PREVIEW)
    head, _ = head_and_tail(len(candidates), options.rerank_top_n)
    documents = [_document(candidates[position], profile.rerank.snippet_chars) for position in head]
    try:
        answer = reranker.rerank(query, documents)
    except LegError as failure:
        return RerankOutcome(as_is, errors=(StageError("rerank", str(failure)),))
    scores: dict[int, float] = {}
    for judged in answer:
        if judged.index in head:
            scores.setdefault(judged.index, judged.score)
    return RerankOutcome(reranked(len(candidates), options.rerank_top_n, list(scores)), scores, ran=True)


def _document(candidate: Candidate, limit: int) -> RerankDocument:
    return RerankDocument(candidate.id, rerank_text(candidate.title, candidate.summary, candidate.content, limit))


def rerank_text(title: str, summary: str, content: str, limit: int) -> str:
    """The text of a note for a reranker: its title and summary, or only one of them if the other is missing. If both
    are missing, the text is the first ``limit`` characters of the content.
    """
    lines = [part for part in (title.strip(), summary.strip()) if part]
    return "\n".join(lines) if lines else " ".join(content.split())[:limit].rstrip()


def head_and_tail(count: int, limit: int) -> tuple[range, range]:
    """The positions of candidates that are sent to a reranker, and the remaining positions."""
    cut = min(max(0, limit), count)
    return range(cut), range(cut, count)


def reranked(count: int, limit: int, answer: Sequence[int]) -> list[int]:
    """All ``count`` positions in their new order: first those in ``answer``, then the rest of the head, then the tail.

    Repetitions and positions outside the head are ignored.
    """
    head, tail = head_and_tail(count, limit)
    named = [position for position in dict.fromkeys(answer) if position in head]
    seen = set(named)
    return [*named, *(position for position in head if position not in seen), *tail]
