"""Shows differences as lines and as JSON: between two answers to one query, or between two results of one answer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from brvtui.engines.registry import kind_of
from brvtui.lab.answer_diff import AnswerDiff, Cause, NoteDiff, PartChange
from brvtui.lab.pair import TRIAL_LENGTH, PairComparison, PartPair
from brvtui.lab.trace_diff import difference_sentence
from brvtui.paint.blocks import Block, Text
from brvtui.paint.hits import because, with_rest
from brvtui.paint.line import Line, line
from brvtui.paint.sentence import sentence_lines
from brvtui.paint.text import plural, signed
from brvtui.report.query import headline_of
from brvtui.text.visible import bounded
from brvtui.trace import to_plain
from brvtui.tree.reading.files import Role, role_of
from brvtui.wording import counted

# Shows two results of one answer in two columns, as lines and as JSON.


PAIR_SCHEMA = 1
_NAME, _COLUMN = 18, 12


def pair_blocks(pair: PairComparison) -> Iterator[Block]:
    """Yields the comparison: a sentence, both notes, the changes that would swap them, the parts and the words."""
    pair = bounded(pair)
    decimals = pair.trace.scale.decimals + 2
    yield from (Text(_ahead(pair), "strong", after=0), Line())
    for letter, note in (("A", pair.above), ("B", pair.below)):
        rank = f"rank {note.rank}" if note.rank is not None else "not a result"
        shown = line(f" {letter}  {note.title}", "bold strong")
        yield shown.add(f"  {rank}, {_score(note.score, decimals)}", "text").add(f"  {note.path}", "muted")
        if note.reason:
            yield Text(note.reason, "warn", "    ", 0)
    yield Line()
    yield from _turning(pair, decimals)
    yield from (Line(), _row("part", ["A", "B", "A − B"], "muted"))
    yield from _parts_of_both(pair.parts, decimals)
    cells = [_score(note.score, decimals) for note in (pair.above, pair.below)]
    yield _row("score", [*cells, signed(pair.gap, decimals)], "bold strong")
    if pair.words:
        yield from (Line(), line(" the text score by word, before it becomes the relevance", "muted"))
        yield from _parts_of_both(pair.words, decimals)


def _ahead(pair: PairComparison) -> str:
    """Describes the gap between the notes and the parts that cause it, largest first."""
    decimals = pair.trace.scale.decimals
    if not _is_seen(pair.gap, decimals):
        return "A and B have the same rounded score."
    if pair.gap < 0:
        return f"A ranks above B, although its score is {-pair.gap:.{decimals}f} lower."
    amounts = [(part.name, round(part.difference, decimals)) for part in pair.parts if part.name != "rounding"]
    ranked = sorted(filter(lambda one: one[1], amounts), key=lambda one: -abs(one[1]))
    causes = because(with_rest(ranked, pair.gap, decimals), decimals, other="B").replace("its cap", "A's cap")
    return f"A is {pair.gap:.{decimals}f} ahead of B{causes}."


def pair_as_plain(pair: PairComparison) -> dict[str, Any]:
    """Returns ``pair`` as plain data for JSON, including its trace."""
    above, below = (
        {"path": note.path, "title": note.title, "rank": note.rank, "score": note.score, "reason": note.reason}
        for note in (pair.above, pair.below)
    )
    parts, words = (
        [{**to_plain(part), "difference": part.difference} for part in both] for both in (pair.parts, pair.words)
    )
    turning, trace = to_plain(pair.turning), to_plain(pair.trace)
    return {
        "pair_schema": PAIR_SCHEMA, "gap": pair.gap, "above": above, "below": below, "parts": parts, "words": words,
        "trace": trace, "turning": turning,
    }  # fmt: skip


def _parts_of_both(parts: Sequence[PartPair], decimals: int) -> Iterator[Line]:
    for part in parts:
        yield _row(part.name, [signed(value, decimals) for value in (part.above, part.below, part.difference)])


def _turning(pair: PairComparison, decimals: int) -> Iterator[Block]:
    if not pair.turning:
        sentence = "none of the changes tried puts B above A"
        native = kind_of(pair.trace.engine, pair.trace.snapshot).native
        if len(pair.trace.query) > TRIAL_LENGTH:
            sentence = f"the query is too long to try changes: use at most {TRIAL_LENGTH:,} characters"
        elif role_of(pair.below.path) is Role.SUMMARY:
            sentence = "B is its folder's summary: whatever raises the notes in the folder raises B"
        elif pair.trace.engine == native:  # this engine tries only changes that help a single note
            sentence += "; brv-tui explain shows what helps B on its own"
        yield Text(sentence, "muted", after=0)
        return
    yield line(" each of these changes alone puts B above A:", "muted")
    for change in pair.turning:
        other = "not a result" if change.other_rank is None else f"rank {change.other_rank}"
        scores = [_score(score, decimals) for score in (change.score, change.other_score)]
        then = f"B {scores[0]}, rank {change.rank}; A {scores[1]}, {other}".replace(f"{NO_VALUE}, ", "")
        yield Text(f"{change.text}: {then}", "ok", "   ", 0)


def _row(name: str, cells: Sequence[str], role: str = "text") -> Line:
    result = Line().gap().fit(name, _NAME, role)
    for cell in cells:
        result.add(f"{cell:>{_COLUMN}}", role)
    return result


DIFF_SCHEMA = 1
_KIND, _CHANGE = 20, 9
_SENTENCE_LINES = 99
_PARTS = 3
"""The number of parts that are named for each cause. The parts with the largest changes are named."""
_MORE = 2
"""The number of additional decimals that changes have compared with scores."""
NO_VALUE = "–"
_NEW_AGE = "editing a note resets its age to zero"


def diff_blocks(diff: AnswerDiff, width: int, of_edit: bool = False) -> Iterator[Block]:
    """Yields the whole report for ``width`` columns: both reasons, then each changed note, with causes and their sum.

    ``of_edit`` is true if the later notes are edited.
    """
    diff = bounded(diff)
    traces = diff.traces
    noun = kind_of(traces.now.engine, traces.now.snapshot).noun
    yield line(f" {diff.query}", "bold strong")
    for row in sentence_lines(difference_sentence(traces), (width - 1, width - 1), _SENTENCE_LINES):
        yield Line().gap().extend(row.spans)
    for label, name, trace in (("before", diff.then_name, traces.then), ("after", diff.now_name, traces.now)):
        info = trace.snapshot
        yield from (Line(), line(f" {label:<7} {name}: {plural(info.notes, noun)}, as of {info.clock}", "muted"))
        yield from headline_of(trace, width, timed=False)
    remarks = [diff.times] * bool(diff.times) + [_NEW_AGE] * of_edit
    outcomes = list(_outcome_lines(diff))
    if remarks or outcomes:
        yield Line()
        yield from (Text(remark, "muted") for remark in remarks)
        yield from outcomes
    decimals = traces.now.scale.decimals
    seen = [note for note in diff.notes if note.rank_then != note.rank_now or _is_seen(note.change, decimals + _MORE)]
    for note in seen:
        yield Line()
        yield from _note_blocks(note, decimals + _MORE)
    if not seen:
        yield line(f" no {noun}'s rank or score changed", "muted")
    if diff.left_out:
        yield from (Line(), line(f" … {plural(diff.left_out, f'more {noun}')} changed", "muted"))


def _note_blocks(note: NoteDiff, decimals: int) -> Iterator[Block]:
    """Yields the lines about one note: its old and new rank and score, then the causes of changes in its score or rank.

    The causes add up to the total in the last line.
    """
    then, now = (_score(score, decimals) for score in (note.score_then, note.score_now))
    yield line(f" {note.title}", "bold strong").add(f"  {note.path}", "muted")
    moved = f"rank {_rank(note.rank_then)} → {_rank(note.rank_now)}, score {then} → {now}"
    yield Text(moved, "text", "   ", 0)
    rank = note.rank_then
    for cause in note.causes:
        if cause.rank != rank or cause.reason or _is_seen(cause.change, decimals):
            yield from _cause_blocks(cause, decimals, "" if cause.reason == note.reason else cause.reason)
        rank = cause.rank
    yield Line().gap(3).fit("sum", _KIND, "muted").add(f"{signed(note.change, decimals):>{_CHANGE}}", "bold")
    for when, reason in (("before", note.reason_then), ("now", note.reason)):
        if reason:
            yield Text(f"not a result {when}: {reason}", "warn", "   ", 0)


def diff_as_plain(diff: AnswerDiff) -> dict[str, Any]:
    """Returns ``diff`` as plain data for JSON, including both traces."""
    then, now = diff.traces.then, diff.traces.now
    outcome_then, outcome_now = diff.traces.outcomes
    return {
        "diff_schema": DIFF_SCHEMA,
        "differs": diff.differs,
        "query": diff.query,
        "scope": then.scope_option,
        "engine": then.engine,
        "then_name": diff.then_name,
        "now_name": diff.now_name,
        "outcome_then": outcome_then,
        "outcome_now": outcome_now,
        "outcomes": to_plain(diff.outcomes),
        "notes": [{**to_plain(note), "change": note.change} for note in diff.notes],
        "left_out": diff.left_out,
        "notice": diff.times,
        "then": to_plain(then),
        "now": to_plain(now),
    }


def _outcome_lines(diff: AnswerDiff) -> Iterator[Line]:
    before = diff.traces.outcomes[0]
    for step in diff.outcomes:
        if step.outcome != before:
            yield line(f" {before} → {step.outcome}", "strong").add(f" because of {step.what}", "muted")
        before = step.outcome


def _cause_blocks(cause: Cause, decimals: int, reason: str) -> Iterator[Block]:
    shown = Line().gap(3).fit(cause.kind, _KIND).add(f"{signed(cause.change, decimals):>{_CHANGE}}", "bold")
    yield shown.add(f"  then {_placed(cause.rank)}", "muted")
    words = _named(cause.through, decimals)
    texts = (_named(cause.parts, decimals), f"text score by word: {words}" if words else "", reason)
    yield from (Text(text, "muted", Line().gap(3 + _KIND), 0) for text in filter(None, texts))


def _named(parts: tuple[PartChange, ...], decimals: int) -> str:
    shown = _seen(parts, decimals)
    named = [f"{part.name} {signed(part.change, decimals)}" for part in shown[:_PARTS]]
    if others := shown[_PARTS:]:
        change = signed(sum(part.change for part in others), decimals)
        named.append(f"{counted(len(others), 'other', 'others')} {change}")
    return ", ".join(named)


def _seen(parts: Sequence[PartChange], decimals: int) -> list[PartChange]:
    """Returns the changes that are not 0 when they are rounded to ``decimals``."""
    return [part for part in parts if _is_seen(part.change, decimals)]


def _is_seen(change: float, decimals: int) -> bool:
    return abs(change) >= 0.5 * 10.0**-decimals


def _rank(rank: int | None) -> str:
    return NO_VALUE if rank is None else str(rank)


def _placed(rank: int | None) -> str:
    return "not a result" if rank is None else f"rank {rank}"


def _score(score: float | None, decimals: int) -> str:
    return NO_VALUE if score is None else f"{score:.{decimals}f}"
