"""Finds the entry of the engine's log that belongs to each recall, by query and time."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from statistics import median

from brvtui.lab.delivery.turns import Recall
from brvtui.tree.engine_files.query_log import LoggedQuery

WINDOW_MS = 300_000.0
"""The maximum difference between the two times, in ms. The clocks of host and engine may differ by minutes."""
_MOST_PAIRS = 250_000
"""The maximum number of pairs of a recall and an entry with equal texts.

Beyond it, the newest recalls are not matched.
"""
_FEWEST, _SHARE = 10, 0.9
"""The clocks can be compared if there are this many texts, and this share of them has nearly the same difference.
"""
_TOLERANCE_MS = 60_000.0
"""The maximum difference after the usual difference of the clocks is subtracted, in ms."""


def match_entries(
    recalls: Sequence[Recall], entries: Iterable[LoggedQuery]
) -> tuple[list[LoggedQuery | None], list[LoggedQuery]]:
    """Returns the entry of each recall, or None, and the entries that belong to no recall, oldest first.

    An entry belongs to at most one recall. Both must have the same text, ignoring white space at either end. If a text
    was asked several times, each recall takes the entry nearest in time, after the difference of the clocks.
    """
    by_text: dict[str, list[LoggedQuery]] = defaultdict(list)
    for entry in sorted(entries, key=lambda entry: entry.at_ms):
        by_text[entry.query.strip()].append(entry)
    places: dict[str, list[int]] = defaultdict(list)
    for place, recall in enumerate(recalls):
        places[recall.query.strip()].append(place)
    offset, limit_ms = _clock_difference(recalls, places, by_text)
    matched: list[LoggedQuery | None] = [None] * len(recalls)
    left: list[LoggedQuery] = []
    for text, logged in by_text.items():
        free = sorted(places.get(text, ()), key=lambda place: recalls[place].at_ms)
        waiting = list(logged)
        if free and len(free) == len(waiting) and _fit(recalls, free, waiting, offset, limit_ms):
            for place, entry in zip(free, waiting, strict=True):
                matched[place] = entry
            continue
        pairs = sorted(islice(_pairs(recalls, free, waiting, offset), _MOST_PAIRS))
        taken: set[int] = set()
        for _, place, number in pairs:
            if matched[place] is None and number not in taken:
                matched[place] = waiting[number]
                taken.add(number)
        left += (entry for number, entry in enumerate(waiting) if number not in taken)
    return matched, sorted(left, key=lambda entry: entry.at_ms)


def _pairs(
    recalls: Sequence[Recall], places: Sequence[int], entries: Sequence[LoggedQuery], offset: float
) -> Iterator[tuple[float, int, int]]:
    """Yields each pair that may match, as the difference in time, the recall's place, and the entry's number."""
    times = [entry.at_ms - offset for entry in entries]
    for place in places:
        at_ms = recalls[place].at_ms
        for number in range(bisect_left(times, at_ms - _TOLERANCE_MS), bisect_right(times, at_ms + _TOLERANCE_MS)):
            yield abs(times[number] - at_ms), place, number


def _clock_difference(
    recalls: Sequence[Recall], places: dict[str, list[int]], by_text: dict[str, list[LoggedQuery]]
) -> tuple[float, float]:
    """The usual difference between the engine's and the host's times, from texts that were asked only once, and the
    maximum deviation from it; both in ms.
    """
    differences = [
        logged[0].at_ms - recalls[places[text][0]].at_ms
        for text, logged in by_text.items()
        if len(logged) == 1 and len(places.get(text, ())) == 1
    ]
    near = [difference for difference in differences if abs(difference) <= WINDOW_MS]
    offset = median(near) if near else 0.0
    agreeing = sum(abs(difference - offset) <= _TOLERANCE_MS for difference in near)
    is_known = len(near) >= _FEWEST and agreeing >= _SHARE * len(near)
    return (offset, _TOLERANCE_MS) if is_known else (offset, WINDOW_MS)


def _fit(
    recalls: Sequence[Recall], places: Sequence[int], entries: Sequence[LoggedQuery], offset: float, limit_ms: float
) -> bool:
    """True if recalls and entries in order of time differ by at most ``limit_ms`` each."""
    offset = 0.0 if limit_ms == WINDOW_MS else offset
    pairs = zip(places, entries, strict=True)
    return all(abs(entry.at_ms - recalls[place].at_ms - offset) <= limit_ms for place, entry in pairs)
