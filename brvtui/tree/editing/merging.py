"""Differences between two texts, and three-way merges (diff3 over lines)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import Match, SequenceMatcher
from enum import StrEnum
from itertools import accumulate

_CONTEXT = 3
_MOST_STEPS = 10_000_000
"""The maximum number of steps for comparing lines, which take about one second."""
_MOST_PAIRS = 400_000_000
"""The maximum number of line pairs to compare; a table of this size needs 50 MB."""
_MOST_EXACT = 2_000
"""The number of differing lines above which a faster diff is used, which may report more differences than necessary."""
MINE, _MIDDLE, THEIRS = "<<<<<<< mine", "=======", ">>>>>>> theirs"


class Side(StrEnum):
    """The side of a comparison that contains a line."""

    BOTH = "both"
    MINE = "mine"
    THEIRS = "theirs"


@dataclass(frozen=True, slots=True)
class DiffLine:
    """A line without its line end. ``mine`` and ``theirs`` are its numbers, from 1, in the texts that contain it."""

    side: Side
    text: str
    mine: int | None
    theirs: int | None


@dataclass(frozen=True, slots=True)
class Hunk:
    """A group of differing lines, with some equal lines around them."""

    lines: tuple[DiffLine, ...]


@dataclass(frozen=True, slots=True)
class Merged:
    """The changes of both sides, merged into one text. Each conflict shows both versions between markers."""

    text: str
    conflicts: int


def difference(mine: str, theirs: str, context: int = _CONTEXT) -> tuple[Hunk, ...]:
    r"""Returns the differences between two texts, with ``context`` equal lines around each; empty if the texts are
    equal.

    Where lines differ, the lines of ``theirs`` come before those of ``mine``. Lines end with ``\n``. A last line
    without ``\n`` differs from the same line with ``\n``.
    """
    own, other = _lines(mine), _lines(theirs)
    groups = _Matcher(own, other).get_grouped_opcodes(context)
    bare, other_bare = ([line.removesuffix("\n") for line in lines] for lines in (own, other))
    return tuple(Hunk(tuple(_diff_lines(group, bare, other_bare))) for group in groups)


def merged(base: str, mine: str, theirs: str) -> Merged:
    """Merges the changes that both texts made to ``base``.

    Markers enclose each conflict: lines that both texts changed differently, or changes on adjacent lines.
    """
    lines: list[str] = []
    conflicts = 0
    for was, own, other in _regions(_lines(base), _lines(mine), _lines(theirs)):
        if own == other or other == was:
            lines += own
        elif own == was:
            lines += other
        else:
            lines += _marked(own, other)
            conflicts += 1
    return Merged("".join(lines), conflicts)


Opcode = tuple[str, int, int, int, int]


def _diff_lines(group: Sequence[Opcode], mine: list[str], theirs: list[str]) -> Iterator[DiffLine]:
    for tag, start, end, other_start, other_end in group:
        if tag == "equal":
            for offset in range(end - start):
                yield DiffLine(Side.BOTH, mine[start + offset], start + offset + 1, other_start + offset + 1)
            continue
        for place in range(other_start, other_end):
            yield DiffLine(Side.THEIRS, theirs[place], None, place + 1)
        for place in range(start, end):
            yield DiffLine(Side.MINE, mine[place], place + 1, None)


def _lines(text: str) -> list[str]:
    """The lines of ``text`` with their line ends; only the last line may have none."""
    lines = [f"{line}\n" for line in text.split("\n")]
    last = lines.pop().removesuffix("\n")
    return [*lines, last] if last else lines


class _Matcher(SequenceMatcher[str]):
    """A matcher that searches only between the first and the last difference of two texts."""

    def __init__(self, one: list[str], other: list[str]) -> None:
        super().__init__(None, one, other, autojunk=False)
        self._one, self._other = one, other

    def get_matching_blocks(self) -> list[Match]:
        one, other = self._one, self._other
        shorter = min(len(one), len(other))
        top = next((row for row in range(shorter) if one[row] != other[row]), shorter)
        below = next((row for row in range(shorter - top) if one[-1 - row] != other[-1 - row]), shorter - top)
        inner, other_inner = one[top : len(one) - below], other[top : len(other) - below]
        # In a long text, comparing frequent lines, such as empty ones, would take time quadratic in their number.
        is_long = max(len(inner), len(other_inner)) > _MOST_EXACT
        found = _matches(inner, other_inner, autojunk=is_long)
        blocks = [Match(0, 0, top), *(Match(top + block.a, top + block.b, block.size) for block in found)]
        blocks.append(Match(len(one) - below, len(other) - below, below))
        return [*(block for block in blocks if block.size), Match(len(one), len(other), 0)]


class _TooManySteps(Exception):
    """Raised if a comparison would take too long."""


class _BoundedMatcher(SequenceMatcher[str]):
    """A matcher that raises :class:`_TooManySteps` if frequent lines would make it take cubic time."""

    b2j: dict[str, list[int]]
    """The positions of each line in the other text."""

    def __init__(self, one: list[str], other: list[str], autojunk: bool) -> None:
        super().__init__(None, one, other, autojunk)
        self._steps_before = [0, *accumulate(len(self.b2j.get(line, ())) for line in one)]
        self._steps = 0

    def find_longest_match(self, alo: int = 0, ahi: int | None = None, blo: int = 0, bhi: int | None = None) -> Match:
        self._steps += self._steps_before[-1 if ahi is None else ahi] - self._steps_before[alo]
        if self._steps > _MOST_STEPS:
            raise _TooManySteps
        return super().find_longest_match(alo, ahi, blo, bhi)


def _matches(one: list[str], other: list[str], autojunk: bool) -> Sequence[Match]:
    """Returns runs of lines that are equal in both texts, preferably long runs.

    If the search for long runs takes too long, returns a longest common subsequence; for very large texts, nothing.
    """
    try:
        return _BoundedMatcher(one, other, autojunk).get_matching_blocks()[:-1]
    except _TooManySteps:
        if len(one) * len(other) > _MOST_PAIRS:
            return ()
    from rapidfuzz.distance import LCSseq

    numbers = {line: number for number, line in enumerate(dict.fromkeys((*one, *other)))}
    blocks = LCSseq.opcodes([numbers[line] for line in one], [numbers[line] for line in other]).as_matching_blocks()
    return [Match(block.a, block.b, block.size) for block in blocks]


def _regions(base: list[str], mine: list[str], theirs: list[str]) -> Iterator[tuple[list[str], list[str], list[str]]]:
    """Splits the three texts at lines that they all share. Yields differing and shared regions in turn."""
    at = own = other = 0
    for start, own_start, other_start, length in _shared(base, mine, theirs):
        yield base[at:start], mine[own:own_start], theirs[other:other_start]
        same = base[start : start + length]
        yield same, same, same
        at, own, other = start + length, own_start + length, other_start + length
    yield base[at:], mine[own:], theirs[other:]


def _shared(base: list[str], mine: list[str], theirs: list[str]) -> Iterator[tuple[int, int, int, int]]:
    """Yields runs of lines that all three texts share: the start in each text, and the length."""
    own_blocks = _Matcher(base, mine).get_matching_blocks()
    other_blocks = _Matcher(base, theirs).get_matching_blocks()
    first = second = 0
    while first < len(own_blocks) and second < len(other_blocks):
        own, other = own_blocks[first], other_blocks[second]
        start, end = max(own.a, other.a), min(own.a + own.size, other.a + other.size)
        if start < end:
            yield start, own.b + start - own.a, other.b + start - other.a, end - start
        if own.a + own.size < other.a + other.size:
            first += 1
        else:
            second += 1


def _marked(mine: list[str], theirs: list[str]) -> list[str]:
    """Returns both versions between conflict markers, with each marker on its own line."""
    return [f"{MINE}\n", *_closed(mine), f"{_MIDDLE}\n", *_closed(theirs), f"{THEIRS}\n"]


def _closed(lines: list[str]) -> list[str]:
    return [line if line.endswith("\n") else f"{line}\n" for line in lines]
