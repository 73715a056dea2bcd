"""Matches of a pattern lit in a line that is already made, across its spans."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from brvtui.paint.line import Span


def lit(spans: Sequence[Span], pattern: re.Pattern[str], role: str) -> list[Span]:
    """``spans`` with what ``pattern`` matches in role ``role``; the others as they were."""
    text = "".join(part for part, _ in spans)
    ranges = [match.span() for match in pattern.finditer(text) if match.end() > match.start()]
    return painted(spans, ((start, end, role) for start, end in ranges)) if ranges else list(spans)


def painted(spans: Sequence[Span], ranges: Iterable[tuple[int, int, str]]) -> list[Span]:
    """``spans`` with the characters of each (start, end, role) in that role; ranges ascend and do not overlap."""
    made: list[Span] = []
    pending = iter(ranges)
    current = next(pending, None)
    place = 0
    for text, own in spans:
        done = 0
        while current is not None and current[0] < place + len(text):
            start, end, role = max(current[0] - place, 0), min(current[1] - place, len(text)), current[2]
            if start > done:
                made.append((text[done:start], own))
            made.append((text[start:end], role))
            done = end
            if current[1] > place + len(text):
                break
            current = next(pending, None)
        if done < len(text):
            made.append((text[done:], own))
        place += len(text)
    return made
