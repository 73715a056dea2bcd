"""Answers of a fleet as lines of text."""

from __future__ import annotations

from brvtui.fleet.one_ranking import OneRanking
from brvtui.trace import Hit


def ranking_lines(answer: OneRanking) -> list[str]:
    """One ranking: each result with its member and the parts that sum to its score, then what it was counted over."""
    made = []
    for rank, one in enumerate(answer.hits, start=1):
        made.append(f"{rank:>3}. {one.hit.score:.2f}  {one.member}  {one.hit.path}  {one.hit.title}")
        made.append(f"     {_sum(one.hit)}")
    if not answer.hits:
        made.append(f"no result: {answer.outcome.value.replace('_', ' ')}")
    for word, title, content, path in answer.frequencies:
        made.append(f"“{word}” is in {content} texts, {title} titles and {path} paths of {answer.notes} notes")
    inside = f" in {answer.scope}" if answer.scope else ""
    made.append(
        f"{answer.matched} notes match{inside}, {len(answer.hits)} shown: one ranking over {answer.notes} notes by "
        f"{answer.profile}. Words are counted over all of them, so scores of different members are comparable."
    )
    return made


def _sum(hit: Hit) -> str:
    parts = [f"{part.name} {part.value:+.4f}" for part in hit.parts]
    return f"{'  '.join(parts)}  = {hit.score:.4f}"
