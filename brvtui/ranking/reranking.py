"""The arithmetic around a reranker: what it is sent, and what becomes of the list (``docs/jeffs_brain.md``,
"Reranking")."""

from __future__ import annotations

from collections.abc import Sequence


def rerank_text(title: str, summary: str, content: str, most: int) -> str:
    """What a reranker reads of a note: title and summary, the one there is, or the first ``most`` characters."""
    lines = [part for part in (title.strip(), summary.strip()) if part]
    return "\n".join(lines) if lines else " ".join(content.split())[:most].rstrip()


def head_and_tail(count: int, most: int) -> tuple[range, range]:
    """The positions that a reranker sees, and the others."""
    cut = min(max(0, most), count)
    return range(cut), range(cut, count)


def reranked(count: int, most: int, answer: Sequence[int]) -> list[int]:
    """All ``count`` positions: those of the head as ``answer`` orders them, the head's others, the tail as it was.

    What ``answer`` names twice counts once; what is no position of the head is ignored.
    """
    head, tail = head_and_tail(count, most)
    named = [position for position in dict.fromkeys(answer) if position in head]
    seen = set(named)
    return [*named, *(position for position in head if position not in seen), *tail]
