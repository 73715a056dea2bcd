"""Two results of one answer in two columns, as lines and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from brvtui.engines.registry import DEFAULT, SPACE
from brvtui.lab.pair.differences import ComparedNote, PairComparison, PartOfBoth
from brvtui.lab.pair.turning import TRIAL_LENGTH
from brvtui.paint.line import Line, line
from brvtui.paint.text import signed, wrap
from brvtui.trace import to_plain
from brvtui.tree.reading.files import Role, role_of

PAIR_SCHEMA = 1
_NAME, _COLUMN = 18, 12
_NOTHING = "–"


def pair_lines(pair: PairComparison, width: int) -> list[Line]:
    """The whole comparison in ``width`` cells: both notes, the parts, the words, what would turn them."""
    decimals = pair.trace.scale.decimals + 2
    made = [line(f" {pair.trace.query}", "bold strong").cut(width), Line()]
    for letter, note in (("A", pair.above), ("B", pair.below)):
        made += _note_lines(letter, note, decimals, width)
    made += [Line(), _row("part", ["A", "B", "A − B"], "muted").cut(width)]
    made += _part_lines(pair.parts, decimals, width)
    cells = [f"{note.score:.{decimals}f}" for note in (pair.above, pair.below)]
    made.append(_row("score", [*cells, signed(pair.gap, decimals)], "bold strong").cut(width))
    if pair.words:
        made += [Line(), line(" its sum over words, before that becomes a relevance", "muted").cut(width)]
        made += _part_lines(pair.words, decimals, width)
    return [*made, Line(), *_turning_lines(pair, decimals, width)]


def pair_as_plain(pair: PairComparison) -> dict[str, Any]:
    """``pair`` ready for JSON, its trace included."""
    plain: dict[str, Any] = to_plain(pair)
    for name, parts in (("parts", pair.parts), ("words", pair.words)):
        for part, held in zip(parts, plain[name], strict=True):
            held["difference"] = part.difference
    return {"pair_schema": PAIR_SCHEMA, "gap": pair.gap, **plain}


def _note_lines(letter: str, note: ComparedNote, decimals: int, width: int) -> list[Line]:
    rank = f"rank {note.rank}" if note.rank is not None else "no result"
    made = [line(f" {letter}  {note.title}", "bold strong").add(f"  {note.path}", "muted").cut(width)]
    made.append(line(f"    {rank}, {note.score:.{decimals}f}").cut(width))
    return [*made, *(line(f"    {part}", "warn") for part in (wrap(note.reason, width - 4) if note.reason else []))]


def _part_lines(parts: Sequence[PartOfBoth], decimals: int, width: int) -> list[Line]:
    return [
        _row(
            part.name, [signed(part.above, decimals), signed(part.below, decimals), signed(part.difference, decimals)]
        ).cut(width)
        for part in parts
    ]


def _turning_lines(pair: PairComparison, decimals: int, width: int) -> list[Line]:
    if not pair.turning:
        sentence = "no single change that was tried brings B above A"
        if len(pair.trace.query) > TRIAL_LENGTH:
            sentence = f"the query is too long to try changes: ask with at most {TRIAL_LENGTH:,} characters"
        elif role_of(pair.below.path) is Role.SUMMARY:
            sentence = "B stands for its folder: what lifts the notes in it lifts it"
        elif pair.trace.engine in (DEFAULT, SPACE):  # which try what helps one note
            sentence += "; brv-tui explain with B says what helps it by itself"
        return [line(f" {part}", "muted") for part in wrap(sentence, width - 1)]
    lines = [line(" the smallest changes after which B stands above A, each tried:", "muted").cut(width)]
    for change in pair.turning:
        other = _NOTHING if change.other_rank is None else f"rank {change.other_rank}"
        then = f"B rank {change.rank} with {change.score:.{decimals}f}, A {other}"
        lines += [line(f"   {part}", "ok") for part in wrap(f"{change.text}: {then}", width - 3)]
    return lines


def _row(name: str, cells: Sequence[str], role: str = "text") -> Line:
    made = Line().gap().fit(name, _NAME, role)
    for cell in cells:
        made.add(f"{cell:>{_COLUMN}}", role)
    return made
