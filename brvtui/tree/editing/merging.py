"""Two texts that were made from one: what differs between them, and both changes in one text (a diff3 over lines)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import Match, SequenceMatcher
from enum import StrEnum

_CONTEXT = 3
_MOST_EXACT = 2_000
"""Lines that differ; of more than these, a difference may be longer than the shortest one."""
_MINE, _MIDDLE, _THEIRS = "<<<<<<< mine", "=======", ">>>>>>> theirs"


class Side(StrEnum):
    """Where a line of a difference stands."""

    BOTH = "both"
    MINE = "mine"
    THEIRS = "theirs"


@dataclass(frozen=True, slots=True)
class DiffLine:
    """A line without its end; its numbers, from 1, in the texts that have it."""

    side: Side
    text: str
    mine: int | None
    theirs: int | None


@dataclass(frozen=True, slots=True)
class Hunk:
    """Lines that differ, with some lines around them that do not."""

    lines: tuple[DiffLine, ...]


@dataclass(frozen=True, slots=True)
class Merged:
    """A text with both changes, and how many places need a decision: there it holds both versions between markers."""

    text: str
    conflicts: int


def difference(mine: str, theirs: str, context: int = _CONTEXT) -> tuple[Hunk, ...]:
    """What differs between two texts, with ``context`` lines around each place; nothing when they are equal.

    Lines break at ``\\n``. A text that ends without one has a last line that differs from the same line with one.
    """
    own, other = _lines(mine), _lines(theirs)
    groups = _Matcher(own, other).get_grouped_opcodes(context)
    return tuple(Hunk(tuple(_diff_lines(group, own, other))) for group in groups)


def merged(base: str, mine: str, theirs: str) -> Merged:
    """``base`` with the changes of both texts. Where both changed the same lines, differently, markers say who."""
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
                yield DiffLine(Side.BOTH, _shown(mine[start + offset]), start + offset + 1, other_start + offset + 1)
            continue
        for place in range(start, end):
            yield DiffLine(Side.MINE, _shown(mine[place]), place + 1, None)
        for place in range(other_start, other_end):
            yield DiffLine(Side.THEIRS, _shown(theirs[place]), None, place + 1)


def _shown(line: str) -> str:
    return line.removesuffix("\n")


def _lines(text: str) -> list[str]:
    """The lines of ``text`` with their ends; only the last may have none."""
    lines = [f"{line}\n" for line in text.split("\n")]
    last = lines.pop().removesuffix("\n")
    return [*lines, last] if last else lines


class _Matcher(SequenceMatcher[str]):
    """What is the same in two texts. Only what lies between their first and their last difference is searched."""

    def __init__(self, one: list[str], other: list[str]) -> None:
        super().__init__(None, one, other, autojunk=False)
        self._one, self._other = one, other

    def get_matching_blocks(self) -> list[Match]:
        one, other = self._one, self._other
        shorter = min(len(one), len(other))
        top = next((row for row in range(shorter) if one[row] != other[row]), shorter)
        below = next((row for row in range(shorter - top) if one[-1 - row] != other[-1 - row]), shorter - top)
        inner, other_inner = one[top : len(one) - below], other[top : len(other) - below]
        # Lines that stand everywhere, such as empty ones, would cost the square of their number in a long text.
        is_long = max(len(inner), len(other_inner)) > _MOST_EXACT
        found = SequenceMatcher(None, inner, other_inner, autojunk=is_long).get_matching_blocks()[:-1]
        made = [Match(0, 0, top), *(Match(top + block.a, top + block.b, block.size) for block in found)]
        made.append(Match(len(one) - below, len(other) - below, below))
        return [*(block for block in made if block.size), Match(len(one), len(other), 0)]


def _regions(base: list[str], mine: list[str], theirs: list[str]) -> Iterator[tuple[list[str], list[str], list[str]]]:
    """The three texts cut at what all of them share: in turn what differs somewhere, and what is the same."""
    at = own = other = 0
    for start, own_start, other_start, length in _shared(base, mine, theirs):
        yield base[at:start], mine[own:own_start], theirs[other:other_start]
        same = base[start : start + length]
        yield same, same, same
        at, own, other = start + length, own_start + length, other_start + length
    yield base[at:], mine[own:], theirs[other:]


def _shared(base: list[str], mine: list[str], theirs: list[str]) -> Iterator[tuple[int, int, int, int]]:
    """Runs of lines that stand in all three: where they begin in each, and how many."""
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
    """Both versions between markers, each on a line of its own."""
    return [f"{_MINE}\n", *_closed(mine), f"{_MIDDLE}\n", *_closed(theirs), f"{_THEIRS}\n"]


def _closed(lines: list[str]) -> list[str]:
    return [line if line.endswith("\n") else f"{line}\n" for line in lines]
