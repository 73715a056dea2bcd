"""Two answers to one query beside each other, with the causes of every change, as lines and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from brvtui.engines.registry import noun_of
from brvtui.lab.answer_diff.results import AnswerDiff, Cause, NoteDiff, PartChange
from brvtui.paint.line import Line, line
from brvtui.paint.text import plural, signed, wrap
from brvtui.trace import to_plain
from brvtui.wording import counted

DIFF_SCHEMA = 1
_KIND, _CHANGE = 20, 9
_PARTS = 3
"""How many parts of a cause are named: those that changed most."""
_MORE = 2
"""The decimals of a change beyond those of scores."""
NO_VALUE = "–"
_NO_TIMES = "texts are compared: git keeps no times, so a note of before is as old as its file is here"


def diff_lines(diff: AnswerDiff, width: int, of_revision: bool = False) -> list[Line]:
    """The whole report in ``width`` cells: the outcome, then each note that changed, with the causes and their sum.

    ``of_revision`` says that the notes of then are those of a git revision.
    """
    then, now = diff.then.snapshot, diff.now.snapshot
    noun = noun_of(diff.now.engine, now.is_code)
    made = [line(f" {diff.query}", "bold strong").cut(width)]
    for label, name, info in (("before", diff.then_name, then), ("after", diff.now_name, now)):
        text = f" {label:<7} {name}: {plural(info.notes, noun)}, as of {info.clock}"
        made.append(line(text, "muted").cut(width))
    if of_revision:
        made += [line(f" {part}", "muted") for part in wrap(_NO_TIMES, width - 2)]
    made += [Line(), *_outcome_lines(diff, width)]
    decimals = diff.now.scale.decimals
    seen = [note for note in diff.notes if note.rank_then != note.rank_now or _is_seen(note.change, decimals + _MORE)]
    for note in seen:
        made += [Line(), *note_lines(note, decimals, width)]
    if not seen:
        made.append(line(f" no {noun} changed its rank or its score", "muted").cut(width))
    if diff.left_out:
        made += [Line(), line(f" … {plural(diff.left_out, f'more {noun}')} changed", "muted").cut(width)]
    return made


def note_lines(note: NoteDiff, decimals: int, width: int) -> list[Line]:
    """One note: where it went, then each cause that changed its score, a part of it, or its rank; the changes sum to
    the one at the end."""
    decimals += _MORE
    then, now = (_score(score, decimals) for score in (note.score_then, note.score_now))
    made = [line(f" {note.title}", "bold strong").add(f"  {note.path}", "muted").cut(width)]
    moved = f"rank {_rank(note.rank_then)} → {_rank(note.rank_now)}, score {then} → {now}"
    made += [line(f"   {part}") for part in wrap(moved, width - 3)]
    rank = note.rank_then
    for cause in note.causes:
        if cause.rank != rank or cause.reason or _seen((PartChange("", cause.change), *cause.parts), decimals):
            made += _cause_lines(cause, decimals, width, "" if cause.reason == note.reason else cause.reason)
        rank = cause.rank
    made.append(Line().gap(3).fit("sum", _KIND, "muted").add(f"{signed(note.change, decimals):>{_CHANGE}}", "bold"))
    for when, reason in (("before", note.reason_then), ("now", note.reason)):
        if reason:
            made += [line(f"   {part}", "warn") for part in wrap(f"no result {when}: {reason}", width - 3)]
    return made


def diff_as_plain(diff: AnswerDiff) -> dict[str, Any]:
    """``diff`` ready for JSON, both traces included."""
    plain: dict[str, Any] = to_plain(diff)
    for note, held in zip(diff.notes, plain["notes"], strict=True):
        held["change"] = note.change
    return {"diff_schema": DIFF_SCHEMA, "differs": diff.differs, **plain}


def _outcome_lines(diff: AnswerDiff, width: int) -> list[Line]:
    if diff.outcome_then == diff.outcome_now and all(step.outcome == diff.outcome_now for step in diff.outcomes):
        return [line(f" {diff.outcome_now} both times").cut(width)]
    made = [line(f" {diff.outcome_then} → {diff.outcome_now}", "bold strong").cut(width)]
    before = diff.outcome_then
    for step in diff.outcomes:
        if step.outcome != before:
            made.append(line(f"   {before} → {step.outcome}: {step.what}").cut(width))
        before = step.outcome
    return made


def _cause_lines(cause: Cause, decimals: int, width: int, reason: str) -> list[Line]:
    shown = Line().gap(3).fit(cause.kind, _KIND).add(f"{signed(cause.change, decimals):>{_CHANGE}}", "bold")
    shown.add(f"  rank {_rank(cause.rank)}", "muted")
    texts = [_named(cause.parts, decimals)]
    if words := _named(cause.through, decimals):
        texts.append(f"by {words} of the sum over its words")
    made = [shown.cut(width)]
    for text in filter(None, (*texts, reason)):
        made += [Line().gap(3 + _KIND).add(part, "muted").cut(width) for part in wrap(text, width - 3 - _KIND)]
    return made


def _named(parts: tuple[PartChange, ...], decimals: int) -> str:
    shown = _seen(parts, decimals)
    named = [f"{part.name} {signed(part.change, decimals)}" for part in shown[:_PARTS]]
    if others := shown[_PARTS:]:
        change = signed(sum(part.change for part in others), decimals)
        named.append(f"{counted(len(others), 'other', 'others')} {change}")
    return ", ".join(named)


def _seen(parts: Sequence[PartChange], decimals: int) -> list[PartChange]:
    """The changes that are not 0 when they are rounded to ``decimals``."""
    return [part for part in parts if _is_seen(part.change, decimals)]


def _is_seen(change: float, decimals: int) -> bool:
    return abs(change) >= 0.5 * 10.0**-decimals


def _rank(rank: int | None) -> str:
    return NO_VALUE if rank is None else str(rank)


def _score(score: float | None, decimals: int) -> str:
    return NO_VALUE if score is None else f"{score:.{decimals}f}"
